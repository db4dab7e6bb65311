//! The autopilot: four tasks that follow one another within 5 ms, from sensors to rotors. What
//! they remember lies in ports, so that each is a function of its arguments.

#![no_std]

pub mod actuation;
pub mod guidance;
pub mod navigation;
pub mod stabilisation;

use autopilot_aircraft::port::{Course, Demand, Estimate, Filter, Fix, Imu, Rotors, Stick, Wish};
use autopilot_aircraft::vector::Vector;
use giornata_rt::{driver, process, task};

/// Sensors to an estimate of where the aircraft is.
#[task]
pub fn navigate(
    imu: &Imu,
    fix: &Fix,
    height: &i32,
    before: &Estimate,
    known: &Filter,
    estimate: &mut Estimate,
    filter: &mut Filter,
) {
    (*estimate, *filter) = navigation::updated(*before, *known, imu, fix, *height);
}

/// The estimate, the pilot's command and how far the mission is to the velocity to fly.
#[task]
pub fn guide(
    estimate: &Estimate,
    command: &Stick,
    before: &Course,
    wish: &mut Wish,
    course: &mut Course,
) {
    (*wish, *course) = guidance::wish(estimate, command, *before);
}

/// The velocity to fly to thrust and turns.
#[task]
pub fn stabilise(
    estimate: &Estimate,
    wish: &Wish,
    before: &Vector,
    demand: &mut Demand,
    trim: &mut Vector,
) {
    (*demand, *trim) = stabilisation::demand(estimate, wish, *before);
}

/// Thrust and turns to what each rotor is told.
#[task]
pub fn mix(demand: &Demand, rotors: &mut Rotors) {
    *rotors = actuation::mixed(demand);
}

/// Initial value of the estimate.
#[driver]
pub fn at_home(estimate: &mut Estimate) {
    *estimate = Estimate::START;
}

process! {
    tasks: [navigate, guide, stabilise, mix],
    drivers: [at_home],
}
