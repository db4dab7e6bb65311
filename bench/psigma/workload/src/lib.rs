//! What the threads and tasks of the suite `psigma` do, on several harts.
//!
//! All system files number their objects alike: the mutex `bus`, the semaphore `ready`, the
//! mailbox `orders`.

#![no_std]

mod alone;
mod background;
mod jobs;
mod rising;
mod storm;

use alone::lone;
use background::{busy_0, busy_1, busy_2, busy_3, busy_4, busy_5, busy_6};
use giornata_rt::process;
use jobs::{job_0, job_1, job_2, job_3, job_4, job_5, job_6, job_7, job_8, job_9};
use rising::{riser, riser_later};
use storm::{caller_0, caller_1, caller_2, caller_3, caller_4, caller_5, doomed, server, talker};

/// As all system files number their objects.
mod object {
    use giornata_rt::mailbox::Mailbox;
    use giornata_rt::sync::{Mutex, Semaphore};

    pub(crate) const BUS: Mutex = Mutex::new(0);
    pub(crate) const READY: Semaphore = Semaphore::new(1);
    pub(crate) const ORDERS: Mailbox = Mailbox::new(2);
}

/// Numbers without a pattern: Marsaglia's xorshift.
struct Random(u32);

impl Random {
    fn next(&mut self) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 17;
        self.0 ^= self.0 << 5;
        self.0
    }
}

/// Computes for so many rounds of some ten cycles, in registers: the harts share one bus, on
/// which every store goes.
fn compute(rounds: u32) {
    let mut random = Random(core::hint::black_box(1));
    for _ in 0..rounds {
        random.next();
    }
    core::hint::black_box(random.0);
}

process! {
    tasks: [job_0, job_1, job_2, job_3, job_4, job_5, job_6, job_7, job_8, job_9],
    threads: [
        lone, riser, riser_later,
        busy_0, busy_1, busy_2, busy_3, busy_4, busy_5, busy_6,
        caller_0, caller_1, caller_2, caller_3, caller_4, caller_5, server, talker, doomed,
    ],
}
