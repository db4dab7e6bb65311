//! Semaphores (EMERALDS 7.1): mutexes and those that count, by one set of names.

use core::ffi::c_int;

use giornata_rt::call::Number;
use giornata_rt::{Instant, call};

use crate::answer::code;
use crate::system::{create, delete};

/// See `giornata.h`.
///
/// # Safety
/// `semaphore` is null or may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sem_create(slot: Number, semaphore: *mut Number) -> c_int {
    // SAFETY: by contract.
    unsafe { create(slot, semaphore) }
}

/// See `giornata.h`.
#[unsafe(no_mangle)]
pub extern "C" fn sem_delete(semaphore: Number) -> c_int {
    delete(semaphore)
}

/// See `giornata.h`.
#[unsafe(no_mangle)]
pub extern "C" fn sem_lock(semaphore: Number) -> c_int {
    sem_lock_until(semaphore, Instant::NEVER)
}

/// See `giornata.h`.
#[unsafe(no_mangle)]
pub extern "C" fn sem_trylock(semaphore: Number) -> c_int {
    sem_lock_until(semaphore, Instant::START)
}

/// See `giornata.h`.
#[unsafe(no_mangle)]
pub extern "C" fn sem_lock_until(semaphore: Number, until: Instant) -> c_int {
    code(call::lock(semaphore, until))
}

/// See `giornata.h`.
#[unsafe(no_mangle)]
pub extern "C" fn gio_tell_next_lock(mutex: Number) {
    call::tell_next_lock(mutex);
}

/// See `giornata.h`.
#[unsafe(no_mangle)]
pub extern "C" fn sem_lock_told(mutex: Number) -> c_int {
    code(call::lock_told(mutex))
}

/// See `giornata.h`.
#[unsafe(no_mangle)]
pub extern "C" fn sem_unlock(semaphore: Number) -> c_int {
    code(call::unlock(semaphore))
}
