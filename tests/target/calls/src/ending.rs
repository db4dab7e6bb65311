//! Calls that end their caller.

#[cfg(target_os = "none")]
use giornata_rt::{abi::call::Call, call};
use giornata_rt::{log, thread};

/// Goes through addresses and lengths of messages, one for each life.
#[thread]
pub(crate) fn panic_everywhere() {
    let Ok(own) = thread::own() else { return };
    let life = usize::from(own.generation());
    let places = crate::value::places();
    let lengths = crate::value::LENGTHS;
    match places.get(life / lengths.len()) {
        Some(place) => panic_with(place.address, lengths[life % lengths.len()]),
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
    log!("exits");
    thread::exit()
}
