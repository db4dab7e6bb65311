//! The kernel's records, laid out from a description of a system.
//!
//! One description makes the records of every machine: for a target, bytes that are
//! linked beside the kernel's binary; for the host, memory of the simulation and the
//! tests. Whatever can be known is resolved here, so that boot only copies.
#![forbid(unsafe_code)]

mod arena;
mod build;
mod description;
mod lay_program;
pub mod link;
mod mail;
mod merge;
mod order;
pub mod program;
mod shapes;
pub mod streams;

pub use arena::{Arena, At, Run, Value};
pub use build::{Built, build};
pub use description::{
    DEPTH, Description, Line, Object, ObjectKind, Process, Region, Restart, Rights, Thread,
};

pub use order::spare_bytes;
pub use shapes::{Constants, FieldShape, RecordShape, constants, records};

use giornata_core::layout::Shaped;
pub use giornata_core::layout::Target;
use giornata_core::sched::thread::{Context, Place, Thread as ThreadRecord};

/// Bytes of RAM that the kernel keeps for a thread beyond its registers, cold fields
/// included.
pub fn thread_bytes(target: Target) -> usize {
    let bytes = ThreadRecord::SHAPE.size(target) - Context::SHAPE.size(target);
    bytes + Place::SHAPE.size(target)
}
