//! Runs the compiler: kernel and processes, each for its own target.

use crate::board::Board;
use crate::image::package::Package;
use crate::image::rust;
use crate::problem::{Problem, Refusal};
use serde_json::Value;
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, IsTerminal};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};

/// The package of the kernel binary.
const KERNEL: &str = "giornata-image";
/// How each of its crates is compiled for its target, in the workspace.
const FLAGS: &str = "kernel/image/flags.toml";
/// How crates of processes are compiled, in the workspace.
const PROFILE: &str = "user/profile.toml";
/// A release with checks and with file and line in panic messages.
const DEBUG_PROFILE: &str = "checked";

/// How to call the compiler.
#[derive(Clone, Debug)]
pub(crate) struct Toolchain {
    /// The workspace.
    pub(crate) root: PathBuf,
    /// Where compiled things go; shared by everything that is built.
    pub(crate) target_dir: PathBuf,
    /// Whether processes tell file and line when they panic.
    pub(crate) debug: bool,
    /// The Rust module of identifiers that processes may include.
    pub(crate) identifiers: PathBuf,
    /// Where the same lie as a header, for processes in C.
    pub(crate) headers: PathBuf,
    /// In which of many orders functions lie; 0 is the linker's own.
    pub(crate) order: u32,
    /// Bytes of the pieces in which code in C touches what it takes of a stack as it runs.
    pub(crate) probe_interval: u32,
    /// What has been compiled already.
    pub(crate) memory: Memory,
}

/// What compilers have made for builds that share it, whose sources do not change meanwhile:
/// kernels, and what processes in C are linked with.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    made: Arc<Mutex<BTreeMap<String, PathBuf>>>,
    has_processes: bool,
    /// Packages of workspaces, by the folder and the word of the system file that means them.
    packages: Arc<Mutex<BTreeMap<(PathBuf, String), Package>>>,
}

impl Memory {
    /// One for builds whose processes include no identifiers: what was made of them is the same
    /// for each system, and is kept too.
    pub fn with_processes() -> Memory {
        Memory {
            has_processes: true,
            ..Memory::default()
        }
    }

    /// The package that a word of the system files in a folder means: found before, or now.
    pub(crate) fn package(
        &self,
        folder: &Path,
        word: &str,
        find: impl FnOnce() -> Result<Package, Refusal>,
    ) -> Result<Package, Refusal> {
        let key = (folder.to_path_buf(), word.to_string());
        let known = self.packages.lock().ok();
        if let Some(package) = known.and_then(|known| known.get(&key).cloned()) {
            return Ok(package);
        }
        let package = find()?;
        if let Ok(mut known) = self.packages.lock() {
            known.insert(key, package.clone());
        }
        Ok(package)
    }

    /// What was made of this before, if it still lies there, or what is made now.
    pub(crate) fn recall(
        &self,
        what: &str,
        make: impl FnOnce() -> Result<PathBuf, Refusal>,
    ) -> Result<PathBuf, Refusal> {
        let known = self
            .made
            .lock()
            .ok()
            .and_then(|made| made.get(what).cloned());
        if let Some(path) = known.filter(|path| path.is_file()) {
            return Ok(path);
        }
        let path = make()?;
        if let Ok(mut made) = self.made.lock() {
            made.insert(what.into(), path.clone());
        }
        Ok(path)
    }
}

/// The linker's argument that shuffles functions; 0 would mean a random order.
pub(crate) fn shuffle(order: u32) -> Option<String> {
    (order > 0).then(|| format!("--shuffle-sections=.text*={order}"))
}

impl Toolchain {
    /// The kernel's executable for a board, in a configuration.
    ///
    /// In another order than the linker's own it is a copy, so that the kernel
    /// itself stays where it is looked for.
    pub(crate) fn kernel(
        &self,
        board: &Board,
        config: &str,
        streams: bool,
    ) -> Result<PathBuf, Refusal> {
        let form = match streams {
            true => format!("{config}-streams"),
            false => config.into(),
        };
        let what = format!("kernel {} {form} {}", board.selector, self.order);
        self.memory.recall(&what, || {
            let built = self.compile_kernel(board, config, streams)?;
            // (the next kernel comes to the same place)
            let name = format!("{}-{form}-{}", board.name, self.order);
            let copy = built.with_extension(name);
            std::fs::copy(&built, &copy).map_err(|error| {
                let reason = format!("cannot copy {}: {error}", built.display());
                Problem::new(reason, "free the disk")
            })?;
            Ok(copy)
        })
    }

