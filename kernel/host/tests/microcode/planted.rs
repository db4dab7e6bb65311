//! That the invariants of the E and S machine are looked at: faults that are planted are
//! found.

use giornata_core::Trigger;
use giornata_core::sched::thread::state;
use giornata_host::Rig;

use crate::support::{MS, World};

/// A program whose block waits for its next round, with a ring of two tasks.
const RING: &str =
    "task t\ntask u\nstart a\na: release t, 9ms\nrelease u, 9ms\nfuture after(20ms), a\nreturn";
/// One whose S code dispatches its task.
const S_CODE: &str =
    "task t\ntask u\nstart a\na: release t, 9ms\nfork s\nreturn\ns: dispatch t\nreturn";

#[track_caller]
fn finds(source: &str, broken: &str, plant: impl FnOnce(&Rig)) {
    let mut world = World::new(&[source]);
    world.takes("t", &[5.0]);
    world.begin();
    world.run_until(2 * MS);
    let rig = world.rig();
    assert_eq!(rig.kernel().check_invariants(), Ok(()));
    plant(rig);
    assert_eq!(rig.kernel().check_invariants(), Err(broken));
}

/// The trigger whose alarm is set.
fn armed(rig: &Rig) -> &'static Trigger {
    let triggers = rig.kernel().micro.programs[0].triggers;
    triggers
        .iter()
        .find(|trigger| trigger.is_armed())
        .expect("one waits for its time")
}

#[test]
fn a_trigger_that_says_to_be_due_and_is_not_is_found() {
    let broken = "the mode of a trigger says in which list it stands";
    finds(RING, broken, |rig| {
        let mode = giornata_core::micro::mode::DUE | giornata_core::micro::mode::ARMED;
        rig.plant(armed(rig), "mode", mode as usize);
    });
}

#[test]
fn a_trigger_that_has_forgotten_its_alarm_is_found() {
    let broken = "the mode of a trigger says whether its alarm is set";
    finds(RING, broken, |rig| rig.plant(armed(rig), "mode", 0));
}

#[test]
fn a_trigger_in_two_lists_is_found() {
    finds(RING, "a trigger stands in one list", |rig| {
        let trigger = rig.address(armed(rig));
        for list in ["due", "later"] {
            rig.plant(&rig.kernel().micro, list, trigger);
        }
    });
}

#[test]
fn a_ring_that_a_task_has_left_is_found() {
    let broken = "the tasks of a group are a ring, in the order of their numbers";
    finds(RING, broken, |rig| {
        let task = rig.kernel().micro.programs[0].groups[0].first;
        task.thread
            .state
            .set(task.thread.state.get() & !state::IN_RING);
    });
}

#[test]
fn a_group_that_counts_its_jobs_wrong_is_found() {
    let broken = "a group that is apart knows how many of its tasks have a job";
    finds(S_CODE, broken, |rig| {
        let groups = rig.kernel().micro.programs[0].groups;
        rig.plant(&groups[0], "left", 7);
    });
}
