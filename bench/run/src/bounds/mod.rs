//! `./x bounds`: most instructions that each kind of entry into the kernel
//! executes, for a system, on a board, beside what was measured.

mod capacities;
mod machine;
mod report;
mod rows;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use anyhow::{Context, Result, anyhow};
use clap::Args;
use giornata_abi::Duration;
use giornata_bounds::{ASSUMPTIONS, Analysis, Binary, Bounds, Declarations, Shares};
use giornata_system::Model;
use giornata_system::image::build_kernel;

use crate::crates::{BOARDS, CHIPS, root, target_folder};
use crate::workers;
use giornata_launch::image::{build, target_lock};
use giornata_launch::project::find;
use giornata_launch::{Verdict, time};

/// Where the kernel's authors declare the bounds of its loops.
const DECLARATIONS: &str = "kernel/bounds.toml";
/// The label at which the kernel is entered.
const ENTRY: &str = "giornata_trap";
/// The system whose bounds are documented.
const CHECKED: &str = "flight-control";
/// The configuration of its kernel.
const CONFIG: &str = "es";
/// For each configuration of the kernel the systems whose bounds are checked on every
/// board; the kernel is watched while they run, where a board is emulated.
const SYSTEMS: [(&str, &[&str]); 4] = [
    (
        CONFIG,
        &[
            "examples/flight-control/system.toml",
            "tests/target/threads/ceiling.toml",
            "tests/target/interrupts/storm.toml",
            "tests/target/hostile/attacks.toml",
            "tests/target/upcalls/jobs.toml",
            "tests/target/calls/calls.toml",
        ],
    ),
    ("es-load", &["examples/flight-control/loadable.toml"]),
    (
        "emeralds",
        &[
            "tests/target/services/mail.toml",
            "tests/target/services/crew.toml",
        ],
    ),
    ("all", &["tests/target/kills/quiet.toml"]),
];
/// The largest kernel whose words are 4 bytes.
const LARGEST: (&str, &str) = ("rtl-pmp", "all");
/// The board whose words are 8 bytes.
const WIDE: &str = "qemu-virt64";
/// How many times what was measured a bound may be that is a number, and not a formula of
/// what a system has.
const LOOSEST: u64 = 4;
/// How long they are watched.
const LENGTH: Duration = Duration::from_millis(4);

/// `./x bounds [SYSTEM] [--board BOARD] [--for 4ms] [--formulas] [--shares N] [--calls F,G] [--functions]`
#[derive(Debug, Args)]
pub(crate) struct Options {
    /// NAME or NAME/FILE under examples/, or a system file.
    #[arg(default_value = CHECKED)]
    system: String,
    /// Only this board.
    #[arg(long)]
    board: Option<String>,
    /// Virtual time for which the kernel is watched where a board is emulated.
    #[arg(long = "for", value_name = "DURATION", default_value = "4ms", value_parser = time::parse)]
    length: Duration,
    /// Say of what capacities a bound is made.
    #[arg(long)]
    formulas: bool,
    /// Say what functions have of each bound: `--shares 10` the first ten.
    #[arg(long, value_name = "COUNT", default_value_t = 0)]
    shares: usize,
    /// Say what calls take of each bound, and those within these functions: `--calls
    /// on_timer_any,expire_due`. Each is counted where it is.
    #[arg(long, value_name = "FUNCTIONS", value_delimiter = ',', num_args = 0.., require_equals = false)]
    calls: Option<Vec<String>>,
    /// Tell of each function, too, with what it calls.
    #[arg(long)]
    functions: bool,
    /// Write the tables into docs/results.
    #[arg(long)]
    document: bool,
}

impl Options {
    /// Whose the bounds are to be.
    fn shares(&self) -> Shares {
        match &self.calls {
            Some(opened) => {
                // (the way through the kernel, by the label at which it is entered)
                let entry = ENTRY.to_string();
                Shares::Calls(opened.iter().cloned().chain([entry]).collect())
            }
            None if self.shares > 0 => Shares::Functions,
            None => Shares::None,
        }
    }

    /// So many of the largest shares are printed.
    fn most_shares(&self) -> usize {
        match self.shares {
            0 if self.calls.is_some() => 20,
            shares => shares,
        }
    }
}

/// The bounds of a system on a board.
struct Found {
    board: &'static str,
    bounds: Bounds,
    /// The most instructions that were measured, by kind; 0 where none were.
    measured: Vec<u64>,
}

/// The kernel of a board in a configuration.
struct Kernel {
    board: &'static str,
    config: String,
    analysis: Analysis,
}

/// Prints a table a board; negative if something is unknown or exceeded.
pub(crate) fn run(options: &Options) -> Result<Verdict> {
    let boards = BOARDS.into_iter().chain(CHIPS);
    let chosen = |board: &&str| options.board.as_deref().is_none_or(|b| b == *board);
    let system = find(Some(Path::new(&options.system)))?;
    let config = model(&system)?.config;
    println!("Most instructions until the kernel is left, waits or looks at interrupts, if");
    for assumption in ASSUMPTIONS {
        println!("- {assumption}");
    }
    let (mut all, mut complaints) = (Vec::new(), Vec::new());
    for board in boards.filter(chosen) {
        let examined = Kernel::read(board, &config)
            .and_then(|kernel| kernel.examine(&system, options.length, &options.shares()));
        match examined {
            Ok(found) => {
                print!("\n{}", report::table(&found, options));
                complaints.extend(report::exceeded(&found));
                all.push(found);
            }
            Err(unknown) => complaints.push(format!("{board}: {unknown:#}")),
        }
    }
    complaints
        .iter()
        .for_each(|complaint| println!("\n{complaint}"));
    if options.document {
        report::write(options, &config, &all)?;
    }
    Ok(if complaints.is_empty() {
        Verdict::Good
    } else {
        Verdict::Negative
    })
}

