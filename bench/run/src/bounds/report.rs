//! Bounds as text.

use std::fmt::Write as _;

use anyhow::{Context, Result};
use giornata_bounds::ASSUMPTIONS;
use serde_json::json;

use super::{CONFIG, DECLARATIONS, Found, Options};
use crate::crates::root;

/// Where the tables of kernels in a configuration are written, without what the
/// files end with: `.md` for people, `.json` for programs.
fn document(config: &str) -> String {
    match config == CONFIG {
        true => "docs/results/bounds".into(),
        false => format!("docs/results/bounds-{config}"),
    }
}

/// The table of a board, for a terminal.
pub(super) fn table(found: &Found, options: &Options) -> String {
    let mut text = format!(
        "{:<40} {:>12} {:>12} {:>8}\n",
        found.board, "bound", "measured", "times"
    );
    for (bound, measured) in found.bounds.kinds.iter().zip(&found.measured) {
        let (value, seen) = (bound.instructions.value, seen(*measured));
        let times = times(value, *measured);
        let _ = writeln!(text, "{:<40} {value:>12} {seen:>12} {times:>8}", bound.kind);
        if options.formulas {
            let _ = writeln!(text, "    {}", bound.instructions);
        }
        for (function, times, taken) in bound.calls.iter().filter(|_| options.shares > 0) {
            let _ = writeln!(text, "{taken:>53}  {function}, {times} times");
        }
        for (function, share) in bound
            .instructions
            .shares()
            .iter()
            .take(options.most_shares())
        {
            let _ = writeln!(text, "{share:>53}  {function}");
        }
    }
    for (name, cost) in found.bounds.functions.iter().filter(|_| options.functions) {
        let _ = writeln!(text, "{:>12}  {name}: {cost}", cost.value);
    }
    text
}

/// How many times what was measured a bound is, rounded up to tenths.
fn times(bound: u64, measured: u64) -> String {
    match measured {
        0 => "-".into(),
        measured => {
            let tenths = bound.saturating_mul(10).div_ceil(measured);
            format!("{}.{}", tenths / 10, tenths % 10)
        }
    }
}

fn seen(measured: u64) -> String {
    match measured {
        0 => "-".into(),
        most => most.to_string(),
    }
}

/// A line: how many kinds are bounded, and the one that was met most nearly.
pub(super) fn summary(kernel: &str, all: &[Found]) -> String {
    let pairs = || {
        all.iter().flat_map(|found| {
            let kinds = found.bounds.kinds.iter().zip(&found.measured);
            kinds.map(|(bound, measured)| (bound, *measured))
        })
    };
    let kinds = all.first().map_or(0, |found| found.bounds.kinds.len());
    let seen = (0..kinds).filter(|kind| all.iter().any(|found| found.measured[*kind] > 0));
    let text = format!("{kernel}: {kinds} kinds bounded, {} measured", seen.count());
    // instructions per thousand of the bound
    let share = |measured: u64, bound: u64| measured.saturating_mul(1000) / bound.max(1);
    let nearest = pairs()
        .filter(|(bound, measured)| *measured > 0 && bound.instructions.value > 10)
        .max_by_key(|(bound, measured)| share(*measured, bound.instructions.value));
    match nearest {
        None => text,
        Some((bound, measured)) => format!(
            "{text}, the nearest `{}` with {measured} of {}",
            bound.kind, bound.instructions.value
        ),
    }
}

/// Kinds of which a longer stretch was measured than can be.
pub(super) fn exceeded(found: &Found) -> Vec<String> {
    let kinds = found.bounds.kinds.iter().zip(&found.measured);
    kinds
        .filter(|(bound, measured)| **measured > bound.instructions.value)
        .map(|(bound, measured)| {
            format!(
                "{}: `{}` took {measured} instructions, its bound is {}: a declaration in \
                 {DECLARATIONS} is wrong",
                found.board, bound.kind, bound.instructions.value
            )
        })
        .collect()
}

/// Kinds whose bound is a number, and more than so many times the most that was measured
/// on a kernel.
pub(super) fn loose(all: &[Found], times: u64) -> Vec<String> {
    let Some(first) = all.first() else {
        return Vec::new();
    };
    let kinds = first.bounds.kinds.iter().enumerate();
    let loose = kinds.filter_map(|(index, bound)| {
        let most = all
            .iter()
            .filter_map(|found| found.measured.get(index))
            .max()?;
        let value = bound.instructions.value;
        let is_loose = bound.instructions.is_number() && *most > 0 && value > most * times;
        is_loose.then(|| {
            format!(
                "{}: `{}` is bounded by {value} instructions, and {most} is all that was \
                 measured: say what does not happen in it",
                first.board, bound.kind
            )
        })
    });
    loose.collect()
}

