//! The task manager on an FPGA: flip-flops and look-up tables after synthesis, and the frequency
//! after placement and routing.

use std::fs;
use std::path::Path;

use serde::Deserialize;
use serde_json::Value;

use crate::Parameters;
use crate::simulator::{Error, at, sources_on_wishbone};
use crate::tools::{Program, run_python};

/// What is around the records: the bus, and registers at each input and output.
const REGISTERED: (&str, &str) = ("registered.sv", include_str!("../synth/registered.sv"));
const TOP: &str = "registered";
const NETLIST: &str = "netlist.json";
const CELLS: &str = "cells.json";
const LATCHES: &str = "latches.txt";
/// How many of the registers at inputs and outputs there are.
const AT_BORDERS: [&str; 2] = ["inputs.txt", "outputs.txt"];

/// Parameters that are reported together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Variant {
    /// [`Parameters::REFERENCE`].
    Reference,
    /// [`Parameters::PIPELINED`].
    Pipelined,
    /// [`Parameters::EXTENDED`].
    Extended,
}

impl Variant {
    /// For so many records; of registers in the tree as many as it has room for.
    pub fn parameters(self, records: u16) -> Parameters {
        let base = match self {
            Variant::Reference => Parameters::REFERENCE,
            Variant::Pipelined => Parameters::PIPELINED,
            Variant::Extended => Parameters::EXTENDED,
        };
        // (fewer registers than levels, each of which finds the first of four)
        let room = (records.ilog2().div_ceil(2)).saturating_sub(1);
        Parameters {
            stages: base.stages.min(u8::try_from(room).unwrap_or(u8::MAX)),
            ..base.with_records(records)
        }
    }
}

/// A device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Device {
    /// LFE5U-45F of speed grade 6, 43,848 look-up tables.
    Ecp5,
    /// iCE40HX8K, 7,680 logic cells.
    Ice40,
}

impl Device {
    /// Places and routes.
    pub fn program(self) -> Program {
        match self {
            Device::Ecp5 => Program::NextpnrEcp5,
            Device::Ice40 => Program::NextpnrIce40,
        }
    }

    fn options(self) -> &'static [&'static str] {
        match self {
            Device::Ecp5 => &[
                "--45k",
                "--package",
                "CABGA381",
                "--speed",
                "6",
                "--out-of-context",
            ],
            Device::Ice40 => &["--hx8k", "--package", "ct256", "--pcf-allow-unconstrained"],
        }
    }

    fn synthesis(self) -> &'static str {
        match self {
            Device::Ecp5 => "synth_ecp5",
            Device::Ice40 => "synth_ice40",
        }
    }

    /// Cells that are flip-flops begin so, and their input is called so.
    fn flip_flop(self) -> (&'static str, &'static str) {
        match self {
            Device::Ecp5 => ("TRELLIS_FF", "DI"),
            Device::Ice40 => ("SB_DFF", "D"),
        }
    }

    /// Look-up tables of a cell.
    fn tables(self, cell: &str) -> u64 {
        match (self, cell) {
            (Device::Ecp5, "LUT4") | (Device::Ice40, "SB_LUT4") => 1,
            // two bits of a carry chain
            (Device::Ecp5, "CCU2C") => 2,
            _ => 0,
        }
    }
}

/// What the task manager takes, without the registers around it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Logic {
    /// Flip-flops.
    pub flip_flops: u64,
    /// Look-up tables of four inputs, carry chains counted.
    pub tables: u64,
    /// Latches, which nobody wants.
    pub latches: u64,
}

/// What has come of placement and routing.
#[derive(Clone, Debug, PartialEq)]
pub enum Placed {
    /// It fits, and runs at so many MHz.
    Runs {
        /// By the slowest path.
        megahertz: f64,
        /// The cells between which it is.
        path: (String, String),
    },
    /// It needs more than there is.
    DoesNotFit(String),
}

#[derive(Deserialize)]
struct Cells {
    design: Design,
}

#[derive(Deserialize)]
struct Design {
    num_cells_by_type: serde_json::Map<String, Value>,
}

