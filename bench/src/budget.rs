//! Budgets: what each row may cost, committed beside the suite, so that a change
//! that costs more is seen where it is made.
//!
//! ```toml
//! [rtl-pmp.hot]
//! yield = 140
//! "agenda-insert/100" = 118
//! ```

use std::collections::BTreeMap;
use std::fmt::{self, Write as _};

use crate::{Catalogue, Error, Row};

/// Board, configuration, operation.
type Key = (String, String, String);

/// The budgets of one suite: the file `budget.toml`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Budget {
    suite: String,
    limits: BTreeMap<Key, u64>,
    slack_percent: u64,
}

/// A row and its budget that do not go together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Breach {
    /// It costs more.
    Over {
        /// Which row.
        row: String,
        /// Of both figures.
        unit: String,
        /// What it costs.
        figure: u64,
        /// What it may cost.
        budget: u64,
    },
    /// Nobody has said what it may cost.
    Unbudgeted {
        /// Which row.
        row: String,
        /// Of the figure.
        unit: String,
        /// What it costs.
        figure: u64,
    },
    /// It has a budget, but it was not measured where others were.
    Unmeasured {
        /// Which row.
        row: String,
        /// What it may cost.
        budget: u64,
    },
}

impl fmt::Display for Breach {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Breach::Over {
                row,
                unit,
                figure,
                budget,
            } => {
                let over = figure - budget;
                let percent = 100.0 * over as f64 / (*budget).max(1) as f64;
                write!(
                    out,
                    "{row}: {figure} {unit}, budget {budget}, over by {over} ({percent:.1} %)"
                )
            }
            Breach::Unbudgeted { row, unit, figure } => {
                write!(out, "{row}: {figure} {unit}, no budget")
            }
            Breach::Unmeasured { row, budget } => {
                write!(out, "{row}: not measured, budget {budget}")
            }
        }
    }
}

impl Budget {
    /// Reads the text of a suite's `budget.toml`.
    ///
    /// # Errors
    /// It is no table of boards, of configurations, of operations, of numbers.
    pub fn parse(suite: &str, text: &str) -> Result<Budget, Error> {
        type Tables = BTreeMap<String, BTreeMap<String, BTreeMap<String, u64>>>;
        let tables: Tables = toml::from_str(text).map_err(|error| Error::Data {
            what: format!("{suite}/budget.toml"),
            reason: error.to_string(),
        })?;
        let mut limits = BTreeMap::new();
        for (board, configs) in tables {
            for (config, operations) in configs {
                for (op, limit) in operations {
                    limits.insert((board.clone(), config.clone(), op), limit);
                }
            }
        }
        Ok(Budget {
            suite: suite.into(),
            limits,
            slack_percent: 0,
        })
    }

    /// The same, exceeded only beyond so many percent.
    pub fn with_slack(self, percent: u64) -> Budget {
        Budget {
            slack_percent: percent,
            ..self
        }
    }

    /// What the rows cost now, as a budget; what was not measured keeps its own, unless
    /// the suite does not have it any more.
    pub fn renewed(mut self, catalogue: &Catalogue, rows: &[Row]) -> Budget {
        self.limits
            .retain(|(_, _, op), _| catalogue.operation(op).is_ok());
        for row in rows.iter().filter(|row| row.suite == self.suite) {
            self.limits.insert(key(row), catalogue.judged(row));
        }
        self
    }

    /// As a file, in the order of names.
    pub fn to_toml(&self) -> String {
        let mut text = String::from(
            "# What each operation may cost. The option `--bless` of the command that checks it\n# writes what it costs now.\n",
        );
        let mut place = None;
        for ((board, config, op), limit) in &self.limits {
            if place != Some((board, config)) {
                place = Some((board, config));
                let _ = write!(text, "\n[{board}.{config}]\n");
            }
            let _ = writeln!(text, "{op:?} = {limit}");
        }
        text
    }

