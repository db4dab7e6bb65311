//! Deadlines that passed long ago stay before those to come.

use giornata_abi::Error;
use giornata_abi::call::Call;
use giornata_abi::posix::{CALL, Operation, policy};
use giornata_core::sched::thread::role;

use crate::stage::{DONE, Stage, semaphore, threads};

/// 2^30 ticks.
const QUARTER: u64 = 1 << 30;

fn sleep(stage: &mut Stage, thread: usize, until: u64) {
    let until = [until as usize & 0xFFFF_FFFF, (until >> 32) as usize];
    stage.call(thread, Call::Sleep, &until);
}

/// Who runs when a thread has waited so long, whose deadline was 1000 ticks after boot,
/// and another has just begun to run, whose deadline is 1000 ticks ahead.
fn first_after(ticks: u64) -> usize {
    let mut all = threads(&[200, 200, 240]);
    for late in 0..2 {
        all.threads[late].role |= role::DEADLINE;
        all.threads[late].deadline = 1_000;
    }
    let held = semaphore(&mut all, 0);
    let mut stage = Stage::new(&all);
    sleep(&mut stage, 2, ticks + 1);
    stage.lock(0, held);
    sleep(&mut stage, 1, ticks);
    stage.idles().advance(ticks + 1).returned(2, DONE);
    stage.unlock(2, held).returned(2, DONE);
    sleep(&mut stage, 2, 1 << 50);
    stage.rig.running()
}

#[test]
fn a_deadline_that_passed_however_long_ago_precedes_one_to_come() {
    for quarters in [1, 2, 3, 4, 5, 7, 9, 30] {
        assert_eq!(first_after(quarters * QUARTER), 0, "{quarters} quarters");
    }
}

#[test]
fn deadlines_that_both_passed_long_ago_keep_their_order() {
    let mut all = threads(&[200, 200, 240]);
    for (late, deadline) in [(0, 2_000), (1, 1_000)] {
        // (of equal deadlines that of the first thread would come first)
        all.threads[late].role |= role::DEADLINE;
        all.threads[late].deadline = deadline;
    }
    let mut stage = Stage::new(&all);
    sleep(&mut stage, 2, 9 * QUARTER);
    stage.runs(1).advance(9 * QUARTER);
    sleep(&mut stage, 2, 1 << 50);
    sleep(&mut stage, 1, 1 << 50);
    stage.runs(0);
}

/// A thread gets deadlines of its own, so many ticks after the end of a sleep.
fn set_deadline(stage: &mut Stage, thread: usize, ticks: usize) -> usize {
    let (operation, how) = (Operation::SetPolicy as usize, policy::DEADLINE);
    let how = how | 100 << policy::HIGH | 100 << policy::LOW;
    let results = stage
        .rig
        .call_number(CALL, [operation, thread, 1, how, 0, ticks]);
    stage.rig.check_invariants();
    results.map_or(0, |[answer, ..]| answer)
}

#[test]
fn threads_that_were_given_deadlines_run_in_their_order() {
    let mut stage = Stage::new(&threads(&[250, 100, 100]));
    assert_eq!(set_deadline(&mut stage, 1, 500), DONE);
    assert_eq!(set_deadline(&mut stage, 2, 300), DONE);
    sleep(&mut stage, 0, 50);
    stage.runs(2);
    // a job ends: the deadline is that of the next, when it begins
    sleep(&mut stage, 2, 100);
    stage.runs(1).advance(50).runs(0);
    sleep(&mut stage, 0, 150);
    stage.runs(1).advance(100).runs(2);
    sleep(&mut stage, 2, 250);
    stage.runs(1).advance(150).runs(0);
    sleep(&mut stage, 0, 240);
    // 500 precedes 550
    stage.runs(1).advance(240).runs(0);
    sleep(&mut stage, 0, 1_000);
    stage.runs(1).advance(250).runs(1);
    sleep(&mut stage, 1, 2_000);
    stage.runs(2);
}

#[test]
fn a_deadline_can_be_changed_and_taken_back_while_the_thread_is_ready() {
    let mut stage = Stage::new(&threads(&[250, 100, 100]));
    for (first, second, runs) in [(500, 300, 2), (200, 300, 1), (200, 100, 2)] {
        assert_eq!(set_deadline(&mut stage, 1, first), DONE);
        assert_eq!(set_deadline(&mut stage, 2, second), DONE);
        let until = stage.rig.now() + 10;
        sleep(&mut stage, 0, until);
        stage.runs(runs).advance(until).runs(0);
    }
    assert_eq!(set_deadline(&mut stage, 1, 0), Error::EINVAL as usize);
    assert_eq!(set_deadline(&mut stage, 1, 1 << 31), Error::EINVAL as usize);
    let how = policy::FIFO | 120 << policy::HIGH | 120 << policy::LOW;
    let arguments = [Operation::SetPolicy as usize, 2, 1, how, 0, 0];
    stage.rig.call_number(CALL, arguments);
    stage.rig.check_invariants();
    sleep(&mut stage, 0, 1_000);
    stage.runs(1);
    sleep(&mut stage, 1, 1_000);
    stage.runs(2);
    assert_eq!(stage.place(2), 120);
}