    fn compile_kernel(
        &self,
        board: &Board,
        config: &str,
        streams: bool,
    ) -> Result<PathBuf, Refusal> {
        let mut command = self.cargo("rustc");
        command.env("GIORNATA_BOARD", &board.selector);
        // (its home may be one that cannot be written)
        command
            .arg("--locked")
            .arg("--config")
            .arg(self.root.join(FLAGS));
        command.args(["--package", KERNEL, "--bin", KERNEL]);
        command.args(["--release", "--no-default-features"]);
        command.args(["--target", &board.kernel_target]);
        let features: Vec<&str> = board.features_of(config, streams).collect();
        command.args(["--features", &features.join(",")]);
        if let Some(shuffle) = shuffle(self.order) {
            command.arg("--").arg(format!("-Clink-arg={shuffle}"));
        }
        let artifacts = run(command, "the kernel")?;
        let found = artifacts.into_iter().find(|a| a.executable.is_some());
        found.and_then(|a| a.executable).ok_or_else(|| {
            Problem::new(
                format!("package {KERNEL} builds no executable"),
                "give it a binary",
            )
            .into()
        })
    }

    /// The archive of a process's crate.
    pub(crate) fn process(&self, package: &Package, target: &str) -> Result<PathBuf, Refusal> {
        let Package { folder, name } = package;
        let what = format!("{name} {target} {} {}", self.debug, folder.display());
        let make = || self.compile_process(package, target);
        match package.has_identifiers() && !self.memory.has_processes {
            true => make(),
            false => self.memory.recall(&what, make),
        }
    }

    fn compile_process(&self, package: &Package, target: &str) -> Result<PathBuf, Refusal> {
        let package_name = &package.name;
        let mut command = self.cargo("rustc");
        command.current_dir(&package.folder);
        command.arg("--config").arg(self.root.join(PROFILE));
        command.args([
            "--package",
            package_name,
            "--lib",
            "--crate-type",
            "staticlib",
            "--target",
            target,
        ]);
        match self.debug {
            false => command.arg("--release"),
            true => command.args(["--profile", DEBUG_PROFILE]).args([
                "--config",
                "profile.checked.inherits='release'",
                "--config",
                "profile.checked.debug-assertions=true",
                "--config",
                "profile.checked.overflow-checks=true",
            ]),
        };
        let artifacts = run(command, &format!("crate `{package_name}`"))?;
        let mut archives = artifacts.into_iter().flat_map(|a| a.files);
        // the crate's own artifact comes last, after those of what it uses
        let archive = archives.rfind(|f| f.extension().is_some_and(|e| e == "a"));
        archive.ok_or_else(|| {
            Problem::new(
                format!("crate `{package_name}` builds no archive"),
                "give it a library: `src/lib.rs`",
            )
            .into()
        })
    }

    /// The linker that comes with the toolchain.
    pub(crate) fn linker(&self) -> Result<PathBuf, Refusal> {
        self.memory.recall("linker", || self.find_linker())
    }

    fn find_linker(&self) -> Result<PathBuf, Refusal> {
        let sysroot = self.rustc(&["--print", "sysroot"])?;
        let version = self.rustc(&["--version", "--verbose"])?;
        let host = version
            .lines()
            .find_map(|l| l.strip_prefix("host: "))
            .unwrap_or_default();
        let linker = Path::new(sysroot.trim())
            .join("lib/rustlib")
            .join(host)
            .join("bin/rust-lld");
        if linker.is_file() {
            return Ok(linker);
        }
        let reason = format!("there is no linker at {}", linker.display());
        Err(Problem::new(
            reason,
            "install the pinned toolchain: `rustup toolchain install`",
        )
        .into())
    }

    fn rustc(&self, arguments: &[&str]) -> Result<String, Refusal> {
        let mut command = rust::rustc(&self.root);
        let output = command.args(arguments).current_dir(&self.root).output();
        let output = output.map_err(|error| missing("rustc", &error))?;
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }

    /// A cargo command whose result depends on its arguments and the sources only.
    fn cargo(&self, verb: &str) -> Command {
        let mut command = rust::cargo(&self.root);
        command.current_dir(&self.root).arg(verb);
        if std::io::stderr().is_terminal() {
            command.args(["--message-format", "json-diagnostic-rendered-ansi"]);
            command.args(["--color", "always"]);
        } else {
            command.args(["--quiet", "--message-format", "json"]);
        }
        command.arg("--target-dir").arg(&self.target_dir);
        command.env("GIORNATA_IDENTIFIERS", &self.identifiers);
        for flags in [
            "RUSTFLAGS",
            "CARGO_ENCODED_RUSTFLAGS",
            "CARGO_BUILD_TARGET",
            "RUSTC_WRAPPER",
            "RUSTC_WORKSPACE_WRAPPER",
        ] {
            command.env_remove(flags);
        }
        command
    }
}

