//! Nanoseconds and ticks: what user code and host tools convert by, exactly and
//! without dividing 64 bits.
//!
//! The builder makes a [`Rate`] of the board's timer and lays it beside the constants
//! of each process, see [`Grants`](crate::process::Grants). Both directions are
//! exact for every 64-bit argument, so they are each other's inverses as far as
//! rounding allows (a Galois connection):
//!
//! - `ticks(at)` is the *first* tick whose instant is not before `at`: who sleeps until
//!   it never wakes early, and not a tick later than need be;
//! - `instant(ticks)` is the instant of a tick, rounded down: monotone, and
//!   `instant(ticks(at)) >= at` always.

use crate::record::record;
use crate::{Instant, Ticks};

/// The fastest timer that a [`Rate`] can be made of, in ticks a second.
pub const FASTEST: u32 = 1 << 31;

const NANOS_PER_SECOND: u32 = 1_000_000_000;

record! {
    /// A factor, `whole + numerator / denominator`.
    ///
    /// The Ratio Invariant: `numerator < denominator <= 2^31` and `reciprocal` is
    /// `2^64 * numerator / denominator`, rounded down.
    pub struct Ratio {
        /// See above; low word first, so that a record is aligned as words are.
        pub reciprocal: [u32; 2],
        /// See above.
        pub whole: u32,
        /// See above.
        pub numerator: u32,
        /// See above.
        pub denominator: u32,
    }

    /// Conversion between nanoseconds and the ticks of one timer.
    pub struct Rate {
        /// Ticks a nanosecond.
        pub to_ticks: Ratio,
        /// Nanoseconds a tick.
        pub to_nanos: Ratio,
        /// Ticks a second.
        pub hertz: u32,
    }
}

impl Ratio {
    /// `dividend / divisor`, both above 0, the divisor in lowest terms at most 2^31.
    const fn new(dividend: u32, divisor: u32) -> Ratio {
        let common = greatest_common_divisor(dividend, divisor);
        let (dividend, denominator) = (dividend / common, divisor / common);
        let numerator = dividend % denominator;
        // 2^64 * n / d from two steps of long division, so that no dividend has more
        // than 64 bits
        let upper = (numerator as u64) << 32;
        let lower = (upper % denominator as u64) << 32;
        Ratio {
            // each quotient is below 2^32, because the numerator is below the denominator
            reciprocal: [
                (lower / denominator as u64) as u32,
                (upper / denominator as u64) as u32,
            ],
            whole: dividend / denominator,
            numerator,
            denominator,
        }
    }

    /// `value` times this, rounded down and up; at most `u64::MAX`.
    #[inline(always)] // once in each of two functions
    const fn scale(&self, value: u64) -> (u64, u64) {
        // By the Ratio Invariant the product with the reciprocal is less than 1 short
        // of the exact one, so its whole part is right or 1 short, and the rest lies
        // below twice the denominator: in a word.
        let [low, high] = self.reciprocal;
        let mut part = high_product(value, (high as u64) << 32 | low as u64);
        let mut rest = (value as u32)
            .wrapping_mul(self.numerator)
            .wrapping_sub((part as u32).wrapping_mul(self.denominator));
        if rest >= self.denominator {
            rest = rest.wrapping_sub(self.denominator);
            part = part.wrapping_add(1);
        }
        let down = saturating_product(value, self.whole).saturating_add(part);
        (down, down.saturating_add((rest != 0) as u64))
    }
}

impl Rate {
    /// That of a timer of `hertz` ticks a second; `None` for 0 and above [`FASTEST`].
    pub const fn new(hertz: u32) -> Option<Rate> {
        if hertz == 0 || hertz > FASTEST {
            return None;
        }
        Some(Rate {
            to_ticks: Ratio::new(hertz, NANOS_PER_SECOND),
            to_nanos: Ratio::new(NANOS_PER_SECOND, hertz),
            hertz,
        })
    }

    /// The first tick whose [`instant`](Self::instant) is not before `at`;
    /// [`Instant::NEVER`] is the last tick, which never comes, and so is what lies
    /// beyond it. O(1), no division.
    #[inline(never)] // long arithmetic where registers are short
    pub const fn ticks(&self, at: Instant) -> Ticks {
        if at.0 == u64::MAX {
            return Ticks(u64::MAX);
        }
        let (_, up) = self.to_ticks.scale(at.0);
        Ticks(up)
    }

    /// The same of a time in seconds and nanoseconds, which may be more than those of a
    /// second: a third of the instructions. O(1), no division.
    #[inline(never)]
    pub const fn ticks_of(&self, seconds: u64, nanoseconds: u32) -> Ticks {
        let (_, up) = self.to_ticks.scale(nanoseconds as u64);
        Ticks(saturating_product(seconds, self.hertz).saturating_add(up))
    }

    /// The instant of a tick, rounded down; [`Instant::NEVER`] for the last tick and
    /// what lies beyond 64 bits. O(1), no division.
    #[inline(never)]
    pub const fn instant(&self, ticks: Ticks) -> Instant {
        if ticks.0 == u64::MAX {
            return Instant::NEVER;
        }
        let (down, _) = self.to_nanos.scale(ticks.0);
        Instant(down)
    }
}

