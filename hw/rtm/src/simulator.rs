//! The task manager in Verilator, on one of its buses.

use std::fs;
use std::io::{self, BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use crate::Parameters;

const PROGRAM: &str = "rtm";

/// In the order in which each needs those before it.
const SOURCES: [(&str, &str); 10] = [
    ("rtm_pkg.sv", include_str!("../rtl/rtm_pkg.sv")),
    ("rtm_precedes.sv", include_str!("../rtl/rtm_precedes.sv")),
    (
        "rtm_first_of_four.sv",
        include_str!("../rtl/rtm_first_of_four.sv"),
    ),
    ("rtm_tree.sv", include_str!("../rtl/rtm_tree.sv")),
    ("rtm_decrement.sv", include_str!("../rtl/rtm_decrement.sv")),
    ("rtm_record.sv", include_str!("../rtl/rtm_record.sv")),
    ("rtm_ticks.sv", include_str!("../rtl/rtm_ticks.sv")),
    ("rtm_causes.sv", include_str!("../rtl/rtm_causes.sv")),
    ("rtm_clock.sv", include_str!("../rtl/rtm_clock.sv")),
    ("rtm.sv", include_str!("../rtl/rtm.sv")),
];
/// The bus that simulated systems have.
const WISHBONE: (&str, &str) = ("rtm_wishbone.sv", include_str!("../rtl/rtm_wishbone.sv"));
const AXI_LITE: (&str, &str) = ("rtm_axi_lite.sv", include_str!("../rtl/rtm_axi_lite.sv"));
/// What drives either bus.
const HARNESS: [(&str, &str); 2] = [
    ("bus.h", include_str!("../harness/bus.h")),
    ("main.cpp", include_str!("../harness/main.cpp")),
];

/// A bus on which a task manager can be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bus {
    /// Wishbone B4, classic cycles.
    Wishbone,
    /// The same; the clock of the records stands while nothing is under way.
    GatedWishbone,
    /// AXI4-Lite.
    AxiLite,
}

impl Bus {
    /// The module that puts the task manager on it.
    pub(crate) fn source(self) -> (&'static str, &'static str) {
        match self {
            Bus::Wishbone | Bus::GatedWishbone => WISHBONE,
            Bus::AxiLite => AXI_LITE,
        }
    }

    /// Parameters of the module.
    fn options(self) -> &'static [&'static str] {
        match self {
            Bus::GatedWishbone => &["-GGated=1'b1"],
            Bus::Wishbone | Bus::AxiLite => &[],
        }
    }

    /// Its driver.
    fn driver(self) -> (&'static str, &'static str) {
        match self {
            Bus::Wishbone | Bus::GatedWishbone => {
                ("wishbone.cpp", include_str!("../harness/wishbone.cpp"))
            }
            Bus::AxiLite => ("axi_lite.cpp", include_str!("../harness/axi_lite.cpp")),
        }
    }
}

/// Name and text of each source of the task manager itself, in their order.
pub fn sources() -> impl Iterator<Item = (&'static str, &'static str)> {
    SOURCES.into_iter()
}

/// The same, and the module that puts it on a Wishbone bus.
pub fn sources_on_wishbone() -> impl Iterator<Item = (&'static str, &'static str)> {
    sources().chain([WISHBONE])
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

/// A task manager that runs; it ends when dropped.
#[derive(Debug)]
pub struct Simulator {
    child: Child,
    /// There is one until it is dropped.
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

/// A read, or a write of the bytes of a word whose bits are set in `bytes`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Access {
    Read { address: u16 },
    Write { address: u16, bytes: u8, data: u32 },
}

/// How the other end of the bus holds up an access, in cycles, 3 at most.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Delays {
    /// Before the address.
    pub address: u8,
    /// Before what is written, where it has a channel of its own.
    pub data: u8,
    /// Before the response is taken, where that is so.
    pub response: u8,
}

/// What came of an access to the bus.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Answer {
    /// Which of the accesses that were made at once.
    pub index: usize,
    /// What was read.
    pub data: u32,
    /// Cycles from when it could be carried out to the response, that one counted.
    pub cycles: u32,
    /// The cycle of the response, since the reset.
    pub at: u32,
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

/// Compiles the task manager on a bus, with these parameters, in a folder of its own; returns the
/// program. Needs Verilator and a C++ compiler.
pub fn compile(folder: &Path, bus: Bus, parameters: &Parameters) -> Result<PathBuf, Error> {
    compile_with(folder, bus, parameters, &[])
}

/// The same, so that the program tells which lines have been run and which bits have changed.
pub fn compile_for_coverage(
    folder: &Path,
    bus: Bus,
    parameters: &Parameters,
) -> Result<PathBuf, Error> {
    // (wider vectors are what modules say, side by side)
    let options = [
        "--coverage-line",
        "--coverage-toggle",
        "--coverage-max-width",
        "64",
    ];
    compile_with(folder, bus, parameters, &options)
}

