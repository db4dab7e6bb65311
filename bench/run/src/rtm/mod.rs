//! `./x rtm`: what synthesis makes of the task manager in hardware, beside the goals and the
//! figures of the paper.

mod board;
mod report;
mod rows;

use std::path::{Path, PathBuf};
use std::sync::Mutex;

use anyhow::{Context, Result, ensure};
use clap::{Args, ValueEnum};
use giornata_rtm::{Device, Library, Parameters, Placed, Program, place, synthesise};

use crate::crates::target_folder;
use crate::workers;
use giornata_launch::Verdict;
use rows::{Found, Frequency, Logic, Row, Target, Variant};

/// Records that a task manager can have.
const RECORDS: [u16; 5] = [16, 32, 64, 128, 256];

/// `./x rtm [--records N] [--variant V] [--target T] [--seeds N] [--check] [--document]`
#[derive(Debug, Args)]
pub(crate) struct Options {
    /// Only with so many records: a power of two from 16 to 256.
    #[arg(long, value_name = "N", value_parser = records)]
    records: Option<u16>,
    /// Only these parameters.
    #[arg(long, value_name = "VARIANT")]
    variant: Option<Variant>,
    /// Only for this.
    #[arg(long, value_name = "TARGET")]
    target: Option<Choice>,
    /// What the processor of `--target litex` starts with: a program at address 0, as raw bytes.
    #[arg(long, value_name = "FILE")]
    rom: Option<PathBuf>,
    /// Placements of each, which begin from seeds 1, 2, ...; 0: only synthesis.
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(..=99))]
    seeds: u32,
    /// Fail if a goal is missed.
    #[arg(long)]
    check: bool,
    /// Write the tables into docs/results.
    #[arg(long)]
    document: bool,
}

/// What can be asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Choice {
    /// LFE5U-45F.
    Ecp5,
    /// iCE40HX8K.
    Ice40,
    /// The area in standard cells.
    Liberty,
    /// A bitstream for a board: a system-on-chip of LiteX with the task manager.
    Litex,
}

/// One row to be.
struct Case {
    target: Target,
    variant: Variant,
    records: u16,
}

/// Prints a table a target; negative if `--check` finds a goal missed.
///
/// # Errors
/// A tool is not there or fails; options that do not go together.
pub(crate) fn run(options: &Options) -> Result<Verdict> {
    let only = match options.target {
        Some(Choice::Litex) => return board::run(options),
        Some(Choice::Ecp5) => Some(Target::Ecp5),
        Some(Choice::Ice40) => Some(Target::Ice40),
        Some(Choice::Liberty) => Some(Target::Liberty),
        None => None,
    };
    ensure!(
        options.rom.is_none(),
        "`--rom` is the program of a board: it goes with `--target litex`"
    );
    let mut cases = Vec::new();
    for target in Target::ALL {
        for variant in Variant::ALL {
            for records in RECORDS {
                let is_meant = only.is_none_or(|only| only == target)
                    && options.variant.is_none_or(|only| only == variant)
                    && options.records.is_none_or(|only| only == records);
                if is_meant {
                    cases.push(Case {
                        target,
                        variant,
                        records,
                    });
                }
            }
        }
    }
    install(&cases)?;
    let document = Mutex::new(());
    let rows = workers::each(&cases, |case| {
        let row = measure(case, options.seeds).with_context(|| case.name())?;
        eprintln!("{}", case.name());
        if options.document {
            // (all take an hour or more: what there is stays if the rest is interrupted)
            let _alone = document.lock();
            report::write(std::slice::from_ref(&row))?;
        }
        Ok(row)
    });
    let rows: Vec<Row> = rows.into_iter().collect::<Result<_>>()?;
    print!("{}", report::plain(&rows));
    let misses = rows.iter().flat_map(Row::goals).any(|goal| !goal.is_met);
    Ok(match options.check && misses {
        true => Verdict::Negative,
        false => Verdict::Good,
    })
}

/// A number of records that there can be.
fn records(text: &str) -> Result<u16, String> {
    let number = text.parse().ok().filter(|number| RECORDS.contains(number));
    number.ok_or_else(|| "a task manager has 16, 32, 64, 128 or 256 records".into())
}

/// Where yosys and nextpnr are.
fn tools() -> PathBuf {
    target_folder().join("rtm/tools")
}

/// Installs what these cases need.
fn install(cases: &[Case]) -> Result<()> {
    Program::Yosys.install(&tools())?;
    for target in Target::ALL {
        if cases.iter().any(|case| case.target == target) {
            match target.device() {
                Some(device) => device.program().install(&tools())?,
                None => drop(Library::fetch(&tools())?),
            }
        }
    }
    Ok(())
}

impl Case {
    fn name(&self) -> String {
        format!("{} {} {}", self.target, self.variant, self.records)
    }
}

/// Synthesises a task manager.
fn measure(case: &Case, seeds: u32) -> Result<Row> {
    let folder = target_folder()
        .join("rtm")
        .join(case.name().replace(' ', "-"));
    let parameters = case.variant.parameters(case.records);
    let (flip_flops, found) = match case.target.device() {
        Some(device) => {
            let aim = case.variant.aim();
            let (flip_flops, logic) = on_device(&folder, device, &parameters, aim, seeds)?;
            (flip_flops, Found::Logic(logic))
        }
        None => {
            let area = Library::fetch(&tools())?.area(&tools(), &folder, &parameters)?;
            (area.flip_flops, Found::Area(area.into()))
        }
    };
    Ok(Row {
        target: case.target,
        variant: case.variant,
        records: case.records,
        stages: parameters.stages,
        flip_flops,
        found,
    })
}

/// Its flip-flops, and what else it takes of a device; it is placed from each seed.
fn on_device(
    folder: &Path,
    device: Device,
    parameters: &Parameters,
    aim: u32,
    seeds: u32,
) -> Result<(u64, Logic)> {
    let synthesised = synthesise(&tools(), folder, parameters, device)?;
    let latches = synthesised.latches;
    ensure!(latches == 0, "{latches} latches");
    let mut lacks = None;
    let mut runs = Vec::new();
    for seed in 1..=seeds {
        match place(&tools(), folder, device, seed, aim)? {
            Placed::Runs { megahertz, path } => runs.push((megahertz, path)),
            Placed::DoesNotFit(what) => {
                lacks = Some(what);
                break;
            }
        }
    }
    let logic = Logic {
        tables: synthesised.tables,
        frequency: Frequency::of(runs),
        lacks,
    };
    Ok((synthesised.flip_flops, logic))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_powers_of_two_from_16_to_256_are_numbers_of_records() {
        assert_eq!(records("64"), Ok(64));
        for wrong in ["0", "8", "63", "512", "-64", "many", ""] {
            assert!(records(wrong).is_err(), "{wrong}");
        }
    }
}
