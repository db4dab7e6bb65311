//! A thread waits for a semaphore and locks a mutex then, which who gives to the
//! semaphore has: what it saves to tell the kernel before (EMERALDS, section 7).
//!
//! ```text
//! giving    lock  give |            | unlock |        lock  give, unlock |
//! given                | lock ------|        | ...                       | ...
//!                        not told                      told
//! ```

use bench_marks::emeralds::{GIVE_LOCK, GIVE_LOCK_TOLD};
use bench_marks::mark;
use giornata_rt::abi::Instant;
use giornata_rt::sync::Mutex;
use giornata_rt::{Error, call, thread};

use crate::{BUS, READY, ROUNDS, end};

/// The one that is less urgent.
#[thread]
pub(crate) fn giving() {
    let all = || -> Result<(), Error> {
        call::lock(BUS, Instant::NEVER)?;
        mark::<GIVE_LOCK>();
        call::unlock(READY)?;
        call::unlock(BUS)?;
        call::lock(BUS, Instant::NEVER)?;
        mark::<GIVE_LOCK_TOLD>();
        call::unlock(READY)?;
        call::unlock(BUS)
    };
    end((0..ROUNDS).all(|_| all().is_ok()));
}

/// The one that is more urgent.
#[thread]
pub(crate) fn given() {
    let all = || -> Result<(), Error> {
        call::lock(READY, Instant::NEVER)?;
        call::lock(BUS, Instant::NEVER)?;
        mark::<{ GIVE_LOCK + 1 }>();
        call::unlock(BUS)?;
        let (answer, guard) = Mutex::new(0).lock_after(|| call::lock(READY, Instant::NEVER));
        mark::<{ GIVE_LOCK_TOLD + 1 }>();
        drop(guard?);
        answer
    };
    while all().is_ok() {}
    end(false);
}
