//! Tasks.

use bench_marks::{ENDED, SECOND, STARTED, mark};
use giornata_rt::task;

/// A task that does nothing.
#[task]
pub(crate) fn first() {
    mark::<STARTED>();
    mark::<ENDED>();
}

/// Another.
#[task]
pub(crate) fn second() {
    mark::<SECOND>();
}

/// A task that is at work most of its period.
#[task]
pub(crate) fn plod() {
    for round in 0..LONG {
        core::hint::black_box(round);
    }
}

/// Rounds of a loop of some seven cycles: half the task's period; with
/// what preempts it less than all of it.
const LONG: u32 = 8000;
