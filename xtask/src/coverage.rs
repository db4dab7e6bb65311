//! `./x coverage`: lines of the crates that promise a coverage which their
//! tests, and those of the crates above them, run through.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};
use serde_json::Value;

use crate::crates::{root, selection, target_folder};
use crate::process::{capture, cargo, check, executables};

use crate::Verdict;

/// Crates that promise [`LEAST`], and their folders.
const PROMISED: [(&str, &str); 3] = [
    ("giornata-core", "kernel/core/"),
    ("giornata-microcode", "microcode/"),
    ("giornata-lang", "lang/"),
];
/// Crates whose tests count too: they run the kernel as a machine does.
const TESTED: [&str; 5] = [
    "giornata-core",
    "giornata-host",
    "giornata-microcode",
    "giornata-lang",
    "giornata-sim",
];
/// Percent.
const LEAST: f64 = 90.0;

/// Lines of one crate.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Lines {
    all: u64,
    covered: u64,
}

impl Lines {
    fn percent(&self) -> f64 {
        if self.all == 0 {
            0.0
        } else {
            100.0 * self.covered as f64 / self.all as f64
        }
    }
}

/// Prints a line a crate; negative if one has less than it promises.
pub(crate) fn run() -> Result<Verdict> {
    let (lines, enough) = measure()?;
    lines.iter().for_each(|line| println!("{line}"));
    Ok(if enough {
        Verdict::Good
    } else {
        Verdict::Negative
    })
}

/// The same as lines, and whether all promises are kept.
pub(crate) fn measure() -> Result<(Vec<String>, bool)> {
    let folder = target_folder().join("coverage");
    let raw = folder.join("raw");
    if raw.exists() {
        std::fs::remove_dir_all(&raw).context("old profiles")?;
    }
    let tests = build(&folder)?;
    for test in &tests {
        check(
            Command::new(test)
                .current_dir(root())
                .env("LLVM_PROFILE_FILE", raw.join("%m-%p.profraw"))
                // The counters make them slow; the same cases each time.
                .env("PROPTEST_CASES", "48")
                .env("PROPTEST_RNG_SEED", "1"),
        )?;
    }
    let profile = merge(&raw, &folder.join("merged.profdata"))?;
    report(&export(&tests, &profile)?)
}

/// Builds the instrumented tests; where they are.
fn build(folder: &Path) -> Result<Vec<PathBuf>> {
    let json = capture(
        cargo()
            .args([
                "test",
                "--no-run",
                "--lib",
                "--tests",
                "--message-format",
                "json-render-diagnostics",
            ])
            .args(selection(TESTED))
            .arg("--target-dir")
            .arg(folder)
            .env("RUSTFLAGS", "-Cinstrument-coverage")
            // build scripts and macros are instrumented too; nobody reads theirs
            .env("LLVM_PROFILE_FILE", folder.join("builds/%m.profraw")),
    )?;
    Ok(executables(&json))
}

fn merge(raw: &Path, to: &Path) -> Result<PathBuf> {
    let mut command = tool("llvm-profdata")?;
    command.args(["merge", "--sparse", "--output"]).arg(to);
    for profile in std::fs::read_dir(raw).context("the profiles of the tests")? {
        command.arg(profile?.path());
    }
    check(&mut command)?;
    Ok(to.to_path_buf())
}

fn export(tests: &[PathBuf], profile: &Path) -> Result<Value> {
    let mut command = tool("llvm-cov")?;
    command
        .args(["export", "--summary-only", "--instr-profile"])
        .arg(profile);
    for test in tests {
        command.arg("--object").arg(test);
    }
    serde_json::from_str(&capture(&mut command)?).context("llvm-cov export")
}

/// A tool of the component `llvm-tools`.
fn tool(name: &str) -> Result<Command> {
    let mut rustc = Command::new(std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()));
    let libraries = capture(rustc.args(["--print", "target-libdir"]).current_dir(root()))?;
    let tools = Path::new(libraries.trim())
        .parent()
        .context("the folder of the toolchain")?
        .join("bin");
    Ok(Command::new(tools.join(name)))
}

fn report(export: &Value) -> Result<(Vec<String>, bool)> {
    let files = export["data"][0]["files"]
        .as_array()
        .context("llvm-cov names no files")?;
    let mut enough = true;
    let mut rows = Vec::new();
    for (name, folder) in PROMISED {
        let lines = sum(files, &root().join(folder));
        let kept = lines.percent() >= LEAST;
        enough &= kept;
        let verdict = if kept { "" } else { "  TOO LOW" };
        rows.push(format!(
            "{name:<18} {:>6.2} % of {} lines, {LEAST} % promised{verdict}",
            lines.percent(),
            lines.all
        ));
    }
    Ok((rows, enough))
}

fn sum(files: &[Value], folder: &Path) -> Lines {
    let mut lines = Lines::default();
    for file in files {
        if file["filename"]
            .as_str()
            .is_some_and(|name| Path::new(name).starts_with(folder))
        {
            let summary = &file["summary"]["lines"];
            lines.all += summary["count"].as_u64().unwrap_or(0);
            lines.covered += summary["covered"].as_u64().unwrap_or(0);
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn file(name: &str, count: u64, covered: u64) -> Value {
        let name = root().join(name);
        json!({"filename": name, "summary": {"lines": {"count": count, "covered": covered}}})
    }

    fn export(core: u64) -> Value {
        json!({"data": [{"files": [
            file("kernel/core/src/lib.rs", 50, core),
            file("kernel/core/src/calls.rs", 50, 50),
            file("microcode/src/lib.rs", 10, 10),
            file("lang/src/lib.rs", 10, 10),
            file("sim/src/lib.rs", 1000, 0),
        ]}]})
    }

    #[test]
    fn a_crate_is_judged_by_all_its_files_and_no_others() {
        assert!(report(&export(40)).unwrap().1);
        let (rows, enough) = report(&export(39)).unwrap();
        assert!(
            !enough && rows[0].contains("89.00 %") && rows[0].ends_with("TOO LOW"),
            "{rows:?}"
        );
    }

    #[test]
    fn a_crate_without_any_file_has_no_coverage() {
        let (_, enough) = report(&json!({"data": [{"files": []}]})).unwrap();
        assert!(!enough);
    }
}
