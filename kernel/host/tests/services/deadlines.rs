//! Deadlines that passed long ago stay before those to come.

use giornata_abi::call::Call;
use giornata_core::thread::role;

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
