//! The clock: nanoseconds since the system started.

pub use giornata_abi::{Duration, Instant};

use giornata_abi::Error;

/// The clock at the entry of this call. For a task this is *physical* time:
/// a program that looks at it is no longer the same on every board.
/// [`Instant::START`] where it may not be asked (an upcall).
pub fn now() -> Instant {
    crate::call::clock().unwrap_or(Instant::START)
}

/// Blocks until `instant`; returns at once if it has passed. `EPERM` for tasks
/// and upcalls.
pub fn sleep_until(instant: Instant) -> Result<(), Error> {
    crate::call::sleep(instant)
}

/// The first instant after `now` that lies `offset` after a multiple of `period`,
/// which is not 0: where programs act at multiples, a server that wakes between
/// them keeps nobody.
pub const fn next_between(now: Instant, period: Duration, offset: Duration) -> Instant {
    let rounds = match now.0.checked_sub(offset.0) {
        Some(since) => since / period.0 + 1,
        None => 0,
    };
    Instant(rounds.saturating_mul(period.0).saturating_add(offset.0))
}

/// Blocks for `duration` from now. A periodic thread is better served by
/// [`sleep_until`], which does not drift.
pub fn sleep(duration: Duration) -> Result<(), Error> {
    sleep_until(now() + duration)
}
