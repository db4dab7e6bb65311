//! Marks: instructions that do nothing, which whoever watches the core sees.
//!
//! A mark is `slti x0, x0, N`, of the encodings that the architecture leaves for
//! such use. It takes one cycle, and so does a span between two marks that have
//! nothing between them.

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
/// Begins a span with nothing in it.
pub const NOTHING: u16 = 6;
/// Ends a span with nothing in it.
pub const NOTHING_END: u16 = 7;

/// Marks this point. Memory accesses stay on their side of it.
#[inline(always)]
pub fn mark<const ID: u16>() {
    #[cfg(target_os = "none")]
    // SAFETY: it writes no register and no memory.
    unsafe {
        core::arch::asm!("slti x0, x0, {id}", id = const ID, options(nostack, preserves_flags));
    }
}
