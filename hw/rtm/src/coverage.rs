//! What of the task manager has been exercised in simulation.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::simulator::{Error, at, run};

/// How much of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Share {
    /// What was.
    pub covered: u32,
    /// What there is.
    pub all: u32,
}

/// Coverage by simulations, taken together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Coverage {
    /// Blocks of lines that are run under one condition.
    pub lines: Share,
    /// Bits of signals and ports that have changed.
    pub toggles: Share,
    /// Where what is not covered stands: module, file and line, and what it is.
    pub missing: Vec<String>,
}

impl Coverage {
    /// Of files that simulations have written, merged in a folder by `verilator_coverage`.
    pub fn merged(folder: &Path, files: &[PathBuf]) -> Result<Coverage, Error> {
        let merged = folder.join("coverage.dat");
        let mut command = Command::new("verilator_coverage");
        command.arg("--write").arg(&merged).args(files);
        run(&mut command, "verilator_coverage")?;
        Ok(Coverage::parse(&at(&merged, fs::read_to_string(&merged))?))
    }

    /// Each line is `C 'KEY' COUNT`; a key is a list of names and values, each after a control
    /// character.
    fn parse(text: &str) -> Coverage {
        let mut coverage = Coverage::default();
        for line in text.lines() {
            let Some((key, count)) = line.strip_prefix("C '").and_then(|l| l.rsplit_once("' "))
            else {
                continue;
            };
            let value = |name: &str| {
                let mut fields = key
                    .split('\u{1}')
                    .filter_map(|field| field.split_once('\u{2}'));
                fields
                    .find(|(n, _)| *n == name)
                    .map_or("", |(_, value)| value)
            };
            let page = value("page");
            let share = match page.starts_with("v_toggle") {
                true => &mut coverage.toggles,
                false => &mut coverage.lines,
            };
            share.all += 1;
            if count != "0" {
                share.covered += 1;
            } else {
                let [file, line, what] = ["f", "l", "o"].map(value);
                let place = value("h");
                coverage
                    .missing
                    .push(format!("{place} {file}:{line} {what}"));
            }
        }
        coverage
    }
}

impl Share {
    /// In percent; all of it if there is nothing.
    pub fn percent(&self) -> f64 {
        match self.all {
            0 => 100.0,
            all => 100.0 * f64::from(self.covered) / f64::from(all),
        }
    }
}

impl fmt::Display for Coverage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{:.1} % of lines, {:.1} % of toggles",
            self.lines.percent(),
            self.toggles.percent()
        )
    }
}
