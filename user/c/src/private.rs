//! Mutexes and semaphores of one process, which its threads take and give without a
//! call. `struct gio_private_mutex` and `struct gio_private_semaphore` are those of
//! `giornata_rt`.

use core::ffi::c_int;

use giornata_rt::sync::{PrivateMutex, PrivateSemaphore};
use giornata_rt::{Error, Instant};

use crate::answer::code;

/// See `giornata.h`.
#[unsafe(no_mangle)]
pub extern "C" fn gio_private_mutex_lock(mutex: &PrivateMutex) -> c_int {
    gio_private_mutex_lock_until(mutex, Instant::NEVER)
}

/// See `giornata.h`.
#[unsafe(no_mangle)]
pub extern "C" fn gio_private_mutex_trylock(mutex: &PrivateMutex) -> c_int {
    gio_private_mutex_lock_until(mutex, Instant::START)
}

/// See `giornata.h`.
#[unsafe(no_mangle)]
pub extern "C" fn gio_private_mutex_lock_until(mutex: &PrivateMutex, until: Instant) -> c_int {
    let taken = mutex.lock_until(until).and_then(|guard| {
        let owner_died = guard.owner_died();
        // the caller gives it back
        core::mem::forget(guard);
        if owner_died {
            Err(Error::EOWNERDEAD)
        } else {
            Ok(())
        }
    });
    code(taken)
}

/// See `giornata.h`.
#[unsafe(no_mangle)]
pub extern "C" fn gio_private_mutex_unlock(mutex: &PrivateMutex) -> c_int {
    code(mutex.unlock())
}

/// See `giornata.h`.
#[unsafe(no_mangle)]
pub extern "C" fn gio_private_semaphore_lock(semaphore: &PrivateSemaphore) -> c_int {
    code(semaphore.acquire())
}

/// See `giornata.h`.
#[unsafe(no_mangle)]
pub extern "C" fn gio_private_semaphore_trylock(semaphore: &PrivateSemaphore) -> c_int {
    code(semaphore.try_acquire())
}

/// See `giornata.h`.
#[unsafe(no_mangle)]
pub extern "C" fn gio_private_semaphore_lock_until(
    semaphore: &PrivateSemaphore,
    until: Instant,
) -> c_int {
    code(semaphore.acquire_until(until))
}

/// See `giornata.h`.
#[unsafe(no_mangle)]
pub extern "C" fn gio_private_semaphore_unlock(semaphore: &PrivateSemaphore) -> c_int {
    code(semaphore.release())
}
