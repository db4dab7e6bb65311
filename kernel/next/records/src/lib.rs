//! The kernel's records, laid out from a description of a system.
//!
//! One description makes the records of every machine: for a target, bytes that are
//! linked beside the kernel's binary; for the host, memory of the simulation and the
//! tests. Whatever can be known is resolved here, so that boot only copies.
#![forbid(unsafe_code)]

mod arena;
mod build;
mod description;

pub use arena::{Arena, At, Run, Value};
pub use build::{Built, build};
pub use description::{
    DEPTH, Description, Line, Object, ObjectKind, Process, Region, Rights, Thread,
};
