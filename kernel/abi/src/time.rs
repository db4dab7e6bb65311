//! Time as the kernel and its programs speak of it. Never a bare integer.
//!
//! *Logical* time is nanoseconds since the start of the system, exact; *ticks*
//! are what the hardware timer counts. Only the arming of an alarm rounds.

use core::ops::{Add, Sub};

/// A point in logical time: nanoseconds since the system started.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct Instant(pub u64);

/// A length of logical time in nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct Duration(pub u64);

/// A count of the hardware timer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct Ticks(pub u64);

impl Ticks {
    /// The last, which never comes.
    pub const NEVER: Ticks = Ticks(u64::MAX);
}

impl Instant {
    /// The start of the system.
    pub const START: Instant = Instant(0);
    /// Later than every instant that can be reached (584 years).
    pub const NEVER: Instant = Instant(u64::MAX);

    /// Time passed since `earlier`; zero if `earlier` is later.
    pub const fn since(self, earlier: Instant) -> Duration {
        Duration(self.0.saturating_sub(earlier.0))
    }
}

impl Duration {
    /// No time at all.
    pub const ZERO: Duration = Duration(0);

    /// `us` microseconds; saturates.
    pub const fn from_micros(us: u64) -> Duration {
        Duration(us.saturating_mul(1_000))
    }
    /// `ms` milliseconds; saturates.
    pub const fn from_millis(ms: u64) -> Duration {
        Duration(ms.saturating_mul(1_000_000))
    }
    /// `s` seconds; saturates.
    pub const fn from_secs(s: u64) -> Duration {
        Duration(s.saturating_mul(1_000_000_000))
    }
}

impl Add<Duration> for Instant {
    type Output = Instant;
    /// Saturates at [`Instant::NEVER`].
    fn add(self, d: Duration) -> Instant {
        Instant(self.0.saturating_add(d.0))
    }
}
impl Sub<Duration> for Instant {
    type Output = Instant;
    /// Saturates at [`Instant::START`].
    fn sub(self, d: Duration) -> Instant {
        Instant(self.0.saturating_sub(d.0))
    }
}
impl Add for Duration {
    type Output = Duration;
    fn add(self, d: Duration) -> Duration {
        Duration(self.0.saturating_add(d.0))
    }
}

/// Exact logical time: whole nanoseconds and a remainder in units of
/// `1/denominator` ns, where the denominator belongs to the module.
///
/// A period divided by a frequency is often not whole (10 ms / 3); with the
/// remainder kept, the k-th release lies at `round(k * P / f)` for ever.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LogicalTime {
    /// Whole nanoseconds since the start of the system.
    pub nanos: u64,
    /// Remainder in units of `1/denominator` ns; below the denominator.
    pub remainder: u32,
}

impl LogicalTime {
    /// The exact time of a whole instant.
    pub const fn at(instant: Instant) -> LogicalTime {
        LogicalTime {
            nanos: instant.0,
            remainder: 0,
        }
    }

    /// This time and an exact duration, `nanos + remainder / denominator`.
    /// O(1), exact; `denominator` 0 counts as 1.
    pub const fn plus(self, nanos: u64, remainder: u32, denominator: u32) -> LogicalTime {
        let mut whole = self.nanos.saturating_add(nanos);
        let (mut rest, carries) = self.remainder.overflowing_add(remainder);
        if carries || rest >= denominator && rest != 0 {
            rest = rest.wrapping_sub(denominator);
            whole = whole.saturating_add(1);
        }
        LogicalTime {
            nanos: whole,
            remainder: rest,
        }
    }

    /// The nearest whole nanosecond; halves round up.
    #[inline]
    pub const fn rounded(self, denominator: u32) -> Instant {
        // twice the remainder reaches the denominator
        let up =
            self.remainder != 0 && self.remainder >= denominator.saturating_sub(self.remainder);
        Instant(if up {
            self.nanos.saturating_add(1)
        } else {
            self.nanos
        })
    }
}

/// Conversion between logical time and the ticks of one board's timer, exact
/// as long as both fit 64 bits (136 years at the fastest timer).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timebase {
    hertz: u32,
    /// Nanoseconds of a tick, if they are whole; else 0.
    nanos: u32,
    /// How often they go into `u64::MAX`: division by them is multiplication.
    reciprocal: u64,
}

const NANOS_PER_SECOND: u64 = 1_000_000_000;

impl Timebase {
    /// A timer that counts `hertz` ticks a second; 0 counts as 1.
    pub const fn new(hertz: u32) -> Timebase {
        let hertz = if hertz == 0 { 1 } else { hertz };
        let is_whole = (NANOS_PER_SECOND as u32).is_multiple_of(hertz);
        let nanos = match is_whole {
            true => NANOS_PER_SECOND as u32 / hertz,
            false => 0,
        };
        let reciprocal = match nanos {
            0 => 0,
            nanos => u64::MAX / nanos as u64,
        };
        Timebase {
            hertz,
            nanos,
            reciprocal,
        }
    }

    /// Ticks a second.
    pub const fn hertz(self) -> u32 {
        self.hertz
    }

    /// Never 0, and the compiler can see it: no division here can panic.
    const fn rate(self) -> u64 {
        if self.hertz == 0 {
            1
        } else {
            self.hertz as u64
        }
    }

    /// The last whole nanosecond not after the tick. Ticks of more than the 584
    /// years that nanoseconds can count are never reached.
    #[inline]
    pub const fn instant(self, ticks: Ticks) -> Instant {
        match self.nanos {
            0 => self.divided(ticks),
            nanos => Instant(ticks.0.wrapping_mul(nanos as u64)),
        }
    }

