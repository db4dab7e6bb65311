//! The flight plan: what the pilot does when, and when control tests itself.
//! It begins again every 20 s.
//!
//! ```text
//!  0 s    hover at 10 m
//!  3 s    cruise at 5 m/s, turning half left, sinking to 5 m
//!  5.5 s  hover at 3 m
//!  7 s    land
//! 12 s    take off, hover at 8 m
//! ```

use flight_control_airframe::port::{CRUISE, Command, HOVER, LAND, Load};

/// Steps of a flight.
const FLIGHT: u32 = 2000;

/// The plan: from which step on, what.
const PLAN: [(u32, Command); 5] = [
    (0, wish(HOVER, 10.0, 0.0, 0.0)),
    (300, wish(CRUISE, 5.0, 5.0, 0.5)),
    (550, wish(HOVER, 3.0, 0.0, 0.5)),
    (700, wish(LAND, 0.0, 0.0, 0.5)),
    (1200, wish(HOVER, 8.0, 0.0, 0.0)),
];

const fn wish(phase: u32, altitude: f32, speed: f32, heading: f32) -> Command {
    Command {
        phase,
        altitude,
        speed,
        heading,
    }
}

/// What the pilot wants at a step.
pub fn command(step: u32) -> Command {
    let step = step % FLIGHT;
    let due = PLAN.iter().rev().find(|(from, _)| *from <= step);
    due.map_or(PLAN[0].1, |(_, command)| *command)
}

/// Steps of one job of control.
const JOB: u32 = 2;
/// Jobs from one test to the next. A test takes the last two of them.
const CYCLE: u32 = 37;
/// Thousands of words that a test walks through when nothing is wrong.
const WORK: u32 = 20;
/// Tests that are spared after an overrun.
pub const SPARED: u32 = 2;

/// The built-in test that is due in the job that begins at this step. The
/// first job of a pair does the work: the usual one, or `trouble` if that is
/// more and this test is not before `spared`. The second gives the servos as
/// much rest again.
pub fn load(step: u32, trouble: u32, spared: u32) -> Load {
    let (test, job) = (step / JOB / CYCLE, step / JOB % CYCLE);
    let work = if trouble > WORK && test >= spared {
        trouble
    } else {
        WORK
    };
    match CYCLE - job {
        2 => Load { test: 1, work },
        1 => Load { test: 1, work: 0 },
        _ => Load::default(),
    }
}

/// The number of the first test that begins after this step.
pub fn next_test(step: u32) -> u32 {
    let (cycle, job) = (step / JOB / CYCLE, step / JOB % CYCLE);
    if job < CYCLE - 2 { cycle } else { cycle + 1 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pilot_follows_the_plan_and_begins_again() {
        for (step, phase) in [
            (0, HOVER),
            (299, HOVER),
            (300, CRUISE),
            (550, HOVER),
            (700, LAND),
        ] {
            assert_eq!(command(step).phase, phase, "{step}");
            assert_eq!(command(step + FLIGHT).phase, phase, "{step}");
        }
    }

    #[test]
    fn two_jobs_of_every_cycle_test_and_the_first_works() {
        let tests: [u32; 4] = core::array::from_fn(|i| load(68 + 2 * i as u32, 0, 0).test);
        assert_eq!(tests, [0, 1, 1, 0]);
        assert_eq!((load(70, 0, 0).work, load(72, 0, 0).work), (WORK, 0));
    }

    #[test]
    fn trouble_makes_tests_long_unless_they_are_spared() {
        assert_eq!(load(70, 900, 0).work, 900);
        assert_eq!(load(70, 900, 1).work, WORK);
        assert_eq!(load(72, 900, 0).work, 0);
        // an overrun during test 0 spares tests 1 and 2
        let spared = next_test(72) + SPARED;
        let works = [1, 2, 3].map(|test| load(74 * test + 70, 900, spared).work);
        assert_eq!(works, [WORK, WORK, 900]);
    }
}
