//! A simulator: built once for a variant, found again by the hash of all that
//! went into it.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;

use sha2::{Digest, Sha256};

use crate::cluster;
use crate::core_text::adapt;
use crate::error::{Error, at};
use crate::machine::{Machine, Run};
use crate::report::Report;
use crate::wheel::{Wheel, hexadecimal};
use crate::{Core, Variant};

/// The chip and its harness; part of the program, so that no path matters.
const SOURCES: [(&str, &str); 10] = [
    ("arbiter.sv", include_str!("../rtl/arbiter.sv")),
    ("clint.sv", include_str!("../rtl/clint.sv")),
    (
        "interrupt_generator.sv",
        include_str!("../rtl/interrupt_generator.sv"),
    ),
    ("io.sv", include_str!("../rtl/io.sv")),
    ("ram.sv", include_str!("../rtl/ram.sv")),
    ("soc.sv", include_str!("../rtl/soc.sv")),
    ("uart.sv", include_str!("../rtl/uart.sv")),
    ("host_line.cpp", include_str!("../harness/host_line.cpp")),
    ("host_line.h", include_str!("../harness/host_line.h")),
    ("main.cpp", include_str!("../harness/main.cpp")),
];
/// The harts of a chip with one core, and of one with a cluster.
const SINGLE: [(&str, &str); 1] = [("harts_single.sv", include_str!("../rtl/harts_single.sv"))];
const CLUSTER: [(&str, &str); 2] = [
    ("cluster_port.sv", include_str!("../rtl/cluster_port.sv")),
    ("harts_cluster.sv", include_str!("../rtl/harts_cluster.sv")),
];
const CORE: &str = "core.v";
const PROGRAM: &str = "soc";
const VERILATOR: &str = "verilator";
/// Registers without reset start at 0, so that runs do not differ. Warnings are
/// about the core, whose text is not ours. The model is straight lines of bit
/// operations: compiled with more than `-O1` it runs no faster, and the one with
/// a task manager takes twice as long to compile.
const FLAGS: [&str; 18] = [
    "--cc",
    "--exe",
    "--build",
    "-O3",
    "--assert",
    "--x-assign",
    "fast",
    "--x-initial",
    "fast",
    "-Wno-fatal",
    "-Wno-lint",
    "-Wno-style",
    "-CFLAGS",
    "-std=c++17",
    "-MAKEFLAGS",
    "OPT_FAST=-O1",
    "--top-module",
    "soc",
];
const NEEDED: &str = "it builds the simulator; `./x bench` and `./x test` install it";

/// A simulator that is ready to run programs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Simulator {
    program: PathBuf,
    runs: PathBuf,
    core: Core,
}

impl Simulator {
    /// Builds a variant below `folder`, or finds it there. Takes some ten
    /// seconds the first time, with a cluster of harts a minute; several may do it at
    /// once.
    ///
    /// # Errors
    /// The core cannot be fetched or is not the pinned one; Verilator, a C++
    /// compiler or make is missing or fails; with a cluster also Java or Maven.
    pub fn prepare(folder: &Path, variant: Variant) -> Result<Simulator, Error> {
        // Tools run elsewhere.
        let folder = at(folder, std::path::absolute(folder))?;
        let core = verilog(&folder, variant)?;
        let home = folder.join(format!("{}-{}", variant.name(), hash(variant, &core)?));
        let _lock = Lock::take(&home.with_extension("lock"))?;
        let program = home.join(PROGRAM);
        if !program.exists() {
            build(&home, variant, &core)?;
        }
        Ok(Simulator {
            program,
            runs: folder.join("runs"),
            core: variant.core,
        })
    }

    /// The core that it simulates.
    pub fn core(&self) -> Core {
        self.core
    }

    /// Runs a program to its end.
    ///
    /// # Errors
    /// The inputs mean nothing, or the simulator breaks off. How the program
    /// ends is no error.
    pub fn run(&self, run: &Run) -> Result<Report, Error> {
        self.start(run)?.finish()
    }

    /// Starts a program whose output is to be followed.
    ///
    /// # Errors
    /// The inputs mean nothing, or the simulator cannot be started.
    pub fn start(&self, run: &Run) -> Result<Machine, Error> {
        Machine::start(&self.program, &self.runs, run)
    }
}

/// The core as it is built: out of the wheel, or generated.
fn verilog(folder: &Path, variant: Variant) -> Result<String, Error> {
    let name = match variant.core {
        Core::Mmu => "VexRiscv_Linux.v",
        Core::Pmp => "VexRiscv_Secure.v",
        Core::Smp(harts) => return cluster::verilog(folder, harts, variant.caches),
    };
    let name = format!("pythondata_cpu_vexriscv/verilog/{name}");
    let published = Wheel::fetch(folder)?.member(&name)?;
    adapt(published, variant.core, variant.caches)
}

