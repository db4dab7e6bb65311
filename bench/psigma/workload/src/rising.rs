//! Threads that the timer wakes.

use bench_marks::mark;
use bench_marks::psigma::WOKEN;
use giornata_rt::thread;
use giornata_rt::time::{self, Duration, Instant};

use crate::{Random, compute};

/// Nanoseconds to the next instant: at least, and within how many more. (A prime of cycles.)
const LEAST: u64 = 60_000;
const WITHIN: u32 = 4_001;
/// How much seldomer the other wakes up.
const SELDOM: u64 = 5;
/// Of a cycle.
const CYCLE: u64 = 10;

/// Wakes up at instants without a pattern.
fn rise(mut random: Random) {
    let mut at = time::now().0;
    loop {
        at += LEAST + CYCLE * u64::from(random.next() % WITHIN);
        // never refused to a thread
        let _ = time::sleep_until(Instant(at));
        mark::<WOKEN>();
    }
}

/// The most urgent.
#[thread]
pub(crate) fn riser() {
    rise(Random(0x6107_1077));
}

/// Another, which computes then.
#[thread]
pub(crate) fn riser_later() {
    let mut random = Random(0x2511_1998);
    loop {
        let nanoseconds = LEAST + CYCLE * u64::from(random.next() % WITHIN);
        let _ = time::sleep(Duration(SELDOM * nanoseconds));
        compute(random.next() % 64);
    }
}
