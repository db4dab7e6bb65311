//! Chains: who runs in whose place, how far a chain goes, and what hangs on whom
//! (KERNEL 7, rules 2, 3 and 5).

use giornata_abi::Error;
use giornata_abi::call::Call;
use giornata_abi::trace::FaultCause;
use giornata_records::ObjectKind;

use crate::stage::*;

/// Whose wait ends, and how.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Ends {
    OwnerTimesOut,
    OwnerIsWoken,
    OwnerDies,
    MiddleTimesOut,
    MiddleDies,
    WaiterTimesOut,
    WaiterDies,
}

use Ends::*;

const OWNER: usize = 0;
const MIDDLE: usize = 2;
const WAITER: usize = 4;
/// It is less urgent than the waiter, and more than the others.
const BYSTANDER: usize = 6;
const FAR: usize = 10_000;
/// When it ends.
const END: usize = 50;

/// A waiter hangs on a middle one, which hangs on an owner that waits for a semaphore, each
/// in a process of its own with a thread that ends it. The waiter came first, or last.
fn tree(ends: Ends, waiter_first: bool) -> (Stage, [usize; 3]) {
    let mut system = processes(&[&[2, 250], &[5, 250], &[8, 250], &[7]]);
    let [a, b] = mutexes(&mut system);
    let s = semaphore(&mut system, 0);
    let mut stage = Stage::new(&system);
    let at = |this| if ends == this { END } else { FAR };
    for (bomb, its) in [(1, OwnerDies), (3, MiddleDies), (5, WaiterDies)] {
        stage.sleep(bomb, at(its));
    }
    let (middle, waiter) = if waiter_first { (20, 10) } else { (10, 20) };
    stage.sleep(WAITER, waiter).sleep(BYSTANDER, 30);
    stage.lock(MIDDLE, b).sleep(MIDDLE, middle);
    stage.lock(OWNER, a).lock_until(OWNER, s, at(OwnerTimesOut));
    for now in [10, 20] {
        stage.advance(now);
        match now as usize == waiter {
            true => stage.lock_until(WAITER, b, at(WaiterTimesOut)),
            false => stage.lock_until(MIDDLE, a, at(MiddleTimesOut)),
        };
        stage.idles();
    }
    assert_eq!(stage.parked_on(OWNER), [MIDDLE]);
    assert_eq!(stage.parked_on(MIDDLE), [WAITER]);
    assert_eq!([OWNER, MIDDLE].map(|thread| stage.place(thread)), [8, 8]);
    stage.advance(30).runs(BYSTANDER);
    stage.advance(END as u64);
    match ends {
        OwnerIsWoken => {
            stage.unlock(BYSTANDER, s);
        }
        OwnerDies | MiddleDies | WaiterDies => {
            stage.rig.fault(FaultCause::Store, 0, 0);
            stage.rig.check_invariants();
        }
        _ => {}
    }
    (stage, [a, b, s])
}

/// Who waits for the mutex has it, before the bystander goes on.
fn waiter_goes_on(stage: &mut Stage, b: usize, error: usize) {
    stage.runs(WAITER).returned(WAITER, error).unlock(WAITER, b);
    stage.sleep(WAITER, FAR).runs(BYSTANDER);
}

#[test]
fn whatever_ends_a_link_brings_back_all_that_hangs_on_it() {
    for waiter_first in [false, true] {
        for ends in [OwnerTimesOut, OwnerIsWoken] {
            let (mut stage, [a, b, _]) = tree(ends, waiter_first);
            // in the place of the waiter, which hangs on one that hangs on it
            stage.runs(OWNER).unlock(OWNER, a);
            stage.runs(MIDDLE).returned(MIDDLE, DONE).unlock(MIDDLE, b);
            waiter_goes_on(&mut stage, b, DONE);
        }
        let (mut stage, [_, b, _]) = tree(OwnerDies, waiter_first);
        stage.runs(MIDDLE).refused(MIDDLE, Error::EOWNERDEAD);
        stage.unlock(MIDDLE, b);
        waiter_goes_on(&mut stage, b, DONE);
    }
}

