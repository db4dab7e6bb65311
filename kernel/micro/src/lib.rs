//! The E and S machines of the programmable microkernel, integrated into one:
//! a trigger queue, a thread set, the event loop of Algorithm 1 and the
//! microcode interpreter of Algorithm 2 ("A Programmable Microkernel for
//! Real-Time Systems", Kirsch, Sanvido, Henzinger), kept as a stored
//! continuation so that a reaction can be left and resumed between any two
//! steps.
//!
//! Encoding is `giornata_abi::{instruction, predicate}`. The [`Machine`] runs
//! over the linked tables of a system; the kernel around it is the [`Host`].
//! What checks and shows modules before they are linked is no part of the
//! kernel: the crate `microcode`.
//!
//! No heap, no panic, no `unsafe`; every table is a slice given by the caller.

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

mod chain;
mod change;
mod event_loop;
mod handler;
mod host;
mod interpreter;
mod invariants;
mod machine;
mod predicates;
mod program;
mod renewal;
mod succession;
mod thread;
mod trigger;

pub use change::with_bank;
pub use host::{Called, Host, Report, UpcallEnd};
pub use machine::{Machine, PIECE, Progress};
pub use program::ProgramState;
pub use succession::Succession;
pub use thread::SThread;
pub use trigger::Binding;
