//! Sets of signals.

use core::ffi::c_int;

use crate::error::{Errno, or_minus_one};
use crate::signal::{ALL, Set, bit};

/// See POSIX, `sigaddset()`. `EINVAL`: there is no such signal.
///
/// # Safety
/// `set` may be read and written; so below.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sigaddset(set: *mut Set, number: c_int) -> c_int {
    // SAFETY: by contract.
    let set = unsafe { &mut *set };
    or_minus_one(in_set(number).map(|number| {
        *set |= bit(number);
        0
    }))
}

/// See POSIX, `sigdelset()`. `EINVAL`: there is no such signal.
///
/// # Safety
/// As [`sigaddset`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sigdelset(set: *mut Set, number: c_int) -> c_int {
    // SAFETY: by contract.
    let set = unsafe { &mut *set };
    or_minus_one(in_set(number).map(|number| {
        *set &= !bit(number);
        0
    }))
}

/// See POSIX, `sigismember()`. `EINVAL`: there is no such signal.
///
/// # Safety
/// As [`sigaddset`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sigismember(set: *const Set, number: c_int) -> c_int {
    // SAFETY: by contract.
    let set = unsafe { set.read() };
    or_minus_one(in_set(number).map(|number| c_int::from(set & bit(number) != 0)))
}

/// See POSIX, `sigemptyset()`.
///
/// # Safety
/// `set` may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sigemptyset(set: *mut Set) -> c_int {
    // SAFETY: by contract.
    unsafe { set.write(0) };
    0
}

/// See POSIX, `sigfillset()`.
///
/// # Safety
/// As [`sigemptyset`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sigfillset(set: *mut Set) -> c_int {
    // SAFETY: by contract.
    unsafe { set.write(ALL) };
    0
}

fn in_set(number: c_int) -> Result<c_int, Errno> {
    match number {
        1..64 => Ok(number),
        _ => Err(Errno::EINVAL),
    }
}
