//! `giornata simulate FILE`

mod functions;
mod guards;
mod harts;
mod machine;
mod missing;
mod outcome;
mod times;

use std::fs;
use std::path::Path;

use giornata_abi::{Duration, Instant};
use giornata_records::Description;
use giornata_sim::{Scheduler, Simulation, describe, hyperperiod, shortest_deadlines};
use giornata_system::NameMap;
use giornata_trace::{
    Breach, Content, Expansion, Recording, Scale, Schedule, Statistics, UpTo, encode, margin,
    picture,
};
use terminal_size::{Width, terminal_size_of};

use crate::arguments::{Policy, Simulate};
use crate::complaint::Complaint;
use crate::report::{Report, Verdict};
use functions::Functions;
use guards::Guards;
use harts::Occupancy;
use machine::Machine;
use outcome::Outcome;
use times::Times;

/// Columns where no terminal says how many it has.
const COLUMNS: u16 = 80;
/// Columns of the picture.
const PICTURE: usize = 200;

/// Runs a program or system on a virtual clock.
pub(crate) fn run(arguments: &Simulate, report: &mut Report) -> Verdict {
    let file = arguments.input.path();
    report.tell("file", file.display().to_string());
    let plan = match Plan::of(&file, arguments, report) {
        Ok(plan) => plan,
        Err(verdict) => return verdict,
    };
    let scales = plan.scales(arguments);
    let kept = scales[0].end().max(scales[1].end());
    let (outcome, stream) = plan.carry_out(kept);
    if let Some(why) = plan.machine.functions.as_ref().and_then(Functions::failure) {
        let help = "the function that ran last is wrong: run it by a test in its crate";
        report.diagnose(Complaint::new("giornata::functions", why, help));
        return Verdict::Negative;
    }
    let title = plan.title();
    if let Some(path) = &arguments.record
        && let Err(complaint) = record(path, outcome.names, &stream)
    {
        report.diagnose(complaint);
        return Verdict::BadInput;
    }
    if let Some(path) = &arguments.svg
        && let Err(complaint) = draw(path, &title, &outcome, scales[1])
    {
        report.diagnose(complaint);
        return Verdict::BadInput;
    }
    plan.tell(arguments, report);
    outcome.tell(&plan.times, report);
    outcome.say(&title, scales[0], &plan.notes(), report);
    outcome.verdict()
}

/// Everything that a simulation needs.
struct Plan {
    machine: Machine,
    /// The machine as its kernel sees it.
    system: Description,
    times: Times,
    guards: Guards,
    length: Duration,
    hyperperiod: Option<Duration>,
    scheduler: Option<Scheduler>,
}

impl Plan {
    fn of(file: &Path, arguments: &Simulate, report: &mut Report) -> Result<Plan, Verdict> {
        let mut machine = Machine::open(file, arguments.functions, report)?;
        let several = harts::apply(arguments.harts, &mut machine.model);
        let length = length(&arguments.length);
        let guards = Guards::of(&machine, &arguments.guard, arguments.seed);
        let scheduler = arguments.scheduler.map(scheduler);
        let fits = fits(&machine, scheduler);
        let times = Times::of(&machine, &arguments.exec_time, arguments.seed, report);
        match (length, guards, fits.and(several), times) {
            (Ok(length), Ok(guards), Ok(()), Some(times)) => {
                if let Some(scheduler) = scheduler {
                    scheduler.apply(&mut machine.model);
                }
                let system = describe(&machine.model).map_err(|refusal| {
                    report.diagnose_report(&refusal.into());
                    Verdict::BadInput
                })?;
                Ok(Plan {
                    hyperperiod: hyperperiod(&machine.modules()),
                    machine,
                    system,
                    times,
                    guards,
                    length,
                    scheduler,
                })
            }
            (length, guards, fits, _) => {
                let complaints = [length.err(), guards.err(), fits.err()];
                let complaints = complaints.into_iter().flatten();
                complaints.for_each(|complaint| report.diagnose(complaint));
                Err(Verdict::BadInput)
            }
        }
    }

    /// The scales of the chart and of the picture.
    fn scales(&self, arguments: &Simulate) -> [Scale; 2] {
        let shown = self.hyperperiod.map_or(self.length, |h| h.min(self.length));
        let deadlines = shortest_deadlines(&self.machine.model);
        let released = deadlines.into_iter().flatten();
        let shortest = released.filter(|nanos| (1..u64::MAX).contains(nanos)).min();
        // the end of the chart has a column of its own
        let taken = margin(&self.machine.names) + 1;
        let columns = usize::from(arguments.width.unwrap_or_else(columns));
        let fit = |columns| Scale::fit(shown, shortest.map(Duration), columns);
        [fit(columns.saturating_sub(taken)), fit(PICTURE)]
    }

