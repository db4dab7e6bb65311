//! A pump that keeps the level of a tank: the controller, a task, and the drivers of
//! sensor and valve. `pump.giotto` says when each runs.

#![no_std]

mod tank;

use giornata_rt::{driver, log, process, task};

/// The level to keep, mm.
const WANTED: i32 = 1000;
/// By how many permille the valve opens for each mm that is missing.
const GAIN: i32 = 4;

/// Jobs from one line of the log to the next.
const LINE: u32 = 10;

/// From the level, mm, to the opening of the valve, permille; a line of the log each
/// second.
#[task]
pub fn control_level(level: &i32, opening: &mut i32, #[state(u32::default)] jobs: &mut u32) {
    *opening = ((WANTED - *level) * GAIN).clamp(0, 1000);
    if jobs.is_multiple_of(LINE) {
        log!("level {level} mm, valve {opening} permille");
    }
    *jobs = jobs.wrapping_add(1);
}

/// Sensor: the level of the tank, mm.
#[driver]
pub fn read_level(level: &mut i32) {
    *level = tank::level();
}

/// Actuator: the valve, permille open.
#[driver]
pub fn move_valve(opening: &i32) {
    tank::set_valve(*opening);
}

/// The valve before the first decision.
#[driver]
pub fn shut(opening: &mut i32) {
    *opening = 0;
}

process! {
    tasks: [control_level],
    drivers: [read_level, move_valve, shut],
}

#[cfg(test)]
mod tests {
    use super::*;

    fn opening_at(level: i32) -> i32 {
        let mut opening = -1;
        control_level(&level, &mut opening, &mut 0);
        opening
    }

    #[test]
    fn the_valve_opens_the_further_the_more_is_missing() {
        assert_eq!(opening_at(0), 1000);
        assert_eq!(opening_at(900), 400);
        assert_eq!(opening_at(WANTED), 0);
        assert_eq!(opening_at(WANTED + 300), 0);
    }

    #[test]
    fn the_tank_fills_to_where_pump_and_drain_are_even_and_never_overflows() {
        let (mut level, mut opening) = (0, 0);
        for _ in 0..300 {
            move_valve(&opening);
            read_level(&mut level);
            assert!(level < WANTED);
            control_level(&level, &mut opening, &mut 0);
        }
        assert!((900..WANTED).contains(&level), "{level}");
    }
}
