//! Condition variables, and what a thread tells before it waits.

use giornata_abi::Error;
use giornata_abi::call::Call;
use giornata_abi::control::{TAKEN, TAKEN_FROM_DEAD};

use crate::stage::*;

#[test]
fn a_wait_gives_the_mutex_back_and_has_it_again() {
    let mut system = threads(&[2, 5]);
    let a = mutex(&mut system);
    let c = condition(&mut system);
    let mut stage = Stage::new(&system);
    stage.lock(1, a).wait(1, c, a).runs(0);
    assert_eq!(stage.owner(a), None);
    // who is signalled goes on when it has the mutex, and not before
    stage
        .lock(0, a)
        .signal(0, c)
        .runs(0)
        .returned(0, DONE)
        .waits(1);
    stage.unlock(0, a).runs(1).returned(1, DONE);
    assert_eq!(stage.owner(a), Some(1));
    stage.wait(1, c, a).signal(0, c).runs(1).returned(1, DONE);
    assert_eq!(stage.owner(a), Some(1));
}

#[test]
fn a_signal_wakes_the_most_urgent_and_among_equals_who_came_first() {
    let mut system = threads(&[2, 5, 5, 7]);
    let a = mutex(&mut system);
    let c = condition(&mut system);
    let mut stage = Stage::new(&system);
    stage.signal(3, c).returned(3, DONE);
    stage.sleep(3, 30).sleep(1, 20).sleep(2, 10).sleep(0, 40);
    for (at, thread) in [(10, 2), (20, 1), (30, 3)] {
        stage.advance(at).lock(thread, a).wait(thread, c, a);
    }
    stage.advance(40);
    assert_eq!(stage.waiters(c), [3, 2, 1]);
    for thread in [3, 2, 1] {
        stage.signal(0, c).runs(thread).returned(thread, DONE);
        stage.unlock(thread, a).sleep(thread, 100).runs(0);
    }
    // nobody waited: it is lost
    stage.signal(0, c).runs(0).lock(0, a).wait(0, c, a).idles();
}

#[test]
fn a_wait_that_times_out_has_the_mutex_again_too() {
    let mut system = threads(&[2, 5]);
    let a = mutex(&mut system);
    let c = condition(&mut system);
    let mut stage = Stage::new(&system);
    stage.lock(1, a).wait_until(1, c, a, 10).lock(0, a);
    stage.advance(10).runs(0).waits(1);
    stage.unlock(0, a).runs(1).refused(1, Error::ETIMEDOUT);
    assert_eq!(stage.owner(a), Some(1));
    // an instant that has passed
    stage
        .wait_until(1, c, a, 10)
        .interrupted()
        .runs(1)
        .refused(1, Error::ETIMEDOUT);
    assert_eq!(stage.owner(a), Some(1));
}

#[test]
fn a_wait_is_refused_for_the_first_reason_that_there_is() {
    let mut system = threads(&[5]);
    let [a, barred] = mutexes(&mut system);
    let c = condition(&mut system);
    let s = semaphore(&mut system, 0);
    system.objects[barred].rights[0].used = false;
    let mut stage = Stage::new(&system);
    let [low, high] = EVER;
    stage.lock(0, a);
    for (slot, serial, mutex, word, error) in [
        (99, 1, a, 0, Error::ESRCH),
        (c, 2, a, 0, Error::ESRCH),
        (c, 1, 99, 0, Error::ESRCH),
        (c, 1, barred, 0, Error::EPERM),
        (barred, 1, a, 0, Error::EPERM),
        (a, 1, a, 0, Error::EINVAL),
        (c, 1, s, 0, Error::EINVAL),
        (c, 1, a, 8, Error::EINVAL),
    ] {
        stage.call(0, Call::Wait, &[slot, serial, mutex, low, high, word]);
        stage.refused(0, error);
    }
    stage.unlock(0, a).wait(0, c, a).refused(0, Error::EPERM);
    for call in [Call::Signal, Call::Broadcast] {
        stage.call(0, call, &[c, 2]).refused(0, Error::ESRCH);
        stage.call(0, call, &[a, 1]).refused(0, Error::EINVAL);
        stage.call(0, call, &[barred, 1]).refused(0, Error::EPERM);
        stage.call(0, call, &[c, 1]).returned(0, DONE);
    }
}

#[test]
fn whose_mutex_is_deleted_while_it_waits_goes_on_without() {
    let mut system = threads(&[2, 5]);
    let a = mutex(&mut system);
    let c = condition(&mut system);
    let mut stage = Stage::new(&system);
    stage.lock(1, a).wait(1, c, a);
    stage.call(0, Call::DeleteObject, &[a, 1]);
    // another that lives there is not the one that it had
    stage.call(0, Call::CreateObject, &[a]);
    stage.signal(0, c).runs(1).refused(1, Error::EIDRM);
    assert_eq!(stage.owner(a), None);
}

