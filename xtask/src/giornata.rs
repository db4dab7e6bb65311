//! `./x giornata`: hands over to the host tool.

use std::ffi::OsStr;
use std::process::{Command, ExitCode};

use anyhow::{Context, Result};
use clap::Args;

use crate::crates::root;

/// `./x giornata ARGUMENTS`
#[derive(Debug, Args)]
pub(crate) struct Options {
    /// What the tool gets, see `./x giornata --help`.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    arguments: Vec<std::ffi::OsString>,
}

/// Runs the tool in the caller's directory and ends with its exit code.
pub(crate) fn run(options: &Options) -> ExitCode {
    match tool().args(&options.arguments).status() {
        Ok(status) => ExitCode::from(
            status
                .code()
                .and_then(|code| u8::try_from(code).ok())
                .unwrap_or(3),
        ),
        Err(error) => {
            eprintln!("error: cargo cannot be started: {error}");
            ExitCode::from(2)
        }
    }
}

/// Runs the tool with arguments, its output left out; answers its exit code.
///
/// # Errors
/// It cannot be started, or is stopped.
pub(crate) fn call(arguments: &[&OsStr]) -> Result<i32> {
    let output = tool().args(arguments).output();
    let output = output.context("cargo cannot be started")?;
    output
        .status
        .code()
        .context("the host tool has been stopped")
}

/// The command up to the tool's own arguments.
fn tool() -> Command {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command
        .args([
            "run",
            "--quiet",
            "--package",
            "giornata-cli",
            "--manifest-path",
        ])
        .arg(root().join("Cargo.toml"))
        .arg("--");
    command
}
