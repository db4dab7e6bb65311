//! How far a verdict is from being another: factors of times, and what the
//! classic tests of periodic tasks say.

use giornata_analysis::sensitivity::MOST_FACTOR;
use giornata_analysis::timeline::show;
use giornata_analysis::{
    Demand, Periodic, Safety, Verdict, check, greatest_factor, greatest_factor_of, periodic, qpa,
    responses,
};
use serde_json::{Value, json};

use crate::analyze::walk_by;
use crate::arguments::StrategyName;
use crate::report::Report;
use crate::subject::Subject;

/// Beyond so many states, times tasks, only the common factor is sought.
const MOST_WORK: usize = 100_000;

/// Greatest factors of times, in thousandths; `None` if not known.
pub(crate) struct Margins {
    /// Of all times together.
    all: Option<u64>,
    /// Of each task's time alone.
    pub(crate) alone: Vec<Option<u64>>,
    /// Why none of each task is known, if they were not sought.
    left_out: Option<String>,
}

impl Margins {
    /// Seeks the factors for which a program stays schedulable.
    pub(crate) fn of(subject: &Subject, strategy: StrategyName, states: usize) -> Margins {
        let holds = |times: &_| match walk_by(subject, times, strategy).verdict {
            Verdict::Schedulable => Some(true),
            Verdict::NotSchedulable(_) => Some(false),
            Verdict::Unknown { .. } => None,
        };
        let tasks = subject.program.tasks.len();
        let is_small = states * tasks <= MOST_WORK;
        let each = 0..if is_small { tasks } else { 0 };
        let alone = |task| greatest_factor_of(&subject.times, task as u16, holds);
        Margins {
            all: greatest_factor(&subject.times, holds),
            alone: each.map(alone).collect(),
            left_out: (!is_small).then(|| {
                format!("{states} states of {tasks} tasks are more than {MOST_WORK} to look at")
            }),
        }
    }

    /// Seeks the factor for which S code stays time-safe.
    pub(crate) fn of_s_code(subject: &Subject, states: usize) -> Margins {
        let holds = |times: &_| match check(&subject.program, &subject.code, times).ok()?.safety {
            Safety::Safe => Some(true),
            Safety::Unsafe(_) => Some(false),
            Safety::Unknown { .. } => None,
        };
        let is_small = states <= MOST_WORK;
        Margins {
            all: is_small
                .then(|| greatest_factor(&subject.times, holds))
                .flatten(),
            alone: Vec::new(),
            left_out: None,
        }
    }

    /// Says why the column of single factors is empty, if it is.
    pub(crate) fn show_left_out(&self, report: &mut Report) {
        report.tell("time_alone_left_out", self.left_out.as_deref());
        if let Some(why) = &self.left_out {
            report.say(format!("time alone: not sought, {why}\n"));
        }
    }

    /// Says the common factor.
    pub(crate) fn show(&self, report: &mut Report) {
        report.tell("times_permille", self.all);
        report.say(match self.all {
            Some(all) => format!("good up to all times x {}\n", factor(all)),
            None => "how far times may grow is unknown\n".to_owned(),
        });
    }
}

/// A factor in thousandths; what is known of the greatest is that it is not less.
pub(crate) fn factor(thousandths: u64) -> String {
    if thousandths >= MOST_FACTOR {
        return format!("{} or more", MOST_FACTOR / 1000);
    }
    format!("{}.{:03}", thousandths / 1000, thousandths % 1000)
}

/// What the classic tests say of a program without mode switches.
pub(crate) fn show_view(subject: &Subject, strategy: StrategyName, report: &mut Report) {
    let view = periodic(&subject.program, &subject.code, &subject.times);
    let Some(tasks) = view else { return };
    let says = match strategy {
        StrategyName::Edf => demand(&tasks, report),
        StrategyName::Rm => bounds(subject, &tasks, report),
        StrategyName::EdfNonpreemptive => return,
    };
    report.say(format!("periodic view: {says}\n"));
}

fn demand(tasks: &[Periodic], report: &mut Report) -> String {
    let (name, says) = match qpa(tasks) {
        Demand::Fits => (
            "fits",
            "in no interval more is due than fits (QPA)".to_owned(),
        ),
        Demand::Overload => (
            "overload",
            "more than one processor is needed (QPA)".to_owned(),
        ),
        Demand::Unknown => ("unknown", "demand is unknown (QPA)".to_owned()),
        Demand::Exceeds { interval, demand } => (
            "exceeds",
            format!(
                "within {} as much as {} is due (QPA)",
                show(interval),
                show(demand)
            ),
        ),
    };
    report.tell("demand", name);
    says
}

fn bounds(subject: &Subject, tasks: &[Periodic], report: &mut Report) -> String {
    let bounds = responses(tasks);
    let each = tasks.iter().zip(&bounds);
    let one = |(task, bound): (&Periodic, &Option<giornata_abi::Duration>)| {
        let name = subject.program.task_name(task.task);
        match bound {
            Some(bound) => format!("{name} within {}", show(*bound)),
            None => format!("{name} late"),
        }
    };
    let row = |(task, bound): (&Periodic, &Option<giornata_abi::Duration>)| {
        json!({
            "task": subject.program.task_name(task.task),
            "period_ns": task.period.0,
            "response_ns": bound.map(|bound| bound.0),
        })
    };
    let rows: Vec<Value> = each.clone().map(row).collect();
    report.tell("response_bounds", rows);
    each.map(one).collect::<Vec<_>>().join(", ")
}
