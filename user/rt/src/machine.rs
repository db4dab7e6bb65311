//! The machine as a whole.

use giornata_abi::Error;

/// Stops the machine with `status`. Returns only when it is refused: `EPERM`
/// without the `shutdown` grant.
pub fn shutdown(status: u8) -> Error {
    crate::call::shutdown(status as usize)
}
