//! The kernel on several harts: its tests on the host hold with one hart that takes the events
//! and another that runs threads, random calls on up to eight keep who runs where, and in the
//! emulator systems on four harts come to what they come to on one.

use std::path::Path;
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
/// A system of programs, and for how long it runs in either form.
const PROGRAMS: &str = "examples/flight-control/system.toml";
const SPANS: [&str; 2] = ["500ms", "10s"];
/// The chips that fly in the long form, and for how long: five instants of all that it does.
const CHIPS: [&str; 2] = ["rtl-smp2", CHIP];
const SHORT_FLIGHT: &str = "60ms";
/// The emulated boards with other numbers of harts, of the long form.
const OTHERS: [&str; 2] = ["qemu-virt32-pmp-smp2", "qemu-virt32-pmp-smp8"];

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
    let span = SPANS[usize::from(extent.full)];
    let chips = CHIPS.iter().filter(|_| extent.full);
    let others = OTHERS.iter().filter(|_| extent.full);
    let flights = [&ONE]
        .into_iter()
        .chain(&SEVERAL)
        .chain(others)
        .map(|board| (board, span));
    let recordings = flights
        .chain(chips.map(|board| (board, SHORT_FLIGHT)))
        .map(|(board, span)| record(&program, board, span))
        .collect::<Result<Vec<_>>>()?;
    let mut same = String::new();
    for recording in &recordings[1..] {
        let mut command = Command::new(&program);
        command.arg("compare").arg(&recordings[0]).arg(recording);
        same = capture(&mut command)?.trim().to_owned();
    }
    Ok(format!("{tests} tests; flight-control: {same}; {suites}"))
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
fn record(program: &Path, board: &str, span: &str) -> Result<std::path::PathBuf> {
    let path = target_folder()
        .join("harts")
        .join(board)
        .with_extension("rec");
    std::fs::create_dir_all(target_folder().join("harts"))?;
    let mut command = Command::new(program);
    command
        .args([
            "run",
            PROGRAMS,
            "--board",
            board,
            "--headless",
            "--for",
            span,
        ])
        .arg("--record")
        .arg(&path);
    run_to_end(&mut command)?;
    Ok(path)
}
