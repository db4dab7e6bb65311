//! The runs of the experiment.

use anyhow::{Context, Result, bail, ensure};
use giornata_soc::{End, Image, Run, Watch};
use serde::{Deserialize, Serialize};

use super::account::Account;
use super::giornata::Built;
use super::program::Compiler;
use super::{Chips, Kernel, STEPS, Tasks, Workload, watched};
use crate::workers;

/// Cycles after which a run is given up: an arrival may be that late on average.
const MOST_PER_ARRIVAL: u64 = 400_000;
/// And what is done before the first.
const MOST_BEFORE: u64 = 40_000_000;
/// Exit codes of `bench/rtm/workload/experiment.c`.
const WRONG_OUTPUT: u32 = 1;
const TOO_SLOW: u32 = 2;

/// A run to be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Case {
    pub(super) kernel: Kernel,
    pub(super) tasks: Tasks,
    pub(super) workload: Workload,
    /// Which of the loads.
    pub(super) step: usize,
    pub(super) arrivals: u32,
}

impl Case {
    pub(super) fn channels(&self) -> u32 {
        self.workload.channels()[self.step]
    }

    /// What the run is told: channels, and after how many arrivals it ends.
    pub(super) fn argument(&self) -> u32 {
        self.channels() | self.arrivals << 8
    }

    /// For people.
    fn name(&self) -> String {
        format!(
            "{} {} on {} channels, tasks in the {}",
            self.kernel.name(),
            self.workload.name(),
            self.channels(),
            self.tasks.name()
        )
    }
}

/// A run that was made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Outcome {
    pub(super) case: Case,
    pub(super) account: Account,
}

/// All runs, each with its tasks in software and then elsewhere; quick ones are of one workload,
/// with the least and the most load.
pub(super) fn cases(kernels: &[Kernel], is_quick: bool, arrivals: u32) -> Vec<Case> {
    let (workloads, steps): (&[Workload], Vec<usize>) = match is_quick {
        true => (&[Workload::AdpcmDecode], vec![0, STEPS - 1]),
        false => (&Workload::ALL, (0..STEPS).collect()),
    };
    let mut cases = Vec::new();
    for &kernel in kernels {
        for &workload in workloads {
            for &step in &steps {
                cases.extend(kernel.tasks_in().iter().map(|&tasks| Case {
                    kernel,
                    tasks,
                    workload,
                    step,
                    arrivals,
                }));
            }
        }
    }
    cases
}

/// Makes all runs.
///
/// # Errors
/// Some fail: with all of them.
pub(super) fn run(compiler: &Compiler, chips: &Chips, cases: &[Case]) -> Result<Vec<Outcome>> {
    let build = |case: &Case| -> Result<Program> {
        match case.kernel {
            Kernel::Giornata => Ok(Program::System(compiler.system(case)?)),
            _ => Ok(Program::InC(compiler.experiment(
                case.kernel,
                case.tasks,
                case.workload,
            )?)),
        }
    };
    // (one after the other: runs with several loads share a program)
    let programs: Result<Vec<Program>> = cases.iter().map(build).collect();
    let runs: Vec<(&Case, Program)> = cases.iter().zip(programs?).collect();
    let outcomes = workers::each(&runs, |(case, program)| {
        run_one(program, chips, case).with_context(|| case.name())
    });
    let mut made = Vec::new();
    let mut failed = Vec::new();
    for outcome in outcomes {
        match outcome {
            Ok(outcome) => made.push(outcome),
            Err(error) => failed.push(format!("{error:#}")),
        }
    }
    ensure!(failed.is_empty(), "{}", failed.join("\n"));
    Ok(made)
}

/// What is run.
enum Program {
    /// A kernel in C tells by probes what it does.
    InC(Image),
    /// Giornata is watched.
    System(Built),
}

fn run_one(program: &Program, chips: &Chips, case: &Case) -> Result<Outcome> {
    let (image, watch) = match program {
        Program::InC(image) => (image, Watch::Nothing),
        Program::System(built) => (&built.image, Watch::Kernel),
    };
    let report = chips.of(case).run(&Run {
        argument: case.argument(),
        max_cycles: MOST_BEFORE + MOST_PER_ARRIVAL * u64::from(case.arrivals),
        latency: chips.chip.latency,
        watch,
        ..Run::new(image.clone())
    })?;
    match report.end {
        End::Exit(WRONG_OUTPUT) => bail!("an output is not that of the golden vectors"),
        End::Exit(TOO_SLOW) => bail!("outputs are late: there are too many channels"),
        _ => report.expect_success()?,
    }
    let account = match program {
        Program::InC(_) => Account::of(&report.probes)?,
        Program::System(built) => watched::account(&report, &built.kernel)?,
    };
    Ok(Outcome {
        case: *case,
        account,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_run_elsewhere_follows_that_in_software() {
        for is_quick in [false, true] {
            let cases = cases(&Kernel::ALL, is_quick, 1);
            assert!(cases.iter().any(|case| case.tasks == Tasks::Counting));
            let mut software = cases[0];
            for case in cases {
                if case.tasks == Tasks::Software {
                    software = case;
                }
                let tasks = case.tasks;
                assert_eq!(case, Case { tasks, ..software });
            }
        }
    }
}
