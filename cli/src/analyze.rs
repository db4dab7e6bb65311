//! `giornata analyze FILE [--strategy S] [--wcet FILE] [--board NAME]`
//!
//! What a stream graph is asked is in [`crate::streams`], what is asked of several harts in
//! [`harts`].

mod harts;

use std::path::Path;

use giornata_abi::Duration;
use giornata_analysis::timeline::{Witness, show};
use giornata_analysis::{
    Safety, Strategy, Times, Verdict as Schedulability, Walked, charge, check, walk,
    walk_without_preemption,
};
use serde_json::{Value, json};

use crate::arguments::{Analyze, StrategyName};
use crate::board_costs;
use crate::complaint::Complaint;
use crate::margins::{Margins, factor, show_view};
use crate::report::{Report, Verdict};
use crate::streams;
use crate::subject::{self, Subject, System};

const ASSUMPTIONS: &str = "drivers and the kernel take no time; one hart runs these tasks only; guards may answer anything";
/// The same where the kernel's time is charged.
const CHARGED: &str = "drivers take no time of their own, and move 512 bytes each at most; no interrupts come but the timer's; one hart runs these tasks only; guards may answer anything";

/// What is assumed of several harts.
const ABREAST: &str = "drivers and the kernel take no time; the harts run the first of these tasks only, by one queue; tests let tasks be released against each other in any way; guards may answer anything";

/// Says whether all jobs of a program are in time.
pub(crate) fn run(arguments: &Analyze, report: &mut Report) -> Verdict {
    let file = &arguments.input.path();
    if streams::is_graph(file) {
        return streams::run(file, arguments, report);
    }
    let (mut subject, scheduled, harts) = match read(file, arguments, report) {
        Ok(read) => read,
        Err(verdict) => return verdict,
    };
    report.tell("harts", harts);
    let mut assumptions = ASSUMPTIONS;
    let carries_s_code = !subject.code.threads().is_empty();
    let has_s_code = scheduled.is_none() && carries_s_code;
    if harts > 1 {
        if let Some(board) = &arguments.board {
            report.say(format!(
                "kernel on {board}: its time is not counted, which is neither measured nor bounded for several harts\n"
            ));
        }
        if has_s_code {
            let note = "S code is for one hart: what follows is the answer of one";
            report.tell("s_code", note);
            report.say(format!("{note} of the {harts}\n"));
        } else {
            assumptions = ABREAST;
        }
    } else if let Some(board) = &arguments.board {
        assumptions = CHARGED;
        let charged = charge_kernel(board, arguments.measured, file, &mut subject, report);
        if let Err(verdict) = charged {
            return verdict;
        }
    }
    report.tell("assumptions", assumptions);
    let strategy = scheduled.unwrap_or(StrategyName::Edf);
    let verdict = match has_s_code {
        true => check_s_code(file, &subject, report),
        false => analyze(file, strategy, harts, &subject, report),
    };
    report.say(format!("assumed: {assumptions}\n"));
    verdict
}

/// What is analysed, who schedules it where a system file says that, and on how many harts.
fn read(
    file: &Path,
    arguments: &Analyze,
    report: &mut Report,
) -> Result<(Subject, Option<StrategyName>, u32), Verdict> {
    let wcet = arguments.wcet.as_ref();
    let board = arguments.board.as_deref().map(board_costs::harts);
    let board = board.transpose().map_err(|complaint| {
        report.diagnose(complaint);
        Verdict::BadInput
    })?;
    let is_system = file
        .extension()
        .is_some_and(|extension| extension == "toml");
    let (subject, scheduled, harts) = match is_system {
        true => {
            let system = System::read(file, wcet, arguments.strategy, report)?;
            let of_board = board.map(|harts| harts - u32::from(harts > 1 && system.control_apart));
            let harts = of_board.unwrap_or(system.harts);
            (system.subject, system.strategy, harts)
        }
        false => {
            let subject = Subject::read(file, wcet, report)?;
            (subject, arguments.strategy, board.unwrap_or(1))
        }
    };
    let chosen = arguments.harts.unwrap_or(harts);
    if let Some((count, name)) = board
        .zip(arguments.board.as_ref())
        .filter(|(n, _)| chosen > *n)
    {
        let message =
            format!("board {name} has fewer harts ({count}) than `--harts {chosen}` asks for");
        let help = "leave one of the two out";
        report.diagnose(Complaint::new("giornata::harts", message, help));
        return Err(Verdict::BadInput);
    }
    if chosen > 1 && scheduled == Some(StrategyName::EdfNonpreemptive) {
        let message =
            format!("an order without preemption is sought for one hart, not for {chosen}");
        let help = "take `--strategy edf` or `rm`, or `--harts 1`";
        report.diagnose(Complaint::new("giornata::harts", message, help));
        return Err(Verdict::BadInput);
    }
    Ok((subject, scheduled, chosen))
}

