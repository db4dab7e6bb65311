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
//!     sync  mail  process  micro  posix <-->  Thread  Process  Object  Rank ...
//!                 |
//!     sched: who waits, who runs, when        trace (what happened)
//! ```
//!
//! Each of the entries returns an [`Outcome`]: the result of the caller and the
//! thread that the hart leaves for.
// Records are the same in every configuration; what only services or programs do with
// one stands beside it, and has no caller elsewhere (`allow(dead_code)` below).
#![no_std]
#![forbid(unsafe_code)]

pub mod boot;
pub mod calls;
pub mod hart;
pub mod harts;
pub mod interrupt;
mod invariants;
pub mod layout;
pub mod machine;
pub mod mail;
pub mod micro;
pub mod outcome;
#[cfg(feature = "posix")]
pub mod posix;
#[cfg(not(feature = "posix"))]
#[path = "posix/none.rs"]
pub mod posix;
pub mod process;
pub mod sched;
#[cfg(feature = "services")]
mod slow_path;
pub mod streams;
pub mod sync;
pub mod system;
pub mod trace;

pub use calls::Handler;
pub use giornata_abi::Error;
pub use hart::Hart;
pub use interrupt::Line;
pub use machine::Machine;
pub use mail::message::{Mail, Message};
pub use micro::{Micro, Program, Task, Trigger};
pub use outcome::Outcome;
pub use process::Process;
pub use process::region::Region;
pub use sched::agenda::{Agenda, Alarm, Event};
pub use sched::ready::Rank;
pub use sched::thread::{Context, Thread};
pub use sync::object::{Handle, Object};
pub use system::System;
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
pub fn before(a: u32, b: u32) -> bool {
    (a.wrapping_sub(b) as i32) < 0
}

/// 0 if there is one and it is this.
#[cfg_attr(not(any(feature = "services", feature = "rtm")), allow(dead_code))]
#[inline(always)]
pub(crate) fn is_not<T>(a: Option<Ref<T>>, b: Ref<T>) -> usize {
    some(a) ^ core::ptr::from_ref(b).addr()
}
