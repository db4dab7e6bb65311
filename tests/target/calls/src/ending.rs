//! Calls that end their caller.

use giornata_rt::time::{self, Instant};
#[cfg(target_os = "none")]
use giornata_rt::{abi::call::Call, call};
use giornata_rt::{log, thread};

use crate::value::{MESSAGES, places};

/// When the sweeps are over, which count threads and their generations.
const AFTER_SWEEPS: Instant = Instant(250_000_000);

/// Goes through addresses and lengths of messages, one for each life. The
/// process's own text is left out: its bytes change with every build.
#[thread]
pub(crate) fn panic_everywhere() {
    // Never refused to a thread.
    let _ = time::sleep_until(AFTER_SWEEPS);
    let Ok(own) = thread::own() else { return };
    let life = usize::from(own.generation());
    let mut places = places().into_iter().filter(|place| !place.is_text);
    match places.nth(life / MESSAGES.len()) {
        Some(place) => panic_with(place.address, MESSAGES[life % MESSAGES.len()]),
        None => log!("panicked everywhere"),
    }
}

#[cfg(target_os = "none")]
fn panic_with(address: usize, length: usize) {
    // SAFETY: the kernel reads, if anything.
    let answer = unsafe { call::raw(Call::Panic as usize, [address, length, usize::MAX, 0, 0, 0]) };
    log!("panic({address:#x}, {length:#x}) answered {answer:x?}");
}

/// Panics as the host does.
#[cfg(not(target_os = "none"))]
fn panic_with(address: usize, length: usize) {
    panic!("message of {length} bytes at {address:#x}");
}

/// Ends itself; never comes back.
#[thread]
pub(crate) fn exit_now() -> ! {
    // Never refused to a thread.
    let _ = time::sleep_until(AFTER_SWEEPS);
    log!("exits");
    thread::exit()
}
