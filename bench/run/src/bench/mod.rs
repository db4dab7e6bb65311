//! `./x bench`: measures, compares with goals, budgets and what was measured
//! before, and writes the results down.

mod emeralds;
mod hardware;
mod kernel;
mod marte;
mod microkernel;
mod promises;
mod psigma;
mod results;
mod rtm;
mod task_manager;
mod thread_metric;

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use clap::Args;
use giornata_bench::{Budget, Catalogue, Circumstances, Row, compare, compared, plain, to_json};
use giornata_soc::{Caches, Report, Run, Simulator};
use giornata_system::image::{BuildOptions, Memory};

pub(crate) use kernel::quick::check as check_quickly;
pub(crate) use promises::limits;
pub(crate) use rtm::check as check_foreign_kernels;

use crate::crates::root;
use giornata_launch::Verdict;
use giornata_launch::chip::Chip;
use giornata_launch::image::{self, Image};

/// Layouts of a program that a row of a machine with small caches covers.
const LAYOUTS: u32 = 9;

/// `./x bench [SUITE...] [--board B] [--json FILE] [--check] [--bless] [--document] [--redraw]`, or
/// `./x bench rtm [--kernel K] [--quick] [--arrivals N] [--document] [--redraw]`
#[derive(Debug, Args)]
pub(crate) struct Options {
    /// Only these suites: folders under bench/.
    suites: Vec<String>,
    /// Only this board, of the simulated chips.
    #[arg(long, value_name = "BOARD")]
    board: Option<String>,
    /// Only this configuration: hot or shipped.
    #[arg(long, value_name = "CONFIG")]
    config: Option<String>,
    /// So many layouts where there are several, for a look.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    layouts: Option<u32>,
    /// Only operations whose names begin so; not of suite `hardware`.
    #[arg(long, value_name = "NAME")]
    op: Option<String>,
    /// Write the rows as a JSON array.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Fail if a goal is missed or a budget exceeded.
    #[arg(long)]
    check: bool,
    /// Write what the rows cost now into the budgets; for suite `kernel` that of
    /// `./x test bench` too.
    #[arg(long)]
    bless: bool,
    /// Write tables and plots into docs/results.
    #[arg(long)]
    document: bool,
    /// Measure nothing: write tables and plots anew from the rows in docs/results.
    #[arg(long, conflicts_with_all = ["board", "config", "layouts", "op", "json", "check", "bless", "document"])]
    redraw: bool,
    /// Of suite `psigma`: as many samples as the paper has, 10,000; minutes a system.
    #[arg(long, conflicts_with = "redraw")]
    full: bool,
    /// Of suite `rtm`: only this kernel.
    #[arg(long, value_name = "KERNEL", conflicts_with = "redraw")]
    kernel: Option<rtm::Kernel>,
    /// Of suite `rtm`: one workload, and few arrivals.
    #[arg(long, conflicts_with = "redraw")]
    quick: bool,
    /// Of suite `rtm`: so many arrivals a run.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..100_000), conflicts_with = "redraw")]
    arrivals: Option<u32>,
}

/// A suite: what it is called, and what measures it.
struct Suite {
    name: &'static str,
    measure: Measure,
}

/// What measures a suite.
#[derive(Clone, Copy)]
enum Measure {
    /// On each of some simulated chips.
    OnChips(
        &'static [Place],
        fn(&Catalogue, &Machine) -> Result<Measurement>,
    ),
    /// In QEMU, on a board of its own.
    InEmulator(fn(&Catalogue) -> Result<Measurement>),
}
use Measure::{InEmulator, OnChips};

const SUITES: [Suite; 9] = [
    Suite {
        name: "hardware",
        measure: OnChips(&MACHINES, hardware::measure),
    },
    Suite {
        name: "kernel",
        measure: OnChips(&MACHINES, kernel::measure),
    },
    Suite {
        name: microkernel::SUITE,
        measure: OnChips(&MACHINES, microkernel::measure),
    },
    Suite {
        name: emeralds::SUITE,
        measure: OnChips(&MACHINES, emeralds::measure),
    },
    Suite {
        name: marte::SUITE,
        measure: OnChips(&MACHINES, marte::measure),
    },
    Suite {
        name: thread_metric::SUITE,
        measure: OnChips(&MACHINES, thread_metric::measure),
    },
    Suite {
        name: task_manager::SUITE,
        measure: OnChips(&task_manager::MACHINES, task_manager::measure),
    },
    Suite {
        name: psigma::SUITE,
        measure: OnChips(&psigma::MACHINES, psigma::measure),
    },
    Suite {
        name: promises::SUITE,
        measure: InEmulator(promises::measure),
    },
];

/// Rows, and what should have been one and is none.
type Measurement = (Vec<Row>, Vec<String>);

/// A simulated chip in one configuration.
struct Machine {
    board: &'static str,
    config: &'static str,
    chip: Chip,
    simulator: Simulator,
    /// How many layouts of a program a row covers.
    layouts: u32,
    /// What the names of the operations begin with.
    prefix: String,
    /// Of suite `psigma`: whether it runs for as many samples as the paper has.
    is_full: bool,
    /// What has been compiled for it.
    memory: Memory,
}

