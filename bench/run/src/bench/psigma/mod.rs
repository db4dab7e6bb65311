//! The suite `psigma`: the kernel of several harts, by the measures of the Psigma paper. Hart 0
//! takes the timer and runs no threads, the others run what is ready.

mod moments;
mod sights;

use anyhow::{Context, Result};
use bench_marks::psigma as mark;
use giornata_bench::{Catalogue, LEAST_SAMPLES, Row, Statistics};
use giornata_soc::Sight::{Enter, Leave, Mark};
use giornata_soc::{Caches, Image, Run, Watch};

use super::kernel::calls::between_marks;
use super::kernel::span::Sequence;
use super::kernel::workload::spanning;
use super::{Machine, Measurement, Place, folder, in_order};
use moments::Moments;
use sights::Seen;

/// Its name: its folder under bench/.
pub(super) const SUITE: &str = "psigma";

/// The chips of the fewest harts, of those whose figures have goals, and of the most.
pub(super) const MACHINES: [Place; 3] = [
    ("rtl-smp4", "hot", Caches::Large),
    ("rtl-smp2", "hot", Caches::Large),
    ("rtl-smp8", "hot", Caches::Large),
];

/// Spans that are not counted, because caches are cold.
const WARMING: usize = 10;
/// A run has this many times the samples, if as many are asked for as the paper has.
const FULL: u64 = 30;

/// A system file of the suite, how long it runs, and what is measured in it.
struct System {
    file: &'static str,
    microseconds: u64,
    rows: &'static [(&'static str, Way)],
}

/// Where samples come from.
#[derive(Clone, Copy)]
enum Way {
    /// Of what one hart does: a sequence of sights of it.
    OnOneHart(Sequence),
    /// From the rise of hart 0's timer to the first instruction of the thread that it wakes.
    TimerToUser,
    /// From the rise of hart 0's timer until that has given the lock back, and waits.
    ControlLatency,
    /// From the store that interrupts a hart that waits to the first instruction there.
    KickToWaiting,
    /// The same of a hart in user mode.
    KickToBusy,
    /// From having the lock to giving it back, as far as another hart waits for it.
    Section,
    /// From asking for the lock to having it.
    LockWait,
}

const fn call(mark: u16) -> Way {
    Way::OnOneHart(between_marks(mark, mark + 1, 1))
}

/// A job completes, and the hart begins the next.
const TERMINATION: Sequence = spanning(&[Mark(mark::ENDED), Enter, Leave, Mark(mark::BEGUN)], 1, 2);

const SYSTEMS: &[System] = &[
    System {
        file: "alone",
        microseconds: 6_000,
        rows: &[
            ("null-call", call(mark::NULL)),
            ("give", call(mark::GIVE)),
            ("take", call(mark::TAKE)),
            ("yield", call(mark::YIELD)),
            ("lock", call(mark::LOCK)),
            ("unlock", call(mark::UNLOCK)),
        ],
    },
    System {
        file: "wake",
        microseconds: 30_000,
        rows: &[
            ("kick-waiting", Way::KickToWaiting),
            ("wake", Way::TimerToUser),
        ],
    },
    System {
        file: "background",
        microseconds: 30_000,
        rows: &[
            ("kick-busy", Way::KickToBusy),
            ("preempt-background", Way::TimerToUser),
            ("control-latency", Way::ControlLatency),
        ],
    },
    System {
        file: "urgent",
        microseconds: 30_000,
        rows: &[("preempt-urgent", Way::TimerToUser)],
    },
    System {
        file: "jobs",
        microseconds: 30_000,
        rows: &[("termination", Way::OnOneHart(TERMINATION))],
    },
    System {
        file: "storm",
        microseconds: 30_000,
        rows: &[
            ("control-latency-storm", Way::ControlLatency),
            ("section", Way::Section),
            ("lock-wait", Way::LockWait),
        ],
    },
];

/// Samples of an operation, and instructions if they were counted.
#[derive(Default)]
pub(super) struct Samples {
    cycles: Vec<u64>,
    instructions: Vec<u64>,
}

/// All rows of a machine, in the order of the catalogue; and what could not be measured.
pub(super) fn measure(catalogue: &Catalogue, machine: &Machine) -> Result<Measurement> {
    let mut rows: Vec<Row> = Vec::new();
    let mut missing = Vec::new();
    for system in SYSTEMS {
        let wanted: Vec<_> = system
            .rows
            .iter()
            .filter(|(op, _)| machine.wants(op))
            .collect();
        if wanted.is_empty() {
            continue;
        }
        let (seen, hash) = watch(machine, system)
            .with_context(|| format!("bench/{SUITE}/{}.toml on {}", system.file, machine.board))?;
        let circumstances = machine.circumstances(hash);
        for (op, way) in wanted {
            let samples = seen.samples(*way);
            let cycles = samples.cycles.get(WARMING..).unwrap_or_default();
            if cycles.len() < LEAST_SAMPLES {
                let times = cycles.len();
                let board = machine.board;
                missing.push(format!(
                    "{SUITE}/{op} on {board}: not measured, seen {times} times"
                ));
                continue;
            }
            println!("{op} on {}: {} samples", machine.board, cycles.len());
            let statistics = Statistics::of(cycles).with_context(|| (*op).to_string())?;
            let judged = catalogue.operation(op)?.judged;
            let instructions = match samples.instructions.get(WARMING..) {
                Some(counts) => Some(Statistics::of(counts)?.get(judged)),
                None => None,
            };
            rows.push(catalogue.row(op, &circumstances, statistics, instructions)?);
        }
    }
    Ok((in_order(catalogue, rows), missing))
}

/// Runs a system; what was seen, and the kernel's hash.
fn watch(machine: &Machine, system: &System) -> Result<(Seen, String)> {
    let path = folder(SUITE).join(format!("{}.toml", system.file));
    let times = if machine.is_full { FULL } else { 1 };
    let image = machine.build(&path, system.microseconds * 1000 * times, 0)?;
    let chip = Image::read(&image.elf)?;
    let mut moments = Moments::of(&image.kernel, &chip)?;
    let report = machine.simulate(Run {
        watch: Watch::Kernel,
        ..Run::new(chip)
    })?;
    let seen = Seen::of(report, &mut moments)?;
    Ok((seen, image.report.kernel_hash))
}
