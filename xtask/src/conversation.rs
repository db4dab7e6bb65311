//! The host tool and a machine in QEMU, over a socket: programs of the flying
//! helicopter are changed by who would change them, and what comes of it is
//! looked at. When in the flight that is depends on the host, so nothing is
//! said of instants here; the target suite says that.

use std::ffi::OsStr;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};

use crate::crates::{root, target_folder};
use crate::image::build;
use crate::{giornata, run};

/// What flies.
const SYSTEM: &str = "flight-control/loadable";
/// The machine stops by itself after so many seconds of its own time, if nobody
/// stops it.
const LONGEST: u64 = 3600;
/// How often a machine that boots is asked whether it listens, and how long
/// lies between: far more than it needs, so that one that hangs is noticed.
const KNOCKS: u32 = 3000;
const PAUSE: Duration = Duration::from_millis(100);

/// What is typed, and the exit code that must come of it. `LINK`, `EXAMPLE` and
/// `BROKEN` stand for the address, the example's folder, and a file that was cut.
const TYPED: [(&[&str], i32); 12] = [
    (&["status", "--link", "LINK", "--json"], 0),
    // the controller goes on as the same module, in flight
    (
        &[
            "load",
            "EXAMPLE/flight.giotto",
            "--program",
            "flight",
            "--carry-over",
            "--link",
            "LINK",
        ],
        0,
    ),
    // the ground station goes, and comes back
    (&["unload", "telemetry", "--link", "LINK"], 0),
    (
        &[
            "load",
            "EXAMPLE/telemetry.giotto",
            "--program",
            "telemetry",
            "--link",
            "LINK",
        ],
        0,
    ),
    // held, and changed to later
    (
        &[
            "load",
            "EXAMPLE/telemetry.giotto",
            "--program",
            "telemetry",
            "--hold",
            "--link",
            "LINK",
        ],
        0,
    ),
    (&["switch", "telemetry", "--link", "LINK"], 0),
    // what does not belong there, is not there, or is broken
    (
        &[
            "load",
            "EXAMPLE/plant.giotto",
            "--program",
            "flight",
            "--link",
            "LINK",
        ],
        1,
    ),
    (
        &[
            "load",
            "EXAMPLE/plant.giotto",
            "--program",
            "plant",
            "--link",
            "LINK",
        ],
        1,
    ),
    (
        &["load", "BROKEN", "--program", "telemetry", "--link", "LINK"],
        2,
    ),
    (&["switch", "telemetry", "--link", "LINK"], 1),
    (&["status", "--link", "LINK"], 0),
    (&["shutdown", "--link", "LINK"], 0),
];

/// A machine that runs; it is stopped if it is dropped.
struct Machine {
    child: Child,
    /// The file that it writes to.
    log: PathBuf,
}

impl Machine {
    /// What it has said so far.
    fn said(&self) -> Result<String> {
        Ok(std::fs::read_to_string(&self.log)?)
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        // it may have ended long ago
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Flies the example on boards with the tool beside it; a note.
pub(crate) fn check(boards: &[&str]) -> Result<String> {
    for board in boards {
        fly(board).with_context(|| board.to_string())?;
    }
    Ok(format!(
        "{} commands of the host tool on {}, the helicopter flew on",
        TYPED.len(),
        boards.join(", ")
    ))
}

fn fly(board: &str) -> Result<()> {
    let folder = target_folder();
    let address = format!("unix:{}", socket(&folder, board)?.display());
    let broken = folder.join("broken.gmod");
    std::fs::write(&broken, b"GMOD")?;
    let mut machine = start(board, &address)?;
    wait_until_it_listens(&mut machine, &address)?;
    let example = root().join("examples/flight-control");
    for (words, expected) in TYPED {
        let words: Vec<String> = words
            .iter()
            .map(|word| {
                word.replace("LINK", &address)
                    .replace("EXAMPLE", &example.display().to_string())
                    .replace("BROKEN", &broken.display().to_string())
            })
            .collect();
        let arguments: Vec<&OsStr> = words.iter().map(OsStr::new).collect();
        let code = giornata::call(&arguments)?;
        let typed = words.join(" ");
        ensure!(
            code == expected,
            "`giornata {typed}` ended with {code}, not {expected}"
        );
    }
    land(machine)
}

/// A socket of this board that nobody has.
fn socket(folder: &Path, board: &str) -> Result<PathBuf> {
    let path = folder.join(format!("{board}.link"));
    if path.exists() {
        std::fs::remove_file(&path)?;
    }
    Ok(path)
}

/// Starts the machine. What is long, compiling it, is over when it has been
/// started, however slow the host is.
fn start(board: &str, address: &str) -> Result<Machine> {
    let longest = giornata_abi::Duration::from_millis(1000 * LONGEST);
    build(&run::find(SYSTEM)?, Some(board), longest)?;
    let log = target_folder().join(format!("{board}.link.log"));
    let file = File::create(&log)?;
    let child = Command::new(std::env::current_exe()?)
        .args(["run", SYSTEM, "--headless", "--for", &format!("{LONGEST}s")])
        .args(["--board", board, "--link", address])
        .stdin(Stdio::null())
        .stderr(file.try_clone()?)
        .stdout(file)
        .spawn()?;
    Ok(Machine { child, log })
}

fn wait_until_it_listens(machine: &mut Machine, address: &str) -> Result<()> {
    for _ in 0..KNOCKS {
        if let Some(status) = machine.child.try_wait()? {
            let said = machine.said()?;
            bail!("the machine ended before it listened: {status}\n{said}");
        }
        let words = ["status", "--link", address].map(OsStr::new);
        if giornata::call(&words)? == 0 {
            return Ok(());
        }
        sleep(PAUSE);
    }
    bail!("nobody listens at {address}")
}

/// The machine has been told to stop: its own verdict is good.
fn land(mut machine: Machine) -> Result<()> {
    let status = machine.child.wait()?;
    let text = machine.said()?;
    let verdict = text
        .lines()
        .rfind(|line| line.starts_with(&format!("{SYSTEM}:")));
    let verdict = verdict.unwrap_or("no verdict");
    ensure!(
        status.success() && verdict.contains(": ok ") && verdict.contains("missed 0"),
        "{verdict}\n{text}"
    );
    Ok(())
}
