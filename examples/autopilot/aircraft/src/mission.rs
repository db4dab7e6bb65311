//! Where to fly.

use crate::METRE;
use crate::vector::Vector;

/// The waypoints of the mission in their order, ground axes, µm: around a square, and back to
/// half a metre above home.
pub const WAYPOINTS: [Vector; 5] = [
    [0, 0, METRE * 8 / 10],
    [2 * METRE, 0, METRE],
    [2 * METRE, 2 * METRE, METRE * 3 / 2],
    [0, 2 * METRE, METRE],
    [0, 0, METRE / 2],
];
