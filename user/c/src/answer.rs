//! What calls return to C: 0 or the number of an error, and other results
//! where a pointer says.

use core::ffi::c_int;

use giornata_rt::Error;
use giornata_rt::call::Number;

/// 0, or the number of the error.
pub(crate) fn code<T>(result: Result<T, Error>) -> c_int {
    match result {
        Ok(_) => 0,
        Err(error) => error as c_int,
    }
}

/// The same; what came of the call goes to `place`, unless that is null.
///
/// # Safety
/// Null, or a `T` may be written there.
pub(crate) unsafe fn tell<T>(result: Result<T, Error>, place: *mut T) -> c_int {
    let value = match result {
        Ok(value) => value,
        Err(error) => return error as c_int,
    };
    if !place.is_null() {
        // SAFETY: by contract.
        unsafe { place.write(value) };
    }
    0
}

/// A priority, which has 8 bits: `EINVAL`.
pub(crate) fn priority(number: u32) -> Result<u8, Error> {
    u8::try_from(number).map_err(|_| Error::EINVAL)
}

/// A number of 16 bits, that of a process or slot: `ESRCH`.
pub(crate) fn index(id: Number) -> Result<u16, Error> {
    u16::try_from(id).map_err(|_| Error::ESRCH)
}
