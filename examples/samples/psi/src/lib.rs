//! A mine: the jobs of two tasks.

#![no_std]

use giornata_rt::{log, process, task, thread::Control};

/// Milliseconds of the window of the job that runs.
fn window() -> u64 {
    let page = Control::of_caller();
    page.map_or(0, |page| {
        page.deadline().since(page.release()).0 / 1_000_000
    })
}

/// Job of `water`: some more of it, and less by what was pumped since the last.
#[task]
pub fn rise(before: &u32, known: &u32, pumped: &u32, level: &mut u32, drained: &mut u32) {
    *level = (before + 1).saturating_sub(pumped - known);
    *drained = *pumped;
}

/// Job of `pump`: how high the water stands, and how many strokes that takes.
#[task]
pub fn look(level: &u32, high: &mut bool, strokes: &mut u8) {
    *high = *level > 2;
    *strokes = level.saturating_sub(2) as u8;
    log!("look: {level} m, in {} ms", window());
}

/// Job of `pump`.
#[task]
pub fn stroke(before: &u32, pumped: &mut u32) {
    *pumped = before + 1;
    log!("stroke {pumped}, in {} ms", window());
}

/// Job of `pump`.
#[task]
pub fn rest() {
    log!("rest, in {} ms", window());
}

process! {
    tasks: [rise, look, stroke, rest],
    drivers: [],
}