impl Machine {
    /// Whether a row covers several layouts.
    fn has_layouts(&self) -> bool {
        self.layouts > 1
    }

    /// Where and of what a row is.
    fn circumstances(&self, elf_hash: String) -> Circumstances {
        Circumstances {
            board: self.board.into(),
            config: self.config.into(),
            elf_hash,
            clock_hz: self.chip.clock_hertz,
        }
    }

    /// Builds a system whose machine stops at an instant, in ns, with functions
    /// in one of many orders; 0 is that of the shipped kernel.
    fn build(&self, path: &Path, stop_at: u64, order: u32) -> Result<Image> {
        let options = BuildOptions {
            stop_at,
            memory: self.memory.clone(),
            ..BuildOptions::new(path, root())
        };
        image::build_as(options.on(self.board).ordered(order))
    }

    /// Runs a program to its end, which is a good one.
    fn simulate(&self, run: Run) -> Result<Report> {
        let latency = self.chip.latency;
        let report = self.simulator.run(&Run { latency, ..run })?;
        report.expect_success()?;
        Ok(report)
    }

    /// Whether somebody wants to know of this operation.
    fn wants(&self, op: &str) -> bool {
        op.starts_with(&self.prefix)
    }
}

/// Board, configuration and caches of a machine.
type Place = (&'static str, &'static str, Caches);

/// All machines that most suites are measured on.
const MACHINES: [Place; 3] = [
    ("rtl-pmp", "hot", Caches::Large),
    ("rtl-pmp", "shipped", Caches::Shipped),
    ("rtl-mmu", "shipped", Caches::Shipped),
];

/// Those on which nothing is measured unless they are named: what they cost has no budget.
const ON_REQUEST: [Place; 2] = [
    ("rtl-rtm", "hot", Caches::Large),
    ("rtl-rtm", "shipped", Caches::Shipped),
];

/// Prints a table a suite; negative if `--check` finds something.
pub(crate) fn run(options: &Options) -> Result<Verdict> {
    if options.suites.iter().any(|suite| suite == rtm::SUITE) {
        if options.suites.len() > 1 {
            bail!("suite `{}` is run alone: it takes an hour", rtm::SUITE);
        }
        return rtm::run(options);
    }
    if options.kernel.is_some() || options.quick || options.arrivals.is_some() {
        bail!(
            "--kernel, --quick and --arrivals are of suite `{}`",
            rtm::SUITE
        );
    }
    let suites = choose(&options.suites)?;
    if options.full && suites.iter().any(|suite| suite.name != psigma::SUITE) {
        bail!("--full is of suite `{}`", psigma::SUITE);
    }
    if options.redraw {
        return redraw(&suites);
    }
    let is_part = options.op.is_some() || options.layouts.is_some();
    if is_part && (options.document || options.bless) {
        bail!("--bless and --document take everything: leave out --op and --layouts");
    }
    check_machines(&suites, options)?;
    let mut all = Vec::new();
    let mut complaints = Vec::new();
    for suite in suites {
        let catalogue = catalogue(suite.name)?;
        let mut rows = Vec::new();
        let measurements: Vec<Measurement> = match suite.measure {
            OnChips(places, measure) => {
                let on_chip = |place| measure(&catalogue, &prepare(place, options)?);
                let places = wanted(places, options).into_iter();
                places.map(on_chip).collect::<Result<_>>()?
            }
            InEmulator(measure) if options.board.is_none() && options.config.is_none() => {
                vec![measure(&catalogue)?]
            }
            InEmulator(_) => Vec::new(),
        };
        for (measured, missing) in measurements {
            rows.extend(measured);
            complaints.extend(missing);
        }
        let all_of_suite = results::beside_hot(suite.name, &rows)?;
        println!("{}\n{}", suite.name, plain(&catalogue, &rows));
        println!("{}", compared(&catalogue, &all_of_suite));
        hashes(&rows).iter().for_each(|line| println!("{line}"));
        changes(suite.name, &rows)?;
        complaints.extend(judge(&catalogue, &rows, options.bless)?);
        complaints.extend(catalogue.comparisons_missed(&all_of_suite));
        if options.bless && suite.name == kernel::SUITE {
            println!("{}", check_quickly(true)?);
        }
        if options.document {
            results::write(&catalogue, &rows)?;
        }
        all.extend(rows);
    }
    if let Some(path) = &options.json {
        std::fs::write(path, to_json(&all)?).with_context(|| path.display().to_string())?;
    }
    complaints
        .iter()
        .for_each(|complaint| println!("{complaint}"));
    Ok(if options.check && !complaints.is_empty() {
        Verdict::Negative
    } else {
        Verdict::Good
    })
}

/// Writes the pages anew from the committed rows.
fn redraw(suites: &[&Suite]) -> Result<Verdict> {
    for suite in suites {
        results::write(&catalogue(suite.name)?, &results::committed(suite.name)?)?;
    }
    Ok(Verdict::Good)
}

