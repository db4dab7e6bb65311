//! `./x giornata`: hands over to the host tool.

use std::process::{Command, ExitCode};

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
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let status = Command::new(cargo)
        .args([
            "run",
            "--quiet",
            "--package",
            "giornata-cli",
            "--manifest-path",
        ])
        .arg(root().join("Cargo.toml"))
        .arg("--")
        .args(&options.arguments)
        .status();
    match status {
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
