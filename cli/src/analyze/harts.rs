//! What is said of several harts: each test, and what shows the verdict.

use giornata_abi::Duration;
use giornata_analysis::global::{Fit, Lack, Sporadic, Test, by_rates, load, partition, sporadic};
use giornata_analysis::timeline::show;
use giornata_analysis::{
    Global, Periodic, Policy, Says, Strategy, Verdict as Schedulability, global, greatest_factor,
    walk_on,
};
use serde_json::{Value, json};

use super::show_witness;
use crate::arguments::StrategyName;
use crate::margins::factor;
use crate::report::{Report, Verdict};
use crate::subject::Subject;

/// Whether E code is schedulable on harts that run the first of one queue.
pub(super) fn analyze(
    title: &str,
    harts: u32,
    strategy: StrategyName,
    subject: &Subject,
    report: &mut Report,
) -> Verdict {
    let Subject {
        program,
        code,
        times,
        ..
    } = subject;
    let title = format!("{title} on {harts} harts");
    let order = match strategy {
        StrategyName::Rm => Strategy::RateMonotonic,
        _ => Strategy::EarliestDeadline,
    };
    let walked = walk_on(program, code, times, order, harts);
    let view = sporadic(program, code, times).unwrap_or_default();
    let policy = match strategy {
        StrategyName::Rm => by_rates(program, code, &view),
        _ => Policy::EarliestDeadline,
    };
    // (of tasks that are beyond the view nothing is shown)
    let is_known = !view.is_empty() || program.tasks.is_empty();
    let found = is_known.then(|| global(&view, harts, &policy));
    let shown_by = found.as_ref().and_then(Global::shown_by);
    report.tell("states", walked.states);
    report.tell("shown_by", shown_by.map(Test::name));
    let closest = found.as_ref().and_then(Global::closest);
    report.tell("closest", closest.map(|(test, _)| test.name()));
    let verdict = match (&walked.verdict, shown_by) {
        (Schedulability::NotSchedulable(witness), _) => {
            report.tell("schedulability", "not schedulable");
            show_witness(subject, witness, report);
            let text = witness.text(program);
            report.say(format!("{title}: not schedulable\n{text}"));
            Verdict::Negative
        }
        (_, Some(test)) => {
            report.tell("schedulability", "schedulable");
            report.say(format!("{title}: schedulable, as {} shows\n", test.name()));
            Verdict::Good
        }
        (walked, None) => {
            report.tell("schedulability", "unknown");
            report.say(format!(
                "{title}: unknown, {}\n",
                why(walked, found.as_ref())
            ));
            Verdict::Unknown
        }
    };
    let Some(found) = found else { return verdict };
    show_load(&view, report);
    show_tests(&found, subject, report);
    show_margin(&view, harts, &policy, subject, report);
    show_tasks(&view, &found, subject, report);
    show_partition(&view, harts, &policy, subject, report);
    verdict
}

/// Why nothing is known.
fn why(walked: &Schedulability, found: Option<&Global>) -> String {
    let Some(found) = found else {
        return "no test applies: it has too many states, or does not leave jobs the whole of their windows".to_owned();
    };
    let run = match walked {
        Schedulability::Unknown { limit } => {
            format!("its runs are not followed beyond {limit} states, or triggers at once")
        }
        _ => "no job is late where all take their worst-case times".to_owned(),
    };
    let closest = found.closest().map_or_else(String::new, |(test, _)| {
        format!("; the closest is {}", test.name())
    });
    format!("no test shows it, and {run}{closest}")
}

/// What a test cannot exclude.
fn explain(lack: &Lack, subject: &Subject) -> String {
    let task = lack.task.map(|task| subject.program.task_name(task));
    let [needed, fits] = [lack.needed(), lack.fits()];
    match (task, lack.interval) {
        (Some(task), Some(interval)) => format!(
            "in {} that end with a window of {task} others may run {} before it, and it leaves {}",
            show(interval),
            show(Duration(needed)),
            show(Duration(fits))
        ),
        (Some(task), None) if lack.is_time => format!(
            "{task} may need {}, and has {}",
            show(Duration(needed)),
            show(Duration(fits))
        ),
        (Some(task), None) => format!(
            "where {task} waits, others may load {} harts, and {} fit",
            factor(needed),
            factor(fits)
        ),
        (None, _) => format!(
            "tasks may need {} harts, and {} fit",
            factor(needed),
            factor(fits)
        ),
    }
}

fn show_load(view: &[Sporadic], report: &mut Report) {
    let load = load(view);
    report.tell("load_permille", load);
    report.say(format!(
        "load {} harts, where each task comes as often as it can\n",
        factor(load)
    ));
}

