//! What the drivers know between them.

use flight_control_airframe::attitude;
use flight_control_airframe::port::{Body, Estimate, Gps, Report, Servos};
use flight_control_airframe::vector::{difference, length};
use giornata_rt::DriverCell;

/// The last values that came in, from both sides.
#[derive(Clone, Debug)]
pub struct World {
    /// The truth.
    pub body: Body,
    /// What the servos were told.
    pub servos: Servos,
    /// What navigation believes.
    pub estimate: Estimate,
    /// The phase of flight in force.
    pub phase: u32,
    /// The satellites' last fix.
    pub fix: Gps,
    /// Extra work in store for control.
    pub trouble: u32,
    /// Tests before this one get no extra work.
    pub spared: u32,
}

impl World {
    /// Before anything has come in.
    pub fn new() -> World {
        World {
            body: Body::START,
            servos: Servos::NEUTRAL,
            estimate: Estimate::default(),
            phase: 0,
            fix: Gps {
                fix: u32::MAX,
                ..Gps::default()
            },
            trouble: 0,
            spared: 0,
        }
    }

    /// The step at which the controller acts: it acts before the world moves.
    pub fn now(&self) -> u32 {
        self.body.step.wrapping_add(1)
    }

    /// What the ground station gets to see.
    pub fn report(&self) -> Report {
        let Body {
            position,
            velocity,
            attitude,
            step,
            ..
        } = self.body;
        Report {
            position,
            velocity,
            tilt: attitude::tilt(attitude),
            error: length(difference(position, self.estimate.position)),
            phase: self.phase,
            step,
        }
    }
}

impl Default for World {
    fn default() -> World {
        World::new()
    }
}

static WORLD: DriverCell<World> = DriverCell::new(World::new);

/// Lets a driver at the world: all drivers of this process share it.
pub fn with_world<R>(work: impl FnOnce(&mut World) -> R) -> R {
    WORLD.with(work)
}
