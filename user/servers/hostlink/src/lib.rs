//! The hostlink server: replaces programs of a running machine over a serial line.
//!
//! ```text
//!   Line --bytes--> frames --requests--> Server --+--> Programs: stage, switch
//!     ^                                    |      |       (system calls)
//!     +---replies, trace, statistics-------+      +--> places: running, uploaded
//!                                                      and held modules
//! ```
//!
//! A new module is uploaded into memory of the server, one upload at a time. When it
//! is complete, it is checked as a whole: signature, frame, verifier, interface and
//! limits, and for a change that carries over, compatibility with the running module.
//! Only then does the server make its first call that changes the kernel's state.
//!
//! The Upload Invariant: whatever bytes arrive on the line, a module reaches the kernel
//! only after all checks of the complete module have passed; a refused or interrupted
//! upload leaves the programs in the kernel unchanged.
//!
//! No heap: the caller provides the memory for modules and checks, see [`Place`] and
//! [`Memory`].

#![no_std]
#![forbid(unsafe_code)]
#![expect(
    clippy::result_large_err,
    reason = "a refusal holds its words, and there is no heap"
)]

#[cfg(test)]
extern crate std;

mod change;
mod deeds;
mod facts;
mod line;
mod place;
mod programs;
mod server;
mod session;
mod signature;
mod stream;
mod upload;
mod words;

pub use line::Line;
pub use place::Place;
pub use programs::{Kernel, Programs};
pub use server::{Memory, Server, Settings};
pub use signature::nonce;
