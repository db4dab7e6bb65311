//! The loads of the suite `thread-metric`, those that are in Rust. A load is a loop; a mark
//! at the head of the loop ends one operation and begins the next, so all that the loop
//! does is measured.

#![no_std]

mod alone;
mod count;
mod interrupts;
mod switches;

use alone::lone;
use bench_marks::mark;
use giornata_rt::{Error, process, shutdown};
use interrupts::{handle_and_count, handle_and_post, handle_and_resume};
use interrupts::{interrupted, preempted, resumed};
use switches::{equal_0, equal_1, equal_2, equal_3, equal_4};
use switches::{first, fourth, lowest, second, third};

/// How often each operation is done. Every other one is a sample at least, of which the
/// first few do not count, and a hundred are needed.
const ROUNDS: u32 = 240;

/// A load: an operation, again and again, with a mark in front of each and behind the last.
#[inline(always)]
fn repeat<const MARK: u16>(mut operation: impl FnMut() -> Result<(), Error>) -> Result<(), Error> {
    for _ in 0..ROUNDS {
        mark::<MARK>();
        operation()?;
    }
    mark::<MARK>();
    Ok(())
}

/// Ends the run: well if every call returned what it should, and the counts are right.
fn end(is_well: bool) {
    // Never refused: every system grants it.
    let _ = shutdown(!is_well as u8);
}

process! {
    threads: [
        lone,
        equal_0, equal_1, equal_2, equal_3, equal_4,
        lowest, first, second, third, fourth,
        interrupted, handle_and_post,
        preempted, handle_and_resume, resumed, handle_and_count,
    ],
}
