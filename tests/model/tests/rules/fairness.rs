//! To whom a mutex goes that is given back (section 2).

use super::stage::*;
use giornata_abi::Error::{EBUSY, ETIMEDOUT};
use giornata_test_model::Request;

#[test]
fn a_mutex_goes_to_the_most_urgent_who_wants_it_and_not_to_who_asked_first() {
    let mut system = threads(&[9, 6, 3]);
    let m = system.mutex();
    let mut stage = Stage::new(&system);
    stage.sleep(0, 2).sleep(1, 1).lock(2, m);
    stage.pass(1).lock(1, m).pass(2).lock(0, m).runs(2);
    stage.unlock(2, m).runs(0);
    assert_eq!(stage.model.owner(m), Some(0));
}

#[test]
fn among_equals_who_asked_first_gets_it_even_if_another_has_its_turn_before() {
    let mut system = threads(&[5, 5, 5]);
    let m = system.mutex();
    let mut stage = Stage::new(&system);
    stage.lock(0, m).call(0, Request::Yield).lock(1, m);
    // 0 runs in the place of 1; 2 asks, then 1 is moved behind it
    stage.runs(0).call(0, Request::Yield).runs(2).lock(2, m);
    stage.runs(0).unlock(0, m).runs(1);
    assert_eq!(stage.model.owner(m), Some(1));
}

#[test]
fn who_unlocks_does_not_retake_it_before_an_equal_that_asked_earlier() {
    let mut system = threads(&[5, 5]);
    let m = system.mutex();
    let mut stage = Stage::new(&system);
    stage.lock(0, m).call(0, Request::Yield).lock(1, m).runs(0);
    // 1 stands first in the queue: 0 runs in its place; a yield puts 1 behind 0
    stage.call(0, Request::Yield).runs(0);
    stage.unlock(0, m).runs(0).lock(0, m).runs(1);
    assert_eq!(stage.model.owner(m), Some(1));
}

#[test]
fn who_unlocks_may_retake_it_before_a_less_urgent_waiter() {
    let mut system = threads(&[9, 5]);
    let m = system.mutex();
    let mut stage = Stage::new(&system);
    stage.lock(0, m).sleep(0, 1).lock(1, m).idles();
    stage.pass(1).unlock(0, m).runs(0).lock(0, m).runs(0);
    assert_eq!(stage.last(0), Some(DONE));
    assert_eq!(stage.model.owner(m), Some(0));
    stage.unlock(0, m).sleep(0, 9).runs(1);
    assert_eq!(stage.last(1), Some(DONE));
}

#[test]
fn a_mutex_free_but_wanted_is_busy_for_an_equal_that_does_not_wait() {
    let mut system = threads(&[5, 5]);
    let m = system.mutex();
    let mut stage = Stage::new(&system);
    stage.lock(0, m).call(0, Request::Yield).lock(1, m).runs(0);
    stage.call(0, Request::Yield).runs(0).unlock(0, m);
    stage.lock_until(0, m, 0).runs(0);
    assert_eq!(stage.error(0), Some(EBUSY));
}

#[test]
fn a_timer_that_meets_a_mutex_free_but_not_yet_taken_gives_it() {
    let mut system = threads(&[9, 5, 3]);
    let m = system.mutex();
    let mut stage = Stage::new(&system);
    stage.lock(0, m).sleep(0, 1).lock_until(1, m, 10).runs(2);
    stage.pass(1).unlock(0, m).runs(0);
    // 1 has not had its turn when its time comes
    stage.pass(10).runs(0).sleep(0, 20).runs(1);
    assert_eq!(stage.last(1), Some(DONE));
    assert_eq!(stage.model.owner(m), Some(1));
}

#[test]
fn a_timer_gives_a_free_mutex_to_the_most_urgent_and_not_to_whose_time_has_come() {
    let mut system = threads(&[9, 6, 5, 3]);
    let m = system.mutex();
    let mut stage = Stage::new(&system);
    stage
        .lock(0, m)
        .sleep(0, 1)
        .lock(1, m)
        .lock_until(2, m, 10)
        .runs(3);
    stage
        .pass(1)
        .unlock(0, m)
        .pass(10)
        .runs(0)
        .sleep(0, 20)
        .runs(1);
    stage.sleep(1, 20).runs(2);
    assert_eq!(stage.error(2), Some(ETIMEDOUT));
}
