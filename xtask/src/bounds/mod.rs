//! `./x bounds`: most instructions that each kind of entry into the kernel
//! executes, for a system, on a board, beside what was measured.

mod capacities;
mod machine;

use std::collections::BTreeSet;
use std::fmt::Write as _;

use anyhow::{Context, Result, anyhow};
use clap::Args;
use giornata_abi::Duration;
use giornata_bounds::{ASSUMPTIONS, Analysis, Binary, Bounds, Declarations};
use giornata_system::image::build_kernel;

use crate::Verdict;
use crate::crates::{BOARDS, CHIPS, root, target_folder};
use crate::image::build;
use crate::run::find;
use crate::time;

/// Where the kernel's authors declare the bounds of its loops.
const DECLARATIONS: &str = "kernel/bounds.toml";
/// The system whose bounds are checked.
const CHECKED: &str = "flight-control";
/// How long it is watched.
const WATCHED: Duration = Duration::from_millis(5);

/// `./x bounds [SYSTEM] [--board BOARD] [--for 5ms] [--formulas] [--functions]`
#[derive(Debug, Args)]
pub(crate) struct Options {
    /// NAME or NAME/FILE under examples/, or a system file.
    #[arg(default_value = CHECKED)]
    system: String,
    /// Only this board.
    #[arg(long)]
    board: Option<String>,
    /// Virtual time for which the kernel is watched where a board is emulated.
    #[arg(long = "for", value_name = "DURATION", default_value = "5ms", value_parser = time::parse)]
    length: Duration,
    /// Say of what capacities a bound is made.
    #[arg(long)]
    formulas: bool,
    /// Tell of each function, too, with what it calls.
    #[arg(long)]
    functions: bool,
}

/// The bounds of a system on a board.
struct Found {
    board: &'static str,
    bounds: Bounds,
    /// The longest stretch of each kind that was seen; none on a chip.
    measured: Option<Vec<u64>>,
}

/// Prints a table a board; negative if something is unknown or exceeded.
pub(crate) fn run(options: &Options) -> Result<Verdict> {
    let boards = BOARDS.into_iter().chain(CHIPS);
    let chosen = |board: &&str| options.board.as_deref().is_none_or(|b| b == *board);
    let boards: Vec<&str> = boards.filter(chosen).collect();
    println!("Most instructions until the kernel is left, waits or looks at interrupts, if");
    for assumption in ASSUMPTIONS {
        println!("- {assumption}");
    }
    let mut complaints = Vec::new();
    for board in boards {
        match examine(board, &options.system, options.length) {
            Ok(found) => {
                print!("\n{}", table(&found, options));
                complaints.extend(exceeded(&found));
            }
            Err(unknown) => complaints.push(format!("{board}: {unknown:#}")),
        }
    }
    complaints
        .iter()
        .for_each(|complaint| println!("\n{complaint}"));
    Ok(if complaints.is_empty() {
        Verdict::Good
    } else {
        Verdict::Negative
    })
}

/// The bounds of a system on all boards, checked: a line a board, and what is
/// wrong. A line, too, for a declaration that no board's kernel has a loop for:
/// which function keeps a loop of several is the compiler's choice.
pub(crate) fn check() -> Result<(Vec<String>, Vec<String>)> {
    let mut lines = Vec::new();
    let mut complaints = Vec::new();
    let mut used = BTreeSet::new();
    for board in BOARDS.into_iter().chain(CHIPS) {
        let found = match examine(board, CHECKED, WATCHED) {
            Ok(found) => found,
            Err(unknown) => {
                complaints.push(format!("{board}: {unknown:#}"));
                continue;
            }
        };
        lines.push(summary(&found));
        complaints.extend(exceeded(&found));
        used.extend(found.bounds.used);
    }
    if complaints.is_empty() {
        let unused = |(index, _): &(usize, String)| !used.contains(index);
        let stale = declarations()?
            .loops()
            .enumerate()
            .filter(unused)
            .collect::<Vec<_>>();
        lines.extend(
            stale
                .into_iter()
                .map(|(_, name)| format!("{DECLARATIONS}: no kernel has a loop of {name} now")),
        );
    }
    Ok((lines, complaints))
}

fn declarations() -> Result<Declarations> {
    let text = std::fs::read_to_string(root().join(DECLARATIONS)).context(DECLARATIONS)?;
    Ok(Declarations::parse(DECLARATIONS, &text)?)
}

/// Reads the shipped kernel of a board, and watches it where it is emulated.
fn examine(board: &'static str, system: &str, length: Duration) -> Result<Found> {
    let kernel = build_kernel(board, root(), &target_folder());
    let kernel = kernel.map_err(|refusal| anyhow!("{refusal:?}"))?;
    let bytes = std::fs::read(&kernel).with_context(|| kernel.display().to_string())?;
    let analysis = Analysis::new(Binary::read(&bytes)?, declarations()?)?;
    let system = find(system)?;
    let bounds = analysis.bounds(&capacities::of(&system, root())?)?;
    let measured = match BOARDS.contains(&board) {
        true => {
            let image = build(&system, Some(board), length)?;
            Some(machine::watch(&image, &analysis, &bounds)?)
        }
        false => None,
    };
    Ok(Found {
        board,
        bounds,
        measured,
    })
}

/// A kind's longest stretch that was seen, as text.
fn seen(found: &Found, index: usize) -> String {
    let measured = found.measured.as_ref().and_then(|all| all.get(index));
    match measured {
        None => "-".into(),
        Some(0) => "never seen".into(),
        Some(most) => most.to_string(),
    }
}

fn table(found: &Found, options: &Options) -> String {
    let mut text = format!("{:<40} {:>12} {:>12}\n", found.board, "bound", "measured");
    for (index, bound) in found.bounds.kinds.iter().enumerate() {
        let (value, seen) = (bound.instructions.value, seen(found, index));
        let _ = writeln!(text, "{:<40} {value:>12} {seen:>12}", bound.kind);
        if options.formulas {
            let _ = writeln!(text, "    {}", bound.instructions);
        }
    }
    for (name, cost) in found.bounds.functions.iter().filter(|_| options.functions) {
        let _ = writeln!(text, "{:>12}  {name}: {cost}", cost.value);
    }
    text
}

fn summary(found: &Found) -> String {
    let kinds = found.bounds.kinds.iter().enumerate().map(|(index, bound)| {
        let (value, seen) = (bound.instructions.value, seen(found, index));
        format!("{} {seen} of {value}", bound.kind)
    });
    format!("{}: {}", found.board, kinds.collect::<Vec<_>>().join("; "))
}

/// Kinds of which a longer stretch was seen than can be.
fn exceeded(found: &Found) -> Vec<String> {
    let measured = found.measured.iter().flatten();
    let kinds = found.bounds.kinds.iter().zip(measured);
    kinds
        .filter(|(bound, measured)| **measured > bound.instructions.value)
        .map(|(bound, measured)| {
            format!(
                "{}: {} took {measured} instructions, its bound is {}: a declaration in \
                 {DECLARATIONS} is wrong",
                found.board, bound.kind, bound.instructions.value
            )
        })
        .collect()
}
