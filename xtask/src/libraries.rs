//! C libraries as a package registry carries them: built unchanged, by a toolchain file as a
//! user's own build takes one, and their own tests run in user mode, see `tests/libraries`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};
use serde::Deserialize;

use crate::crates::{fetched, root};
use crate::process::check as run_to_end;
use crate::shell::{Shell, ends};
use crate::workers;

/// From the repository's folder on.
const FOLDER: &str = "tests/libraries";
/// How a path into `support` there begins.
const SUPPORT: &str = "SUPPORT/";
/// What the builder calls the process, and so its toolchain file.
const TOOLCHAIN: &str = "target/giornata/program.cmake";
/// Virtual time after which the machine of a test that does not end is stopped.
const LIMIT: &str = "60s";
/// What the last line of a run says that went on until then; its verdict may be good.
const STOPPED: &str = "| virtual 60.";
/// The archive of a library and its test.
const ARCHIVE: &str = "build/program.a";

/// The system of each test; its output goes out by the trace.
const SYSTEM: &str = r#"format = 1
name = "library"
board = "qemu-virt64"

[kernel]
config = "pse51"
trace = 65536

[process.program]
c = ["build/program.a"]
posix = true
stack = "64K"
heap = "4M"
spare-threads = { count = 2, stack = "16K" }
max-priority = 40
grants = { shutdown = true }
threads = { main = { priority = 20 } }

