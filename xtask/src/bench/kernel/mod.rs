//! The suite `kernel`: systems under bench/kernel, built as any other beside the
//! shipped kernel and watched from outside while they run.

mod emulator;
pub(super) mod functions;
pub(super) mod quick;
mod sample;
pub(super) mod span;
pub(super) mod workload;

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use giornata_bench::{Catalogue, Circumstances, LEAST_SAMPLES, Row, Statistics};
use giornata_soc::{Report, Run, Watch};

use super::{Machine, Measurement, folder, in_order};
use sample::sample;
use span::Span;
use workload::{Measured, SYSTEMS, System};

/// Its name: its folder under bench/.
pub(super) const SUITE: &str = "kernel";
/// Where there are several layouts, each runs for this part of the time.
const SHARE: u64 = 8;
/// Spans that are not counted, because caches are cold: of a single layout, and
/// of each of several, whose caches are small.
const WARMING: [usize; 2] = [10, 3];

/// A run that is over.
struct Seen {
    report: Report,
    /// The kernel, with its symbols.
    kernel: PathBuf,
    /// Its hash.
    hash: String,
}

/// All rows of a machine, in the order of the catalogue; and what could not be
/// measured.
pub(super) fn measure(catalogue: &Catalogue, machine: &Machine) -> Result<Measurement> {
    measure_systems(catalogue, machine, SYSTEMS)
}

/// The same of the systems of a suite, which lie in its folder.
pub(super) fn measure_systems(
    catalogue: &Catalogue,
    machine: &Machine,
    systems: &[System],
) -> Result<Measurement> {
    let suite = &catalogue.suite;
    let wanted: Vec<(&System, &Measured)> = systems
        .iter()
        .flat_map(|system| system.rows.iter().map(move |row| (system, row)))
        .filter(|(_, measured)| machine.wants(measured.op))
        .collect();
    let mut samples: Vec<Vec<Span>> = vec![Vec::new(); wanted.len()];
    let warming = WARMING[usize::from(machine.has_layouts())];
    let mut shipped = String::new();
    let mut complaints = Vec::new();
    for order in 0..machine.layouts {
        for system in systems {
            let mine = |(_, (of, _)): &(usize, &(&System, &Measured))| of.file == system.file;
            let rows: Vec<_> = wanted.iter().enumerate().filter(mine).collect();
            if rows.is_empty() {
                continue;
            }
            let path = folder(suite).join(format!("{}.toml", system.file));
            let seen = run(system, &path, machine, order, &rows)
                .with_context(|| format!("bench/{suite}/{}.toml, order {order}", system.file))?;
            for (index, (_, measured)) in rows {
                samples[index].extend(sample(measured, &seen, warming)?);
            }
            if order == 0 {
                shipped = seen.hash;
            }
        }
    }
    let circumstances = machine.circumstances(shipped);
    let mut rows = Vec::new();
    for ((_, measured), spans) in wanted.iter().zip(&samples) {
        if spans.len() < LEAST_SAMPLES {
            complaints.push(format!(
                "{suite}/{} on {} ({}): not measured, seen {} times",
                measured.op,
                machine.board,
                machine.config,
                spans.len()
            ));
            continue;
        }
        rows.push(row(catalogue, &circumstances, measured, spans)?);
    }
    Ok((in_order(catalogue, rows), complaints))
}

/// Builds a system, runs it to its end, and answers what was seen of it.
fn run(
    system: &System,
    path: &Path,
    machine: &Machine,
    order: u32,
    rows: &[(usize, &(&System, &Measured))],
) -> Result<Seen> {
    let share = if machine.has_layouts() { SHARE } else { 1 };
    let image = machine.build(path, system.nanoseconds() / share, order)?;
    let is_inside = |(_, (_, measured)): &(usize, &(&System, &Measured))| measured.is_inside();
    let report = machine.simulate(Run {
        watch: match rows.iter().any(is_inside) {
            true => Watch::Kernel,
            false => Watch::Points,
        },
        ..Run::new(giornata_soc::Image::read(&image.elf)?)
    })?;
    sample::check_nothing(&report.points)?;
    Ok(Seen {
        report,
        kernel: image.kernel,
        hash: image.report.kernel_hash,
    })
}

fn row(
    catalogue: &Catalogue,
    circumstances: &Circumstances,
    measured: &Measured,
    spans: &[Span],
) -> Result<Row> {
    let cycles: Vec<u64> = spans.iter().map(|span| span.cycles).collect();
    let counts: Vec<u64> = spans.iter().map(|span| span.instructions).collect();
    let statistics = Statistics::of(&cycles).context(measured.op)?;
    // of what is judged: a latency is its worst
    let judged = catalogue.operation(measured.op)?.judged;
    let instructions = Statistics::of(&counts)?.get(judged);
    Ok(catalogue.row(measured.op, circumstances, statistics, Some(instructions))?)
}
