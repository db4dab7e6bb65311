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
//! A thread that begins (each job of a task does) has none: core clears
//! `Thread::floating`, and then neither what the hart holds nor what memory holds of it
//! counts.

use core::arch::global_asm;
use core::cell::Cell;
use core::mem::offset_of;

use giornata_next_core::boot::FLOATING_BYTES;
use giornata_next_core::{Ref, Thread};

use super::boot::kernel;
use super::csr::{FS, read, write};

/// What the hart knows of its floating-point registers.
#[repr(C)]
struct Hart {
    /// Whose values they hold.
    owner: Cell<Option<Ref<Thread>>>,
    /// 1: they have changed since they were loaded.
    dirty: Cell<usize>,
}

// SAFETY: one hart, one function of the kernel at a time (Hart Invariant).
unsafe impl Sync for Hart {}

static HART: Hart = Hart {
    owner: Cell::new(None),
    dirty: Cell::new(0),
};

global_asm!(
    ".option push",
    ".option arch, +d",
    ".macro FLOATING operation, base",
    ".irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31",
    "\\operation f\\n, \\n*8(\\base)",
    ".endr",
    ".endm",
    ".pushsection .text.cold.giornata_floating, \"ax\"",
    // a0 = where they are kept
    "giornata_save_floating:",
    "FLOATING fsd, a0",
    "frcsr t0",
    "sw t0, 256(a0)",
    "ret",
    "giornata_load_floating:",
    "FLOATING fld, a0",
    "lw t0, 256(a0)",
    "fscsr t0",
    "ret",
    "giornata_clear_floating:",
    ".irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31",
    "fcvt.d.w f\\n, zero",
    ".endr",
    "fscsr zero",
    "ret",
    ".popsection",
    // a1 runs next, after any other; returns to t0 and preserves all but t registers
    ".pushsection .text.giornata_trap, \"ax\"",
    ".globl giornata_admit_floating",
    "giornata_admit_floating:",
    "csrr t1, mstatus",
    "la t2, {HART}",
    "li t3, {FS}",
    "and t4, t1, t3",
    "bne t4, t3, 1f", // dirty: all bits are set
    "sw t3, {DIRTY}(t2)",
    "1:",
    "xor t1, t1, t4", // off
    ".if {WORD} == 8",
    "ld t2, {OWNER}(t2)",
    ".else",
    "lw t2, {OWNER}(t2)",
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
    HART = sym HART,
    OWNER = const offset_of!(Hart, owner),
    DIRTY = const offset_of!(Hart, dirty),
    HAS = const offset_of!(Thread, floating),
    FS = const FS,
    CLEAN = const FS_CLEAN,
    WORD = const size_of::<usize>(),
);

unsafe extern "C" {
    fn giornata_save_floating(at: usize);
    fn giornata_load_floating(at: usize);
    fn giornata_clear_floating();
}

/// `mstatus`: on, and as it is in memory.
const FS_CLEAN: usize = 2 << 13;
/// `misa`: the hart has doubles, and so singles.
const DOUBLES: usize = 1 << 3;

/// After an illegal instruction of the running thread: gives it the registers if it has
/// not got them, and returns whether the instruction is worth another try. O(1), about
/// 100 instructions.
pub(super) fn take(me: Ref<Thread>) -> bool {
    let status = read!("mstatus");
    let kept = kernel().boot.floating;
    if status & FS != 0 || kept == 0 || read!("misa") & DOUBLES == 0 {
        return false;
    }
    // SAFETY: the kernel uses no floating point; user mode sees the end only.
    unsafe { write!("mstatus", status | FS) };
    let place =
        |of: Ref<Thread>| kept.wrapping_add((of.number() as usize).wrapping_mul(FLOATING_BYTES));
    if let (1.., Some(owner)) = (HART.dirty.replace(0), HART.owner.get())
        && owner.floating.get() != 0
    {
        // SAFETY: floating point is on, the values are the owner's (Owner Invariant), and
        // the builder keeps room for each thread's (Memory Invariant).
        unsafe { giornata_save_floating(place(owner)) };
    }
    HART.owner.set(Some(me));
    if me.floating.replace(1) != 0 {
        // SAFETY: as above, of the thread that is about to own the registers.
        unsafe { giornata_load_floating(place(me)) };
    } else {
        // SAFETY: floating point is on, and no value is lost.
        unsafe { giornata_clear_floating() };
    }
    // SAFETY: the registers are the running thread's now (Owner Invariant).
    unsafe { write!("mstatus", status | FS_CLEAN) };
    true
}
