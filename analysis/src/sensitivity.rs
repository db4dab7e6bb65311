//! How much longer, or how much shorter, must times be?
//!
//! Whatever is schedulable stays so with shorter times: the strategies are
//! sustainable, an order without preemption may wait where a job needs less,
//! and the checker of S code allows for all shorter times. So the greatest
//! factor is found by bisection.

use crate::times::Times;

/// Factors are in thousandths.
pub const UNIT: u64 = 1000;
/// Beyond a factor of 1,000 nobody asks: greater ones are found to be this.
pub const MOST_FACTOR: u64 = 1000 * UNIT;

/// The greatest factor, in thousandths, by which all times can be multiplied
/// so that `holds` still answers true; 0 if none, at most 1,000,000. `None` if
/// `holds` does not know. At most 30 questions.
pub fn greatest_factor(
    times: &Times,
    mut holds: impl FnMut(&Times) -> Option<bool>,
) -> Option<u64> {
    bisect(|factor| holds(&times.scaled(factor, UNIT)))
}

/// The same for the time of one task, while all others stay.
pub fn greatest_factor_of(
    times: &Times,
    task: u16,
    mut holds: impl FnMut(&Times) -> Option<bool>,
) -> Option<u64> {
    bisect(|factor| {
        let (scaled, mut all) = (times.scaled(factor, UNIT), times.all().to_vec());
        if let Some(time) = all.get_mut(task as usize) {
            *time = scaled.of_task(task);
        }
        holds(&Times::from_list(all))
    })
}

fn bisect(mut holds: impl FnMut(u64) -> Option<bool>) -> Option<u64> {
    let (mut good, mut bad) = (0, UNIT);
    while holds(bad)? {
        good = bad;
        if bad >= MOST_FACTOR {
            return Some(MOST_FACTOR);
        }
        bad = (bad * 2).min(MOST_FACTOR);
    }
    while bad - good > 1 {
        let middle = good + (bad - good) / 2;
        match holds(middle)? {
            true => good = middle,
            false => bad = middle,
        }
    }
    Some(good)
}

#[cfg(test)]
mod tests {
    use super::*;
    use giornata_abi::Duration;

    #[test]
    fn the_greatest_factor_is_found_to_a_thousandth() {
        for limit in [0, 1, 7, 999, 1000, 1001, 1999, 2000, 123_456, 999_999] {
            let found = bisect(|factor| Some(factor <= limit));
            assert_eq!(found, Some(limit));
        }
        assert_eq!(bisect(|_| Some(true)), Some(MOST_FACTOR));
        assert_eq!(bisect(|factor| (factor < 1500).then_some(true)), None);
    }

    #[test]
    fn one_task_is_scaled_alone() {
        let times = Times::from_list([Duration(100), Duration(300)]);
        let sum = |times: &Times| Some(times.all().iter().map(|t| t.0).sum::<u64>() <= 500);
        assert_eq!(greatest_factor_of(&times, 0, sum), Some(2000));
        assert_eq!(greatest_factor(&times, sum), Some(1250));
    }
}