#[test]
fn a_broadcast_wakes_all_that_waited_when_it_began() {
    let mut system = threads(&[2, 11, 12, 13, 14, 15, 16, 17, 18, 19, 200 + 1]);
    let a = mutex(&mut system);
    let c = condition(&mut system);
    let mut stage = Stage::new(&system);
    stage.sleep(10, 5);
    for thread in (1..=9).rev() {
        stage.lock(thread, a).wait(thread, c, a);
    }
    // after one it is put back for an interrupt; who waits from then on waits on
    stage.rig.set_piece_time(5);
    stage.broadcast(0, c).interrupted().runs(10).waits(0);
    stage.rig.set_piece_time(0);
    assert_eq!(stage.waiters(c), [8, 7, 6, 5, 4, 3, 2, 1]);
    stage.lock_until(10, a, 6);
    let woken = stage.rig.running();
    stage.sleep(woken, 50);
    assert!(stage.waiters(c).contains(&10) || stage.owner(a).is_some());
}

#[test]
fn a_broadcast_stops_at_those_that_came_after_it_had_begun() {
    let mut system = threads(&[2, 11, 12, 13, 14, 15, 16, 201]);
    let [a, b] = mutexes(&mut system);
    let c = condition(&mut system);
    let mut stage = Stage::new(&system);
    stage.sleep(7, 5);
    for thread in (1..=6).rev() {
        stage.lock(thread, a).wait(thread, c, a);
    }
    stage.rig.set_piece_time(5);
    stage.broadcast(0, c).interrupted().runs(7);
    stage.rig.set_piece_time(0);
    // it waits before the broadcast goes on
    stage.lock(7, b).wait(7, c, b);
    for thread in [6, 5, 4, 3] {
        stage.runs(thread).returned(thread, DONE).unlock(thread, a);
        stage.sleep(thread, 100);
    }
    for thread in [2, 1] {
        stage.runs(thread).returned(thread, DONE).unlock(thread, a);
        stage.sleep(thread, 100);
    }
    stage.runs(0).returned(0, DONE);
    assert_eq!(stage.waiters(c), [7]);
}

#[test]
fn a_broadcast_that_has_begun_ends_in_success_though_the_condition_is_deleted() {
    let mut system = threads(&[2, 11, 12, 13, 14, 15, 16, 201]);
    let a = mutex(&mut system);
    let c = condition(&mut system);
    let mut stage = Stage::new(&system);
    stage.sleep(7, 5);
    for thread in (1..=6).rev() {
        stage.lock(thread, a).wait(thread, c, a);
    }
    stage.rig.set_piece_time(5);
    stage.broadcast(0, c).interrupted().runs(7);
    stage.rig.set_piece_time(0);
    stage.call(7, Call::DeleteObject, &[c, 1]).sleep(7, 1000);
    let mut left = 7;
    while stage.rig.running() != 0 {
        let thread = stage.rig.running();
        let result = stage.rig.take_results(thread).map(|results| results[0]);
        let expected = if thread > 5 { 0 } else { Error::EIDRM as usize };
        assert_eq!(result, Some(expected), "of {thread}");
        if stage.owner(a) == Some(thread) {
            stage.unlock(thread, a);
        }
        stage.exit(thread);
        left -= 1;
    }
    assert_eq!(left, 1);
    stage.returned(0, DONE);
}

#[test]
fn what_a_thread_tells_saves_the_turn_in_which_it_would_only_wait() {
    let mut system = threads(&[2, 5, 3]);
    let a = mutex(&mut system);
    let s = semaphore(&mut system, 0);
    let mut stage = Stage::new(&system);
    stage.tell(1, a, 1).lock(1, s).sleep(2, 10).lock(0, a);
    stage.rig.take_switches();
    stage.unlock(0, s).runs(0).returned(0, DONE).waits(1);
    assert_eq!(stage.rig.take_switches(), []);
    // it has its turn when it has the mutex, and is told
    stage
        .advance(10)
        .runs(0)
        .unlock(0, a)
        .runs(1)
        .returned(1, DONE);
    assert_eq!(stage.owner(a), Some(1));
    assert_eq!(stage.told(1), TAKEN);
}

#[test]
fn whose_mutex_was_left_by_a_dead_owner_is_told_so() {
    let mut system = threads(&[2, 5]);
    let a = mutex(&mut system);
    let s = semaphore(&mut system, 0);
    let mut stage = Stage::new(&system);
    stage
        .tell(1, a, 1)
        .lock(1, s)
        .lock(0, a)
        .unlock(0, s)
        .exit(0);
    stage.runs(1).returned(1, DONE);
    assert_eq!(stage.told(1), TAKEN_FROM_DEAD);
    assert_eq!(stage.owner(a), Some(1));
}

#[test]
fn what_a_thread_tells_may_be_anything() {
    let mut system = threads(&[2, 5]);
    let [a, barred] = mutexes(&mut system);
    let high = ceiling_mutex(&mut system, 3);
    let s = semaphore(&mut system, 0);
    system.objects[barred].rights[0].used = false;
    let mut stage = Stage::new(&system);
    stage.sleep(1, 10).lock(0, a).advance(10);
    for (slot, serial) in [(barred, 1), (high, 1), (s, 1), (99, 1), (a, 2), (0xFFFF, 1)] {
        stage.tell(1, slot, serial).lock(1, s).runs(0);
        stage.unlock(0, s).runs(1).returned(1, DONE);
        assert_eq!(stage.told(1), !(slot as u32));
    }
}
