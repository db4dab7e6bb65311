//! Condition variables (EMERALDS 7.2).

use core::ffi::c_int;

use giornata_rt::call::Number;
use giornata_rt::sync::PrivateMutex;
use giornata_rt::{Instant, call};

use crate::answer::code;
use crate::system::{create, delete};

/// See `giornata.h`.
///
/// # Safety
/// `condition` is null or may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cv_create(slot: Number, condition: *mut Number) -> c_int {
    // SAFETY: by contract.
    unsafe { create(slot, condition) }
}

/// See `giornata.h`.
#[unsafe(no_mangle)]
pub extern "C" fn cv_delete(condition: Number) -> c_int {
    delete(condition)
}

/// See `giornata.h`.
#[unsafe(no_mangle)]
pub extern "C" fn cv_wait(condition: Number, mutex: Number) -> c_int {
    cv_wait_until(condition, mutex, Instant::NEVER)
}

/// See `giornata.h`.
#[unsafe(no_mangle)]
pub extern "C" fn cv_wait_until(condition: Number, mutex: Number, until: Instant) -> c_int {
    code(call::wait(condition, mutex, until))
}

/// See `giornata.h`.
#[unsafe(no_mangle)]
pub extern "C" fn cv_wait_private(
    condition: Number,
    mutex: &PrivateMutex,
    until: Instant,
) -> c_int {
    let (id, word) = (mutex.id().0, mutex.address());
    code(call::wait_word(condition, id, until, word))
}

/// See `giornata.h`.
#[unsafe(no_mangle)]
pub extern "C" fn cv_signal(condition: Number) -> c_int {
    code(call::signal(condition))
}

/// See `giornata.h`.
#[unsafe(no_mangle)]
pub extern "C" fn cv_broadcast(condition: Number) -> c_int {
    code(call::broadcast(condition))
}
