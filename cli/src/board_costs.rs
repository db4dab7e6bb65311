//! What the kernel takes on a board: from what has been measured there, or from
//! the bounds of its instructions where an instruction has a time.

use std::fs;
use std::path::Path;

use giornata_abi::Duration;
use giornata_analysis::Costs;
use giornata_system::Board;
use giornata_system::problem::suggest;
use serde_json::Value;

use crate::complaint::Complaint;
use giornata_launch::home;

/// Measurements of the kernel, by operation and board.
const MEASURED: &str = "docs/results/kernel.json";
/// Bounds of entries into the kernel, by board and kind.
const BOUNDS: &str = "docs/results/bounds.json";
/// Tasks that are released at once in the measurements, the fewest first.
const DUE: [u64; 4] = [4, 10, 50, 100];

/// Costs, and where they come from.
pub(crate) struct BoardCosts {
    pub(crate) costs: Costs,
    pub(crate) source: String,
}

/// How many harts a board of giornata's home has.
pub(crate) fn harts(board: &str) -> Result<u32, Complaint> {
    read_board(board, home::root()).map(|board| board.harts)
}

/// The costs on a board of giornata's home.
pub(crate) fn of(board: &str, is_measured: bool) -> Result<BoardCosts, Complaint> {
    let root = home::root();
    let known = read_board(board, root)?;
    let rows = read(&root.join(MEASURED))?;
    if let Some(costs) = measured(&rows, board) {
        return Ok(costs);
    }
    let bounds = read(&root.join(BOUNDS))?;
    let found = known
        .emulator
        .is_some()
        .then(|| bounded(&bounds, board, is_measured));
    found.flatten().ok_or_else(|| {
        let message = format!("what the kernel takes on {board} is neither measured nor bounded");
        let help =
            "measure it by `./x bench kernel --document`, or bound it by `./x bounds --document`";
        Complaint::new("giornata::board", message, help)
    })
}

fn read_board(board: &str, root: &Path) -> Result<Board, Complaint> {
    Board::named(board, root).map_err(|refusal| {
        let problems = refusal.problems().iter();
        let why: Vec<String> = problems
            .map(|problem| problem.reason().to_owned())
            .collect();
        let known = Board::known(root);
        let help = suggest(board, known.iter().map(String::as_str));
        Complaint::new("giornata::board", why.join("; "), help)
    })
}

fn read(path: &Path) -> Result<Value, Complaint> {
    let refuse = |why: String| {
        let message = format!("{}: {why}", path.display());
        let help = "take the file as it is in the repository, or write it anew by `--document`";
        Complaint::new("giornata::board", message, help)
    };
    let text = fs::read_to_string(path).map_err(|error| refuse(error.to_string()))?;
    serde_json::from_str(&text).map_err(|error| refuse(error.to_string()))
}

/// Costs made of the largest cycles that were seen of each operation.
fn measured(rows: &Value, board: &str) -> Option<BoardCosts> {
    let rows: Vec<&Value> = rows
        .as_array()?
        .iter()
        .filter(|row| row["board"] == board)
        .collect();
    let hertz = rows.first()?["clock_hz"]
        .as_u64()
        .filter(|hertz| *hertz > 0)?;
    let most = |op: &str| {
        let of_it = rows.iter().filter(|row| row["op"] == op);
        of_it.filter_map(|row| row["max"].as_u64()).max()
    };
    let due: Option<Vec<u64>> = DUE
        .iter()
        .map(|n| most(&format!("due-at-once/{n}")))
        .collect();
    let due = due?;
    let least = *due.first()?;
    // a line above all that was seen: so much at once, and so much a task
    let slope = |(n, cycles): (&u64, &u64)| cycles.saturating_sub(least).div_ceil(n - DUE[0]);
    let release = DUE.iter().zip(&due).skip(1).map(slope).max()?;
    let time = |cycles: u64| {
        let nanos = u128::from(cycles) * 1_000_000_000;
        Duration(nanos.div_ceil(hertz.into()) as u64)
    };
    Some(BoardCosts {
        costs: Costs {
            instant: time(least),
            release: time(release),
            copy: time(most("driver-copy")?),
            function: time(most("driver-upcall")?),
            piece: Duration::ZERO,
            completion: time(most("completion")?),
            s_piece: None,
        },
        source: format!("largest measured cycles at {} MHz", hertz / 1_000_000),
    })
}

