//! What has changed since a committed measurement.

use std::fmt;

use crate::{Row, Statistics};

/// A row that differs between two measurements.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// Which row.
    pub row: String,
    /// Its figures before; none if it is new.
    pub before: Option<Statistics>,
    /// Its figures now; none if it is gone.
    pub after: Option<Statistics>,
}

/// The rows that differ: those that are there now in their order, then those gone.
pub fn compare(before: &[Row], after: &[Row]) -> Vec<Change> {
    let find = |rows: &[Row], row: &Row| {
        let same = rows.iter().find(|other| other.is_same_measurement(row));
        same.map(Row::statistics)
    };
    let now = after.iter().map(|row| Change {
        row: row.name(),
        before: find(before, row),
        after: Some(row.statistics()),
    });
    let gone = before
        .iter()
        .filter(|row| find(after, row).is_none())
        .map(|row| Change {
            row: row.name(),
            before: Some(row.statistics()),
            after: None,
        });
    now.chain(gone)
        .filter(|change| change.before != change.after)
        .collect()
}

impl fmt::Display for Change {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}: ", self.row)?;
        match (&self.before, &self.after) {
            (Some(before), Some(after)) => {
                write!(
                    out,
                    "median {} -> {} ({:+.1} %), max {} -> {}",
                    before.median,
                    after.median,
                    percent(before.median, after.median),
                    before.max,
                    after.max
                )
            }
            (None, Some(after)) => write!(out, "new, median {}, max {}", after.median, after.max),
            (Some(before), None) => write!(out, "gone, median was {}", before.median),
            (None, None) => write!(out, "never measured"),
        }
    }
}

fn percent(before: u64, after: u64) -> f64 {
    if before == 0 {
        return 0.0;
    }
    100.0 * (after as f64 - before as f64) / before as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::row::tests::row;

    #[test]
    fn only_differences_are_told() {
        let before = [row("yield", 140), row("call", 60), row("old", 9)];
        let after = [row("yield", 154), row("call", 60), row("new", 7)];
        let said: Vec<String> = compare(&before, &after)
            .iter()
            .map(ToString::to_string)
            .collect();
        assert_eq!(
            said,
            [
                "kernel/yield on rtl-pmp (hot): median 140 -> 154 (+10.0 %), max 145 -> 159",
                "kernel/new on rtl-pmp (hot): new, median 7, max 12",
                "kernel/old on rtl-pmp (hot): gone, median was 9",
            ]
        );
    }

    #[test]
    fn a_row_of_another_board_is_another_row() {
        let other = Row {
            board: "rtl-mmu".into(),
            ..row("yield", 140)
        };
        assert_eq!(compare(&[row("yield", 140)], &[other]).len(), 2);
    }
}
