//! A mutex whose owner waits for another one.
//!
//! ```text
//! last    lock first  start |                            | unlock |
//! middle                    | lock second, lock first ---|        | unlock ...
//! first                       ready: lock second ---> last
//! ```

use bench_marks::emeralds::CHAIN;
use bench_marks::mark;
use giornata_rt::abi::Instant;
use giornata_rt::{Error, call, thread};

use crate::{BUS, READY, ROUNDS, SECOND, SPARE_READY, end};

const FOR_EVER: Instant = Instant::NEVER;

/// Owns the end of the chain: what it goes on with ends the span.
#[thread]
pub(crate) fn last() {
    let all = || -> Result<(), Error> {
        call::lock(BUS, FOR_EVER)?;
        // the middle owns the second, and wants the first; then who is measured comes
        call::unlock(READY)?;
        call::unlock(SPARE_READY)?;
        mark::<{ CHAIN + 1 }>();
        call::unlock(BUS)
    };
    end((0..ROUNDS).all(|_| all().is_ok()));
}

/// The middle of the chain.
#[thread]
pub(crate) fn middle() {
    let all = || -> Result<(), Error> {
        call::lock(READY, FOR_EVER)?;
        call::lock(SECOND, FOR_EVER)?;
        call::lock(BUS, FOR_EVER)?;
        call::unlock(BUS)?;
        call::unlock(SECOND)
    };
    while all().is_ok() {}
    end(false);
}

/// Its lock is what is measured.
#[thread]
pub(crate) fn begins() {
    let all = || -> Result<(), Error> {
        call::lock(SPARE_READY, FOR_EVER)?;
        mark::<CHAIN>();
        call::lock(SECOND, FOR_EVER)?;
        call::unlock(SECOND)
    };
    while all().is_ok() {}
    end(false);
}
