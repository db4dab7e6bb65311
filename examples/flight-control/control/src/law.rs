//! The control law: cascaded loops from velocity to servo positions.
//!
//! ```text
//! guidance -> velocity -> acceleration -> tilt -> rate -> cyclic
//!                  \-> vertical acceleration ----------> collective
//! ```

use flight_control_airframe::attitude::wrapped;
use flight_control_airframe::port::{Command, Estimate, Servos};
use flight_control_airframe::{GRAVITY, HOVER_COLLECTIVE};

use crate::guidance::{Guidance, Wish};

/// Seconds between two updates.
const PERIOD: f32 = 0.02;

/// Acceleration for each m/s that is missing, 1/s, and for each m that has been.
const SPEED_GAINS: [f32; 2] = [1.2, 0.35];
/// The same, upwards.
const LIFT_GAINS: [f32; 2] = [2.6, 0.9];
/// Cyclic for each rad of missing tilt, and for each rad/s of rate.
const TILT_GAINS: [f32; 2] = [1.45, 0.26];
/// Tail for each rad of missing heading, and for each rad/s of rate.
const YAW_GAINS: [f32; 2] = [1.0, 0.35];
/// Most tilt asked for, rad.
const TILT_LIMIT: f32 = 0.36;
/// Error up to which an integral grows, m/s: beyond it the helicopter is on its
/// way, which is no disturbance to learn.
const INTEGRAL_BAND: f32 = 0.8;
/// Most that an integral adds, m/s².
const INTEGRAL_LIMIT: f32 = 1.5;
/// How fast collective is taken away on the ground, 1/s.
const RELEASE: f32 = 0.8;

/// A proportional and integral controller of one velocity.
#[derive(Clone, Copy, Debug, Default)]
struct Velocity {
    integral: f32,
}

impl Velocity {
    /// The acceleration that mends `error`, m/s.
    fn update(&mut self, error: f32, [proportional, integral]: [f32; 2]) -> f32 {
        if error.abs() < INTEGRAL_BAND {
            let sum = self.integral + integral * error * PERIOD;
            self.integral = sum.clamp(-INTEGRAL_LIMIT, INTEGRAL_LIMIT);
        }
        proportional * error + self.integral
    }
}

/// What control remembers.
#[derive(Clone, Debug)]
pub struct Law {
    guidance: Guidance,
    loops: [Velocity; 3],
    servos: Servos,
}

impl Law {
    /// Nothing to mend yet.
    pub fn new() -> Law {
        Law {
            guidance: Guidance::default(),
            loops: [Velocity::default(); 3],
            servos: Servos::NEUTRAL,
        }
    }

    /// Servo positions as of the last update.
    pub fn servos(&self) -> Servos {
        self.servos
    }

    /// The phase flown at the last update.
    pub fn phase(&self) -> u32 {
        self.guidance.phase()
    }

    /// One period on.
    pub fn update(&mut self, estimate: &Estimate, command: &Command, phase: u32) {
        let wish = self.guidance.wish(estimate, command, phase);
        if wish.stand {
            self.stand();
            return;
        }
        let acceleration = self.accelerate(estimate, &wish);
        let cyclic = tilt(estimate, acceleration);
        let yaw = YAW_GAINS[0] * wrapped(wish.heading - estimate.angles[2])
            - YAW_GAINS[1] * estimate.rates[2];
        self.servos = Servos {
            collective: lift(estimate, acceleration[2]),
            cyclic: [cyclic[0], cyclic[1], yaw.clamp(-1.0, 1.0)],
        };
    }

    /// The acceleration to fly, ground axes.
    fn accelerate(&mut self, estimate: &Estimate, wish: &Wish) -> [f32; 3] {
        let mut acceleration = [0.0; 3];
        let gains = [SPEED_GAINS, SPEED_GAINS, LIFT_GAINS];
        for (axis, controller) in self.loops.iter_mut().enumerate() {
            let error = wish.velocity[axis] - estimate.velocity[axis];
            acceleration[axis] = controller.update(error, gains[axis]);
        }
        acceleration
    }

    /// Lets the rotor go slack.
    fn stand(&mut self) {
        let collective = self.servos.collective - RELEASE * PERIOD;
        self.servos = Servos {
            collective: collective.clamp(0.0, 1.0),
            cyclic: [0.0; 3],
        };
        self.loops = [Velocity::default(); 3];
    }
}

impl Default for Law {
    fn default() -> Law {
        Law::new()
    }
}

/// Cyclic that leans thrust into the acceleration.
fn tilt(estimate: &Estimate, [north, west, _]: [f32; 3]) -> [f32; 2] {
    let [roll, pitch, yaw] = estimate.angles;
    let (sin, cos) = (libm::sinf(yaw), libm::cosf(yaw));
    let (forward, left) = (cos * north + sin * west, cos * west - sin * north);
    let wanted = [-left / GRAVITY, forward / GRAVITY];
    let now = [(roll, estimate.rates[0]), (pitch, estimate.rates[1])];
    let mut cyclic = [0.0; 2];
    for (axis, (angle, rate)) in now.into_iter().enumerate() {
        let missing = wanted[axis].clamp(-TILT_LIMIT, TILT_LIMIT) - angle;
        cyclic[axis] = (TILT_GAINS[0] * missing - TILT_GAINS[1] * rate).clamp(-1.0, 1.0);
    }
    cyclic
}

/// Collective for an upward acceleration; more of it the more the rotor leans.
fn lift(estimate: &Estimate, up: f32) -> f32 {
    let [roll, pitch, _] = estimate.angles;
    let upright = (libm::cosf(roll) * libm::cosf(pitch)).clamp(0.5, 1.0);
    (HOVER_COLLECTIVE * (1.0 + up / GRAVITY) / upright).clamp(0.05, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use flight_control_airframe::port::{CRUISE, HOVER, LAND};

    fn once(estimate: Estimate, command: Command, phase: u32) -> Servos {
        let mut law = Law::new();
        law.update(&estimate, &command, phase);
        law.servos()
    }

    #[test]
    fn too_low_takes_more_collective() {
        let command = Command {
            altitude: 10.0,
            ..Command::default()
        };
        assert!(once(Estimate::default(), command, HOVER).collective > HOVER_COLLECTIVE);
    }

    #[test]
    fn cruise_lowers_the_nose() {
        let command = Command {
            speed: 5.0,
            phase: CRUISE,
            ..Command::default()
        };
        let servos = once(Estimate::default(), command, CRUISE);
        assert!(servos.cyclic[1] > 0.1 && servos.cyclic[0].abs() < 1e-6);
    }

    #[test]
    fn a_roll_is_countered() {
        let estimate = Estimate {
            angles: [0.2, 0.0, 0.0],
            ..Estimate::default()
        };
        assert!(once(estimate, Command::default(), HOVER).cyclic[0] < -0.1);
    }

    #[test]
    fn servos_never_leave_their_range() {
        let estimate = Estimate {
            velocity: [99.0, -99.0, -99.0],
            angles: [3.0, -1.5, 9.0],
            rates: [50.0; 3],
            ..Estimate::default()
        };
        let servos = once(estimate, Command::default(), HOVER);
        assert!((0.0..=1.0).contains(&servos.collective));
        assert!(servos.cyclic.iter().all(|c| (-1.0..=1.0).contains(c)));
    }

    #[test]
    fn standing_takes_the_collective_away() {
        let mut law = Law::new();
        for _ in 0..100 {
            law.update(&Estimate::default(), &Command::default(), LAND);
        }
        assert_eq!(law.servos().collective, 0.0);
    }
}