    /// What the rows of the suite and the budgets have against each other.
    /// Budgets of boards and configurations that were not measured do not count.
    pub fn check(&self, catalogue: &Catalogue, rows: &[Row]) -> Vec<Breach> {
        let rows: Vec<&Row> = rows.iter().filter(|row| row.suite == self.suite).collect();
        let mut breaches: Vec<Breach> = rows
            .iter()
            .filter_map(|row| self.check_row(catalogue, row))
            .collect();
        for ((board, config, op), budget) in &self.limits {
            let here = rows
                .iter()
                .filter(|row| row.board == *board && row.config == *config);
            let (mut any, mut found) = (false, false);
            for row in here {
                any = true;
                found |= row.op == *op;
            }
            if any && !found {
                breaches.push(Breach::Unmeasured {
                    row: format!("{}/{op} on {board} ({config})", self.suite),
                    budget: *budget,
                });
            }
        }
        breaches
    }

    fn is_over(&self, figure: u64, budget: u64) -> bool {
        figure.saturating_mul(100) > budget.saturating_mul(100 + self.slack_percent)
    }

    fn check_row(&self, catalogue: &Catalogue, row: &Row) -> Option<Breach> {
        let (name, unit, figure) = (row.name(), row.unit.clone(), catalogue.judged(row));
        match self.limits.get(&key(row)) {
            None => Some(Breach::Unbudgeted {
                row: name,
                unit,
                figure,
            }),
            Some(&budget) if self.is_over(figure, budget) => Some(Breach::Over {
                row: name,
                unit,
                figure,
                budget,
            }),
            Some(_) => None,
        }
    }
}

fn key(row: &Row) -> Key {
    (row.board.clone(), row.config.clone(), row.op.clone())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::row::tests::row;

    const TEXT: &str = "[rtl-pmp.hot]\nyield = 140\n\"agenda-insert/100\" = 118\n";

    fn catalogue() -> Catalogue {
        let operations = ["yield", "preempt", "agenda-insert/100"];
        let text = operations.map(|op| format!("[[operation]]\nop = {op:?}\nwhat = \"one\"\n"));
        Catalogue::parse("kernel", &text.concat()).unwrap()
    }

    fn said(rows: &[Row]) -> Vec<String> {
        let budget = Budget::parse("kernel", TEXT).unwrap();
        let breaches = budget.check(&catalogue(), rows);
        breaches.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_tenth_too_slow_is_told_with_row_budget_and_figure() {
        let rows = [row("yield", 154), row("agenda-insert/100", 118)];
        assert_eq!(
            said(&rows),
            ["kernel/yield on rtl-pmp (hot): 154 cycles, budget 140, over by 14 (10.0 %)"]
        );
    }

    #[test]
    fn slack_lets_a_few_percent_pass_and_no_more() {
        let budget = Budget::parse("kernel", "[rtl-pmp.hot]\nyield = 100\n").unwrap();
        let budget = budget.with_slack(3);
        assert!(budget.check(&catalogue(), &[row("yield", 103)]).is_empty());
        assert_eq!(budget.check(&catalogue(), &[row("yield", 104)]).len(), 1);
    }

    #[test]
    fn rows_without_budget_and_budgets_without_row_are_told() {
        let rows = [row("yield", 140), row("preempt", 99)];
        assert_eq!(
            said(&rows),
            [
                "kernel/preempt on rtl-pmp (hot): 99 cycles, no budget",
                "kernel/agenda-insert/100 on rtl-pmp (hot): not measured, budget 118",
            ]
        );
    }

    #[test]
    fn another_board_or_suite_is_no_breach() {
        let elsewhere = Row {
            suite: "hardware".into(),
            ..row("yield", 999)
        };
        assert_eq!(said(&[elsewhere]), Vec::<String>::new());
        let unmeasured = Budget::parse("kernel", TEXT).unwrap();
        assert!(unmeasured.check(&catalogue(), &[]).is_empty());
    }

    #[test]
    fn a_renewed_budget_holds_and_survives_its_file() {
        let rows = [row("yield", 154), row("preempt", 99)];
        let gone = format!("{TEXT}\"long-gone\" = 7\n");
        let budget = Budget::parse("kernel", &gone).unwrap();
        let renewed = budget.renewed(&catalogue(), &rows);
        let read = Budget::parse("kernel", &renewed.to_toml()).unwrap();
        assert_eq!(read, renewed);
        assert_eq!(renewed.limits.len(), 3);
        assert!(
            renewed
                .check(&catalogue(), &rows)
                .iter()
                .all(|breach| matches!(breach, Breach::Unmeasured { .. }))
        );
    }
}