/// The bounds of systems on all boards and configurations, checked: a line a kernel, and
/// what is wrong. In the long form a line, too, for a declaration that no board's kernel has
/// a loop for: which function keeps a loop of several is the compiler's choice.
///
/// The short form has one configuration on every board, every configuration on [`WIDE`], and
/// the largest, of which the others are parts, on a chip; and systems beside the first on
/// [`WIDE`] only.
pub(crate) fn check(is_long: bool) -> Result<(Vec<String>, Vec<String>)> {
    let (mut lines, mut complaints) = (Vec::new(), Vec::new());
    let mut used = BTreeSet::new();
    let boards = BOARDS.into_iter().chain(CHIPS);
    let of_all = |board| SYSTEMS.map(|(config, _)| (board, config));
    let is_chosen = |(board, config): &(&str, &str)| {
        is_long || *config == CONFIG || *board == WIDE || (*board, *config) == LARGEST
    };
    let kernels: Vec<(&str, &str)> = boards.flat_map(of_all).filter(is_chosen).collect();
    let check = |(board, config): &(&'static str, &'static str)| {
        let all = Kernel::read(board, config)?.check(is_long || *board == WIDE)?;
        let mut exceeded: Vec<String> = all.iter().flat_map(report::exceeded).collect();
        exceeded.extend(report::loose(&all, LOOSEST));
        let summary = report::summary(&format!("{board}, {config}"), &all);
        let used: Vec<usize> = all.into_iter().flat_map(|f| f.bounds.used).collect();
        Ok::<_, anyhow::Error>((summary, exceeded, used))
    };
    for ((board, config), checked) in kernels.iter().zip(workers::each(&kernels, check)) {
        match checked {
            Ok((summary, exceeded, all)) => {
                lines.push(summary);
                complaints.extend(exceeded);
                used.extend(all);
            }
            Err(unknown) => complaints.push(format!("{board}, {config}: {unknown:#}")),
        }
    }
    if is_long && complaints.is_empty() {
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

/// What a system file says.
///
/// # Errors
/// The system is refused.
fn model(system: &Path) -> Result<Model> {
    let model = giornata_system::check(system, root());
    model.map_err(|refusal| anyhow!("{refusal:?}"))
}

impl Kernel {
    /// The shipped kernel of a board in a configuration.
    fn read(board: &'static str, config: &str) -> Result<Kernel> {
        let bytes = {
            // the next kernel comes to the same place
            let lock = target_lock(&target_folder())?;
            let kernel = build_kernel(board, config, root(), &lock);
            let kernel = kernel.map_err(|refusal| anyhow!("{refusal:?}"))?;
            std::fs::read(&kernel).with_context(|| kernel.display().to_string())?
        };
        let declarations = declarations()?.of(config);
        Ok(Kernel {
            board,
            config: config.into(),
            analysis: Analysis::new(Binary::read(&bytes)?, declarations)?,
        })
    }

    /// The bounds of the systems that are checked on it: of all of them where it is watched
    /// and that is wanted, else of the first.
    fn check(&self, are_all: bool) -> Result<Vec<Found>> {
        let of_it = SYSTEMS.iter().find(|(config, _)| *config == self.config);
        let systems = of_it.map_or(&[][..], |(_, systems)| systems);
        let count = match are_all && BOARDS.contains(&self.board) {
            true => systems.len(),
            false => 1,
        };
        let examine = |system: &&str| self.examine(&root().join(system), LENGTH, &Shares::None);
        systems.iter().take(count).map(examine).collect()
    }

    /// The bounds of a system, beside what the base suite has measured, and what is
    /// seen where the board is emulated.
    fn examine(&self, system: &Path, length: Duration, shares: &Shares) -> Result<Found> {
        let capacities = capacities::of(&model(system)?);
        let bounds = self.analysis.bounds(&capacities, shares)?;
        // the base suite measures this one
        let rows = match self.config == CONFIG {
            true => rows::most(self.board)?,
            false => BTreeMap::new(),
        };
        let of = |row: &String| rows.get(row).copied().unwrap_or(0);
        let kinds = bounds.kinds.iter();
        let mut measured: Vec<u64> = kinds
            .map(|kind| kind.rows.iter().map(of).max().unwrap_or(0))
            .collect();
        if BOARDS.contains(&self.board) {
            let image = build(system, Some(self.board), length)?;
            let watched = machine::watch(&image, &self.analysis, &bounds)?;
            let pairs = measured.iter_mut().zip(watched);
            pairs.for_each(|(most, watched)| *most = watched.max(*most));
        }
        Ok(Found {
            board: self.board,
            bounds,
            measured,
        })
    }
}
