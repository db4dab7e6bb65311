//! What the kernels in C promise, and that outputs are those of the golden vectors; in seconds.

use anyhow::{Context, Result};
use giornata_soc::Run;

use super::experiment::{self, Case};
use super::program::Compiler;
use super::{Chips, Kernel, Workload};

/// In C.
const KERNELS: [Kernel; 2] = [Kernel::Preemptive, Kernel::Nos];
/// Workloads that begin at once.
const QUICK: [Workload; 3] = [
    Workload::AdpcmEncode,
    Workload::AdpcmDecode,
    Workload::GsmDecode,
];
/// Of a quick run.
const ARRIVALS: u32 = 2;

/// The check programs of the kernels in C, and a short experiment of all,
/// with their tasks in software and elsewhere.
///
/// # Errors
/// A promise is broken, an output is wrong, or a program cannot be built.
pub(crate) fn check(_full: bool) -> Result<String> {
    let compiler = Compiler::prepare()?;
    let chips = Chips::prepare_few()?;
    kernels(&compiler, &chips)?;
    let mut cases = Vec::new();
    for kernel in Kernel::ALL {
        for workload in QUICK {
            cases.extend(kernel.tasks_in().iter().map(|&tasks| Case {
                kernel,
                tasks,
                workload,
                step: 0,
                arrivals: ARRIVALS,
            }));
        }
    }
    experiment::run(&compiler, &chips, &cases)?;
    Ok(format!(
        "{} kernels in C, {} runs of channels",
        KERNELS.len(),
        cases.len()
    ))
}

/// The check programs, whose exit code is the line of what does not hold.
pub(super) fn kernels(compiler: &Compiler, chips: &Chips) -> Result<()> {
    for kernel in KERNELS {
        for &tasks in kernel.tasks_in() {
            let run = Run {
                latency: chips.chip.latency,
                ..Run::new(compiler.check(kernel, tasks)?)
            };
            let report = chips.of_c(tasks).run(&run)?;
            report.expect_success().with_context(|| {
                format!(
                    "bench/rtm/checks/{}.c, tasks in the {}: the exit code is a line",
                    kernel.name(),
                    tasks.name()
                )
            })?;
        }
    }
    Ok(())
}
