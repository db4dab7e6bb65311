//! A run: its inputs, the process that carries it out, and its files.

use std::fmt::Write as _;
use std::fs;
use std::io::Read;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

use crate::Image;
use crate::error::{Error, at};
use crate::report::Report;

/// What arrives on the serial line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Input {
    /// Nothing.
    #[default]
    Nothing,
    /// These bytes, each as soon as the receive queue has room.
    Bytes(Vec<u8>),
    /// Bytes at these cycles, which rise, wanted or not.
    At(Vec<(u64, u8)>),
    /// Whatever a host sends, each byte as soon as the receive queue has room;
    /// the simulator listens at `unix:PATH` or `tcp:HOST:PORT`, and sends there
    /// what the machine sends.
    Host(String),
}

/// How slow the RAM is: cycles a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Latency {
    /// From the strobe to the acknowledge of a single word or the first of a burst.
    pub first: u8,
    /// From one word of a burst to the next.
    pub burst: u8,
}

impl Default for Latency {
    /// The memory that published figures are for: a word a cycle.
    fn default() -> Latency {
        Latency { first: 1, burst: 1 }
    }
}

/// What is noted of the core, from outside.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Watch {
    /// Nothing.
    #[default]
    Nothing,
    /// Points: see [`Point`](crate::Point).
    Points,
    /// Points, and every instruction that is executed outside user mode.
    Kernel,
}

/// A VCD file of some cycles; the variant must be built for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Waveform {
    /// Where it is written.
    pub file: PathBuf,
    /// Which cycles it shows.
    pub cycles: Range<u64>,
}

/// A program and its inputs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// The program.
    pub image: Image,
    /// Cycles after which it is given up.
    pub max_cycles: u64,
    /// What the argument register holds.
    pub argument: u32,
    /// What arrives on the serial line.
    pub input: Input,
    /// How slow the RAM is.
    pub latency: Latency,
    /// A waveform, if it is wanted.
    pub waveform: Option<Waveform>,
    /// What is noted of the core.
    pub watch: Watch,
}

impl Run {
    /// A program without inputs, given up after a second of its time.
    pub fn new(image: Image) -> Run {
        Run {
            image,
            max_cycles: u64::from(crate::CLOCK_HERTZ),
            argument: 0,
            input: Input::Nothing,
            latency: Latency::default(),
            waveform: None,
            watch: Watch::Nothing,
        }
    }

    fn check(&self) -> Result<(), Error> {
        let refuse = |reason: &str| Err(Error::Input(reason.into()));
        if self.latency.first == 0 || self.latency.burst == 0 {
            return refuse("a word of RAM takes at least one cycle");
        }
        if self.max_cycles == 0 {
            return refuse("a run takes at least one cycle");
        }
        if let Input::At(arrivals) = &self.input {
            let rising = arrivals.windows(2).all(|pair| pair[0].0 < pair[1].0);
            if !rising || arrivals.first().is_some_and(|(cycle, _)| *cycle == 0) {
                return refuse(
                    "bytes on the serial line arrive one a cycle, in order, after cycle 0",
                );
            }
        }
        Ok(())
    }
}

/// A program that runs; it is stopped when dropped.
///
/// Its output can be followed by way of [`Machine::console`]; whoever does not,
/// calls [`Machine::finish`] alone.
#[derive(Debug)]
pub struct Machine {
    child: Child,
    files: Files,
}

impl Machine {
    /// Starts a run in `folder`, where its files lie until it is over.
    pub(crate) fn start(simulator: &Path, folder: &Path, run: &Run) -> Result<Machine, Error> {
        run.check()?;
        let files = Files::lay(folder, run)?;
        let mut command = Command::new(simulator);
        command
            .arg(files.image())
            .args(["--ram-first", &run.latency.first.to_string()])
            .args(["--ram-burst", &run.latency.burst.to_string()])
            .args(["--max-cycles", &run.max_cycles.to_string()])
            .args(["--argument", &run.argument.to_string()])
            .arg("--summary")
            .arg(files.summary())
            .arg("--probes")
            .arg(files.probes());
        if run.watch != Watch::Nothing {
            command.arg("--points").arg(files.points());
        }
        if run.watch == Watch::Kernel {
            command.arg("--executed").arg(files.executed());
        }
        match &run.input {
            Input::Nothing => &mut command,
            Input::Bytes(_) => command.arg("--input").arg(files.input()),
            Input::At(_) => command.arg("--input-at").arg(files.input()),
            Input::Host(address) => command.arg("--line").arg(address),
        };
        if let Some(Waveform { file, cycles }) = &run.waveform {
            command
                .arg("--waveform")
                .arg(file)
                .args(["--waveform-from", &cycles.start.to_string()])
                .args(["--waveform-to", &cycles.end.to_string()]);
        }
        let child = command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn();
        Ok(Machine {
            child: at(simulator, child)?,
            files,
        })
    }

