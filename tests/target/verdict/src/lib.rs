//! Threads that go wrong in a way of their own each. What a run of them comes to stands
//! in `NAME.verdict` beside its system file.

#![no_std]

use giornata_rt::time::{self, Duration, Instant};
use giornata_rt::{log, process, shutdown, thread};

fn sleep_until(millis: u64) {
    if let Err(error) = time::sleep_until(Instant(millis * 1_000_000)) {
        log!("sleep: {}", error.name());
    }
}

/// Waits for a while, and then never again.
#[thread]
fn spin() {
    sleep_until(20);
    loop {
        core::hint::spin_loop();
    }
}

/// Looks at something every millisecond.
#[thread]
fn poll() {
    loop {
        if time::sleep(Duration::from_millis(1)).is_err() {
            return;
        }
    }
}

/// Waits for something that does not come.
#[thread]
fn wait() {
    sleep_until(1_000_000);
}

/// Has work for as long as nobody else has.
#[thread]
fn fill() {
    loop {
        core::hint::spin_loop();
    }
}

/// Finds something in its first lives that it did not think of.
#[thread]
fn trip() {
    sleep_until(5);
    let mut readings = [7, 0].into_iter();
    let (Some(reading), Some(count)) = (readings.next(), readings.next()) else {
        return;
    };
    log!(
        "mean: {}",
        core::hint::black_box(reading) / core::hint::black_box(count)
    );
}

/// Ends the run.
#[thread]
fn finish() {
    sleep_until(50);
    shutdown(0);
}

process! {
    threads: [spin, poll, wait, fill, trip, finish],
}