[process.trace]
crate = "giornata-trace-server"
threads = { serve = { priority = 50 } }
grants = { device = ["uart0"], trace = true }
"#;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct List {
    library: Vec<Library>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Library {
    name: String,
    /// Which carries it.
    #[serde(rename = "crate")]
    package: String,
    /// For the compiler, beside those of the toolchain file.
    flags: Vec<String>,
    include: Vec<String>,
    sources: Vec<String>,
    /// Names of files that are not compiled.
    #[serde(default)]
    without: Vec<String>,
    test: Vec<Test>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Test {
    sources: Vec<String>,
    /// What it says if it passes.
    #[serde(default)]
    says: String,
}

/// Builds and runs every test.
///
/// # Errors
/// One fails, or a library cannot be had or compiled.
pub(crate) fn check() -> Result<String> {
    let folder = root().join(FOLDER);
    let file = folder.join("libraries.toml");
    let text = fs::read_to_string(&file).with_context(|| file.display().to_string())?;
    let list: List = toml::from_str(&text).with_context(|| file.display().to_string())?;
    let crates = fetched(&folder.join("Cargo.toml"))?;
    let work = tempfile::Builder::new().prefix("giornata-").tempdir()?;
    let shell = Shell::new(false, work.path())?;
    let run = workers::each(&list.library, |library| {
        let place = crates.get(&library.package);
        let place = place.context("the manifest does not have its crate");
        let project = work.path().join(&library.name);
        place
            .and_then(|place| run_tests(&shell, library, place, &project))
            .with_context(|| library.name.clone())
    });
    let failed: Vec<String> = run
        .into_iter()
        .filter_map(|outcome| Some(format!("{:#}", outcome.err()?)))
        .collect();
    if !failed.is_empty() {
        bail!("{}", failed.join("\n"));
    }
    Ok(format!(
        "{} tests of {} libraries",
        list.library
            .iter()
            .map(|library| library.test.len())
            .sum::<usize>(),
        list.library.len()
    ))
}

/// How the sources of a library are compiled.
struct Compiler {
    program: String,
    flags: Vec<String>,
}

impl Compiler {
    /// That of a project, whose archive is not there yet: its toolchain file is written
    /// before that is missed.
    fn of(shell: &Shell, project: &Path, library: &Library, place: &Path) -> Result<Compiler> {
        shell.refuses(project, &["size"], ARCHIVE)?;
        let toolchain = fs::read_to_string(project.join(TOOLCHAIN)).context(TOOLCHAIN)?;
        let flags = setting(&toolchain, "CMAKE_C_FLAGS_INIT")?.split_whitespace();
        let mut flags: Vec<String> = flags.map(String::from).collect();
        // (others' warnings are theirs)
        flags.push("-w".into());
        flags.extend(library.flags.iter().cloned());
        for folder in &library.include {
            flags.push(format!("-I{}", path(place, folder).display()));
        }
        let program = setting(&toolchain, "CMAKE_C_COMPILER")?.into();
        Ok(Compiler { program, flags })
    }

    /// Compiles sources into a folder; the objects.
    fn compile(&self, sources: &[PathBuf], folder: &Path) -> Result<Vec<PathBuf>> {
        fs::create_dir_all(folder)?;
        let object = |(number, source): (usize, &PathBuf)| {
            let object = folder.join(format!("{number}.o"));
            let mut compile = Command::new(&self.program);
            compile.args(&self.flags).arg("-c").arg(source);
            run_to_end(compile.arg("-o").arg(&object))?;
            Ok(object)
        };
        sources.iter().enumerate().map(object).collect()
    }

    /// Makes an archive of objects anew.
    fn archive(&self, archive: &Path, objects: &[&PathBuf]) -> Result<()> {
        let _ = fs::remove_file(archive);
        let prefix = self.program.strip_suffix("gcc").unwrap_or("");
        let mut command = Command::new(format!("{prefix}ar"));
        run_to_end(command.arg("rcs").arg(archive).args(objects))
    }
}

/// Compiles a library once, and each of its tests with it, in one project.
fn run_tests(shell: &Shell, library: &Library, place: &Path, project: &Path) -> Result<()> {
    fs::create_dir_all(project.join("build"))?;
    fs::write(project.join("system.toml"), SYSTEM)?;
    let compiler = Compiler::of(shell, project, library, place)?;
    let listed = |sources: &[String]| -> Result<Vec<PathBuf>> {
        let files: Result<Vec<_>> = sources.iter().map(|s| files(&path(place, s))).collect();
        Ok(files?.into_iter().flatten().collect())
    };
    let mut sources = listed(&library.sources)?;
    sources.retain(|source| !library.without.iter().any(|name| source.ends_with(name)));
    let own = compiler.compile(&sources, &project.join("build/library"))?;
    for test in &library.test {
        let objects = compiler.compile(&listed(&test.sources)?, &project.join("build/test"))?;
        let all: Vec<&PathBuf> = own.iter().chain(&objects).collect();
        compiler.archive(&project.join(ARCHIVE), &all)?;
        run_test(shell, test, project).with_context(|| test.sources.join(" "))?;
    }
    Ok(())
}

/// Builds the system, and runs the test to its end.
fn run_test(shell: &Shell, test: &Test, project: &Path) -> Result<()> {
    let words = ["run", "--headless", "--for", LIMIT];
    let output = shell.call(project, &words)?;
    ends(&output, &words, 0, &test.says)?;
    // a machine that is stopped by its time ends with 0 as well
    let text = String::from_utf8_lossy(&output.stdout);
    ensure!(!text.contains(STOPPED), "has not ended after {LIMIT}");
    Ok(())
}

/// What a toolchain file sets a variable to.
fn setting<'a>(toolchain: &'a str, name: &str) -> Result<&'a str> {
    let begin = format!("set({name} \"");
    let mut lines = toolchain.lines();
    let value = lines.find_map(|line| line.strip_prefix(&begin)?.strip_suffix("\")"));
    value.with_context(|| format!("{TOOLCHAIN} does not set {name}"))
}

/// A path of the list.
fn path(place: &Path, text: &str) -> PathBuf {
    match text.strip_prefix(SUPPORT) {
        Some(own) => root().join(FOLDER).join("support").join(own),
        None => place.join(text),
    }
}

/// The file, or all sources of a folder, in order.
fn files(path: &Path) -> Result<Vec<PathBuf>> {
    if !path.ends_with("*.c") {
        return Ok(vec![path.to_path_buf()]);
    }
    let folder = path.parent().unwrap_or(path);
    let entries = fs::read_dir(folder).with_context(|| folder.display().to_string())?;
    let is_source = |file: &PathBuf| file.extension().is_some_and(|ending| ending == "c");
    let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    files.retain(is_source);
    files.sort();
    ensure!(!files.is_empty(), "{}: no sources", folder.display());
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_toolchain_file_says_how_to_compile() {
        let text = "set(CMAKE_C_COMPILER \"gcc\")\nset(CMAKE_C_FLAGS_INIT \"-O2 -g\")\n";
        assert_eq!(setting(text, "CMAKE_C_COMPILER").unwrap(), "gcc");
        assert_eq!(setting(text, "CMAKE_C_FLAGS_INIT").unwrap(), "-O2 -g");
        assert!(setting(text, "CMAKE_AR").is_err());
    }
}