#[test]
fn a_middle_one_that_waits_no_more_takes_its_waiters_away_from_the_owner() {
    for waiter_first in [false, true] {
        let (mut stage, [a, b, _]) = tree(MiddleTimesOut, waiter_first);
        assert_eq!(stage.place(OWNER), 2);
        stage.runs(MIDDLE).refused(MIDDLE, Error::ETIMEDOUT);
        stage.unlock(MIDDLE, b);
        waiter_goes_on(&mut stage, b, DONE);
        assert_eq!(stage.owner(a), Some(OWNER));
        let (mut stage, [a, b, _]) = tree(MiddleDies, waiter_first);
        assert_eq!(stage.place(OWNER), 2);
        waiter_goes_on(&mut stage, b, Error::EOWNERDEAD as usize);
        assert_eq!(stage.owner(a), Some(OWNER));
    }
}

#[test]
fn a_waiter_that_waits_no_more_lends_nothing() {
    for waiter_first in [false, true] {
        for ends in [WaiterTimesOut, WaiterDies] {
            let (mut stage, [a, b, s]) = tree(ends, waiter_first);
            if ends == WaiterTimesOut {
                stage.runs(WAITER).refused(WAITER, Error::ETIMEDOUT);
                stage.sleep(WAITER, FAR);
            }
            stage.runs(BYSTANDER);
            assert_eq!(stage.parked_on(MIDDLE), []);
            assert_eq!([OWNER, MIDDLE].map(|thread| stage.place(thread)), [5, 5]);
            stage.unlock(BYSTANDER, s).sleep(BYSTANDER, FAR);
            stage.runs(OWNER).unlock(OWNER, a);
            stage.runs(MIDDLE).unlock(MIDDLE, b);
        }
    }
}

#[test]
fn a_priority_moves_whoever_the_thread_hangs_on() {
    let mut system = threads(&[2, 5, 8, 9]);
    let [a, b] = mutexes(&mut system);
    let s = semaphore(&mut system, 0);
    let mut stage = Stage::new(&system);
    stage.sleep(3, 30).sleep(2, 20).lock(1, b).sleep(1, 10);
    stage.lock(0, a).lock(0, s);
    stage.advance(10).lock(1, a).advance(20).lock(2, b);
    stage.advance(30).set_priority(3, 2, 6);
    assert_eq!([0, 1, 2].map(|thread| stage.place(thread)), [6, 6, 6]);
    stage.set_priority(3, 2, 3);
    assert_eq!([0, 1, 2].map(|thread| stage.place(thread)), [5, 5, 3]);
    stage.set_priority(3, 1, 7);
    assert_eq!([0, 1, 2].map(|thread| stage.place(thread)), [7, 7, 3]);
}

#[test]
fn an_owner_waits_as_urgently_as_whoever_hangs_on_it() {
    // two wait for a semaphore; the less urgent one owns what an urgent one wants
    let mut system = threads(&[2, 5, 8]);
    let a = mutex(&mut system);
    let s = semaphore(&mut system, 0);
    let mut stage = Stage::new(&system);
    stage.sleep(2, 10).lock(1, s).lock(0, a).lock(0, s);
    assert_eq!(stage.waiters(s), [1, 0]);
    stage.advance(10).lock(2, a).idles();
    assert_eq!(stage.waiters(s), [0, 1]);
}

#[test]
fn four_are_parked_and_then_interrupts_are_looked_at() {
    let mut system = threads(&[2, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40]);
    let a = mutex(&mut system);
    let mut stage = Stage::new(&system);
    let all = 1..=9;
    stage.sleep(10, 100);
    for thread in all.clone().rev() {
        stage.sleep(thread, 10 + thread);
    }
    stage.lock(0, a);
    for thread in all {
        stage.advance(10 + thread as u64).lock(thread, a);
    }
    // all are in the queue, and the owner runs for them
    stage.runs(0).advance(95);
    stage.rig.set_piece_time(10);
    stage.sleep(0, 1000).runs(10);
    assert_eq!(stage.parked_on(0), [9, 8, 7, 6]);
    stage.rig.set_piece_time(0);
    stage.sleep(10, 2000).idles();
    assert_eq!(stage.parked_on(0), [9, 8, 7, 6, 5, 4, 3, 2, 1]);
}

#[test]
fn four_come_back_with_an_owner_and_stand_for_all() {
    let mut system = threads(&[2, 11, 12, 13, 14, 15, 16, 17, 18, 19, 10]);
    let a = mutex(&mut system);
    let mut stage = Stage::new(&system);
    for thread in (1..=10).rev().skip(1) {
        stage.sleep(thread, 10);
    }
    stage.sleep(10, 200);
    stage.lock(0, a).sleep(0, 200).advance(10);
    for thread in (1..=9).rev() {
        stage.lock(thread, a);
    }
    stage.idles();
    assert_eq!(stage.parked_on(0).len(), 9);
    stage.advance(200).runs(0);
    assert_eq!(stage.parked_on(0), [5, 4, 3, 2, 1]);
    // as long as one of them hangs on it it is more urgent than the other
    assert_eq!(stage.place(0), 15);
    stage.unlock(0, a);
    for thread in (1..=9).rev() {
        stage.runs(thread).returned(thread, DONE).unlock(thread, a);
        stage.sleep(thread, 5000);
    }
    stage.runs(10);
    assert_eq!(stage.place(0), 2);
}