/// Writes the tables and formulas of a system.
pub(super) fn write(options: &Options, config: &str, all: &[Found]) -> Result<()> {
    let system = &options.system;
    let board = options
        .board
        .iter()
        .map(|board| format!(" --board {board}"));
    let board: String = board.collect();
    let mut text = format!(
        "# Bounds of entries into the kernel\n\n\
         Written by `./x bounds {system}{board} --document`: most instructions until the \
         kernel of configuration `{config}` is left, waits or looks at interrupts, for the \
         capacities of `{system}`. An entry that \
         looks n times takes at most the bound of its kind and n times that after a look. \
         The bounds rest on this:\n\n"
    );
    for assumption in ASSUMPTIONS {
        let _ = writeln!(text, "- {assumption};");
    }
    for found in all {
        let _ = write!(
            text,
            "\n## {}\n\n| kind | bound | measured |\n|---|---|---|\n",
            found.board
        );
        for (bound, measured) in found.bounds.kinds.iter().zip(&found.measured) {
            let (value, seen) = (bound.instructions.value, seen(*measured));
            let _ = writeln!(text, "| {} | {value} | {seen} |", bound.kind);
        }
        text.push_str("\nMade of the system's capacities:\n\n");
        for bound in &found.bounds.kinds {
            let _ = writeln!(text, "- {}: {}", bound.kind, bound.instructions);
        }
    }
    let data = serde_json::to_string_pretty(&data(system, all))? + "\n";
    for (end, text) in [("md", text), ("json", data)] {
        let file = format!("{}.{end}", document(config));
        std::fs::write(root().join(&file), text).context(file)?;
    }
    Ok(())
}

/// The tables for programs to read.
fn data(system: &str, all: &[Found]) -> serde_json::Value {
    let board = |found: &Found| {
        let kinds = found.bounds.kinds.iter().zip(&found.measured);
        let kind = |(bound, measured): (&giornata_bounds::Bound, &u64)| {
            json!({
                "kind": bound.kind,
                "bound": bound.instructions.value,
                "measured": (*measured > 0).then_some(*measured),
            })
        };
        let kinds: Vec<serde_json::Value> = kinds.map(kind).collect();
        json!({ "board": found.board, "kinds": kinds })
    };
    let boards: Vec<serde_json::Value> = all.iter().map(board).collect();
    json!({ "system": system, "boards": boards })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_loose_bound_is_told_unless_it_is_a_formula() {
        let found = |measured: Vec<u64>| Found {
            board: "a-board",
            bounds: giornata_bounds::Bounds {
                kinds: vec![bound("timer", 100), bound("call", 50)],
                functions: Vec::new(),
                used: Default::default(),
                calls: Vec::new(),
            },
            measured,
        };
        let both = [found(vec![24, 0]), found(vec![25, 12])];
        let complaints = loose(&both, 4);
        assert_eq!(complaints.len(), 1, "{complaints:?}");
        assert!(complaints[0].contains("`call` is bounded by 50"));
        // what was never measured is not judged
        assert_eq!(loose(&[found(vec![24, 0])], 4).len(), 1);
        assert!(loose(&[found(vec![25, 13])], 4).is_empty());
    }

    #[test]
    fn a_bound_that_was_exceeded_is_told() {
        let bounds = giornata_bounds::Bounds {
            kinds: vec![bound("timer", 100), bound("call", 50)],
            functions: Vec::new(),
            used: Default::default(),
            calls: Vec::new(),
        };
        let mut found = Found {
            board: "a-board",
            bounds,
            measured: vec![100, 51],
        };
        let complaints = exceeded(&found);
        assert_eq!(complaints.len(), 1);
        assert!(complaints[0].contains("`call` took 51 instructions, its bound is 50"));
        found.measured = vec![100, 0];
        assert!(exceeded(&found).is_empty());
        let line = summary("a-board", &[found]);
        assert_eq!(
            line,
            "a-board: 2 kinds bounded, 1 measured, the nearest `timer` with 100 of 100"
        );
    }

    fn bound(kind: &str, value: u64) -> giornata_bounds::Bound {
        giornata_bounds::Bound::new(kind, giornata_bounds::From::Trap, value)
    }
}
