//! The stages of `./x test`, in the order in which they begin: cheap ones first, then what
//! compiles for others, then long ones, so that none is left alone at the end.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result, bail};
use serde::Deserialize;

use crate::changes::{Crates, Inputs};
use crate::crates::{self, PORTABLE, SECOND_TARGET, root, selection, target_folder};
use crate::fuzz::{self, Length, Outcome, Target};
use crate::process::{capture, cargo, cargo_for_all, check, describe, example};
use crate::test::Extent;
use crate::{
    changes, coverage, debugger, decisions, docs, giornata, harts, libraries, lint, miri, project,
    samples,
};

/// One stage.
#[derive(Debug)]
pub(crate) struct Stage {
    /// Its name on the command line.
    pub(crate) name: &'static str,
    /// What it shows.
    pub(crate) what: &'static str,
    /// Runs it; a note on success, what went wrong otherwise.
    pub(crate) run: fn(&Extent) -> Result<String>,
    /// What it depends on.
    pub(crate) inputs: Inputs,
    /// Stages that have ended when it begins: they compile what it takes too, so that each
    /// time the same one pays for that.
    pub(crate) after: &'static [&'static str],
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

/// What is made of the crates of the workspace alone.
const RUST: Inputs = Inputs {
    crates: Crates::All,
    folders: &[],
    without: &[],
};

/// What builds systems and runs them in QEMU.
const fn emulated(folders: &'static [&'static str]) -> Inputs {
    Inputs {
        crates: Crates::These(&["giornata-cli", "giornata-image", "giornata-suites"]),
        folders,
        // (the chip in simulation, which the tool runs systems on as well)
        without: &["hw"],
    }
}

