//! Marks: instructions that do nothing, which whoever watches the core sees.
//!
//! A mark is `slti x0, x0, N`, of the encodings that the architecture leaves for
//! such use. It takes one cycle, and so does a span between two marks that have
//! nothing between them.

#![no_std]

/// What follows is measured.
pub const BEFORE: u16 = 1;
/// What was measured is over.
pub const AFTER: u16 = 2;
/// A handler thread has its interrupt.
pub const HANDLED: u16 = 3;
/// A job has begun.
pub const STARTED: u16 = 4;
/// A job is about to end.
pub const ENDED: u16 = 5;
/// Another job has begun.
pub const SECOND: u16 = 14;
/// Begins a span with nothing in it.
pub const NOTHING: u16 = 6;
/// Ends a span with nothing in it.
pub const NOTHING_END: u16 = 7;

/// A sensor's driver has begun; another follows, and then a third.
pub const READ_1: u16 = 8;
/// The second sensor's.
pub const READ_2: u16 = 9;
/// The third sensor's.
pub const READ_3: u16 = 10;
/// An actuator's driver has begun.
pub const WRITE: u16 = 11;
/// What follows faults.
pub const FAULTING: u16 = 12;
/// A thread has slept.
pub const WOKEN: u16 = 13;

/// Marks this point. Memory accesses stay on their side of it.
#[inline(always)]
pub fn mark<const ID: u16>() {
    #[cfg(target_os = "none")]
    // SAFETY: it writes no register and no memory.
    unsafe {
        core::arch::asm!("slti x0, x0, {id}", id = const ID, options(nostack, preserves_flags));
    }
}
