//! The registers, at an address that the board's file tells.

/// What the board's file says.
mod board {
    include!(concat!(env!("OUT_DIR"), "/board.rs"));
}

use core::ptr;

#[inline(always)]
pub(crate) fn read(at: usize) -> u32 {
    let register = ptr::with_exposed_provenance::<u32>(board::BASE + at);
    // SAFETY: the board says that the task manager lies there, and grants it to no process; a
    // register is a word at a multiple of four.
    unsafe { register.read_volatile() }
}

#[inline(always)]
pub(crate) fn write(at: usize, value: u32) {
    let register = ptr::with_exposed_provenance_mut::<u32>(board::BASE + at);
    // SAFETY: as of `read`; nothing in memory depends on what it holds.
    unsafe { register.write_volatile(value) }
}