/// Charges the jobs with the kernel's time on a board, and says how much it is.
fn charge_kernel(
    board: &str,
    is_measured: bool,
    file: &Path,
    subject: &mut Subject,
    report: &mut Report,
) -> Result<(), Verdict> {
    let found = board_costs::of(board, is_measured).map_err(|complaint| {
        report.diagnose(complaint);
        Verdict::BadInput
    })?;
    let charged = charge(
        &subject.program,
        &subject.code,
        &subject.times,
        &found.costs,
    );
    let charged = charged.map_err(|why| {
        let message = format!("{} on {board}: {why}", file.display());
        let help = "leave `--board` out, or take a board on which the kernel is faster";
        report.diagnose(Complaint::new("giornata::kernel-time", message, help));
        Verdict::Unknown
    })?;
    let (instant, completion) = (charged.instant, charged.completion);
    report.tell(
        "kernel",
        json!({
            "board": board,
            "source": found.source,
            "instant_ns": instant.0,
            "completion_ns": completion.0,
        }),
    );
    report.say(format!(
        "kernel on {board}: at most {} an instant and {} a completion ({})\n",
        show(instant),
        show(completion),
        found.source
    ));
    (subject.times, subject.kernel) = (charged.times, charged.parts);
    Ok(())
}

/// Whether E code is schedulable under a strategy.
fn analyze(
    file: &Path,
    strategy: StrategyName,
    harts: u32,
    subject: &Subject,
    report: &mut Report,
) -> Verdict {
    let name = match strategy {
        StrategyName::Edf => "edf",
        StrategyName::Rm => "rm",
        StrategyName::EdfNonpreemptive => "edf-nonpreemptive",
    };
    report.tell("strategy", name);
    let title = format!("{} under {name}", file.display());
    if harts > 1 {
        return harts::analyze(&title, harts, strategy, subject, report);
    }
    let walked = walk_by(subject, &subject.times, strategy);
    let mut verdict = conclude(&title, subject, &walked, report);
    if verdict == Verdict::Negative && !subject.kernel.is_empty() {
        let without = walk_by(subject, &subject.net_times(), strategy);
        let is_good = without.verdict == Schedulability::Schedulable;
        verdict = doubt("schedulability", is_good, report);
    }
    show_extent(subject, &walked, report);
    let margins = Margins::of(subject, strategy, walked.states);
    margins.show(report);
    show_view(subject, strategy, report);
    show_tasks(subject, &walked, &margins, report);
    verdict
}

/// A job is late where the kernel takes its most. Whether that is the last word
/// depends on what is so where it takes nothing.
fn doubt(key: &str, is_good_without: bool, report: &mut Report) -> Verdict {
    if !is_good_without {
        return Verdict::Negative;
    }
    report.tell(key, "unknown");
    report.say("unknown: every job is in time where the kernel takes no time, and what it takes is known as an upper bound only\n");
    Verdict::Unknown
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
            let without = check(&subject.program, &subject.code, &subject.net_times());
            let is_good = without.is_ok_and(|checked| checked.safety == Safety::Safe);
            doubt("time_safety", is_good, report)
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
    let net = subject.net_times();
    let mut table = format!("{:<16} {:>12} ", "task", "worst time");
    if !subject.kernel.is_empty() {
        table += &format!("{:>12} ", "kernel");
    }
    table += &format!(
        "{:>15} {:>12} {:>12}\n",
        "worst response", "least slack", "time alone x"
    );
    for (task, figures) in walked.tasks.iter().enumerate() {
        let name = subject.program.task_name(task as u16);
        let kernel = subject.kernel.get(task).copied();
        let time = net.of_task(task as u16);
        let mut row = json!({ "task": name, "wcet_ns": time.0 });
        if let Some(kernel) = kernel {
            row["kernel_ns"] = kernel.0.into();
        }
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
        table += &format!("{name:<16} {:>12} ", show(time));
        if let Some(kernel) = kernel {
            table += &format!("{:>12} ", show(kernel));
        }
        table += &format!("{response:>15} {slack:>12} {alone:>12}\n");
        rows.push(row);
    }
    report.tell("tasks", rows);
    report.say(table);
    margins.show_left_out(report);
}
