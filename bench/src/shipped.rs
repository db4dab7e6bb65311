//! What the small caches of the shipped chip cost beside large ones.

use serde::Deserialize;

use crate::{Catalogue, Row};

/// Configurations that are compared.
const HOT: &str = "hot";
const SHIPPED: &str = "shipped";

/// What an operation may take with the shipped caches.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Shipped {
    /// Of its figure with large caches.
    pub percent: u64,
}

impl Shipped {
    /// Rows with the shipped caches, beside those of the same board with large ones.
    fn pairs(rows: &[Row]) -> Vec<(&Row, &Row)> {
        let hot = |row: &&Row| {
            rows.iter().find(|other| {
                other.config == HOT && (&other.op, &other.board) == (&row.op, &row.board)
            })
        };
        let shipped = rows.iter().filter(|row| row.config == SHIPPED);
        shipped.filter_map(|row| Some((hot(&row)?, row))).collect()
    }

    fn is_kept(&self, hot: u64, shipped: u64) -> bool {
        shipped.saturating_mul(100) <= hot.saturating_mul(self.percent)
    }

    /// A table, as a heading and lines of cells; none without such rows.
    pub(crate) fn table(
        &self,
        catalogue: &Catalogue,
        rows: &[Row],
    ) -> Option<(String, Vec<Vec<String>>)> {
        let pairs = Shipped::pairs(rows);
        let (first, _) = pairs.first()?;
        let head = [
            "operation",
            "hot",
            "shipped min",
            "median",
            "max",
            "times",
            "goal",
        ];
        let mut lines = vec![head.map(String::from).to_vec()];
        lines.extend(pairs.iter().map(|(hot, shipped)| {
            let (a, b) = (catalogue.judged(hot), catalogue.judged(shipped));
            let mut cells = vec![hot.op.clone(), a.to_string()];
            cells.extend(
                [shipped.min, shipped.median, shipped.max].map(|figure| figure.to_string()),
            );
            cells.push(format!("{:.2}", b as f64 / a.max(1) as f64));
            cells.push(if self.is_kept(a, b) { "kept" } else { "MISSED" }.into());
            cells
        }));
        let title = format!(
            "{}: shipped caches, at most {} times hot",
            first.board,
            self.percent as f64 / 100.0
        );
        Some((title, lines))
    }

    /// What takes more.
    pub(crate) fn misses(&self, catalogue: &Catalogue, rows: &[Row]) -> Vec<String> {
        let pairs = Shipped::pairs(rows).into_iter();
        pairs
            .map(|(hot, row)| (catalogue.judged(hot), catalogue.judged(row), row))
            .filter(|(hot, shipped, _)| !self.is_kept(*hot, *shipped))
            .map(|(hot, shipped, row)| {
                format!(
                    "{}: {shipped} {}, hot {hot}, goal {} times that",
                    row.name(),
                    row.unit,
                    self.percent as f64 / 100.0
                )
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::row::tests::row;

    const TEXT: &str = "[shipped]\npercent = 220\n\
                        [[operation]]\nop = \"yield\"\nwhat = \"yield to an equal\"\n";

    fn rows(hot: u64, shipped: u64) -> [Row; 2] {
        let shipped = Row {
            config: SHIPPED.into(),
            ..row("yield", shipped)
        };
        [row("yield", hot), shipped]
    }

    #[test]
    fn more_than_so_many_times_its_hot_figure_is_a_miss() {
        let catalogue = Catalogue::parse("kernel", TEXT).unwrap();
        let shipped = catalogue.shipped.clone().unwrap();
        assert!(shipped.misses(&catalogue, &rows(100, 220)).is_empty());
        assert_eq!(
            shipped.misses(&catalogue, &rows(100, 221)),
            ["kernel/yield on rtl-pmp (shipped): 221 cycles, hot 100, goal 2.2 times that"]
        );
        let (_, lines) = shipped.table(&catalogue, &rows(100, 221)).unwrap();
        assert_eq!(
            lines[1],
            ["yield", "100", "219", "221", "226", "2.21", "MISSED"]
        );
    }

    #[test]
    fn a_row_of_another_board_is_not_compared() {
        let catalogue = Catalogue::parse("kernel", TEXT).unwrap();
        let [hot, shipped] = rows(100, 900);
        let other = Row {
            board: "rtl-mmu".into(),
            ..shipped
        };
        let limit = catalogue.shipped.clone().unwrap();
        assert!(limit.table(&catalogue, &[hot, other]).is_none());
    }
}
