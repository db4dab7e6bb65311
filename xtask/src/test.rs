//! `./x test`: everything that continuous integration runs, one line a stage.
//!
//! Each stage is a process of its own, which says how much of the processor it and all that it
//! started have taken: two run at once, and the machine counts by process.

use std::env;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::{Condvar, Mutex, PoisonError};
use std::thread;
use std::time::Instant;

use anyhow::{Context, Result, anyhow, bail, ensure};
use clap::Args;
use serde::{Deserialize, Serialize};

use crate::budget::{Budget, Figure};
use crate::stage::{self, Stage};
use crate::{Verdict, changes, processor};

/// `./x test [STAGE...] [--full] [--changed [REV]] [--bless] [--bless-seconds]`
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct Options {
    /// Only these stages; `--list` names them.
    stages: Vec<String>,
    /// Write what the stages take of the processor into their budget, instead of judging it.
    #[arg(long)]
    bless_seconds: bool,
    #[command(flatten)]
    extent: Extent,
    /// Name the stages.
    #[arg(long)]
    list: bool,
}

/// What a stage may look at.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct Extent {
    /// Long forms: Miri and the property tests with their full counts, coverage.
    #[arg(long)]
    pub(crate) full: bool,
    /// Write golden files of the target suites, and the budget of stage `bench`, anew.
    #[arg(long)]
    pub(crate) bless: bool,
    /// Of the target suites only the cases whose names begin so.
    #[arg(long = "case", value_name = "NAME")]
    pub(crate) cases: Vec<String>,
    /// Of the target suites only what runs on this board.
    #[arg(long, value_name = "BOARD")]
    pub(crate) board: Option<String>,
    /// Only what a change since this revision of git can affect, without one since the last
    /// commit; what was never committed counts. Of the stages those that look at a file that
    /// was changed, of the unit tests those of crates that are made of one.
    #[arg(long, value_name = "REV", num_args = 0..=1, default_missing_value = "HEAD")]
    pub(crate) changed: Option<String>,
}

/// `xtask stage NAME`, as this command calls itself.
#[derive(Clone, Debug, Args)]
pub(crate) struct StageOptions {
    name: String,
    #[command(flatten)]
    extent: Extent,
}

/// What a stage came to, as its process says it.
#[derive(Debug, Serialize, Deserialize)]
struct Outcome {
    /// What there is to note, or what went wrong.
    result: Result<String, String>,
    /// What it has taken of the processor; none where the machine does not tell.
    figure: Option<Figure>,
}

impl Extent {
    /// As arguments.
    fn words(&self) -> Vec<String> {
        let flags = [("--full", self.full), ("--bless", self.bless)];
        let flags = flags.into_iter().filter(|(_, is_set)| *is_set);
        let mut words: Vec<String> = flags.map(|(flag, _)| flag.into()).collect();
        for case in &self.cases {
            words.extend(["--case".into(), case.clone()]);
        }
        let named = [("--board", &self.board), ("--changed", &self.changed)];
        for (option, value) in named {
            if let Some(value) = value {
                words.extend([option.into(), value.clone()]);
            }
        }
        words
    }

    /// Whether all is as continuous integration has it.
    fn is_short(&self) -> bool {
        !self.full
            && !self.bless
            && self.cases.is_empty()
            && self.board.is_none()
            && self.changed.is_none()
    }
}

impl Options {
    /// All stages in their long forms.
    pub(crate) fn full() -> Options {
        Options {
            extent: Extent {
                full: true,
                ..Extent::default()
            },
            ..Options::default()
        }
    }
}

