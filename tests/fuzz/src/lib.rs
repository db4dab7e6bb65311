//! Fuzz targets: one function for each boundary at which bytes that nobody has
//! checked enter the project. Each takes any bytes and must come back; what it
//! asserts holds for all of them.
//!
//! The binaries hand these functions to libFuzzer. `./x test` runs them with a
//! fixed seed and a fixed count, `./x soak` for minutes.

pub mod calls;
pub mod giotto;
pub mod hostlink;
pub mod module;
pub mod psi;
pub mod sigma;
pub mod toml;
pub mod trace;
