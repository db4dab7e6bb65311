//! `./x soak`: the long forms, for a night or a release.

use clap::Args;

use anyhow::Result;

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

/// Fuzzes every target, then runs the long forms of the tests.
pub(crate) fn run(options: &Options) -> Result<Verdict> {
    let mut found = false;
    for target in fuzz::build()? {
        match target.run(Length::Seconds(options.seconds)) {
            Ok(()) => println!("fuzz {:<12} ok, {} s", target.name, options.seconds),
            Err(finding) => {
                found = true;
                println!("fuzz {:<12} FAILED\n{finding:#}", target.name);
            }
        }
    }
    let tests = test::run(&test::Options::full())?;
    Ok(if found { Verdict::Negative } else { tests })
}
