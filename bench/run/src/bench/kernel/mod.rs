//! The suite `kernel`: systems under bench/kernel, built as any other beside the
//! shipped kernel and watched from outside while they run.

mod among;
pub(super) mod calls;
#[cfg(test)]
mod deadlines;
mod emulator;
pub(super) mod functions;
pub(super) mod quick;
mod sample;
pub(super) mod span;
pub(super) mod workload;

use std::path::PathBuf;

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

/// A row of a system, alone or among so many threads.
struct Wanted<'s> {
    system: &'s System,
    among: Option<u32>,
    measured: &'s Measured,
}

impl Wanted<'_> {
    /// The operation's name in the catalogue.
    fn op(&self) -> String {
        match self.among {
            Some(threads) => format!("{}/{threads}", self.measured.op),
            None => self.measured.op.into(),
        }
    }

    /// What runs, for people.
    fn run(&self) -> String {
        match self.among {
            Some(threads) => format!("{}.toml among {threads} threads", self.system.file),
            None => format!("{}.toml", self.system.file),
        }
    }

    fn is_of_the_run_of(&self, other: &Wanted<'_>) -> bool {
        (self.system.file, self.among) == (other.system.file, other.among)
    }
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
    let wanted: Vec<Wanted<'_>> = systems
        .iter()
        .flat_map(|system| wanted(catalogue, machine, systems, system))
        .collect();
    let mut samples: Vec<Vec<Span>> = vec![Vec::new(); wanted.len()];
    let warming = WARMING[usize::from(machine.has_layouts())];
    let mut shipped = String::new();
    let mut complaints = Vec::new();
    for order in 0..machine.layouts {
        let mut at = 0;
        // those of one run stand one behind the other
        for wanted in wanted.chunk_by(|one, other| one.is_of_the_run_of(other)) {
            let first = at;
            at += wanted.len();
            let seen = run(suite, machine, order, wanted)
                .with_context(|| format!("bench/{suite}/{}, order {order}", wanted[0].run()))?;
            for (samples, wanted) in samples[first..].iter_mut().zip(wanted) {
                samples.extend(sample(wanted.measured, &seen, warming)?);
            }
            if order == 0 {
                shipped = seen.hash;
            }
        }
    }
    let circumstances = machine.circumstances(shipped);
    let mut rows = Vec::new();
    for (wanted, spans) in wanted.iter().zip(&samples) {
        let op = wanted.op();
        if spans.len() < LEAST_SAMPLES {
            complaints.push(format!(
                "{suite}/{op} on {} ({}): not measured, seen {} times",
                machine.board,
                machine.config,
                spans.len()
            ));
            continue;
        }
        rows.push(row(catalogue, &circumstances, &op, spans)?);
    }
    Ok((in_order(catalogue, rows), complaints))
}

/// What of a system is measured on a machine: alone first, then among more threads.
/// Those are for large caches: small ones are about places, not about numbers.
fn wanted<'s>(
    catalogue: &Catalogue,
    machine: &Machine,
    systems: &[System],
    system: &'s System,
) -> Vec<Wanted<'s>> {
    let mut runs = vec![None];
    if !machine.has_layouts() {
        let sizes = among::sizes(catalogue, systems, system);
        runs.extend(sizes.into_iter().map(Some));
    }
    let every = runs.into_iter().flat_map(|among| {
        system.rows.iter().map(move |measured| Wanted {
            system,
            among,
            measured,
        })
    });
    let is_wanted = |wanted: &Wanted<'_>| {
        let op = wanted.op();
        machine.wants(&op) && (wanted.among.is_none() || catalogue.operation(&op).is_ok())
    };
    every.filter(is_wanted).collect()
}

/// Builds the system of some rows, runs it to its end, and answers what was seen of it.
fn run(suite: &str, machine: &Machine, order: u32, wanted: &[Wanted<'_>]) -> Result<Seen> {
    let Wanted { system, among, .. } = wanted[0];
    let path = folder(suite).join(format!("{}.toml", system.file));
    let path = match among {
        Some(threads) => among::write(&path, threads)?,
        None => path,
    };
    let share = if machine.has_layouts() { SHARE } else { 1 };
    let image = machine.build(&path, system.nanoseconds() / share, order)?;
    let report = machine.simulate(Run {
        watch: match wanted.iter().any(|wanted| wanted.measured.is_inside()) {
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
    op: &str,
    spans: &[Span],
) -> Result<Row> {
    let cycles: Vec<u64> = spans.iter().map(|span| span.cycles).collect();
    let counts: Vec<u64> = spans.iter().map(|span| span.instructions).collect();
    let statistics = Statistics::of(&cycles).with_context(|| op.to_string())?;
    // of what is judged: a latency is its worst
    let judged = catalogue.operation(op)?.judged;
    let instructions = Statistics::of(&counts)?.get(judged);
    Ok(catalogue.row(op, circumstances, statistics, Some(instructions))?)
}
