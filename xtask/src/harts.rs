//! The kernel on several harts: its tests on the host hold with one hart that takes the events
//! and another that runs threads, random calls on up to eight keep who runs where, and in the
//! emulator systems on four harts come to what they come to on one.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Result, ensure};

use crate::crates::{SEVERAL, target_folder};
use crate::giornata;
use crate::process::{capture, cargo, check as run_to_end};
use crate::stage::{suites, tests_passed};
use crate::test::Extent;

/// The kernel's tests on the host.
const KERNEL: &str = "giornata-host";
/// The parts of the kernel on several harts: all but the short ways of one.
const PARTS: &str = "load,mail,hints,processes,posix,harts,streams";
/// Tests that take long, of the long form only.
const LONG: [&str; 1] = ["sporadic"];
/// The chip that runs the crowd too, in the long form.
const CHIP: &str = "rtl-smp4";
/// The board of one hart beside that of several.
const ONE: &str = "qemu-virt32-pmp";
/// Systems of which a process tells what its threads, or its filters, have come to.
const TELLERS: [(&str, &str); 3] = [
    ("tests/target/harts/crowd.toml", "crew"),
    ("tests/target/streams/edges.toml", "display"),
    ("tests/target/streams/shuffle.toml", "near"),
];
/// A system in which a hart loses a region that another detaches.
const DETACH: &str = "tests/target/harts/detach.toml";
/// Systems of programs, each with its name and for how long it runs in either form.
const PROGRAMS: [(&str, [&str; 2]); 2] = [
    ("flight-control", ["500ms", "10s"]),
    (BOTH, ["300ms", "6s"]),
];
/// A program and a stream beside it, and the same program alone.
const BOTH: &str = "autopilot";
const ALONE: &str = "autopilot/alone";
/// The emulated boards with other numbers of harts, of the long form.
const OTHERS: [&str; 2] = ["qemu-virt32-pmp-smp2", "qemu-virt32-pmp-smp8"];
/// The chips that fly in the long form, what they fly, and for how long: five instants of all
/// that it does.
const FLIERS: [&str; 2] = ["rtl-smp2", CHIP];
const SHORT_FLIGHT: (&str, &str) = ("flight-control", "60ms");

/// Runs the tests, then the systems.
pub(crate) fn check(extent: &Extent) -> Result<String> {
    let mut command = cargo();
    command
        .args(["test", "--quiet", "-p", KERNEL, "--no-default-features"])
        .args(["--features", PARTS])
        .env("PROPTEST_RNG_SEED", "1");
    match extent.full {
        true => {
            command.env("GIORNATA_LONG", "1");
        }
        false => {
            command
                .arg("--")
                .args(LONG.iter().flat_map(|test| ["--skip", test]));
        }
    }
    let tests = tests_passed(&mut command)?;
    let suites = suites("harts", extent)?;
    let program = giornata::program()?;
    let chip = extent.full.then_some(&CHIP);
    let several: Vec<&&str> = SEVERAL.iter().chain(chip).collect();
    for (system, process) in TELLERS {
        let said = |board| said(&program, (system, process), board);
        let expected = said(ONE)?;
        ensure!(!expected.is_empty(), "{system} says nothing");
        for board in &several {
            let (several, one) = (said(board)?.join("\n"), expected.join("\n"));
            ensure!(
                several == one,
                "{system} says on {board}\n{several}\nand on {ONE}\n{one}"
            );
        }
    }
    for board in SEVERAL {
        let mut command = Command::new(&program);
        command.args(["run", DETACH, "--board", board, "--headless"]);
        run_to_end(&mut command)?;
    }
    let mut outcome = format!("{tests} tests; {suites}");
    for (system, spans) in PROGRAMS {
        let span = spans[usize::from(extent.full)];
        let same = flights(&program, (system, span), extent.full)?;
        write!(outcome, "; {system}: {same}")?;
        if system == BOTH {
            let alone = record(&program, ALONE, (ONE, span))?;
            let same = compare(&program, &alone, &recording(BOTH, SEVERAL[0]))?;
            write!(outcome, "; without the stream: {same}")?;
        }
    }
    Ok(outcome)
}

/// Records a system on one hart and on several, and compares; returns what that says.
fn flights(program: &Path, (system, span): (&str, &str), full: bool) -> Result<String> {
    let (flown, short) = SHORT_FLIGHT;
    let chips = FLIERS.iter().filter(|_| full && system == flown);
    let others = OTHERS.iter().filter(|_| full);
    let flights = SEVERAL
        .iter()
        .chain(others)
        .map(|board| (board, span))
        .chain(chips.map(|board| (board, short)));
    let one = record(program, system, (ONE, span))?;
    let mut same = String::new();
    for (board, span) in flights {
        let several = record(program, system, (board, span))?;
        same = compare(program, &one, &several)?;
    }
    Ok(same)
}

/// What the comparison of two recordings says.
fn compare(program: &Path, one: &Path, other: &Path) -> Result<String> {
    let mut command = Command::new(program);
    command.arg("compare").arg(one).arg(other);
    Ok(capture(&mut command)?.trim().to_owned())
}

/// Where the recording of a system on a board lies.
fn recording(system: &str, board: &str) -> PathBuf {
    let folder = target_folder().join("harts").join(system);
    folder.join(board).with_extension("rec")
}

/// What a process of a system says, without the instants.
fn said(program: &Path, (system, process): (&str, &str), board: &str) -> Result<Vec<String>> {
    let mut command = Command::new(program);
    command.args(["run", system, "--board", board, "--headless"]);
    let (text, begin) = (capture(&mut command)?, format!(" s  {process}: "));
    let lines = text.lines().filter_map(|line| {
        let (_, said) = line.split_once(&begin)?;
        Some(said.to_owned())
    });
    Ok(lines.collect())
}

/// The recording of a flight.
fn record(program: &Path, system: &str, (board, span): (&str, &str)) -> Result<PathBuf> {
    let path = recording(system, board);
    std::fs::create_dir_all(path.parent().unwrap_or(&path))?;
    let mut command = Command::new(program);
    command
        .args(["run", system, "--board", board])
        .args(["--headless", "--for", span])
        .arg("--record")
        .arg(&path);
    run_to_end(&mut command)?;
    Ok(path)
}
