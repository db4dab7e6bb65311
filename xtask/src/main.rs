//! The commands of the repository, one file each; `./x` calls them, and the host tool for
//! what concerns systems.
//!
//! Exit codes: 0 good, 1 negative verdict, 2 bad input, 3 unknown.

mod bench;
mod bounds;
mod conversation;
mod coverage;
mod crates;
mod debugger;
mod decisions;
mod docs;
mod fuzz;
mod giornata;
mod libraries;
mod miri;
mod nightly;
mod page;
mod prebuilt;
mod process;
mod project;
mod promises;
mod rtm;
mod run;
mod said;
mod samples;
mod shell;
mod size;
mod soak;
mod stage;
mod suite;
mod test;
mod workers;

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use giornata_launch::Verdict;

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
    /// Cycles on the simulated chip against goals and budgets.
    Bench(bench::Options),
    /// Most instructions of each kind of entry into the kernel.
    Bounds(bounds::Options),
    /// Bytes of the release kernel against its budget.
    Size(size::Options),
    /// Line coverage of the crates that promise one.
    Coverage,
    /// List the fuzz targets, or run one.
    Fuzz(fuzz::Options),
    /// Flip-flops, look-up tables and frequencies of the task manager in hardware.
    Rtm(rtm::Options),
    /// The book, as HTML, with the documentation of the crates for processes.
    Docs,
    /// The long forms: fuzzing for minutes a target, Miri without bounds.
    Soak(soak::Options),
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let result = match arguments.command {
        Command::Test(options) => test::run(&options),
        Command::Ci => test::run(&test::Options::default()),
        Command::Bench(options) => bench::run(&options),
        Command::Bounds(options) => bounds::run(&options),
        Command::Size(options) => size::run(&options),
        Command::Coverage => coverage::run(),
        Command::Rtm(options) => rtm::run(&options),
        Command::Docs => docs::run(),
        Command::Fuzz(options) => fuzz::run(&options),
        Command::Soak(options) => soak::run(&options),
    };
    match result {
        Ok(Verdict::Good) => ExitCode::SUCCESS,
        Ok(Verdict::Negative) => ExitCode::from(1),
        Ok(Verdict::Unknown) => ExitCode::from(3),
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
