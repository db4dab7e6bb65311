//! Data shared by the kernel, user code and host tools.
//!
//! Every format that crosses a border of the system is defined here, once: the
//! system calls and their errors, the microcode and its module file, the
//! tables that describe a system to its kernel, the trace records, and the
//! descriptors by which a process names its functions. No behaviour lives
//! here beyond encoding and decoding.

#![no_std]
#![forbid(unsafe_code)]

#[cfg(feature = "alloc")]
extern crate alloc;

pub mod record;
pub mod region;

pub mod call;
pub mod control;
pub mod error;
pub mod filter;
pub mod id;
pub mod instruction;
pub mod linked;
pub mod load;
pub mod message;
pub mod module;
pub mod panic;
pub mod posix;
pub mod predicate;
pub mod process;
pub mod rate;
pub mod ring;
pub mod system;
pub mod time;
pub mod trace;
pub mod value;
pub mod word;

pub use error::Error;
pub use id::Id;
pub use instruction::{Instruction, Opcode};
pub use predicate::{Comparison, Predicate, PredicateKind};
pub use record::Record;
pub use time::{Duration, Instant, LogicalTime, Ticks};
pub use value::ValueType;
