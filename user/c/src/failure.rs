//! A process in C that ends itself because something is wrong.

use core::ffi::{CStr, c_char, c_int};

use giornata_rt::call;

/// See `giornata.h`.
///
/// # Safety
/// Texts that end with 0 and never change lie at `text` and `file`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gio_fail(text: *const c_char, file: *const c_char, line: c_int) -> ! {
    // SAFETY: by contract.
    let text = unsafe { CStr::from_ptr(text) };
    // SAFETY: by contract.
    let file = unsafe { CStr::from_ptr(file) };
    call::panic(text.to_bytes(), file.to_bytes(), line as u32)
}
