//! The values that travel between the tasks.

use giornata_rt::value;

use crate::attitude::{LEVEL, Quaternion};
use crate::vector::Vector;

/// What the inertial unit measures, in body axes.
#[value]
#[derive(Debug, Default, PartialEq)]
pub struct Imu {
    /// Rates of turn, µrad/s.
    pub rates: Vector,
    /// Specific force: what an accelerometer feels, µm/s².
    pub force: Vector,
    /// Where the compass sees north, 30 bits behind the point.
    pub north: Vector,
}

/// What the satellite receiver tells; a new fix twenty times a second.
#[value]
#[derive(Debug, Default, PartialEq)]
pub struct Fix {
    /// In ground axes, µm.
    pub position: Vector,
    /// In ground axes, µm/s.
    pub velocity: Vector,
    /// Number of the fix.
    pub number: u32,
}

/// Where the aircraft is, as navigation sees it.
#[value]
#[derive(Debug, PartialEq)]
pub struct Estimate {
    /// In ground axes, µm.
    pub position: Vector,
    /// In ground axes, µm/s.
    pub velocity: Vector,
    /// Attitude.
    pub attitude: Quaternion,
    /// In body axes, µrad/s.
    pub rates: Vector,
}

impl Estimate {
    /// On the ground at home.
    pub const START: Estimate = Estimate {
        position: [0; 3],
        velocity: [0; 3],
        attitude: LEVEL,
        rates: [0; 3],
    };
}

/// What navigation remembers beside its estimate.
#[value]
#[derive(Debug, Default, PartialEq)]
pub struct Filter {
    /// What the gyroscopes show at rest, µrad/s.
    pub bias: Vector,
    /// Number of the last fix.
    pub fix: u32,
}

/// What the pilot's stick says.
#[value]
#[derive(Debug, Default, PartialEq)]
pub struct Stick {
    /// 1 while the pilot flies.
    pub engaged: u32,
    /// Velocity to fly, ground axes, µm/s.
    pub velocity: Vector,
}

/// How far the mission has come.
#[value]
#[derive(Debug, Default, PartialEq)]
pub struct Course {
    /// Waypoints that have been reached.
    pub reached: u32,
    /// 1 while the pilot flies.
    pub manual: u32,
}

/// What guidance wants.
#[value]
#[derive(Debug, Default, PartialEq)]
pub struct Wish {
    /// In ground axes, µm/s.
    pub velocity: Vector,
}

/// What stabilisation asks of the rotors.
#[value]
#[derive(Debug, Default, PartialEq)]
pub struct Demand {
    /// Thrust by mass, µm/s².
    pub thrust: i32,
    /// Angular acceleration, body axes, µrad/s².
    pub turn: Vector,
}

/// What the rotors are told: thrust of each by the mass of the aircraft, µm/s²; front left,
/// front right, rear left, rear right.
#[value]
#[derive(Debug, Default, PartialEq)]
pub struct Rotors {
    /// 0 to [`MOST_THRUST`].
    pub thrust: [i32; 4],
}

/// The most that one rotor lifts, by the mass of the aircraft, µm/s².
pub const MOST_THRUST: i32 = 9_000_000;
/// Roll and pitch that a difference of thrust causes between sides or ends, rad/s² for m/s²;
/// yaw of that between the rotors that turn left and those that turn right.
pub const LEVER: [i32; 3] = [20, 20, 4];

/// The truth about the aircraft, which only the world knows.
#[value]
#[derive(Debug, PartialEq)]
pub struct Body {
    /// In ground axes, µm; z = 0 on the ground.
    pub position: Vector,
    /// In ground axes, µm/s.
    pub velocity: Vector,
    /// Attitude.
    pub attitude: Quaternion,
    /// In body axes, µrad/s.
    pub rates: Vector,
    /// Specific force in body axes, µm/s².
    pub force: Vector,
    /// Periods since the start.
    pub step: u32,
}

impl Body {
    /// On the ground at home.
    pub const START: Body = Body {
        position: [0; 3],
        velocity: [0; 3],
        attitude: LEVEL,
        rates: [0; 3],
        force: [0, 0, crate::GRAVITY],
        step: 0,
    };
}

/// The world: the aircraft and the air around it.
#[value]
#[derive(Debug, PartialEq)]
pub struct Flyer {
    /// The aircraft.
    pub body: Body,
    /// Thrust of each rotor as it is, by the mass of the aircraft, µm/s².
    pub thrust: [i32; 4],
    /// Turbulence, ground axes, µm/s.
    pub turbulence: Vector,
    /// What the satellite receiver told last.
    pub fix: Fix,
}

/// What an observer on the ground sees of the aircraft.
#[value]
#[derive(Debug, Default, PartialEq)]
pub struct Report {
    /// In ground axes, µm.
    pub position: Vector,
    /// Periods since the start.
    pub step: u32,
}
