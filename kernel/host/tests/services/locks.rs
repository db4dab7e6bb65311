//! Mutexes: who has them, and in which order they pass.

use giornata_abi::Error;
use giornata_abi::call::Call;

use crate::stage::*;

#[test]
fn an_owner_runs_on_the_place_of_whoever_waits_for_it_through_a_chain() {
    let mut system = threads(&[9, 6, 3, 7]);
    let [a, b] = mutexes(&mut system);
    let mut stage = Stage::new(&system);
    stage.sleep(0, 20).sleep(3, 10).sleep(1, 5).lock(2, a);
    stage.advance(5).lock(1, b).lock(1, a).runs(2);
    // in the place of 1, which is less urgent than 3
    stage.advance(10).runs(3).sleep(3, 25).runs(2);
    stage.advance(20).lock(0, b).runs(2);
    // in the place of 0 by way of 1
    stage
        .advance(25)
        .runs(2)
        .unlock(2, a)
        .runs(1)
        .returned(1, DONE);
    stage.unlock(1, b).runs(0);
    assert_eq!(stage.owner(b), Some(0));
}

#[test]
fn a_mutex_passes_to_the_most_urgent_and_among_equals_to_who_asked_first() {
    let mut system = threads(&[2, 5, 5, 5, 7]);
    let a = mutex(&mut system);
    let mut stage = Stage::new(&system);
    stage.sleep(4, 40).sleep(1, 20).sleep(2, 10).sleep(3, 30);
    stage.lock(0, a);
    // (each has its turn when those before it yield, in whose place the owner runs)
    stage
        .advance(10)
        .lock(2, a)
        .advance(20)
        .yields(0)
        .lock(1, a);
    stage
        .advance(30)
        .yields(0)
        .yields(0)
        .lock(3, a)
        .advance(40)
        .lock(4, a)
        .runs(0);
    stage.unlock(0, a);
    stage.runs(4).returned(4, DONE).unlock(4, a).sleep(4, 1000);
    for thread in [2, 1, 3] {
        stage.runs(thread).returned(thread, DONE).unlock(thread, a);
    }
    assert_eq!(stage.owner(a), None);
}

#[test]
fn who_gives_a_mutex_back_has_it_again_only_if_nobody_as_urgent_has_asked() {
    let mut system = threads(&[5, 5, 4]);
    let [a, b] = mutexes(&mut system);
    let mut stage = Stage::new(&system);
    stage.lock(0, a).lock(0, b).sleep(0, 20);
    stage.lock(1, a).runs(2).lock(2, b).idles();
    stage.advance(20).runs(0);
    // one less urgent has asked for that one
    stage.unlock(0, b).runs(0).lock(0, b).returned(0, DONE);
    // and one as urgent for this one
    stage.unlock(0, a).runs(0);
    stage.lock(0, a).runs(1).returned(1, DONE);
    assert_eq!([a, b].map(|mutex| stage.owner(mutex)), [Some(1), Some(0)]);
}

#[test]
fn an_equal_that_has_asked_goes_before_the_late_owner() {
    let mut system = threads(&[5, 5, 9]);
    let a = mutex(&mut system);
    let mut stage = Stage::new(&system);
    // 2 has the turn, so whoever gets the mutex has not run yet
    stage.sleep(2, 10).lock(0, a).yields(0).lock(1, a).runs(0);
    stage.unlock(0, a).runs(1);
    stage.unlock(1, a).lock(1, a).returned(1, DONE);
    assert_eq!(stage.owner(a), Some(1));
}