/// Name and text of all that is synthesised, in their order.
pub(crate) fn all_sources() -> impl Iterator<Item = (&'static str, &'static str)> {
    sources_on_wishbone().chain([REGISTERED])
}

/// Writes the sources into a folder; returns the commands of yosys that read them and set the
/// parameters of a module.
pub(crate) fn elaboration(
    folder: &Path,
    top: &str,
    parameters: &Parameters,
) -> Result<String, Error> {
    at(folder, fs::create_dir_all(folder))?;
    let mut names = String::new();
    for (name, text) in all_sources() {
        let path = folder.join(name);
        at(&path, fs::write(&path, text))?;
        names = names + " " + name;
    }
    let mut script = format!("read_verilog -sv{names}\nhierarchy -top {top}");
    for (name, value) in parameters.values() {
        script += &format!(" -chparam {name} {value}");
    }
    Ok(script + "\n")
}

/// Runs commands of yosys in a folder.
pub(crate) fn run_yosys(tools: &Path, folder: &Path, script: &str) -> Result<(), Error> {
    const SCRIPT: &str = "synthesis.ys";
    let path = folder.join(SCRIPT);
    at(&path, fs::write(&path, script))?;
    let mut yosys = Program::Yosys.command(tools, folder);
    run_python(yosys.args(["-q", SCRIPT]), "yosys").map(drop)
}

/// Synthesises a task manager in a folder of its own, with the yosys of [`Program::install`].
///
/// # Errors
/// yosys fails, or says what is not understood.
pub fn synthesise(
    tools: &Path,
    folder: &Path,
    parameters: &Parameters,
    device: Device,
) -> Result<Logic, Error> {
    let synthesis = device.synthesis();
    let (flip_flop, input) = device.flip_flop();
    let [inputs, outputs] = AT_BORDERS;
    // (latches become look-up tables)
    let script = elaboration(folder, TOP, parameters)?
        + &format!(
            "proc\n\
             tee -q -o {LATCHES} select -count t:$dlatch t:$adlatch t:$dlatchsr\n\
             {synthesis} -top {TOP} -json {NETLIST}\n\
             tee -q -o {CELLS} stat -json\n\
             tee -q -o {inputs} select -count i:* %co1:+[{input}] t:{flip_flop}* %i\n\
             tee -q -o {outputs} select -count o:* %ci1:+[Q] t:{flip_flop}* %i\n"
        );
    run_yosys(tools, folder, &script)?;
    let cells = cells(&folder.join(CELLS))?;
    let sum = |each: &dyn Fn(&str) -> u64| -> u64 {
        let counts = cells.iter();
        counts.map(|(name, count)| each(name) * count).sum()
    };
    let all = sum(&|name| u64::from(name.starts_with(flip_flop)));
    let at_borders = count(&folder.join(inputs))? + count(&folder.join(outputs))?;
    Ok(Logic {
        flip_flops: all.saturating_sub(at_borders),
        tables: sum(&|name| device.tables(name)),
        latches: count(&folder.join(LATCHES))?,
    })
}

/// Kinds of cells and how many of each, as yosys has written them.
pub(crate) fn cells(path: &Path) -> Result<Vec<(String, u64)>, Error> {
    let text = at(path, fs::read_to_string(path))?;
    let cells: Cells = serde_json::from_str(&text).map_err(|error| unclear(path, error))?;
    let cells = cells.design.num_cells_by_type.into_iter();
    Ok(cells
        .filter_map(|(name, value)| value.as_u64().map(|count| (name, count)))
        .collect())
}

/// The number of objects that yosys has selected.
fn count(path: &Path) -> Result<u64, Error> {
    let text = at(path, fs::read_to_string(path))?;
    let number = text.split_whitespace().next().and_then(|n| n.parse().ok());
    number.ok_or_else(|| unclear(path, &text))
}

fn unclear(path: &Path, what: impl ToString) -> Error {
    Error::Tool {
        name: "a tool",
        said: format!("{}: {}", path.display(), what.to_string()),
    }
}

