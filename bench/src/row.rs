//! A row: one operation on one board in one configuration.

use serde::{Deserialize, Serialize};

use crate::{Error, Statistics};

/// What was measured, and what it is compared with. The fields and their order
/// are those of the JSON.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Row {
    /// The suite, a folder under `bench/`.
    pub suite: String,
    /// The operation; `NAME/N` if it was measured for several sizes n.
    pub op: String,
    /// The board.
    pub board: String,
    /// How it was measured: `hot`, `shipped`.
    pub config: String,
    /// Of all figures in this row: `cycles`, `instructions`, `bytes`.
    pub unit: String,
    /// The least.
    pub min: u64,
    /// The middle.
    pub median: u64,
    /// The largest.
    pub max: u64,
    /// Instructions retired, if they were counted: the middle, or the most where the
    /// largest is judged.
    pub instructions: Option<u64>,
    /// The best that a paper gives.
    pub published: Option<u64>,
    /// The best of today's peers on the same machine.
    pub peer: Option<u64>,
    /// What the hardware takes for the barest form of it.
    pub floor: Option<u64>,
    /// What it must not exceed.
    pub must: Option<u64>,
    /// What it should not exceed.
    pub aim: Option<u64>,
    /// Of the executable that was measured.
    pub elf_hash: String,
    /// Cycles a second.
    pub clock_hz: u64,
}

/// What the rows of one measurement have in common.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Circumstances {
    /// The board.
    pub board: String,
    /// The configuration.
    pub config: String,
    /// Hash of the executable.
    pub elf_hash: String,
    /// Cycles a second.
    pub clock_hz: u64,
}

impl Row {
    /// What tells rows apart, for people: `kernel/yield on rtl-pmp (hot)`.
    pub fn name(&self) -> String {
        format!(
            "{}/{} on {} ({})",
            self.suite, self.op, self.board, self.config
        )
    }

    /// Whether both are about the same operation, board and configuration.
    pub fn is_same_measurement(&self, other: &Row) -> bool {
        (&self.suite, &self.op, &self.board, &self.config)
            == (&other.suite, &other.op, &other.board, &other.config)
    }

    /// The operation without its size, and the size, of `NAME/N`.
    pub fn sized(&self) -> Option<(&str, u32)> {
        let (name, size) = self.op.rsplit_once('/')?;
        Some((name, size.parse().ok()?))
    }

    /// How a figure stands to the row's goals: `MISSED`, or the hardest that it reaches.
    pub(crate) fn goal_met(&self, figure: u64) -> &'static str {
        match (self.must, self.aim) {
            (Some(must), _) if figure > must => "MISSED",
            (_, Some(aim)) if figure <= aim => "aim",
            (Some(_), _) => "must",
            (None, _) => "",
        }
    }

    /// The three numbers.
    pub fn statistics(&self) -> Statistics {
        Statistics {
            min: self.min,
            median: self.median,
            max: self.max,
        }
    }
}

/// Rows as a JSON array, one line a row, so that differences read well.
///
/// # Errors
/// None that rows can cause.
pub fn to_json(rows: &[Row]) -> Result<String, Error> {
    let lines: Vec<String> = rows
        .iter()
        .map(serde_json::to_string)
        .collect::<Result<_, _>>()?;
    Ok(format!("[\n{}\n]\n", lines.join(",\n")))
}

/// Rows out of a JSON array.
///
/// # Errors
/// It is none, or an object has other fields.
pub fn from_json(text: &str) -> Result<Vec<Row>, Error> {
    Ok(serde_json::from_str(text)?)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A row of the kernel's suite on rtl-pmp, hot.
    pub(crate) fn row(op: &str, median: u64) -> Row {
        Row {
            suite: "kernel".into(),
            op: op.into(),
            board: "rtl-pmp".into(),
            config: "hot".into(),
            unit: "cycles".into(),
            min: median.saturating_sub(2),
            median,
            max: median + 5,
            instructions: None,
            published: None,
            peer: None,
            floor: None,
            must: None,
            aim: None,
            elf_hash: "0123456789abcdef".into(),
            clock_hz: 100_000_000,
        }
    }

    #[test]
    fn rows_survive_json_with_all_fields_in_order() {
        let rows = vec![row("yield", 140), row("agenda-insert/100", 118)];
        let text = to_json(&rows).unwrap();
        assert_eq!(from_json(&text).unwrap(), rows);
        let fields = [
            "suite",
            "op",
            "board",
            "config",
            "unit",
            "min",
            "median",
            "max",
            "instructions",
            "published",
            "peer",
            "floor",
            "must",
            "aim",
            "elf_hash",
            "clock_hz",
        ];
        let at = |field: &str| text.find(&format!("\"{field}\":")).unwrap();
        assert!(fields.windows(2).all(|pair| at(pair[0]) < at(pair[1])));
    }

    #[test]
    fn unknown_fields_are_refused() {
        let text = to_json(&[row("yield", 140)])
            .unwrap()
            .replace("\"op\"", "\"operation\"");
        assert!(from_json(&text).is_err());
    }

    #[test]
    fn a_size_is_the_number_behind_the_last_slash() {
        assert_eq!(
            row("agenda-insert/100", 1).sized(),
            Some(("agenda-insert", 100))
        );
        assert_eq!(row("yield", 1).sized(), None);
        assert_eq!(row("driver/copy", 1).sized(), None);
    }
}
