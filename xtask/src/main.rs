//! The commands of the repository that call others: `./x test` and what belongs to it. They
//! link nothing of the system, so that the first stage begins in seconds; what builds systems
//! itself is `tests/run`, and what measures the kernel `bench/run`.
//!
//! Exit codes: 0 good, 1 negative verdict, 2 bad input.

#![forbid(unsafe_code)]

mod budget;
mod changes;
mod coverage;
mod debugger;
mod decisions;
mod docs;
mod fuzz;
mod harts;
mod libraries;
mod lint;
mod miri;
mod nightly;
mod page;
mod processor;
mod project;
mod said;
mod samples;
mod shell;
mod soak;
mod stage;
mod test;

use std::process::ExitCode;

use clap::{Parser, Subcommand};
pub(crate) use giornata_repository::{crates, giornata, process, workers};

/// What `./x` can do.
#[derive(Debug, Parser)]
#[command(name = "x", bin_name = "./x", disable_help_subcommand = true)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Everything that continuous integration runs.
    Test(test::Options),
    /// The same as `test`, for a machine: no terminal needed.
    Ci,
    /// Line coverage of the crates that promise one.
    Coverage,
    /// List the fuzz targets, or run one.
    Fuzz(fuzz::Options),
    /// The book, as HTML, with the documentation of the crates for processes.
    Docs,
    /// The long forms: fuzzing for minutes a target, Miri without bounds.
    Soak(soak::Options),
    /// One stage in this process, for `test`: what it comes to, as JSON.
    #[command(hide = true)]
    Stage(test::StageOptions),
}

/// What a command finds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    Good,
    Negative,
}

impl From<bool> for Verdict {
    fn from(is_good: bool) -> Verdict {
        match is_good {
            true => Verdict::Good,
            false => Verdict::Negative,
        }
    }
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let result = match arguments.command {
        Command::Test(options) => test::run(&options),
        Command::Ci => test::run(&test::Options::default()),
        Command::Coverage => coverage::run(),
        Command::Docs => docs::run(),
        Command::Fuzz(options) => fuzz::run(&options),
        Command::Soak(options) => soak::run(&options),
        Command::Stage(options) => test::run_here(&options),
    };
    match result {
        Ok(Verdict::Good) => ExitCode::SUCCESS,
        Ok(Verdict::Negative) => ExitCode::from(1),
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::from(2)
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    #[test]
    fn arguments_of_all_commands_go_together() {
        super::Arguments::command().debug_assert();
    }
}
