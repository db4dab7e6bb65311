//! Interrupts in user mode: a driver process for the real-time clock and one
//! for the transmitter of the serial line.

#![no_std]

mod clock;
mod handlers;
mod serial;

use giornata_rt::time::{self, Duration, Instant};
use giornata_rt::{Error, interrupt, log, process, shutdown, thread};

use clock::RealTimeClock;
use handlers::{command, intrude, locate};
use serial::Transmitter;

const CLOCK_LINE: u16 = 11;
const SERIAL_LINE: u16 = 10;

/// A driver of a device that the process is granted; else the process dies.
fn granted<T>(driver: Result<T, Error>) -> T {
    match driver {
        Ok(driver) => driver,
        Err(_) => panic!("grant it its device"),
    }
}

fn wait(line: u16) -> bool {
    match interrupt::wait(line) {
        Ok(()) => true,
        Err(error) => {
            log!("line {line}: {}", error.name());
            false
        }
    }
}

/// Ten alarms of the clock, a millisecond each, awaited one by one.
#[thread]
fn tick() {
    let mut clock = granted(RealTimeClock::granted());
    for round in 1..=10 {
        let before = time::now();
        clock.alarm_in(Duration::from_millis(1));
        if !wait(CLOCK_LINE) {
            return;
        }
        let late = time::now().since(before + Duration::from_millis(1));
        clock.acknowledge();
        // `since` is zero for what came early; the alarm's grain is 100 ns.
        let early = time::now().since(before).0 < 999_900;
        log!(
            "tick {round}{}{}",
            if early { " early" } else { "" },
            if late.0 > 50_000 { " late" } else { "" }
        );
    }
    come_before_the_wait(&mut clock);
}

/// An alarm that rings while its thread does something else is not lost.
fn come_before_the_wait(clock: &mut RealTimeClock) {
    clock.alarm_in(Duration::from_micros(100));
    // Never refused to a thread.
    let _ = time::sleep(Duration::from_millis(1));
    if wait(CLOCK_LINE) {
        clock.acknowledge();
        log!("it had come before");
    }
}

/// Waits for the line that `tick` waits for.
#[thread]
fn second_waiter() {
    // Never refused to a thread.
    let _ = time::sleep_until(Instant(500_000));
    log!("second waiter");
    wait(CLOCK_LINE);
}

/// Sends zeros, which mean nothing on the line, a byte an interrupt.
#[thread]
fn transmit() {
    let mut serial = granted(Transmitter::granted());
    serial.enable();
    for byte in 1..=4 {
        if !wait(SERIAL_LINE) {
            return;
        }
        log!("byte {byte} for cause {}", serial.cause());
        serial.send(0);
    }
    serial.disable();
    log!("sent");
}

/// Has no grant for anybody's line.
#[thread]
fn stranger() {
    for line in [0, CLOCK_LINE, SERIAL_LINE, 12, 1023, u16::MAX] {
        if wait(line) {
            log!("line {line} came");
        }
    }
}

/// A storm: every interrupt brings the next one about at once, for ever.
#[thread]
fn weather_storm() {
    let mut serial = granted(Transmitter::granted());
    serial.enable();
    let mut count = 0u32;
    while wait(SERIAL_LINE) {
        count += 1;
        if count == 1000 {
            log!("weathered {count}");
        }
        if serial.cause() != 0 {
            serial.send(0);
        }
    }
}

/// The same storm, more urgent than all others; nobody but the kernel holds it back.
#[thread]
fn be_throttled() {
    let mut serial = granted(Transmitter::granted());
    serial.enable();
    let mut last = None;
    let mut shortest = Duration::from_millis(1000);
    // (the first is not held back)
    for _ in 0..=100 {
        if !wait(SERIAL_LINE) {
            return;
        }
        let now = time::now();
        if let Some(last) = last.replace(now) {
            shortest = shortest.min(now.since(last));
        }
        if serial.cause() != 0 {
            serial.send(0);
        }
    }
    let is_held_back = shortest >= Duration::from_micros(90);
    log!("100 interrupts, held back: {is_held_back}");
    while wait(SERIAL_LINE) {
        if serial.cause() != 0 {
            serial.send(0);
        }
    }
}

/// Faults between an interrupt and its acknowledgement, life after life.
#[thread]
fn fault_in_handler() {
    let Ok(own) = thread::own() else { return };
    let mut clock = granted(RealTimeClock::granted());
    clock.alarm_in(Duration::from_micros(100));
    log!("life {}", own.generation());
    if own.generation() < 3 && wait(CLOCK_LINE) {
        panic!("in the handler");
    }
    log!("line {CLOCK_LINE} came: {}", wait(CLOCK_LINE));
    clock.acknowledge();
}

/// Shows that a thread gets on while handlers run, and in time if it is more
/// urgent than they.
#[thread]
fn background() {
    for step in 1..=3 {
        let instant = Instant(step * 5_000_000);
        // Never refused to a thread.
        let _ = time::sleep_until(instant);
        let late = time::now().since(instant) > Duration::from_micros(50);
        log!("background {step}{}", if late { " late" } else { "" });
    }
}

/// Stops the machine at 20 ms.
#[thread]
fn finish() {
    // Never refused to a thread.
    let _ = time::sleep_until(Instant(20_000_000));
    log!("not stopped: {}", shutdown(0).name());
}

/// Sleeps for longer than 32 bits of the timer count, twice, and stops the machine.
#[thread]
fn sleep_long() {
    for minutes in [8, 16] {
        // Never refused to a thread.
        let _ = time::sleep_until(Instant(minutes * 60 * 1_000_000_000));
        log!("woke after {} min", time::now().0 / 60_000_000_000);
    }
    log!("not stopped: {}", shutdown(0).name());
}

process! {
    threads: [
        tick, second_waiter, transmit, stranger, weather_storm, be_throttled, fault_in_handler, background, finish, sleep_long,
        command, intrude, locate,
    ],
}
