//! Which velocity to fly, by phase of flight.

use flight_control_airframe::attitude::wrapped;
use flight_control_airframe::port::{CRUISE, Command, Estimate, LAND};
use flight_control_airframe::vector::Vector;

/// Speed towards a place for each metre of distance, 1/s.
const APPROACH: f32 = 0.6;
/// Speed of climb for each metre below the wanted altitude, 1/s.
const CLIMB: f32 = 1.1;
/// Most horizontal speed while hovering or landing, m/s.
const CREEP: f32 = 2.0;
/// Most speed up or down, m/s.
const LIFT: f32 = 3.0;
/// Speed of descent at the ground, m/s, and what is added for each metre above.
const FLARE: [f32; 2] = [0.40, 0.80];
/// Altitude below which a landing is over, m.
const TOUCH: f32 = 0.12;

/// What to fly.
#[derive(Clone, Copy, Debug)]
pub struct Wish {
    /// Ground axes, m/s.
    pub velocity: Vector,
    /// Rad.
    pub heading: f32,
    /// The helicopter stands: no thrust.
    pub stand: bool,
}

/// What guidance remembers: the place to stay at.
#[derive(Clone, Debug, Default)]
pub struct Guidance {
    place: [f32; 2],
    phase: Option<u32>,
    standing: bool,
}

impl Guidance {
    /// The phase flown last; hover at first.
    pub fn phase(&self) -> u32 {
        self.phase.unwrap_or_default()
    }

    /// The velocity to fly in this phase.
    pub fn wish(&mut self, estimate: &Estimate, command: &Command, phase: u32) -> Wish {
        if self.phase != Some(phase) {
            self.enter(estimate, phase);
        }
        let [x, y] = match phase {
            CRUISE => ahead(command),
            _ => self.towards_place(estimate),
        };
        let z = match phase {
            LAND => self.descent(estimate),
            _ => (CLIMB * (command.altitude - estimate.position[2])).clamp(-LIFT, LIFT),
        };
        let heading = wrapped(command.heading);
        Wish {
            velocity: [x, y, z],
            heading,
            stand: self.standing,
        }
    }

    /// The place to stay at is where it will come to rest: a second ahead.
    fn enter(&mut self, estimate: &Estimate, phase: u32) {
        let [x, y, _] = estimate.position;
        let [vx, vy, _] = estimate.velocity;
        self.place = [x + vx, y + vy];
        self.phase = Some(phase);
        self.standing = false;
    }

    fn towards_place(&self, estimate: &Estimate) -> [f32; 2] {
        let [x, y, _] = estimate.position;
        let [to_x, to_y] = self.place;
        [APPROACH * (to_x - x), APPROACH * (to_y - y)].map(|v| v.clamp(-CREEP, CREEP))
    }

    /// Slower towards the ground; once down, down.
    fn descent(&mut self, estimate: &Estimate) -> f32 {
        let height = estimate.position[2];
        self.standing |= height < TOUCH;
        -(FLARE[0] + FLARE[1] * height.clamp(0.0, 10.0)).clamp(0.0, LIFT)
    }
}

/// The commanded speed along the commanded heading.
fn ahead(command: &Command) -> [f32; 2] {
    let (sin, cos) = (libm::sinf(command.heading), libm::cosf(command.heading));
    [command.speed * cos, command.speed * sin]
}

#[cfg(test)]
mod tests {
    use super::*;
    use flight_control_airframe::port::HOVER;

    fn at(x: f32, z: f32) -> Estimate {
        Estimate {
            position: [x, 0.0, z],
            ..Estimate::default()
        }
    }

    #[test]
    fn hover_returns_to_where_it_began() {
        let mut guidance = Guidance::default();
        let command = Command {
            altitude: 10.0,
            ..Command::default()
        };
        guidance.wish(&at(0.0, 10.0), &command, HOVER);
        let wish = guidance.wish(&at(1.0, 9.0), &command, HOVER);
        assert!(wish.velocity[0] < -0.5 && wish.velocity[2] > 1.0);
    }

    #[test]
    fn cruise_flies_along_the_heading() {
        let command = Command {
            speed: 5.0,
            heading: 0.5,
            altitude: 10.0,
            phase: CRUISE,
        };
        let wish = Guidance::default().wish(&at(3.0, 10.0), &command, CRUISE);
        assert!((wish.velocity[0] - 4.387_9).abs() < 1e-3);
        assert!((wish.velocity[1] - 2.397_1).abs() < 1e-3);
    }

    #[test]
    fn a_landing_slows_towards_the_ground_and_then_stands() {
        let mut guidance = Guidance::default();
        let command = Command::default();
        let high = guidance.wish(&at(0.0, 3.0), &command, LAND);
        let low = guidance.wish(&at(0.0, 0.3), &command, LAND);
        assert!(high.velocity[2] < low.velocity[2] && low.velocity[2] < 0.0);
        assert!(!low.stand);
        assert!(guidance.wish(&at(0.0, 0.05), &command, LAND).stand);
        assert!(!guidance.wish(&at(0.0, 0.05), &command, HOVER).stand);
    }
}
