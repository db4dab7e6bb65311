//! Floating point, lazily.
//!
//! ```text
//!            first use traps (1)
//!     off ------------------------> on, the registers are the thread's
//!      ^                             |
//!      +--- the thread leaves (2) ---+     it comes back and still owns them: (3)
//! ```
//! (1) [`take`] saves the owner's registers if they changed, and loads the thread's, or
//! zeroes all if it has none. (2) `giornata_admit_floating`, on the exit path, notes
//! whether they changed, (3) and switches floating point on only for their owner.
//!
//! Of several harts, (2) saves them, and nobody owns them: the thread may come back on another.
//!
//! A thread that begins (each job of a task does) has none: core clears
//! `Thread::floating`, and then neither what the hart holds nor what memory holds of it
//! counts.

use core::arch::global_asm;
use core::mem::offset_of;

use giornata_core::{Machine, Ref, Thread};

use super::boot::{own, system};
use super::csr::{FS, read, write};
use super::hart::Riscv;
use super::record;
use giornata_core::boot::FLOATING_BYTES;

global_asm!(
    ".option push",
    ".option arch, +d",
    // (by `sp`, because then half of them are short)
    ".macro FLOATING operation",
    ".irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31",
    "\\operation f\\n, \\n*8(sp)",
    ".endr",
    ".endm",
    ".pushsection .text.cold.giornata_floating, \"ax\"",
    // a0 = where they are kept
    "giornata_save_floating:",
    "mv t1, sp",
    "mv sp, a0",
    "FLOATING fsd",
    "frcsr t0",
    "sw t0, 256(sp)",
    "mv sp, t1",
    "ret",
    "giornata_load_floating:",
    "mv t1, sp",
    "mv sp, a0",
    "FLOATING fld",
    "lw t0, 256(sp)",
    "fscsr t0",
    "mv sp, t1",
    "ret",
    ".popsection",
    // sp = the hart, a1 runs next after another; returns to t0, preserves all but t
    ".pushsection .text.giornata_trap, \"ax\"",
    ".globl giornata_admit_floating",
    "giornata_admit_floating:",
    "csrr t1, mstatus",
    "li t3, {FS}",
    "and t4, t1, t3",
    "bne t4, t3, 1f", // changed: all bits are set
    "sw t3, {CHANGED}(sp)",
    "1:",
    "xor t1, t1, t4", // off
    ".if {WORD} == 8",
    "ld t2, {OWNER}(sp)",
    ".else",
    "lw t2, {OWNER}(sp)",
    ".endif",
    "bne t2, a1, 1f",
    "lbu t2, {HAS}(a1)",
    "beqz t2, 1f",
    "li t2, {CLEAN}",
    "or t1, t1, t2",
    "1:",
    "csrw mstatus, t1",
    "jr t0",
    ".popsection",
    ".option pop",
    OWNER = const record::OWN + own::FLOATING_OWNER * size_of::<usize>(),
    CHANGED = const record::OWN + own::FLOATING_CHANGED * size_of::<usize>(),
    HAS = const offset_of!(Thread, floating),
    FS = const FS,
    CLEAN = const FS_CLEAN,
    WORD = const size_of::<usize>(),
);

unsafe extern "C" {
    fn giornata_save_floating(at: usize);
    fn giornata_load_floating(at: usize);
}

/// `mstatus`: on, and as it is in memory.
const FS_CLEAN: usize = 2 << 13;
/// `misa`: the hart has doubles, and so singles.
const DOUBLES: usize = 1 << 3;

/// The hart leaves the thread whose registers it has, which may go on on another: they are saved
/// if they changed, and nobody owns them.
#[cfg(feature = "harts")]
pub(super) fn leave() {
    let status = read!("mstatus");
    let [_, owner, _, place] = &system().hart().own;
    if owner.replace(0) == 0 {
        return;
    }
    if status & FS == FS {
        // SAFETY: as where they are taken.
        unsafe { giornata_save_floating(place.get()) };
    }
    // SAFETY: the kernel uses no floating point.
    unsafe { write!("mstatus", status & !FS) };
}

/// After an illegal instruction of the running thread: gives it the registers if it has
/// not got them, and returns whether the instruction is worth another try. O(1), about
/// 150 instructions.
pub(super) fn take(me: Ref<Thread>) -> bool {
    let (status, system) = (read!("mstatus"), system());
    let kept = system.settings.floating;
    if status & FS != 0 || kept == 0 || read!("misa") & DOUBLES == 0 {
        return false;
    }
    // SAFETY: the kernel uses no floating point; user mode sees the end only.
    unsafe { write!("mstatus", status | FS) };
    let [_, owner, changed, place] = &system.hart().own;
    if changed.replace(0) != 0 {
        // SAFETY: floating point is on, the values are the owner's (Owner Invariant), and
        // the builder keeps room for each thread's (Memory Invariant).
        unsafe { giornata_save_floating(place.get()) };
    }
    owner.set(core::ptr::from_ref(me).addr());
    place.set(kept.wrapping_add((me.number() as usize).wrapping_mul(FLOATING_BYTES)));
    if me.floating.replace(1) == 0 {
        Riscv::zero(place.get(), FLOATING_BYTES);
    }
    // SAFETY: as above, of the thread that is about to own the registers.
    unsafe { giornata_load_floating(place.get()) };
    // SAFETY: the registers are the running thread's now (Owner Invariant).
    unsafe { write!("mstatus", status | FS_CLEAN) };
    true
}
