//! Devices and their interrupts (EMERALDS 7.3).

use core::ffi::{c_int, c_void};
use core::ptr::{null_mut, with_exposed_provenance, with_exposed_provenance_mut};

use giornata_rt::device::Device;
use giornata_rt::{Id, interrupt};

use crate::answer::code;
use crate::thread::create_thread;

/// `struct gio_isr`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Isr {
    interrupt: u16,
    routine: extern "C" fn(argument: *mut c_void),
    argument: *mut c_void,
}

/// See `giornata.h`.
#[unsafe(no_mangle)]
pub extern "C" fn map_device(index: u32) -> *mut c_void {
    Device::granted(index as usize).map_or(null_mut(), |device| {
        with_exposed_provenance_mut(device.address())
    })
}

/// See `giornata.h`.
#[unsafe(no_mangle)]
pub extern "C" fn gio_await_interrupt(number: u16) -> c_int {
    code(interrupt::wait(number))
}

/// See `giornata.h`.
///
/// # Safety
/// An `Isr` lies at `isr` as long as the thread lives, and its routine may be called
/// there with its argument; `thread` is null or may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn set_isr(isr: *const Isr, urgency: u32, thread: *mut Id) -> c_int {
    // SAFETY: by contract.
    unsafe { create_thread(serve, isr.expose_provenance(), urgency, thread) }
}

/// The thread of an interrupt: runs its routine at each, and ends with the error of
/// the wait.
extern "C" fn serve(isr: usize) -> usize {
    // SAFETY: by the contract of `set_isr`.
    let isr = unsafe { with_exposed_provenance::<Isr>(isr).read() };
    loop {
        if let Err(error) = interrupt::wait(isr.interrupt) {
            return error as usize;
        }
        (isr.routine)(isr.argument);
    }
}
