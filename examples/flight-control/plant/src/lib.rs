//! The world: the body of the helicopter, the air it flies in, and what goes
//! wrong outside.

#![no_std]

pub mod gust;
pub mod helicopter;
pub mod trouble;

use flight_control_airframe::port::{Body, Servos};
use giornata_rt::{driver, process, task};
use helicopter::Helicopter;
use trouble::Trouble;

/// Moves the body for a hundredth of a second with the servos as they stand.
#[task]
pub fn move_body(
    servos: &Servos,
    body: &mut Body,
    #[state(Helicopter::new)] helicopter: &mut Helicopter,
) {
    *body = helicopter.step(servos);
}

/// Plans how much extra work control gets.
#[task]
pub fn plan_trouble(work: &mut u32, #[state(Trouble::default)] trouble: &mut Trouble) {
    *work = trouble.brew();
}

/// Initial value of the body.
#[driver]
pub fn body_at_start(body: &mut Body) {
    *body = Body::START;
}

/// Initial value of the extra work.
#[driver]
pub fn no_trouble(work: &mut u32) {
    *work = 0;
}

process! {
    tasks: [move_body, plan_trouble],
    drivers: [body_at_start, no_trouble],
}
