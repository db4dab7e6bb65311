//! Programs that come, change and go while a helicopter flies: a gimbal's
//! controller, and two feeders that bring modules to the real hostlink server
//! at fixed instants, sound ones and harmed ones.

#![cfg(target_os = "none")]
#![no_std]

mod client;
mod feeder;
mod gimbal;
/// What the builder says of the system.
#[allow(
    dead_code,
    unreachable_pub,
    clippy::type_complexity,
    reason = "written by the builder"
)]
mod identifiers {
    include!(concat!(env!("OUT_DIR"), "/identifiers.rs"));
}

use giornata_rt::process;

use feeder::{feed, finish, harm};

process! {
    tasks: [gimbal::hold_level],
    drivers: [
        gimbal::read_tilt,
        gimbal::turn_motor,
        gimbal::level,
        gimbal::soft_input,
        gimbal::firm_input,
    ],
    threads: [feed, harm, finish],
}
