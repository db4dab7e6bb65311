//! The stage `miri`: tests under an interpreter that finds undefined behaviour.

use std::time::Instant;
use std::{fs, thread};

use anyhow::{Context, Result};

use crate::crates::{root, selection, target_folder};
use crate::nightly;
use crate::process::capture;
use crate::stage::count_passed;
use crate::test::Extent;

/// What Miri runs: crates that promise to hold no undefined behaviour whatever the
/// kernel is fed with, where they lie, and the tests that the short form chooses.
const CRATES: [(&str, &str, &[&str]); 2] = [
    (
        "giornata-microcode",
        "microcode",
        &[
            "disassembly::what",
            "verifier::headers",
            "verifier::scratch_that",
        ],
    ),
    (
        "giornata-host",
        "kernel/host",
        &["scheduling::the_most", "time::sleepers", "time::the_clock"],
    ),
];
/// Flags of Miri. Property tests ask the clock and the environment. Records of systems on
/// the host are there for good.
const FLAGS: &str = "-Zmiri-disable-isolation -Zmiri-ignore-leaks";
/// What the short form leaves out: the rules of aliasing, which only unsafe code can break.
/// These crates and the one below them forbid it, but for the rig that boots a system.
const SHORT: &str = "-Zmiri-disable-stacked-borrows";
/// What the long form leaves out of most suites: the rules of valid values too. These tests
/// reach the rig, where the only unsafe code is, as those of [`STRICT`] do.
const BROAD: &str = "-Zmiri-disable-stacked-borrows -Zmiri-disable-validation";
/// Test binaries that the long form interprets with all rules.
const STRICT: [&str; 3] = ["base", "mailboxes", "model"];
/// Random cases a property under Miri in the short and in the long form.
const CASES: [&str; 2] = ["2", "4"];

/// Runs all at once, each by an interpreter of its own.
pub(crate) fn run(extent: &Extent) -> Result<String> {
    // Installs it if need be, before several ask for it at once.
    nightly::cargo()?;
    let mut parts = Vec::new();
    for (package, folder, chosen) in CRATES {
        if !extent.full {
            let binaries = ["--lib", "--tests"].map(String::from).to_vec();
            parts.push((package, binaries, chosen, SHORT));
            continue;
        }
        parts.push((package, vec!["--lib".to_owned()], &[][..], ""));
        for name in test_binaries(folder)? {
            let is_strict = STRICT.contains(&&name[..]);
            let flags = if is_strict { "" } else { BROAD };
            parts.push((package, vec!["--test".to_owned(), name], &[][..], flags));
        }
    }
    let tests = thread::scope(|scope| {
        let run = |part| scope.spawn(move || interpret(part, extent));
        let runs: Vec<_> = parts.into_iter().map(run).collect();
        let tests = |run: thread::ScopedJoinHandle<'_, _>| run.join().ok().context("a run")?;
        runs.into_iter().map(tests).sum::<Result<u32>>()
    })?;
    Ok(format!("{tests} tests"))
}

/// The names of the test binaries of the crate in a folder.
fn test_binaries(folder: &str) -> Result<Vec<String>> {
    let tests = root().join(folder).join("tests");
    let entries = fs::read_dir(&tests)?.collect::<Result<Vec<_>, _>>()?;
    let name = |entry: &fs::DirEntry| Some(entry.path().file_stem()?.to_str()?.to_owned());
    Ok(entries.iter().filter_map(name).collect())
}

/// Runs the chosen tests of some test binaries under Miri, says how many there were, which may
/// be after an hour, and counts them; none chosen is all.
fn interpret(
    (package, binaries, chosen, flags): (&str, Vec<String>, &[&str], &str),
    extent: &Extent,
) -> Result<u32> {
    let long = usize::from(extent.full);
    let begun = Instant::now();
    let what = binaries.join(" ");
    let text = capture(
        nightly::cargo()?
            .args(["miri", "test", "--quiet"])
            .args(binaries)
            .args(selection([package]))
            .arg("--")
            .args(chosen)
            .env("CARGO_TARGET_DIR", target_folder().join("miri"))
            .env("PROPTEST_CASES", CASES[long])
            .env("MIRIFLAGS", format!("{FLAGS} {flags}"))
            .env("PROPTEST_RNG_SEED", "1"),
    )?;
    let (tests, seconds) = (count_passed(&text), begun.elapsed().as_secs());
    eprintln!("miri: {package} {what}: {tests} tests in {seconds} s");
    Ok(tests)
}
