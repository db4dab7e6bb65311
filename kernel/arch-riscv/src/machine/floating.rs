//! Floating point, lazily: see the crate's documentation for the policy.
//!
//! ```text
//!            first use traps (1)
//!     off ------------------------> on, registers are the thread's
//!      ^                             |
//!      +--- the thread leaves (2) ---+     it comes back and still owns: (3)
//! ```
//! (1) [`take`]: saves the owner's if dirty, loads or zeroes. (2) [`admit`] of
//! the next thread notes dirtiness. (3) [`admit`] switches on without a load.

use core::arch::global_asm;

use super::csr::{FS, read, write};
use super::hart::HartBlock;
use crate::context::Context;
use crate::floating::Floating;

global_asm!(
    ".option push",
    ".option arch, +d",
    ".macro FLOATING operation, base",
    ".irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31",
    "\\operation f\\n, \\n*8(\\base)",
    ".endr",
    ".endm",
    ".pushsection .text.giornata_floating, \"ax\"",
    // a0 = floating
    "giornata_save_floating:",
    "FLOATING fsd, a0",
    "frcsr t0",
    "sw t0, {CONTROL}(a0)",
    "ret",
    "giornata_load_floating:",
    "FLOATING fld, a0",
    "lw t0, {CONTROL}(a0)",
    "fscsr t0",
    "ret",
    "giornata_clear_floating:",
    ".irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31",
    "fcvt.d.w f\\n, zero",
    ".endr",
    "fscsr zero",
    "ret",
    ".popsection",
    ".option pop",
    CONTROL = const Floating::CONTROL,
);

unsafe extern "C" {
    fn giornata_save_floating(floating: &Floating);
    fn giornata_load_floating(floating: &Floating);
    fn giornata_clear_floating();
}

/// `mstatus`: on, and as it is in memory.
const FS_CLEAN: usize = 2 << 13;
/// `misa`: the hart has doubles, and so singles.
const DOUBLES: usize = 1 << 3;

/// The thread is about to run where another, or an earlier job of its own, ran:
/// its floating point is on only if it owns the registers. O(1).
pub(super) fn admit(hart: &HartBlock, context: &'static Context) {
    let status = read!("mstatus");
    if status & FS == FS {
        hart.dirty.set(true);
    }
    let state = if owns(hart, context) { FS_CLEAN } else { 0 };
    // SAFETY: FS is on for the owner only (Owner Invariant).
    unsafe { write!("mstatus", status & !FS | state) };
}

/// The thread starts anew: whatever it had is dropped. O(1).
pub(super) fn forget(hart: &HartBlock, context: &'static Context) {
    if owns(hart, context) {
        hart.owner.set(None);
    }
}

/// After an illegal instruction of the current thread: gives it the registers
/// if it has not got them, and answers whether the instruction is worth
/// another try. O(1), about 100 instructions.
pub(super) fn take(hart: &HartBlock, context: &'static Context) -> bool {
    let status = read!("mstatus");
    if status & FS != 0 || read!("misa") & DOUBLES == 0 {
        return false;
    }
    // SAFETY: the kernel uses no floating point; user mode sees the end only.
    unsafe { write!("mstatus", status | FS) };
    hand_over(hart, context);
    // SAFETY: the registers are the current thread's now (Owner Invariant).
    unsafe { write!("mstatus", status | FS_CLEAN) };
    true
}

fn hand_over(hart: &HartBlock, context: &'static Context) {
    if let (true, Some(owner)) = (hart.dirty.replace(false), hart.owner.get()) {
        // SAFETY: floating point is on, and the values are the owner's (Owner Invariant).
        unsafe { giornata_save_floating(&owner.floating) };
        owner.floating.saved.set(true);
    }
    hart.owner.set(Some(context));
    if context.floating.saved.get() {
        // SAFETY: floating point is on, and the thread is about to own it.
        unsafe { giornata_load_floating(&context.floating) };
    } else {
        // SAFETY: as above.
        unsafe { giornata_clear_floating() };
    }
}

fn owns(hart: &HartBlock, context: &'static Context) -> bool {
    hart.owner
        .get()
        .is_some_and(|owner| core::ptr::eq(owner, context))
}
