//! How often an operation is done in so many cycles: what benchmarks state that count the
//! turns of a loop.

use serde::Deserialize;

use crate::{Catalogue, Row};

/// The time in which operations are counted.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rate {
    /// Its cycles.
    pub cycles: u64,
}

impl Rate {
    /// How many operations of so many cycles each are done in it, rounded down.
    pub fn operations(&self, cycles: u64) -> u64 {
        self.cycles / cycles.max(1)
    }

    /// A table, as a heading and lines of cells: what is judged, the best peer and goals, each
    /// as a count.
    pub(crate) fn table(
        &self,
        catalogue: &Catalogue,
        rows: &[Row],
    ) -> Option<(String, Vec<Vec<String>>)> {
        rows.first()?;
        let head = [
            "operation",
            "config",
            "operations",
            "best peer",
            "times peer",
            "must",
            "aim",
            "goal",
        ];
        let mut lines = vec![head.map(String::from).to_vec()];
        lines.extend(rows.iter().map(|row| self.line(row, catalogue.judged(row))));
        Some((format!("Operations in {} cycles", self.cycles), lines))
    }

    fn line(&self, row: &Row, cycles: u64) -> Vec<String> {
        let count = |cycles: Option<u64>| match cycles {
            Some(cycles) => self.operations(cycles).to_string(),
            None => "-".into(),
        };
        let times = match row.peer {
            Some(peer) => format!("{:.2}", peer as f64 / cycles.max(1) as f64),
            None => "-".into(),
        };
        vec![
            row.op.clone(),
            format!("{} {}", row.board, row.config),
            count(Some(cycles)),
            count(row.peer),
            times,
            count(row.must),
            count(row.aim),
            row.goal_met(cycles).into(),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::row::tests::row;

    #[test]
    fn fewer_cycles_are_more_operations() {
        let text = "[rate]\ncycles = 1000000\n[[operation]]\nop = \"yield\"\nwhat = \"yield\"\n";
        let catalogue = Catalogue::parse("kernel", text).unwrap();
        let rate = catalogue.rate.clone().unwrap();
        let measured = Row {
            peer: Some(150),
            must: Some(150),
            aim: Some(115),
            ..row("yield", 160)
        };
        let (title, lines) = rate
            .table(&catalogue, &[measured, row("basic", 0)])
            .unwrap();
        assert_eq!(title, "Operations in 1000000 cycles");
        assert_eq!(
            lines[1],
            [
                "yield",
                "rtl-pmp hot",
                "6250",
                "6666",
                "0.94",
                "6666",
                "8695",
                "MISSED"
            ]
        );
        assert_eq!(lines[2][2..], ["1000000", "-", "-", "-", "-", ""]);
        assert!(rate.table(&catalogue, &[]).is_none());
    }
}
