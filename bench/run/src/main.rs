//! What is measured: `./x bench`, `./x bounds`, `./x size` and `./x rtm`, and the stages of
//! `./x test` that do it.
//!
//! Exit codes: 0 good, 1 negative verdict, 2 bad input, 3 unknown.

#![forbid(unsafe_code)]

mod bench;
mod bounds;
mod prebuilt;
mod promises;
mod rtm;
mod size;

use std::process::ExitCode;

use anyhow::{Result, bail};
use clap::{Args, Parser, Subcommand, ValueEnum};
use giornata_launch::Verdict;
pub(crate) use giornata_repository::{crates, giornata, process, workers};

/// What it can do.
#[derive(Debug, Parser)]
#[command(name = "x", bin_name = "./x", disable_help_subcommand = true)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Cycles on the simulated chip against goals and budgets.
    Bench(bench::Options),
    /// Most instructions of each kind of entry into the kernel.
    Bounds(bounds::Options),
    /// Bytes of the release kernel against its budget.
    Size(size::Options),
    /// Flip-flops, look-up tables and frequencies of the task manager in hardware.
    Rtm(rtm::Options),
    /// A stage of `./x test`: a note, or what went wrong.
    #[command(hide = true)]
    Stage(StageOptions),
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Stage {
    /// The release kernel within its budget of bytes.
    Size,
    /// A bound on each entry, which nothing measured exceeds.
    Bounds,
    /// Operations within their budgets of instructions.
    Bench,
    /// What the example promises, in QEMU.
    Promises,
    /// What the example promises, on the simulated chips.
    Flight,
    /// The kernels in C, and the channels.
    ForeignKernels,
}

#[derive(Debug, Args)]
struct StageOptions {
    stage: Stage,
    /// Its long form.
    #[arg(long)]
    full: bool,
    /// The budget of operations is written anew.
    #[arg(long)]
    bless: bool,
}

fn main() -> ExitCode {
    let result = match Arguments::parse().command {
        Command::Bench(options) => bench::run(&options),
        Command::Bounds(options) => bounds::run(&options),
        Command::Size(options) => size::run(&options),
        Command::Rtm(options) => rtm::run(&options),
        Command::Stage(options) => return run(&options),
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

/// Runs a stage, and prints its note.
fn run(options: &StageOptions) -> ExitCode {
    let note = match options.stage {
        Stage::Size => kernel_size(),
        Stage::Bounds => kernel_bounds(options.full),
        Stage::Bench => bench::check_quickly(options.bless),
        Stage::Promises => promises::check(),
        Stage::Flight => promises::check_chips(),
        Stage::ForeignKernels => bench::check_foreign_kernels(options.full),
    };
    match note {
        Ok(note) => {
            println!("{note}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{error:#}");
            ExitCode::from(1)
        }
    }
}

fn kernel_size() -> Result<String> {
    let (lines, within) = size::check()?;
    let text = lines.join("\n");
    if !within {
        bail!("{text}");
    }
    Ok(format!("\n{text}"))
}

fn kernel_bounds(full: bool) -> Result<String> {
    let (lines, complaints) = bounds::check(full)?;
    if !complaints.is_empty() {
        bail!("{}", complaints.join("\n"));
    }
    Ok(format!("\n{}", lines.join("\n")))
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    #[test]
    fn arguments_of_all_commands_go_together() {
        super::Arguments::command().debug_assert();
    }
}