/// Places and routes what [`synthesise`] has left in the folder, aiming at a frequency. The same
/// seed gives the same result.
///
/// # Errors
/// nextpnr is not there, fails for another reason than that the device is too small, or says
/// what is not understood.
pub fn place(
    tools: &Path,
    folder: &Path,
    device: Device,
    seed: u32,
    megahertz: u32,
) -> Result<Placed, Error> {
    let program = device.program();
    let report = format!("report-{seed}.json");
    let mut nextpnr = program.command(tools, folder);
    nextpnr
        .args(device.options())
        .args([
            "--json",
            NETLIST,
            "--report",
            &report,
            "--timing-allow-fail",
        ])
        .args(["--freq", &megahertz.to_string()])
        .args(["--seed", &seed.to_string()]);
    let said = run_python(&mut nextpnr, program.name());
    match said {
        Ok(_) => slowest(&folder.join(report)),
        Err(Error::Tool { name, said }) => match lacks(&said) {
            Some(what) => Ok(Placed::DoesNotFit(what)),
            None => Err(Error::Tool { name, said }),
        },
        Err(error) => Err(error),
    }
}

/// The slowest path of a report.
fn slowest(path: &Path) -> Result<Placed, Error> {
    let text = at(path, fs::read_to_string(path))?;
    let report: Value = serde_json::from_str(&text).map_err(|error| unclear(path, error))?;
    let clocks = report["fmax"].as_object();
    let clock = clocks.and_then(|clocks| match clocks.len() {
        1 => clocks.iter().next(),
        _ => None,
    });
    let achieved = clock.and_then(|(name, fmax)| Some((name, fmax["achieved"].as_f64()?)));
    let (name, megahertz) = achieved.ok_or_else(|| unclear(path, "not one clock"))?;
    let edge = format!("posedge {name}");
    let paths = report["critical_paths"].as_array();
    let path = paths.into_iter().flatten();
    let steps = path
        .filter(|path| path["from"] == edge && path["to"] == edge)
        .find_map(|path| path["path"].as_array());
    let cell = |step: Option<&Value>, end: &str| {
        let name = step.and_then(|step| step[end]["cell"].as_str());
        name.unwrap_or("?").to_string()
    };
    let first = steps.and_then(|steps| steps.first());
    let last = steps.and_then(|steps| steps.last());
    Ok(Placed::Runs {
        megahertz,
        path: (cell(first, "from"), cell(last, "to")),
    })
}

/// What a design needs more of than there is, by the table of what it uses:
/// `Info:   TRELLIS_COMB:  8817/  43848    20%`.
fn lacks(said: &str) -> Option<String> {
    said.lines().find_map(|line| {
        let (kind, rest) = line.strip_prefix("Info:")?.trim().split_once(':')?;
        let (used, rest) = rest.split_once('/')?;
        let used: u64 = used.trim().parse().ok()?;
        let available: u64 = rest.split_whitespace().next()?.parse().ok()?;
        (used > available).then(|| format!("needs {used} of {available} {kind}"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tree_of_few_levels_has_few_registers() {
        let stages = |records| Variant::Pipelined.parameters(records).stages;
        assert_eq!([16, 32, 64, 128, 256].map(stages), [1, 2, 2, 2, 2]);
        assert_eq!(Variant::Pipelined.parameters(64), Parameters::PIPELINED);
        assert_eq!(Variant::Extended.parameters(64), Parameters::EXTENDED);
    }

    #[test]
    fn what_a_device_lacks_is_found_in_the_table_of_its_use() {
        let table = "Info: Device utilisation:\n\
                     Info: \t         ICESTORM_LC:    9120/   7680   118%\n\
                     Info: \t        ICESTORM_RAM:       0/     32     0%\n";
        let lacking = Some("needs 9120 of 7680 ICESTORM_LC".to_string());
        assert_eq!(lacks(table), lacking);
        assert_eq!(lacks(&table.replace("9120", "7680")), None);
    }
}
