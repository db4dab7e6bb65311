//! The host tool, called as a user calls it.

use std::ffi::OsStr;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result};

use crate::crates::target_folder;
use crate::process::{cargo_for_all, check};

/// Builds the tool; where it lies.
///
/// # Errors
/// It does not compile.
pub(crate) fn program() -> Result<PathBuf> {
    check(cargo_for_all("build").args(["--bin", "giornata"]))?;
    Ok(target_folder().join("debug/giornata"))
}

/// Runs the tool with arguments, its output left out; answers its exit code.
///
/// # Errors
/// It cannot be started, or is stopped.
pub(crate) fn call(arguments: &[&OsStr]) -> Result<i32> {
    Ok(hear(arguments)?.0)
}

/// Runs the tool with arguments; answers its exit code, and what it says on its standard
/// output.
///
/// # Errors
/// As [`call`].
pub(crate) fn hear(arguments: &[&OsStr]) -> Result<(i32, String)> {
    let output = Command::new(program()?).args(arguments).output();
    let output = output.context("the host tool cannot be started")?;
    let code = output.status.code();
    let code = code.context("the host tool has been stopped")?;
    Ok((code, String::from_utf8_lossy(&output.stdout).into_owned()))
}
