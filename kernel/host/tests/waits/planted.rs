//! That the Wait Invariant is looked at: faults that are planted in the records of a thread
//! that waits are found.

use giornata_core::sched::thread::state;

use crate::stage::{Action, OWN, Stage, WAITER, Wait};

/// What is broken when `plant` has been at a system in which a thread waits so.
#[track_caller]
fn finds(wait: Wait, broken: &str, plant: impl FnOnce(&Stage)) {
    let mut stage = Stage::new(wait, Action::Priority, Action::Signal);
    stage.begin();
    assert_eq!(stage.rig.kernel().check_invariants(), Ok(()));
    plant(&stage);
    assert_eq!(stage.rig.kernel().check_invariants(), Err(broken));
}

const KNOWN: &str = "a thread that waits is known to one thing that wakes it, a ready one to none";
const LISTED: &str = "who waits for an object is in its list";
const ARMED: &str = "the mark of a thread whose alarm is set is true";

#[test]
fn a_line_that_has_forgotten_who_awaits_it_is_found() {
    finds(Wait::Line, KNOWN, |stage| {
        stage
            .rig
            .plant(stage.rig.process(OWN).lines[0], "handler", 0);
    });
}

#[test]
fn a_line_that_remembers_who_waits_elsewhere_is_found() {
    finds(Wait::Semaphore, KNOWN, |stage| {
        let waiter = stage.rig.address(stage.rig.thread(WAITER));
        let line = stage.rig.process(OWN).lines[0];
        stage.rig.plant(line, "handler", waiter);
    });
}

#[test]
fn a_semaphore_whose_list_is_lost_is_found() {
    finds(Wait::Semaphore, LISTED, |stage| {
        stage.rig.plant(stage.rig.object(0), "waiters", 0);
    });
}

#[test]
fn a_sleeper_without_an_alarm_is_found() {
    finds(Wait::Sleep, "who sleeps has an alarm", |stage| {
        stage.rig.thread(WAITER).state.set(state::SLEEPS);
    });
}

#[test]
fn a_mark_of_an_alarm_that_is_not_set_is_found() {
    finds(Wait::Words, ARMED, |stage| {
        let waiter = stage.rig.thread(WAITER);
        waiter.state.set(waiter.state.get() | state::ARMED);
    });
}
