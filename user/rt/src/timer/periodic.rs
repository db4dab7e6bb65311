//! Instants at one distance from each other.

use giornata_abi::{Duration, Error, Instant};

use crate::time;

/// An instant that has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Expiry {
    /// The instant as it was set, however late it is now.
    pub at: Instant,
    /// How many came since the one before, and have gone by unused.
    pub missed: u64,
}

/// The expiries that are to come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Series {
    next: Instant,
    /// 0: there is but one.
    period: Duration,
}

impl Series {
    /// None that can be reached.
    pub(super) const NEVER: Series = Series::single(Instant::NEVER);

    /// One.
    pub(super) const fn single(at: Instant) -> Series {
        Series {
            next: at,
            period: Duration::ZERO,
        }
    }

    /// One at `first`, and one after each period. `EINVAL`: the period is 0.
    pub(super) const fn periodic(first: Instant, period: Duration) -> Result<Series, Error> {
        match period {
            Duration::ZERO => Err(Error::EINVAL),
            period => Ok(Series {
                next: first,
                period,
            }),
        }
    }

    /// The next instant.
    pub(super) const fn next(&self) -> Instant {
        self.next
    }

    /// Whether there is but one.
    pub(super) const fn is_single(&self) -> bool {
        self.period.0 == 0
    }

    /// The last instant that has come by `now`, of those not used. O(1).
    pub(super) fn expire(&mut self, now: Instant) -> Expiry {
        let late = now.since(self.next).0;
        let missed = late.checked_div(self.period.0).unwrap_or(0);
        let at = self.next + Duration(missed.saturating_mul(self.period.0));
        self.next = at + self.period;
        Expiry { at, missed }
    }
}

/// The instants for which a thread waits, one after the other: the n-th is at the
/// first one and n periods, so nothing drifts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Periodic(Series);

impl Periodic {
    /// Instants from `first` on. `EINVAL`: the period is 0.
    pub const fn new(first: Instant, period: Duration) -> Result<Periodic, Error> {
        match Series::periodic(first, period) {
            Ok(series) => Ok(Periodic(series)),
            Err(error) => Err(error),
        }
    }

    /// Blocks until the next instant; returns at once if it has passed. If more than
    /// one has, it returns the last, and how many it passes over. O(1); two kernel
    /// entries. (EMERALDS 7.5, the blocking `start_timer`.)
    ///
    /// `EPERM`: the caller is a task or an upcall.
    pub fn wait(&mut self) -> Result<Expiry, Error> {
        time::sleep_until(self.0.next())?;
        Ok(self.0.expire(time::now()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use giornata_abi::call::{Answer, Call};

    #[test]
    fn who_is_late_by_whole_periods_misses_as_many() {
        let mut series = Series::periodic(Instant(100), Duration(10)).unwrap();
        let mut expire = |now: u64| {
            let expiry = series.expire(Instant(now));
            (expiry.at.0, expiry.missed)
        };
        assert_eq!(expire(100), (100, 0));
        assert_eq!(expire(119), (110, 0), "late, and within its period");
        assert_eq!(expire(130), (130, 1), "as the next one comes");
        assert_eq!(expire(175), (170, 3));
        assert_eq!(expire(179), (180, 0), "early");
    }

    #[test]
    fn the_end_of_time_is_not_passed() {
        let mut series = Series::periodic(Instant(5), Duration(u64::MAX)).unwrap();
        assert_eq!(series.expire(Instant(7)).at, Instant(5));
        assert_eq!(series.next(), Instant::NEVER);
        let mut single = Series::single(Instant(5));
        let expiry = Expiry {
            at: Instant(5),
            missed: 0,
        };
        assert_eq!(single.expire(Instant::NEVER), expiry);
    }

    #[test]
    fn a_period_of_zero_is_refused() {
        let none = Periodic::new(Instant::START, Duration::ZERO);
        assert_eq!(none, Err(Error::EINVAL));
    }

    #[test]
    fn a_wait_sleeps_to_the_instant_and_not_for_the_period() {
        // the clock of each second call
        let clock = core::cell::Cell::new(7);
        crate::host::set_hook(move |request| match Call::from_number(request.number) {
            Some(Call::Sleep) => {
                let [until, ..] = request.arguments;
                clock.set(clock.get().max(until as u64) + 3);
                Answer::DONE
            }
            _ => Answer::wide(clock.get()),
        });
        let mut every = Periodic::new(Instant(10), Duration(20)).unwrap();
        for n in 0..100 {
            let expiry = every.wait().unwrap();
            assert_eq!((expiry.at.0, expiry.missed), (10 + 20 * n, 0));
        }
        crate::host::clear_hook();
    }
}
