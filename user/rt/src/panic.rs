//! A panic is a fault of the process, and of the process alone.

use core::panic::PanicInfo;

/// Debug builds tell file and line; release builds say nothing, so that no
/// text of a panic stays in the image.
#[panic_handler]
fn fault(info: &PanicInfo<'_>) -> ! {
    match info.location() {
        Some(place) if cfg!(debug_assertions) => crate::call::panic(place.file(), place.line()),
        _ => crate::call::panic("", 0),
    }
}
