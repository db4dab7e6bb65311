//! Threads (EMERALDS 4).

use core::ffi::{c_int, c_void};

use giornata_rt::thread::{self, Body};
use giornata_rt::{Duration, Id, Instant};

use crate::answer::{code, priority, tell};

/// See `giornata.h`.
///
/// # Safety
/// `thread` is null or may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn create_thread(
    body: Body,
    argument: usize,
    urgency: u32,
    thread: *mut Id,
) -> c_int {
    let made = priority(urgency).and_then(|urgency| thread::create(body, argument, urgency));
    // SAFETY: by contract.
    unsafe { tell(made, thread) }
}

/// See `giornata.h`.
///
/// # Safety
/// `value` is null or may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn join_thread(thread: Id, value: *mut usize) -> c_int {
    // SAFETY: by contract.
    unsafe { join_thread_until(thread, Instant::NEVER, value) }
}

/// See `giornata.h`.
///
/// # Safety
/// `value` is null or may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn join_thread_until(thread: Id, until: Instant, value: *mut usize) -> c_int {
    // SAFETY: by contract.
    unsafe { tell(thread::join_until(thread, until), value) }
}

/// See `giornata.h`.
#[unsafe(no_mangle)]
pub extern "C" fn detach_thread(thread: Id) -> c_int {
    code(thread::detach(thread))
}

/// See `giornata.h`.
#[unsafe(no_mangle)]
pub extern "C" fn gio_exit(value: *mut c_void) -> ! {
    thread::exit_with(value.expose_provenance())
}

/// See `giornata.h`.
#[unsafe(no_mangle)]
pub extern "C" fn gio_yield() {
    thread::yield_now();
}

/// See `giornata.h`.
///
/// # Safety
/// `thread` is null or may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gio_own(thread: *mut Id) -> c_int {
    // SAFETY: by contract.
    unsafe { tell(thread::own(), thread) }
}

/// See `giornata.h`.
#[unsafe(no_mangle)]
pub extern "C" fn gio_set_priority(thread: Id, urgency: u32) -> c_int {
    code(priority(urgency).and_then(|urgency| thread::set_priority(thread, urgency)))
}

/// See `giornata.h`.
///
/// # Safety
/// `spent` is null or may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gio_cpu_time(spent: *mut Duration) -> c_int {
    // SAFETY: by contract.
    unsafe { tell(thread::cpu_time(), spent) }
}

/// See `giornata.h`.
///
/// # Safety
/// `bytes` and `used` are null or may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gio_stack(bytes: *mut usize, used: *mut usize) -> c_int {
    let stack = thread::stack();
    // SAFETY: by contract.
    match unsafe { tell(stack.map(|stack| stack.size), bytes) } {
        // SAFETY: by contract.
        0 => unsafe { tell(stack.map(|stack| stack.used), used) },
        error => error,
    }
}
