//! The task manager on an FPGA board, in a system-on-chip of LiteX (`litex/soc.py`): its design,
//! and a bitstream for the ULX3S.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::simulator::{Error, at};
use crate::synthesis::all_sources;
use crate::tools::{PYTHON, Program, install, run_python};

const REQUIREMENTS: &str = include_str!("../litex/requirements.txt");
const SCRIPT: (&str, &str) = ("soc.py", include_str!("../litex/soc.py"));
const DESIGN: &str = "design";
/// What nextpnr is told of the board, as LiteX does.
const BOARD: [&str; 5] = ["--45k", "--package", "CABGA381", "--speed", "6"];

/// What has come of a board's design.
#[derive(Clone, Debug, PartialEq)]
pub struct Board {
    /// MHz that the system's clock can have, by its slowest path.
    pub megahertz: f64,
    /// What is used of the device.
    pub used: Vec<Use>,
    /// Loads the design into the board.
    pub bitstream: PathBuf,
}

/// How many of a kind of cells are used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Use {
    /// As nextpnr calls it.
    pub kind: String,
    /// How many.
    pub used: u64,
    /// Of how many.
    pub available: u64,
}

/// Installs LiteX, yosys and nextpnr below the folder of tools.
///
/// # Errors
/// As [`Program::install`].
pub fn install_for_board(tools: &Path) -> Result<(), Error> {
    Program::Yosys.install(tools)?;
    Program::NextpnrEcp5.install(tools)?;
    install(&tools.join("litex"), REQUIREMENTS)
}

/// Generates the design with so many records, synthesises it, places and routes it from a seed,
/// and makes a bitstream of it. The processor starts with the program, if there is one.
///
/// # Errors
/// A tool fails, or says what is not understood.
pub fn build_for_board(
    tools: &Path,
    folder: &Path,
    records: u16,
    seed: u32,
    program: Option<&Path>,
) -> Result<Board, Error> {
    let rtl = folder.join("rtl");
    at(&rtl, fs::create_dir_all(&rtl))?;
    for (name, text) in all_sources() {
        let path = rtl.join(name);
        at(&path, fs::write(&path, text))?;
    }
    let script = folder.join(SCRIPT.0);
    at(&script, fs::write(&script, SCRIPT.1))?;
    let mut litex = Command::new(PYTHON);
    litex
        .current_dir(folder)
        .env("PYTHONPATH", tools.join("litex"))
        .arg(SCRIPT.0)
        .args(["--rtl", "rtl", "--output", DESIGN])
        .args(["--records", &records.to_string()])
        .args(["--stages", if records == 16 { "1" } else { "2" }]);
    if let Some(program) = program {
        litex.arg("--rom").arg(program);
    }
    run_python(&mut litex, "LiteX")?;

    let gateware = folder.join(DESIGN).join("gateware");
    let mut yosys = Program::Yosys.command(tools, &gateware);
    run_python(yosys.args(["-q", "system.ys"]), "yosys")?;
    let mut nextpnr = Program::NextpnrEcp5.command(tools, &gateware);
    nextpnr
        .args(BOARD)
        .args(["--json", "system.json", "--lpf", "system.lpf"])
        .args(["--textcfg", "system.config", "--report", "report.json"])
        .args(["--timing-allow-fail", "--seed", &seed.to_string()]);
    run_python(&mut nextpnr, "nextpnr-ecp5")?;
    let mut ecppack = Program::Ecppack.command(tools, &gateware);
    ecppack.args(["--compress", "system.config", "--bit", "system.bit"]);
    run_python(&mut ecppack, "ecppack")?;

    let path = gateware.join("report.json");
    let text = at(&path, fs::read_to_string(&path))?;
    let report: Option<Value> = serde_json::from_str(&text).ok();
    let found = report.as_ref().and_then(understood);
    let (megahertz, used) = found.ok_or_else(|| Error::Tool {
        name: "nextpnr-ecp5",
        said: format!("{}: not what was expected", path.display()),
    })?;
    Ok(Board {
        megahertz,
        used,
        bitstream: gateware.join("system.bit"),
    })
}

/// Frequency of the slowest clock, and what is used, of a report of nextpnr: the system has one
/// clock, which is called after any of the modules that it goes to.
fn understood(report: &Value) -> Option<(f64, Vec<Use>)> {
    let clocks = report["fmax"].as_object()?.values();
    let frequencies = clocks.filter_map(|clock| clock["achieved"].as_f64());
    let slowest = frequencies.min_by(f64::total_cmp)?;
    let kinds = report["utilization"].as_object()?.iter();
    let used = kinds.filter_map(|(kind, counts)| {
        let found = Use {
            kind: kind.clone(),
            used: counts["used"].as_u64()?,
            available: counts["available"].as_u64()?,
        };
        (found.used > 0).then_some(found)
    });
    Some((slowest, used.collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frequency_and_use_are_found_in_a_report() {
        let report = serde_json::json!({
            "fmax": { "$glbnet$cpu.clk": { "achieved": 51.5, "constraint": 50.0 } },
            "utilization": {
                "TRELLIS_FF": { "available": 43848, "used": 4000 },
                "DCUA": { "available": 2, "used": 0 },
            },
        });
        let used = vec![Use {
            kind: "TRELLIS_FF".into(),
            used: 4000,
            available: 43848,
        }];
        assert_eq!(understood(&report), Some((51.5, used)));
        assert_eq!(understood(&serde_json::json!({ "fmax": {} })), None);
    }
}
