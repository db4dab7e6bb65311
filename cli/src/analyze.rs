//! `giornata analyze FILE [--strategy S] [--wcet FILE]`

use std::path::Path;

use giornata_abi::Duration;
use giornata_analysis::timeline::{Witness, show};
use giornata_analysis::{
    Safety, Strategy, Times, Verdict as Schedulability, Walked, check, walk,
    walk_without_preemption,
};
use serde_json::{Value, json};

use crate::arguments::{Analyze, StrategyName};
use crate::margins::{Margins, factor, show_view};
use crate::report::{Report, Verdict};
use crate::subject::{self, Subject};

const ASSUMPTIONS: &str = "drivers and the kernel take no time; one hart runs these tasks only; guards may answer anything";

/// Says whether all jobs of a program are in time.
pub(crate) fn run(arguments: &Analyze, report: &mut Report) -> Verdict {
    let subject = match Subject::read(&arguments.file, arguments.wcet.as_ref(), report) {
        Ok(subject) => subject,
        Err(verdict) => return verdict,
    };
    report.tell("assumptions", ASSUMPTIONS);
    let carries_s_code = !subject.code.threads().is_empty();
    let verdict = match arguments.strategy {
        None if carries_s_code => check_s_code(&arguments.file, &subject, report),
        strategy => analyze(
            arguments,
            strategy.unwrap_or(StrategyName::Edf),
            &subject,
            report,
        ),
    };
    report.say(format!("assumed: {ASSUMPTIONS}\n"));
    verdict
}

/// Whether E code is schedulable under a strategy.
fn analyze(
    arguments: &Analyze,
    strategy: StrategyName,
    subject: &Subject,
    report: &mut Report,
) -> Verdict {
    let name = match strategy {
        StrategyName::Edf => "edf",
        StrategyName::Rm => "rm",
        StrategyName::EdfNonpreemptive => "edf-nonpreemptive",
    };
    let walked = walk_by(subject, &subject.times, strategy);
    report.tell("strategy", name);
    let title = format!("{} under {name}", arguments.file.display());
    let verdict = conclude(&title, subject, &walked, report);
    show_extent(subject, &walked, report);
    let margins = Margins::of(subject, strategy, walked.states);
    margins.show(report);
    show_view(subject, strategy, report);
    show_tasks(subject, &walked, &margins, report);
    verdict
}

/// Walks the program with other times.
pub(crate) fn walk_by(subject: &Subject, times: &Times, strategy: StrategyName) -> Walked {
    let Subject { program, code, .. } = subject;
    match strategy {
        StrategyName::Edf => walk(program, code, times, Strategy::EarliestDeadline),
        StrategyName::Rm => walk(program, code, times, Strategy::RateMonotonic),
        StrategyName::EdfNonpreemptive => walk_without_preemption(program, code, times),
    }
}

/// Whether the S code that a module carries keeps its E code time-safe.
fn check_s_code(path: &Path, subject: &Subject, report: &mut Report) -> Verdict {
    let checked = match check(&subject.program, &subject.code, &subject.times) {
        Ok(checked) => checked,
        Err(why) => return subject::refuse(path, &why, report),
    };
    let class = checked.class.name();
    let title = format!("{}: its {class} S code", path.display());
    report.tell("class", class);
    report.tell("states", checked.states);
    let verdict = match &checked.safety {
        Safety::Safe => {
            report.tell("time_safety", "safe");
            report.say(format!(
                "{title} keeps it time-safe, in {} states\n",
                checked.states
            ));
            Verdict::Good
        }
        Safety::Unsafe(witness) => {
            report.tell("time_safety", "unsafe");
            show_witness(subject, witness, report);
            let text = witness.text(&subject.program);
            report.say(format!("{title} does not keep it time-safe\n{text}"));
            Verdict::Negative
        }
        Safety::Unknown { limit } => {
            report.tell("time_safety", "unknown");
            report.tell("limit", *limit);
            report.say(format!(
                "{title}: unknown, there are more than {limit} states, or triggers or threads at once\n"
            ));
            Verdict::Unknown
        }
    };
    Margins::of_s_code(subject, checked.states).show(report);
    verdict
}

