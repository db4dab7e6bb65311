//! Threads, processes, scheduling, drivers and clocks: the kernel as a state
//! machine that knows no architecture.
//!
//! ```text
//!            Event (timer, interrupt, call, fault)
//!              |                                    Outcome (next thread,
//!              v                                    alarm, harts to poke)
//!   +--------------------+   Host    +----------+        ^
//!   | Machine (micro):   |<--------->|  Core    |--------+
//!   | E code, S code     |           |          |
//!   +--------------------+           | threads, processes, ports,
//!                                    | ready queue, agenda
//!                                    +----+-----+
//!                                         | Hardware
//!                                         v
//!                        memory of processes, registers, lines, clock
//! ```
//!
//! [`Kernel::handle`] takes one [`Event`] and answers one [`Outcome`]. What is
//! not short and constant (teardown of a process, long copies, long reactions)
//! is done in pieces: the outcome is then [`Next::More`], and the caller hands
//! in what interrupts are pending before it comes back.

#![no_std]
#![forbid(unsafe_code)]
#![cfg_attr(
    not(test),
    deny(
        clippy::indexing_slicing,
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic
    )
)]

mod ahead;
mod call;
mod core_state;
mod dispatch;
mod driver;
mod event;
mod hardware;
mod impossible;
#[cfg(feature = "services")]
mod inspect;
mod interrupt;
mod invariants;
mod kernel;
#[cfg(feature = "load")]
mod load;
#[cfg(not(feature = "load"))]
#[path = "no_load.rs"]
mod load;
#[cfg_attr(not(feature = "programs"), path = "no_machine.rs")]
mod machine;
mod memory;
mod port;
mod process;
mod reaction;
#[cfg(feature = "services")]
mod services;
#[cfg(not(feature = "services"))]
#[path = "no_services.rs"]
mod services;
mod short;
mod table;
mod thread;
mod transfer;

pub use event::{Beginning, Event, Hart, Next, Outcome, Served};
pub use hardware::{Access, BadAddress, CHUNK, Hardware};
pub use impossible::Place;
#[cfg(feature = "services")]
pub use inspect::{Vitality, Wait};
pub use interrupt::Interrupt;
pub use kernel::Kernel;
pub use memory::{Memory, Needs};
pub use port::Port;
pub use process::Process;
pub use services::{Message, Object, Pool, Region, Tie};
pub use thread::{State, Thread};
