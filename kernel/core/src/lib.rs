//! The kernel's logic: threads, the ready queue, time, services, microcode.
//!
//! One record for each thing, reached by reference; what changes is a `Cell`. A
//! number from user mode is looked up once, at the border of a call; behind that
//! there are only references. No `unsafe`, no allocation, no panic path, no
//! architecture.
//!
//! ```text
//!             trap path                     records, laid out by the builder
//!                 |                                   |
//!   calls::CALLS, on_timer, on_line, work             |
//!                 |                                   v
//!     sync  mailbox  life  microcode  <---->  Thread  Process  Object  Rank ...
//!                 |
//!          wait, timer (who waits, for what, how long)
//!                 |
//!     ready + helping (who runs)   agenda (when)   trace (what happened)
//! ```
//!
//! Each of the entries returns an [`Outcome`]: the result of the caller and the
//! thread that the hart leaves for.
// Records are the same in every configuration; what only services or programs do with
// one stands beside it, and has no caller elsewhere (`allow(dead_code)` below).
#![no_std]
#![forbid(unsafe_code)]

pub mod account;
pub mod agenda;
pub mod boot;
pub mod calls;
pub mod clock;
#[cfg(feature = "services")]
mod condition;
#[cfg(feature = "services")]
mod creation;
#[cfg(feature = "services")]
mod ending;
mod epoch;
mod fault;
#[cfg(feature = "services")]
mod general;
#[cfg(feature = "services")]
mod heap;
#[cfg(feature = "services")]
mod helping;
pub mod interrupt;
mod invariants;
pub mod kernel;
pub mod layout;
#[cfg(feature = "services")]
mod leftist;
mod life;
pub mod limit;
#[cfg(feature = "services")]
mod lock_invariants;
pub mod machine;
#[cfg(feature = "mail")]
mod mail_invariants;
#[cfg(feature = "mail")]
mod mailbox;
#[cfg_attr(not(feature = "mail"), allow(dead_code))]
pub mod message;
pub mod micro;
#[cfg(feature = "services")]
mod mutex;
#[cfg(not(feature = "mail"))]
mod no_mail;
#[cfg(not(feature = "processes"))]
mod no_processes;
#[cfg(not(feature = "services"))]
mod no_services;
#[cfg_attr(not(feature = "mail"), allow(dead_code))]
pub mod object;
#[cfg(feature = "services")]
mod operation;
pub mod outcome;
#[cfg(feature = "services")]
mod owning;
#[cfg(feature = "services")]
mod parking;
mod place;
#[cfg(feature = "posix")]
pub mod posix;
#[cfg(not(feature = "posix"))]
#[path = "no_posix.rs"]
pub mod posix;
mod priority;
#[cfg(feature = "services")]
mod private;
#[cfg(not(feature = "services"))]
use no_services as private;
pub mod process;
#[cfg_attr(not(feature = "services"), allow(dead_code))]
pub mod ready;
mod reaper;
#[cfg(feature = "mail")]
mod receiving;
pub mod region;
#[cfg(feature = "mail")]
mod request;
#[cfg(feature = "mail")]
mod sending;
#[cfg(feature = "mail")]
mod server;
#[cfg(feature = "processes")]
mod sharing;
#[cfg(feature = "slots")]
mod slots;
#[cfg(feature = "processes")]
mod supervisor;
#[cfg(feature = "services")]
mod sync;
#[cfg_attr(not(feature = "services"), allow(dead_code))]
pub mod thread;
#[cfg_attr(not(feature = "services"), allow(dead_code))]
pub mod timer;
pub mod trace;
#[cfg(feature = "mail")]
mod undeliverable;
#[cfg_attr(not(feature = "mail"), allow(dead_code))]
pub mod wait;

pub use agenda::{Agenda, Alarm, Event};
pub use calls::Handler;
pub use giornata_abi::Error;
pub use interrupt::Line;
pub use kernel::Kernel;
pub use machine::Machine;
pub use message::{Mail, Message};
pub use micro::{Micro, Program, Task, Trigger};
pub use object::{Handle, Object};
pub use outcome::Outcome;
pub use process::Process;
pub use ready::Rank;
pub use region::Region;
pub use thread::{Context, Thread};
pub use trace::Trace;

/// A reference to a record: what there is lives as long as the system.
pub type Ref<T> = &'static T;

/// Whether two references name one record.
#[inline(always)]
pub(crate) fn same<T>(a: Ref<T>, b: Ref<T>) -> bool {
    core::ptr::eq(a, b)
}

/// 0 if two references name one record: conditions that are seldom true are or-ed
/// from this, so that one branch decides and their loads overlap.
#[inline(always)]
pub(crate) fn differ<T>(a: Ref<T>, b: Ref<T>) -> usize {
    core::ptr::from_ref(a).addr() ^ core::ptr::from_ref(b).addr()
}

/// 0 if there is none; see [`differ`].
#[inline(always)]
pub(crate) fn some<T>(a: Option<Ref<T>>) -> usize {
    a.map_or(0, |a| core::ptr::from_ref(a).addr())
}

/// Whether instant `a` lies before `b`: low words of the clock, live ones span less
/// than 2^31 ticks.
#[inline(always)]
pub(crate) fn before(a: u32, b: u32) -> bool {
    (a.wrapping_sub(b) as i32) < 0
}

/// 0 if there is one and it is this.
#[cfg_attr(not(any(feature = "services", feature = "rtm")), allow(dead_code))]
#[inline(always)]
pub(crate) fn is_not<T>(a: Option<Ref<T>>, b: Ref<T>) -> usize {
    some(a) ^ core::ptr::from_ref(b).addr()
}