const fn greatest_common_divisor(a: u32, b: u32) -> u32 {
    let (mut a, mut b) = (a, b);
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// The upper half of the product, from 32-bit halves: where registers are that short,
/// a product of 128 bits would be a call.
const fn high_product(a: u64, b: u64) -> u64 {
    let (a_low, a_high) = (a as u32 as u64, a >> 32);
    let (b_low, b_high) = (b as u32 as u64, b >> 32);
    // none of the sums exceeds (2^32 - 1)^2 + 2^32 - 1
    let middle = a_high * b_low + ((a_low * b_low) >> 32);
    let carry = a_low * b_high + (middle as u32 as u64);
    a_high * b_high + (middle >> 32) + (carry >> 32)
}

/// The product, at most `u64::MAX`.
const fn saturating_product(a: u64, b: u32) -> u64 {
    let low = (a as u32 as u64) * b as u64;
    let high = (a >> 32) * b as u64 + (low >> 32);
    if high >> 32 != 0 {
        return u64::MAX;
    }
    high << 32 | low as u32 as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::Timebase;
    use proptest::prelude::*;

    /// Timers of boards, and any.
    fn rates() -> impl Strategy<Value = u32> {
        prop_oneof![
            proptest::sample::select(
                &[
                    1,
                    32_768,
                    10_000_000,
                    24_000_000,
                    33_333_333,
                    100_000_000,
                    999_999_999,
                    1_000_000_000,
                    1_000_000_001,
                    FASTEST,
                ][..]
            ),
            1..=FASTEST,
        ]
    }

    /// `up(value * dividend / divisor)` or `down(...)`, at most `u64::MAX`.
    fn exact(value: u64, dividend: u32, divisor: u32, up: bool) -> u64 {
        let product = u128::from(value) * u128::from(dividend);
        let quotient = match up {
            true => product.div_ceil(u128::from(divisor)),
            false => product / u128::from(divisor),
        };
        u64::try_from(quotient).unwrap_or(u64::MAX)
    }

    proptest! {
        #[test]
        fn ticks_are_exact_for_every_instant(hertz in rates(), at: u64, shift in 0u32..64) {
            let at = at >> shift;
            let rate = Rate::new(hertz).unwrap();
            let expected = match at {
                u64::MAX => u64::MAX,
                at => exact(at, hertz, NANOS_PER_SECOND, true),
            };
            prop_assert_eq!(rate.ticks(Instant(at)).0, expected);
        }

        #[test]
        fn ticks_of_seconds_and_nanoseconds_are_exact(
            hertz in rates(), seconds: u64, shift in 0u32..64, nanoseconds: u32,
        ) {
            let seconds = seconds >> shift;
            let rate = Rate::new(hertz).unwrap();
            let time = u128::from(seconds) * u128::from(NANOS_PER_SECOND) + u128::from(nanoseconds);
            let expected = (time * u128::from(hertz)).div_ceil(u128::from(NANOS_PER_SECOND));
            prop_assert_eq!(
                rate.ticks_of(seconds, nanoseconds).0,
                u64::try_from(expected).unwrap_or(u64::MAX)
            );
        }

        #[test]
        fn instants_are_exact_for_every_tick(hertz in rates(), ticks: u64, shift in 0u32..64) {
            let ticks = ticks >> shift;
            let rate = Rate::new(hertz).unwrap();
            prop_assert_eq!(
                rate.instant(Ticks(ticks)).0,
                exact(ticks, NANOS_PER_SECOND, hertz, false)
            );
        }

        #[test]
        fn who_sleeps_until_an_instant_wakes_at_the_first_tick_not_before_it(
            hertz in rates(), at in 0u64..1 << 60,
        ) {
            let rate = Rate::new(hertz).unwrap();
            let tick = rate.ticks(Instant(at));
            prop_assert!(rate.instant(tick) >= Instant(at));
            prop_assert!(tick.0 == 0 || rate.instant(Ticks(tick.0 - 1)) < Instant(at));
        }

        #[test]
        fn the_clock_never_goes_back(hertz in rates(), tick: u64, later in 0u64..1 << 40) {
            let rate = Rate::new(hertz).unwrap();
            let after = tick.saturating_add(later);
            prop_assert!(rate.instant(Ticks(tick)) <= rate.instant(Ticks(after)));
        }

        #[test]
        fn host_and_process_read_the_same_clock(hertz in rates(), tick in 0u64..1 << 60) {
            // `Timebase` is exact where its result has 64 bits
            let last = exact(u64::MAX - 1, hertz, NANOS_PER_SECOND, false);
            let tick = tick.min(last);
            let (rate, base) = (Rate::new(hertz).unwrap(), Timebase::new(hertz));
            prop_assert_eq!(rate.instant(Ticks(tick)), base.instant(Ticks(tick)));
        }

        #[test]
        fn products_saturate(a: u64, b: u32) {
            let exact = u128::from(a) * u128::from(b);
            prop_assert_eq!(saturating_product(a, b), u64::try_from(exact).unwrap_or(u64::MAX));
        }
    }

    #[test]
    fn the_start_is_no_wait_and_never_is_for_ever() {
        for hertz in [1, 32_768, 10_000_000, 1_000_000_000, FASTEST] {
            let rate = Rate::new(hertz).unwrap();
            assert_eq!(rate.ticks(Instant::START), Ticks(0));
            assert_eq!(rate.ticks(Instant::NEVER), Ticks(u64::MAX));
            assert_eq!(rate.instant(Ticks(u64::MAX)), Instant::NEVER);
            assert!(rate.ticks(Instant(1)).0 >= 1, "an instant is a wait");
        }
    }

    #[test]
    fn a_timer_that_no_word_can_count_is_refused() {
        assert_eq!((Rate::new(0), Rate::new(FASTEST + 1)), (None, None));
    }
}
