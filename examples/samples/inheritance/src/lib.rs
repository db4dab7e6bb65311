//! The mutex of a bus is taken by the least urgent of three threads when the most
//! urgent asks for it. Without inheritance `middle`, which does not need the bus, would
//! run for 20 ms before `low` could give it back.

#![no_std]

#[allow(dead_code, reason = "all that system.toml names")]
mod identifiers {
    include!(concat!(env!("OUT_DIR"), "/identifiers.rs"));
}

use giornata_rt::time::{self, Duration, Instant};
use giornata_rt::{log, process, thread};
use identifiers::MUTEX_BUS;

/// Uses up so much execution time of the calling thread.
fn work(duration: Duration) {
    let spent = || thread::cpu_time().unwrap_or(Duration::ZERO).0;
    let start = spent();
    while spent() - start < duration.0 {}
}

fn sleep_until(millis: u64) {
    // refused to tasks and upcalls only
    let _ = time::sleep_until(Instant(millis * 1_000_000));
}

/// Has the bus from 0 ms on, for 10 ms of its own time.
#[thread]
fn low() {
    if let Ok(bus) = MUTEX_BUS.lock() {
        work(Duration::from_millis(10));
        log!("low gives the bus back");
        drop(bus);
    }
}

/// Is ready from 3 ms on.
#[thread]
fn middle() {
    sleep_until(3);
    work(Duration::from_millis(20));
    log!("middle is done");
}

/// Wants the bus at 2 ms.
#[thread]
fn high() {
    sleep_until(2);
    if MUTEX_BUS.lock().is_ok() {
        log!("high has the bus");
    }
}

process! { threads: [low, middle, high] }
