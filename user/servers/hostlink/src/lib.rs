//! The hostlink server: programs of a running machine are replaced over a line.
//!
//! ```text
//!   Line --bytes--> frames --requests--> Server --+--> Programs: stage, switch
//!     ^                                    |      |       (the kernel's calls)
//!     +---answers, trace, statistics-------+      +--> places: what runs, what
//!                                                      is uploaded, what is held
//! ```
//!
//! A module that comes is uploaded into memory of the server, one upload at a
//! time. When it is whole it is checked as one: signature, frame, verifier,
//! interface, limits, and for a change that carries over what runs. Only then
//! the first call reaches the kernel.
//!
//! The Upload Invariant: whatever comes over the line, no call that changes
//! anything is made before all checks of a whole module have passed; what is
//! refused or broken off leaves nothing behind but a count.
//!
//! No heap: the memory for modules and checks is lent, see [`Place`] and
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
