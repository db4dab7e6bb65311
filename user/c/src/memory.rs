//! Memory (EMERALDS 7.4).

use core::ffi::c_void;
use core::ptr::null_mut;

use giornata_rt::heap;

/// See `giornata.h`.
#[unsafe(no_mangle)]
pub extern "C" fn mem_alloc(bytes: usize) -> *mut c_void {
    heap::allocate(bytes).map_or(null_mut(), |memory| memory.as_mut_ptr().cast())
}
