//! The queues of the kernel: what may run, what time brings, who waits for what,
//! and what other contexts hand over.
//!
//! The ready queue and the agenda have operations shaped like commands
//! (insert, remove by number, top, take), so that hardware can stand in. All
//! memory is the caller's slices: capacities are data. A number outside them
//! is ignored; nothing here panics, allocates or blocks.

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

pub mod agenda;
pub mod handover;
pub mod ready;
mod tournament;
pub mod urgency;
pub mod wait;

pub use agenda::{Agenda, AgendaEvent};
pub use handover::Handover;
pub use ready::{ReadyNode, ReadyQueue};
pub use urgency::Urgency;
pub use wait::{WaitNode, WaitRings};