    /// The serial line, to be read while the program runs; once.
    pub fn console(&mut self) -> Option<ChildStdout> {
        self.child.stdout.take()
    }

    /// Waits for the end; the report has the output that nobody has read.
    ///
    /// # Errors
    /// The simulator did not get as far as telling how the program ended.
    pub fn finish(mut self) -> Result<Report, Error> {
        let mut output = Vec::new();
        if let Some(mut console) = self.child.stdout.take() {
            at(
                self.files.image().as_path(),
                console.read_to_end(&mut output),
            )?;
        }
        let mut complaint = String::new();
        if let Some(mut stream) = self.child.stderr.take() {
            at(
                self.files.image().as_path(),
                stream.read_to_string(&mut complaint),
            )?;
        }
        let status = at(self.files.image().as_path(), self.child.wait())?;
        let read = |path: PathBuf| fs::read_to_string(path).unwrap_or_default();
        let (summary, probes) = (read(self.files.summary()), read(self.files.probes()));
        let points = read(self.files.points());
        let executed = fs::read(self.files.executed()).unwrap_or_default();
        Report::read(&summary, &probes, &points, &executed, output).ok_or_else(|| Error::BrokeOff {
            status: status.to_string(),
            output: complaint,
        })
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        // Neither matters for a machine that has ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The folder of one run, removed with it.
#[derive(Debug)]
struct Files(PathBuf);

impl Files {
    /// Writes what the harness reads.
    fn lay(folder: &Path, run: &Run) -> Result<Files, Error> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let name = format!(
            "{}-{}",
            std::process::id(),
            NEXT.fetch_add(1, Ordering::Relaxed)
        );
        let folder = folder.join(name);
        at(&folder, fs::create_dir_all(&folder))?;
        let files = Files(folder);
        at(&files.image(), fs::write(files.image(), run.image.bytes()))?;
        let input = match &run.input {
            Input::Nothing | Input::Host(_) => return Ok(files),
            Input::Bytes(bytes) => bytes.clone(),
            Input::At(arrivals) => arrivals
                .iter()
                .fold(String::new(), |mut text, (cycle, byte)| {
                    let _ = writeln!(text, "{cycle} {byte}");
                    text
                })
                .into_bytes(),
        };
        at(&files.input(), fs::write(files.input(), input))?;
        Ok(files)
    }

    fn image(&self) -> PathBuf {
        self.0.join("image")
    }

    fn input(&self) -> PathBuf {
        self.0.join("input")
    }

    fn summary(&self) -> PathBuf {
        self.0.join("summary")
    }

    fn probes(&self) -> PathBuf {
        self.0.join("probes")
    }

    fn points(&self) -> PathBuf {
        self.0.join("points")
    }

    fn executed(&self) -> PathBuf {
        self.0.join("executed")
    }
}

impl Drop for Files {
    fn drop(&mut self) {
        // What cannot be removed lies in a folder of built things.
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run() -> Run {
        Run::new(Image::raw(vec![0x13, 0, 0, 0]).unwrap())
    }

    #[test]
    fn inputs_that_mean_nothing_are_refused() {
        let slow = Latency { first: 0, burst: 1 };
        let cases = [
            Run {
                latency: slow,
                ..run()
            },
            Run {
                max_cycles: 0,
                ..run()
            },
            Run {
                input: Input::At(vec![(5, 1), (5, 2)]),
                ..run()
            },
            Run {
                input: Input::At(vec![(0, 1)]),
                ..run()
            },
        ];
        for case in cases {
            assert!(matches!(case.check(), Err(Error::Input(_))), "{case:?}");
        }
        assert!(run().check().is_ok());
    }

    #[test]
    fn files_of_a_run_go_with_it() {
        let folder = std::env::temp_dir().join(format!("giornata-run-{}", std::process::id()));
        let mut run = run();
        run.input = Input::At(vec![(7, 65), (9, 66)]);
        let files = Files::lay(&folder, &run).unwrap();
        assert_eq!(fs::read_to_string(files.input()).unwrap(), "7 65\n9 66\n");
        let place = files.0.clone();
        drop(files);
        assert!(!place.exists());
        let _ = fs::remove_dir(&folder);
    }
}
