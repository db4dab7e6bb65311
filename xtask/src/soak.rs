//! `./x soak`: the long forms, for a night or a release.

use std::time::Instant;

use anyhow::Result;
use clap::Args;

use crate::fuzz::{self, Length};
use crate::{suite, test};
use giornata_launch::Verdict;

/// `./x soak [--seconds 600] [--systems]`
#[derive(Debug, Args)]
pub(crate) struct Options {
    /// Seconds of fuzzing a target.
    #[arg(long, default_value_t = 600)]
    seconds: u32,
    /// Only the long forms of the target suites.
    #[arg(long)]
    systems: bool,
}

/// Runs the long forms of the target suites, fuzzes every target, then runs the long
/// forms of the tests. A line a system and a target; negative if there was any finding.
pub(crate) fn run(options: &Options) -> Result<Verdict> {
    let systems = run_systems()?;
    if options.systems || systems == Verdict::Negative {
        return Ok(systems);
    }
    let seconds = options.seconds;
    let outcomes = fuzz::run_all(
        &fuzz::build()?,
        Length::Seconds(seconds),
        |target, outcome| {
            println!("fuzz {:<8} {seconds:>5} s {outcome}", target.name);
            if let Some(finding) = &outcome.finding {
                println!("{finding}");
            }
        },
    )?;
    let found = outcomes.iter().any(|outcome| outcome.finding.is_some());
    let tests = test::run(&test::Options::full())?;
    Ok(if found { Verdict::Negative } else { tests })
}

fn run_systems() -> Result<Verdict> {
    let start = Instant::now();
    let findings = suite::soak()?;
    let seconds = start.elapsed().as_secs();
    println!("systems {:>5} {seconds:>5} s", findings.cases);
    for line in findings.notes.iter().chain(&findings.complaints) {
        println!("{line}");
    }
    Ok(match findings.complaints.is_empty() {
        true => Verdict::Good,
        false => Verdict::Negative,
    })
}