/// All stages.
pub(crate) const ALL: &[Stage] = &[
    Stage {
        name: "format",
        what: "every file is formatted",
        run: format,
        inputs: RUST,
        after: &[],
    },
    Stage {
        name: "build",
        what: "what runs on the host compiles: programs, examples and tests",
        run: build,
        inputs: RUST,
        after: &[],
    },
    Stage {
        name: "lint",
        what: "no warning on the host",
        run: lint::host,
        inputs: RUST,
        after: &["build"],
    },
    Stage {
        name: "lint-bare",
        what: "no warning on the bare targets",
        run: lint::bare,
        inputs: Inputs {
            crates: Crates::These(&["giornata-image"]),
            folders: &[
                "bench",
                "boards",
                "examples",
                "microcode",
                "tests/target",
                "user",
            ],
            without: &["bench/run", "bench/src"],
        },
        after: &[],
    },
    Stage {
        name: "unit",
        what: "unit and property tests on the host",
        run: unit,
        inputs: Inputs::ANYTHING,
        after: &["build"],
    },
    Stage {
        name: "target",
        what: "target suites in QEMU, against golden files",
        run: target,
        inputs: emulated(&["boards", "examples", "tests/target", "user"]),
        after: &["build"],
    },
    Stage {
        name: "rtl",
        what: "the chip in simulation, with one hart and with several, and a few suites and a short flight on its cores",
        run: rtl,
        inputs: Inputs {
            without: &[],
            ..emulated(&["boards", "examples", "hw", "tests/target", "user"])
        },
        after: &["build"],
    },
    Stage {
        name: "rtm",
        what: "the task manager in hardware is its model, by induction with few records and by random commands with many; the kernel on it decides as without",
        run: rtm,
        inputs: Inputs {
            crates: Crates::These(&["giornata-host", "giornata-rtm"]),
            folders: &["hw/rtm"],
            without: &[],
        },
        after: &["build"],
    },
    Stage {
        name: "harts",
        what: "the kernel on several harts: its tests with one that takes events and one that runs threads, random calls on up to eight, and systems on four that come to what they come to on one",
        run: harts::check,
        inputs: Inputs {
            crates: Crates::These(&["giornata-cli", "giornata-host", "giornata-image"]),
            folders: &[
                "boards",
                "examples/autopilot",
                "examples/flight-control",
                "tests/target/bystander",
                "tests/target/harts",
                "user",
            ],
            without: &["hw"],
        },
        after: &["build"],
    },
    Stage {
        name: "size",
        what: "the release kernel links without a panic and fits its budget",
        run: kernel_size,
        inputs: Inputs {
            crates: Crates::These(&["giornata-image", "giornata-measure"]),
            folders: &["boards", "kernel"],
            without: &["bench", "bounds", "hw"],
        },
        after: &["build"],
    },
    Stage {
        name: "bounds",
        what: "every entry into the kernel has a bound, which nothing measured exceeds",
        run: kernel_bounds,
        inputs: Inputs {
            crates: Crates::These(&["giornata-image", "giornata-measure"]),
            folders: &[
                "bench/run/src/bounds",
                "boards",
                "examples",
                "kernel",
                "tests/target",
                "user",
            ],
            without: &["hw"],
        },
        after: &["size", "target"],
    },
    Stage {
        name: "foreign-kernels",
        what: "two kernels in C keep what they promise, and the channels of those and of Giornata the golden vectors, with the task manager and without",
        run: foreign_kernels,
        inputs: Inputs {
            crates: Crates::These(&["giornata-image", "giornata-measure"]),
            folders: &["bench/rtm", "boards", "hw", "user"],
            without: &["bounds"],
        },
        after: &["rtl", "target"],
    },
    Stage {
        name: "promises",
        what: "the example keeps its windows, its servos' instants and the simulator's port trace",
        run: promises,
        inputs: Inputs {
            crates: Crates::These(&["giornata-image", "giornata-measure", "giornata-sim"]),
            folders: &[
                "bench/promises",
                "boards",
                "examples",
                "tests/target/modules",
                "user",
            ],
            without: &["bench/rtm", "bounds", "hw"],
        },
        after: &["target"],
    },
    Stage {
        name: "project",
        what: "a project outside of the repository is made, run and tested by the command alone; in the long form by an installed one",
        run: users_project,
        inputs: emulated(&["boards", "cli/templates", "user"]),
        after: &["target"],
    },
    Stage {
        name: "libraries",
        what: "C libraries of a package registry are built unchanged, and pass their own tests",
        run: libraries,
        inputs: emulated(&["boards", "tests/libraries", "user"]),
        after: &["project"],
    },
    Stage {
        name: "samples",
        what: "each sample does what its transcript says, without a warning",
        run: samples_run,
        inputs: emulated(&["boards", "examples/samples", "user"]),
        after: &["target"],
    },
    Stage {
        name: "docs",
        what: "links lead somewhere, and a new user who follows the book comes where it says; in the long form the book is built",
        run: book,
        inputs: emulated(&["*.md", "docs", "user"]),
        after: &["project"],
    },
    Stage {
        name: "bench",
        what: "operations of the kernel in QEMU within their budgets, in instructions",
        run: operations,
        inputs: Inputs {
            crates: Crates::These(&["giornata-image", "giornata-measure"]),
            folders: &["bench", "boards", "user"],
            without: &["bench/rtm", "bounds", "hw"],
        },
        after: &["target"],
    },
    Stage {
        name: "repeat",
        what: "two runs give the same output and trace file",
        run: repeat,
        inputs: emulated(&["boards", "examples/flight-control", "user"]),
        after: &["target"],
    },
    Stage {
        name: "capacities",
        what: "a bystander in QEMU feels nothing of how much one process was given; in the long form of everything",
        run: capacities,
        inputs: emulated(&["boards", "tests/capacities", "user"]),
        after: &["target"],
    },
    Stage {
        name: "hostlink",
        what: "the host tool changes programs of a machine in flight, over a socket; in the long form of a chip, over its UART",
        run: hostlink,
        inputs: emulated(&[
            "boards",
            "examples/flight-control",
            "tests/target/hostlink",
            "user",
        ]),
        after: &["target"],
    },
    Stage {
        name: "debug",
        what: "gdb on a terminal says what docs/debug.md says: breakpoints, threads, a dump",
        run: debug,
        inputs: emulated(&[
            "boards",
            "docs/debug.md",
            "launch/gdb",
            "tests/debug",
            "user",
        ]),
        after: &["target"],
    },
    Stage {
        name: "drift",
        what: "every release lies at its exact instant, a thousand million of them in the long form",
        run: drift,
        inputs: Inputs {
            crates: Crates::These(&["giornata-sim"]),
            folders: &[],
            without: &["hw"],
        },
        after: &["build"],
    },
    Stage {
        name: "portable",
        what: "the kernel's core and the tools for microcode build for a second architecture",
        run: portable,
        inputs: Inputs {
            crates: Crates::These(&PORTABLE),
            folders: &[],
            without: &[],
        },
        after: &[],
    },
    Stage {
        name: "editors",
        what: "rust-analyzer and clangd find no error in a project of one's own",
        run: editors,
        inputs: emulated(&["boards", "cli/templates", "user"]),
        after: &["build"],
    },
    Stage {
        name: "fuzz",
        what: "fuzz targets by fixed seed and count",
        run: fuzz,
        inputs: RUST,
        after: &["build"],
    },
    Stage {
        name: "coverage",
        what: "line coverage of the crates that promise one",
        run: line_coverage,
        inputs: RUST,
        after: &["build"],
    },
    Stage {
        name: "miri",
        what: "no undefined behaviour in the verifier of microcode and in the kernel on the host",
        run: miri::run,
        inputs: Inputs {
            crates: Crates::These(&["giornata-host", "giornata-microcode"]),
            folders: &[],
            without: &[],
        },
        after: &["build"],
    },
];

