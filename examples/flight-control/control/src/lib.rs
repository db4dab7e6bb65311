//! The pilot in the machine: navigation at 100 Hz, control at 50 Hz, and the
//! drivers that tell control which phase of flight it is in.

#![no_std]

pub mod fusion;
pub mod guidance;
pub mod law;
pub mod selftest;

use flight_control_airframe::port::{
    CRUISE, Command, Estimate, Gps, HOVER, Imu, LAND, Load, Servos,
};
use fusion::Fusion;
use giornata_rt::{driver, process, task};
use law::Law;

/// Sensors to an estimate of where the helicopter is.
#[task]
pub fn navigation(
    imu: &Imu,
    gps: &Gps,
    baro: &f32,
    estimate: &mut Estimate,
    #[state(Fusion::new)] fusion: &mut Fusion,
) {
    *estimate = fusion.update(imu, gps, *baro);
}

/// The estimate and the command to servo positions. A job that tests leaves
/// the servos and everything it remembers as they were.
#[task]
pub fn control(
    estimate: &Estimate,
    command: &Command,
    load: &Load,
    phase: &u32,
    servos: &mut Servos,
    flown: &mut u32,
    #[state(Law::new)] law: &mut Law,
) {
    if load.test != 0 {
        selftest::run(load.work);
    } else {
        law.update(estimate, command, *phase);
    }
    *servos = law.servos();
    *flown = law.phase();
}

/// Inputs of control: what is known, and the phase of flight it is for.
macro_rules! inputs {
    ($($(#[$doc:meta])* $name:ident = $phase:expr;)*) => {$(
        $(#[$doc])*
        #[driver]
        pub fn $name(
            estimate: &Estimate,
            command: &Command,
            load: &Load,
            to_estimate: &mut Estimate,
            to_command: &mut Command,
            to_load: &mut Load,
            to_phase: &mut u32,
        ) {
            (*to_estimate, *to_command, *to_load) = (*estimate, *command, *load);
            *to_phase = $phase;
        }
    )*};
}

inputs! {
    /// Inputs of control while hovering.
    hover_input = HOVER;
    /// Inputs of control in cruise.
    cruise_input = CRUISE;
    /// Inputs of control while landing.
    land_input = LAND;
}

/// Guard: the pilot wants to stay at a place.
#[driver]
pub fn wants_hover(command: &Command) -> bool {
    command.phase == HOVER
}

/// Guard: the pilot wants to fly ahead.
#[driver]
pub fn wants_cruise(command: &Command) -> bool {
    command.phase == CRUISE
}

/// Guard: the pilot wants to come down.
#[driver]
pub fn wants_land(command: &Command) -> bool {
    command.phase == LAND
}

/// Initial value of the estimate.
#[driver]
pub fn unknown_estimate(estimate: &mut Estimate) {
    *estimate = Estimate::default();
}

/// Initial value of the servos.
#[driver]
pub fn neutral_servos(servos: &mut Servos) {
    *servos = Servos::NEUTRAL;
}

/// Initial value of the phase flown.
#[driver]
pub fn first_phase(phase: &mut u32) {
    *phase = HOVER;
}

process! {
    tasks: [navigation, control],
    drivers: [
        hover_input, cruise_input, land_input,
        wants_hover, wants_cruise, wants_land,
        unknown_estimate, neutral_servos, first_phase,
    ],
}
