//! Memory that processes share (EMERALDS 6.2).

use core::ffi::{c_int, c_void};
use core::ptr::with_exposed_provenance_mut;

use giornata_rt::call::Number;
use giornata_rt::{Error, call};

use crate::answer::{code, index, tell};

/// See `giornata.h`.
///
/// # Safety
/// `memory` and `length` are null or may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn shm_attach(
    region: Number,
    how: u32,
    memory: *mut *mut c_void,
    length: *mut usize,
) -> c_int {
    let attached = loop {
        match index(region).and_then(|region| call::attach_region(region, how as usize)) {
            // the kernel zeroes it, a piece a call
            Err(Error::EAGAIN) => {}
            attached => break attached,
        }
    };
    let address = attached.map(|(address, _)| with_exposed_provenance_mut(address));
    // SAFETY: by contract.
    match unsafe { tell(address, memory) } {
        // SAFETY: by contract.
        0 => unsafe { tell(attached.map(|(_, bytes)| bytes), length) },
        refused => refused,
    }
}

/// See `giornata.h`.
#[unsafe(no_mangle)]
pub extern "C" fn shm_detach(region: Number) -> c_int {
    code(index(region).and_then(call::detach_region))
}
