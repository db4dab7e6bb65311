//! The edge of the controller: sensors, servos, the pilot's stick, and the
//! wire between them and the world.
//!
//! Everything here is a driver: it runs in logical zero time, in user mode,
//! under a budget, and may make no system call. What the drivers share is one
//! [`World`](world::World) in this process's memory.

#![no_std]

pub mod noise;
pub mod plan;
pub mod sensor;
pub mod world;

use flight_control_airframe::port::{Body, Command, Estimate, Gps, Imu, Load, Report, Servos};
use giornata_rt::{driver, process};
use world::with_world;

/// Sensor: the inertial unit.
#[driver]
pub fn read_imu(imu: &mut Imu) {
    *imu = with_world(|world| sensor::imu(&world.body));
}

/// Sensor: the satellite receiver.
#[driver]
pub fn read_gps(gps: &mut Gps) {
    let now = with_world(|world| sensor::gps(&world.body, &world.fix));
    with_world(|world| world.fix = now);
    *gps = now;
}

/// Sensor: barometric altitude, m.
#[driver]
pub fn read_baro(altitude: &mut f32) {
    *altitude = with_world(|world| sensor::baro(&world.body));
}

/// Sensor: the pilot's stick.
#[driver]
pub fn read_pilot(command: &mut Command) {
    *command = plan::command(with_world(|world| world.now()));
}

/// Sensor: how much of the built-in test is due.
#[driver]
pub fn read_load(load: &mut Load) {
    *load = with_world(|world| plan::load(world.now(), world.trouble, world.spared));
}

/// Sensor: the servos' positions as told, for the world.
#[driver]
pub fn read_servos(servos: &mut Servos) {
    *servos = with_world(|world| world.servos);
}

/// Sensor: what the ground station gets to see.
#[driver]
pub fn read_report(report: &mut Report) {
    *report = with_world(|world| world.report());
}

/// Actuator: the servos.
#[driver]
pub fn write_servo(servos: &Servos) {
    with_world(|world| world.servos = *servos);
}

/// Actuator: what navigation believes, for the ground station.
#[driver]
pub fn show_estimate(estimate: &Estimate) {
    with_world(|world| world.estimate = *estimate);
}

/// Actuator: the phase of flight in force, for the ground station.
#[driver]
pub fn show_phase(phase: &u32) {
    with_world(|world| world.phase = *phase);
}

/// Actuator of the world: the truth, from which the sensors measure.
#[driver]
pub fn feed_world(body: &Body) {
    with_world(|world| world.body = *body);
}

/// Actuator of the world: how much extra work it has in store.
#[driver]
pub fn set_trouble(work: &u32) {
    with_world(|world| world.trouble = *work);
}

/// Handler of an overrun, told which task and driver were involved: spares the
/// next tests the extra work if it was a task.
#[driver]
pub fn shed_load(task: &u16, _driver: &u16) {
    if *task == u16::MAX {
        return;
    }
    with_world(|world| world.spared = plan::next_test(world.body.step) + plan::SPARED);
}

process! {
    drivers: [
        read_imu, read_gps, read_baro, read_pilot, read_load, read_servos, read_report,
        write_servo, show_estimate, show_phase, feed_world, set_trouble, shed_load,
    ],
}
