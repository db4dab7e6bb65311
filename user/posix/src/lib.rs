//! What picolibc lacks of the POSIX.13-2003 profile PSE51, over `giornata_rt`: C calls these
//! functions, which the headers of picolibc declare.
//!
//! On the host the functions have other names than in C, so that a test does not take the
//! place of its own C library.

#![no_std]

#[cfg(test)]
extern crate std;

// <giornata.h>, too
extern crate giornata_c as _;

#[cfg(target_os = "none")]
pub mod cancel;
#[cfg(target_os = "none")]
pub mod condition;
#[cfg(target_os = "none")]
mod entry;
pub mod error;
pub mod lock;
pub mod memory;
#[cfg(target_os = "none")]
pub mod mutex;
#[cfg(target_os = "none")]
pub mod policy;
pub mod process;
pub mod sched;
#[cfg(target_os = "none")]
pub mod semaphore;
pub mod shared;
#[cfg(target_os = "none")]
pub mod short;
#[cfg(target_os = "none")]
pub mod signal;
#[cfg(target_os = "none")]
pub mod sigset;
pub mod stream;
#[cfg(target_os = "none")]
pub mod thread;
pub mod time;
#[cfg(target_os = "none")]
pub mod timer;
mod twin;
#[cfg(target_os = "none")]
mod waiting;
