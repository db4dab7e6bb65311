//! The aircraft as every process knows it, a small quadrotor: the values of the ports, axes,
//! and arithmetic without floating point.
//!
//! Axes: x forward, y left, z up, both for the body and for the ground (x north). Lengths are
//! in µm, angles in µrad, and what is derived from them accordingly, so that 32 bits hold 2 km
//! and every board computes the same bits. Directions and attitudes have 30 bits behind the
//! point, gains 16.

#![no_std]
#![forbid(unsafe_code)]

pub mod attitude;
pub mod fixed;
pub mod mission;
pub mod noise;
pub mod port;
pub mod vector;

/// Acceleration of gravity, µm/s².
pub const GRAVITY: i32 = 9_810_000;
/// A metre in µm, and so for all that is derived from lengths.
pub const METRE: i32 = 1_000_000;
/// Period of the control loop and of the world's program, µs.
pub const PERIOD: i32 = 5_000;
