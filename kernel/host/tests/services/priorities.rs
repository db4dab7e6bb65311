//! Priorities that threads give each other.

use giornata_abi::Error;
use giornata_abi::call::Call;
use giornata_core::sched::thread::role;

use crate::stage::*;

#[test]
fn whoever_rises_or_stays_comes_behind_its_equals_and_who_falls_before_them() {
    let mut stage = Stage::new(&threads(&[5, 5, 5, 7, 3]));
    // 3 falls to the head
    stage.set_priority(3, 3, 5).runs(3).yields(3);
    // 0, 1, 2, 3
    stage.runs(0).set_priority(0, 0, 5).runs(1);
    // 1, 2, 3, 0; one that rises
    stage.set_priority(1, 4, 5).runs(1);
    for thread in [1, 2, 3, 0, 4] {
        stage.runs(thread).yields(thread);
    }
    stage.set_priority(1, 2, 6).runs(2).returned(2, DONE);
}

#[test]
fn the_owner_of_a_mutex_is_never_moved_behind_its_equals() {
    let mut system = threads(&[5, 5, 5]);
    let a = mutex(&mut system);
    let mut stage = Stage::new(&system);
    stage.lock(0, a).set_priority(0, 0, 5).runs(0);
    stage.set_priority(0, 0, 4).runs(1);
    stage.set_priority(1, 0, 5).runs(0);
}

#[test]
fn a_place_in_which_nobody_lives_has_no_priority() {
    let mut system = processes(&[&[5], &[4]]);
    thread(&mut system, 1, 3, role::SPARE);
    let mut stage = Stage::new(&system);
    // empty, stale, out of range, of another process, and another's empty one
    for (slot, serial, error) in [
        (2, 0, Error::ESRCH),
        (2, 1, Error::ESRCH),
        (0, 2, Error::ESRCH),
        (99, 1, Error::ESRCH),
        (usize::MAX, 1, Error::ESRCH),
        (1, 1, Error::EPERM),
    ] {
        stage.call(0, Call::SetPriority, &[slot, serial, 4]);
        stage.refused(0, error);
    }
    stage.exit(0).set_priority(1, 0, 4).refused(1, Error::ESRCH);
}

#[test]
fn no_priority_is_above_what_a_process_is_granted_or_in_the_deadline_band() {
    let mut system = threads(&[5]);
    system.processes[0].max_priority = 210;
    let mut stage = Stage::new(&system);
    for (priority, error) in [
        (211, Error::EPERM),
        (256, Error::EPERM),
        (200, Error::EPERM),
        (usize::MAX, Error::EPERM),
    ] {
        stage.set_priority(0, 0, priority).refused(0, error);
    }
    for priority in [210, 199, 0] {
        stage.set_priority(0, 0, priority).returned(0, DONE);
        assert_eq!(stage.place(0), priority as u32);
    }
}

#[test]
fn a_thread_that_waits_waits_at_its_new_priority() {
    let mut system = threads(&[2, 5, 6]);
    let s = semaphore(&mut system, 0);
    let mut stage = Stage::new(&system);
    stage.lock(2, s).lock(1, s);
    assert_eq!(stage.waiters(s), [2, 1]);
    stage.set_priority(0, 1, 7);
    assert_eq!(stage.waiters(s), [1, 2]);
    // among equals by who came first
    stage.set_priority(0, 1, 6);
    assert_eq!(stage.waiters(s), [2, 1]);
    stage.unlock(0, s).runs(2);
}