#[test]
fn no_lock_closes_a_circle() {
    let mut system = threads(&[3, 4, 5]);
    let [a, b, c] = mutexes(&mut system);
    let mut stage = Stage::new(&system);
    stage.lock(2, c).lock(2, c).refused(2, Error::EDEADLK);
    stage.sleep(2, 10).lock(1, b).sleep(1, 10).lock(0, a);
    stage.advance(10).lock(2, b).runs(1).lock(1, a).runs(0);
    stage.lock(0, c).refused(0, Error::EDEADLK);
    stage
        .call(0, Call::Lock, &[c, 1, 0])
        .refused(0, Error::EBUSY);
    stage.lock_until(0, c, 100).refused(0, Error::EDEADLK);
    stage.unlock(0, a).unlock(1, a).unlock(1, b).runs(2);
    assert_eq!(stage.owner(b), Some(2));
}

#[test]
fn a_chain_is_no_longer_than_the_system_allows() {
    let priorities: [u8; 8] = std::array::from_fn(|thread| 10 + thread as u8);
    let mut system = threads(&priorities);
    system.depth = 4;
    let all: [usize; 8] = mutexes(&mut system);
    let mut stage = Stage::new(&system);
    for thread in (0..8).rev() {
        stage.lock(thread, all[thread]).sleep(thread, 10);
    }
    stage.advance(10).sleep(7, 100);
    // 5 -> 4 -> 3 -> 2 -> 1, each in the place of those behind it
    stage
        .sleep(6, 50)
        .lock(5, all[4])
        .lock(4, all[3])
        .lock(3, all[2]);
    stage.lock(2, all[1]).runs(1);
    stage.lock(1, all[0]).refused(1, Error::EDEADLK);
    stage.advance(50).lock(6, all[5]).refused(6, Error::EDEADLK);
    stage.lock(6, all[4]).runs(1);
    stage
        .advance(100)
        .lock(7, all[6])
        .refused(7, Error::EDEADLK);
}

#[test]
fn a_signal_that_would_close_a_circle_refuses_the_mutex() {
    let mut system = threads(&[3, 4, 5]);
    let [a, b] = mutexes(&mut system);
    let c = condition(&mut system);
    let mut stage = Stage::new(&system);
    stage.lock(2, a).lock(2, b).wait(2, c, a);
    stage.lock(1, a).lock(1, b).runs(0);
    assert_eq!(stage.parked_on(2), [1]);
    stage.signal(0, c).runs(2).refused(2, Error::EDEADLK);
    assert_eq!(stage.owner(a), Some(1));
    stage
        .unlock(2, b)
        .runs(2)
        .sleep(2, 10)
        .runs(1)
        .returned(1, DONE);
}

#[test]
fn what_a_thread_tells_closes_no_circle() {
    let mut system = threads(&[3, 4, 5]);
    let [a, b] = mutexes(&mut system);
    let s = semaphore(&mut system, 0);
    let mut stage = Stage::new(&system);
    stage.lock(2, b).tell(2, a, 1).lock(2, s);
    stage.lock(1, a).lock(1, b).runs(0);
    // it wakes without the mutex, which it has to lock itself
    stage.unlock(0, s).runs(2).returned(2, DONE);
    assert_eq!(stage.told(2), !(a as u32));
    stage.lock(2, a).refused(2, Error::EDEADLK);
}

#[test]
fn a_request_and_a_mutex_close_no_circle() {
    let mut system = threads(&[3, 4]);
    let a = mutex(&mut system);
    let mailbox = object(&mut system, ObjectKind::Mailbox);
    system.objects[mailbox].rights[0].received = true;
    let mut stage = Stage::new(&system);
    let [low, high] = EVER;
    stage.lock(1, a).sleep(1, 10);
    stage.call(0, Call::Receive, &[mailbox, 1, low, high]);
    stage.advance(10).call(1, Call::Call, &[mailbox, 1]).runs(0);
    stage.lock(0, a).refused(0, Error::EDEADLK);
}