fn conclude(title: &str, subject: &Subject, walked: &Walked, report: &mut Report) -> Verdict {
    match &walked.verdict {
        Schedulability::Schedulable => {
            report.tell("schedulability", "schedulable");
            report.say(format!("{title}: schedulable\n"));
            Verdict::Good
        }
        Schedulability::NotSchedulable(witness) => {
            report.tell("schedulability", "not schedulable");
            show_witness(subject, witness, report);
            let text = witness.text(&subject.program);
            report.say(format!("{title}: not schedulable\n{text}"));
            Verdict::Negative
        }
        Schedulability::Unknown { limit } => {
            report.tell("schedulability", "unknown");
            report.tell("limit", *limit);
            report.say(format!(
                "{title}: unknown, it has more than {limit} states, or triggers at once\n"
            ));
            Verdict::Unknown
        }
    }
}

pub(crate) fn show_witness(subject: &Subject, witness: &Witness, report: &mut Report) {
    let stretch = |segment: &giornata_analysis::job::Segment| {
        json!({
            "task": subject.program.task_name(segment.task),
            "job": segment.number + 1,
            "from_ns": segment.from.0,
            "until_ns": segment.until.0,
            "completes": segment.completes,
        })
    };
    let stretches: Vec<Value> = witness.segments.iter().map(stretch).collect();
    report.tell("timeline", stretches);
    let job = witness.breach.job();
    report.tell(
        "late",
        json!({
            "task": subject.program.task_name(job.task),
            "job": job.number + 1,
            "released_ns": job.release.0,
            "deadline_ns": job.deadline.0,
            "left_ns": job.left.0,
        }),
    );
}

/// How far the analysis looked, and the load of a program without modes.
fn show_extent(subject: &Subject, walked: &Walked, report: &mut Report) {
    report.tell("states", walked.states);
    let mut text = format!("{} states", walked.states);
    if let Some((hyperperiod, needed)) = round(subject, walked) {
        let percent = needed.0 as f64 * 100.0 / hyperperiod.0.max(1) as f64;
        report.tell("hyperperiod_ns", hyperperiod.0);
        report.tell("utilisation_percent", percent);
        text += &format!(
            ", hyperperiod {}, utilisation {percent:.1} %",
            show(hyperperiod)
        );
    }
    report.say(text + "\n");
}

/// The length of a round of a program without modes, and the time that its
/// jobs need.
fn round(subject: &Subject, walked: &Walked) -> Option<(Duration, Duration)> {
    let (first, end) = walked.repeats.filter(|_| subject.code.is_single_mode())?;
    let steps = walked.steps.get(first..)?;
    let jobs = steps.iter().flat_map(|step| &step.released);
    let needed = jobs.fold(Duration::ZERO, |sum, job| {
        sum + subject.times.of_task(job.task)
    });
    Some((end.since(steps.first()?.at), needed))
}

fn show_tasks(subject: &Subject, walked: &Walked, margins: &Margins, report: &mut Report) {
    let mut rows = Vec::new();
    let mut table = format!(
        "{:<16} {:>12} {:>15} {:>12} {:>12}\n",
        "task", "worst time", "worst response", "least slack", "time alone x"
    );
    for (task, figures) in walked.tasks.iter().enumerate() {
        let (name, time) = (
            subject.program.task_name(task as u16),
            subject.times.of_task(task as u16),
        );
        let mut row = json!({ "task": name, "wcet_ns": time.0 });
        let mut cells = ["-".to_owned(), "-".to_owned()];
        if let Some(figures) = figures {
            row["response_ns"] = figures.response.0.into();
            row["slack_ns"] = figures.slack.0.into();
            cells = [show(figures.response), show(figures.slack)];
        }
        let alone = margins.alone.get(task).copied().flatten();
        row["time_alone_permille"] = alone.into();
        let alone = alone.map_or("-".to_owned(), factor);
        let [response, slack] = cells;
        table += &format!(
            "{name:<16} {:>12} {response:>15} {slack:>12} {alone:>12}\n",
            show(time)
        );
        rows.push(row);
    }
    report.tell("tasks", rows);
    report.say(table);
}
