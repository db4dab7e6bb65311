//! Faults of every kind, one in each life of the process, each in a function of its own:
//! the transcript names the function and the line.

#![cfg(target_os = "none")]
#![no_std]

mod kinds;

use giornata_rt::{log, process, thread};

process! {
    threads: [fault, spin, finish],
}

/// One fault a life.
#[thread]
fn fault() {
    // Never refused to a thread.
    let Ok(own) = thread::own() else { return };
    match kinds::KINDS.get(usize::from(own.generation())) {
        Some((name, kind)) => {
            log!("{name}");
            kind(usize::from(own.generation()) % 100);
            log!("outlived it");
        }
        None => log!("all done"),
    }
}

/// Never ends.
#[thread]
fn spin() {
    loop {
        core::hint::spin_loop();
    }
}

/// Stops the machine when all is over.
#[thread]
fn finish() {
    // Never refused to a thread.
    let _ = giornata_rt::time::sleep_until(giornata_rt::time::Instant(100_000_000));
    giornata_rt::shutdown(0);
}
