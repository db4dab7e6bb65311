//! What has been found out of one task manager, and which goals that meets.

use std::fmt;

use clap::ValueEnum;
use giornata_rtm::{Device, Parameters};
use serde::{Deserialize, Serialize};

/// Of the goals and of the paper.
const REFERENCE_RECORDS: u16 = 64;
/// Flip-flops of the paper, and how many percent there may be more.
pub(super) const PAPER_FLIP_FLOPS: u64 = 2304;
const MORE: u64 = 15;
/// MHz of the reference, and with registers in the tree.
const AIMS: [u32; 2] = [60, 120];

/// What is synthesised for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ValueEnum)]
#[serde(rename_all = "lowercase")]
pub(super) enum Target {
    /// LFE5U-45F.
    Ecp5,
    /// iCE40HX8K.
    Ice40,
    /// Standard cells for 180 nm.
    Liberty,
}

impl Target {
    pub(super) const ALL: [Target; 3] = [Target::Ecp5, Target::Ice40, Target::Liberty];

    /// None for standard cells.
    pub(super) fn device(self) -> Option<Device> {
        match self {
            Target::Ecp5 => Some(Device::Ecp5),
            Target::Ice40 => Some(Device::Ice40),
            Target::Liberty => None,
        }
    }

    /// For a heading.
    pub(super) fn title(self) -> &'static str {
        match self {
            Target::Ecp5 => "ECP5: LFE5U-45F, CABGA381, speed grade 6",
            Target::Ice40 => "iCE40: HX8K, CT256",
            Target::Liberty => "Standard cells: OSU, 180 nm",
        }
    }
}

impl fmt::Display for Target {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str(match self {
            Target::Ecp5 => "ecp5",
            Target::Ice40 => "ice40",
            Target::Liberty => "liberty",
        })
    }
}

/// Which parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ValueEnum)]
#[serde(rename_all = "lowercase")]
pub(super) enum Variant {
    /// The paper's architecture.
    Reference,
    /// The same with registers in the comparator tree.
    Pipelined,
    /// All extensions, without those registers.
    Extended,
}

impl Variant {
    pub(super) const ALL: [Variant; 3] =
        [Variant::Reference, Variant::Pipelined, Variant::Extended];

    pub(super) fn parameters(self, records: u16) -> Parameters {
        let variant = match self {
            Variant::Reference => giornata_rtm::Variant::Reference,
            Variant::Pipelined => giornata_rtm::Variant::Pipelined,
            Variant::Extended => giornata_rtm::Variant::Extended,
        };
        variant.parameters(records)
    }

    /// MHz that placement aims at.
    pub(super) fn aim(self) -> u32 {
        match self {
            Variant::Pipelined => AIMS[1],
            Variant::Reference | Variant::Extended => AIMS[0],
        }
    }
}

impl fmt::Display for Variant {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str(match self {
            Variant::Reference => "reference",
            Variant::Pipelined => "pipelined",
            Variant::Extended => "extended",
        })
    }
}

/// One task manager.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Row {
    pub(super) target: Target,
    pub(super) variant: Variant,
    pub(super) records: u16,
    /// Registers in the comparator tree.
    pub(super) stages: u8,
    pub(super) flip_flops: u64,
    #[serde(flatten)]
    pub(super) found: Found,
}

/// What there is beside flip-flops.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub(super) enum Found {
    /// On an FPGA.
    Logic(Logic),
    /// In standard cells.
    Area(Area),
}

/// On an FPGA.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Logic {
    /// Look-up tables of four inputs.
    pub(super) tables: u64,
    /// None: it does not fit, or has not been placed.
    pub(super) frequency: Option<Frequency>,
    /// What there is not enough of.
    pub(super) lacks: Option<String>,
}

/// In standard cells: areas in square micrometres.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Area {
    pub(super) cells: u64,
    pub(super) of_flip_flops: f64,
    pub(super) of_all: f64,
    /// In NAND gates with two inputs.
    pub(super) nands: u64,
    /// In register-bit equivalents.
    pub(super) register_bits: u64,
}

