//! Cancellation: a thread ends at the request of another, where it can be left.
//!
//! The request interrupts it as a signal does, so a wait ends; functions that are points of
//! cancellation look for one before they wait and when a wait has ended so.

use core::ffi::c_int;
use core::ptr::null_mut;

use crate::error::{Errno, number};
use crate::lock::inside;
use crate::signal;
use crate::thread::{self, pthread_exit};

/// `PTHREAD_CANCEL_DISABLE` and `PTHREAD_CANCEL_ASYNCHRONOUS`; the other value of each is 0.
const DISABLE: c_int = 1;
const ASYNCHRONOUS: c_int = 1;

/// A point of cancellation: the caller ends here if it was asked to and may be.
#[inline]
pub(crate) fn test() {
    let own = thread::own();
    if own.is_cancelled.get() && !own.is_kept.get() {
        own.is_kept.set(true);
        // (`PTHREAD_CANCELED`)
        pthread_exit(null_mut::<core::ffi::c_void>().wrapping_byte_sub(1))
    }
}

/// Ends the caller if it can be cancelled anywhere.
pub(crate) fn test_anywhere() {
    if thread::own().is_asynchronous.get() {
        test();
    }
}

/// Runs `wait` as a point of cancellation: looks before, and after it was interrupted.
pub(crate) fn point<R>(wait: impl FnOnce() -> R) -> R {
    test();
    let result = wait();
    test();
    result
}

/// See POSIX, `pthread_cancel()`. Does not block. One entry, if the thread may be cancelled.
/// `ESRCH`: there is no such thread.
#[unsafe(no_mangle)]
pub extern "C" fn pthread_cancel(thread: u64) -> c_int {
    let found = inside(|| {
        let place = thread::find(thread)?;
        place.is_cancelled.set(true);
        let is_own = core::ptr::eq(place, thread::own());
        let is_due = place.is_kept.get() || is_own || place.due.replace(true);
        Ok((!is_due).then_some(place))
    });
    number(found.map(|place| {
        if let Some(place) = place {
            signal::interrupt(place);
        }
        test_anywhere();
    }))
}

/// See POSIX, `pthread_setcancelstate()`. No entry. `EINVAL`: it is none of the two.
///
/// # Safety
/// `before` is null or may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pthread_setcancelstate(state: c_int, before: *mut c_int) -> c_int {
    let own = thread::own();
    // SAFETY: by contract.
    number(set(&own.is_kept, state, DISABLE, unsafe {
        before.as_mut()
    }))
}

/// See POSIX, `pthread_setcanceltype()`. No entry. `EINVAL`: it is none of the two.
///
/// # Safety
/// As [`pthread_setcancelstate`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pthread_setcanceltype(kind: c_int, before: *mut c_int) -> c_int {
    let own = thread::own();
    let place = &own.is_asynchronous;
    // SAFETY: by contract.
    number(set(place, kind, ASYNCHRONOUS, unsafe { before.as_mut() }))
}

fn set(
    place: &core::cell::Cell<bool>,
    value: c_int,
    yes: c_int,
    before: Option<&mut c_int>,
) -> Result<(), Errno> {
    if value & !yes != 0 {
        return Err(Errno::EINVAL);
    }
    let old = place.replace(value == yes);
    if let Some(before) = before {
        *before = c_int::from(old);
    }
    test_anywhere();
    Ok(())
}

/// See POSIX, `pthread_testcancel()`. No entry.
#[unsafe(no_mangle)]
pub extern "C" fn pthread_testcancel() {
    test();
}
