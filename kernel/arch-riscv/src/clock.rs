//! The clock, a count of 64 bits that is read by words, and the alarm at it.

/// Where a CLINT counts.
pub const TIME: usize = 0xBFF8;
/// Where it holds the instant at which it rings.
pub const COMPARE: usize = 0x4000;

/// The high word of the count when its low word was `now`, less than 2^32 ticks ago.
#[inline(always)]
pub fn high_at(now: u32, high: impl Fn() -> u32, low: impl Fn() -> u32) -> u32 {
    let before = high();
    if low() >= now {
        return before;
    }
    // the low word has turned over since, before it was read: so the high word says so now
    high().wrapping_sub(1)
}

/// The high word of an instant less than 2^31 ticks before or after `now` whose low word is
/// `at`: one that has passed rings at once. If the low word turns over meanwhile it may be 1
/// too small, so that an alarm rings at once and finds nothing due, but never too large.
#[inline(always)]
pub fn high_ahead(at: u32, now: u32, high: impl Fn() -> u32, low: impl Fn() -> u32) -> u32 {
    let high = high();
    let turned = (low() < now) as u32;
    let passed = at.wrapping_sub(now) >> 31;
    high.wrapping_sub(turned + passed)
        .wrapping_add((at < now) as u32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::cell::Cell;

    /// A count that goes on by `pace` whenever one of its words is read.
    fn counting(from: u64, pace: u64, test: impl Fn(&dyn Fn() -> u32, &dyn Fn() -> u32)) {
        let count = Cell::new(from);
        let read = || count.replace(count.get().wrapping_add(pace));
        test(&|| (read() >> 32) as u32, &|| read() as u32);
    }

    /// Counts that turn over before, between and after the reads that follow.
    fn around_a_turn() -> impl Iterator<Item = (u64, u64)> {
        (0..40).flat_map(|back| [0, 1, 3, 7].map(|pace| ((5u64 << 32) - back, pace)))
    }

    #[test]
    fn the_high_word_is_that_of_the_moment_of_the_low_word() {
        for (from, pace) in around_a_turn() {
            counting(from + pace, pace, |high, low| {
                assert_eq!(
                    high_at(from as u32, high, low),
                    (from >> 32) as u32,
                    "{from:x} {pace}"
                );
            });
        }
    }

    #[test]
    fn an_alarm_is_never_late_and_is_exact_unless_the_count_turns_over() {
        for (from, pace) in around_a_turn() {
            for ahead in [0, 1, 5, 100, 0x7000_0000, -1, -5, -100, -0x7000_0000] {
                let exact = (from.wrapping_add_signed(ahead) >> 32) as u32;
                counting(from + pace, pace, |high, low| {
                    let at = from.wrapping_add_signed(ahead) as u32;
                    let found = high_ahead(at, from as u32, high, low);
                    assert!(found == exact || found == exact - 1);
                    let turns = from >> 32 != (from + 3 * pace) >> 32;
                    assert!(found == exact || turns, "{from:x} {pace} {ahead}");
                });
            }
        }
    }
}
