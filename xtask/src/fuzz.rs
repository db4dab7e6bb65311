//! `./x fuzz`: the fuzz targets of tests/fuzz, run by libFuzzer.
//!
//! The targets are binaries `fuzz-NAME`. They are built with coverage counters
//! and with debug assertions; seeds lie in tests/fuzz/seeds/NAME.

use std::fmt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use clap::Args;

use crate::crates::{root, target_folder};
use crate::process::{capture, cargo, describe, executables};

use crate::Verdict;
use crate::workers;

const PACKAGE: &str = "giornata-fuzz";
const PREFIX: &str = "fuzz-";
/// The counters that guide libFuzzer.
const FLAGS: &str = "-Cpasses=sancov-module \
    -Cllvm-args=-sanitizer-coverage-level=4 \
    -Cllvm-args=-sanitizer-coverage-inline-8bit-counters \
    -Cllvm-args=-sanitizer-coverage-pc-table \
    -Cllvm-args=-sanitizer-coverage-trace-compares \
    -Ccodegen-units=1 --cfg fuzzing";
/// Inputs of the short form, fewer where each is a conversation or more, and its seed.
const RUNS: u32 = 20_000;
const SLOW: [(&str, u32); 3] = [("hostlink", 2_000), ("calls", 5_000), ("trace", 5_000)];
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

/// What a run of a target did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Outcome {
    /// Inputs executed.
    executed: u64,
    /// Those of them that reached something new, kept in the corpus.
    added: u64,
    /// libFuzzer's report, which names the file that reproduces it; libFuzzer
    /// stops at the first.
    pub(crate) finding: Option<String>,
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let findings = match self.finding {
            None => "no finding",
            Some(_) => "1 FINDING",
        };
        let (executed, added) = (self.executed, self.added);
        write!(
            f,
            "{executed:>10} inputs executed, {added:>6} new units, {findings}"
        )
    }
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
    let outcome = target.run(options.seconds.map_or(Length::Short, Length::Seconds))?;
    println!("{:<8} {outcome}", target.name);
    let Some(finding) = outcome.finding else {
        return Ok(Verdict::Good);
    };
    println!("{finding}");
    Ok(Verdict::Negative)
}

/// Runs targets side by side. Tells of each as it ends; the outcomes come in the
/// order of the targets.
///
/// # Errors
/// A target cannot be run.
pub(crate) fn run_all(
    targets: &[Target],
    length: Length,
    tell: impl Fn(&Target, &Outcome) + Sync,
) -> Result<Vec<Outcome>> {
    let run = |target: &Target| {
        let outcome = target.run(length)?;
        tell(target, &outcome);
        Ok(outcome)
    };
    workers::each(targets, run).into_iter().collect()
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
                "--features",
                "libfuzzer",
                "--target",
                &host()?,
            ])
            .args(["--message-format", "json-render-diagnostics"])
            .arg("--target-dir")
            .arg(target_folder().join("fuzz"))
            .env("RUSTFLAGS", FLAGS)
            // they run far longer than they take to compile
            .env("CARGO_PROFILE_DEV_OPT_LEVEL", "1"),
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
    /// Inputs of its short form.
    pub(crate) fn runs(&self) -> u32 {
        let slow = SLOW.iter().find(|(name, _)| *name == self.name);
        slow.map_or(RUNS, |(_, runs)| *runs)
    }

    /// Runs the target.
    ///
    /// # Errors
    /// It cannot be run.
    pub(crate) fn run(&self, length: Length) -> Result<Outcome> {
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
            Length::Short => {
                command.args([format!("-runs={}", self.runs()), format!("-seed={SEED}")])
            }
            Length::Seconds(seconds) => command.arg(format!("-max_total_time={seconds}")),
        };
        let output = command
            .stdin(Stdio::null())
            .output()
            .with_context(|| describe(&command))?;
        let report = String::from_utf8_lossy(&output.stderr);
        Ok(Outcome {
            executed: statistic(&report, "number_of_executed_units"),
            added: statistic(&report, "new_units_added"),
            finding: (!output.status.success())
                .then(|| format!("{} ({})\n{report}", describe(&command), output.status)),
        })
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

/// A number of libFuzzer's final statistics; 0 if it was not printed.
fn statistic(report: &str, name: &str) -> u64 {
    let number = |line: &str| {
        let rest = line.strip_prefix("stat::")?.strip_prefix(name)?;
        rest.strip_prefix(':')?.trim().parse().ok()
    };
    report.lines().find_map(number).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Mutex;

    #[test]
    fn statistics_are_read_by_their_names() {
        let report = "Done 20000 runs in 3 second(s)\n\
                      stat::number_of_executed_units: 20000\n\
                      stat::new_units_added:          815\n";
        assert_eq!(statistic(report, "number_of_executed_units"), 20_000);
        assert_eq!(statistic(report, "new_units_added"), 815);
        assert_eq!(statistic(report, "new_units"), 0);
    }

    fn shell(name: &str) -> Target {
        // `true` and `false` take any arguments.
        Target {
            name: format!("test-of-{name}"),
            binary: PathBuf::from(name),
        }
    }

    #[test]
    fn outcomes_come_in_the_order_of_the_targets_and_a_failure_is_a_finding() {
        let targets = ["false", "true", "false"].map(shell);
        let told = Mutex::new(0);
        let count = |_: &Target, _: &Outcome| *told.lock().unwrap() += 1;
        let outcomes = run_all(&targets, Length::Short, count).unwrap();
        let found: Vec<bool> = outcomes.iter().map(|o| o.finding.is_some()).collect();
        assert_eq!(found, [true, false, true]);
        assert_eq!(told.into_inner().unwrap(), 3);
    }

    #[test]
    fn a_target_that_cannot_be_run_is_an_error() {
        assert!(run_all(&[shell("no-such-program")], Length::Short, |_, _| ()).is_err());
    }
}
