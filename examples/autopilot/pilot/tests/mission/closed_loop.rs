//! The program as a loop: what its windows read and write, in their order.

use autopilot_aircraft::port::{
    Body, Course, Demand, Estimate, Filter, Fix, Flyer, Imu, Report, Rotors, Stick, Wish,
};
use autopilot_cockpit as cockpit;
use autopilot_pilot as pilot;
use autopilot_world as world;

/// Periods of the manual input.
const STICK: u32 = 10;

/// What was so at the end of a period of 5 ms.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Moment {
    /// The truth, as the sensors of this period measured it.
    pub body: Body,
    /// What navigation believes.
    pub estimate: Estimate,
    /// How far the mission is.
    pub course: Course,
    /// What the rotors are told.
    pub rotors: Rotors,
}

/// Flies for so many periods.
pub(crate) fn fly(periods: u32) -> Vec<Moment> {
    // A memory of its own is what a process has after its start.
    giornata_rt::host::Memory::new().run(|| {
        let mut flight = Flight::new();
        (0..periods).map(|period| flight.period(period)).collect()
    })
}

/// The variables of the program.
struct Flight {
    estimate: Estimate,
    filter: Filter,
    course: Course,
    wish: Wish,
    trim: [i32; 3],
    demand: Demand,
    rotors: Rotors,
    stick: Stick,
    command: Stick,
    imu: Imu,
    fix: Fix,
    height: i32,
    flyer: Flyer,
}

impl Flight {
    fn new() -> Flight {
        let (mut estimate, mut flyer) = (Estimate::START, world::flyer::PARKED);
        let mut imu = Imu::default();
        pilot::at_home(&mut estimate);
        world::parked(&mut flyer);
        world::at_rest(&mut imu);
        Flight {
            estimate,
            filter: Filter::default(),
            course: Course::default(),
            wish: Wish::default(),
            trim: [0; 3],
            demand: Demand::default(),
            rotors: Rotors::default(),
            stick: Stick::default(),
            command: Stick::default(),
            imu,
            fix: Fix::default(),
            height: 0,
            flyer,
        }
    }

    fn period(&mut self, period: u32) -> Moment {
        if period.is_multiple_of(STICK) {
            let held = self.stick;
            cockpit::take(&held, &mut self.command);
            world::read_stick(&mut self.stick);
        }
        let (told, body) = (self.rotors, self.flyer.body);
        self.autopilot();
        self.world(&told);
        Moment {
            body,
            estimate: self.estimate,
            course: self.course,
            rotors: self.rotors,
        }
    }

    /// The four tasks of a period, each after the one before.
    fn autopilot(&mut self) {
        let (estimate, filter) = (self.estimate, self.filter);
        pilot::navigate(
            &self.imu,
            &self.fix,
            &self.height,
            &estimate,
            &filter,
            &mut self.estimate,
            &mut self.filter,
        );
        let course = self.course;
        pilot::guide(
            &self.estimate,
            &self.command,
            &course,
            &mut self.wish,
            &mut self.course,
        );
        let trim = self.trim;
        pilot::stabilise(
            &self.estimate,
            &self.wish,
            &trim,
            &mut self.demand,
            &mut self.trim,
        );
        pilot::mix(&self.demand, &mut self.rotors);
    }

    /// The world of the same period, which knows what rotors were told at its beginning.
    fn world(&mut self, told: &Rotors) {
        let before = self.flyer;
        world::fly(
            told,
            &before,
            &mut self.imu,
            &mut self.fix,
            &mut self.height,
            &mut Report::default(),
            &mut self.flyer,
        );
    }
}
