//! `./x soak`: the long forms, for a night or a release.

use anyhow::Result;
use clap::Args;

use crate::Verdict;
use crate::fuzz::{self, Length};
use crate::test;

/// `./x soak [--seconds 600]`
#[derive(Debug, Args)]
pub(crate) struct Options {
    /// Seconds of fuzzing a target.
    #[arg(long, default_value_t = 600)]
    seconds: u32,
}

/// Fuzzes every target, then runs the long forms of the tests. A line a target;
/// negative if there was any finding.
pub(crate) fn run(options: &Options) -> Result<Verdict> {
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
