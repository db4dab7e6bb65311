//! The samples: small systems in a workspace of their own, as a user's project has one.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};

use crate::crates::{root, target_folder};
use crate::process::{capture, cargo, check as run_to_end};
use crate::{giornata, workers};

/// From the repository's folder on.
const SAMPLES: &str = "examples/samples";
/// Most lines of code that a sample may have: sources, programs and system file, without
/// blank lines and comments.
const MOST_LINES: usize = 80;
/// What a sample is built with; the same for all.
const BUILD: [&str; 2] = ["Cargo.toml", "build.rs"];
/// How lines of comment begin, by the ending of the file.
const COMMENTS: [(&str, &str); 7] = [
    ("rs", "//"),
    ("c", "/*"),
    ("cpp", "/*"),
    ("h", "/*"),
    ("giotto", "//"),
    ("psi", "//"),
    ("toml", "#"),
];

/// Compares the run of each sample with its transcript, and finds its sources formatted,
/// without a warning and short, and its page there.
pub(crate) fn check() -> Result<String> {
    let folder = root().join(SAMPLES);
    let manifest = folder.join("Cargo.toml");
    let program = giornata::program()?;
    run_to_end(
        cargo()
            .args(["fmt", "--all", "--check", "--manifest-path"])
            .arg(&manifest),
    )?;
    let samples = samples(&folder)?;
    ensure!(!samples.is_empty(), "there is no sample in {SAMPLES}");
    let tested = workers::each(&samples, |sample| test(&program, sample));
    let failed: Vec<String> = tested
        .into_iter()
        .filter_map(|outcome| Some(format!("{:#}", outcome.err()?)))
        .collect();
    if !failed.is_empty() {
        bail!("{}", failed.join("\n"));
    }
    run_to_end(
        cargo()
            .args(["clippy", "--quiet", "--workspace", "--all-targets"])
            .arg("--manifest-path")
            .arg(&manifest)
            .env("CARGO_TARGET_DIR", target_folder())
            .env("GIORNATA", &program)
            .args(["--", "-Dwarnings"]),
    )?;
    Ok(format!("{} samples", samples.len()))
}

/// The folders with a system file, by name.
fn samples(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries = fs::read_dir(folder).with_context(|| folder.display().to_string())?;
    let folders = entries.flatten().map(|entry| entry.path());
    let mut samples: Vec<PathBuf> = folders
        .filter(|path| path.join("system.toml").is_file())
        .collect();
    samples.sort();
    Ok(samples)
}

fn test(program: &Path, sample: &Path) -> Result<()> {
    let name = sample.file_name().unwrap_or_default().to_string_lossy();
    ensure!(
        sample.join("README.md").is_file(),
        "{name}: there is no README.md"
    );
    let lines = lines(sample)?;
    ensure!(
        lines <= MOST_LINES,
        "{name} has {lines} lines of code, a sample has {MOST_LINES} at most"
    );
    let mut command = Command::new(program);
    command.arg("test").arg(sample.join("system.toml"));
    capture(&mut command).with_context(|| name.into_owned())?;
    Ok(())
}

/// Lines of code of a folder and those in it.
fn lines(folder: &Path) -> Result<usize> {
    let mut sum = 0;
    for entry in fs::read_dir(folder).with_context(|| folder.display().to_string())? {
        let path = entry?.path();
        if path.is_dir() && !path.ends_with("target") {
            sum += lines(&path)?;
        } else if !BUILD.iter().any(|name| path.ends_with(name)) {
            let ending = path.extension().unwrap_or_default();
            let Some((_, comment)) = COMMENTS.iter().find(|(of, _)| ending == *of) else {
                continue;
            };
            let text = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
            let lines = text.lines().map(str::trim);
            let is_code = |line: &&str| !line.is_empty() && !line.starts_with(comment);
            sum += lines.filter(is_code).count();
        }
    }
    Ok(sum)
}
