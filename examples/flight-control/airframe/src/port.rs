//! The values that travel between the processes.

use giornata_rt::value;

use crate::HOVER_COLLECTIVE;
use crate::attitude::Quaternion;
use crate::vector::Vector;

/// What the inertial unit measures, in body axes.
#[value]
#[derive(Debug, Default, PartialEq)]
pub struct Imu {
    /// Rates of turn, rad/s.
    pub rates: Vector,
    /// Specific force: what an accelerometer feels, m/s².
    pub force: Vector,
    /// Magnetic heading, rad from north to the left.
    pub heading: f32,
}

/// What the satellite receiver tells; a new fix ten times a second.
#[value]
#[derive(Debug, Default, PartialEq)]
pub struct Gps {
    /// In ground axes, m.
    pub position: Vector,
    /// In ground axes, m/s.
    pub velocity: Vector,
    /// Number of the fix.
    pub fix: u32,
}

/// What the pilot wants.
#[value]
#[derive(Debug, Default, PartialEq)]
pub struct Command {
    /// [`HOVER`], [`CRUISE`] or [`LAND`].
    pub phase: u32,
    /// Altitude, m.
    pub altitude: f32,
    /// Forward speed, m/s, for cruise.
    pub speed: f32,
    /// Heading, rad.
    pub heading: f32,
}

/// Stay at a place.
pub const HOVER: u32 = 0;
/// Fly ahead.
pub const CRUISE: u32 = 1;
/// Come down and stop.
pub const LAND: u32 = 2;

/// Work beyond control itself: the built-in test.
#[value]
#[derive(Debug, Default, PartialEq)]
pub struct Load {
    /// 1 in a job that tests: it leaves the servos as they are.
    pub test: u32,
    /// How much to test, in thousands of words.
    pub work: u32,
}

/// Where the helicopter is, as navigation sees it.
#[value]
#[derive(Debug, Default, PartialEq)]
pub struct Estimate {
    /// In ground axes, m.
    pub position: Vector,
    /// In ground axes, m/s.
    pub velocity: Vector,
    /// Roll, pitch, yaw, rad.
    pub angles: Vector,
    /// In body axes, rad/s.
    pub rates: Vector,
}

/// What the servos are told.
#[value]
#[derive(Debug, PartialEq)]
pub struct Servos {
    /// Collective pitch of the rotor, 0 ..= 1.
    pub collective: f32,
    /// Cyclic to the right, forward, and tail to the left, each -1 ..= 1.
    pub cyclic: Vector,
}

impl Servos {
    /// Thrust equal to weight, straight up.
    pub const NEUTRAL: Servos = Servos {
        collective: HOVER_COLLECTIVE,
        cyclic: [0.0; 3],
    };
}

/// The truth about the body, which only the world knows.
#[value]
#[derive(Debug, PartialEq)]
pub struct Body {
    /// In ground axes, m; z = 0 on the ground.
    pub position: Vector,
    /// In ground axes, m/s.
    pub velocity: Vector,
    /// Attitude.
    pub attitude: Quaternion,
    /// In body axes, rad/s.
    pub rates: Vector,
    /// Specific force in body axes, m/s².
    pub force: Vector,
    /// Steps of [`STEP`] since the start.
    pub step: u32,
}

/// Seconds of a step of the world.
pub const STEP: f32 = 0.01;

impl Body {
    /// Where every flight begins: 8 m up, a little aslant.
    pub const START: Body = Body {
        position: [0.0, 0.0, 8.0],
        velocity: [0.0; 3],
        attitude: [0.998_750_3, 0.049_979_17, 0.0, 0.0],
        rates: [0.0; 3],
        force: [0.0, 0.0, crate::GRAVITY],
        step: 0,
    };
}

/// What the ground station gets to see.
#[value]
#[derive(Debug, Default, PartialEq)]
pub struct Report {
    /// Position, m.
    pub position: Vector,
    /// Velocity, m/s.
    pub velocity: Vector,
    /// Tilt of the rotor's axis, rad.
    pub tilt: f32,
    /// Distance between truth and estimate, m.
    pub error: f32,
    /// Phase of flight in force.
    pub phase: u32,
    /// Steps of the world.
    pub step: u32,
}
