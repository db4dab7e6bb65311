//! Clock and timers (EMERALDS 7.5).

use core::ffi::{c_int, c_void};
use core::ptr::with_exposed_provenance;

use giornata_rt::{Duration, Id, Instant, time};

use crate::answer::code;
use crate::thread::create_thread;

/// `struct gio_timer`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Timer {
    routine: extern "C" fn(argument: *mut c_void) -> Duration,
    argument: *mut c_void,
    next: Instant,
}

/// See `giornata.h`.
#[unsafe(no_mangle)]
pub extern "C" fn gio_clock() -> Instant {
    time::now()
}

/// See `giornata.h`.
#[unsafe(no_mangle)]
pub extern "C" fn gio_sleep_until(until: Instant) -> c_int {
    code(time::sleep_until(until))
}

/// See `giornata.h`.
#[unsafe(no_mangle)]
pub extern "C" fn start_timer(delay: Duration) -> c_int {
    code(time::sleep(delay))
}

/// See `giornata.h`.
///
/// # Safety
/// A `Timer` lies at `timer`, which nobody else uses as long as the thread lives, and
/// its routine may be called there with its argument; `thread` is null or may be
/// written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn start_timer_isr(
    timer: *mut Timer,
    delay: Duration,
    urgency: u32,
    thread: *mut Id,
) -> c_int {
    // SAFETY: by contract.
    unsafe { (*timer).next = time::now() + delay };
    // SAFETY: by contract.
    unsafe { create_thread(serve, timer.expose_provenance(), urgency, thread) }
}

/// The thread of a timer: runs its routine at the instants that this asks for. Ends
/// with the error of a wait, or 0.
extern "C" fn serve(timer: usize) -> usize {
    // SAFETY: by the contract of `start_timer_isr`.
    let mut timer = unsafe { with_exposed_provenance::<Timer>(timer).read() };
    loop {
        if let Err(error) = time::sleep_until(timer.next) {
            return error as usize;
        }
        match (timer.routine)(timer.argument) {
            Duration::ZERO => return 0,
            delay => timer.next = timer.next + delay,
        }
    }
}
