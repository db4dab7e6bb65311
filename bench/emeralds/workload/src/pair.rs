//! A thread and one that is more urgent: each waits for what the other has.
//!
//! ```text
//! low    lock  give |                | unlock |            | signal |
//! high              | ready: lock ---|        | wait ------|        | ready
//! ```

use bench_marks::emeralds::{
    GIVE_SWITCH, LOCK_SWITCH, SIGNAL_SWITCH, TAKE_SWITCH, UNLOCK_SWITCH, WAIT_SWITCH,
};
use bench_marks::{mark, measured};
use giornata_rt::abi::Instant;
use giornata_rt::{Error, call, thread};

use crate::{BUS, CHANGE, READY, ROUNDS, end};

const FOR_EVER: Instant = Instant::NEVER;

/// The one that is less urgent.
#[thread]
pub(crate) fn low() {
    let all = || -> Result<(), Error> {
        call::lock(BUS, FOR_EVER)?;
        measured!(GIVE_SWITCH: call::unlock(READY))?;
        measured!(UNLOCK_SWITCH: call::unlock(BUS))?;
        measured!(SIGNAL_SWITCH: call::signal(CHANGE))
    };
    end((0..ROUNDS).all(|_| all().is_ok()));
}

/// The one that is more urgent. The mark behind what it waited in ends what led to
/// it, too.
#[thread]
pub(crate) fn high() {
    let all = || -> Result<(), Error> {
        call::lock(READY, FOR_EVER)?;
        mark::<{ GIVE_SWITCH + 1 }>();
        measured!(LOCK_SWITCH: call::lock(BUS, FOR_EVER))?;
        measured!(WAIT_SWITCH: call::wait(CHANGE, BUS, FOR_EVER))?;
        call::unlock(BUS)
    };
    while all().is_ok() {}
    end(false);
}

/// Takes a semaphore that is not there; who gives it goes on.
#[thread]
pub(crate) fn taking() {
    while measured!(TAKE_SWITCH: call::lock(READY, FOR_EVER)).is_ok() {}
    end(false);
}

/// Gives it.
#[thread]
pub(crate) fn giving_on() {
    end((0..ROUNDS).all(|_| call::unlock(READY).is_ok()));
}
