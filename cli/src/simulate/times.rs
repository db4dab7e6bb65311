//! How long jobs and upcalls take, and what guards answer.

use std::collections::BTreeSet;

use giornata_abi::Duration;
use giornata_abi::module::Module;
use giornata_lang::spelling::nearest;
use giornata_sim::{Chance, Work};
use giornata_system::model::{self, Model};
use giornata_system::names::ThreadRole;
use giornata_trace::{task_label, tasks};
use serde_json::{Value, json};

use super::machine::Machine;
use super::missing::Missing;
use crate::complaint::Complaint;
use crate::report::Report;

const UNITS: &str = "write a number and a unit: 20us, 1.5ms, 2s";

/// What is not said one by one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rule {
    Worst,
    Best,
    Uniform,
}

/// The execution times of one simulation.
#[derive(Clone, Debug)]
pub(crate) struct Times {
    rule: Rule,
    chance: Chance,
    /// By thread.
    jobs: Vec<Time>,
    /// By driver.
    upcalls: Vec<Time>,
}

/// What is known of one task or driver.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Time {
    given: Option<Duration>,
    worst: Duration,
}

impl Times {
    /// The times that `--exec-time` and the machine's own statements come to;
    /// `None` if something is wrong or missing, which has been reported.
    pub(crate) fn of(
        machine: &Machine,
        words: &[String],
        seed: u64,
        report: &mut Report,
    ) -> Option<Times> {
        let mut times = Times {
            rule: Rule::Worst,
            chance: Chance::new(seed),
            jobs: machine.model.threads.iter().map(worst_job).collect(),
            upcalls: worst_upcalls(machine),
        };
        let mut sound = true;
        for word in words {
            if let Err(complaint) = times.take(machine, word) {
                report.diagnose(complaint);
                sound = false;
            }
        }
        for task in times.untimed(machine) {
            report.diagnose(Missing::of(machine, task));
            sound = false;
        }
        sound.then_some(times)
    }

    fn take(&mut self, machine: &Machine, word: &str) -> Result<(), Complaint> {
        let Some((name, text)) = word.split_once('=') else {
            self.rule = rule(word)?;
            return Ok(());
        };
        let given = Some(duration(text)?);
        match find(machine, name)? {
            Found::Task(thread) => self.jobs[usize::from(thread)].given = given,
            Found::Drivers(drivers) => {
                for driver in drivers {
                    self.upcalls[usize::from(driver)].given = given;
                }
            }
        }
        Ok(())
    }

    /// Tasks whose times nobody states though they are needed.
    fn untimed(&self, machine: &Machine) -> Vec<u16> {
        let unknown = |task: &u16| {
            let time = self.jobs[usize::from(*task)];
            time.given.is_none() && time.worst == Duration::ZERO
        };
        let needed = self.rule != Rule::Best;
        tasks(&machine.names)
            .filter(|task| needed && unknown(task))
            .collect()
    }

    /// The time of a job or upcall, by its number from 1. O(1).
    pub(crate) fn time(&self, work: Work, number: u32) -> Duration {
        let time = match work {
            Work::Job(thread) => self.jobs.get(usize::from(thread)),
            Work::Upcall(driver) => self.upcalls.get(usize::from(driver)),
        };
        let Some(time) = time else {
            return Duration::ZERO;
        };
        match (time.given, self.rule) {
            (Some(given), _) => given,
            (None, Rule::Worst) => time.worst,
            (None, Rule::Best) => Duration::ZERO,
            (None, Rule::Uniform) => self.chance.up_to(work, number, time.worst),
        }
    }

    /// What is drawn or taken, in words.
    pub(crate) fn describe(&self) -> &'static str {
        let all = || self.jobs.iter().chain(&self.upcalls);
        let some = all().any(|time| time.given.is_some());
        let rest = all().any(|time| time.given.is_none() && time.worst != Duration::ZERO);
        match (self.rule, some, rest) {
            (_, true, false) => "given times",
            (Rule::Worst, true, true) => "given and worst-case times",
            (Rule::Best, true, true) => "given times, none for other jobs",
            (Rule::Uniform, true, true) => "given and uniform times",
            (Rule::Worst, false, _) => "worst-case times",
            (Rule::Best, false, _) => "no time for any job",
            (Rule::Uniform, false, _) => "uniform times",
        }
    }

    /// The shortest and the longest time of a task's jobs, in ns.
    pub(crate) fn range(&self, task: u16) -> Value {
        let time = self
            .jobs
            .get(usize::from(task))
            .copied()
            .unwrap_or_default();
        let (least, most) = match (time.given, self.rule) {
            (Some(given), _) => (given, given),
            (None, Rule::Worst) => (time.worst, time.worst),
            (None, Rule::Best) => (Duration::ZERO, Duration::ZERO),
            (None, Rule::Uniform) => (Duration::ZERO, time.worst),
        };
        json!({"min": least.0, "max": most.0})
    }
}

