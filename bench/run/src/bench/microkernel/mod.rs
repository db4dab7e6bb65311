//! The suite `programmable-microkernel`: the task sets of the paper's section 7.

mod bars;
mod case;
mod code_size;
mod figures;
mod invocations;

use std::path::Path;

use anyhow::{Context, Result, ensure};
use giornata_bench::{Catalogue, Statistics};
use giornata_soc::{Report, Run, Watch};

use super::kernel::functions::{Functions, Origins};
use super::{Machine, Measurement, in_order};
use crate::crates::target_folder;
use case::{Case, HYPERPERIOD, REACTION_ROW, SCHEDULER_ROW, SHARE_ROW};
pub(super) use figures::figures;
use invocations::{Hyperperiod, between};

/// Its name: its folder under bench/.
pub(super) const SUITE: &str = "programmable-microkernel";
/// Milliseconds until everything runs in its order and lies in the caches; not a
/// multiple of a period, so that the end of a hyperperiod parts no invocation.
const WARMING: u64 = HYPERPERIOD + 2;
/// Ticks of the paper's kernel in a hyperperiod.
const TICKS: u64 = 60;
/// Instants of a hyperperiod at which tasks are released.
const RELEASES: u64 = 6;
/// The kernel's share is told in millionths.
const MILLION: u64 = 1_000_000;
/// What executes E code, and does what it says.
const REACTION: Functions = Functions {
    modules: &["kernel/core/src/micro/"],
    except: &[],
};
/// What keeps the order of who runs, and chooses.
const SCHEDULER: Functions = Functions {
    modules: &[
        "kernel/core/src/sched/ready.rs",
        "kernel/core/src/sched/helping.rs",
    ],
    except: &[],
};
/// The only configuration: the paper's processor has caches that hold everything.
const CONFIG: &str = "hot";

/// All rows of a machine.
pub(super) fn measure(catalogue: &Catalogue, machine: &Machine) -> Result<Measurement> {
    let mut rows = Vec::new();
    if machine.config != CONFIG {
        return Ok((rows, Vec::new()));
    }
    for case in Case::all().filter(|case| machine.wants(&case.name())) {
        let seen = run(case, machine).with_context(|| case.name())?;
        let Some((seen, parts, hash)) = seen else {
            println!("{}/{}: there is no such schedule", case.name(), case.tasks);
            continue;
        };
        let circumstances = machine.circumstances(hash);
        let all = said(&seen, length(machine)).into_iter().chain(parts);
        for (figure, statistics) in all.filter(|said| case.is_told(said.0)) {
            let op = format!("{}{figure}/{}", case.name(), case.tasks);
            rows.push(catalogue.row(&op, &circumstances, statistics, None)?);
        }
    }
    Ok((in_order(catalogue, rows), Vec::new()))
}

/// Cycles of a hyperperiod.
fn length(machine: &Machine) -> u64 {
    machine.chip.clock_hertz / 1000 * HYPERPERIOD
}

/// What is said of a hyperperiod: the end of the operation's name, and numbers.
type Said = (&'static str, Statistics);

/// Runs a case for a hyperperiod after another; answers what was seen of the
/// second, what parts of the kernel took in it, and the kernel's hash. `None` if
/// there is no such schedule.
fn run(case: Case, machine: &Machine) -> Result<Option<(Hyperperiod, [Said; 2], String)>> {
    let Some(path) = case.write(&target_folder().join(SUITE))? else {
        return Ok(None);
    };
    let image = machine.build(&path, (WARMING + HYPERPERIOD + 1) * 1_000_000, 0)?;
    let report = machine.simulate(Run {
        watch: Watch::Kernel,
        ..Run::new(giornata_soc::Image::read(&image.elf)?)
    })?;
    let cycles = length(machine);
    let from = machine.chip.clock_hertz / 1000 * WARMING;
    ensure!(
        report.cycles >= from + cycles,
        "the run ended after {} cycles",
        report.cycles
    );
    let window = (from, from + cycles);
    let seen = between(&report.points, &report.executed, window.0, window.1);
    let take = |functions| cost(&image.kernel, functions, &report, window);
    let parts = [
        (REACTION_ROW, one(take(REACTION)? / RELEASES)),
        (SCHEDULER_ROW, one(take(SCHEDULER)? / TICKS)),
    ];
    Ok(Some((seen, parts, image.report.kernel_hash)))
}

/// Cycles of functions of the kernel between two cycles of a run.
fn cost(kernel: &Path, functions: Functions, report: &Report, window: (u64, u64)) -> Result<u64> {
    let cost = Origins::of(kernel, functions)?.cost(&report.executed, window)?;
    Ok(cost.cycles)
}

/// A single number.
fn one(value: u64) -> Statistics {
    Statistics {
        min: value,
        median: value,
        max: value,
    }
}

/// What there is to say of a hyperperiod: of its invocations; a tick's share of
/// their sum, and the share of that sum in all cycles; thousandths of the time in which
/// the hart did not wait; preemptions.
fn said(seen: &Hyperperiod, cycles: u64) -> [Said; 5] {
    let mut sorted = seen.invocations.clone();
    sorted.sort_unstable();
    let at = |index: usize| sorted.get(index).copied().unwrap_or(0);
    let invocation = Statistics {
        min: at(0),
        median: at(sorted.len().saturating_sub(1) / 2),
        max: sorted.last().copied().unwrap_or(0),
    };
    let sum: u64 = sorted.iter().sum();
    let load = (cycles - seen.idle) * 1000 / cycles;
    [
        ("", one(sum / TICKS)),
        (SHARE_ROW, one((sum * MILLION).div_ceil(cycles))),
        ("-invocation", invocation),
        ("-load", one(load)),
        ("-preemptions", one(seen.preemptions)),
    ]
}
