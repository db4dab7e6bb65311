//! A heart: two tasks, of which each mode of the program has one.

#![no_std]

use giornata_rt::{driver, log, process, task};

/// Task of mode `slow`.
#[task]
pub fn beat_slowly(before: &u32, beats: &mut u32) {
    *beats = before + 1;
    log!("slow {beats}");
}

/// Task of mode `fast`.
#[task]
pub fn beat_fast(before: &u32, beats: &mut u32) {
    *beats = before + 1;
    log!("fast {beats}");
}

/// Guard of both switches.
#[driver]
pub fn three_beats(beats: &u32) -> bool {
    *beats == 3
}

/// The count at the beginning, and as a mode is entered.
#[driver]
pub fn begin(beats: &mut u32) {
    *beats = 0;
}

process! {
    tasks: [beat_slowly, beat_fast],
    drivers: [three_beats, begin],
}
