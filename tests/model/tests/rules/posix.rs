//! Rules 10 and 11: ceilings, changes of priority, yields.

use super::stage::*;
use giornata_abi::Error::EINVAL;
use giornata_test_model::Request;
use giornata_test_model::model::Event;
use giornata_test_model::system::Kind;
use giornata_test_model::system::Scheduling::RoundRobin;

#[test]
fn an_owner_is_queued_at_its_ceiling_and_comes_to_the_head_when_it_leaves_it() {
    let mut system = threads(&[5, 5, 7]);
    let m = system.ceiling_mutex(7);
    let mut stage = Stage::new(&system);
    stage.sleep(2, 1).lock(0, m);
    stage.pass(1).runs(0);
    stage.unlock(0, m).runs(2).sleep(2, 9);
    stage.runs(0).sleep(0, 9).runs(1);
}

#[test]
fn nested_ceilings_fall_to_the_next_lower() {
    let mut system = threads(&[2, 7]);
    let [low, high] = [system.ceiling_mutex(6), system.ceiling_mutex(8)];
    let mut stage = Stage::new(&system);
    stage.sleep(1, 1).lock(0, low).lock(0, high).pass(1).runs(0);
    stage.unlock(0, high).runs(1).sleep(1, 2).runs(0);
    assert_eq!(stage.model.place(0).unwrap().priority, 6);
    stage.unlock(0, low);
    assert_eq!(stage.model.place(0).unwrap().priority, 2);
}

#[test]
fn a_ceiling_below_the_caller_is_refused_whether_the_mutex_is_free_or_not() {
    let mut system = threads(&[7, 3]);
    let m = system.ceiling_mutex(6);
    let mut stage = Stage::new(&system);
    stage.lock(0, m);
    assert_eq!(stage.error(0), Some(EINVAL));
    stage.sleep(0, 1).lock(1, m).pass(1).lock(0, m);
    assert_eq!(stage.error(0), Some(EINVAL));
}

#[test]
fn a_raised_thread_comes_behind_its_equals_and_a_lowered_one_before_them() {
    let mut system = threads(&[9, 6, 6, 5]);
    let _ = system.mutex();
    let mut stage = Stage::new(&system);
    stage.set_priority(0, 3, 6).sleep(0, 1).runs(1);
    stage
        .pass(1)
        .runs(0)
        .set_priority(0, 3, 5)
        .set_priority(0, 2, 5);
    stage
        .sleep(0, 2)
        .runs(1)
        .sleep(1, 9)
        .runs(2)
        .sleep(2, 9)
        .runs(3);
}

#[test]
fn an_owner_of_a_mutex_is_not_moved_to_the_tail_by_a_change_of_priority() {
    let mut system = threads(&[9, 6, 5]);
    let m = system.mutex();
    let mut stage = Stage::new(&system);
    stage.sleep(0, 1).sleep(1, 1).lock(2, m).pass(1);
    stage.set_priority(0, 2, 6).sleep(0, 2).runs(2);
    // nor by one that changes nothing
    stage.pass(2).set_priority(0, 2, 6).sleep(0, 3).runs(2);
    stage
        .unlock(2, m)
        .pass(3)
        .set_priority(0, 2, 6)
        .sleep(0, 9)
        .runs(1);
}

#[test]
fn a_granted_waiter_keeps_its_place() {
    let mut system = threads(&[9, 5, 5, 4]);
    let m = system.mutex();
    let mut stage = Stage::new(&system);
    // 1 asks before 2 is ready again, and is granted while 2 waits for its turn
    stage.sleep(0, 2).sleep(1, 1).sleep(2, 3).lock(3, m);
    stage.pass(1).lock(1, m).runs(3).pass(2).runs(0);
    stage.pass(3).sleep(0, 9).runs(3).unlock(3, m).runs(1);
    stage.sleep(1, 9).runs(2);
}

