//! What a run suffered, and whether that was expected.
//!
//! Each cause is one finding, however often it came and whatever followed from it: a
//! process that faults is one, with the restarts, the skipped jobs and the calls of
//! drivers that this led to; a job that is late is one, with all the drivers that met it.
//! A run is good if each finding was expected, and each expectation came about.

mod blocked;
mod finding;
mod judge;
mod lateness;
mod occupancy;
mod wording;

pub use judge::{Found, Judge, Judgement};