/// Of the sources, the flags and the version of Verilator: 16 digits.
fn hash(variant: Variant, core: &str) -> Result<String, Error> {
    let mut hash = Sha256::new();
    let mut add = |part: &str| {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part);
    };
    add(&version()?);
    add(&variant.name());
    FLAGS.iter().for_each(|flag| add(flag));
    harts(variant).iter().for_each(|option| add(option));
    task_manager(variant).iter().for_each(|option| add(option));
    sources(variant).for_each(|(_, text)| add(text));
    add(core);
    Ok(hexadecimal(&hash.finalize()[..8]))
}

fn version() -> Result<String, Error> {
    let output = Command::new(VERILATOR)
        .arg("--version")
        .output()
        .map_err(|error| missing(VERILATOR, NEEDED, error))?;
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Builds beside the final place and moves the program there in one step.
fn build(home: &Path, variant: Variant, core: &str) -> Result<(), Error> {
    replace_folder(home, |finished| {
        let work = home.with_extension("building");
        if work.exists() {
            at(&work, fs::remove_dir_all(&work))?;
        }
        at(&work, fs::create_dir_all(&work))?;
        let write = |name: &str, text: &str| {
            let path = work.join(name);
            at(&path, fs::write(&path, text))
        };
        write(CORE, core)?;
        for (name, text) in sources(variant) {
            write(name, text)?;
        }
        let mut command = Command::new(VERILATOR);
        command
            .current_dir(&work)
            .args(FLAGS)
            .args(harts(variant))
            .args(variant.waveform.then_some("--trace"))
            .args(task_manager(variant))
            .args(["-j", "0", "--Mdir", "model", "-o", PROGRAM])
            .args(compiled(variant))
            .arg(CORE);
        run_tool(&mut command, NEEDED)?;
        let built = work.join("model").join(PROGRAM);
        at(&built, fs::rename(&built, finished.join(PROGRAM)))?;
        at(&work, fs::remove_dir_all(&work))
    })
}

/// Makes a folder beside its final place and moves it there in one step.
pub(crate) fn replace_folder(
    home: &Path,
    fill: impl FnOnce(&Path) -> Result<(), Error>,
) -> Result<(), Error> {
    let unfinished = home.with_extension("unfinished");
    for old in [&unfinished, home] {
        if old.exists() {
            at(old, fs::remove_dir_all(old))?;
        }
    }
    at(&unfinished, fs::create_dir_all(&unfinished))?;
    fill(&unfinished)?;
    at(home, fs::rename(&unfinished, home))
}

/// All of them: those of the task manager, which a variant may leave out, come first, since they
/// begin with a package.
fn sources(variant: Variant) -> impl Iterator<Item = (&'static str, &'static str)> {
    let harts = match variant.core {
        Core::Mmu | Core::Pmp => &SINGLE[..],
        Core::Smp(_) => &CLUSTER,
    };
    let chip = SOURCES.iter().chain(harts).copied();
    giornata_rtm::sources_on_wishbone().chain(chip)
}

/// Options for the number of harts, of the chip and of the harness.
fn harts(variant: Variant) -> [String; 3] {
    let harts = variant.core.harts();
    [
        format!("-GHarts={harts}"),
        "-CFLAGS".into(),
        format!("-DHARTS={harts}"),
    ]
}

/// Options for the task manager, if the chip has one.
fn task_manager(variant: Variant) -> Vec<String> {
    let parameters = variant.task_manager;
    parameters.map_or_else(Vec::new, |parameters| parameters.for_verilator("Rtm"))
}

/// What the tools are told of; they find the other sources themselves.
fn compiled(variant: Variant) -> impl Iterator<Item = &'static str> {
    let names = sources(variant).map(|(name, _)| name);
    names.filter(|name| !name.ends_with(".h"))
}

/// Runs a tool to its end, quietly.
pub(crate) fn run_tool(command: &mut Command, needed: &'static str) -> Result<(), Error> {
    let program = command.get_program().to_string_lossy().into_owned();
    let output = command
        .output()
        .map_err(|error| missing(&program, needed, error))?;
    if output.status.success() {
        return Ok(());
    }
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    let words: Vec<_> = words.map(|word| word.to_string_lossy()).collect();
    let (out, err) = (
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr),
    );
    Err(Error::Failed {
        command: words.join(" "),
        status: output.status.to_string(),
        output: format!("{out}{err}"),
    })
}

fn missing(program: &str, needed: &'static str, error: std::io::Error) -> Error {
    Error::Tool {
        program: program.into(),
        needed,
        error,
    }
}

/// A file that one process at a time holds, until it is dropped.
pub(crate) struct Lock {
    _held: File,
}

impl Lock {
    pub(crate) fn take(path: &Path) -> Result<Lock, Error> {
        let file = at(path, File::create(path))?;
        at(path, file.lock())?;
        Ok(Lock { _held: file })
    }
}
