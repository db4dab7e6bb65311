//! A machine in QEMU or in simulation: started, read, watched, stopped.

use std::io::Read;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{ChildStderr, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use giornata_soc::{End, Input, Run};
use giornata_system::Emulator;

use crate::chip::Chip;
use crate::console::{Emulated, Paper};
use crate::home::root;
use crate::image::{Host, Image};
use crate::interrupt;
use crate::sieve::Sieve;

/// What there is to read from a machine.
pub enum Output {
    /// Bytes of its console.
    Bytes(Vec<u8>),
    /// Nothing for a while; it still runs.
    Nothing,
    /// It has stopped.
    End,
}

/// How long a machine may take, by the wall clock.
#[derive(Clone, Copy, Debug)]
pub struct Patience {
    /// Without a byte on the console.
    pub silence: Duration,
    /// In all.
    pub total: Duration,
}

impl Patience {
    /// As long as it takes: whoever debugs the machine holds it up.
    pub const ENDLESS: Patience = Patience {
        silence: Duration::MAX,
        total: Duration::MAX,
    };

    /// What a run of so much virtual time may take on a slow, loaded machine. (A simulated chip
    /// takes minutes a second, and all the time of a system that only sleeps.)
    pub fn of(image: &Image, virtual_time: giornata_abi::Duration) -> Patience {
        let time = Duration::from_nanos(virtual_time.0);
        let (silence, total) = match image.host {
            Host::Emulator(_) => (10, 60),
            Host::Chip(..) => (1200, 1200),
        };
        Patience {
            silence: Duration::from_secs(240).saturating_add(time.saturating_mul(silence)),
            total: Duration::from_secs(360).saturating_add(time.saturating_mul(total)),
        }
    }
}

/// A running machine; it is killed when dropped.
pub struct Machine {
    process: Process,
    console: Receiver<Vec<u8>>,
    patience: Patience,
    started: Instant,
    heard: Instant,
}

/// What runs in its stead.
enum Process {
    Emulator(Running),
    Chip(giornata_soc::Machine),
}

impl Machine {
    /// Boots an image.
    ///
    /// # Errors
    /// What stands in for its board cannot be started.
    pub fn boot(image: &Image, patience: Patience) -> Result<Machine> {
        Machine::boot_as(image, patience, Signals::OfTheTerminal)
    }

    /// The same of a machine that hears nothing of Ctrl-C, which is for its debugger.
    ///
    /// # Errors
    /// As [`boot`](Self::boot).
    pub fn boot_apart(image: &Image, patience: Patience) -> Result<Machine> {
        Machine::boot_as(image, patience, Signals::None)
    }

    fn boot_as(image: &Image, patience: Patience, signals: Signals) -> Result<Machine> {
        let (process, mut console) = match &image.host {
            Host::Emulator(emulator) => start(emulator, image.to_boot(), signals)?,
            Host::Chip(chip, line) => simulate(chip, line.as_ref(), image.to_boot())?,
        };
        let mut sieve = image.host.shares_its_line().then(Sieve::default);
        let (sender, receiver) = sync_channel(64);
        std::thread::spawn(move || {
            let mut buffer = vec![0; 1 << 16];
            while let Ok(count @ 1..) = console.read(&mut buffer) {
                let read = &buffer[..count];
                let bytes = match &mut sieve {
                    Some(sieve) => sieve.pass(read),
                    None => read.to_vec(),
                };
                if sender.send(bytes).is_err() {
                    break;
                }
            }
        });
        let now = Instant::now();
        Ok(Machine {
            process,
            console: receiver,
            patience,
            started: now,
            heard: now,
        })
    }

    /// Waits up to `wait` for something to read.
    ///
    /// # Errors
    /// The machine has used up the patience; it is stopped.
    pub fn read(&mut self, wait: Duration) -> Result<Output> {
        match self.console.recv_timeout(wait) {
            Ok(bytes) => {
                self.heard = Instant::now();
                self.check_total()?;
                Ok(Output::Bytes(bytes))
            }
            Err(RecvTimeoutError::Disconnected) => Ok(Output::End),
            Err(RecvTimeoutError::Timeout) => {
                self.check_silence()?;
                Ok(Output::Nothing)
            }
        }
    }

    /// The status it ended with, after [`Output::End`].
    ///
    /// # Errors
    /// What stood in for the board failed: with what it said.
    pub fn wait(self) -> Result<i32> {
        match self.process {
            Process::Emulator(mut running) => running.wait(),
            Process::Chip(machine) => match machine.finish()?.end {
                End::Exit(code) => Ok((code & 0xFF) as i32),
                other => bail!("the chip ended with {other:?}"),
            },
        }
    }

    fn check_silence(&mut self) -> Result<()> {
        if self.heard.elapsed() < self.patience.silence {
            return self.check_total();
        }
        self.stop("said nothing for", self.patience.silence)
    }

    fn check_total(&mut self) -> Result<()> {
        if self.started.elapsed() < self.patience.total {
            return Ok(());
        }
        self.stop("did not stop within", self.patience.total)
    }

    fn stop(&mut self, what: &str, limit: Duration) -> Result<()> {
        // It may have ended by itself meanwhile. A chip is stopped when dropped.
        if let Process::Emulator(running) = &self.process {
            let _ = running.0.child().kill();
        }
        bail!(
            "the machine {what} {} s of wall time and was stopped: it hangs, or this host is too slow",
            limit.as_secs()
        )
    }
}

/// A program that is killed when dropped.
struct Running(Emulated);

impl Running {
    fn wait(&mut self) -> Result<i32> {
        let mut child = self.0.child();
        let status = child.wait().context("waiting for the emulator")?;
        let complaint = child.stderr.take().map(read_all).unwrap_or_default();
        match status.code() {
            Some(code) if code == 0 || complaint.trim().is_empty() => Ok(code),
            _ => bail!("the emulator ended with {status}: {}", complaint.trim()),
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // Neither matters for a machine that has ended.
        let mut child = self.0.child();
        let _ = child.kill();
        let _ = child.wait();
    }
}

/// What an emulator hears of the terminal's keys.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Signals {
    OfTheTerminal,
    None,
}

/// What is read from a machine.
type Stream = Box<dyn Read + Send>;

fn start(emulator: &Emulator, elf: &Path, signals: Signals) -> Result<(Process, Stream)> {
    let Emulator { command, arguments } = emulator;
    let paper = Paper::new()?;
    let mut program = Command::new(command);
    program
        .args(arguments)
        .arg("-kernel")
        .arg(elf)
        .stdin(Stdio::null())
        .stdout(paper.sink()?)
        .stderr(Stdio::piped());
    if signals == Signals::None || interrupt::is_noted() {
        // Ctrl-C is for its debugger, or for this program, which then stops the machine
        program.process_group(0);
    }
    let child = program.spawn().with_context(|| {
        let home = root().display();
        format!("{command} cannot be started: `{home}/x need qemu` installs QEMU")
    })?;
    let child = Emulated::new(child);
    let console = paper.read_of(child.clone());
    Ok((Process::Emulator(Running(child)), Box::new(console)))
}

fn simulate(chip: &Chip, line: Option<&String>, elf: &Path) -> Result<(Process, Stream)> {
    let run = Run {
        latency: chip.latency,
        // Patience ends it.
        max_cycles: u64::MAX,
        input: line.map_or(Input::Nothing, |line| Input::Host(line.clone())),
        ..Run::new(giornata_soc::Image::read(elf)?)
    };
    let mut machine = chip.simulator()?.start(&run)?;
    // a chip that waits for its reader does so outside its time
    let console = machine.console().context("the console of the chip")?;
    Ok((Process::Chip(machine), Box::new(console)))
}

fn read_all(mut stream: ChildStderr) -> String {
    let mut text = String::new();
    match stream.read_to_string(&mut text) {
        Ok(_) => text,
        Err(error) => error.to_string(),
    }
}
