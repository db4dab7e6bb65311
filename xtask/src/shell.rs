//! A user's shell: the command is called from a folder of the user's, and ends as it should.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use anyhow::{Context, Result, ensure};

use crate::crates::target_folder;
use crate::giornata;
use crate::process::{cargo, check};

/// Installs the command as `./x install` does; returns where it lies.
fn install(folder: &Path) -> Result<PathBuf> {
    let mut command = cargo();
    command.args([
        "install",
        "--quiet",
        "--locked",
        "--profile",
        "dev",
        "--path",
        "cli",
    ]);
    check(command.arg("--root").arg(folder))?;
    Ok(folder.join("bin/giornata"))
}

/// How a user calls the command.
pub(crate) struct Shell {
    pub(crate) program: PathBuf,
    target: Option<PathBuf>,
}

impl Shell {
    /// The command that is built here; what users' projects compile alike is compiled once, and
    /// the kernel with what is compiled here.
    /// In the long form one that is installed into `folder`, which uses nothing that is
    /// compiled here.
    ///
    /// # Errors
    /// It cannot be built or installed.
    pub(crate) fn new(full: bool, folder: &Path) -> Result<Shell> {
        Ok(match full {
            false => Shell {
                target: Some(target_folder()),
                program: giornata::program()?,
            },
            true => Shell {
                target: None,
                program: install(&folder.join("installed"))?,
            },
        })
    }

    /// Another program instead of the command.
    #[cfg(test)]
    pub(crate) fn with(program: &str) -> Shell {
        Shell {
            target: None,
            program: program.into(),
        }
    }

    /// The command with its arguments, in a folder.
    pub(crate) fn command(&self, folder: &Path, words: &[&str]) -> Command {
        self.other(folder, self.program.as_os_str(), words)
    }

    /// Another program, in a folder.
    pub(crate) fn other(
        &self,
        folder: &Path,
        program: impl AsRef<OsStr>,
        words: &[&str],
    ) -> Command {
        let mut command = Command::new(program);
        command.args(words).current_dir(folder);
        // as a shell has them that knows nothing of this repository's toolchain
        for variable in ["CARGO", "RUSTC", "RUSTUP_TOOLCHAIN", "CARGO_MANIFEST_DIR"] {
            command.env_remove(variable);
        }
        match &self.target {
            Some(target) => command.env("CARGO_TARGET_DIR", target),
            None => command.env_remove("CARGO_TARGET_DIR"),
        };
        command
    }

    /// Calls the command to its end.
    pub(crate) fn call(&self, folder: &Path, words: &[&str]) -> Result<Output> {
        let output = self.command(folder, words).output();
        output.with_context(|| format!("giornata {}", words.join(" ")))
    }

    /// The command ends with 0, and says so.
    pub(crate) fn succeeds(&self, folder: &Path, words: &[&str], said: &str) -> Result<()> {
        ends(&self.call(folder, words)?, words, 0, said)
    }

    /// The command ends with 2, and says why.
    pub(crate) fn refuses(&self, folder: &Path, words: &[&str], why: &str) -> Result<()> {
        ends(&self.call(folder, words)?, words, 2, why)
    }

    /// Makes a project; returns its folder.
    pub(crate) fn make(&self, folder: &Path, name: &str, kind: &str) -> Result<PathBuf> {
        self.succeeds(folder, &["new", name, kind], "made")?;
        Ok(folder.join(name))
    }
}

/// The output of a call has this exit code, and these words in either stream.
///
/// # Errors
/// It has not; with all that was written.
pub(crate) fn ends(output: &Output, words: &[&str], code: i32, said: &str) -> Result<()> {
    let text = [&output.stdout[..], &output.stderr[..]].concat();
    let text = String::from_utf8_lossy(&text);
    // messages are broken into lines, with a bar before each
    let plain = |text: &str| -> String {
        let words = text.split_whitespace().filter(|word| *word != "│");
        words.collect::<Vec<_>>().join(" ")
    };
    ensure!(
        output.status.code() == Some(code) && plain(&text).contains(&plain(said)),
        "`giornata {}` ended with {}, not with {code} and `{said}`:\n{text}",
        words.join(" "),
        output.status
    );
    Ok(())
}
