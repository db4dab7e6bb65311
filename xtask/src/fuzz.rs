//! `./x fuzz`: the fuzz targets of tests/fuzz, run by libFuzzer.
//!
//! The targets are binaries `fuzz-NAME`. They are built with coverage counters
//! and with debug assertions; seeds lie in tests/fuzz/seeds/NAME.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use clap::Args;

use crate::Verdict;
use crate::crates::{root, target_folder};
use crate::process::{capture, cargo, check};
use crate::size::executables;

const PACKAGE: &str = "giornata-fuzz";
const PREFIX: &str = "fuzz-";
/// The counters that guide libFuzzer.
const FLAGS: &str = "-Cpasses=sancov-module \
    -Cllvm-args=-sanitizer-coverage-level=4 \
    -Cllvm-args=-sanitizer-coverage-inline-8bit-counters \
    -Cllvm-args=-sanitizer-coverage-pc-table \
    -Cllvm-args=-sanitizer-coverage-trace-compares \
    -Ccodegen-units=1 --cfg fuzzing";
/// Inputs of the short form, and its seed.
pub(crate) const RUNS: u32 = 20_000;
const SEED: u32 = 20_261_120;

/// `./x fuzz [TARGET] [--seconds N]`
#[derive(Debug, Args)]
pub(crate) struct Options {
    /// The target; without one all are listed.
    target: Option<String>,
    /// How long; without it the short form of `./x test`.
    #[arg(long)]
    seconds: Option<u32>,
}

/// How long a target runs.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Length {
    /// A fixed seed and a fixed count: the same inputs each time.
    Short,
    /// A fresh seed and so many seconds.
    Seconds(u32),
}

/// A fuzz target.
#[derive(Clone, Debug)]
pub(crate) struct Target {
    pub(crate) name: String,
    binary: PathBuf,
}

/// Lists the targets, or runs one.
pub(crate) fn run(options: &Options) -> Result<Verdict> {
    let targets = build()?;
    let Some(name) = &options.target else {
        targets
            .iter()
            .for_each(|target| println!("{}", target.name));
        return Ok(Verdict::Good);
    };
    let Some(target) = targets.iter().find(|target| target.name == *name) else {
        let names: Vec<&str> = targets.iter().map(|target| target.name.as_str()).collect();
        bail!(
            "there is no fuzz target `{name}`; there are: {}",
            names.join(", ")
        );
    };
    match target.run(options.seconds.map_or(Length::Short, Length::Seconds)) {
        Ok(()) => Ok(Verdict::Good),
        Err(finding) => {
            println!("{finding:#}");
            Ok(Verdict::Negative)
        }
    }
}

/// Builds all targets.
pub(crate) fn build() -> Result<Vec<Target>> {
    // With a target named, what runs while building is not instrumented.
    let json = capture(
        cargo()
            .args([
                "build",
                "--package",
                PACKAGE,
                "--bins",
                "--target",
                &host()?,
            ])
            .args([
                "--message-format",
                "json-render-diagnostics",
                "--config",
                "profile.dev.opt-level=2",
            ])
            .arg("--target-dir")
            .arg(target_folder().join("fuzz"))
            .env("RUSTFLAGS", FLAGS),
    )?;
    let mut targets: Vec<Target> = executables(&json).into_iter().filter_map(target).collect();
    targets.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(targets)
}

fn target(binary: PathBuf) -> Option<Target> {
    let name = binary
        .file_name()?
        .to_str()?
        .strip_prefix(PREFIX)?
        .to_string();
    Some(Target { name, binary })
}

fn host() -> Result<String> {
    let mut rustc = Command::new(std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()));
    let text = capture(rustc.arg("-vV").current_dir(root()))?;
    let host = text.lines().find_map(|line| line.strip_prefix("host: "));
    Ok(host.context("rustc does not name its host")?.to_string())
}

impl Target {
    /// Runs the target.
    ///
    /// # Errors
    /// A finding: with libFuzzer's report and the file that reproduces it.
    pub(crate) fn run(&self, length: Length) -> Result<()> {
        let work = target_folder().join("fuzz").join(&self.name);
        let corpus = self.corpus(&work, length)?;
        let mut command = Command::new(&self.binary);
        // libFuzzer writes what it finds into the first folder: never the seeds.
        command.current_dir(root()).arg(corpus);
        let seeds = root().join("tests/fuzz/seeds").join(&self.name);
        if seeds.is_dir() {
            command.arg(seeds);
        }
        command.arg(format!("-artifact_prefix={}/", work.display()));
        command.args([
            "-timeout=20",
            "-rss_limit_mb=4096",
            "-print_final_stats=1",
            "-max_len=8192",
        ]);
        match length {
            Length::Short => command.args([format!("-runs={RUNS}"), format!("-seed={SEED}")]),
            Length::Seconds(seconds) => command.arg(format!("-max_total_time={seconds}")),
        };
        check(&mut command)
    }

    /// Where new inputs are kept: fresh for the short form, which is to run the
    /// same inputs each time; grown from run to run for the long one.
    fn corpus(&self, work: &Path, length: Length) -> Result<PathBuf> {
        let corpus = match length {
            Length::Short => work.join("short"),
            Length::Seconds(_) => work.join("corpus"),
        };
        if matches!(length, Length::Short) && corpus.exists() {
            std::fs::remove_dir_all(&corpus).context("the last corpus")?;
        }
        std::fs::create_dir_all(&corpus).context("the corpus")?;
        Ok(corpus)
    }
}
