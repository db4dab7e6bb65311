//! What a program does, as the world sees it.

use std::collections::BTreeSet;

/// One thing that happens at an instant.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Event {
    /// An output got its initial value.
    Initial(String),
    /// A task's results were copied to its outputs.
    Outputs(String),
    /// A driver wrote these ports.
    Driver(String, Vec<String>),
    /// An actuator's device driver ran.
    Write(String),
    /// A guard was tested.
    Guard(String),
    /// A task was released with this deadline, in units of 1/denominator ns.
    Release(String, u128),
}

/// All that happens at one instant. The order of sensor readings among
/// themselves, and where in the instant they lie, say nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Moment {
    /// Units of 1/denominator ns since the start.
    pub(crate) at: u128,
    /// In order.
    pub(crate) events: Vec<Event>,
    /// Sensors read.
    pub(crate) sensors: BTreeSet<String>,
}

/// The answer of a guard: any function of its name and the instant will do, as
/// long as both sides ask the same one.
pub(crate) fn answer(seed: u64, guard: &str, at: u128) -> bool {
    let mut hash = seed ^ 0xcbf2_9ce4_8422_2325;
    for byte in guard.bytes().chain(at.to_le_bytes()) {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
    }
    hash ^= hash >> 29;
    hash.is_multiple_of(3)
}
