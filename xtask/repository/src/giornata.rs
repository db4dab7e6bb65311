//! The host tool, called as a user calls it.

use std::ffi::OsStr;
use std::path::PathBuf;
use std::process::Command;
use std::sync::{Mutex, PoisonError};

use anyhow::{Context, Result};

use crate::crates::target_folder;
use crate::process::{cargo_for_all, check};

/// Builds the tool, once; where it lies.
///
/// # Errors
/// It does not compile.
pub fn program() -> Result<PathBuf> {
    static IS_BUILT: Mutex<bool> = Mutex::new(false);
    let mut is_built = IS_BUILT.lock().unwrap_or_else(PoisonError::into_inner);
    if !*is_built {
        check(cargo_for_all("build").args(["--bin", "giornata"]))?;
        *is_built = true;
    }
    Ok(target_folder().join("debug/giornata"))
}

/// Runs the tool with arguments, its output left out; returns its exit code.
///
/// # Errors
/// It cannot be started, or is stopped.
pub fn call(arguments: &[&OsStr]) -> Result<i32> {
    Ok(hear(arguments)?.0)
}

/// Runs the tool with arguments; returns its exit code, and what it says on its standard
/// output.
///
/// # Errors
/// As [`call`].
pub fn hear(arguments: &[&OsStr]) -> Result<(i32, String)> {
    let output = Command::new(program()?).args(arguments).output();
    let output = output.context("the host tool cannot be started")?;
    let code = output.status.code();
    let code = code.context("the host tool has been stopped")?;
    Ok((code, String::from_utf8_lossy(&output.stdout).into_owned()))
}
