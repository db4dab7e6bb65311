//! Semaphores.

use giornata_abi::Error;

use crate::stage::*;

#[test]
fn one_that_is_given_wakes_the_most_urgent_and_among_equals_who_came_first() {
    let mut system = threads(&[2, 5, 5, 7]);
    let s = semaphore(&mut system, 0);
    let mut stage = Stage::new(&system);
    stage.sleep(3, 30).sleep(1, 20).sleep(2, 10).sleep(0, 40);
    stage.advance(10).lock(2, s).advance(20).lock(1, s);
    stage.advance(30).lock(3, s).advance(40);
    assert_eq!(stage.waiters(s), [3, 2, 1]);
    for thread in [3, 2, 1] {
        stage.unlock(0, s).runs(thread).returned(thread, DONE);
        stage.sleep(thread, 100).runs(0).returned(0, DONE);
    }
}

#[test]
fn its_count_is_taken_and_given_without_a_wait() {
    let mut system = threads(&[5]);
    let s = semaphore(&mut system, 2);
    system.objects[s].most = 3;
    let mut stage = Stage::new(&system);
    stage
        .lock(0, s)
        .returned(0, DONE)
        .lock(0, s)
        .returned(0, DONE);
    stage.lock_until(0, s, 0).refused(0, Error::EBUSY);
    for _ in 0..3 {
        stage.unlock(0, s).returned(0, DONE);
    }
    stage.unlock(0, s).refused(0, Error::EOVERFLOW);
    assert_eq!(stage.rig.object(s).count(), 3);
}

#[test]
fn who_waits_until_an_instant_gives_up_then() {
    let mut system = threads(&[5, 6]);
    let s = semaphore(&mut system, 0);
    let mut stage = Stage::new(&system);
    stage.lock_until(1, s, 10).runs(0);
    stage.advance(10).runs(1).refused(1, Error::ETIMEDOUT);
    stage
        .lock_until(1, s, 10)
        .interrupted()
        .runs(1)
        .refused(1, Error::ETIMEDOUT);
    stage
        .lock_until(1, s, 20)
        .unlock(0, s)
        .runs(1)
        .returned(1, DONE);
    stage.advance(30).runs(1).waits(1);
    assert_eq!(stage.rig.object(s).count(), 0);
}

#[test]
fn whoever_is_woken_comes_behind_its_equals() {
    let mut system = threads(&[5, 5, 5]);
    let s = semaphore(&mut system, 0);
    let mut stage = Stage::new(&system);
    stage.lock(0, s).unlock(1, s).runs(1).yields(1).runs(2);
    stage.yields(2).runs(0).returned(0, DONE);
}
