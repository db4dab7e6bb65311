//! Ordinary threads: who runs when. Each scenario is a system file beside this
//! crate that picks its threads, priorities and policies; the order of the
//! logged words is the result.

#![no_std]

use giornata_rt::restartable::Word;
use giornata_rt::time::{self, Duration, Instant};
use giornata_rt::{Control, log, process, shutdown, thread, yield_now};

/// Lets `duration` of the caller's own execution time pass, asking the kernel
/// seldom enough that most of the time is the caller's.
fn work(duration: Duration) {
    let start = spent();
    while spent().0 < start.0 + duration.0 {
        for _ in 0..1000 {
            core::hint::spin_loop();
        }
    }
}

fn spent() -> Duration {
    thread::cpu_time().unwrap_or(Duration::ZERO)
}

fn sleep_until(millis: u64) {
    if let Err(error) = time::sleep_until(Instant(millis * 1_000_000)) {
        log!("sleep: {}", error.name());
    }
}

/// Three rounds with a yield after each.
fn take_turns(name: &str) {
    for round in 1..=3 {
        log!("{name}{round}");
        yield_now();
    }
}

#[thread]
fn turn_a() {
    take_turns("a");
}

#[thread]
fn turn_b() {
    take_turns("b");
}

#[thread]
fn turn_c() {
    take_turns("c");
}

/// Three pieces of 1 ms of execution time, told when done.
fn plod(name: &str) {
    for piece in 1..=3 {
        work(Duration::from_millis(1));
        log!("{name}{piece}");
    }
}

#[thread]
fn plod_a() {
    plod("a");
}

#[thread]
fn plod_b() {
    plod("b");
}

#[thread]
fn plod_c() {
    plod("c");
}

/// Each wakes at its instants; the names tell which.
#[thread]
fn wake_at_3() {
    sleep_until(3);
    log!("woke at 3 ms");
}

#[thread]
fn wake_at_1_and_20() {
    sleep_until(1);
    log!("woke at 1 ms");
    sleep_until(20);
    log!("woke at 20 ms");
}

#[thread]
fn wake_in_the_past() {
    sleep_until(2);
    sleep_until(1);
    log!("woke at {} ms", time::now().0 / 1_000_000);
}

#[thread]
fn sleep_for_ever() {
    match time::sleep_until(Instant::NEVER) {
        Err(error) => log!("never: {}", error.name()),
        Ok(()) => log!("never came"),
    }
}

/// Raises and lowers itself between two threads of fixed priority 20 and 40.
#[thread]
fn change_priority() {
    let Ok(own) = thread::own() else { return };
    for priority in [30, 50, 10, 30] {
        match thread::set_priority(own, priority) {
            Ok(()) => log!("at {priority}"),
            Err(error) => log!("{priority}: {}", error.name()),
        }
        work(Duration::from_micros(100));
    }
}

#[thread]
fn tell_40() {
    sleep_until(5);
    log!("I am 40");
}

#[thread]
fn tell_20() {
    log!("I am 20");
}

/// Holds a ceiling while a more urgent thread wakes.
#[thread]
fn hold_ceiling(control: Control) {
    control.with_ceiling(60, || {
        log!("ceiling up");
        work(Duration::from_millis(3));
        log!("ceiling down");
    });
    log!("after");
}

/// Woken at 1 ms, in the middle of the ceiling.
#[thread]
fn intrude() {
    sleep_until(1);
    log!("intruder");
}

/// A ceiling far above what the process is granted.
#[thread]
fn overreach(control: Control) {
    control.with_ceiling(255, || work(Duration::from_millis(3)));
    log!("overreached");
}

/// Shared by the counters.
static TOTAL: Word = Word::new(0);
static DONE: Word = Word::new(0);
const ADDITIONS: u32 = 10_000;

/// Additions by restartable sequence, under a quantum that cuts them anywhere.
fn count() {
    for _ in 0..ADDITIONS {
        TOTAL.fetch_add(1);
    }
    if DONE.fetch_add(1) == 2 {
        log!("total {}", TOTAL.load());
    }
}

#[thread]
fn count_a() {
    count();
}

#[thread]
fn count_b() {
    count();
}

#[thread]
fn count_c() {
    count();
}

/// Stops the machine at 60 ms.
#[thread]
fn finish() {
    sleep_until(60);
    log!("not stopped: {}", shutdown(0).name());
}

process! {
    threads: [
        turn_a, turn_b, turn_c, plod_a, plod_b, plod_c, wake_at_3, wake_at_1_and_20, wake_in_the_past, sleep_for_ever,
        change_priority, tell_40, tell_20, hold_ceiling, intrude, overreach, count_a, count_b, count_c, finish,
    ],
}
