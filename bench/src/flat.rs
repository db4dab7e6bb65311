//! Whether an operation takes as long among many threads as among few.

use serde::Deserialize;

use crate::{Catalogue, Row};

/// Operations whose cost may not depend on the number of threads.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Flat {
    /// Between these numbers of threads.
    pub threads: [u32; 2],
    /// What the dearest may take beyond the cheapest of them.
    pub percent: u64,
    /// The operations, without their sizes.
    pub operations: Vec<String>,
}

/// An operation among few and among many threads.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Growth {
    op: String,
    /// Alone, if it is measured so.
    alone: Option<u64>,
    /// Among the numbers of threads.
    among: [u64; 2],
    /// Instructions executed then.
    instructions: [Option<u64>; 2],
}

impl Flat {
    /// All operations with all their sizes.
    pub fn sized(&self) -> impl Iterator<Item = (&str, u32)> {
        let operations = self.operations.iter();
        operations.flat_map(|op| self.threads.map(|size| (op.as_str(), size)))
    }

    /// The growth of every operation that these rows of one machine have.
    fn growths(&self, catalogue: &Catalogue, rows: &[&Row]) -> Vec<Growth> {
        let find = |op: &str| rows.iter().find(|row| row.op == op);
        let growth = |op: &String| {
            let [few, many] = self.threads.map(|size| find(&format!("{op}/{size}")));
            let among = [few?, many?];
            Some(Growth {
                op: op.clone(),
                alone: find(op).map(|row| catalogue.judged(row)),
                among: among.map(|row| catalogue.judged(row)),
                instructions: among.map(|row| row.instructions),
            })
        };
        self.operations.iter().filter_map(growth).collect()
    }

    fn is_kept(&self, growth: &Growth) -> bool {
        let [few, many] = growth.among;
        let (least, most) = (few.min(many), few.max(many));
        most.saturating_mul(100) <= least.saturating_mul(100 + self.percent)
    }

    /// A table for each machine that measured some, as a heading and lines of cells.
    pub(crate) fn tables(
        &self,
        catalogue: &Catalogue,
        rows: &[Row],
    ) -> Vec<(String, Vec<Vec<String>>)> {
        let mut tables = Vec::new();
        for (machine, rows) in machines(rows) {
            let growths = self.growths(catalogue, &rows);
            if growths.is_empty() {
                continue;
            }
            let [few, many] = self.threads;
            let head = [
                "operation",
                "alone",
                &format!("{few} threads"),
                &format!("{many} threads"),
                "instr.",
                "instr.",
                "growth",
                "goal",
            ];
            let mut lines = vec![head.map(String::from).to_vec()];
            lines.extend(growths.iter().map(|growth| self.cells(growth)));
            let title = format!(
                "{machine}: {few} to {many} threads, flat within {} %",
                self.percent
            );
            tables.push((title, lines));
        }
        tables
    }

    fn cells(&self, growth: &Growth) -> Vec<String> {
        let optional = |figure: Option<u64>| figure.map_or("-".into(), |figure| figure.to_string());
        let [few, many] = growth.among;
        let mut cells = vec![growth.op.clone(), optional(growth.alone)];
        cells.extend(growth.among.map(|figure| figure.to_string()));
        cells.extend(growth.instructions.map(optional));
        cells.push(format!(
            "{:+.1} %",
            100.0 * (many as f64 / few.max(1) as f64 - 1.0)
        ));
        cells.push(
            if self.is_kept(growth) {
                "flat"
            } else {
                "MISSED"
            }
            .into(),
        );
        cells
    }

    /// What grows by more.
    pub(crate) fn misses(&self, catalogue: &Catalogue, rows: &[Row]) -> Vec<String> {
        let mut misses = Vec::new();
        for (machine, rows) in machines(rows) {
            let growths = self.growths(catalogue, &rows);
            for growth in growths.iter().filter(|growth| !self.is_kept(growth)) {
                let [few, many] = growth.among;
                misses.push(format!(
                    "{}/{} on {machine}: {few} among {} threads, {many} among {}, goal flat within {} %",
                    catalogue.suite, growth.op, self.threads[0], self.threads[1], self.percent
                ));
            }
        }
        misses
    }
}

/// Rows by board and configuration, in their order.
pub(crate) fn machines(rows: &[Row]) -> Vec<(String, Vec<&Row>)> {
    let mut machines: Vec<(String, Vec<&Row>)> = Vec::new();
    for row in rows {
        let machine = format!("{} ({})", row.board, row.config);
        match machines.iter_mut().find(|(name, _)| *name == machine) {
            Some((_, rows)) => rows.push(row),
            None => machines.push((machine, vec![row])),
        }
    }
    machines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::row::tests::row;

    const TEXT: &str = "[flat]\nthreads = [10, 100]\npercent = 5\noperations = [\"yield\"]\n\
                        [[operation]]\nop = \"yield\"\nwhat = \"yield to an equal\"\n";

    fn misses(few: u64, many: u64) -> usize {
        let catalogue = Catalogue::parse("kernel", TEXT).unwrap();
        let rows = [row("yield/10", few), row("yield/100", many)];
        catalogue
            .flat
            .as_ref()
            .unwrap()
            .misses(&catalogue, &rows)
            .len()
    }

    #[test]
    fn growth_beyond_the_percentage_is_a_miss_in_either_direction() {
        assert_eq!(misses(100, 105), 0);
        assert_eq!(misses(100, 106), 1);
        assert_eq!(misses(106, 100), 1);
    }

    #[test]
    fn an_operation_that_was_not_measured_among_both_is_left_out() {
        let catalogue = Catalogue::parse("kernel", TEXT).unwrap();
        let flat = catalogue.flat.clone().unwrap();
        assert!(flat.tables(&catalogue, &[row("yield/10", 9)]).is_empty());
        let rows = [row("yield", 8), row("yield/10", 10), row("yield/100", 20)];
        let tables = flat.tables(&catalogue, &rows);
        assert_eq!(
            tables[0].1[1],
            ["yield", "8", "10", "20", "-", "-", "+100.0 %", "MISSED"]
        );
    }
}