/// Runs the stages; negative if one failed.
pub(crate) fn run(options: &Options) -> Result<Verdict> {
    if options.list {
        stage::ALL
            .iter()
            .for_each(|stage| println!("{:<15} {}{}", stage.name, stage.what, when(stage)));
        return Ok(Verdict::Good);
    }
    let extent = &options.extent;
    ensure!(
        !options.bless_seconds || extent.is_short(),
        "--bless-seconds is for the short form: leave out the other options"
    );
    let mut chosen = choose(&options.stages, extent.full)?;
    if let Some(revision) = &extent.changed {
        let files = changes::files(revision)?;
        chosen = changes::affected(&chosen, &files)?;
        let (count, names) = (files.len(), chosen.iter().map(|stage| stage.name));
        let names = names.collect::<Vec<_>>().join(", ");
        println!("{count} files differ from {revision}, which can affect: {names}");
    }
    let is_whole = options.stages.is_empty() && extent.is_short();
    let budget = match is_whole && !options.bless_seconds {
        true => Some(Budget::committed()?),
        false => None,
    };
    let before = processor::seconds().unwrap_or(0.0);
    let run = |stage: &Stage| {
        let start = Instant::now();
        let mut outcome = start_alone(stage, extent);
        judge(stage, &mut outcome, budget.as_ref());
        print(stage, &outcome, start.elapsed().as_secs_f32());
        outcome
    };
    let outcomes = in_lanes(&chosen, run);
    let taken = || chosen.iter().zip(&outcomes);
    if options.bless_seconds {
        bless(taken())?;
    }
    let sum: f64 = outcomes
        .iter()
        .filter_map(|o| Some(o.figure?.seconds))
        .sum();
    if sum > 0.0 {
        println!("{sum:.0} processor seconds, and {before:.0} of ./x before");
    }
    let failed: Vec<&str> = taken()
        .filter(|(_, outcome)| outcome.result.is_err())
        .map(|(stage, _)| stage.name)
        .collect();
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
    names.iter().map(|name| find(name)).collect()
}

fn find(name: &str) -> Result<&'static Stage> {
    let Some(stage) = stage::ALL.iter().find(|stage| stage.name == name) else {
        bail!("there is no stage `{name}`; `./x test --list` names them");
    };
    Ok(stage)
}

/// How many stages run at once: much of a stage is one program that uses one core.
const LANES: usize = 2;

/// Where the lanes are.
struct Progress<T> {
    /// Which stages have begun.
    begun: Vec<bool>,
    /// What those have come to that have ended.
    ended: Vec<Option<T>>,
}