fn format(_: &Extent) -> Result<String> {
    check(cargo().args(["fmt", "--all", "--check"]))?;
    Ok(String::new())
}

/// Builds all that other stages start, so that they do not wait for each other's compilers.
fn build(_: &Extent) -> Result<String> {
    check(cargo_for_all("build").args(["--bins", "--examples"]))?;
    check(cargo_for_all("test").arg("--no-run"))?;
    Ok(String::new())
}

fn portable(_: &Extent) -> Result<String> {
    check(
        cargo()
            .args(["build", "--quiet", "--target", SECOND_TARGET])
            .args(selection(PORTABLE)),
    )?;
    Ok(format!("{} crates for {SECOND_TARGET}", PORTABLE.len()))
}

/// The kernel on the host without the short ways of frequent events, as QEMU's boards have it, and
/// with stream graphs.
const WITHOUT_FAST: [&str; 4] = [
    "-p",
    "giornata-host",
    "--no-default-features",
    "--features=load,mail,hints,processes,posix,streams",
];

fn unit(extent: &Extent) -> Result<String> {
    let set = |command: &mut Command| {
        if extent.full {
            command
                .env("PROPTEST_CASES", FULL_CASES)
                .env("GIORNATA_LONG", "1");
        } else {
            // The same cases each time; the long form explores.
            command.env("PROPTEST_RNG_SEED", "1");
        }
    };
    if let Some(revision) = &extent.changed {
        let files = changes::files(revision)?;
        if let Some(crates) = changes::tested(&files)? {
            let tests = tests_of(&crates, set)?;
            return Ok(format!("{tests} tests of {} crates", crates.len()));
        }
    }
    let mut command = cargo_for_all("test");
    command.arg("--no-fail-fast");
    set(&mut command);
    let mut tests = tests_passed(&mut command)?;
    if extent.full {
        let mut general = cargo();
        general
            .args(["test", "--quiet", "--no-fail-fast"])
            .args(WITHOUT_FAST);
        set(&mut general);
        tests += tests_passed(&mut general)?;
    }
    Ok(format!("{tests} tests"))
}

