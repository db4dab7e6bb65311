//! The host tool and a machine, over a socket: in QEMU, programs of the flying
//! helicopter are changed by who would change them; on the simulated chip, whose
//! only line is its UART, the module of a counter, by the owner of a key. What
//! comes of it is looked at. When in the run that is depends on the host, so
//! nothing is said of instants here; the target suite says that.

use std::ffi::OsStr;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};

use crate::crates::{root, target_folder};
use crate::{giornata, run};
use giornata_launch::image::build;
use giornata_launch::project;

/// How often a machine that boots is asked whether it listens, and how long
/// lies between: far more than it needs, so that one that hangs is noticed.
const KNOCKS: u32 = 3000;
const PAUSE: Duration = Duration::from_millis(100);

/// A system, and what is typed while it runs.
struct Scenario {
    /// As `./x run` takes it: of `examples`, or a file from the root.
    system: &'static str,
    /// What is typed, `--link` and its address left out, and the exit code that
    /// must come of it. `EXAMPLE`, `COUNTER`, `WAITING`, `KEY` and `BROKEN` stand for the
    /// folders of three systems, a key file, and a module file that was cut.
    typed: &'static [(&'static str, i32)],
    /// Of some of that, what must stand on one line of what it says, in this order.
    says: &'static [(&'static str, &'static [&'static str])],
    /// The machine stops by itself after so many seconds of its own time, if nobody
    /// stops it.
    longest: u64,
}

/// The helicopter, which accepts requests without a signature.
const FLIGHT: Scenario = Scenario {
    system: "flight-control/loadable",
    typed: &[
        ("status --json", 0),
        // what happens, over the hostlink, while the trace server sends it too
        ("top EXAMPLE/loadable.toml --once", 0),
        ("trace EXAMPLE/loadable.toml --for 500ms", 0),
        ("tasks EXAMPLE/loadable.toml", 0),
        // the controller goes on as the same module, in flight
        (
            "load EXAMPLE/flight.giotto --program flight --carry-over",
            0,
        ),
        // the ground station goes, and comes back
        ("unload telemetry", 0),
        ("load EXAMPLE/telemetry.giotto --program telemetry", 0),
        // held, and changed to later
        (
            "load EXAMPLE/telemetry.giotto --program telemetry --hold",
            0,
        ),
        ("switch telemetry", 0),
        // what does not belong there, is not there, or is broken
        ("load EXAMPLE/plant.giotto --program flight", 1),
        ("load EXAMPLE/plant.giotto --program plant", 1),
        ("load BROKEN --program telemetry", 2),
        ("switch telemetry", 1),
        ("status", 0),
        ("shutdown", 0),
    ],
    says: &[(
        "tasks EXAMPLE/loadable.toml",
        &["hostlink/serve", "running"],
    )],
    longest: 3600,
};

/// A thread that waits for messages, and is seen to.
const WAITING: Scenario = Scenario {
    system: "tests/target/hostlink/waiting/system.toml",
    typed: &[
        ("tasks WAITING", 0),
        // the names of another system
        ("tasks EXAMPLE/loadable.toml", 2),
        ("shutdown", 0),
    ],
    says: &[(
        "tasks WAITING",
        &["display/show", "waits", "mailbox readings"],
    )],
    // it does so little that its time flies
    longest: 1_000_000,
};

/// A counter that obeys the owner of [`KEY`].
const COUNTER: Scenario = Scenario {
    system: "tests/target/hostlink/serial.toml",
    typed: &[
        ("status --json", 0),
        // unsigned, and signed
        ("unload counter", 1),
        (
            "load COUNTER/counter-twice.giotto --program counter --key KEY",
            0,
        ),
        ("unload counter --key KEY", 0),
        ("shutdown", 1),
        ("shutdown --key KEY", 0),
    ],
    says: &[],
    longest: 3600,
};

/// The key that the counter's system names: RFC 8032, 7.1, test 1.
const KEY: &str = "giornata key 1
secret 9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60
public d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a
";

/// On a slow, loaded host a simulated chip takes a while for a signature.
const PATIENCE: &str = "300s";

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