#[test]
fn a_lock_is_refused_for_the_first_reason_that_there_is() {
    let mut system = processes(&[&[5], &[4]]);
    let a = mutex(&mut system);
    let low = ceiling_mutex(&mut system, 3);
    let barred = mutex(&mut system);
    let hers = private(&mut system, giornata_records::ObjectKind::Mutex);
    let c = condition(&mut system);
    system.objects[barred].rights[0].used = false;
    let mut stage = Stage::new(&system);
    let [late, never] = EVER;
    for (slot, serial, word, error) in [
        (99, 1, 0, Error::ESRCH),
        (usize::MAX, 1, 0, Error::ESRCH),
        (barred, 2, 0, Error::EPERM),
        (a, 2, 8, Error::ESRCH),
        (a, 0, 0, Error::ESRCH),
        (a, 1, 8, Error::EINVAL),
        (c, 1, 0, Error::EINVAL),
        (low, 1, 0, Error::EINVAL),
        (hers, 1, 0, Error::EINVAL),
        (hers, 1, 8, Error::EFAULT),
    ] {
        stage.call(0, Call::Lock, &[slot, serial, late, never, word]);
        stage.refused(0, error);
        if slot != low {
            stage.call(0, Call::Unlock, &[slot, serial, word]);
            stage.refused(0, error);
        }
    }
    stage.unlock(0, a).refused(0, Error::EPERM);
    stage.unlock(0, low).refused(0, Error::EPERM);
    stage.lock(0, a).returned(0, DONE).sleep(0, 10);
    stage.lock_until(1, a, 0).refused(1, Error::EBUSY);
    stage.unlock(1, a).refused(1, Error::EPERM);
}

#[test]
fn who_waits_until_an_instant_gives_up_then() {
    let mut system = threads(&[2, 5]);
    let a = mutex(&mut system);
    let mut stage = Stage::new(&system);
    stage.sleep(1, 10).lock(0, a);
    // the owner runs in its place meanwhile, or it hangs on that
    stage.advance(10).lock_until(1, a, 30).runs(0);
    stage.advance(30).runs(1).refused(1, Error::ETIMEDOUT);
    stage.lock_until(1, a, 50).runs(0).sleep(0, 60).idles();
    assert_eq!(stage.parked_on(0), [1]);
    stage.advance(50).runs(1).refused(1, Error::ETIMEDOUT);
    assert_eq!(stage.parked_on(0), []);
    // an instant that has passed
    stage
        .lock_until(1, a, 50)
        .interrupted()
        .runs(1)
        .refused(1, Error::ETIMEDOUT);
}

#[test]
fn a_timer_that_meets_a_mutex_free_but_not_yet_taken_gives_it() {
    let mut system = threads(&[6, 5]);
    let a = mutex(&mut system);
    let mut stage = Stage::new(&system);
    stage.lock(0, a).sleep(0, 40).lock_until(1, a, 50).idles();
    stage.advance(40).unlock(0, a).runs(0);
    assert_eq!(stage.owner(a), None);
    stage.advance(50).runs(0);
    assert_eq!(stage.owner(a), Some(1));
    stage.sleep(0, 60).runs(1).returned(1, DONE);
}

#[test]
fn a_yield_in_the_place_of_another_turns_that_one() {
    let mut system = threads(&[2, 8, 8]);
    let a = mutex(&mut system);
    let mut stage = Stage::new(&system);
    stage.sleep(1, 10).sleep(2, 9).lock(0, a);
    stage
        .advance(10)
        .yields(2)
        .lock(1, a)
        .runs(0)
        .yields(0)
        .runs(2);
    stage.yields(2).runs(0);
}

#[test]
fn whoever_is_given_a_mutex_keeps_its_place() {
    let mut system = threads(&[2, 5, 5]);
    let a = mutex(&mut system);
    let mut stage = Stage::new(&system);
    stage.sleep(1, 10).sleep(2, 9).lock(0, a);
    // before its equal, since it has had the turn
    stage.advance(10).lock(2, a).unlock(0, a).runs(2);
    stage.yields(2).runs(1);
}

#[test]
fn a_thread_that_ends_leaves_its_mutexes_to_those_that_want_them() {
    let mut system = threads(&[2, 5, 6]);
    let [a, b, c] = mutexes(&mut system);
    let mut stage = Stage::new(&system);
    stage.sleep(2, 10).sleep(1, 10);
    stage.lock(0, a).lock(0, b).lock(0, c).advance(10);
    stage.lock(2, b).exit(0);
    stage.runs(2).refused(2, Error::EOWNERDEAD);
    // that is told once
    stage.unlock(2, b).lock(2, b).returned(2, DONE);
    stage.lock(2, a).refused(2, Error::EOWNERDEAD).sleep(2, 20);
    stage.lock_until(1, c, 0).refused(1, Error::EOWNERDEAD);
}
