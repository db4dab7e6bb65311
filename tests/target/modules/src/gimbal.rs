//! A camera on a gimbal: the tilt of the world is a sequence of numbers, and
//! the motor is what the port trace says.

use giornata_rt::{driver, task};

/// Sensor: the next tilt.
#[driver]
pub(crate) fn read_tilt(tilt: &mut f32, #[state(u32::default)] looks: &mut u32) {
    *looks = looks.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
    *tilt = (*looks >> 24) as f32 - 128.0;
}

/// Actuator: nothing to turn.
#[driver]
pub(crate) fn turn_motor(_motor: &f32) {}

/// Initial command.
#[driver]
pub(crate) fn level(command: &mut f32) {
    *command = 0.0;
}

/// Input of the controller with soft gains.
#[driver]
pub(crate) fn soft_input(tilt: &f32, t: &mut f32, gain: &mut f32) {
    (*t, *gain) = (*tilt, 0.125);
}

/// Input of the controller with firm gains.
#[driver]
pub(crate) fn firm_input(tilt: &f32, t: &mut f32, gain: &mut f32) {
    (*t, *gain) = (*tilt, 0.5);
}

/// A first-order controller.
#[task]
pub(crate) fn hold_level(t: &f32, gain: &f32, command: &mut f32) {
    *command -= *gain * (*command + *t);
}