/// Costs made of bounds, an instruction a nanosecond. An instant is the timer's entry, a
/// step of microcode that begins it and one that ends it, and a look at what else has come.
/// Every instruction is a step. A driver that copies is two more, which move its values; one
/// that is a function leaves the kernel between its inputs and its outputs. A completion
/// begins a reaction.
fn bounded(bounds: &Value, board: &str, is_measured: bool) -> Option<BoardCosts> {
    let boards = bounds["boards"].as_array()?;
    let kinds = boards.iter().find(|entry| entry["board"] == board)?["kinds"].as_array()?;
    // (what was never seen is taken to be what it is at most)
    let figure = |kind: &Value| {
        let measured = kind["measured"].as_u64().filter(|_| is_measured);
        measured.or(kind["bound"].as_u64())
    };
    let bound = |name: &str| figure(kinds.iter().find(|kind| kind["kind"] == name)?);
    let (timer, step) = (bound("timer")?, bound("step of microcode")?);
    let (look, end) = (bound("after a look at interrupts")?, bound("call return")?);
    Some(BoardCosts {
        costs: Costs {
            instant: Duration(timer + 2 * step + look),
            release: Duration::ZERO,
            copy: Duration(2 * step),
            function: Duration(end + 4 * step),
            piece: Duration(step),
            completion: Duration(bound("call complete")? + step),
            s_piece: Some(Duration(step)),
        },
        source: format!(
            "{} of {}, an instruction a nanosecond",
            match is_measured {
                true => "the most instructions that were measured",
                false => "bounds for the capacities",
            },
            bounds["system"].as_str()?
        ),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn measured_costs_lie_above_all_that_was_seen() {
        let row = |op: &str, max: u64| json!({ "op": op, "board": "b", "max": max, "clock_hz": 100_000_000 });
        let due = [500, 1_400, 5_000, 9_000];
        let mut rows: Vec<Value> = DUE
            .iter()
            .zip(due)
            .map(|(n, max)| row(&format!("due-at-once/{n}"), max))
            .collect();
        rows.extend([
            row("driver-copy", 7),
            row("driver-upcall", 8),
            row("completion", 9),
        ]);
        // another layout was slower
        rows.push(row("completion", 10));
        let costs = measured(&Value::Array(rows.clone()), "b").unwrap().costs;
        for (n, cycles) in DUE.into_iter().zip(due) {
            let charged = costs.instant.0 + n * costs.release.0;
            assert!(charged >= cycles * 10, "{n} tasks");
        }
        assert_eq!(
            (costs.instant.0, costs.release.0, costs.completion.0),
            (5_000, 1_500, 100)
        );
        assert!(measured(&Value::Array(rows), "other").is_none());
    }

    #[test]
    fn bounds_are_of_one_board_and_name_their_system() {
        let kind =
            |kind: &str, bound: u64| json!({ "kind": kind, "bound": bound, "measured": null });
        let kinds = [
            kind("timer", 1_000),
            kind("after a look at interrupts", 500),
            kind("step of microcode", 100),
            kind("call return", 60),
            kind("call complete", 50),
        ];
        let bounds = json!({ "system": "s", "boards": [{ "board": "b", "kinds": kinds }] });
        let found = bounded(&bounds, "b", false).unwrap();
        let costs = found.costs;
        assert_eq!(
            (costs.instant.0, costs.function.0, costs.completion.0),
            (1_700, 460, 150)
        );
        assert!(found.source.contains("capacities of s"));
        assert!(bounded(&bounds, "c", false).is_none());
    }
}