/// MHz over several placements.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Frequency {
    pub(super) seeds: usize,
    pub(super) min: f64,
    pub(super) median: f64,
    pub(super) max: f64,
    /// Where the slowest path of the median begins and ends.
    pub(super) path: (String, String),
}

impl Frequency {
    /// Of at least one placement; of an even number the lower one of the middle.
    pub(super) fn of(mut runs: Vec<(f64, (String, String))>) -> Option<Frequency> {
        runs.sort_by(|one, other| one.0.total_cmp(&other.0));
        let (median, path) = runs.get((runs.len().max(1) - 1) / 2)?.clone();
        Some(Frequency {
            seeds: runs.len(),
            min: hundredths(runs.first()?.0),
            median: hundredths(median),
            max: hundredths(runs.last()?.0),
            path,
        })
    }
}

fn hundredths(value: f64) -> f64 {
    (value * 100.0).round() / 100.0
}

impl From<giornata_rtm::Area> for Area {
    fn from(area: giornata_rtm::Area) -> Area {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "areas are positive, and smaller than a chip"
        )]
        let whole = |value: f64| value.round() as u64;
        Area {
            cells: area.cells,
            of_flip_flops: hundredths(area.of_flip_flops),
            of_all: hundredths(area.of_all),
            nands: whole(area.in_nands()),
            register_bits: whole(area.in_register_bits()),
        }
    }
}

/// A goal that a row can be held against.
#[derive(Debug, PartialEq)]
pub(super) struct Goal {
    pub(super) what: String,
    pub(super) is_met: bool,
}

impl Row {
    /// On an FPGA that it fits.
    pub(super) fn frequency(&self) -> Option<&Frequency> {
        match &self.found {
            Found::Logic(logic) => logic.frequency.as_ref(),
            Found::Area(_) => None,
        }
    }

    /// The goals for it.
    pub(super) fn goals(&self) -> Vec<Goal> {
        let mut goals = Vec::new();
        if self.target != Target::Ecp5 || self.records != REFERENCE_RECORDS {
            return goals;
        }
        if self.variant == Variant::Reference {
            let most = PAPER_FLIP_FLOPS * (100 + MORE) / 100;
            goals.push(Goal {
                what: format!("at most {most} flip-flops"),
                is_met: self.flip_flops <= most,
            });
        }
        if let Some(found) = self
            .frequency()
            .filter(|_| self.variant != Variant::Extended)
        {
            let least = self.variant.aim();
            goals.push(Goal {
                what: format!("at least {least} MHz"),
                is_met: found.median >= f64::from(least),
            });
        }
        goals
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(variant: Variant, flip_flops: u64, megahertz: &[f64]) -> Row {
        let path = || (String::new(), String::new());
        Row {
            target: Target::Ecp5,
            variant,
            records: 64,
            stages: 0,
            flip_flops,
            found: Found::Logic(Logic {
                tables: 0,
                frequency: Frequency::of(megahertz.iter().map(|value| (*value, path())).collect()),
                lacks: None,
            }),
        }
    }

    fn met(row: &Row) -> Vec<bool> {
        row.goals().iter().map(|goal| goal.is_met).collect()
    }

    #[test]
    fn the_median_of_the_placements_is_held_against_the_goal() {
        let slow = row(Variant::Reference, 2649, &[59.9, 70.0, 59.99]);
        assert_eq!(met(&slow), [true, false]);
        let fast = row(Variant::Reference, 2650, &[50.0, 60.0, 60.1]);
        assert_eq!(met(&fast), [false, true]);
        assert_eq!(met(&row(Variant::Pipelined, 0, &[119.0])), [false]);
        assert!(met(&row(Variant::Pipelined, 0, &[])).is_empty());
        assert!(met(&row(Variant::Extended, 0, &[1.0])).is_empty());
    }

    #[test]
    fn the_median_of_an_even_number_is_the_lower_one() {
        let row = row(Variant::Reference, 0, &[4.0, 1.0, 3.0, 2.0]);
        let found = row
            .frequency()
            .map(|found| (found.min, found.median, found.max, found.seeds));
        assert_eq!(found, Some((1.0, 2.0, 4.0, 4)));
    }
}
