//! Semaphores (EMERALDS 7.1): mutexes and those that count, by one set of names.

use core::ffi::c_int;

use giornata_rt::{Instant, call};

use crate::answer::code;
use crate::system::{create, delete};

/// See `giornata.h`.
///
/// # Safety
/// `semaphore` is null or may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sem_create(slot: u32, semaphore: *mut u32) -> c_int {
    // SAFETY: by contract.
    unsafe { create(slot, semaphore) }
}

/// See `giornata.h`.
#[unsafe(no_mangle)]
pub extern "C" fn sem_delete(semaphore: u32) -> c_int {
    delete(semaphore)
}

/// See `giornata.h`.
#[unsafe(no_mangle)]
pub extern "C" fn sem_lock(semaphore: u32) -> c_int {
    sem_lock_until(semaphore, Instant::NEVER)
}

/// See `giornata.h`.
#[unsafe(no_mangle)]
pub extern "C" fn sem_trylock(semaphore: u32) -> c_int {
    sem_lock_until(semaphore, Instant::START)
}

/// See `giornata.h`.
#[unsafe(no_mangle)]
pub extern "C" fn sem_lock_until(semaphore: u32, until: Instant) -> c_int {
    code(call::lock(semaphore, until))
}

/// See `giornata.h`.
#[unsafe(no_mangle)]
pub extern "C" fn gio_tell_next_lock(mutex: u32) {
    call::tell_next_lock(mutex);
}

/// See `giornata.h`.
#[unsafe(no_mangle)]
pub extern "C" fn sem_lock_told(mutex: u32) -> c_int {
    code(call::lock_told(mutex))
}

/// See `giornata.h`.
#[unsafe(no_mangle)]
pub extern "C" fn sem_unlock(semaphore: u32) -> c_int {
    code(call::unlock(semaphore))
}
