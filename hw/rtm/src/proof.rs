//! Proofs by induction that the task manager answers as `formal/model.sv` does, however long it
//! has been running.

use std::fs;
use std::path::Path;

use crate::Parameters;
use crate::simulator::{Error, at, sources};
use crate::tools::{Program, run_python};

const MODEL: (&str, &str) = ("model.sv", include_str!("../formal/model.sv"));

/// Installs yosys below a folder, if it is not there. Needs Python with pip, and PyPI.
pub fn install(tools: &Path) -> Result<(), Error> {
    Program::Yosys.install(tools)
}

/// Proves that a task manager with these parameters is its model, in a folder of its own, with
/// the yosys of [`install`]: what holds for so many cycles holds in the next, and it holds for so
/// many from a reset on.
pub fn prove(
    tools: &Path,
    folder: &Path,
    parameters: &Parameters,
    cycles: u32,
) -> Result<(), Error> {
    at(folder, fs::create_dir_all(folder))?;
    let files: Vec<_> = sources().chain([MODEL]).collect();
    for (name, text) in &files {
        let path = folder.join(name);
        at(&path, fs::write(&path, text))?;
    }
    let names: Vec<&str> = files.iter().map(|(name, _)| *name).collect();
    let script = format!(
        "read_verilog -sv -formal {}\nhierarchy -top model {}\n\
         proc\nmemory_map\nflatten\nasync2sync\nopt -full\n\
         chformal -cover -remove\nchformal -lower\nsetattr -unset init\n\
         sat -verify -prove-asserts -set-assumes -set-init-zero -tempinduct -maxsteps {cycles} \
         model\n",
        names.join(" "),
        parameters.for_yosys(),
    );
    let path = folder.join("proof.ys");
    at(&path, fs::write(&path, script))?;
    let mut command = Program::Yosys.command(tools, folder);
    let said = run_python(command.arg("proof.ys"), "yosys")?;
    match said.contains("Induction step proven: SUCCESS!") {
        true => Ok(()),
        false => Err(Error::Tool {
            name: "yosys",
            said,
        }),
    }
}