/// Flies the example on boards of QEMU, and counts on chips, with the tool
/// beside them; a note.
pub(crate) fn check(boards: &[&str], chips: &[&str]) -> Result<String> {
    for board in boards {
        FLIGHT.play(board).with_context(|| board.to_string())?;
        WAITING.play(board).with_context(|| board.to_string())?;
    }
    let mut note = format!(
        "{} commands of the host tool on {}, the helicopter flew on",
        FLIGHT.typed.len() + WAITING.typed.len(),
        boards.join(", ")
    );
    for chip in chips {
        COUNTER.play(chip).with_context(|| chip.to_string())?;
        note += &format!("; {} on {chip} over its UART, signed", COUNTER.typed.len());
    }
    Ok(note)
}

impl Scenario {
    fn play(&self, board: &str) -> Result<()> {
        let folder = target_folder();
        let address = format!("unix:{}", socket(&folder, board)?.display());
        let [broken, key] = ["broken.gmod", "known.key"].map(|name| folder.join(name));
        std::fs::write(&broken, b"GMOD")?;
        std::fs::write(&key, KEY)?;
        let mut machine = start(self, board, &address)?;
        wait_until_it_listens(&mut machine, &address)?;
        let places = [
            ("EXAMPLE", root().join("examples/flight-control")),
            ("COUNTER", root().join("tests/target/hostlink")),
            ("WAITING", root().join("tests/target/hostlink/waiting")),
            ("KEY", key),
            ("BROKEN", broken),
        ];
        for (typed, expected) in self.typed {
            let put = |word: &str| {
                let place = places.iter().find_map(|(name, place)| {
                    let rest = word.strip_prefix(name)?;
                    Some(format!("{}{rest}", place.display()))
                });
                place.unwrap_or_else(|| word.to_owned())
            };
            let words = typed.split(' ').map(put);
            let line = ["--timeout", PATIENCE, "--link", &address].map(String::from);
            let words: Vec<String> = words.chain(line).collect();
            let arguments: Vec<&OsStr> = words.iter().map(OsStr::new).collect();
            let (code, said) = giornata::hear(&arguments)?;
            let full = words.join(" ");
            ensure!(
                code == *expected,
                "`giornata {full}` ended with {code}, not {expected}"
            );
            let says = self.says.iter().filter(|(command, _)| command == typed);
            for (_, expected) in says {
                let line = said.lines().find(|line| has_in_order(line, expected));
                ensure!(
                    line.is_some(),
                    "`giornata {full}` does not say {expected:?}:\n{said}"
                );
            }
        }
        self.land(machine)
    }
}

/// Whether words stand on a line in this order.
fn has_in_order(line: &str, words: &[&str]) -> bool {
    let mut rest = Some(line);
    for word in words {
        rest = rest.and_then(|rest| Some(rest.split_once(word)?.1));
    }
    rest.is_some()
}

/// A socket of this board that nobody has.
fn socket(folder: &Path, board: &str) -> Result<PathBuf> {
    let path = folder.join(format!("{board}.link"));
    if path.exists() {
        std::fs::remove_file(&path)?;
    }
    Ok(path)
}

/// The system file that `./x run` takes a word for.
fn file_of(system: &str) -> Result<PathBuf> {
    let file = root().join(system);
    match file.is_file() {
        true => Ok(file),
        false => run::find(system),
    }
}

/// Starts the machine. What is long, compiling it, is over when it has been
/// started, however slow the host is.
fn start(scenario: &Scenario, board: &str, address: &str) -> Result<Machine> {
    let (system, seconds) = (scenario.system, scenario.longest);
    let longest = giornata_abi::Duration::from_millis(1000 * seconds);
    build(&file_of(system)?, Some(board), longest)?;
    let log = target_folder().join(format!("{board}.link.log"));
    let file = File::create(&log)?;
    let child = Command::new(giornata::program()?)
        .current_dir(root())
        .args(["run", system, "--headless", "--for", &format!("{seconds}s")])
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

impl Scenario {
    /// The machine has been told to stop: its own verdict is good.
    fn land(&self, mut machine: Machine) -> Result<()> {
        let status = machine.child.wait()?;
        let text = machine.said()?;
        let title = format!("{}:", project::title(&file_of(self.system)?));
        let verdict = text.lines().rfind(|line| line.starts_with(&title));
        let verdict = verdict.unwrap_or("no verdict");
        ensure!(
            status.success() && verdict.contains(": ok ") && verdict.contains("missed 0"),
            "{verdict}\n{text}"
        );
        Ok(())
    }
}
