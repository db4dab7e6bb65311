//! The scale of a chart: which part of a schedule it shows, and how much time a
//! column stands for.

use giornata_abi::{Duration, Instant};

use crate::notation::in_unit;

/// Columns that the shortest period takes at least.
const FINEST: u64 = 5;
/// Columns between two numbers.
pub(crate) const STEP: usize = 10;

/// From 0 on, so many columns of so much time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scale {
    /// What a column stands for.
    pub column: Duration,
    /// Columns.
    pub columns: usize,
}

impl Scale {
    /// The scale that shows as much of `length` as goes into `most` columns; not
    /// so much that a period of `shortest` takes less than 5 of them. A column
    /// is 1, 2, 2.5 or 5 times a power of ten.
    pub fn fit(length: Duration, shortest: Option<Duration>, most: usize) -> Scale {
        let most = most.max(1);
        let whole = rounded_up(length.0.div_ceil(most as u64).max(1));
        let finest = shortest.map_or(whole, |period| rounded_down((period.0 / FINEST).max(1)));
        let column = whole.min(finest);
        let needed = usize::try_from(length.0.div_ceil(column)).unwrap_or(usize::MAX);
        Scale {
            column: Duration(column),
            columns: needed.clamp(1, most),
        }
    }

    /// The end of what is shown.
    pub fn end(&self) -> Instant {
        Instant(self.column.0.saturating_mul(self.columns as u64))
    }

    /// The beginning of a column.
    pub fn start(&self, column: usize) -> Instant {
        Instant(self.column.0.saturating_mul(column as u64))
    }

    /// The unit in which the numbers of the scale are written, and its ns.
    pub(crate) fn unit(&self) -> (&'static str, u64) {
        let step = self.column.0.saturating_mul(STEP as u64);
        match step {
            1_000_000_000.. => ("s", 1_000_000_000),
            1_000_000.. => ("ms", 1_000_000),
            1_000.. => ("us", 1_000),
            _ => ("ns", 1),
        }
    }

    /// What is written at a column: its beginning in the scale's unit.
    pub(crate) fn number(&self, column: usize) -> String {
        in_unit(self.start(column).0, self.unit().1)
    }
}

/// Round numbers in ascending order: 1, 2, 5, 10, 20, 25, 50, 100, ...
fn round_numbers() -> impl Iterator<Item = u64> {
    let decades = (0..19).map(|power| 10u64.pow(power));
    decades.flat_map(|ten| {
        let quarter = (ten >= 10).then_some(ten / 2 * 5);
        let two = ten.checked_mul(2);
        let five = ten.checked_mul(5);
        [Some(ten), two, quarter, five].into_iter().flatten()
    })
}

/// The smallest round number not below `least`.
fn rounded_up(least: u64) -> u64 {
    round_numbers()
        .find(|number| *number >= least)
        .unwrap_or(u64::MAX)
}

/// The largest round number not above `most`, which is not 0.
fn rounded_down(most: u64) -> u64 {
    round_numbers()
        .take_while(|number| *number <= most)
        .last()
        .unwrap_or(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    #[test]
    fn a_column_is_a_round_number_and_the_whole_length_fits() {
        let scale = Scale::fit(ms(20), Some(ms(10)), 68);
        assert_eq!((scale.column, scale.columns), (Duration(500_000), 40));
        assert_eq!(scale.end(), Instant(20_000_000));
        assert_eq!((scale.unit().0, scale.number(10).as_str()), ("ms", "5"));
    }

    #[test]
    fn of_a_length_with_too_many_periods_the_first_part_is_shown() {
        let scale = Scale::fit(ms(1000), Some(ms(10)), 60);
        assert_eq!((scale.column, scale.columns), (ms(2), 60));
    }

    #[test]
    fn extremes_are_scaled_too() {
        let longest = Scale::fit(Duration(u64::MAX), None, 60);
        assert!(longest.columns <= 60 && longest.column.0 >= u64::MAX / 60);
        let least = Scale::fit(Duration(1), Some(Duration(1)), 0);
        assert_eq!((least.column, least.columns), (Duration(1), 1));
    }
}