/// Runs the stages, begun in their order but for those that wait for another one; what each
/// came to.
fn in_lanes<T: Send>(chosen: &[&'static Stage], run: impl Fn(&Stage) -> T + Sync) -> Vec<T> {
    let progress = Mutex::new(Progress {
        begun: vec![false; chosen.len()],
        ended: chosen.iter().map(|_| None).collect(),
    });
    let changed = Condvar::new();
    let lock = || progress.lock().unwrap_or_else(PoisonError::into_inner);
    let lane = || {
        loop {
            let place = {
                let mut progress = lock();
                loop {
                    if progress.begun.iter().all(|begun| *begun) {
                        return;
                    }
                    if let Some(place) = next(chosen, &progress) {
                        progress.begun[place] = true;
                        break place;
                    }
                    progress = changed
                        .wait(progress)
                        .unwrap_or_else(PoisonError::into_inner);
                }
            };
            let outcome = run(chosen[place]);
            lock().ended[place] = Some(outcome);
            changed.notify_all();
        }
    };
    thread::scope(|scope| (0..LANES).for_each(|_| _ = scope.spawn(lane)));
    let ended = progress
        .into_inner()
        .unwrap_or_else(PoisonError::into_inner)
        .ended;
    ended.into_iter().flatten().collect()
}

/// The first stage that has not begun and waits for none of the others.
fn next<T>(chosen: &[&Stage], progress: &Progress<T>) -> Option<usize> {
    let is_over = |name: &&str| {
        let place = chosen.iter().position(|stage| stage.name == *name);
        // (who is not chosen is not waited for)
        place.is_none_or(|place| progress.ended[place].is_some())
    };
    let may = |(place, stage): &(usize, &&Stage)| {
        !progress.begun[*place] && stage.after.iter().all(&is_over)
    };
    let mut stages = chosen.iter().enumerate();
    stages.find(may).map(|(place, _)| place)
}

/// This program, though a stage may have put another one in its place by building all there is.
fn this_program() -> Result<PathBuf> {
    /// What it is in the process that is about to become it, on Linux.
    const RUNNING: &str = "/proc/self/exe";
    let running = PathBuf::from(RUNNING);
    Ok(match running.exists() {
        true => running,
        false => env::current_exe()?,
    })
}

/// Runs a stage in a process of its own.
fn start_alone(stage: &Stage, extent: &Extent) -> Outcome {
    let outcome = || -> Result<Outcome> {
        let mut command = Command::new(this_program()?);
        command.args(["stage", stage.name]).args(extent.words());
        let output = command
            .stdin(Stdio::null())
            .stderr(Stdio::inherit())
            .output()?;
        let text = String::from_utf8_lossy(&output.stdout);
        serde_json::from_str(&text)
            .with_context(|| format!("it ended with {}:\n{text}", output.status))
    };
    outcome().unwrap_or_else(|error| Outcome {
        result: Err(format!("{error:#}")),
        figure: None,
    })
}

/// Runs a stage in this process, and says what it came to.
///
/// # Errors
/// There is no such stage.
pub(crate) fn run_here(options: &StageOptions) -> Result<Verdict> {
    let stage = find(&options.name)?;
    let before = processor::yardstick();
    let result = (stage.run)(&options.extent).map_err(|error| format!("{error:#}"));
    // (it is told how fast the machine was meanwhile)
    let yardstick = before.midpoint(processor::yardstick());
    let figure = processor::seconds().map(|seconds| Figure { seconds, yardstick });
    let is_good = result.is_ok();
    println!("{}", serde_json::to_string(&Outcome { result, figure })?);
    Ok(is_good.into())
}

/// Fails a stage that has taken too much.
fn judge(stage: &Stage, outcome: &mut Outcome, budget: Option<&Budget>) {
    let (Some(budget), Some(figure)) = (budget, outcome.figure) else {
        return;
    };
    if let (Ok(_), Some(complaint)) = (&outcome.result, budget.complaint(stage.name, figure)) {
        outcome.result = Err(complaint);
    }
}

fn print(stage: &Stage, outcome: &Outcome, seconds: f32) {
    let (word, text) = match &outcome.result {
        Ok(note) => ("ok", note.clone()),
        Err(error) => ("FAILED", format!("{}\n{error}", stage.what)),
    };
    let taken = outcome.figure.map(|figure| figure.seconds);
    let taken = taken.map_or("-".into(), |seconds| format!("{seconds:.1}"));
    println!(
        "{:<15} {word:<6} {seconds:>7.1} s, of processors {taken:>7} s  {text}",
        stage.name
    );
}

/// Writes what stages have taken into the budget.
///
/// # Errors
/// One has failed, or the machine does not tell.
fn bless<'a>(taken: impl Iterator<Item = (&'a &'static Stage, &'a Outcome)>) -> Result<()> {
    let mut budget = Budget::committed()?;
    let figures = taken.map(|(stage, outcome)| {
        outcome
            .result
            .as_ref()
            .map_err(|_| anyhow!("{} has failed: its seconds say nothing", stage.name))?;
        let figure = outcome
            .figure
            .context("this machine does not tell seconds of its processor")?;
        Ok((stage.name.to_string(), figure))
    });
    budget.renew(figures.collect::<Result<Vec<_>>>()?);
    let is_there = |name: &str| find(name).is_ok() && !stage::LONG.contains(&name);
    budget.retain(is_there);
    budget.write()
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

    const fn stage(name: &'static str, after: &'static [&'static str]) -> Stage {
        Stage {
            name,
            what: "",
            run: |_| Ok(String::new()),
            inputs: changes::Inputs::ANYTHING,
            after,
        }
    }

    #[test]
    fn every_stage_runs_once_and_comes_to_something_in_its_place() {
        static STAGES: [Stage; 4] = [
            stage("first", &[]),
            stage("second", &["first"]),
            stage("third", &["not-chosen"]),
            stage("fourth", &["first", "second"]),
        ];
        let chosen: Vec<&Stage> = STAGES.iter().collect();
        let names = in_lanes(&chosen, |stage| stage.name);
        assert_eq!(names, ["first", "second", "third", "fourth"]);
    }

    #[test]
    fn a_stage_begins_when_those_that_it_waits_for_have_ended_and_others_pass_it() {
        static STAGES: [Stage; 3] = [
            stage("slow", &[]),
            stage("waits", &["slow"]),
            stage("passes", &[]),
        ];
        let order = Mutex::new(Vec::new());
        let note = |what: String| order.lock().unwrap().push(what);
        let (ended, is_over) = (Mutex::new(false), Condvar::new());
        let chosen: Vec<&Stage> = STAGES.iter().collect();
        in_lanes(&chosen, |stage| {
            note(format!("+{}", stage.name));
            // the first ends when the last has
            if stage.name == "slow" {
                drop(
                    is_over
                        .wait_while(ended.lock().unwrap(), |ended| !*ended)
                        .unwrap(),
                );
            }
            note(format!("-{}", stage.name));
            if stage.name == "passes" {
                *ended.lock().unwrap() = true;
                is_over.notify_all();
            }
        });
        let order = order.into_inner().unwrap();
        let at = |what: &str| order.iter().position(|noted| noted == what).unwrap();
        assert!(
            at("-passes") < at("-slow") && at("-slow") < at("+waits"),
            "{order:?}"
        );
    }

    #[test]
    fn a_stage_beyond_its_budget_fails_and_one_that_failed_is_told_as_it_was() {
        let outcome = |result, seconds| Outcome {
            result,
            figure: Some(Figure {
                seconds,
                yardstick: 1.0,
            }),
        };
        let mut budget = Budget::default();
        budget.renew([(
            "any".into(),
            Figure {
                seconds: 10.0,
                yardstick: 1.0,
            },
        )]);
        let any = stage("any", &[]);
        let judged = |mut outcome: Outcome, budget: Option<&Budget>| {
            judge(&any, &mut outcome, budget);
            outcome.result
        };
        let good = || Ok("note".to_string());
        assert_eq!(judged(outcome(good(), 11.0), Some(&budget)), good());
        assert_eq!(judged(outcome(good(), 99.0), None), good());
        let told = judged(outcome(good(), 99.0), Some(&budget)).unwrap_err();
        assert!(told.contains("99 processor seconds"), "{told}");
        let failed = || Err("broken".to_string());
        assert_eq!(judged(outcome(failed(), 99.0), Some(&budget)), failed());
    }

    #[test]
    fn arguments_reach_the_process_of_a_stage_as_they_are() {
        use clap::Parser;
        #[derive(Parser)]
        struct Line {
            #[command(flatten)]
            options: StageOptions,
        }
        let extent = Extent {
            full: true,
            bless: true,
            cases: vec!["a/".into(), "b".into()],
            board: Some("rtl-pmp".into()),
            changed: Some("HEAD~3".into()),
        };
        let words = ["x", "unit"]
            .map(String::from)
            .into_iter()
            .chain(extent.words());
        let Line { options } = Line::parse_from(words);
        assert_eq!(options.name, "unit");
        assert_eq!(format!("{:?}", options.extent), format!("{extent:?}"));
        assert!(!extent.is_short() && Extent::default().is_short());
    }

    #[test]
    fn what_a_stage_came_to_is_read_as_it_was_written() {
        for result in [Ok("note".to_string()), Err("why\n".to_string())] {
            let figure = Some(Figure {
                seconds: 1.5,
                yardstick: 2.5,
            });
            let written = serde_json::to_string(&Outcome {
                result: result.clone(),
                figure,
            })
            .unwrap();
            let read: Outcome = serde_json::from_str(&written).unwrap();
            assert_eq!((read.result, read.figure), (result, figure));
        }
    }
}
