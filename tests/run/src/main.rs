//! Stages of `./x test` that build systems themselves and look at what their traces say; the
//! command starts them. What one shows is printed, and what went wrong.
//!
//! Exit codes: 0 good, 1 something is not as it should be.

#![forbid(unsafe_code)]

mod capacities;
mod conversation;
mod repeat;
mod run;
mod several;
mod suite;

use std::process::ExitCode;

use anyhow::{Result, bail};
use clap::{Args, Parser, Subcommand};
pub(crate) use giornata_repository::{crates, giornata, workers};

use crate::crates::BOARDS;
use crate::suite::Findings;

/// Of the chips, the one whose UART takes the commands of stage `hostlink`.
const UART: &str = "rtl-pmp";

#[derive(Debug, Parser)]
#[command(name = "giornata-suites", disable_help_subcommand = true)]
struct Arguments {
    #[command(subcommand)]
    stage: Stage,
    #[command(flatten)]
    extent: Extent,
}

#[derive(Clone, Copy, Debug, Subcommand)]
enum Stage {
    /// The target suites in QEMU, against golden files.
    Target,
    /// Those of them that simulated chips run.
    Chips,
    /// The target suites on several harts.
    Harts,
    /// The long forms of the target suites.
    Soak,
    /// Two runs of the example.
    Repeat,
    /// A bystander beside processes that make the most of what they were given.
    Capacities,
    /// A machine in flight, and the host tool beside it.
    Hostlink,
}

/// How much of a stage runs.
#[derive(Debug, Args)]
pub(crate) struct Extent {
    /// Long forms.
    #[arg(long, global = true)]
    pub(crate) full: bool,
    /// Golden files are written anew.
    #[arg(long, global = true)]
    pub(crate) bless: bool,
    /// What the names of the cases of target suites begin with; none: all.
    #[arg(long = "case", value_name = "NAME", global = true)]
    pub(crate) cases: Vec<String>,
    /// The board of the target suites; without it all.
    #[arg(long, value_name = "BOARD", global = true)]
    board: Option<String>,
}

impl Extent {
    /// Whether a case of the target suites runs on a board.
    pub(crate) fn has(&self, case: &str, board: &str) -> bool {
        let is_named = self.cases.iter().any(|name| case.starts_with(name));
        let is_board = self.board.as_ref().is_none_or(|only| only == board);
        (self.cases.is_empty() || is_named) && is_board
    }

    /// Whether somebody asks for some cases, or for a board: they run then.
    pub(crate) fn is_chosen(&self) -> bool {
        !self.cases.is_empty() || self.board.is_some()
    }
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let extent = &arguments.extent;
    let result = match arguments.stage {
        Stage::Target => suite::run(extent).and_then(judged),
        Stage::Chips => suite::run_short(extent).and_then(judged),
        Stage::Harts => several::run(extent).and_then(judged),
        Stage::Soak => suite::soak().and_then(soaked),
        Stage::Repeat => repeat::check(),
        Stage::Capacities => capacities::check(extent.full, extent.bless),
        Stage::Hostlink => match extent.full {
            false => conversation::check(&BOARDS[..1], &[]),
            true => conversation::check(&BOARDS, &[UART]),
        },
    };
    match result {
        Ok(note) => {
            println!("{note}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{error:#}");
            ExitCode::from(1)
        }
    }
}

/// How many systems have run, and what there is to note; fails if a suite complains.
fn judged(findings: Findings) -> Result<String> {
    let Findings {
        cases,
        notes,
        complaints,
    } = findings;
    if !complaints.is_empty() {
        let (count, text) = (complaints.len(), complaints.join("\n"));
        bail!("{count} of {cases} systems:\n{text}");
    }
    let notes: String = notes.iter().map(|note| format!("\n{note}")).collect();
    Ok(format!("{cases} systems{notes}"))
}

/// As [`judged`], and what went well is told when something did not.
fn soaked(findings: Findings) -> Result<String> {
    let notes = findings.notes.join("\n");
    judged(findings).map_err(|error| error.context(notes))
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn arguments_of_all_stages_go_together() {
        Arguments::command().debug_assert();
        let words = [
            "suites", "target", "--case", "a/", "--case", "b/c", "--full",
        ];
        let Arguments { extent, .. } = Arguments::try_parse_from(words).unwrap();
        assert!(extent.full && extent.has("b/cd", "any") && !extent.has("b/d", "any"));
    }

    #[test]
    fn complaints_fail_a_suite_and_are_counted() {
        let findings = |complaints: &[&str]| Findings {
            cases: 3,
            notes: vec!["quiet".into()],
            complaints: complaints.iter().map(ToString::to_string).collect(),
        };
        assert_eq!(judged(findings(&[])).unwrap(), "3 systems\nquiet");
        let told = judged(findings(&["one"])).unwrap_err().to_string();
        assert_eq!(told, "1 of 3 systems:\none");
        let told = format!("{:#}", soaked(findings(&["one"])).unwrap_err());
        assert!(told.contains("quiet") && told.contains("one"), "{told}");
    }
}
