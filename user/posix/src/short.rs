//! Locking and unlocking a mutex that nobody waits for: without an entry, and in as few
//! instructions as there can be. What is not so is left to [`mutex`](crate::mutex).
//!
//! The shortest ways are restartable themselves, under the Restart Invariant of `giornata_rt`:
//! a block of eight instructions, of which the last is the store; then what comes after it; and
//! a block that leaves the rest to another function.

use core::arch::naked_asm;
use core::ffi::c_int;
use core::mem::offset_of;

use giornata_rt::sync::{CEILING_AT_HAND, PENDING_AT_HAND, WORD_AT_HAND};

use crate::mutex::{
    Mutex, PROTECT, RECURSIVE, ROBUST, leave_ceiling, lock_at_ceiling, lock_for_ever, unlock_any,
};
use crate::thread::Place;

/// The instruction that loads an address.
#[cfg(target_pointer_width = "64")]
macro_rules! load {
    () => {
        "ld "
    };
}
/// The instruction that loads an address.
#[cfg(target_pointer_width = "32")]
macro_rules! load {
    () => {
        "lw "
    };
}
/// The instruction that stores one.
#[cfg(target_pointer_width = "64")]
macro_rules! save {
    () => {
        "sd "
    };
}
/// The instruction that stores one.
#[cfg(target_pointer_width = "32")]
macro_rules! save {
    () => {
        "sw "
    };
}

/// See POSIX, `pthread_mutex_lock()`. Blocks while another thread has it. No entry if nobody
/// has it.
///
/// `EDEADLK`: the caller has it (type `ERRORCHECK`, which is the default), has it in a circle
/// of owners that wait, or its owner ended and it is not robust. `EOWNERDEAD`: the caller has
/// it, the owner before ended. `ENOTRECOVERABLE`, `EAGAIN`: as in POSIX. `EINVAL`: the
/// caller's priority is above the ceiling, or it is destroyed.
///
/// # Safety
/// A mutex lies at `mutex`: all zero, or initialised.
#[unsafe(no_mangle)]
#[unsafe(naked)]
#[unsafe(link_section = ".text.giornata_restartable.lock")]
pub unsafe extern "C" fn pthread_mutex_lock(mutex: *const Mutex) -> c_int {
    naked_asm!(
        ".cfi_startproc",
        ".option push",
        ".option norvc",
        "lbu a3, {kind}(a0)",
        "lw a2, {mine}(tp)",
        "lw t0, {word}(a0)",
        "andi a3, a3, {protect}",
        "bnez a3, 1f",
        "nop",
        "bnez t0, 1f",
        "sw a2, {word}(a0)",
        ".balign 32",
        "li a0, 0",
        "ret",
        ".balign 32",
        "1:",
        "tail {lock}",
        ".option pop",
        ".cfi_endproc",
        kind = const offset_of!(Mutex, kind),
        word = const Mutex::WORD,
        mine = const WORD_AT_HAND,
        protect = const PROTECT,
        lock = sym lock,
    )
}

/// The same of one that another has; or of one with a ceiling: `a3` is not 0 then, and `a2` the
/// caller's word.
#[unsafe(naked)]
unsafe extern "C" fn lock(mutex: *const Mutex) -> c_int {
    naked_asm!(
        ".cfi_startproc",
        "bnez a3, 2f",
        "1:",
        "tail {lock}",
        // the caller publishes the ceiling, unless it has a higher one
        "2:",
        "lui a4, %tprel_hi(giornata_posix_place)",
        "add a4, a4, tp, %tprel_add(giornata_posix_place)",
        concat!(load!(), "a4, %tprel_lo(giornata_posix_place)(a4)"),
        "lbu a5, {ceiling}(a0)",
        "beqz a4, 1b",
        "lw a7, {priority}(a4)",
        "lw a6, {published}(tp)",
        "bltu a5, a7, 1b",
        "bgeu a6, a5, 3f",
        "sw a5, {published}(tp)",
        "3:",
        "j giornata_posix_take_protected",
        ".cfi_endproc",
        ceiling = const offset_of!(Mutex, ceiling),
        priority = const Place::PRIORITY,
        published = const CEILING_AT_HAND,
        lock = sym lock_for_ever,
    )
}

