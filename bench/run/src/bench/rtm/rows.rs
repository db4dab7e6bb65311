//! Single calls of the preemptive kernel, beside those of ThreadX on the same chip, so that what
//! the task manager is compared with is no slow kernel.

use anyhow::{Context, Result};
use giornata_soc::Run;
use serde::{Deserialize, Serialize};

use super::program::Compiler;
use super::{Chips, Kernel, Tasks};

/// A call: its number in `bench/rtm/rows/preemptive.c`, and what ThreadX 6.4.2 takes, cycles.
struct Call {
    argument: u32,
    name: &'static str,
    threadx: u64,
}

const NOTHING: u32 = 0;
const CALLS: [Call; 5] = [
    Call {
        argument: 1,
        name: "yield to the next",
        threadx: 164,
    },
    Call {
        argument: 2,
        name: "semaphore post, more urgent task runs",
        threadx: 270,
    },
    Call {
        argument: 3,
        name: "semaphore pend blocks, next task runs",
        threadx: 342,
    },
    Call {
        argument: 4,
        name: "semaphore post, no switch",
        threadx: 49,
    },
    Call {
        argument: 5,
        name: "semaphore pend, no switch",
        threadx: 39,
    },
];
/// Of the program's probes.
const BEGIN: u32 = 1;
const END: u32 = 2;
/// The first spans are those with cold caches.
const COLD: usize = 3;

/// A call's mean cycles.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct CallRow {
    pub(super) name: String,
    pub(super) threadx: u64,
    pub(super) without: u64,
    pub(super) with: u64,
}

/// All calls, with and without the task manager.
pub(super) fn measure(compiler: &Compiler, chips: &Chips) -> Result<Vec<CallRow>> {
    let means = |tasks| -> Result<Vec<u64>> {
        let image = compiler.rows(Kernel::Preemptive, tasks)?;
        let mean = |argument| -> Result<u64> {
            let run = Run {
                argument,
                latency: chips.chip.latency,
                ..Run::new(image.clone())
            };
            let report = chips.of_c(tasks).run(&run)?;
            report.expect_success()?;
            let spans = report.between(BEGIN, END);
            let warm = spans
                .get(COLD..)
                .filter(|w| !w.is_empty())
                .context("a span")?;
            Ok((warm.iter().sum::<u64>() + warm.len() as u64 / 2) / warm.len() as u64)
        };
        let probes = mean(NOTHING)?;
        CALLS
            .iter()
            .map(|call| Ok(mean(call.argument)? - probes))
            .collect()
    };
    let (without, with) = (means(Tasks::Software)?, means(Tasks::TaskManager)?);
    let row = |(call, (without, with)): (&Call, (u64, u64))| CallRow {
        name: call.name.into(),
        threadx: call.threadx,
        without,
        with,
    };
    Ok(CALLS
        .iter()
        .zip(without.into_iter().zip(with))
        .map(row)
        .collect())
}
