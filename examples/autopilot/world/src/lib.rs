//! The world around the autopilot: the aircraft in its air, what its sensors measure, and the
//! pilot's stick.

#![no_std]

pub mod flyer;
pub mod sensor;
pub mod stick;

use autopilot_aircraft::port::{Body, Fix, Flyer, Imu, Report, Rotors, Stick};
use giornata_rt::{DriverCell, driver, process, task};

/// Moves the aircraft for a period with its rotors as they are told, and measures.
#[task]
pub fn fly(
    rotors: &Rotors,
    before: &Flyer,
    imu: &mut Imu,
    fix: &mut Fix,
    height: &mut i32,
    report: &mut Report,
    flyer: &mut Flyer,
) {
    *flyer = flyer::moved(before, rotors);
    let body = &flyer.body;
    *imu = sensor::imu(body);
    *fix = sensor::fix(body, before.fix);
    *height = sensor::height(body);
    *report = Report {
        position: body.position,
        step: body.step,
    };
    flyer.fix = *fix;
}

/// Initial value of the world.
#[driver]
pub fn parked(flyer: &mut Flyer) {
    *flyer = flyer::PARKED;
}

/// Initial value of what the inertial unit measures.
#[driver]
pub fn at_rest(imu: &mut Imu) {
    *imu = sensor::imu(&Body::START);
}

/// How often the stick was read.
static READS: DriverCell<u32> = DriverCell::new(|| 0);

/// Sensor: the pilot's stick.
#[driver]
pub fn read_stick(stick: &mut Stick) {
    let read = READS.with(|reads| core::mem::replace(reads, reads.wrapping_add(1)));
    *stick = stick::at(read);
}

process! {
    tasks: [fly],
    drivers: [parked, at_rest, read_stick],
}