fn show_tests(found: &Global, subject: &Subject, report: &mut Report) {
    let mut rows = Vec::new();
    for (test, says) in &found.tests {
        let name = test.name();
        let (word, text) = match says {
            Says::Schedulable => ("schedulable", "schedulable".to_owned()),
            Says::Unknown => ("unknown", "does not apply, or takes too long".to_owned()),
            Says::NotShown(lack) => (
                "not shown",
                format!("not shown: {}", explain(lack, subject)),
            ),
        };
        let mut row = json!({ "test": name, "says": word });
        if let Says::NotShown(lack) = says {
            row["task"] = lack.task.map(|task| subject.program.task_name(task)).into();
            row["interval_ns"] = lack.interval.map(|interval| interval.0).into();
            let unit = if lack.is_time { "ns" } else { "permille" };
            row[format!("needed_{unit}")] = lack.needed().into();
            row[format!("fits_{unit}")] = lack.fits().into();
        }
        rows.push(row);
        report.say(format!("{name}: {text}\n"));
    }
    report.tell("tests", rows);
}

/// How far all times may grow until no test holds.
fn show_margin(
    view: &[Sporadic],
    harts: u32,
    policy: &Policy,
    subject: &Subject,
    report: &mut Report,
) {
    let holds = |times: &giornata_analysis::Times| {
        let with = |task: &Sporadic| {
            let time = times.of_task(task.least.task);
            let least = Periodic { time, ..task.least };
            Sporadic {
                least,
                ..task.clone()
            }
        };
        let view: Vec<Sporadic> = view.iter().map(with).collect();
        Some(global(&view, harts, policy).shown_by().is_some())
    };
    let all = greatest_factor(&subject.times, holds);
    report.tell("times_permille", all);
    if let Some(all) = all {
        report.say(format!("shown up to all times x {}\n", factor(all)));
    }
}

fn show_tasks(view: &[Sporadic], found: &Global, subject: &Subject, report: &mut Report) {
    let mut rows = Vec::new();
    let mut table = format!(
        "{:<16} {:>12} {:>12} {:>15} {:>12}\n",
        "task", "worst time", "window", "response bound", "slack"
    );
    for (place, task) in view.iter().enumerate() {
        let Periodic {
            task: number,
            deadline,
            time,
            period,
        } = task.least;
        let name = subject.program.task_name(number);
        let bound = found.responses.get(place).copied();
        // (of the shortest window; a job of a longer one may respond later, and in time)
        let slack = bound
            .filter(|_| task.windows.len() == 1)
            .map(|bound| Duration(deadline.0.saturating_sub(bound.0)));
        rows.push(json!({
            "task": name,
            "wcet_ns": time.0,
            "window_ns": deadline.0,
            "period_ns": period.0,
            "response_bound_ns": bound.map(|bound| bound.0),
            "slack_ns": slack.map(|slack| slack.0),
        }));
        let cell = |time: Option<Duration>| time.map_or("-".to_owned(), show);
        table += &format!(
            "{name:<16} {:>12} {:>12} {:>15} {:>12}\n",
            show(time),
            show(deadline),
            cell(bound),
            cell(slack)
        );
    }
    report.tell("tasks", rows);
    report.say(table);
}

/// A partition, which the kernel does not make.
fn show_partition(
    view: &[Sporadic],
    harts: u32,
    policy: &Policy,
    subject: &Subject,
    report: &mut Report,
) {
    let tasks: Vec<Periodic> = view.iter().map(|task| task.least).collect();
    let found = Fit::ALL.into_iter().find_map(|fit| {
        let parts = partition(&tasks, harts, policy, fit)?;
        let name = |place: &usize| {
            let task = tasks.get(*place);
            task.map_or("?", |task| subject.program.task_name(task.task))
                .to_owned()
        };
        let parts = parts.iter().map(|part| part.iter().map(name).collect());
        Some((fit, parts.collect::<Vec<Vec<String>>>()))
    });
    let told = found
        .as_ref()
        .map(|(fit, parts)| json!({ "fit": fit.name(), "harts": parts }));
    report.tell("partition", told.unwrap_or(Value::Null));
    report.say(match found {
        None => "partitioned, which the kernel does not do: not found\n".to_owned(),
        Some((fit, parts)) => {
            let parts = parts.iter().map(|part| match part.is_empty() {
                true => "nothing".to_owned(),
                false => part.join(" "),
            });
            let parts: Vec<String> = parts.collect();
            format!(
                "partitioned, which the kernel does not do: {} ({})\n",
                parts.join(" | "),
                fit.name()
            )
        }
    });
}