#[test]
fn a_yield_on_the_place_of_a_donor_rotates_the_donor() {
    let mut system = threads(&[7, 7, 3]);
    let m = system.mutex();
    let mut stage = Stage::new(&system);
    stage.sleep(0, 1).sleep(1, 1).lock(2, m);
    stage
        .pass(1)
        .lock(0, m)
        .runs(2)
        .call(2, Request::Yield)
        .runs(1);
    stage.sleep(1, 9).runs(2);
}

#[test]
fn the_quantum_of_who_runs_does_not_rotate_a_donor() {
    let mut system = threads(&[7, 7]);
    let low = system.thread(RoundRobin(3, 10));
    let other = system.thread(RoundRobin(3, 10));
    let m = system.mutex();
    let mut stage = Stage::new(&system);
    stage.sleep(0, 1).sleep(1, 20).lock(low, m);
    stage.pass(1).lock(0, m).runs(low);
    // ten ticks later it runs on, in the place of 0; 1 comes behind that
    stage.pass(30).runs(low).unlock(low, m).runs(0);
    stage.sleep(0, 90).runs(1).sleep(1, 90).runs(low);
    let left = stage.model.quantum(low);
    stage.pass(30 + left).runs(other).pass(40 + left).runs(low);
}

#[test]
fn a_published_ceiling_puts_a_switch_off_and_is_honoured_before_the_thread_is_left() {
    let system = threads(&[9, 7, 3]);
    let mut stage = Stage::new(&system);
    stage.sleep(0, 2).sleep(1, 1);
    stage.event(Event::Publish(7), 0);
    stage.pass(1).runs(2);
    assert!(stage.model.put_off(2));
    // above the ceiling it is left all the same, and waits there
    stage.pass(2).runs(0).sleep(0, 9).runs(2);
    stage.event(Event::Publish(0), 3);
    stage.call(2, Request::Yield).runs(1);
}

#[test]
fn a_published_ceiling_is_read_whoever_lends_the_place() {
    let mut system = threads(&[9, 7, 3]);
    let m = system.mutex();
    let mut stage = Stage::new(&system);
    stage.sleep(0, 2).sleep(1, 1).lock(2, m);
    stage.pass(1).lock(1, m).runs(2);
    // 2 runs in the place of 1; it is left for 0, and moved before
    stage.event(Event::Publish(8), 1);
    stage.pass(2).runs(0);
    assert_eq!(stage.model.place(2).unwrap().priority, 8);
    stage.sleep(0, 9).runs(2);
}

#[test]
fn a_published_ceiling_above_what_is_granted_is_clamped() {
    let mut system = processes(&[9, 3]);
    system.processes[1].max_priority = 8;
    let mut stage = Stage::new(&system);
    stage.sleep(0, 1);
    stage.event(Event::Publish(200), 0);
    stage.pass(1).runs(0);
    assert_eq!(stage.model.place(1).unwrap().priority, 8);
}

#[test]
fn a_published_ceiling_is_heeded_after_the_first_four_that_hang_on_an_owner() {
    let mut system = threads(&[9, 3, 5, 5, 5, 5, 5, 5]);
    let (low, owner) = (0, 1);
    let m = system.mutex();
    let c = system.object(Kind::Condition);
    let mut stage = Stage::new(&system);
    stage.sleep(low, 10);
    for waiter in 2..8 {
        stage.lock(waiter, m).wait(waiter, c, m);
    }
    stage.lock(owner, m).sleep(owner, 100).pass(10);
    let condition = stage.id(c);
    stage.call(low, Request::Broadcast { condition });
    stage.event(Event::Publish(6), 10);
    // it is below them by itself, and left before the hart looks at its lines
    stage.set_priority(low, low, 4).runs(low);
    let hang = |thread: &usize| stage.model.parked(*thread).is_some();
    let hanging: Vec<usize> = (2..8).filter(hang).collect();
    assert_eq!(hanging, [2, 3, 4, 5]);
}
