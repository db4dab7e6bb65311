//! The helicopter as every process knows it: the values of the ports, axes,
//! and the geometry of turning.
//!
//! Axes: x forward, y left, z up, both for the body and for the ground (x
//! north). So a positive pitch lowers the nose and drives it forward, and a
//! positive roll drives it to the right, towards -y.
//!
//! Arithmetic is single precision, basic operations and `libm` only, so that
//! every board and the host compute the same bits.

#![no_std]
#![forbid(unsafe_code)]

pub mod attitude;
pub mod port;
pub mod vector;

/// Acceleration of gravity, m/s².
pub const GRAVITY: f32 = 9.81;
/// Collective at which thrust equals weight.
pub const HOVER_COLLECTIVE: f32 = 0.5;
