//! The nightly toolchain, for Miri only; installed when it is first needed.

use std::process::Command;

use anyhow::Result;

use crate::crates::root;
use crate::process::{capture, check};

/// The nightly that goes with the pinned toolchain.
pub(crate) const NIGHTLY: &str = "nightly-2026-05-20";
const COMPONENTS: &str = "miri,rust-src";

/// Cargo of the nightly, which is installed if it is missing.
///
/// # Errors
/// rustup cannot install it.
pub(crate) fn cargo() -> Result<Command> {
    if capture(rustup().args(["run", NIGHTLY, "cargo", "miri", "--version"])).is_err() {
        eprintln!("x: Miri needs {NIGHTLY} with {COMPONENTS}; installing it with rustup");
        check(
            rustup()
                .args(["toolchain", "install", NIGHTLY, "--profile", "minimal"])
                .args(["--component", COMPONENTS, "--no-self-update"]),
        )?;
    }
    let mut command = rustup();
    command.args(["run", NIGHTLY, "cargo"]);
    Ok(command)
}

/// rustup, free of the toolchain that runs this program.
fn rustup() -> Command {
    let mut command = Command::new("rustup");
    command.current_dir(root());
    for variable in ["RUSTUP_TOOLCHAIN", "CARGO", "RUSTC", "RUSTDOC"] {
        command.env_remove(variable);
    }
    command
}
