//! Threads that get in each other's way, on however many harts: what they come to is the same.

#![no_std]

use core::hint::black_box;

use giornata_rt::mailbox::Mailbox;
use giornata_rt::region::Region;
use giornata_rt::restartable::Word;
use giornata_rt::sync::{Mutex, Semaphore};
use giornata_rt::time::{self, Instant};
use giornata_rt::{call, log, process, request, shutdown, thread};

/// As `crowd.toml` numbers its objects.
const BUS: Mutex = Mutex::new(0);
const GATE: Mutex = Mutex::new(1);
const DONE: Semaphore = Semaphore::new(2);
const ORDERS: Mailbox = Mailbox::new(3);

const WORKERS: usize = 8;
const JOBS: u32 = 20;
/// Nanoseconds.
const MILLISECOND: u64 = 1_000_000;

/// What each worker has come to. (Each word has one writer.)
static SUMS: [Word; WORKERS] = [const { Word::new(0) }; WORKERS];
/// Who is inside of what `BUS` protects: 0 is nobody.
static INSIDE: Word = Word::new(0);
/// How often somebody else was. (Written inside only.)
static INTRUDERS: Word = Word::new(0);

fn compute(rounds: u32, mut seed: u32) -> u32 {
    for _ in 0..rounds {
        seed = black_box(seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223));
    }
    seed
}

/// The same with floating point, in whose registers the value is all the time.
fn compute_real(rounds: u32, mut value: f64) -> f64 {
    for _ in 0..rounds {
        value = black_box(value * 0.75 + 1.0 / (value + 2.0));
    }
    value
}

fn add(to: &Word, value: u32) {
    to.store(to.load().wrapping_add(value));
}

/// Nobody else is inside, now or when this has computed for a while.
fn be_inside(me: u32, seed: u32) -> u32 {
    if INSIDE.load() != 0 {
        add(&INTRUDERS, 1);
    }
    INSIDE.store(me);
    let seed = compute(3_000, seed);
    if INSIDE.load() != me {
        add(&INTRUDERS, 1);
    }
    INSIDE.store(0);
    seed
}

fn work(number: usize) {
    let period = (2 + number as u64) * MILLISECOND;
    let mut at = 5 * MILLISECOND;
    let mut seed = number as u32 + 1;
    let mut real = number as f64;
    for job in 0..JOBS {
        at += period;
        if time::sleep_until(Instant(at)).is_err() {
            return;
        }
        seed = compute(2_000, seed);
        real = compute_real(100, real + f64::from(seed >> 24));
        let mutex = if number.is_multiple_of(2) {
            &BUS
        } else {
            &GATE
        };
        let Ok(guard) = mutex.lock() else { return };
        seed = match number % 2 {
            0 => be_inside(number as u32 + 1, seed),
            _ => compute(1_000, seed),
        };
        drop(guard);
        let Ok(answer) = ORDERS.call(0, [number as u32, job, seed, 0]) else {
            return;
        };
        let sum = &SUMS[number];
        let bits = real.to_bits();
        let real = (bits ^ bits >> 32) as u32;
        sum.store(sum.load().rotate_left(1) ^ answer[0] ^ real);
    }
    let _ = DONE.release();
}

macro_rules! workers {
    ($($name:ident: $number:literal,)*) => {
        $(#[thread]
        fn $name() {
            work($number);
        })*
    };
}

workers! {
    worker_0: 0, worker_1: 1, worker_2: 2, worker_3: 3,
    worker_4: 4, worker_5: 5, worker_6: 6, worker_7: 7,
}

macro_rules! busy {
    ($($name:ident)*) => {
        $(#[thread]
        fn $name() {
            loop {
                black_box(compute(1_000, 1));
                black_box(compute_real(10, 1.0));
            }
        })*
    };
}

busy! { busy_0 busy_1 busy_2 busy_3 busy_4 }

/// Computes for whoever asks, as urgent as that.
#[thread]
fn server() {
    let Ok(mut asked) = ORDERS.receive_request() else {
        return;
    };
    loop {
        let [number, job, seed, _] = asked.words;
        let answer = compute(500, seed ^ number << 8 ^ job);
        match request::reply_receive(asked.client, [answer, 0, 0, 0]) {
            Ok(next) => asked = next,
            Err(_) => return,
        }
    }
}

/// Tells what all have come to.
#[thread]
fn judge() {
    for _ in 0..WORKERS {
        if DONE.acquire().is_err() {
            return;
        }
    }
    for (number, sum) in SUMS.iter().enumerate() {
        let sum = sum.load();
        log!("worker {number}: {sum:08x}");
    }
    log!("intruders: {}", INTRUDERS.load());
    shutdown(0);
}

/// As `detach.toml` numbers its region.
const RING: Region = Region::new(0);
/// Where it lies, when it is attached.
static PLACE: Word = Word::new(0);

/// Reads the region all the time, without a call.
#[thread]
fn reader() {
    let Ok(ring) = RING.attach() else { return };
    PLACE.store(ring.address() as u32);
    while let Ok(0) = ring.load(0) {}
    log!("the region holds something");
}

/// Takes the region from the reader, whose hart has it.
#[thread]
fn closer() {
    let _ = time::sleep_until(Instant(2 * MILLISECOND));
    log!("the reader reads: {}", PLACE.load() != 0);
    let detached = call::detach_region(0);
    log!("detached: {}", detached.is_ok());
    let _ = time::sleep_until(Instant(6 * MILLISECOND));
    log!("outlived");
}

/// Ends the machine when all has happened.
#[thread]
fn finish() {
    let _ = time::sleep_until(Instant(10 * MILLISECOND));
    shutdown(0);
}

process! {
    threads: [
        reader, closer, finish,
        worker_0, worker_1, worker_2, worker_3, worker_4, worker_5, worker_6, worker_7,
        server, judge, busy_0, busy_1, busy_2, busy_3, busy_4,
    ]
}