fn rule(word: &str) -> Result<Rule, Complaint> {
    match word {
        "worst" => Ok(Rule::Worst),
        "best" => Ok(Rule::Best),
        "uniform" => Ok(Rule::Uniform),
        _ => Err(Complaint::new(
            "giornata::exec-time",
            format!("`{word}` says no execution times"),
            "write worst, best, uniform, or TASK=DURATION like control=2ms",
        )),
    }
}

/// A duration of the command line.
pub(crate) fn duration(text: &str) -> Result<Duration, Complaint> {
    let nanos = giornata_system::duration(text);
    nanos.map(Duration).ok_or_else(|| {
        let message = format!("`{text}` is not a duration");
        Complaint::new("giornata::duration", message, UNITS)
    })
}

fn worst_job(thread: &model::Thread) -> Time {
    let stated = [thread.wcet, thread.budget];
    let worst = stated.into_iter().find(|nanos| *nanos != 0).unwrap_or(0);
    let is_task = thread.role == ThreadRole::Task;
    Time {
        given: None,
        worst: Duration(if is_task { worst } else { 0 }),
    }
}

/// A driver takes what its program states, else its budget, else no time.
fn worst_upcalls(machine: &Machine) -> Vec<Time> {
    let budget = |driver: &model::Driver| match driver.work {
        model::Work::Upcall { budget, .. } if !machine.is_alone => u64::from(budget),
        _ => 0,
    };
    let model = &machine.model;
    let mut worst: Vec<u64> = model.drivers.iter().map(budget).collect();
    for (index, wcet) in stated_upcalls(model) {
        if let Some(worst) = worst.get_mut(usize::from(index)) {
            *worst = wcet;
        }
    }
    let time = |worst| Time {
        given: None,
        worst: Duration(worst),
    };
    worst.into_iter().map(time).collect()
}

/// The drivers whose times the programs state, in ns.
fn stated_upcalls(model: &Model) -> Vec<(u16, u64)> {
    let of = |program: &model::Program| -> Vec<(u16, u64)> {
        let Ok(module) = Module::parse(&program.module) else {
            return Vec::new();
        };
        let indices = program.drivers.iter().copied();
        let stated = indices.zip(module.drivers().map(|driver| driver.wcet));
        stated.filter(|(_, wcet)| *wcet != 0).collect()
    };
    model.programs.iter().flat_map(of).collect()
}

/// What a name of the command line means.
enum Found {
    Task(u16),
    Drivers(Vec<u16>),
}

/// A task by its name, with or without its program's, or all drivers of a function.
fn find(machine: &Machine, name: &str) -> Result<Found, Complaint> {
    let names = &machine.names;
    let full = |task: u16| {
        let entry = &names.threads[usize::from(task)];
        let program = entry
            .program
            .and_then(|p| names.programs.get(usize::from(p)));
        program.map_or_else(String::new, |p| format!("{}.{}", p.name, entry.name))
    };
    let is_meant =
        |task: &u16| names.threads[usize::from(*task)].name == name || full(*task) == name;
    let found: Vec<u16> = tasks(names).filter(is_meant).collect();
    if let [task] = found[..] {
        return Ok(Found::Task(task));
    }
    if !found.is_empty() {
        let all: Vec<String> = found.into_iter().map(full).collect();
        let message = format!("`{name}` is a task of several programs");
        let help = format!("write one of {}", all.join(", "));
        return Err(Complaint::new("giornata::no-such-task", message, help));
    }
    let drivers = (0u16..).zip(&names.drivers);
    let drivers = drivers.filter(|(_, d)| d.work == "upcall" && d.function == name);
    let drivers: Vec<u16> = drivers.map(|(index, _)| index).collect();
    if drivers.is_empty() {
        return Err(unknown(machine, name));
    }
    Ok(Found::Drivers(drivers))
}

fn unknown(machine: &Machine, name: &str) -> Complaint {
    let names = &machine.names;
    let tasks: Vec<String> = tasks(names).map(|task| task_label(names, task)).collect();
    let upcalls = names.drivers.iter().filter(|d| d.work == "upcall");
    let drivers: BTreeSet<&str> = upcalls.map(|d| d.function.as_str()).collect();
    let drivers: Vec<&str> = drivers.into_iter().collect();
    let known = tasks.iter().map(String::as_str);
    let help = match nearest(name, known.chain(drivers.iter().copied())) {
        Some(meant) => format!("did you mean `{meant}`?"),
        None => format!(
            "there are the tasks {}; and the driver functions {}",
            tasks.join(", "),
            drivers.join(", ")
        ),
    };
    let message = format!("no task or driver function is called `{name}`");
    Complaint::new("giornata::no-such-task", message, help)
}
