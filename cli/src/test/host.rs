//! The tests of a project that run on the host: those of its crates, by cargo, and those
//! of its C sources, each file of `tests/*.c` a program that ends with 0.

use std::fs;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Output, Stdio};

use anyhow::{Context, Result};
use giornata_launch::{home, project};
use giornata_system::BuildOptions;
use giornata_system::image::{C_HEADERS, C_HOST_RUNTIME, C_RUNTIME};

use crate::report::Report;
use crate::test::Outcome;

/// How tests in C are compiled.
const FLAGS: [&str; 4] = ["-std=gnu17", "-g", "-Wall", "-Wextra"];

/// Runs them all.
pub(crate) fn test(system: &Path, report: &Report) -> Result<Vec<Outcome>> {
    let folder = project::folder(system);
    let out = BuildOptions::new(system, home::root()).out_dir;
    let mut outcomes = Vec::new();
    if folder.join("Cargo.toml").is_file() {
        outcomes.push(crates(&folder, &out, report)?);
    }
    for source in sources(&folder) {
        outcomes.push(program(&source, &out, report)?);
    }
    Ok(outcomes)
}

/// The tests of the crates of a workspace.
fn crates(folder: &Path, out: &Path, report: &Report) -> Result<Outcome> {
    let mut command = giornata_system::image::cargo(home::root());
    command.current_dir(folder).args(["test", "--workspace"]);
    if !std::io::stderr().is_terminal() {
        command.arg("--quiet");
    }
    // what the builder writes, once it has
    let identifiers = out.join("identifiers.rs");
    if let Ok(identifiers) = identifiers.canonicalize() {
        command.env("GIORNATA_IDENTIFIERS", identifiers);
    }
    let status = run(&mut command, report).context("cargo cannot be run")?;
    let note = match status.success() {
        true => String::new(),
        false => "see above".into(),
    };
    Ok(Outcome::new(
        report,
        "cargo test".into(),
        status.success(),
        note,
    ))
}

/// Runs a command; what it writes goes where this one's goes, unless JSON is wanted.
fn run(command: &mut Command, report: &Report) -> std::io::Result<ExitStatus> {
    command.stdin(Stdio::null());
    if report.is_json() {
        command.stdout(Stdio::null());
    }
    command.status()
}

/// The tests in C of a project, in order.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder.join("tests")).into_iter().flatten();
    let files = entries.flatten().map(|entry| entry.path());
    let is_c = |file: &PathBuf| file.extension().is_some_and(|end| end == "c");
    let mut sources: Vec<PathBuf> = files.filter(is_c).collect();
    sources.sort();
    sources
}

/// Compiles a test in C for the host, and runs it.
fn program(source: &Path, out: &Path, report: &Report) -> Result<Outcome> {
    let name = source.file_stem().unwrap_or_default();
    let title = format!("tests/{}.c", name.to_string_lossy());
    let folder = out.join("host");
    fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
    let program = folder.join(name);
    let compiler = std::env::var_os("CC").unwrap_or_else(|| "cc".into());
    let mut command = Command::new(&compiler);
    command
        .args(FLAGS)
        // behind the host's own: what both have (<assert.h>) is the host's here
        .arg("-idirafter")
        .arg(home::root().join(C_HEADERS))
        .arg("-I")
        .arg(out)
        .arg("-o")
        .arg(&program)
        .arg(source)
        // what is logged is written to the test's output
        .args([C_RUNTIME, C_HOST_RUNTIME].map(|file| home::root().join(file)));
    let compiled = output(&mut command).with_context(|| {
        let compiler = compiler.to_string_lossy();
        format!("{compiler} cannot be run: install a C compiler, or name one in CC")
    })?;
    if !compiled.status.success() {
        let said = String::from_utf8_lossy(&compiled.stderr);
        let note = format!("does not compile\n{}", said.trim_end());
        return Ok(Outcome::new(report, title, false, note));
    }
    let ran = output(&mut Command::new(&program)).context("the compiled test")?;
    let said = [&ran.stdout[..], &ran.stderr[..]].concat();
    let said = String::from_utf8_lossy(&said);
    let note = match ran.status.success() {
        true => String::new(),
        false => format!("ended with {}\n{}", ran.status, said.trim_end()),
    };
    Ok(Outcome::new(report, title, ran.status.success(), note))
}

fn output(command: &mut Command) -> std::io::Result<Output> {
    command.stdin(Stdio::null()).output()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEST: &str = "\
#include <stdio.h>
#include <stdlib.h>
#include <giornata.h>

int main(void)
{
    gio_log(\"the tank is full\");
    gio_log_warning(\"it leaks %d mm\", 3);
    gio_panic(\"no valve\");
}
";

    #[test]
    fn what_a_test_in_c_logs_is_its_output() {
        let folder = std::env::temp_dir().join(format!("giornata-host-c-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let source = folder.join("tank.c");
        fs::write(&source, TEST).unwrap();
        let outcome = program(&source, &folder, &Report::new(true)).unwrap();
        fs::remove_dir_all(&folder).unwrap();
        let said = [
            "the tank is full\nwarning: it leaks 3 mm\n",
            "tank.c:9: no valve",
        ];
        for said in said {
            assert!(outcome.note.contains(said), "{}", outcome.note);
        }
    }
}