fn compile_with(
    folder: &Path,
    bus: Bus,
    parameters: &Parameters,
    options: &[&str],
) -> Result<PathBuf, Error> {
    at(folder, fs::create_dir_all(folder))?;
    let around = [bus.source(), bus.driver()];
    let files = SOURCES.into_iter().chain(around).chain(HARNESS);
    for (name, text) in files.clone() {
        let path = folder.join(name);
        at(&path, fs::write(&path, text))?;
    }
    let top = bus.source().0.trim_end_matches(".sv");
    let compiled = files.map(|(name, _)| name);
    let compiled = compiled.filter(|name| !name.ends_with(".h"));
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
        // (it takes longer to compile than to run)
        .args(["--build-jobs", "2", "-MAKEFLAGS", "OPT_FAST=-O0"])
        .args(["-CFLAGS", "-I.."])
        .args([
            "--Mdir",
            "model",
            "-o",
            PROGRAM,
            "--prefix",
            "Vrtm",
            "--top-module",
            top,
        ])
        .args(options)
        .args(bus.options())
        .args(parameters.for_verilator(""))
        .args(compiled);
    run(&mut command, "verilator")?;
    Ok(folder.join("model").join(PROGRAM))
}

impl Simulator {
    /// Starts a program that [`compile`] has made, after a reset.
    pub fn start(program: &Path) -> Result<Simulator, Error> {
        Simulator::spawn(Command::new(program), program)
    }

    /// Starts a program that [`compile_for_coverage`] has made; when it ends it writes a file.
    pub fn start_for_coverage(program: &Path, file: &Path) -> Result<Simulator, Error> {
        let mut command = Command::new(program);
        command.arg(file);
        Simulator::spawn(command, program)
    }

    fn spawn(mut command: Command, program: &Path) -> Result<Simulator, Error> {
        let child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
        let mut child = at(program, child)?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(Error::Answer(String::new()));
        };
        Ok(Simulator {
            child,
            input: Some(input),
            output: BufReader::new(output),
        })
    }

    /// Reads a word.
    pub fn read(&mut self, address: u16) -> Result<Answer, Error> {
        self.one(Access::Read { address })
    }

    /// Writes the bytes of a word whose bits are set in `bytes`.
    pub fn write(&mut self, address: u16, bytes: u8, data: u32) -> Result<Answer, Error> {
        self.one(Access::Write {
            address,
            bytes,
            data,
        })
    }

    /// Leaves the bus alone for some cycles.
    pub fn idle(&mut self, cycles: u32) -> Result<Answer, Error> {
        let answers = self.ask(&format!("i {cycles:x}"), 1)?;
        Ok(answers[0])
    }

    /// Makes accesses at once, as far as the bus can; returns what came of them in the order in
    /// which they were carried out.
    pub fn access(&mut self, all: &[(Access, Delays)]) -> Result<Vec<Answer>, Error> {
        let line: String = all.iter().map(words).collect();
        self.ask(&line, all.len())
    }

    fn one(&mut self, access: Access) -> Result<Answer, Error> {
        let answers = self.access(&[(access, Delays::default())])?;
        Ok(answers[0])
    }

    fn ask(&mut self, line: &str, count: usize) -> Result<Vec<Answer>, Error> {
        let mut said = String::new();
        if let Some(input) = &mut self.input {
            let asked = writeln!(input, "{line}").and_then(|()| input.flush());
            at(Path::new(PROGRAM), asked)?;
        }
        at(Path::new(PROGRAM), self.output.read_line(&mut said))?;
        let words = said.split_whitespace();
        let numbers: Result<Vec<u32>, _> =
            words.map(|word| u32::from_str_radix(word, 16)).collect();
        let (answers, []) = numbers.as_deref().unwrap_or(&[]).as_chunks() else {
            return Err(Error::Answer(said));
        };
        if answers.len() != count {
            return Err(Error::Answer(said));
        }
        let answer = |&[index, data, cycles, at, interrupts]: &[u32; 5]| Answer {
            index: index as usize,
            data,
            cycles,
            at,
            interrupts: interrupts != 0,
        };
        Ok(answers.iter().map(answer).collect())
    }
}

/// An access as the harness reads it.
fn words((access, delays): &(Access, Delays)) -> String {
    let delays = delays.address | delays.data << 2 | delays.response << 4;
    match *access {
        Access::Read { address } => format!("r {address:x} {delays:x} "),
        Access::Write {
            address,
            bytes,
            data,
        } => {
            format!("w {address:x} {bytes:x} {data:x} {delays:x} ")
        }
    }
}

impl Drop for Simulator {
    fn drop(&mut self) {
        // It ends when there are no more commands, if it has not before.
        self.input = None;
        let _ = self.child.wait();
    }
}
