//! The quick form of the suite: instructions in QEMU, which are the same each
//! time, against a budget of their own.

use anyhow::{Context, Result, anyhow, bail};
use giornata_bench::{Budget, Catalogue, Circumstances, Row, Statistics};
use giornata_system::image::{BuildOptions, Memory};
use giornata_system::{Board, Emulator};

use super::sample::take;
use super::span::Span;
use super::workload::{Measured, QUICK, System};
use super::{SUITE, emulator};
use crate::bench::{catalogue, folder, read};
use crate::crates::root;
use giornata_launch::image;

/// One with page tables, one with regions.
const BOARDS: [&str; 2] = ["qemu-virt32-pmp", "qemu-virt64"];
/// How it is measured: an instruction is a nanosecond.
const CONFIG: &str = "icount";
/// What a row may cost beyond its budget: compilers move things about.
const SLACK_PERCENT: u64 = 3;
/// The budget's file in the folder of the suite.
const BUDGET: &str = "instructions.toml";
/// Spans that are not counted, and those that are at least.
const WARMING: usize = 2;
const LEAST: usize = 10;

/// Measures and judges; with `bless` the budget is what it costs now. Answers
/// what there is to say if all rows hold.
///
/// # Errors
/// A row is over its budget, has none, or was not seen: with row, budget and
/// figure.
pub(crate) fn check(bless: bool) -> Result<String> {
    let catalogue = catalogue(SUITE)?;
    let mut rows = Vec::new();
    for board in BOARDS {
        rows.extend(measure(&catalogue, board)?);
    }
    let path = folder(SUITE).join(BUDGET);
    let mut budget = match path.exists() {
        true => Budget::parse(SUITE, &read(&path)?)?,
        false => Budget::parse(SUITE, "")?,
    };
    if bless {
        budget = budget.renewed(&catalogue, &rows);
        std::fs::write(&path, budget.to_toml()).with_context(|| path.display().to_string())?;
    }
    let breaches = budget.with_slack(SLACK_PERCENT).check(&catalogue, &rows);
    if !breaches.is_empty() {
        let lines: Vec<String> = breaches.iter().map(ToString::to_string).collect();
        bail!(
            "{}\n(`./x test bench --bless` takes what it costs now)",
            lines.join("\n")
        );
    }
    Ok(format!(
        "{} rows on {}, each within {SLACK_PERCENT} % of its budget",
        rows.len(),
        BOARDS.join(", ")
    ))
}

fn measure(catalogue: &Catalogue, name: &str) -> Result<Vec<Row>> {
    let board = Board::named(name, root()).map_err(|refusal| anyhow!("{refusal:?}"))?;
    let emulator = board.emulator.clone().context("the board's emulator")?;
    let memory = Memory::with_processes();
    let mut rows = Vec::new();
    for system in QUICK {
        let measured = run(catalogue, system, &board, &emulator, &memory);
        rows.extend(measured.with_context(|| format!("bench/kernel/{}.toml", system.file))?);
    }
    Ok(rows)
}

fn run(
    catalogue: &Catalogue,
    system: &System,
    board: &Board,
    emulator: &Emulator,
    memory: &Memory,
) -> Result<Vec<Row>> {
    let path = folder(SUITE).join(format!("{}.toml", system.file));
    let options = BuildOptions {
        stop_at: system.nanoseconds(),
        memory: memory.clone(),
        ..BuildOptions::new(&path, root())
    };
    let image = image::build_as(options.on(&board.name))?;
    let points = emulator::watch(&image, emulator, board)?;
    let circumstances = Circumstances {
        board: board.name.clone(),
        config: CONFIG.into(),
        elf_hash: image.report.kernel_hash.clone(),
        clock_hz: 1_000_000_000,
    };
    let row = |measured: &Measured| {
        let spans = take(measured, &points, WARMING)?;
        row(catalogue, &circumstances, measured, &spans)
    };
    system.rows.iter().map(row).collect()
}

fn row(
    catalogue: &Catalogue,
    circumstances: &Circumstances,
    measured: &Measured,
    spans: &[Span],
) -> Result<Row> {
    let mut counts: Vec<u64> = spans.iter().map(|span| span.instructions).collect();
    if counts.len() < LEAST {
        bail!("`{}` was seen {} times", measured.op, counts.len());
    }
    counts.sort_unstable();
    let statistics = Statistics {
        min: counts[0],
        median: counts[(counts.len() - 1) / 2],
        max: counts[counts.len() - 1],
    };
    let row = catalogue.row(
        measured.op,
        circumstances,
        statistics,
        Some(statistics.median),
    )?;
    Ok(Row {
        unit: "instructions".into(),
        ..row
    })
}
