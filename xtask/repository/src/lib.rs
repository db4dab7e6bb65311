//! The repository as its commands see it: where it lies and which crates it has, cargo and
//! other programs that are called, and independent work side by side.
//!
//! It depends on no crate of the system, so that the commands that only call others are built
//! in seconds.

#![forbid(unsafe_code)]

pub mod crates;
pub mod giornata;
pub mod process;
pub mod workers;
