//! What a suite measures, and what each operation is compared with: the file
//! `operations.toml` of the suite.
//!
//! ```toml
//! [[operation]]
//! op = "yield"
//! what = "yield to an equal thread of the same process"
//! figures = [
//!     { kind = "must", value = 185, board = "rtl-pmp", config = "hot", source = "goal" },
//!     { kind = "published", value = 462, source = "MaRTE OS ..., Pentium III 1.1 GHz" },
//! ]
//! ```
//! A figure without board or configuration holds for all. Where several of a
//! kind hold, the hardest counts: the least.
//!
//! What holds for many operations stands in front of them:
//! ```toml
//! [flat]
//! threads = [10, 100]
//! percent = 5
//! operations = ["yield"]
//! [shipped]
//! percent = 220
//! [rate]
//! cycles = 1000000
//! ```
//! An operation that has to be flat has a row for each number of threads, `yield/10`
//! and `yield/100`, whether the file lists them or not. With a rate, tables and sources
//! state figures as operations in so many cycles, too.

use serde::Deserialize;

use crate::{Circumstances, Error, Flat, Rate, Row, Shipped, Statistic, Statistics};

/// All operations of a suite, in the order in which they are shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Catalogue {
    /// The suite.
    pub suite: String,
    /// Its operations.
    pub operations: Vec<Operation>,
    /// How much the number of threads may matter.
    pub flat: Option<Flat>,
    /// How much the small caches of the shipped chip may matter.
    pub shipped: Option<Shipped>,
    /// The time in which operations are counted, where that is how others state them.
    pub rate: Option<Rate>,
}

/// One operation.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Operation {
    /// Its name in rows.
    pub op: String,
    /// What it is, for people.
    pub what: String,
    /// Of its figures.
    #[serde(default = "cycles")]
    pub unit: String,
    /// What is held against goals and budgets.
    #[serde(default)]
    pub judged: Statistic,
    /// What it is compared with.
    #[serde(default)]
    pub figures: Vec<Figure>,
}

/// A figure to compare with.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Figure {
    /// What kind of figure.
    pub kind: Kind,
    /// In the unit of the operation.
    pub value: u64,
    /// The board that it holds for; all if none is given.
    pub board: Option<String>,
    /// The configuration that it holds for; all if none is given.
    pub config: Option<String>,
    /// Where it comes from: a paper's title, or how it was measured.
    pub source: String,
}

/// Kinds of figures; see [`Row`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// From a paper, in cycles of its own processor.
    Published,
    /// Today's, on the same machine.
    Peer,
    /// The hardware's own.
    Floor,
    /// A goal that must be reached.
    Must,
    /// A goal to strive for.
    Aim,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    operation: Vec<Operation>,
    flat: Option<Flat>,
    shipped: Option<Shipped>,
    rate: Option<Rate>,
}

fn cycles() -> String {
    "cycles".into()
}

impl Catalogue {
    /// Reads the text of a suite's `operations.toml`.
    ///
    /// # Errors
    /// It is no such file, names an operation twice, or a figure without source.
    pub fn parse(suite: &str, text: &str) -> Result<Catalogue, Error> {
        let refuse = |reason: String| Error::Data {
            what: format!("{suite}/operations.toml"),
            reason,
        };
        let file: File = toml::from_str(text).map_err(|error| refuse(error.to_string()))?;
        let mut operations = file.operation;
        for (index, operation) in operations.iter().enumerate() {
            if operations[..index].iter().any(|o| o.op == operation.op) {
                return Err(refuse(format!("`{}` is there twice", operation.op)));
            }
            if operation.figures.iter().any(|f| f.source.trim().is_empty()) {
                return Err(refuse(format!(
                    "a figure of `{}` has no source",
                    operation.op
                )));
            }
        }
        if let Some(flat) = &file.flat {
            add_sizes(&mut operations, flat).map_err(refuse)?;
        }
        Ok(Catalogue {
            suite: suite.into(),
            operations,
            flat: file.flat,
            shipped: file.shipped,
            rate: file.rate,
        })
    }

    /// The operation of this name.
    ///
    /// # Errors
    /// There is none.
    pub fn operation(&self, op: &str) -> Result<&Operation, Error> {
        let found = self.operations.iter().find(|o| o.op == op);
        found.ok_or_else(|| Error::UnknownOperation {
            suite: self.suite.clone(),
            op: op.into(),
        })
    }

    /// A measured operation beside the figures that it is compared with.
    ///
    /// # Errors
    /// The suite has no such operation.
    pub fn row(
        &self,
        op: &str,
        circumstances: &Circumstances,
        statistics: Statistics,
        instructions: Option<u64>,
    ) -> Result<Row, Error> {
        let operation = self.operation(op)?;
        let figure = |kind| operation.figure(kind, circumstances).map(|f| f.value);
        Ok(Row {
            suite: self.suite.clone(),
            op: op.into(),
            board: circumstances.board.clone(),
            config: circumstances.config.clone(),
            unit: operation.unit.clone(),
            min: statistics.min,
            median: statistics.median,
            max: statistics.max,
            instructions,
            published: figure(Kind::Published),
            peer: figure(Kind::Peer),
            floor: figure(Kind::Floor),
            must: figure(Kind::Must),
            aim: figure(Kind::Aim),
            elf_hash: circumstances.elf_hash.clone(),
            clock_hz: circumstances.clock_hz,
        })
    }

    /// What is held against goals and budgets; the median if nobody says.
    pub fn judged(&self, row: &Row) -> u64 {
        let statistic = self.operation(&row.op).map(|o| o.judged);
        row.statistics().get(statistic.unwrap_or_default())
    }

