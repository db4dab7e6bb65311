//! The E and S machine, in linked form.
//!
//! ```text
//!   timer, line, port, completion, message
//!        |                                                    code      instructions
//!        v                                                    program   what waits, the machine
//!   a cause, and what hangs on it                             task      groups, their jobs
//!        |  fire                                              driver    ports, drivers
//!        v
//!   what is due: by instant; completions, triggers,           cause     hang, fire, latch
//!        |       timeouts; order of activation                react     the event loop
//!        v  react                                             interpret instructions
//!   a block ----------> release, copy, upcall,                release, copy, upcall, s_code
//!        |              dispatch, future ...
//!        v
//!   settled: who of S code has the hart
//! ```
//!
//! Each trigger hangs on its cause, so an event costs what hangs on it, and a cause
//! that nobody waits for costs nothing. A trigger for a time whose block only
//! releases, copies a little and renews itself runs from the timer's interrupt in a
//! loop of its own ([`timed`]); everything else goes through the list of what is due.
//!
//! The machine has an urgency. While somebody as urgent runs, what falls due is
//! latched with its instant; between instructions, after some words of a copy and
//! after eight tasks of a group that is apart, it looks at timer and lines and gives
//! way to who is more urgent. Where it stopped lies in [`Micro`], and its own thread,
//! which lives in the kernel, goes on when its turn comes. So instants are late at
//! worst, and never out of order.

mod code;
mod driver;
mod program;
mod task;

#[cfg(all(feature = "programs", feature = "harts"))]
mod apart;
#[cfg(feature = "programs")]
mod cause;
#[cfg(feature = "programs")]
mod drive;
#[cfg(feature = "programs")]
mod instruction;
#[cfg(feature = "programs")]
mod invariants;
#[cfg(feature = "programs")]
mod jobs;
#[cfg(feature = "programs")]
mod port;
#[cfg(all(feature = "programs", feature = "fast"))]
mod quick;
#[cfg(feature = "programs")]
mod react;
#[cfg(feature = "programs")]
mod s_code;
#[cfg(all(feature = "programs", feature = "fast"))]
mod single;
#[cfg(feature = "programs")]
mod timed;
#[cfg(feature = "programs")]
mod violation;

#[cfg(feature = "load")]
mod load;
#[cfg(all(feature = "programs", not(feature = "load")))]
#[path = "no_load.rs"]
mod load;

#[cfg(not(feature = "programs"))]
mod none;

pub use code::{Cause, Code, Op, Release, Step, Wait, compare};
pub use driver::{Copies, Copy, Driver, Port, Touch, Upcall, Write};
pub use program::{Change, Micro, Program, Room, Time, Trigger, block, mode, stage};
pub use task::{Group, Task, group_flag, job};
