//! Keeps a tank at its level.

#![no_std]

use giornata_rt::{driver, process, task};

process! {
    tasks: [control],
    drivers: [read_level, closed, level_input, set_valve],
}

/// What the level is to be.
const WANTED: f32 = 2.0;

/// Sensor: the tank fills, and is emptied at the brim.
#[driver]
pub fn read_level(level: &mut f32, #[state(u32::default)] looks: &mut u32) {
    *looks = (*looks + 1) % 8;
    *level = *looks as f32 * 0.5;
}

/// The valve is closed at first.
#[driver]
pub fn closed(opening: &mut f32) {
    *opening = 0.0;
}

/// What the task gets.
#[driver]
pub fn level_input(level: &f32, now: &mut f32) {
    *now = *level;
}

/// Actuator: nothing to turn.
#[driver]
pub fn set_valve(_valve: &f32) {}

/// Opens the valve as far as the level lacks.
#[task]
pub fn control(level: &f32, opening: &mut f32) {
    let lack = WANTED - *level;
    *opening = clamped(lack);
}

/// An opening that there is.
#[inline(never)]
fn clamped(lack: f32) -> f32 {
    let share = lack / WANTED;
    share.clamp(0.0, 1.0)
}
