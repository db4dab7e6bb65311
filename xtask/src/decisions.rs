//! The kernel whose ready queue and agenda are on the task manager decides as the one with its
//! own: its tests on the host hold with either, and random programs leave the same traces.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::crates::target_folder;
use crate::process::{cargo, cargo_for_all};
use crate::stage::tests_passed;
use crate::test::Extent;

/// The kernel's tests on the host.
const KERNEL: &str = "giornata-host";
/// The part of it that is on the task manager.
const RTM: &str = "rtm";
/// The tests that run with it, without those of them that take long; the long form has all.
const SHORT: [&str; 5] = ["base", "mailboxes", "microcode", "model", "services"];
const LONG: [&str; 2] = ["ceilings", "sporadic"];
/// The test that writes what random programs decide.
const DECISIONS: &str = "decisions";

/// Runs the tests, and compares the traces.
pub(crate) fn check(extent: &Extent) -> Result<String> {
    let folder = target_folder().join(DECISIONS);
    std::fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
    let [own, managed] = ["own", RTM].map(|name| folder.join(name));
    let tests = |mut command: Command, decisions: &Path| {
        command
            .env("GIORNATA_DECISIONS", decisions)
            .env("PROPTEST_RNG_SEED", "1");
        if extent.full {
            command.env("GIORNATA_LONG", "1");
        }
        command
    };
    tests_passed(tests(cargo_for_all("test"), &own).args(["--test", "model", DECISIONS]))?;
    let mut command = tests(cargo(), &managed);
    command.args(["test", "--quiet", "-p", KERNEL, "--features", RTM]);
    if !extent.full {
        command
            .args(SHORT.iter().flat_map(|test| ["--test", test]))
            .arg("--")
            .args(LONG.iter().flat_map(|test| ["--skip", test]));
    }
    let tests = tests_passed(&mut command)?;
    let programs = compare(&own, &managed)?;
    Ok(format!(
        "{tests} tests of the kernel on it, {programs} programs decided alike"
    ))
}

/// How many programs there are, if each has left the same trace.
fn compare(own: &Path, managed: &Path) -> Result<usize> {
    let read =
        |path: &Path| std::fs::read_to_string(path).with_context(|| path.display().to_string());
    let (own, managed) = (read(own)?, read(managed)?);
    let differs = |(own, managed): &(&str, &str)| own != managed;
    if let Some((own, managed)) = own.lines().zip(managed.lines()).find(differs) {
        bail!("the traces of a program differ: `{own}`, and `{managed}` with the task manager");
    }
    let (count, other) = (own.lines().count(), managed.lines().count());
    if count != other || count == 0 {
        bail!("{count} programs have left a trace, and {other} with the task manager");
    }
    Ok(count)
}
