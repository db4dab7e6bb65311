//! The target suites on boards of several harts: each system comes to the verdict, and its
//! processes say the lines, that its files state for one hart. Lines of processes whose threads
//! may run at the same time come in any order.

use anyhow::{Result, bail};
use giornata_launch::golden::Golden;
use giornata_launch::transcript;
use giornata_system::image::Memory;
use giornata_trace::first_difference;

use crate::crates::SEVERAL;
use crate::suite::{BLESS, Case, Findings, Outcome, cases, fly_case, judge_run, reason};
use crate::{Extent, workers};

/// Cases, or groups of them, of the short form: of each kind of process one.
const SHORT: [&str; 6] = [
    "objects/count",
    "posix/signals",
    "posix/sync",
    "posix/timers",
    "services/regions",
    "threads/restartable",
];

/// Cases, or groups of them, all of whose lines keep their order: one of their threads runs at a
/// time.
const IN_ORDER: [&str; 2] = ["posix/", "posix-pump/"];

/// Cases, or groups of them, that such a board does not run, and why.
const NOT_THERE: [(&str, &str); 1] = [(
    "interrupts/long",
    "a thousand seconds, in each of which harts have a hundred thousand turns",
)];

/// Cases, or groups of them, of which only that they end is asked, and why.
const OTHERWISE: [(&str, &str); 31] = [
    ("c/hint", ORDER),
    ("c/locks", ORDER),
    ("c/mail", ORDER),
    ("calls/", SERVICES),
    ("emeralds-tour/", ORDER),
    ("harts/detach", ORDER),
    ("hostile/control-pages", HUNGER),
    ("hostile/filters", TURNS),
    ("hostile/loops", HUNGER),
    ("hostile/secrets", TURNS),
    ("hostile/urgent-loop", HUNGER),
    ("interrupts/handlers", TURNS),
    ("interrupts/storm", TURNS),
    ("kills/short", TURNS),
    ("modules/harmed", TURNS),
    ("objects/ceiling", ORDER),
    ("objects/inheritance", ORDER),
    ("ports/granted", HUNGER),
    ("ports/urgent", HUNGER),
    ("posix/accounting", TURNS),
    ("posix/lost", TURNS),
    ("posix/policies", TURNS),
    ("posix/types", TURNS),
    ("services/arrivals", ORDER),
    ("services/mail", ORDER),
    ("services/private", TURNS),
    ("services/timers", TURNS),
    ("upcalls/", TURNS),
    ("verdict/called", HUNGER),
    ("verdict/hung", TURNS),
    ("verdict/spin", HUNGER),
];
/// Why.
const ORDER: &str = "its threads would come in one order only if one hart ran them";
const SERVICES: &str = "a kernel of several harts has calls that this system has none of on one";
const HUNGER: &str = "what keeps one hart from others leaves them the other harts";
const TURNS: &str = "budgets and clocks go on while other emulated harts have their turn";

/// Runs the cases on the boards of several harts.
pub(crate) fn run(extent: &Extent) -> Result<Findings> {
    let memory = Memory::default();
    let cases = cases()?;
    let is_due = |case: &Case| {
        let is_short = SHORT.iter().any(|name| case.name.starts_with(name));
        is_short || extent.full || extent.is_chosen()
    };
    let runs = SEVERAL
        .iter()
        .flat_map(|board| cases.iter().map(|case| (*board, case)))
        .filter(|(board, case)| extent.has(&case.name, board) && is_due(case))
        .filter(|(_, case)| reason(&NOT_THERE, case).is_none());
    let runs: Vec<(&str, &Case)> = runs.collect();
    let flown = workers::each(&runs, |(board, case)| {
        let outcome = fly_case(case, board, &memory)?;
        match reason(&OTHERWISE, case) {
            Some(_) => Ok(()),
            None => judge(&outcome),
        }
    });
    let mut findings = Findings {
        cases: runs.len(),
        ..Findings::default()
    };
    for ((board, case), judged) in runs.iter().zip(flown) {
        if let Err(complaint) = judged {
            findings.complain(board, &case.name, &complaint);
        }
    }
    if extent.full && extent.cases.is_empty() {
        let lists = [(&NOT_THERE[..], "not"), (&OTHERWISE[..], "not judged")];
        for (list, how) in lists {
            let notes = list
                .iter()
                .map(|(case, reason)| format!("{how} {case}: {reason}"));
            findings.notes.extend(notes);
        }
    }
    Ok(findings)
}

/// The board of one hart that is like one of several.
fn one_like(board: &str) -> &str {
    board.trim_end_matches("-smp4")
}

fn judge(outcome: &Outcome) -> Result<()> {
    let one = one_like(outcome.board);
    let text = transcript::read(&outcome.case.golden(), BLESS)?;
    let golden = Golden::parse(&text);
    let (mut expected, lines) = (golden.on(one), outcome.saying().lines);
    let mut said: Vec<&str> = lines.iter().map(String::as_str).collect();
    if !IN_ORDER
        .iter()
        .any(|name| outcome.case.name.starts_with(name))
    {
        expected.sort_unstable();
        said.sort_unstable();
    }
    if let Some(at) = first_difference(&expected, &said) {
        bail!(
            "not all lines are those of one hart: {:?} is missing, or {:?} is too many",
            expected.get(at),
            said.get(at)
        );
    }
    judge_run(&outcome.conclusion, &outcome.case.verdict(one)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boards_of_several_harts_have_one_of_one_beside_them() {
        for board in SEVERAL {
            assert!(crate::crates::BOARDS.contains(&one_like(board)), "{board}");
        }
    }

    #[test]
    fn lists_name_cases_that_there_are() {
        let cases = cases().unwrap();
        let lists = [&NOT_THERE[..], &OTHERWISE];
        let reasons = lists.into_iter().flatten().map(|(name, _)| *name);
        for name in reasons.chain(SHORT).chain(IN_ORDER) {
            let is_there = |case: &Case| case.name.starts_with(name);
            assert!(cases.iter().any(is_there), "{name}");
        }
    }
}
