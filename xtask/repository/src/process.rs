//! Child processes.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use anyhow::{Context, Error, Result, anyhow};
use serde::Deserialize;

use crate::crates::{root, target_folder};

/// Cargo of the pinned toolchain, in the root of the workspace.
pub fn cargo() -> Command {
    let mut command =
        Command::new(std::env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo")));
    command.current_dir(root());
    command
}

/// Cargo that builds for the host, with the features that the whole workspace asks for: what
/// needs only some of its packages is else compiled once more, in part, for each choice of them.
///
/// Targets are named by options: there is no choice of packages.
pub fn cargo_for_all(command: &str) -> Command {
    let mut cargo = cargo();
    cargo.args([command, "--quiet", "--workspace"]);
    cargo
}

/// Builds an example of the workspace, as for a release if it runs for long; where it lies.
///
/// # Errors
/// It does not compile.
pub fn example(name: &str, is_release: bool) -> Result<PathBuf> {
    let release = is_release.then_some("--release");
    check(
        cargo_for_all("build")
            .args(["--example", name])
            .args(release),
    )?;
    let profile = if is_release { "release" } else { "debug" };
    Ok(target_folder().join(profile).join("examples").join(name))
}

/// Runs a command to its end and gives its standard output.
///
/// # Errors
/// It cannot be started, or fails: then with all it wrote.
pub fn capture(command: &mut Command) -> Result<String> {
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
pub fn check(command: &mut Command) -> Result<()> {
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
pub fn describe(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words
        .map(|word| word.to_string_lossy())
        .collect::<Vec<_>>()
        .join(" ")
}

/// The executables that cargo says it has built.
pub fn executables(messages: &str) -> Vec<PathBuf> {
    #[derive(Deserialize)]
    struct Artifact {
        executable: Option<PathBuf>,
    }
    let artifact = |line: &str| serde_json::from_str::<Artifact>(line).ok()?.executable;
    messages.lines().filter_map(artifact).collect()
}
