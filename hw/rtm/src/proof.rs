//! Proofs by induction, which hold however long the task manager has been running: that it answers
//! as `formal/model.sv` does, and that it keeps the rules of its bus in `formal/axi_lite.sv`.

use std::fs;
use std::path::Path;

use crate::Parameters;
use crate::simulator::{Bus, Error, at, sources};
use crate::tools::{Program, run_python};

const MODEL: (&str, &str) = ("model.sv", include_str!("../formal/model.sv"));
const RULES: (&str, &str) = ("axi_lite.sv", include_str!("../formal/axi_lite.sv"));

/// What can be proved of a task manager.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Claim {
    /// It answers as the model does.
    AnswersAsModel,
    /// It keeps the rules of AXI4-Lite, and the master's part towards what it is a bus for.
    KeepsAxiLite,
}

/// Proves a claim of a task manager with these parameters, in a folder of its own, with the yosys
/// of [`install_yosys`](crate::install_yosys): what holds for so many cycles holds in the next, and it holds for so many from a
/// reset on.
pub fn prove(
    tools: &Path,
    folder: &Path,
    claim: Claim,
    parameters: &Parameters,
    cycles: u32,
) -> Result<(), Error> {
    at(folder, fs::create_dir_all(folder))?;
    let (top, own) = match claim {
        Claim::AnswersAsModel => ("model", vec![MODEL]),
        Claim::KeepsAxiLite => ("axi_lite", vec![Bus::AxiLite.source(), RULES]),
    };
    let files: Vec<_> = sources().chain(own).collect();
    for (name, text) in &files {
        let path = folder.join(name);
        at(&path, fs::write(&path, text))?;
    }
    let names: Vec<&str> = files.iter().map(|(name, _)| *name).collect();
    let script = format!(
        "read_verilog -sv -formal {}\nhierarchy -top {top} {}\n\
         proc\nmemory_map\nflatten\nasync2sync\nopt -full\n\
         chformal -cover -remove\nchformal -lower\nsetattr -unset init\n\
         sat -verify -prove-asserts -set-assumes -set-init-zero -tempinduct -maxsteps {cycles} \
         {top}\n",
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
