//! Task and driver functions of processes, run on the host: the code of a board,
//! compiled for the host, one job or upcall at a time.
//!
//! [`run`] runs one in the program that calls it. [`serve`] makes a program of
//! processes, whose functions another program runs through a [`Client`]:
//!
//! ```text
//! giornata simulate --functions                  a program made for the system
//!   Client -- function, instant, block --> stdin    serve: the functions of the
//!          <-- block, value, calls -------- stdout   system's processes
//! ```
//!
//! So functions that crash or loop take no simulation with them, and no layout of
//! memory has to agree between the two.

mod body;
mod client;
mod protocol;
mod server;

pub use body::{Made, Ran, run};
pub use client::{Client, Failure};
pub use protocol::{Described, Parameter, Process};
pub use server::serve;
