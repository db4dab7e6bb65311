//! The Rust half of a process whose other half is `mixed.c`: threads of both take one
//! mutex, and one private semaphore.

#![no_std]

extern crate giornata_c as _;

use giornata_rt::sync::{Condition, Mutex, PrivateSemaphore};
use giornata_rt::time::{self, Instant};
use giornata_rt::{Error, log, process, shutdown, thread};

/// As `mixed.toml` numbers its objects.
const BUS: Mutex = Mutex::new(0);
const CHANGE: Condition = Condition::new(2);
/// What `mixed.c` declares, too.
#[unsafe(no_mangle)]
static SLOTS: PrivateSemaphore = PrivateSemaphore::new(1, 1);

fn at(millis: u64) -> Instant {
    Instant(millis * 1_000_000)
}

fn sleep_until(millis: u64) {
    if let Err(error) = time::sleep_until(at(millis)) {
        log!("sleep: {}", error.name());
    }
}

/// What a call came to, by name.
fn name<T>(result: &Result<T, Error>) -> &'static str {
    match result {
        Ok(_) => "done",
        Err(error) => error.name(),
    }
}

/// Wants what the thread in C has, which runs as urgently from then on.
#[thread]
fn high() {
    sleep_until(2);
    log!("high in Rust wants it");
    let bus = BUS.lock();
    log!("high in Rust has it: {}", name(&bus));
    drop(bus);
    log!("high in Rust is done");
    sleep_until(10);
    log!("high in Rust signals: {}", name(&CHANGE.signal()));
    log!("slot in Rust: {}", name(&SLOTS.try_acquire()));
    log!("slot in Rust: {}", name(&SLOTS.acquire_until(at(20))));
    log!("slot in Rust is had at {} ms", time::now().0 / 1_000_000);
}

#[thread]
fn finish() {
    sleep_until(50);
    log!("refused: {}", shutdown(0).name());
}

process! { threads: [high, finish] }
