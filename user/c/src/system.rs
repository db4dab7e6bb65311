//! What is of all objects, and of the system.

use core::ffi::{CStr, c_char, c_int};

use giornata_rt::call::Number;
use giornata_rt::log::Writer;
use giornata_rt::{Error, call};

use crate::answer::{code, index, tell};

/// Makes the object of a slot.
///
/// # Safety
/// `object` is null or may be written.
pub(crate) unsafe fn create(slot: Number, object: *mut Number) -> c_int {
    let made = index(slot).and_then(call::create_object);
    // SAFETY: by contract.
    unsafe { tell(made, object) }
}

/// Ends an object.
pub(crate) fn delete(object: Number) -> c_int {
    code(call::delete_object(object))
}

/// See `giornata.h`.
///
/// # Safety
/// `object` is null or may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gio_open(slot: Number, object: *mut Number) -> c_int {
    let found = index(slot).and_then(call::open_object);
    // SAFETY: by contract.
    unsafe { tell(found, object) }
}

/// See `giornata.h`.
#[unsafe(no_mangle)]
pub extern "C" fn gio_null() -> c_int {
    code(call::null())
}

/// See `giornata.h`.
///
/// # Safety
/// A text that ends with 0 lies at `text`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gio_log(text: *const c_char) {
    // SAFETY: by contract.
    let text = unsafe { CStr::from_ptr(text) };
    let mut writer = Writer::new();
    writer.push(text.to_bytes());
    writer.finish();
}

/// See `giornata.h`.
#[unsafe(no_mangle)]
pub extern "C" fn gio_shutdown(status: u32) -> c_int {
    match u8::try_from(status) {
        Ok(status) => giornata_rt::shutdown(status) as c_int,
        Err(_) => Error::EINVAL as c_int,
    }
}