    /// The same for any timer, by division.
    #[inline(never)]
    const fn divided(self, ticks: Ticks) -> Instant {
        let hertz = self.rate();
        let seconds = ticks.0 / hertz;
        // below 2^32 * 10^9 < 2^62
        let nanos = (ticks.0 % hertz) * NANOS_PER_SECOND / hertz;
        Instant(
            seconds
                .saturating_mul(NANOS_PER_SECOND)
                .saturating_add(nanos),
        )
    }

    /// The first tick whose [`instant`](Self::instant) is not before `at`:
    /// what an alarm is armed with.
    #[inline(never)] // long arithmetic where registers are short
    pub const fn ticks(self, at: Instant) -> Ticks {
        if self.nanos == 0 {
            return self.counted(at);
        }
        // the reciprocal is at most 1 short of 2^64 / nanos, hence the quotient
        // at most 1 short, and the rest below 2 * nanos < 2^31
        let quotient = high_product(at.0, self.reciprocal);
        let rest = (at.0 as u32).wrapping_sub((quotient as u32).wrapping_mul(self.nanos));
        let up = (rest != 0) as u32 + (rest > self.nanos) as u32;
        Ticks(quotient.wrapping_add(up as u64))
    }

    /// The same for any timer, by division.
    #[inline(never)]
    const fn counted(self, at: Instant) -> Ticks {
        let hertz = self.hertz as u64;
        let seconds = at.0 / NANOS_PER_SECOND;
        let rest = at.0 % NANOS_PER_SECOND;
        Ticks(
            seconds
                .saturating_mul(hertz)
                .saturating_add((rest * hertz).div_ceil(NANOS_PER_SECOND)),
        )
    }

    /// Ticks that cover `d`, rounded up.
    pub const fn span(self, d: Duration) -> Ticks {
        self.ticks(Instant(d.0))
    }
}

/// The upper half of the product, from 32-bit halves: where registers are that
/// short, a product of 128 bits would be a call.
const fn high_product(a: u64, b: u64) -> u64 {
    let (a_low, a_high) = (a as u32 as u64, a >> 32);
    let (b_low, b_high) = (b as u32 as u64, b >> 32);
    // none of the sums exceeds (2^32 - 1)^2 + 2^32 - 1
    let middle = a_high * b_low + ((a_low * b_low) >> 32);
    let carry = a_low * b_high + (middle as u32 as u64);
    a_high * b_high + (middle >> 32) + (carry >> 32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Instants near a multiple of a tick, and any.
    fn instants() -> impl Strategy<Value = (u32, u64)> {
        let nanos = (0..=9u32, 0..=9u32).prop_map(|(twos, fives)| 2u32.pow(twos) * 5u32.pow(fives));
        let near = (0u64.., -2i64..=2);
        (nanos, near, any::<bool>()).prop_map(|(nanos, (k, off), any)| {
            let multiple = k - k % nanos as u64;
            (
                nanos,
                if any {
                    k
                } else {
                    multiple.wrapping_add_signed(off)
                },
            )
        })
    }

    proptest! {
        #[test]
        fn ticks_by_multiplication_are_those_by_division((nanos, at) in instants()) {
            let base = Timebase::new(1_000_000_000 / nanos);
            prop_assert_eq!(base.nanos, nanos);
            prop_assert_eq!(base.ticks(Instant(at)).0, at.div_ceil(nanos as u64));
            prop_assert_eq!(base.counted(Instant(at)), base.ticks(Instant(at)));
        }

        #[test]
        fn the_upper_half_of_a_product_is_exact(a: u64, b: u64) {
            prop_assert_eq!(high_product(a, b), ((a as u128 * b as u128) >> 64) as u64);
        }

        #[test]
        fn exact_times_add_and_round_as_fractions(
            nanos in 0u64..1 << 60, more in 0u64..1 << 60,
            denominator in 1u32.., first: u32, second: u32,
        ) {
            let (first, second) = (first % denominator, second % denominator);
            let sum = LogicalTime { nanos, remainder: first }.plus(more, second, denominator);
            let fractions = first as u64 + second as u64;
            prop_assert_eq!(sum.nanos, nanos + more + fractions / denominator as u64);
            prop_assert_eq!(sum.remainder as u64, fractions % denominator as u64);
            let up = 2 * sum.remainder as u64 >= denominator as u64;
            prop_assert_eq!(sum.rounded(denominator).0, sum.nanos + up as u64);
        }

        #[test]
        fn an_alarm_rings_at_the_first_tick_not_before_its_instant(
            hertz in 1u32.., at in 0u64..1 << 61,
        ) {
            let base = Timebase::new(hertz);
            let tick = base.ticks(Instant(at));
            prop_assert!(base.instant(tick) >= Instant(at));
            if tick.0 > 0 {
                prop_assert!(base.instant(Ticks(tick.0 - 1)) < Instant(at));
            }
        }

        #[test]
        fn a_period_with_remainder_never_drifts(period in 1u64..1 << 40, frequency in 1u32..1000, k in 1u64..2000) {
            let (nanos, rest) = (period / frequency as u64, (period % frequency as u64) as u32);
            let mut t = LogicalTime::default();
            for _ in 0..k {
                t = t.plus(nanos, rest, frequency);
            }
            let exact = (2 * k as u128 * period as u128 + frequency as u128) / (2 * frequency as u128);
            prop_assert_eq!(t.rounded(frequency).0 as u128, exact);
        }
    }
}
