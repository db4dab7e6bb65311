//! The stages of `./x test`, in the order in which they run: cheap ones first,
//! then what later ones build upon.

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, Write};
use std::process::Command;
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, anyhow, bail};
use giornata_system::Board;
use giornata_trace::first_difference;

use crate::crates::{
    self, BOARDS, CHIPS, IMAGE, PORTABLE, Package, SECOND_TARGET, root, selection, target_folder,
};
use crate::fuzz::{self, Length, Outcome, Target};
use crate::process::{capture, cargo, cargo_for_all, check, describe, example};
use crate::suite::Findings;
use crate::test::Extent;
use crate::{
    Verdict, bench, bounds, conversation, coverage, debugger, decisions, docs, libraries, miri,
    project, promises, run, samples, size, suite, workers,
};
use giornata_launch::image::build;
use giornata_launch::run::How;

/// One stage.
#[derive(Debug)]
pub(crate) struct Stage {
    /// Its name on the command line.
    pub(crate) name: &'static str,
    /// What it shows.
    pub(crate) what: &'static str,
    /// Runs it; a note on success, what went wrong otherwise.
    pub(crate) run: fn(Extent<'_>) -> Result<String>,
}

/// Random cases a property in the long form of the unit tests.
const FULL_CASES: &str = "4096";

/// Releases of the drift stage in the short and in the long form.
const DRIFT: [&str; 2] = ["2000000", "1000000000"];

/// Stages of the long form, unless they are named: all tests run anew there, in
/// other code; programs that nothing else needs; an interpreter, whose few tests in the short
/// form take longer to compile than to run, of crates that forbid unsafe code; and inputs by a
/// fixed seed, for which everything is compiled once more (`./x soak` explores).
pub(crate) const LONG: [&str; 4] = ["coverage", "editors", "fuzz", "miri"];

/// All stages.
pub(crate) const ALL: &[Stage] = &[
    Stage {
        name: "format",
        what: "every file is formatted",
        run: format,
    },
    Stage {
        name: "lint",
        what: "no warning on the host",
        run: lint_host,
    },
    Stage {
        name: "lint-bare",
        what: "no warning on the bare targets",
        run: lint_bare,
    },
    Stage {
        name: "portable",
        what: "the kernel's core and the tools for microcode build for a second architecture",
        run: portable,
    },
    Stage {
        name: "unit",
        what: "unit and property tests on the host",
        run: unit,
    },
    Stage {
        name: "editors",
        what: "rust-analyzer and clangd find no error in a project of one's own",
        run: editors,
    },
    Stage {
        name: "drift",
        what: "every release lies at its exact instant, a thousand million of them in the long form",
        run: drift,
    },
    Stage {
        name: "size",
        what: "the release kernel links without a panic and fits its budget",
        run: kernel_size,
    },
    Stage {
        name: "bounds",
        what: "every entry into the kernel has a bound, which nothing measured exceeds",
        run: kernel_bounds,
    },
    Stage {
        name: "target",
        what: "target suites in QEMU, against golden files",
        run: target,
    },
    Stage {
        name: "project",
        what: "a project outside of the repository is made, run and tested by the command alone; in the long form by an installed one",
        run: users_project,
    },
    Stage {
        name: "libraries",
        what: "C libraries of a package registry are built unchanged, and pass their own tests",
        run: libraries,
    },
    Stage {
        name: "samples",
        what: "each sample does what its transcript says, without a warning",
        run: samples_run,
    },
    Stage {
        name: "docs",
        what: "links lead somewhere, and a new user who follows the book comes where it says; in the long form the book is built",
        run: book,
    },
    Stage {
        name: "bench",
        what: "operations of the kernel in QEMU within their budgets, in instructions",
        run: operations,
    },
    Stage {
        name: "rtl",
        what: "the chip in simulation, and a few suites and a short flight on both its cores",
        run: rtl,
    },
    Stage {
        name: "rtm",
        what: "the task manager in hardware is its model, by induction with few records and by random commands with many; the kernel on it decides as without",
        run: rtm,
    },
    Stage {
        name: "foreign-kernels",
        what: "two kernels in C keep what they promise, and the channels of those and of Giornata the golden vectors, with the task manager and without",
        run: foreign_kernels,
    },
    Stage {
        name: "repeat",
        what: "two runs give the same output and trace file",
        run: repeat,
    },
    Stage {
        name: "promises",
        what: "the example keeps its windows, its servos' instants and the simulator's port trace",
        run: promises,
    },
    Stage {
        name: "hostlink",
        what: "the host tool changes programs of a machine in flight, over a socket; in the long form of a chip, over its UART",
        run: hostlink,
    },
    Stage {
        name: "debug",
        what: "gdb on a terminal says what docs/debug.md says: breakpoints, threads, a dump",
        run: debug,
    },
    Stage {
        name: "fuzz",
        what: "fuzz targets by fixed seed and count",
        run: fuzz,
    },
    Stage {
        name: "coverage",
        what: "line coverage of the crates that promise one",
        run: line_coverage,
    },
    Stage {
        name: "miri",
        what: "no undefined behaviour in queue, core, micro and microcode",
        run: miri::run,
    },
];

fn format(_: Extent<'_>) -> Result<String> {
    check(cargo().args(["fmt", "--all", "--check"]))?;
    Ok(String::new())
}

fn lint_host(_: Extent<'_>) -> Result<String> {
    check(cargo().args([
        "clippy",
        "--quiet",
        "--workspace",
        "--all-targets",
        "--",
        "-Dwarnings",
    ]))?;
    Ok(format!("{} crates", crates::all()?.len()))
}

/// The configuration of which others are parts, and the one that is part of all.
const EVERYTHING: &str = "all";
/// See `EVERYTHING`.
const NOTHING_MORE: &str = "es";

fn lint_bare(_: Extent<'_>) -> Result<String> {
    let packages = crates::all()?;
    let mut targets = BTreeSet::new();
    for board in BOARDS.into_iter().chain(CHIPS) {
        let board = Board::named(board, root()).map_err(|refusal| anyhow!("{refusal:?}"))?;
        for config in [NOTHING_MORE, EVERYTHING] {
            let mut command = cargo();
            command.env("GIORNATA_BOARD", &board.name);
            let features = board.features_of(config);
            let features: Vec<String> = features.map(|f| format!("{IMAGE}/{f}")).collect();
            command.args(["clippy", "--no-default-features"]);
            command.args(["--features", &features.join(",")]);
            lint(command, &packages, &board.kernel_target, Package::is_kernel)?;
        }
        targets.insert(board.target);
    }
    for target in &targets {
        let mut command = cargo();
        command.arg("clippy");
        lint(command, &packages, target, Package::is_user)?;
    }
    let targets: Vec<String> = targets.into_iter().collect();
    Ok(format!(
        "the kernel for {}, {}, processes for {}",
        BOARDS.join(", "),
        CHIPS.join(", "),
        targets.join(", ")
    ))
}

fn lint(
    mut command: Command,
    packages: &[Package],
    target: &str,
    belongs: fn(&Package) -> bool,
) -> Result<()> {
    let own = packages.iter().filter(|package| belongs(package));
    command
        .args(["--quiet", "--release", "--target", target])
        .args(selection(own.map(|package| package.name.as_str())))
        .args(["--", "-Dwarnings"]);
    check(&mut command)
}

fn portable(_: Extent<'_>) -> Result<String> {
    check(
        cargo()
            .args(["build", "--quiet", "--target", SECOND_TARGET])
            .args(selection(PORTABLE)),
    )?;
    Ok(format!("{} crates for {SECOND_TARGET}", PORTABLE.len()))
}

fn unit(extent: Extent<'_>) -> Result<String> {
    let mut command = cargo_for_all("test");
    command.arg("--no-fail-fast");
    if extent.full {
        command
            .env("PROPTEST_CASES", FULL_CASES)
            .env("GIORNATA_LONG", "1");
    } else {
        // The same cases each time; the long form explores.
        command.env("PROPTEST_RNG_SEED", "1");
    }
    Ok(format!("{} tests", tests_passed(&mut command)?))
}

/// Runs tests and counts them; what they said, both streams, if one fails.
pub(crate) fn tests_passed(command: &mut Command) -> Result<u32> {
    let output = command.output().with_context(|| describe(command))?;
    let text = String::from_utf8_lossy(&output.stdout);
    if !output.status.success() {
        bail!("{text}{}", String::from_utf8_lossy(&output.stderr));
    }
    Ok(count_passed(&text))
}

/// The sum over all `test result: ok. N passed` lines.
pub(crate) fn count_passed(text: &str) -> u32 {
    let count = |line: &str| {
        line.strip_prefix("test result: ok. ")?
            .split(' ')
            .next()?
            .parse::<u32>()
            .ok()
    };
    text.lines().filter_map(count).sum()
}

/// Its tests are ignored elsewhere: they need programs that only people with an editor have.
fn editors(_: Extent<'_>) -> Result<String> {
    let mut command = cargo_for_all("test");
    command.args(["--test", "editors"]);
    let text = capture(command.args(["--", "--include-ignored"]))?;
    Ok(format!("{} tests", count_passed(&text)))
}

/// Releases in virtual time on a timer whose rate divides nothing.
fn drift(extent: Extent<'_>) -> Result<String> {
    // (to build it for a release takes longer than the short form)
    let mut command = Command::new(example("drift", extent.full)?);
    command.args(["--releases", DRIFT[usize::from(extent.full)]]);
    Ok(capture(&mut command)?.trim().to_string())
}

fn kernel_size(_: Extent<'_>) -> Result<String> {
    let (lines, within) = size::check()?;
    let text = lines.join("\n");
    if !within {
        bail!("{text}");
    }
    Ok(format!("\n{text}"))
}

fn kernel_bounds(extent: Extent<'_>) -> Result<String> {
    let (lines, complaints) = bounds::check(extent.full)?;
    if !complaints.is_empty() {
        bail!("{}", complaints.join("\n"));
    }
    Ok(format!("\n{}", lines.join("\n")))
}

fn target(extent: Extent<'_>) -> Result<String> {
    let findings = suite::run(extent)?;
    judged(&findings)
}

/// How many systems have run, and what there is to note; fails if a suite complains.
fn judged(findings: &Findings) -> Result<String> {
    refuse(findings)?;
    let notes = findings.notes.iter().map(|note| format!("\n{note}"));
    let notes: String = notes.collect();
    Ok(format!("{} systems{notes}", findings.cases))
}

/// Fails if a suite complains.
fn refuse(findings: &Findings) -> Result<()> {
    let complaints = &findings.complaints;
    if complaints.is_empty() {
        return Ok(());
    }
    bail!(
        "{} of {} systems:\n{}",
        complaints.len(),
        findings.cases,
        complaints.join("\n")
    );
}

fn samples_run(_: Extent<'_>) -> Result<String> {
    samples::check()
}

fn users_project(extent: Extent<'_>) -> Result<String> {
    project::check(extent.full)
}

fn book(extent: Extent<'_>) -> Result<String> {
    docs::check(extent.full)
}

fn operations(extent: Extent<'_>) -> Result<String> {
    bench::check_quickly(extent.bless)
}

/// The tests of the task manager in hardware.
const TASK_MANAGER: [&str; 4] = ["commands", "proofs", "refusals", "synthesis"];

fn rtm(extent: Extent<'_>) -> Result<String> {
    let mut command = cargo_for_all("test");
    command
        .args(TASK_MANAGER.iter().flat_map(|test| ["--test", test]))
        .args(["--", "--include-ignored"]);
    if extent.full {
        command
            .env("PROPTEST_CASES", FULL_CASES)
            .env("GIORNATA_LONG", "1");
    } else {
        command.env("PROPTEST_RNG_SEED", "1");
    }
    let tests = tests_passed(&mut command)?;
    let path = target_folder().join("tmp/rtm-coverage.txt");
    let coverage = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
    let decisions = decisions::check(extent)?;
    Ok(format!("{tests} tests, {coverage}, {decisions}"))
}

fn foreign_kernels(_: Extent<'_>) -> Result<String> {
    bench::check_foreign_kernels()
}

fn rtl(extent: Extent<'_>) -> Result<String> {
    if !extent.cases.is_empty() {
        return judged(&suite::run_short(extent)?);
    }
    let mut command = cargo_for_all("test");
    command.args(["--test", "smoke", "--", "--ignored"]);
    let checks = tests_passed(&mut command)?;
    let systems = judged(&suite::run_short(extent)?)?;
    let flight = promises::check_chips()?;
    Ok(format!("{checks} checks, {flight}, {systems}"))
}

fn repeat(_: Extent<'_>) -> Result<String> {
    let flown: Result<Vec<_>> = workers::each(&["first", "second"], |name| fly_once(name))
        .into_iter()
        .collect();
    let flown = flown?;
    let [(first, first_trace), (second, second_trace)] = &flown[..] else {
        bail!("two flights");
    };
    if let Some(place) = difference(first, second) {
        bail!("the output differs: {place}");
    }
    if let Some(place) = difference(first_trace, second_trace) {
        bail!("the trace files differ: {place}");
    }
    Ok(first.lines().last().unwrap_or_default().to_string())
}

/// Takes what is written to it, the first of it after a pause.
struct Dawdler(Duration, Vec<u8>);

impl Write for Dawdler {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        thread::sleep(std::mem::take(&mut self.0));
        self.1.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The first line in which two texts differ, as each has it.
fn difference(one: &str, other: &str) -> Option<String> {
    let lines = |text| str::split_inclusive(text, '\n').collect::<Vec<_>>();
    let (one, other) = (lines(one), lines(other));
    let at = first_difference(&one, &other)?;
    let line = |lines: &[&str]| {
        let line = lines.get(at).unwrap_or(&"(the end)");
        line.trim_end_matches('\n').to_string()
    };
    Some(format!(
        "line {}:\n{}\n--- and then ---\n{}",
        at + 1,
        line(&one),
        line(&other)
    ))
}

/// Builds and flies the default system as `./x run` does; output and trace file.
fn fly_once(name: &str) -> Result<(String, String)> {
    let trace = target_folder().join(format!("repeat-{name}.json"));
    let how = How {
        trace: Some(trace.clone()),
        ..How::plain(giornata_abi::Duration::from_millis(10_000))
    };
    // a folder of its own: nobody writes an image that another flies
    let board = (name == "second").then_some(BOARDS[0]);
    let image = build(&run::find(run::DEFAULT)?, board, how.length)?;
    // a machine does not feel how fast it is read
    let pause = match name {
        "second" => Duration::from_secs(2),
        _ => Duration::ZERO,
    };
    let mut out = Dawdler(pause, Vec::new());
    let verdict = giornata_launch::run::tell(run::DEFAULT, &how, &image, &mut out)?;
    let out = String::from_utf8(out.1).context("the output is text")?;
    if verdict != Verdict::Good {
        bail!("the flight is not good:\n{out}");
    }
    let trace = std::fs::read_to_string(&trace).context("the trace file")?;
    Ok((out, trace))
}

fn debug(_: Extent<'_>) -> Result<String> {
    debugger::check()
}

fn hostlink(extent: Extent<'_>) -> Result<String> {
    let (boards, chips) = match extent.full {
        false => (&BOARDS[..1], &[][..]),
        true => (&BOARDS[..], &["rtl-pmp"][..]),
    };
    conversation::check(boards, chips)
}

fn libraries(_: Extent<'_>) -> Result<String> {
    libraries::check()
}

fn promises(_: Extent<'_>) -> Result<String> {
    promises::check()
}

fn fuzz(_: Extent<'_>) -> Result<String> {
    let targets = fuzz::build()?;
    let outcomes = fuzz::run_all(&targets, Length::Short, |_, _| ())?;
    let finding = |(target, outcome): (&Target, Outcome)| {
        Some(format!("{}: {}", target.name, outcome.finding?))
    };
    let findings: Vec<String> = targets.iter().zip(outcomes).filter_map(finding).collect();
    if !findings.is_empty() {
        bail!("{}", findings.join("\n"));
    }
    let inputs = |target: &Target| format!("{} inputs of {}", target.runs(), target.name);
    let inputs: Vec<String> = targets.iter().map(inputs).collect();
    Ok(inputs.join(", "))
}

fn line_coverage(_: Extent<'_>) -> Result<String> {
    let (lines, enough) = coverage::measure()?;
    let text = lines.join("\n");
    if !enough {
        bail!("{text}");
    }
    Ok(format!("\n{text}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passed_tests_are_summed_over_all_binaries() {
        let text = "running 2 tests\n..\ntest result: ok. 2 passed; 0 failed; 0 ignored\n\n\
                    test result: ok. 40 passed; 0 failed; 0 ignored\n";
        assert_eq!(count_passed(text), 42);
    }

    #[test]
    fn a_difference_is_told_by_its_line() {
        assert_eq!(difference("a\nb\n", "a\nb\n"), None);
        let told = difference("a\nb\nc\n", "a\nx\nc\n");
        assert_eq!(told.as_deref(), Some("line 2:\nb\n--- and then ---\nx"));
        let told = difference("a\n", "a\nb\n");
        assert_eq!(
            told.as_deref(),
            Some("line 2:\n(the end)\n--- and then ---\nb")
        );
        assert!(difference("a", "a\n").is_some());
    }

    #[test]
    fn stages_have_names_of_their_own() {
        let mut names: Vec<&str> = ALL.iter().map(|stage| stage.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), ALL.len());
    }
}
