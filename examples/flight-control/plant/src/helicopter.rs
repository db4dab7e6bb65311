//! A rigid body under a rotor, in six degrees of freedom, integrated at 1 kHz.

use flight_control_airframe::GRAVITY;
use flight_control_airframe::HOVER_COLLECTIVE;
use flight_control_airframe::attitude;
use flight_control_airframe::port::{Body, STEP, Servos};
use flight_control_airframe::vector::{Vector, cross, difference, scaled, sum};

use crate::gust::Air;

/// Integration steps in one [`STEP`].
const SUBSTEPS: u32 = 10;
/// Seconds of one of them.
const DT: f32 = STEP / SUBSTEPS as f32;

/// Kilograms.
const MASS: f32 = 8.0;
/// Moments of inertia about body axes, kg m².
const INERTIA: Vector = [0.30, 0.45, 0.50];
/// Moment of full cyclic and tail, N m.
const AUTHORITY: Vector = [4.0, 5.5, 3.0];
/// Moment of the rotor against turning, N m s.
const DAMPING: Vector = [1.2, 1.8, 0.6];
/// Drag for each m/s of air along body axes, N s/m.
const DRAG: Vector = [0.9, 1.3, 2.0];
/// Seconds in which rotor and servos follow: collective, cyclic and tail.
const LAG: [f32; 4] = [0.08, 0.05, 0.05, 0.06];
/// The skids: N/m, N s/m, and N s/m along the ground.
const SKIDS: [f32; 3] = [4000.0, 400.0, 400.0];
/// Moment of the skids for each rad of tilt, N m, and rad/s of rate, N m s.
const FOOTING: [f32; 2] = [60.0, 8.0];

/// The body, its rotor and the air around it.
#[derive(Clone, Debug)]
pub struct Helicopter {
    body: Body,
    /// What the servos have reached: collective, cyclic, tail.
    reached: [f32; 4],
    air: Air,
}

impl Helicopter {
    /// At the beginning of a flight.
    pub fn new() -> Helicopter {
        let reached = [HOVER_COLLECTIVE, 0.0, 0.0, 0.0];
        Helicopter {
            body: Body::START,
            reached,
            air: Air::new(),
        }
    }

    /// One [`STEP`] on, with the servos told to go there.
    pub fn step(&mut self, servos: &Servos) -> Body {
        let wind = self.air.blow(self.body.step as f32 * STEP, STEP);
        let [right, forward, tail] = servos.cyclic;
        for _ in 0..SUBSTEPS {
            self.follow([servos.collective, right, forward, tail]);
            self.integrate(wind);
        }
        self.body.step = self.body.step.wrapping_add(1);
        self.body
    }

    /// Rotor and servos, each a first-order lag.
    fn follow(&mut self, told: [f32; 4]) {
        for (axis, reached) in self.reached.iter_mut().enumerate() {
            *reached += (told[axis] - *reached) * (DT / LAG[axis]);
        }
    }

    /// Semi-implicit Euler: velocities first, then what they move.
    fn integrate(&mut self, wind: Vector) {
        let (force, moment) = self.load(wind);
        let body = &mut self.body;
        let felt = attitude::to_ground(body.attitude, force);
        let acceleration = [felt[0], felt[1], felt[2] - GRAVITY];
        body.force = force;
        body.velocity = sum(body.velocity, scaled(acceleration, DT));
        body.position = sum(body.position, scaled(body.velocity, DT));
        let spin = gyroscopic(body.rates);
        for axis in 0..3 {
            body.rates[axis] += (moment[axis] - spin[axis]) / INERTIA[axis] * DT;
        }
        body.attitude = attitude::turned(body.attitude, scaled(body.rates, DT));
    }

    /// Specific force, m/s², and moment, N m, along body axes.
    fn load(&self, wind: Vector) -> (Vector, Vector) {
        let air = difference(self.body.velocity, wind);
        let air = attitude::to_body(self.body.attitude, air);
        let [collective, cyclic @ ..] = self.reached;
        let mut force = [0.0, 0.0, MASS * GRAVITY * collective / HOVER_COLLECTIVE];
        let mut moment = [0.0; 3];
        for axis in 0..3 {
            force[axis] -= DRAG[axis] * air[axis];
            moment[axis] = AUTHORITY[axis] * cyclic[axis] - DAMPING[axis] * self.body.rates[axis];
        }
        if self.body.position[2] < 0.0 {
            let (push, right) = self.ground();
            force = sum(force, attitude::to_body(self.body.attitude, push));
            moment = sum(moment, right);
        }
        (scaled(force, 1.0 / MASS), moment)
    }

    /// The ground's push, ground axes, and its righting moment, body axes.
    fn ground(&self) -> (Vector, Vector) {
        let [spring, damper, friction] = SKIDS;
        let body = &self.body;
        let up = -spring * body.position[2] - damper * body.velocity[2];
        // the ground pushes, it does not pull
        let up = if up > 0.0 { up } else { 0.0 };
        let push = [
            -friction * body.velocity[0],
            -friction * body.velocity[1],
            up,
        ];
        let lean = attitude::angles(body.attitude);
        let right = |axis: usize| -FOOTING[0] * lean[axis] - FOOTING[1] * body.rates[axis];
        (push, [right(0), right(1), -FOOTING[1] * body.rates[2]])
    }
}

impl Default for Helicopter {
    fn default() -> Helicopter {
        Helicopter::new()
    }
}

/// The moment that turning about two axes makes about the third.
fn gyroscopic(rates: Vector) -> Vector {
    let spin = [
        INERTIA[0] * rates[0],
        INERTIA[1] * rates[1],
        INERTIA[2] * rates[2],
    ];
    cross(rates, spin)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flown(servos: Servos, steps: u32) -> Body {
        let mut helicopter = Helicopter::new();
        helicopter.body.attitude = attitude::LEVEL;
        (0..steps).fold(Body::START, |_, _| helicopter.step(&servos))
    }

    #[test]
    fn thrust_equal_to_weight_stays_up_and_less_falls() {
        assert!((flown(Servos::NEUTRAL, 50).position[2] - 8.0).abs() < 1.0);
        let slack = Servos {
            collective: 0.0,
            ..Servos::NEUTRAL
        };
        assert!(flown(slack, 50).velocity[2] < -3.0);
    }

    #[test]
    fn forward_cyclic_drives_forward_and_right_cyclic_to_the_right() {
        let forward = Servos {
            cyclic: [0.0, 0.2, 0.0],
            ..Servos::NEUTRAL
        };
        assert!(flown(forward, 60).velocity[0] > 0.15);
        let right = Servos {
            cyclic: [0.2, 0.0, 0.0],
            ..Servos::NEUTRAL
        };
        assert!(flown(right, 60).velocity[1] < -0.15);
    }

    #[test]
    fn without_thrust_it_comes_to_rest_on_its_skids() {
        let slack = Servos {
            collective: 0.0,
            ..Servos::NEUTRAL
        };
        let body = flown(slack, 1000);
        assert!((-0.05..=0.0).contains(&body.position[2]), "{body:?}");
        assert!(attitude::tilt(body.attitude) < 0.02);
    }

    #[test]
    fn the_same_servos_fly_the_same_bits() {
        let servos = Servos {
            collective: 0.52,
            cyclic: [0.01, 0.02, -0.01],
        };
        assert_eq!(flown(servos, 300), flown(servos, 300));
    }
}
