//! Addresses of processes as functions and lines of source.
//!
//! ```text
//! linked process (ELF) --> Executable --+-- frames:    address -> function file:line, with
//!                                       |              the functions inlined there
//!                                       +-- backtrace: registers and a copy of the stack
//!                                       |              -> frames, by call frame information
//!                                       +-- constant:  address -> bytes, which a process
//!                                                      names and does not send
//! ```
//! An executable of a process is linked with debug information, of which the image has
//! nothing. [`Symbols`] are the executables of one system; each is read when it is first
//! asked for.

mod backtrace;
mod code;
mod depth;
mod executable;
mod frame;
mod paths;
mod prototype;
mod symbols;

pub use backtrace::{Backtrace, Memory, Registers};
pub use depth::{Deepest, Need, Needs};
pub use executable::{Executable, Unreadable};
pub use frame::Frame;
pub use prototype::{Prototype, Word};
pub use symbols::Symbols;
