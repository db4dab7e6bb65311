//! The task manager in Verilator, on its Wishbone bus.

use std::fs;
use std::io::{self, BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use crate::Parameters;

const PROGRAM: &str = "rtm";
const TOP: &str = "rtm_wishbone";

/// In the order in which each needs those before it.
const SOURCES: [(&str, &str); 7] = [
    ("rtm_pkg.sv", include_str!("../rtl/rtm_pkg.sv")),
    ("rtm_precedes.sv", include_str!("../rtl/rtm_precedes.sv")),
    (
        "rtm_first_of_four.sv",
        include_str!("../rtl/rtm_first_of_four.sv"),
    ),
    ("rtm_tree.sv", include_str!("../rtl/rtm_tree.sv")),
    ("rtm_decrement.sv", include_str!("../rtl/rtm_decrement.sv")),
    ("rtm_record.sv", include_str!("../rtl/rtm_record.sv")),
    ("rtm.sv", include_str!("../rtl/rtm.sv")),
];
/// What is around the task manager in simulation.
const AROUND: [(&str, &str); 2] = [
    ("rtm_wishbone.sv", include_str!("../rtl/rtm_wishbone.sv")),
    ("main.cpp", include_str!("../harness/main.cpp")),
];

/// Name and text of each source of the task manager itself, in their order.
pub(crate) fn sources() -> impl Iterator<Item = (&'static str, &'static str)> {
    SOURCES.into_iter()
}

/// What can go wrong.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file, or a program that cannot be started.
    #[error("{path}: {error}")]
    File {
        /// Which.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// A tool that is not there.
    #[error("{name} is not there; {remedy}")]
    Missing {
        /// Which.
        name: &'static str,
        /// What to do.
        remedy: &'static str,
    },
    /// A tool says no.
    #[error("{name} fails:\n{said}")]
    Tool {
        /// Which.
        name: &'static str,
        /// Its output.
        said: String,
    },
    /// The program has ended, or says something that is no answer.
    #[error("the simulator says `{0}`")]
    Answer(String),
}

/// A task manager that runs; it is stopped when dropped.
#[derive(Debug)]
pub struct Simulator {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

/// What came of an access to the bus.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Answer {
    /// What was read.
    pub data: u32,
    /// Cycles until it was acknowledged, that one counted; 0: it was not.
    pub cycles: u32,
    /// The interrupt line.
    pub interrupts: bool,
}

pub(crate) fn at<T>(path: &Path, result: io::Result<T>) -> Result<T, Error> {
    result.map_err(|error| Error::File {
        path: path.into(),
        error,
    })
}

/// What a program says that ends well.
pub(crate) fn run(command: &mut Command, name: &'static str) -> Result<String, Error> {
    let done = at(Path::new(name), command.output())?;
    let said = String::from_utf8_lossy(&done.stdout).into_owned();
    match done.status.success() {
        true => Ok(said),
        false => Err(Error::Tool {
            name,
            said: said + &String::from_utf8_lossy(&done.stderr),
        }),
    }
}

/// Compiles the task manager with these parameters in a folder of its own; returns the program.
/// Needs Verilator and a C++ compiler.
pub fn compile(folder: &Path, parameters: &Parameters) -> Result<PathBuf, Error> {
    at(folder, fs::create_dir_all(folder))?;
    let files = SOURCES.into_iter().chain(AROUND);
    for (name, text) in files.clone() {
        let path = folder.join(name);
        at(&path, fs::write(&path, text))?;
    }
    let mut command = Command::new("verilator");
    command
        .current_dir(folder)
        .args([
            "--cc",
            "--exe",
            "--build",
            "-O3",
            "-Wall",
            "-Wno-UNUSEDPARAM",
        ])
        .args(["--Mdir", "model", "-o", PROGRAM, "--top-module", TOP])
        .args(parameters.for_verilator())
        .args(files.map(|(name, _)| name));
    run(&mut command, "verilator")?;
    Ok(folder.join("model").join(PROGRAM))
}

impl Simulator {
    /// Starts a program that [`compile`] has made, after a reset.
    pub fn start(program: &Path) -> Result<Simulator, Error> {
        let child = Command::new(program)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn();
        let mut child = at(program, child)?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(Error::Answer(String::new()));
        };
        Ok(Simulator {
            child,
            input,
            output: BufReader::new(output),
        })
    }

    /// Reads a word.
    pub fn read(&mut self, address: u16) -> Result<Answer, Error> {
        self.ask(&format!("r {address:x}"))
    }

    /// Writes the bytes of a word whose bits are set in `bytes`.
    pub fn write(&mut self, address: u16, bytes: u8, data: u32) -> Result<Answer, Error> {
        self.ask(&format!("w {address:x} {bytes:x} {data:x}"))
    }

    /// Leaves the bus alone for some cycles.
    pub fn idle(&mut self, cycles: u32) -> Result<Answer, Error> {
        self.ask(&format!("i {cycles:x}"))
    }

    fn ask(&mut self, line: &str) -> Result<Answer, Error> {
        let mut answer = String::new();
        let asked = writeln!(self.input, "{line}").and_then(|()| self.input.flush());
        at(Path::new(PROGRAM), asked)?;
        at(Path::new(PROGRAM), self.output.read_line(&mut answer))?;
        let mut words = answer
            .split_whitespace()
            .map(|word| u32::from_str_radix(word, 16));
        match [words.next(), words.next(), words.next()] {
            [Some(Ok(data)), Some(Ok(cycles)), Some(Ok(interrupts))] => Ok(Answer {
                data,
                cycles,
                interrupts: interrupts != 0,
            }),
            _ => Err(Error::Answer(answer)),
        }
    }
}

impl Drop for Simulator {
    fn drop(&mut self) {
        // (it may have ended)
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