/// Runs the tests of some crates, compiled with the features that the whole workspace asks for
/// as always: cargo compiles them anew for a choice of crates.
fn tests_of(crates: &BTreeSet<String>, set: impl Fn(&mut Command)) -> Result<u32> {
    #[derive(Deserialize)]
    struct Built {
        executable: Option<PathBuf>,
        manifest_path: Option<PathBuf>,
        profile: Option<Profile>,
    }
    #[derive(Deserialize)]
    struct Profile {
        test: bool,
    }
    let mut build = cargo_for_all("test");
    let messages = capture(build.args(["--no-run", "--message-format", "json"]))?;
    let built = messages
        .lines()
        .filter_map(|line| serde_json::from_str::<Built>(line).ok());
    let folders: BTreeSet<PathBuf> = crates::all()?
        .into_iter()
        .filter(|package| crates.contains(&package.name))
        .map(|package| root().join(package.folder))
        .collect();
    let (mut tests, mut failed) = (0, Vec::new());
    for built in built.filter(|built| built.profile.as_ref().is_some_and(|profile| profile.test)) {
        let (Some(executable), Some(manifest)) = (built.executable, built.manifest_path) else {
            continue;
        };
        let folder = manifest.parent().context("a crate lies in a folder")?;
        if !folders.contains(folder) {
            continue;
        }
        let mut command = Command::new(executable);
        command.current_dir(folder).arg("--quiet");
        command.env("CARGO_MANIFEST_DIR", folder);
        set(&mut command);
        match tests_passed(&mut command) {
            Ok(passed) => tests += passed,
            Err(error) => failed.push(format!("{}: {error:#}", folder.display())),
        }
    }
    if !failed.is_empty() {
        bail!("{}", failed.join("\n"));
    }
    Ok(tests)
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
fn editors(_: &Extent) -> Result<String> {
    let mut command = cargo_for_all("test");
    command.args(["--test", "editors"]);
    let text = capture(command.args(["--", "--include-ignored"]))?;
    Ok(format!("{} tests", count_passed(&text)))
}

/// Releases in virtual time on a timer whose rate divides nothing.
fn drift(extent: &Extent) -> Result<String> {
    // (to build it for a release takes longer than the short form)
    let mut command = Command::new(example("drift", extent.full)?);
    command.args(["--releases", DRIFT[usize::from(extent.full)]]);
    Ok(capture(&mut command)?.trim().to_string())
}

/// A program of the workspace that runs stages: what builds systems itself, or measures.
fn program(name: &str) -> Result<Command> {
    check(cargo_for_all("build").args(["--bin", name]))?;
    Ok(Command::new(target_folder().join("debug").join(name)))
}

/// The note of a stage that a program runs; what it has written if it fails.
fn note(command: &mut Command) -> Result<String> {
    let output = command.output().with_context(|| describe(command))?;
    let text = String::from_utf8_lossy(&output.stdout);
    if !output.status.success() {
        bail!(
            "{text}{}",
            String::from_utf8_lossy(&output.stderr).trim_end()
        );
    }
    Ok(text.trim_end().to_string())
}

/// A stage that runs systems.
pub(crate) fn suites(stage: &str, extent: &Extent) -> Result<String> {
    let mut command = program("giornata-suites")?;
    command.arg(stage);
    let flags = [("--full", extent.full), ("--bless", extent.bless)];
    command.args(
        flags
            .iter()
            .filter(|(_, is_set)| *is_set)
            .map(|(flag, _)| flag),
    );
    command.args(extent.cases.iter().flat_map(|case| ["--case", case]));
    command.args(extent.board.iter().flat_map(|board| ["--board", board]));
    note(&mut command)
}

/// A stage that measures.
fn measured(stage: &str, extent: &Extent) -> Result<String> {
    let mut command = program("giornata-measure")?;
    command.args(["stage", stage]);
    let flags = [("--full", extent.full), ("--bless", extent.bless)];
    command.args(
        flags
            .iter()
            .filter(|(_, is_set)| *is_set)
            .map(|(flag, _)| flag),
    );
    note(&mut command)
}

fn kernel_size(extent: &Extent) -> Result<String> {
    measured("size", extent)
}

fn kernel_bounds(extent: &Extent) -> Result<String> {
    measured("bounds", extent)
}

fn target(extent: &Extent) -> Result<String> {
    suites("target", extent)
}

fn samples_run(_: &Extent) -> Result<String> {
    samples::check()
}

fn users_project(extent: &Extent) -> Result<String> {
    project::check(extent.full)
}

fn book(extent: &Extent) -> Result<String> {
    docs::check(extent.full)
}

fn operations(extent: &Extent) -> Result<String> {
    measured("bench", extent)
}

/// The tests of the task manager in hardware.
const TASK_MANAGER: [&str; 4] = ["commands", "proofs", "refusals", "synthesis"];

fn rtm(extent: &Extent) -> Result<String> {
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

fn foreign_kernels(extent: &Extent) -> Result<String> {
    measured("foreign-kernels", extent)
}

fn rtl(extent: &Extent) -> Result<String> {
    if !extent.cases.is_empty() {
        return suites("chips", extent);
    }
    let mut command = cargo_for_all("test");
    command.args(["--test", "smoke", "--test", "harts", "--", "--ignored"]);
    if extent.full {
        command.env("GIORNATA_LONG", "1");
    }
    let checks = tests_passed(&mut command)?;
    let systems = suites("chips", extent)?;
    let flight = measured("flight", extent)?;
    Ok(format!("{checks} checks, {flight}, {systems}"))
}

fn repeat(extent: &Extent) -> Result<String> {
    suites("repeat", extent)
}

fn capacities(extent: &Extent) -> Result<String> {
    suites("capacities", extent)
}

fn debug(_: &Extent) -> Result<String> {
    debugger::check()
}

fn hostlink(extent: &Extent) -> Result<String> {
    // (it types what the tool does)
    giornata::program()?;
    suites("hostlink", extent)
}

fn libraries(_: &Extent) -> Result<String> {
    libraries::check()
}

fn promises(extent: &Extent) -> Result<String> {
    measured("promises", extent)
}

fn fuzz(_: &Extent) -> Result<String> {
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

fn line_coverage(_: &Extent) -> Result<String> {
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

    /// A stage that waits for one behind it would wait for ever in one lane.
    #[test]
    fn stages_wait_for_stages_that_begin_before_them() {
        for (place, stage) in ALL.iter().enumerate() {
            for name in stage.after {
                let before = ALL[..place].iter().any(|other| other.name == *name);
                assert!(before, "{} is after {name}", stage.name);
            }
        }
    }

    #[test]
    fn stages_have_names_of_their_own() {
        let mut names: Vec<&str> = ALL.iter().map(|stage| stage.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), ALL.len());
    }
}