/// What one compilation step made.
struct Artifact {
    executable: Option<PathBuf>,
    files: Vec<PathBuf>,
}

/// What the compiler says to these flags, of every crate anew.
const KNOWN: &str = "unstable feature specified for `-Ctarget-feature`";

/// Runs cargo; its diagnostics go to standard error as they come.
fn run(mut command: Command, what: &str) -> Result<Vec<Artifact>, Refusal> {
    command
        .stdin(Stdio::null())
        .stderr(Stdio::piped())
        .stdout(Stdio::piped());
    let mut cargo = command.spawn().map_err(|error| missing("cargo", &error))?;
    let errors = cargo.stderr.take().map(|said| BufReader::new(said).lines());
    let errors = std::thread::spawn(move || {
        let mut is_known = false;
        for line in errors.into_iter().flatten().map_while(Result::ok) {
            // (what the compiler says when cargo asks it for the target, too)
            is_known = line.contains(KNOWN) || is_known && !line.is_empty();
            if !is_known && !line.is_empty() && !is_end(&line) {
                eprintln!("{line}");
            }
        }
    });
    let mut artifacts = Vec::new();
    let lines = cargo.stdout.take().map(|said| BufReader::new(said).lines());
    for line in lines.into_iter().flatten().map_while(Result::ok) {
        let Ok(message) = serde_json::from_str(&line) else {
            continue;
        };
        if let Some(text) = diagnostic(&message) {
            eprint!("{text}");
        }
        artifacts.extend(artifact(&message));
    }
    let _ = errors.join();
    match cargo.wait() {
        Ok(status) if status.success() => Ok(artifacts),
        _ => {
            let reason = format!("{what} does not compile");
            Err(Problem::new(reason, "see the compiler's messages above").into())
        }
    }
}

/// Whether a line of cargo's progress says that it has ended, which is no news: the next
/// step follows.
fn is_end(line: &str) -> bool {
    line.contains("Finished") && line.contains(" profile ")
}

/// What the compiler says to people in a message of cargo, but for what is [`KNOWN`].
fn diagnostic(message: &Value) -> Option<&str> {
    if message.get("reason")? != "compiler-message" {
        return None;
    }
    let said = message.get("message")?;
    let is_known = said.get("message")?.as_str()?.contains(KNOWN);
    said.get("rendered")?.as_str().filter(|_| !is_known)
}

fn artifact(message: &Value) -> Option<Artifact> {
    if message.get("reason")? != "compiler-artifact" {
        return None;
    }
    let path = |value: &Value| value.as_str().map(PathBuf::from);
    let files = message
        .get("filenames")?
        .as_array()?
        .iter()
        .filter_map(path)
        .collect();
    Some(Artifact {
        executable: message.get("executable").and_then(path),
        files,
    })
}

fn missing(program: &str, error: &std::io::Error) -> Refusal {
    let mend = "install the pinned toolchain: `rustup toolchain install`";
    Problem::new(format!("cannot run {program}: {error}"), mend).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn diagnostics_are_shown_but_for_what_every_crate_is_told() {
        let message = |text: &str| {
            serde_json::json!({
                "reason": "compiler-message",
                "message": { "message": text, "rendered": format!("warning: {text}\n") },
            })
        };
        let shown = message("unused variable: `x`");
        assert_eq!(diagnostic(&shown), Some("warning: unused variable: `x`\n"));
        assert_eq!(diagnostic(&message(KNOWN)), None);
        assert_eq!(
            diagnostic(&serde_json::json!({ "reason": "build-finished" })),
            None
        );
    }

    #[test]
    fn progress_is_shown_without_its_ends() {
        let end = "\u{1b}[1m\u{1b}[92m    Finished\u{1b}[0m `release` profile [optimized] target(s) in 1s";
        assert!(is_end(end));
        assert!(!is_end("   Compiling pump v0.1.0 (/home/pump)"));
    }

    #[test]
    fn only_artifacts_are_read_from_the_messages_of_cargo() {
        let message = r#"{"reason":"compiler-artifact","filenames":["/t/libx.a","/t/libx.rlib"],"executable":null}"#;
        let read = artifact(&serde_json::from_str(message).unwrap()).unwrap();
        assert_eq!(
            read.files,
            [PathBuf::from("/t/libx.a"), PathBuf::from("/t/libx.rlib")]
        );
        assert_eq!(read.executable, None);
        for other in [
            r#"{"reason":"build-finished","success":true}"#,
            "[]",
            "{}",
            r#"{"reason":"compiler-artifact"}"#,
        ] {
            assert!(
                artifact(&serde_json::from_str(other).unwrap()).is_none(),
                "{other}"
            );
        }
    }
}