fn choose(names: &[String]) -> Result<Vec<&'static Suite>> {
    if names.is_empty() {
        return Ok(SUITES.iter().collect());
    }
    let known = || {
        format!(
            "{}, {}",
            SUITES.map(|suite| suite.name).join(", "),
            rtm::SUITE
        )
    };
    let find = |name: &String| match SUITES.iter().find(|suite| suite.name == name) {
        Some(suite) => Ok(suite),
        None => bail!("there is no suite `{name}`; there are: {}", known()),
    };
    names.iter().map(find).collect()
}

/// The machines of a suite that somebody wants; of most suites there are more if they are named.
fn wanted(places: &[Place], options: &Options) -> Vec<Place> {
    let is = |wanted: &Option<String>, name| wanted.as_ref().is_none_or(|wanted| wanted == name);
    known(places, options)
        .into_iter()
        .filter(|place| is(&options.board, place.0) && is(&options.config, place.1))
        .collect()
}

fn known(places: &[Place], options: &Options) -> Vec<Place> {
    let mut known = places.to_vec();
    if options.board.is_some() && places == MACHINES {
        known.extend(ON_REQUEST);
    }
    known
}

/// Refuses machines on which none of the suites is measured.
fn check_machines(suites: &[&Suite], options: &Options) -> Result<()> {
    let on_chips = suites.iter().filter_map(|suite| match suite.measure {
        OnChips(places, _) => Some(places),
        InEmulator(_) => None,
    });
    let places: Vec<&[Place]> = on_chips.collect();
    let is_any = places
        .iter()
        .any(|places| !wanted(places, options).is_empty());
    if is_any || places.is_empty() {
        return Ok(());
    }
    let mut all: Vec<String> = Vec::new();
    for (board, config, _) in places.iter().flat_map(|places| known(places, options)) {
        let name = format!("{board} {config}");
        if !all.contains(&name) {
            all.push(name);
        }
    }
    bail!(
        "nothing is measured on that board in that configuration; there are: {}",
        all.join(", ")
    );
}

fn prepare((board, config, caches): Place, options: &Options) -> Result<Machine> {
    let chip = Chip::of(board)?.with(caches);
    Ok(Machine {
        board,
        config,
        chip,
        simulator: chip.simulator()?,
        layouts: match caches {
            Caches::Shipped => options.layouts.unwrap_or(LAYOUTS),
            Caches::Large => 1,
        },
        prefix: options.op.clone().unwrap_or_default(),
        is_full: options.full,
        memory: Memory::with_processes(),
    })
}

/// Rows in the order of their catalogue.
fn in_order(catalogue: &Catalogue, mut rows: Vec<Row>) -> Vec<Row> {
    rows.sort_by_key(|row| catalogue.operations.iter().position(|o| o.op == row.op));
    rows
}

fn folder(suite: &str) -> PathBuf {
    root().join("bench").join(suite)
}

fn catalogue(suite: &str) -> Result<Catalogue> {
    let path = folder(suite).join("operations.toml");
    Ok(Catalogue::parse(suite, &read(&path)?)?)
}

/// Goals that are missed and budgets that are exceeded; with `bless` the budgets
/// are written anew first.
fn judge(catalogue: &Catalogue, rows: &[Row], bless: bool) -> Result<Vec<String>> {
    let missed = catalogue.misses(rows);
    let mut complaints: Vec<String> = missed.iter().map(|row| goal(catalogue, row)).collect();
    let path = folder(&catalogue.suite).join("budget.toml");
    let text = if path.exists() {
        read(&path)?
    } else {
        String::new()
    };
    let mut budget = Budget::parse(&catalogue.suite, &text)?;
    if bless {
        budget = budget.renewed(catalogue, rows);
        std::fs::write(&path, budget.to_toml()).with_context(|| path.display().to_string())?;
    }
    let breaches = budget.check(catalogue, rows);
    complaints.extend(breaches.iter().map(ToString::to_string));
    Ok(complaints)
}

fn goal(catalogue: &Catalogue, row: &Row) -> String {
    format!(
        "{}: {} {}, goal {}",
        row.name(),
        catalogue.judged(row),
        row.unit,
        row.must.unwrap_or_default()
    )
}

/// Prints how the rows differ from the committed ones of the same machines.
fn changes(suite: &str, rows: &[Row]) -> Result<()> {
    let before = results::committed(suite)?;
    let here = |old: &&Row| {
        rows.iter()
            .any(|row| row.board == old.board && row.config == old.config)
    };
    let before: Vec<Row> = before.iter().filter(here).cloned().collect();
    for change in compare(&before, rows) {
        println!("{change}");
    }
    Ok(())
}

/// What was measured on each machine.
fn hashes(rows: &[Row]) -> Vec<String> {
    let mut lines: Vec<String> = rows
        .iter()
        .map(|row| format!("{} {}: executable {}", row.board, row.config, row.elf_hash))
        .collect();
    lines.dedup();
    lines
}

fn read(path: &Path) -> Result<String> {
    std::fs::read_to_string(path).with_context(|| path.display().to_string())
}
