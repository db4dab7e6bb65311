//! The services for processes in C: what `include/giornata.h` declares, which also
//! says what each call promises.
//!
//! A process that is written in C alone is linked with this crate. One that has a
//! crate besides depends on it there:
//!
//! ```
//! extern crate giornata_c as _;
//! # fn main() {}
//! ```
//!
//! Every function is one of `giornata_rt` with the types of C, so that there is one
//! of each: one way into the kernel, one set of restartable sequences.

#![no_std]

#[cfg(test)]
extern crate std;

pub mod answer;
pub mod condition;
pub mod device;
pub mod failure;
pub mod integer;
pub mod mailbox;
pub mod memory;
pub mod private;
pub mod process;
pub mod region;
pub mod request;
pub mod semaphore;
pub mod system;
pub mod thread;
pub mod timer;