/// The caller's place is in `a4`, its word in `a2`; it had the ceiling in `a6` before.
#[unsafe(naked)]
#[unsafe(link_section = ".text.giornata_restartable.take_protected")]
#[unsafe(no_mangle)]
unsafe extern "C" fn giornata_posix_protected_block(mutex: *const Mutex) -> c_int {
    naked_asm!(
        ".cfi_startproc",
        ".option push",
        ".option norvc",
        ".fill 3, 4, 0x13", // nop
        ".globl giornata_posix_take_protected",
        "giornata_posix_take_protected:",
        "lw t0, {word}(a0)",
        concat!(load!(), "a1, {mutexes}(a4)"),
        "mv a3, a0",
        "bnez t0, 1f",
        "sw a2, {word}(a0)",
        ".balign 32",
        "sb a6, {outer}(a3)",
        concat!(save!(), "a3, {mutexes}(a4)"),
        concat!(save!(), "a1, {before}(a3)"),
        "li a0, 0",
        "ret",
        ".balign 32",
        "1:",
        "mv a1, a6",
        "tail {lock_at_ceiling}",
        ".option pop",
        ".cfi_endproc",
        word = const Mutex::WORD,
        outer = const offset_of!(Mutex, outer),
        before = const offset_of!(Mutex, before),
        mutexes = const offset_of!(Place, mutexes),
        lock_at_ceiling = sym lock_at_ceiling,
    )
}

/// See POSIX, `pthread_mutex_unlock()`. Does not block; no entry if nobody waits. `EPERM`: the
/// caller does not have it.
///
/// # Safety
/// As [`pthread_mutex_lock`].
#[unsafe(no_mangle)]
#[unsafe(naked)]
#[unsafe(link_section = ".text.giornata_restartable.unlock")]
pub unsafe extern "C" fn pthread_mutex_unlock(mutex: *const Mutex) -> c_int {
    naked_asm!(
        ".cfi_startproc",
        ".option push",
        ".option norvc",
        "lbu a3, {kind}(a0)",
        "lw a1, {mine}(tp)",
        "lw t0, {word}(a0)",
        "andi a3, a3, {other}",
        "bnez a3, 1f",
        "nop",
        "bne t0, a1, 1f",
        "sw zero, {word}(a0)",
        ".balign 32",
        "li a0, 0",
        "ret",
        ".balign 32",
        "1:",
        "tail {unlock}",
        ".option pop",
        ".cfi_endproc",
        kind = const offset_of!(Mutex, kind),
        word = const Mutex::WORD,
        mine = const WORD_AT_HAND,
        other = const RECURSIVE | ROBUST | PROTECT,
        unlock = sym unlock,
    )
}

/// The same of one that threads wait for, or of another kind, of which `a3` has the bits; `a1`
/// is the caller's word.
#[unsafe(naked)]
unsafe extern "C" fn unlock(mutex: *const Mutex) -> c_int {
    naked_asm!(
        ".cfi_startproc",
        // the last with a ceiling that the caller has locked
        "addi a3, a3, -{protect}",
        "beqz a3, 2f",
        "1:",
        "tail {unlock}",
        "2:",
        "lui a4, %tprel_hi(giornata_posix_place)",
        "add a4, a4, tp, %tprel_add(giornata_posix_place)",
        concat!(load!(), "a4, %tprel_lo(giornata_posix_place)(a4)"),
        "beqz a4, 1b",
        concat!(load!(), "a5, {mutexes}(a4)"),
        "lbu a6, {outer}(a0)",
        "bne a5, a0, 1b",
        concat!(load!(), "a5, {before}(a0)"),
        "j giornata_posix_give_protected",
        ".cfi_endproc",
        outer = const offset_of!(Mutex, outer),
        before = const offset_of!(Mutex, before),
        mutexes = const offset_of!(Place, mutexes),
        protect = const PROTECT,
        unlock = sym unlock_any,
    )
}

/// The caller's place is in `a4`, its word in `a1`; it locked the mutex in `a5` before, and
/// goes back to the ceiling in `a6`.
#[unsafe(naked)]
#[unsafe(link_section = ".text.giornata_restartable.give_protected")]
#[unsafe(no_mangle)]
unsafe extern "C" fn giornata_posix_give_block(mutex: *const Mutex) -> c_int {
    naked_asm!(
        ".cfi_startproc",
        ".option push",
        ".option norvc",
        ".fill 5, 4, 0x13", // nop
        ".globl giornata_posix_give_protected",
        "giornata_posix_give_protected:",
        "lw t0, {word}(a0)",
        "bne t0, a1, 1f",
        "sw zero, {word}(a0)",
        ".balign 32",
        concat!(save!(), "a5, {mutexes}(a4)"),
        "sw a6, {published}(tp)",
        // (the kernel notes a preemption as long as the ceiling is there)
        "lw a7, {pending}(tp)",
        "li a0, 0",
        "bnez a7, 2f",
        "ret",
        ".balign 32",
        "1:",
        "tail {unlock}",
        ".balign 32",
        "2:",
        "mv a0, a6",
        "tail {leave_ceiling}",
        ".option pop",
        ".cfi_endproc",
        word = const Mutex::WORD,
        mutexes = const offset_of!(Place, mutexes),
        published = const CEILING_AT_HAND,
        pending = const PENDING_AT_HAND,
        unlock = sym unlock_any,
        leave_ceiling = sym leave_ceiling,
    )
}
