//! Lies in the control page, which the kernel reads and must not believe.

use giornata_rt::abi::control::ControlPage;
use giornata_rt::time::{self, Duration};
use giornata_rt::{Control, log, thread};

const BYTES: usize = size_of::<ControlPage>();

/// Writes noise all over its page and sleeps on it, again and again.
#[thread]
pub(crate) fn scribble_page(control: Control) {
    let Ok(before) = thread::own() else { return };
    let mut noise = 1u8;
    for round in 0..200u32 {
        let page = control.address();
        for offset in 0..BYTES {
            noise = noise.wrapping_mul(29).wrapping_add(round as u8);
            // SAFETY: the thread's own page, whose fields take any value.
            unsafe { page.wrapping_add(offset).write_volatile(noise) };
        }
        if let Err(error) = time::sleep(Duration::from_micros(500)) {
            log!("sleep: {}", error.name());
        }
        if thread::own() != Ok(before) {
            log!("the kernel believed the page");
        }
    }
    log!("scribbled");
}

/// Claims to be thread 0 and in a job that has time for ever.
#[thread]
pub(crate) fn forge_job(control: Control) {
    let page = control.address();
    for offset in 0..24 {
        // (slot 0, and the serial number of its first thread)
        let byte = match offset {
            4 => 1,
            0..8 => 0,
            _ => 0xFF,
        };
        // SAFETY: the thread's own page, whose fields take any value.
        unsafe { page.wrapping_add(offset).write_volatile(byte) };
    }
    let moved = thread::set_priority(control.thread(), 99);
    log!(
        "thread 0 as its own: {}",
        moved.err().map_or("done", |error| error.name())
    );
    loop {
        core::hint::spin_loop();
    }
}

/// Holds the highest ceiling there is, for ever.
#[thread]
pub(crate) fn raise_ceiling(control: Control) {
    control.with_ceiling(255, || {
        loop {
            core::hint::spin_loop();
        }
    });
}
