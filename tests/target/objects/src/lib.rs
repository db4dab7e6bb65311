//! Threads that synchronise by objects. Each scenario is a system file beside
//! this crate; the order of the logged words is the result.
//!
//! All system files number their objects alike: mutex, semaphore, condition.

#![no_std]

use giornata_rt::sync::{Condition, Locked, Mutex, Semaphore, Woken};
use giornata_rt::time::{self, Duration, Instant};
use giornata_rt::{Error, log, process, shutdown, thread};

const MUTEX: Mutex = Mutex::new(0);
const SEMAPHORE: Semaphore = Semaphore::new(1);
const CONDITION: Condition = Condition::new(2);

/// Lets `millis` of the caller's own execution time pass.
fn work(millis: u64) {
    let spent = || thread::cpu_time().unwrap_or(Duration::ZERO);
    let start = spent();
    while spent().0 < start.0 + millis * 1_000_000 {
        for _ in 0..1000 {
            core::hint::spin_loop();
        }
    }
}

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

/// Has the mutex for 4 ms of work, from the start.
#[thread]
fn low() {
    let guard = MUTEX.lock();
    log!("low has it: {}", name(&guard));
    work(4);
    log!("low gives it back");
    drop(guard);
    log!("low is done");
}

/// Would keep `low`, and so `high`, from running.
#[thread]
fn middle() {
    sleep_until(2);
    log!("middle begins");
    work(2);
    log!("middle is done");
}

#[thread]
fn high() {
    sleep_until(1);
    log!("high wants it");
    let guard = MUTEX.lock();
    log!("high has it: {}", name(&guard));
    drop(guard);
    log!("high is done");
}

/// Letters for [`receive`], and how many have been written.
static LETTERS: Locked<[u32; 2]> = Locked::new(MUTEX, [0, 0]);

/// Writes a letter each 2 ms.
#[thread]
fn send() {
    for letter in 1..=3 {
        sleep_until(2 * u64::from(letter));
        let Ok(mut letters) = LETTERS.lock() else {
            return log!("send: no letters");
        };
        *letters = [letter * 11, letter];
        drop(letters);
        log!("sent {letter}: {}", name(&CONDITION.signal()));
    }
}

/// Waits for each letter, and at last for one that does not come.
#[thread]
fn receive() {
    let Ok(mut letters) = LETTERS.lock() else {
        return log!("receive: no letters");
    };
    for letter in 1..=3 {
        letters = match CONDITION.wait_while(letters, |letters| letters[1] < letter) {
            Ok(letters) => letters,
            Err(error) => return log!("receive: {}", error.name()),
        };
        log!("received {}", letters[0]);
    }
    match CONDITION.wait_until(letters, at(20)) {
        Ok((letters, woken)) => log!("{} {}", letters[1], woken == Woken::TimedOut),
        Err(error) => log!("receive: {}", error.name()),
    }
}

/// Gives three, more than the semaphore counts to.
#[thread]
fn give() {
    for _ in 0..3 {
        log!("give: {}", name(&SEMAPHORE.release()));
    }
    sleep_until(10);
    log!("give: {}", name(&SEMAPHORE.release()));
}

/// Takes what is there, and waits for more.
#[thread]
fn take() {
    sleep_until(1);
    for _ in 0..3 {
        log!("take: {}", name(&SEMAPHORE.try_acquire()));
    }
    log!("take: {}", name(&SEMAPHORE.acquire_until(at(5))));
    log!("take: {}", name(&SEMAPHORE.acquire()));
}

/// Ends with the mutex, which others want.
#[thread]
fn leave() {
    core::mem::forget(MUTEX.lock());
    log!("again: {}", name(&MUTEX.lock()));
    sleep_until(4);
    log!("leaves");
}

#[thread]
fn inherit_it() {
    sleep_until(1);
    log!("at once: {}", name(&MUTEX.try_lock()));
    log!("in time: {}", name(&MUTEX.lock_until(at(2))));
    let died = MUTEX.lock().map(|guard| guard.owner_died());
    log!("owner died: {}", died == Ok(true));
    let died = MUTEX.lock().map(|guard| guard.owner_died());
    log!("owner died: {}", died == Ok(true));
}

/// Deletes what [`await_end`] waits for, and makes it anew.
#[thread]
fn replace() {
    sleep_until(1);
    log!("delete: {}", name(&SEMAPHORE.delete()));
    log!("delete: {}", name(&SEMAPHORE.delete()));
    let made = SEMAPHORE.create();
    log!("create: {}, {}", name(&made), name(&SEMAPHORE.create()));
    log!("by its old name: {}", name(&SEMAPHORE.release()));
    log!(
        "by its new name: {}",
        name(&made.and_then(Semaphore::release))
    );
}

#[thread]
fn await_end() {
    log!("wait: {}", name(&SEMAPHORE.acquire()));
    log!("wait: {}", name(&SEMAPHORE.acquire()));
    sleep_until(2);
    let new = SEMAPHORE.open();
    log!(
        "wait for the new one: {}",
        name(&new.and_then(Semaphore::acquire))
    );
}

/// Tries what its process is not granted.
#[thread]
fn intrude() {
    sleep_until(10);
    log!("lock: {}", name(&MUTEX.lock()));
    log!("give: {}", name(&SEMAPHORE.open()));
    log!("signal: {}", name(&CONDITION.signal()));
    log!("delete: {}", name(&CONDITION.delete()));
}

/// Stops the machine at 60 ms.
#[thread]
fn finish() {
    sleep_until(60);
    log!("not stopped: {}", shutdown(0).name());
}

process! {
    threads: [
        low, middle, high, send, receive, give, take, leave, inherit_it, replace, await_end, intrude, finish,
    ],
}
