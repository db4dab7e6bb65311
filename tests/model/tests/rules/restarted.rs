//! Rule 6: calls that begin again.

use super::stage::*;
use giornata_abi::Error::ETIMEDOUT;
use giornata_test_model::Request;
use giornata_test_model::model::Event;
use giornata_test_model::request::NEVER;
use giornata_test_model::system::Kind;

#[test]
fn a_call_behind_an_instant_that_is_due_is_put_back_if_that_wakes_somebody_more_urgent() {
    let mut system = threads(&[9, 5]);
    let m = system.mutex();
    let mut stage = Stage::new(&system);
    stage.sleep(0, 3);
    let object = stage.id(m);
    let lock = Request::Lock {
        object,
        until: NEVER,
    };
    stage.event(Event::Call(lock), 4);
    stage.runs(0).lock(0, m);
    assert_eq!(stage.model.owner(m), Some(0), "the late instant went first");
    stage.unlock(0, m).sleep(0, 9).runs(1);
    assert_eq!(stage.model.owner(m), Some(1));
    assert_eq!(stage.last(1), Some(DONE));
}

#[test]
fn the_timeout_of_a_call_that_begins_again_is_the_same_instant() {
    let mut system = threads(&[9, 5]);
    let m = system.mutex();
    let mut stage = Stage::new(&system);
    stage.lock(0, m).sleep(0, 3);
    let object = stage.id(m);
    let lock = Request::Lock { object, until: 20 };
    stage.event(Event::Call(lock), 4);
    stage.pass(8).runs(0).sleep(0, 30).idles().pass(20).runs(1);
    assert_eq!(stage.error(1), Some(ETIMEDOUT));
}

/// Four threads wait for the condition, then 4 broadcasts, and an interrupt that 5 waits
/// for is found after so many of them.
fn broadcast(found_after: usize) -> Stage {
    let mut system = threads(&[5, 5, 5, 5, 8, 9]);
    let condition = system.object(Kind::Condition);
    let mutex = system.mutex();
    assert_eq!((condition, mutex), (CONDITION, MUTEX));
    let line = system.line();
    let mut stage = Stage::new(&system);
    stage.call(5, Request::AwaitInterrupt { line }).sleep(4, 1);
    for waiter in 0..4 {
        stage.lock(waiter, MUTEX).wait(waiter, CONDITION, MUTEX);
    }
    let condition = stage.id(CONDITION);
    let request = Request::Broadcast { condition };
    stage.pass(1);
    stage.event(Event::CallInterrupted(request, found_after, line), 1);
    stage.runs(5);
    assert_eq!(stage.model.waiters(CONDITION).len(), 4 - found_after);
    stage
}

const CONDITION: usize = 0;
const MUTEX: usize = 1;

#[test]
fn a_broadcast_goes_on_after_an_interrupt_and_stops_at_the_serial_at_which_it_began() {
    let mut stage = broadcast(2);
    // who handles the interrupt waits for the condition itself: it is not woken
    stage.lock(5, MUTEX).wait(5, CONDITION, MUTEX).runs(4);
    assert_eq!(stage.model.waiters(CONDITION), [5]);
    assert_eq!(stage.last(4), Some(DONE));
}

#[test]
fn a_broadcast_whose_condition_is_deleted_on_the_way_ends_in_success() {
    let mut stage = broadcast(1);
    let object = stage.id(CONDITION);
    stage.call(5, Request::DeleteObject { object }).sleep(5, 9);
    stage.runs(4);
    assert_eq!(stage.last(4), Some(DONE));
}

#[test]
fn a_condition_never_answers_etimedout_once_it_was_signalled() {
    let mut system = threads(&[9, 5]);
    let m = system.mutex();
    let condition = system.object(Kind::Condition);
    let mut stage = Stage::new(&system);
    stage.lock(0, m).wait_until(0, condition, m, 10);
    stage.lock(1, m).signal(1, condition).runs(1);
    stage.pass(50).runs(1).unlock(1, m).runs(0);
    assert_eq!(stage.last(0), Some(DONE));
}
