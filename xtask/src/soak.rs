//! `./x soak`: the long forms, for a night or a release.

use std::time::Instant;

use anyhow::Result;
use clap::Args;

use crate::Verdict;
use crate::fuzz::{self, Length};
use crate::test::Extent;
use crate::{stage, test};

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
    let is_good = run_systems();
    if options.systems || !is_good {
        return Ok(is_good.into());
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

/// Whether all systems end as they should; what they say is printed.
fn run_systems() -> bool {
    let start = Instant::now();
    let result = stage::suites("soak", &Extent::default());
    let seconds = start.elapsed().as_secs();
    match &result {
        Ok(note) => println!("soak {seconds:>5} s: {note}"),
        Err(error) => println!("soak {seconds:>5} s: {error:#}"),
    }
    result.is_ok()
}
