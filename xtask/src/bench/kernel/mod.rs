//! The suite `kernel`: systems under bench/kernel, built as any other beside the
//! shipped kernel and watched from outside while they run.

mod span;
mod workload;

use anyhow::{Context, Result, ensure};
use giornata_bench::{Catalogue, Circumstances, Row, Statistics};
use giornata_soc::{Point, Run};

use super::{Machine, folder};
use crate::image;
use span::Span;
use workload::{Measured, SYSTEMS, System};

/// Spans that are not counted: caches are cold, and predictors.
const WARMING: usize = 10;
/// What lies between two instructions that have nothing between them.
const NOTHING: Span = Span {
    cycles: 1,
    instructions: 1,
};

/// All rows of a machine.
pub(super) fn measure(catalogue: &Catalogue, machine: &Machine) -> Result<Vec<Row>> {
    let mut rows = Vec::new();
    for system in SYSTEMS {
        let wanted = |measured: &&Measured| machine.wants(measured.op);
        let wanted: Vec<&Measured> = system.rows.iter().filter(wanted).collect();
        if wanted.is_empty() {
            continue;
        }
        let (points, kernel) = run(system, machine).with_context(|| system.file.to_string())?;
        let circumstances = Circumstances {
            board: machine.board.into(),
            config: machine.config.into(),
            elf_hash: kernel,
            clock_hz: machine.chip.clock_hertz,
        };
        check_nothing(&points)?;
        for measured in wanted {
            rows.push(row(catalogue, &circumstances, measured, &points)?);
        }
    }
    Ok(rows)
}

/// Whether spans with nothing in them, where the run has some, are what is taken
/// off all others.
fn check_nothing(points: &[Point]) -> Result<()> {
    let spans = workload::NOTHING.spans(points);
    let odd = spans.iter().skip(WARMING).find(|span| **span != NOTHING);
    ensure!(odd.is_none(), "a span with nothing in it is {odd:?}");
    Ok(())
}

/// Builds a system, runs it to its end, and answers what was seen of it.
fn run(system: &System, machine: &Machine) -> Result<(Vec<Point>, String)> {
    let path = folder("kernel").join(format!("{}.toml", system.file));
    let image = image::build(&path, Some(machine.board), system.length())?;
    let report = machine.simulator.run(&Run {
        latency: machine.chip.latency,
        watched: true,
        ..Run::new(giornata_soc::Image::read(&image.elf)?)
    })?;
    report.expect_success()?;
    Ok((report.points, image.report.kernel_hash))
}

fn row(
    catalogue: &Catalogue,
    circumstances: &Circumstances,
    measured: &Measured,
    points: &[Point],
) -> Result<Row> {
    let spans = measured.sequence.spans(points);
    ensure!(
        spans.len() > WARMING,
        "`{}` was seen {} times",
        measured.op,
        spans.len()
    );
    let spans = &spans[WARMING..];
    let cycles: Vec<u64> = spans
        .iter()
        .map(|span| span.cycles - NOTHING.cycles)
        .collect();
    let statistics = Statistics::of(&cycles).context(measured.op)?;
    let instructions = instructions(spans)?;
    Ok(catalogue.row(measured.op, circumstances, statistics, Some(instructions))?)
}

/// The middle of the instructions that the spans took.
fn instructions(spans: &[Span]) -> Result<u64> {
    let counts: Vec<u64> = spans
        .iter()
        .map(|span| span.instructions - NOTHING.instructions)
        .collect();
    Ok(Statistics::of(&counts)?.median)
}