    /// Runs it; slices and jobs are kept up to `kept`. Answers the trace as a
    /// board sends it as well.
    fn carry_out(&self, kept: Instant) -> (Outcome<'_>, Vec<u8>) {
        let names = &self.machine.names;
        let end = Instant(self.length.0);
        let mut totals = Statistics::new(names);
        let mut schedule = Schedule::new(names, kept);
        let mut breaches: Vec<Breach> = Vec::new();
        let all = self.machine.model.board.harts;
        let mut occupancy = Occupancy::new(all, names);
        let mut window = UpTo::new(end, names);
        let mut expansion = Expansion::new(self.system.timer_hertz);
        let mut stream = Vec::new();
        let mut simulation = Simulation::new(&self.system);
        if let Some(functions) = &self.machine.functions {
            functions.connect(&self.machine.model, &mut simulation);
        }
        self.guards.connect(&mut simulation);
        simulation.set_durations(|work, number| self.times.time(work, number));
        simulation.listen(|index, record| {
            encode(index, &record, &mut stream);
            expansion.push(index, record, |event| {
                if window.admits(&event) {
                    totals.observe(&event);
                    schedule.observe(&event);
                    occupancy.observe(&event);
                    if let Content::Violation(breach) = event.content {
                        breaches.push(breach);
                    }
                }
            });
        });
        simulation.run_until(end);
        drop(simulation);
        schedule.close(end);
        occupancy.close(end);
        let outcome = Outcome {
            names,
            totals,
            schedule,
            breaches,
            occupancy,
            harts: harts::running(&self.machine.model),
            length: self.length,
            hyperperiod: self.hyperperiod,
        };
        (outcome, stream)
    }

    fn scheduler(&self) -> String {
        if let Some(scheduler) = self.scheduler {
            return name(scheduler).into();
        }
        let programs = self.machine.names.programs.iter();
        let mut schedules: Vec<&str> = programs
            .map(|program| match program.schedule.as_str() {
                "s" => "S code",
                other => other,
            })
            .collect();
        schedules.sort_unstable();
        schedules.dedup();
        schedules.join(" and ")
    }

    fn title(&self) -> String {
        let system = &self.machine.names.system;
        let on = match harts::running(&self.machine.model) {
            1 => String::new(),
            harts => format!(" on {harts} harts"),
        };
        format!(
            "{system}: {}{on}, {}",
            self.scheduler(),
            self.times.describe()
        )
    }

    /// What the simulation leaves out.
    fn notes(&self) -> Vec<String> {
        let note = |what: &str, names: &[String]| {
            (!names.is_empty()).then(|| format!("note: {what}: {}", names.join(", ")))
        };
        let shut: Vec<String> = self.guards.shut().into_iter().map(str::to_owned).collect();
        let threads = self.machine.ordinary_threads();
        [
            note("guards that answer false (--guard NAME=true)", &shut),
            note("threads that do nothing here", &threads),
            note("interrupts that never come", &self.machine.interrupts()),
        ]
        .into_iter()
        .flatten()
        .collect()
    }

    fn tell(&self, arguments: &Simulate, report: &mut Report) {
        report.tell("scheduler", self.scheduler());
        report.tell("execution_times", self.times.describe());
        report.tell("seed", arguments.seed);
        report.tell("guards_shut", self.guards.shut());
        report.tell("threads_left_out", self.machine.ordinary_threads());
        report.tell("interrupts_left_out", self.machine.interrupts());
        if let Some(path) = &arguments.record {
            report.tell("trace", path.display().to_string());
        }
        if let Some(path) = &arguments.svg {
            report.tell("svg", path.display().to_string());
        }
    }
}

fn length(text: &str) -> Result<Duration, Complaint> {
    let length = times::duration(text)?;
    if length == Duration::ZERO {
        let message = "a simulation of no time shows nothing";
        return Err(Complaint::new(
            "giornata::duration",
            message,
            "write `--for 1s`",
        ));
    }
    Ok(length)
}

/// Where S code schedules there is nothing left to choose.
fn fits(machine: &Machine, scheduler: Option<Scheduler>) -> Result<(), Complaint> {
    match (machine.with_s_code(), scheduler) {
        (Some(program), Some(_)) => Err(Complaint::new(
            "giornata::s-code",
            format!("program `{program}` carries S code, which schedules its tasks"),
            "leave `--scheduler` out, or simulate the program without S code",
        )),
        _ => Ok(()),
    }
}

fn scheduler(policy: Policy) -> Scheduler {
    match policy {
        Policy::Edf => Scheduler::EarliestDeadline,
        Policy::Rm => Scheduler::RateMonotonic,
        Policy::Fifo => Scheduler::FirstInFirstOut,
    }
}

fn name(scheduler: Scheduler) -> &'static str {
    match scheduler {
        Scheduler::EarliestDeadline => "edf",
        Scheduler::RateMonotonic => "rm",
        Scheduler::FirstInFirstOut => "fifo",
    }
}

/// Columns of the terminal, if the standard output is one.
fn columns() -> u16 {
    terminal_size_of(std::io::stdout()).map_or(COLUMNS, |(Width(columns), _)| columns.max(20))
}

fn record(path: &Path, names: &NameMap, stream: &[u8]) -> Result<(), Complaint> {
    let heading = Recording::heading(names).map_err(std::io::Error::from);
    let written = heading.and_then(|heading| fs::write(path, [&heading, stream].concat()));
    written.map_err(|error| {
        let message = format!("{} cannot be written: {error}", path.display());
        let help = "name another place with `--record OUT`";
        Complaint::new("giornata::unwritable", message, help)
    })
}

fn draw(path: &Path, title: &str, outcome: &Outcome<'_>, scale: Scale) -> Result<(), Complaint> {
    let title = format!("{title}, {}", outcome.part(scale));
    let svg = picture(&title, outcome.names, &outcome.schedule, scale);
    let written = svg.and_then(|svg| fs::write(path, svg).map_err(|error| error.to_string()));
    written.map_err(|error| {
        let message = format!("{} cannot be written: {error}", path.display());
        Complaint::new(
            "giornata::unwritable",
            message,
            "name another place with `--svg OUT`",
        )
    })
}
