//! Locking and unlocking a mutex that nobody waits for: without an entry, and in as few
//! instructions as there can be. What is not so is left to [`mutex`](crate::mutex).

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
pub unsafe extern "C" fn pthread_mutex_lock(mutex: *const Mutex) -> c_int {
    naked_asm!(
        "lbu a3, {kind}(a0)",
        "lw a2, {mine}(tp)",
        "andi a3, a3, {protect}",
        "bnez a3, 2f",
        "li a1, 0",
        "jal t1, giornata_restartable_swap",
        "bnez t0, 1f",
        "li a0, 0",
        "ret",
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
        "li a1, 0",
        "jal t1, giornata_restartable_swap",
        "bnez t0, 4f",
        concat!(load!(), "a1, {mutexes}(a4)"),
        "sb a6, {outer}(a0)",
        concat!(save!(), "a0, {mutexes}(a4)"),
        concat!(save!(), "a1, {before}(a0)"),
        "li a0, 0",
        "ret",
        "4:",
        "mv a1, a6",
        "tail {lock_at_ceiling}",
        kind = const offset_of!(Mutex, kind),
        ceiling = const offset_of!(Mutex, ceiling),
        outer = const offset_of!(Mutex, outer),
        before = const offset_of!(Mutex, before),
        priority = const Place::PRIORITY,
        mutexes = const offset_of!(Place, mutexes),
        mine = const WORD_AT_HAND,
        published = const CEILING_AT_HAND,
        protect = const PROTECT,
        lock = sym lock_for_ever,
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
pub unsafe extern "C" fn pthread_mutex_unlock(mutex: *const Mutex) -> c_int {
    naked_asm!(
        "lbu a3, {kind}(a0)",
        "lw a1, {mine}(tp)",
        "andi a3, a3, {other}",
        "bnez a3, 2f",
        "li a2, 0",
        "jal t1, giornata_restartable_swap",
        "bne t0, a1, 1f",
        "li a0, 0",
        "ret",
        "1:",
        "tail {unlock}",
        // the last with a ceiling that the caller has locked
        "2:",
        "addi a3, a3, -{protect}",
        "lui a4, %tprel_hi(giornata_posix_place)",
        "add a4, a4, tp, %tprel_add(giornata_posix_place)",
        concat!(load!(), "a4, %tprel_lo(giornata_posix_place)(a4)"),
        "bnez a3, 1b",
        "beqz a4, 1b",
        concat!(load!(), "a5, {mutexes}(a4)"),
        "lbu a6, {outer}(a0)",
        "bne a5, a0, 1b",
        concat!(load!(), "a5, {before}(a0)"),
        "li a2, 0",
        "jal t1, giornata_restartable_swap",
        "bne t0, a1, 1b",
        concat!(save!(), "a5, {mutexes}(a4)"),
        "sw a6, {published}(tp)",
        // (the kernel notes a preemption as long as the ceiling is there)
        "lw a7, {pending}(tp)",
        "li a0, 0",
        "bnez a7, 3f",
        "ret",
        "3:",
        "mv a0, a6",
        "tail {leave_ceiling}",
        kind = const offset_of!(Mutex, kind),
        outer = const offset_of!(Mutex, outer),
        before = const offset_of!(Mutex, before),
        mutexes = const offset_of!(Place, mutexes),
        mine = const WORD_AT_HAND,
        published = const CEILING_AT_HAND,
        pending = const PENDING_AT_HAND,
        protect = const PROTECT,
        other = const RECURSIVE | ROBUST | PROTECT,
        unlock = sym unlock_any,
        leave_ceiling = sym leave_ceiling,
    )
}