    /// What the rows of the suite miss of what it compares them with each other by.
    pub fn comparisons_missed(&self, rows: &[Row]) -> Vec<String> {
        let flat = self.flat.iter().flat_map(|flat| flat.misses(self, rows));
        let shipped = self.shipped.iter();
        flat.chain(shipped.flat_map(|shipped| shipped.misses(self, rows)))
            .collect()
    }

    /// Rows that miss what they must not exceed.
    pub fn misses<'a>(&self, rows: &'a [Row]) -> Vec<&'a Row> {
        let misses = |row: &&Row| {
            row.suite == self.suite && row.must.is_some_and(|must| self.judged(row) > must)
        };
        rows.iter().filter(misses).collect()
    }
}

/// Adds the operations among many threads that the file does not list.
fn add_sizes(operations: &mut Vec<Operation>, flat: &Flat) -> Result<(), String> {
    for (op, size) in flat.sized() {
        let sized = format!("{op}/{size}");
        if operations.iter().any(|o| o.op == sized) {
            continue;
        }
        let Some(base) = operations.iter().find(|o| o.op == op) else {
            return Err(format!("`{op}` is to be flat and is no operation"));
        };
        operations.push(Operation {
            op: sized,
            what: format!("{}, {size} threads", base.what),
            figures: Vec::new(),
            ..base.clone()
        });
    }
    Ok(())
}

impl Operation {
    /// The hardest figure of a kind under these circumstances.
    pub fn figure(&self, kind: Kind, circumstances: &Circumstances) -> Option<&Figure> {
        let holds = |here: &Option<String>, there: &str| here.as_deref().is_none_or(|h| h == there);
        self.figures
            .iter()
            .filter(|f| f.kind == kind)
            .filter(|f| holds(&f.board, &circumstances.board))
            .filter(|f| holds(&f.config, &circumstances.config))
            .min_by_key(|f| f.value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = r#"
        [[operation]]
        op = "yield"
        what = "yield to an equal"
        figures = [
            { kind = "must", value = 185, board = "rtl-pmp", config = "hot", source = "goal" },
            { kind = "published", value = 484, source = "one paper" },
            { kind = "published", value = 462, source = "another paper" },
        ]

        [[operation]]
        op = "latency"
        what = "interrupt latency"
        judged = "max"
        figures = [{ kind = "must", value = 1000, source = "goal" }]
    "#;

    fn circumstances(board: &str) -> Circumstances {
        Circumstances {
            board: board.into(),
            config: "hot".into(),
            elf_hash: "ff".into(),
            clock_hz: 1,
        }
    }

    fn statistics(median: u64, max: u64) -> Statistics {
        Statistics {
            min: 1,
            median,
            max,
        }
    }

    #[test]
    fn the_hardest_figure_that_holds_counts() {
        let catalogue = Catalogue::parse("kernel", TEXT).unwrap();
        let pmp = circumstances("rtl-pmp");
        let row = catalogue
            .row("yield", &pmp, statistics(150, 160), None)
            .unwrap();
        assert_eq!(
            (row.must, row.published, row.peer),
            (Some(185), Some(462), None)
        );
        let mmu = circumstances("rtl-mmu");
        let row = catalogue
            .row("yield", &mmu, statistics(150, 160), None)
            .unwrap();
        assert_eq!((row.must, row.published), (None, Some(462)));
    }

    #[test]
    fn the_judged_statistic_misses_a_goal() {
        let catalogue = Catalogue::parse("kernel", TEXT).unwrap();
        let pmp = circumstances("rtl-pmp");
        let row = |op, median, max| {
            catalogue
                .row(op, &pmp, statistics(median, max), None)
                .unwrap()
        };
        let rows = [
            row("yield", 185, 900),
            row("latency", 200, 1001),
            row("latency", 999, 1000),
        ];
        let misses: Vec<&str> = catalogue
            .misses(&rows)
            .iter()
            .map(|r| r.op.as_str())
            .collect();
        assert_eq!(misses, ["latency"]);
    }

    #[test]
    fn what_has_to_be_flat_has_a_row_for_each_number_of_threads() {
        let flat = "[flat]\nthreads = [10, 100]\npercent = 5\noperations = [\"yield\"]\n";
        let catalogue = Catalogue::parse("kernel", &format!("{flat}{TEXT}")).unwrap();
        let sized = catalogue.operation("yield/100").unwrap();
        assert_eq!(sized.what, "yield to an equal, 100 threads");
        assert!(sized.figures.is_empty());
        let unknown = flat.replace("yield", "yeild");
        assert!(Catalogue::parse("kernel", &format!("{unknown}{TEXT}")).is_err());
    }

    #[test]
    fn unknown_operations_doubles_and_nameless_sources_are_refused() {
        let catalogue = Catalogue::parse("kernel", TEXT).unwrap();
        let error = catalogue
            .row("yeild", &circumstances("rtl-pmp"), statistics(1, 1), None)
            .unwrap_err();
        assert!(error.to_string().contains("no operation `yeild`"));
        let twice = format!("{TEXT}\n[[operation]]\nop = \"yield\"\nwhat = \"again\"\n");
        assert!(Catalogue::parse("kernel", &twice).is_err());
        assert!(Catalogue::parse("kernel", &TEXT.replace("one paper", " ")).is_err());
    }

    #[test]
    fn catalogues_of_the_repository_are_whole() {
        for suite in [
            "emeralds",
            "hardware",
            "kernel",
            "marte",
            "programmable-microkernel",
            "promises",
            "psigma",
            "thread-metric",
        ] {
            let path = format!("{}/{suite}/operations.toml", env!("CARGO_MANIFEST_DIR"));
            let catalogue = Catalogue::parse(suite, &std::fs::read_to_string(path).unwrap());
            assert!(!catalogue.unwrap().operations.is_empty());
        }
    }
}
