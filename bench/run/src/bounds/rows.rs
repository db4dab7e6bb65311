//! What the base suite has measured: most instructions by operation.

use std::collections::BTreeMap;

use anyhow::{Context, Result};
use giornata_bench::from_json;
use toml::{Table, Value};

use crate::crates::root;

/// Rows measured on simulated chips.
const CHIPS: &str = "docs/results/kernel.json";
/// Rows measured in emulators, as `[board.configuration]` with a figure a row.
const EMULATORS: &str = "bench/kernel/instructions.toml";

/// The operations of a board; none where they have not been measured.
///
/// # Errors
/// A file of rows cannot be read.
pub(super) fn most(board: &str) -> Result<BTreeMap<String, u64>> {
    let mut most: BTreeMap<String, u64> = BTreeMap::new();
    let mut raise = |op: &str, figure: u64| {
        let known = most.entry(op.into()).or_default();
        *known = figure.max(*known);
    };
    if let Some(text) = text(CHIPS)? {
        let rows = from_json(&text).context(CHIPS)?;
        for row in rows.iter().filter(|row| row.board == board) {
            raise(&row.op, row.instructions.unwrap_or(0));
        }
    }
    if let Some(text) = text(EMULATORS)? {
        for (op, figure) in figures(&text, board).context(EMULATORS)? {
            raise(&op, figure);
        }
    }
    Ok(most)
}

/// The text of a file of the repository, if it is there.
fn text(path: &'static str) -> Result<Option<String>> {
    let full = root().join(path);
    match full.exists() {
        true => Ok(Some(std::fs::read_to_string(full).context(path)?)),
        false => Ok(None),
    }
}

fn figures(text: &str, board: &str) -> Result<Vec<(String, u64)>> {
    let table: Table = text.parse()?;
    let boards = table.get(board).and_then(Value::as_table);
    let configurations = boards.into_iter().flat_map(Table::values);
    let rows = configurations.filter_map(Value::as_table).flatten();
    let figure = |value: &Value| u64::try_from(value.as_integer()?).ok();
    Ok(rows
        .filter_map(|(op, value)| Some((op.clone(), figure(value)?)))
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_those_of_the_board() {
        let text = "[a.icount]\nyield = 7\n\"agenda/4\" = 9\n[b.icount]\nyield = 8\n";
        let read = figures(text, "a").unwrap();
        assert_eq!(read, [("agenda/4".into(), 9), ("yield".into(), 7)]);
        assert!(figures(text, "c").unwrap().is_empty());
        assert!(figures("[a", "a").is_err());
    }
}
