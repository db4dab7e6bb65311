//! Child processes.

use std::ffi::OsString;
use std::process::{Command, Output, Stdio};

use anyhow::{Context, Error, Result, anyhow};

use crate::crates::root;

/// Cargo of the pinned toolchain, in the root of the workspace.
pub(crate) fn cargo() -> Command {
    let mut command =
        Command::new(std::env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo")));
    command.current_dir(root());
    command
}

/// Runs a command to its end and gives its standard output.
///
/// # Errors
/// It cannot be started, or fails: then with all it wrote.
pub(crate) fn capture(command: &mut Command) -> Result<String> {
    let output = command
        .stdin(Stdio::null())
        .output()
        .with_context(|| describe(command))?;
    if !output.status.success() {
        return Err(failure(command, &output));
    }
    String::from_utf8(output.stdout).with_context(|| describe(command))
}

/// Runs a command to its end, quietly; what it wrote, both streams, if it fails.
///
/// # Errors
/// It cannot be started, or fails: then with all it wrote.
pub(crate) fn check(command: &mut Command) -> Result<()> {
    let output = command
        .stdin(Stdio::null())
        .output()
        .with_context(|| describe(command))?;
    if output.status.success() {
        return Ok(());
    }
    Err(failure(command, &output))
}

/// What a command that failed wrote, both streams.
fn failure(command: &Command, output: &Output) -> Error {
    let (out, err) = (
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr),
    );
    anyhow!(
        "{} failed ({})\n{out}{err}",
        describe(command),
        output.status
    )
}

/// The command as one would type it.
pub(crate) fn describe(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words
        .map(|word| word.to_string_lossy())
        .collect::<Vec<_>>()
        .join(" ")
}
