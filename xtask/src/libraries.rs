//! C libraries as a package registry carries them: built unchanged, by a toolchain file as a
//! user's own build takes one, and their own tests run in user mode, see `tests/libraries`.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};
use serde::Deserialize;

use crate::crates::root;
use crate::process::{capture, cargo, check as run_to_end};
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
    let crates = crates(&folder.join("Cargo.toml"))?;
    let work = tempfile::Builder::new().prefix("giornata-").tempdir()?;
    let shell = Shell::new(false, work.path())?;
    let mut tests = Vec::new();
    for library in &list.library {
        let place = crates.get(&library.package);
        let place =
            place.with_context(|| format!("{}: the manifest does not have it", library.package))?;
        for (number, test) in library.test.iter().enumerate() {
            let project = work.path().join(format!("{}-{number}", library.name));
            tests.push((library, test, place.as_path(), project));
        }
    }
    let run = workers::each(&tests, |(library, test, place, project)| {
        run_test(&shell, library, test, place, project)
            .with_context(|| format!("{}: {}", library.name, test.sources.join(" ")))
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
        tests.len(),
        list.library.len()
    ))
}

/// Fetches the crates of a manifest; where each lies.
fn crates(manifest: &Path) -> Result<BTreeMap<String, PathBuf>> {
    #[derive(Deserialize)]
    struct Metadata {
        packages: Vec<Package>,
    }
    #[derive(Deserialize)]
    struct Package {
        name: String,
        manifest_path: PathBuf,
    }
    let mut fetch = cargo();
    fetch.args(["fetch", "--quiet", "--locked", "--manifest-path"]);
    run_to_end(fetch.arg(manifest))?;
    let mut metadata = cargo();
    metadata.args(["metadata", "--locked", "--offline", "--format-version", "1"]);
    let text = capture(metadata.arg("--manifest-path").arg(manifest))?;
    let Metadata { packages } = serde_json::from_str(&text).context("cargo metadata")?;
    let place = |package: Package| {
        let folder = package.manifest_path.parent()?.to_path_buf();
        Some((package.name, folder))
    };
    Ok(packages.into_iter().filter_map(place).collect())
}

fn run_test(
    shell: &Shell,
    library: &Library,
    test: &Test,
    place: &Path,
    project: &Path,
) -> Result<()> {
    fs::create_dir_all(project.join("build"))?;
    fs::write(project.join("system.toml"), SYSTEM)?;
    // before the archive is missed, the toolchain file is written
    shell.refuses(project, &["size"], ARCHIVE)?;
    let toolchain = fs::read_to_string(project.join(TOOLCHAIN)).context(TOOLCHAIN)?;
    let compiler = setting(&toolchain, "CMAKE_C_COMPILER")?;
    let mut flags: Vec<String> = setting(&toolchain, "CMAKE_C_FLAGS_INIT")?
        .split_whitespace()
        .map(String::from)
        .collect();
    // (others' warnings are theirs)
    flags.push("-w".into());
    flags.extend(library.flags.iter().cloned());
    for folder in &library.include {
        flags.push(format!("-I{}", path(place, folder).display()));
    }
    let mut sources = Vec::new();
    for source in library.sources.iter().chain(&test.sources) {
        sources.extend(files(&path(place, source))?);
    }
    sources.retain(|source| !library.without.iter().any(|name| source.ends_with(name)));
    let mut objects = Vec::new();
    for (number, source) in sources.iter().enumerate() {
        let object = project.join(format!("build/{number}.o"));
        let mut compile = Command::new(compiler);
        compile.args(&flags).arg("-c").arg(source);
        run_to_end(compile.arg("-o").arg(&object))?;
        objects.push(object);
    }
    let archiver = compiler.strip_suffix("gcc").unwrap_or("");
    let mut archive = Command::new(format!("{archiver}ar"));
    archive.arg("rcs").arg(project.join(ARCHIVE));
    run_to_end(archive.args(&objects))?;
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
