//! `./x test`: everything that continuous integration runs, one line a stage.

use std::panic::resume_unwind;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Instant;

use anyhow::{Result, bail};
use clap::Args;

use crate::stage::{self, Stage};
use giornata_launch::Verdict;

/// `./x test [STAGE...] [--full] [--bless]`
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct Options {
    /// Only these stages; `--list` names them.
    stages: Vec<String>,
    /// Long forms: Miri and the property tests with their full counts, coverage.
    #[arg(long)]
    full: bool,
    /// Write golden files of the target suites, and the budget of stage `bench`, anew.
    #[arg(long)]
    bless: bool,
    /// Of the target suites only the cases whose names begin so.
    #[arg(long, value_name = "NAME")]
    case: Vec<String>,
    /// Of the target suites only what runs on this board.
    #[arg(long, value_name = "BOARD")]
    board: Option<String>,
    /// Name the stages.
    #[arg(long)]
    list: bool,
}

/// What a stage may look at.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Extent<'a> {
    /// Long forms.
    pub(crate) full: bool,
    /// Golden files and the budget of operations are written anew.
    pub(crate) bless: bool,
    /// What the names of the cases of target suites begin with; empty: all.
    pub(crate) cases: &'a [String],
    /// The board of the target suites; `None`: all.
    board: Option<&'a str>,
}

impl Extent<'_> {
    /// Whether a case of the target suites runs on a board.
    pub(crate) fn has(&self, case: &str, board: &str) -> bool {
        let is_named = self.cases.iter().any(|name| case.starts_with(name));
        (self.cases.is_empty() || is_named) && self.board.is_none_or(|only| only == board)
    }
}

impl Options {
    /// All stages in their long forms.
    pub(crate) fn full() -> Options {
        Options {
            full: true,
            ..Options::default()
        }
    }
}

/// Runs the stages; negative if one failed.
pub(crate) fn run(options: &Options) -> Result<Verdict> {
    if options.list {
        stage::ALL
            .iter()
            .for_each(|stage| println!("{:<10} {}{}", stage.name, stage.what, when(stage)));
        return Ok(Verdict::Good);
    }
    let chosen = choose(&options.stages, options.full)?;
    let extent = Extent {
        full: options.full,
        bless: options.bless,
        cases: &options.case,
        board: options.board.as_deref(),
    };
    let failed = failures(&chosen, extent);
    let passed = chosen.len() - failed.len();
    if failed.is_empty() {
        println!("{passed} passed");
        return Ok(Verdict::Good);
    }
    // What went wrong may lie far above.
    println!(
        "{passed} passed, {} failed: {}",
        failed.len(),
        failed.join(", ")
    );
    Ok(Verdict::Negative)
}

/// When a stage runs that does not always.
fn when(stage: &Stage) -> &'static str {
    match stage::LONG.contains(&stage.name) {
        true => " (with --full, or by its name)",
        false => "",
    }
}

fn choose(names: &[String], full: bool) -> Result<Vec<&'static Stage>> {
    if names.is_empty() {
        let is_chosen = |stage: &&Stage| full || !stage::LONG.contains(&stage.name);
        return Ok(stage::ALL.iter().filter(is_chosen).collect());
    }
    let find = |name: &String| {
        let Some(stage) = stage::ALL.iter().find(|stage| stage.name == name) else {
            bail!("there is no stage `{name}`; `./x test --list` names them");
        };
        Ok(stage)
    };
    names.iter().map(find).collect()
}

/// How many stages run at once: much of a stage is one program that uses one core.
const LANES: usize = 2;

/// Runs the stages, begun in their order, and names those that fail, in that order.
fn failures(chosen: &[&'static Stage], extent: Extent<'_>) -> Vec<&'static str> {
    let next = AtomicUsize::new(0);
    let lane = || {
        let mut failed = Vec::new();
        loop {
            let place = next.fetch_add(1, Ordering::Relaxed);
            let Some(stage) = chosen.get(place) else {
                return failed;
            };
            if !passes(stage, extent) {
                failed.push(place);
            }
        }
    };
    let mut failed: Vec<usize> = thread::scope(|scope| {
        let lanes: Vec<_> = (0..LANES).map(|_| scope.spawn(lane)).collect();
        let ended = lanes.into_iter().map(|lane| lane.join());
        ended
            .flat_map(|ended| ended.unwrap_or_else(|panic| resume_unwind(panic)))
            .collect()
    });
    failed.sort_unstable();
    let names = failed.into_iter().filter_map(|place| chosen.get(place));
    names.map(|stage| stage.name).collect()
}

fn passes(stage: &Stage, extent: Extent<'_>) -> bool {
    let start = Instant::now();
    let result = (stage.run)(extent);
    let seconds = start.elapsed().as_secs_f32();
    let (word, text) = match &result {
        Ok(note) => ("ok", note.clone()),
        Err(error) => (
            "FAILED",
            stage.what.to_string() + "\n" + &format!("{error:#}"),
        ),
    };
    println!("{:<10} {word:<6} {seconds:>7.1} s  {text}", stage.name);
    result.is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_names_all_stages_run_in_order_and_long_ones_in_the_long_form() {
        let names = |full| -> Vec<&str> {
            let chosen = choose(&[], full).unwrap();
            chosen.iter().map(|stage| stage.name).collect()
        };
        assert_eq!(names(true).first(), Some(&"format"));
        assert_eq!(names(true).len(), stage::ALL.len());
        assert_eq!(names(false).len() + stage::LONG.len(), stage::ALL.len());
        assert!(!names(false).contains(&"coverage"));
    }

    #[test]
    fn a_stage_of_the_long_form_runs_when_it_is_named() {
        let chosen = choose(&["coverage".into()], false).unwrap();
        assert_eq!(chosen.first().map(|stage| stage.name), Some("coverage"));
    }

    #[test]
    fn an_unknown_stage_is_refused() {
        assert!(choose(&["format".into(), "no-such-stage".into()], false).is_err());
    }

    #[test]
    fn every_stage_runs_once_and_those_that_fail_are_named_in_their_order() {
        static BEGUN: AtomicUsize = AtomicUsize::new(0);
        fn good(_: Extent<'_>) -> Result<String> {
            BEGUN.fetch_add(1, Ordering::Relaxed);
            Ok(String::new())
        }
        fn bad(_: Extent<'_>) -> Result<String> {
            BEGUN.fetch_add(1, Ordering::Relaxed);
            bail!("as it should")
        }
        const fn stage(name: &'static str, run: fn(Extent<'_>) -> Result<String>) -> Stage {
            Stage {
                name,
                what: "",
                run,
            }
        }
        static STAGES: [Stage; 4] = [
            stage("first", bad),
            stage("second", good),
            stage("third", bad),
            stage("fourth", good),
        ];
        let chosen: Vec<&Stage> = STAGES.iter().collect();
        let extent = Extent {
            full: false,
            bless: false,
            cases: &[],
            board: None,
        };
        assert_eq!(failures(&chosen, extent), ["first", "third"]);
        assert_eq!(BEGUN.load(Ordering::Relaxed), STAGES.len());
    }
}
