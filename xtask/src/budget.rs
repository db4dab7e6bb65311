//! What stages of `./x test` may take of the processor: `stage-budget.toml` beside this crate.
//!
//! The figures are of a run on a fresh clone, in which everything is compiled. A run that finds
//! something compiled takes less, so the budget holds for each run of all stages in the short
//! form; a run of some stages is not judged, because they compile what others would have. A
//! machine that is slower than the one of the figures, as the yardstick says (see
//! [`yardstick`](crate::processor::yardstick)), has so much more time; one that is faster has
//! not less.

use std::collections::BTreeMap;
use std::path::PathBuf;

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

use crate::crates::root;

/// From the repository's folder on.
const FILE: &str = "xtask/stage-budget.toml";
/// What stands above the figures.
const HEAD: &str = "\
# Processor seconds of each stage of `./x test` on a fresh clone, user and system, with all
# programs that it starts; and milliseconds of the yardstick on the machine of the figures, while
# it ran. A stage fails that takes 20 % and 5 s more. `./x test --bless-seconds` writes them anew.
";
/// What a stage may take beyond its figure, in percent of it and in seconds.
const MORE: (f64, f64) = (20.0, 5.0);
/// A machine that is so many times as slow is broken.
const SLOWEST: f64 = 3.0;

/// What a stage has taken.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Figure {
    /// Of the processor.
    pub(crate) seconds: f64,
    /// Milliseconds of the yardstick.
    pub(crate) yardstick: f64,
}

/// The figures, by the names of stages.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Budget {
    stage: BTreeMap<String, Figure>,
}

fn path() -> PathBuf {
    root().join(FILE)
}

impl Budget {
    /// The committed one.
    ///
    /// # Errors
    /// It cannot be read.
    pub(crate) fn committed() -> Result<Budget> {
        let text = std::fs::read_to_string(path()).context(FILE)?;
        toml::from_str(&text).context(FILE)
    }

    /// Why a stage takes too much, if it does.
    pub(crate) fn complaint(&self, stage: &str, taken: Figure) -> Option<String> {
        let Some(figure) = self.stage.get(stage) else {
            return Some(format!(
                "{FILE} has no figure for it: `./x test --bless-seconds` writes one"
            ));
        };
        let slower = (taken.yardstick / figure.yardstick).clamp(1.0, SLOWEST);
        let most = (figure.seconds * (1.0 + MORE.0 / 100.0) + MORE.1) * slower;
        (taken.seconds > most).then(|| {
            format!(
                "it took {:.0} processor seconds and may take {most:.0}: {:.0} by {FILE}, {} % and \
                 {} s more, on a machine {slower:.2} times as slow. If it has to be, \
                 `./x test --bless-seconds` on a fresh clone",
                taken.seconds, figure.seconds, MORE.0, MORE.1
            )
        })
    }

    /// Takes what stages cost now.
    pub(crate) fn renew(&mut self, taken: impl IntoIterator<Item = (String, Figure)>) {
        let round = |number: f64| (number * 10.0).round() / 10.0;
        for (name, Figure { seconds, yardstick }) in taken {
            let (seconds, yardstick) = (round(seconds), round(yardstick));
            self.stage.insert(name, Figure { seconds, yardstick });
        }
    }

    /// Forgets stages that there are not any more.
    pub(crate) fn retain(&mut self, is_there: impl Fn(&str) -> bool) {
        self.stage.retain(|name, _| is_there(name));
    }

    /// Writes it into its file.
    ///
    /// # Errors
    /// The file cannot be written.
    pub(crate) fn write(&self) -> Result<()> {
        std::fs::write(path(), self.to_toml()?).context(FILE)
    }

    fn to_toml(&self) -> Result<String> {
        Ok(format!("{HEAD}\n{}", toml::to_string(self)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stage;

    fn budget(seconds: f64, yardstick: f64) -> Budget {
        let mut budget = Budget::default();
        budget.renew([("unit".into(), Figure { seconds, yardstick })]);
        budget
    }

    fn taken(seconds: f64, yardstick: f64) -> Figure {
        Figure { seconds, yardstick }
    }

    #[test]
    fn a_stage_may_take_a_fifth_and_five_seconds_more_and_anything_less() {
        let budget = budget(100.0, 4.0);
        for fits in [0.0, 100.0, 124.9] {
            assert_eq!(budget.complaint("unit", taken(fits, 4.0)), None, "{fits}");
        }
        let told = budget.complaint("unit", taken(125.1, 4.0)).unwrap();
        assert!(told.contains("125 processor seconds"), "{told}");
    }

    #[test]
    fn a_slow_machine_has_more_time_and_a_fast_one_not_less() {
        let budget = budget(100.0, 4.0);
        assert_eq!(budget.complaint("unit", taken(180.0, 6.0)), None);
        assert!(budget.complaint("unit", taken(190.0, 6.0)).is_some());
        assert_eq!(budget.complaint("unit", taken(124.0, 1.0)), None);
        assert!(budget.complaint("unit", taken(380.0, 400.0)).is_some());
    }

    #[test]
    fn a_stage_without_a_figure_is_refused() {
        let told = budget(1.0, 1.0).complaint("other", taken(0.1, 1.0));
        assert!(told.unwrap().contains("no figure"));
    }

    #[test]
    fn figures_are_renewed_one_by_one_and_read_as_they_were_written() {
        let mut budget = budget(1.04, 3.0);
        budget.renew([("lint".into(), taken(20.0, 3.33))]);
        budget.renew([("unit".into(), taken(2.0, 3.0))]);
        let text = budget.to_toml().unwrap();
        assert!(
            text.starts_with('#') && text.contains("[stage.unit]"),
            "{text}"
        );
        assert_eq!(toml::from_str::<Budget>(&text).unwrap(), budget);
        assert!(budget.complaint("unit", taken(9.0, 3.0)).is_some());
        budget.retain(|name| name == "lint");
        assert!(budget.complaint("unit", taken(0.0, 3.0)).is_some());
    }

    #[test]
    fn every_stage_of_the_short_form_has_a_committed_figure_and_no_other() {
        let budget = Budget::committed().unwrap();
        let mut names: Vec<&str> = stage::ALL.iter().map(|stage| stage.name).collect();
        names.retain(|name| !stage::LONG.contains(name));
        names.sort_unstable();
        let figures: Vec<&str> = budget.stage.keys().map(String::as_str).collect();
        assert_eq!(figures, names);
    }
}
