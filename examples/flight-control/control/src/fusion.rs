//! Sensor fusion: a fixed-gain filter around the inertial unit.
//!
//! A rotor's thrust lies along the body's own axis, so that an accelerometer
//! aboard feels nothing of a tilt. What shows the tilt is velocity: thrust that
//! is believed upright but is not makes the velocity drift away from what the
//! satellites see. The difference corrects velocity, attitude and the bias of
//! the gyroscopes together.

use flight_control_airframe::GRAVITY;
use flight_control_airframe::attitude::{self, LEVEL, Quaternion};
use flight_control_airframe::port::{Estimate, Gps, Imu};
use flight_control_airframe::vector::{Vector, difference, scaled, sum};

/// Seconds between two updates.
const PERIOD: f32 = 0.01;

/// Share of a velocity difference that is taken over at a fix.
const VELOCITY_GAIN: f32 = 0.30;
/// Turn of the attitude for each m/s of velocity difference at a fix, rad.
const TILT_GAIN: f32 = 0.018;
/// Change of the gyroscopes' bias for each rad of such a turn, 1/s.
const BIAS_GAIN: f32 = 0.06;
/// Share of a position difference that is taken over at a fix.
const POSITION_GAIN: f32 = 0.20;
/// Shares of a barometric difference that are taken over at each update:
/// altitude, vertical speed.
const BARO_GAINS: [f32; 2] = [0.02, 0.02];
/// Share of a heading difference that is taken over at each update.
const HEADING_GAIN: f32 = 0.02;

/// What navigation remembers.
#[derive(Clone, Debug)]
pub struct Fusion {
    position: Vector,
    velocity: Vector,
    attitude: Quaternion,
    bias: Vector,
    fix: u32,
    /// The first update takes position and heading as they come.
    begun: bool,
}

impl Fusion {
    /// Level, at rest, nowhere.
    pub fn new() -> Fusion {
        let zero = [0.0; 3];
        Fusion {
            position: zero,
            velocity: zero,
            attitude: LEVEL,
            bias: zero,
            fix: 0,
            begun: false,
        }
    }

    /// One period on, with these measurements taken at its beginning.
    pub fn update(&mut self, imu: &Imu, gps: &Gps, baro: f32) -> Estimate {
        if !self.begun {
            self.begin(imu, gps, baro);
        }
        let rates = difference(imu.rates, self.bias);
        self.predict(rates, imu.force);
        if gps.fix != self.fix {
            self.correct(gps);
        }
        self.level_altitude(baro);
        self.align_heading(imu.heading);
        let angles = attitude::angles(self.attitude);
        Estimate {
            position: self.position,
            velocity: self.velocity,
            angles,
            rates,
        }
    }

    fn begin(&mut self, imu: &Imu, gps: &Gps, baro: f32) {
        self.position = [gps.position[0], gps.position[1], baro];
        self.velocity = gps.velocity;
        self.attitude = attitude::from_angles([0.0, 0.0, imu.heading]);
        self.fix = gps.fix;
        self.begun = true;
    }

    /// Dead reckoning.
    fn predict(&mut self, rates: Vector, force: Vector) {
        self.attitude = attitude::turned(self.attitude, scaled(rates, PERIOD));
        let felt = attitude::to_ground(self.attitude, force);
        let acceleration = [felt[0], felt[1], felt[2] - GRAVITY];
        self.position = sum(self.position, scaled(self.velocity, PERIOD));
        self.velocity = sum(self.velocity, scaled(acceleration, PERIOD));
    }

    /// A fix of the satellites: position, velocity, tilt and bias.
    fn correct(&mut self, gps: &Gps) {
        self.fix = gps.fix;
        let drift = difference(gps.velocity, self.velocity);
        self.velocity = sum(self.velocity, scaled(drift, VELOCITY_GAIN));
        let off = difference(gps.position, self.position);
        self.position[0] += POSITION_GAIN * off[0];
        self.position[1] += POSITION_GAIN * off[1];
        // Too slow forward: thrust leans less forward than believed.
        let turn = scaled([-drift[1], drift[0], 0.0], TILT_GAIN);
        let turn = attitude::to_body(self.attitude, turn);
        self.attitude = attitude::turned(self.attitude, turn);
        self.bias = difference(self.bias, scaled(turn, BIAS_GAIN));
    }

    /// The barometer's share in altitude and vertical speed.
    fn level_altitude(&mut self, baro: f32) {
        let off = baro - self.position[2];
        self.position[2] += BARO_GAINS[0] * off;
        self.velocity[2] += BARO_GAINS[1] * off;
    }

    /// The compass's share in yaw, and in the bias of the yaw rate.
    fn align_heading(&mut self, heading: f32) {
        let yaw = attitude::angles(self.attitude)[2];
        let off = HEADING_GAIN * attitude::wrapped(heading - yaw);
        let turn = attitude::to_body(self.attitude, [0.0, 0.0, off]);
        self.attitude = attitude::turned(self.attitude, turn);
        self.bias[2] -= BIAS_GAIN * off;
    }
}

impl Default for Fusion {
    fn default() -> Fusion {
        Fusion::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Feeds a helicopter at rest whose gyroscopes lie, with a tilt that the
    /// filter does not know.
    fn at_rest(bias: Vector, lean: f32, updates: u32) -> Fusion {
        let mut fusion = Fusion::new();
        let truth = attitude::from_angles([lean, 0.0, 0.0]);
        let force = attitude::to_body(truth, [0.0, 0.0, GRAVITY]);
        let imu = Imu {
            rates: bias,
            force,
            heading: 0.0,
        };
        for update in 0..updates {
            let gps = Gps {
                fix: update / 10,
                ..Gps::default()
            };
            fusion.update(&imu, &gps, 5.0);
        }
        fusion
    }

    #[test]
    fn a_tilt_nobody_told_is_found_from_the_drift_of_velocity() {
        let found = attitude::angles(at_rest([0.0; 3], 0.1, 2000).attitude);
        assert!((found[0] - 0.1).abs() < 0.005, "{found:?}");
    }

    #[test]
    fn the_bias_of_the_gyroscopes_is_learnt() {
        let bias = [0.02, -0.01, 0.015];
        let fusion = at_rest(bias, 0.0, 6000);
        for (learnt, true_one) in fusion.bias.iter().zip(bias) {
            assert!((learnt - true_one).abs() < 0.003, "{:?}", fusion.bias);
        }
    }

    #[test]
    fn altitude_settles_at_the_barometer() {
        let fusion = at_rest([0.0; 3], 0.0, 1000);
        assert!((fusion.position[2] - 5.0).abs() < 0.01);
        assert!(fusion.velocity[2].abs() < 0.01);
    }
}
