//! `--from-trace`: the decisions of a recorded run as S code.

use std::fs;
use std::path::Path;

use giornata_abi::time::Timebase;
use giornata_analysis::scode::SCode;
use giornata_analysis::{Decision, NotRecorded, Program, recorded};
use giornata_system::NameMap;
use giornata_system::names::ThreadRole;
use giornata_trace::{Content, Event, Recording};

use crate::complaint::Complaint;
use crate::subject::Subject;

/// What mends a recording that does not do.
const RECORD: &str =
    "record a run by `giornata simulate FILE --record TRACE` or `./x run SYSTEM --record TRACE`";

/// The S code of the run that the file `trace` holds.
pub(super) fn s_code(subject: &Subject, trace: &Path) -> Result<SCode, Complaint> {
    let refuse = |why: &str, help: &str| {
        let message = format!("{}: {why}", trace.display());
        Complaint::new("giornata::trace", message, help)
    };
    let bytes = fs::read(trace).map_err(|why| refuse(&format!("cannot be read: {why}"), RECORD))?;
    let recording = Recording::read(&bytes)
        .map_err(|why| refuse(&format!("is not a recorded trace: {why}"), RECORD))?;
    let threads = threads(&recording.names, &subject.program)
        .map_err(|why| refuse(&why, "name the program that was recorded"))?;
    if is_of_several_harts(&recording, &threads) {
        return Err(refuse(
            "its tasks ran on several harts, and S code is for one",
            "record a run on one hart: `giornata simulate FILE --harts 1 --record TRACE`",
        ));
    }
    let (decisions, lost) = decisions(&recording, &threads);
    recorded(&subject.program, &subject.code, decisions).map_err(|why| {
        let (why, help) = match (&why, lost) {
            (NotRecorded::TooShort { .. }, Some(lost)) => (
                format!("{lost} records are lost before the second hyperperiod is over"),
                "give the trace ring more room (`trace` in `[kernel]`), or record a shorter run",
            ),
            (NotRecorded::TooShort { .. }, None) => (
                why.text(&subject.program),
                "record a longer run: `--for 1s`",
            ),
            (NotRecorded::Late { .. }, _) => (
                why.text(&subject.program),
                "record a run in which every job is in time",
            ),
            (NotRecorded::Foreign { .. }, _) => (
                why.text(&subject.program),
                "record the program as it is now",
            ),
            (NotRecorded::NoRound(_) | NotRecorded::Ends, _) => (
                why.text(&subject.program),
                "use `--strategy rm`, or leave it to the kernel's own scheduler",
            ),
        };
        refuse(&why, help)
    })
}

/// For each thread of the system the task of the program that it runs.
fn threads(names: &NameMap, program: &Program) -> Result<Vec<Option<u16>>, String> {
    let tasks: Vec<&str> = program.tasks.iter().map(|t| t.name.as_str()).collect();
    let place = |name: &str| tasks.iter().position(|task| *task == name);
    let is_it = |index: &u16| {
        let of_it = names
            .threads
            .iter()
            .filter(|thread| thread.role == ThreadRole::Task && thread.program == Some(*index));
        let found: Vec<Option<usize>> = of_it.map(|thread| place(&thread.name)).collect();
        found.len() == tasks.len() && found.iter().all(Option::is_some)
    };
    let fitting: Vec<u16> = (0..names.programs.len() as u16).filter(is_it).collect();
    let [one] = fitting[..] else {
        let programs: Vec<&str> = names.programs.iter().map(|p| p.name.as_str()).collect();
        let which = if fitting.is_empty() {
            "none"
        } else {
            "more than one"
        };
        return Err(format!(
            "of its programs ({}) {which} has the tasks {}",
            programs.join(", "),
            tasks.join(", ")
        ));
    };
    let task = |thread: &giornata_system::names::ThreadName| {
        let is_task = thread.role == ThreadRole::Task && thread.program == Some(one);
        place(&thread.name).filter(|_| is_task).map(|t| t as u16)
    };
    Ok(names.threads.iter().map(task).collect())
}

/// Whether tasks of the program ran on more than one hart.
fn is_of_several_harts(recording: &Recording, threads: &[Option<u16>]) -> bool {
    let is_task = |thread: u16| {
        threads
            .get(usize::from(thread))
            .copied()
            .flatten()
            .is_some()
    };
    let runs = |event: &Event| match event.content {
        Content::Switch { thread, .. } => thread.is_some_and(is_task),
        _ => false,
    };
    let mut harts = recording
        .events
        .iter()
        .filter(|event| runs(event))
        .map(|event| event.hart);
    let first = harts.next();
    harts.any(|hart| Some(hart) != first)
}

/// What the recording says of the tasks, up to the first loss; and how many
/// records are lost.
fn decisions(recording: &Recording, threads: &[Option<u16>]) -> (Vec<Decision>, Option<u64>) {
    let base = Timebase::new(recording.names.timer_hertz);
    let task = |thread: u16| threads.get(usize::from(thread)).copied().flatten();
    let mut decisions = Vec::new();
    let damage = recording.damage;
    for event in &recording.events {
        if damage.first_lost.is_some_and(|first| event.index >= first) {
            return (decisions, Some(damage.lost));
        }
        let mut next = decision(event, base, &task);
        // a release leads to the switch that follows it, which is recorded when the
        // kernel is done: what lies between is nobody's time
        if let Some(Decision::Runs {
            task: Some(_),
            clock,
        }) = &mut next
            && let Some(Decision::Released { clock: entered, .. }) = decisions.last()
        {
            *clock = *entered;
        }
        decisions.extend(next);
    }
    (decisions, None)
}

fn decision(event: &Event, base: Timebase, task: &impl Fn(u16) -> Option<u16>) -> Option<Decision> {
    let clock = base.instant(event.tick);
    Some(match &event.content {
        Content::Switch { thread, .. } => Decision::Runs {
            task: thread.and_then(task),
            clock,
        },
        Content::Release { thread, at, .. } => Decision::Released {
            task: task(*thread)?,
            at: *at,
            clock,
        },
        Content::Complete { thread, at, .. } => Decision::Completed {
            task: task(*thread)?,
            at: *at,
            clock,
        },
        Content::Miss {
            thread, deadline, ..
        } => Decision::Missed {
            task: task(*thread)?,
            at: *deadline,
        },
        Content::Violation(breach) => Decision::Missed {
            task: breach.task.and_then(task)?,
            at: breach.at,
        },
        _ => return None,
    })
}
