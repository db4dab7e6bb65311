//! A finding as one line: what happened, how often, and what mends it.

use giornata_abi::trace::FaultCause;
use giornata_abi::{Duration, Instant};
use giornata_symbols::Symbols;
use giornata_system::NameMap;
use giornata_system::expect::{Kind, Subject};
use giornata_system::names::{ThreadName, ThreadRole};

use super::blocked;
use super::finding::Finding;
use crate::narration::{driver_name, process_name, program_name, thread_name};
use crate::notation::{brief, millis, seconds};
use crate::standing::{Standing, State};

/// Names, what addresses are called, and how threads stood at the end.
type Known<'a> = (&'a NameMap, Option<&'a Symbols>, Option<&'a Standing>);

/// The line of a finding of a run that ended at `end`.
pub(super) fn sentence(
    finding: &Finding,
    (names, symbols, standing): Known<'_>,
    end: Instant,
) -> String {
    let known = (names, symbols, standing);
    let about = |text: String| format!("{text}{}", aside(finding));
    match (finding.kind, finding.subject) {
        (Kind::Fault | Kind::Panic | Kind::Stop | Kind::Restart, Subject::Process(process)) => {
            ended(finding, process, (names, symbols))
        }
        (Kind::NeverRun | Kind::Starved, Subject::Thread(thread)) => {
            waited(finding, known, thread, end)
        }
        (Kind::Late, Subject::Program(program)) => late(finding, (names, symbols), program),
        (Kind::Blocked, Subject::Thread(thread)) => blocked::sentence(finding, known, thread, end),
        (Kind::Overrun, Subject::Driver(driver)) => {
            about(driver_overran(finding, (names, symbols), driver))
        }
        (Kind::Overrun, Subject::Program(program)) => {
            let program = program_name(names, program);
            about(format!(
                "a reaction of program {program} took more steps, or needed more triggers, than \
                 it may {}: shorten its blocks, or raise its [program.{program}.room]",
                times(finding.count)
            ))
        }
        (Kind::Status, Subject::Status(status)) => {
            format!("the machine stopped with exit status {status}")
        }
        (kind, Subject::Thread(thread)) => match names.threads.get(usize::from(thread)) {
            Some(task) => about(job(finding, (names, symbols), kind, task)),
            None => format!("{}: thread {thread} {}", kind.name(), times(finding.count)),
        },
        (kind, subject) => format!("{}: {subject:?} {}", kind.name(), times(finding.count)),
    }
}

/// `3 times`.
fn times(count: u64) -> String {
    match count {
        1 => "once".into(),
        count => format!("{count} times"),
    }
}

/// What is said in parentheses behind the mend.
fn aside(finding: &Finding) -> String {
    match finding.handled {
        0 => String::new(),
        all if all >= finding.count => "; the program's handler ran".into(),
        some => format!("; the program's handler ran {}", times(some)),
    }
}

fn owner(names: &NameMap, task: &ThreadName) -> String {
    process_name(names, task.process)
}

/// A name, with the function behind it where that is called otherwise, and where that is
/// in the source.
fn with_function(
    name: &str,
    function: &str,
    place: Option<u16>,
    body: u32,
    symbols: Option<&Symbols>,
) -> String {
    let known = symbols.zip(place).filter(|_| body != 0);
    let place = known
        .and_then(|(symbols, process)| symbols.function(process, body.into(), function)?.place());
    match (function == name || function.is_empty(), place) {
        (true, None) => name.to_string(),
        (true, Some(place)) => format!("{name} (at {place})"),
        (false, None) => format!("{name} (function {function})"),
        (false, Some(place)) => format!("{name} (function {function} at {place})"),
    }
}

fn task_name(task: &ThreadName, symbols: Option<&Symbols>) -> String {
    let (process, body) = (Some(task.process), task.body);
    with_function(&task.name, &task.function, process, body, symbols)
}

fn job(
    finding: &Finding,
    (names, symbols): (&NameMap, Option<&Symbols>),
    kind: Kind,
    task: &ThreadName,
) -> String {
    let (name, count, first) = (
        task_name(task, symbols),
        times(finding.count),
        seconds(finding.first),
    );
    let process = owner(names, task);
    let deadline = match task.deadline {
        0 => "its deadline".into(),
        nanos => format!("its deadline of {}", brief(Duration(nanos))),
    };
    let response = match finding.worst.0 {
        0 => String::new(),
        _ => format!("worst response {}, ", millis(finding.worst)),
    };
    match kind {
        Kind::Overrun => format!(
            "{name} overran its budget of {} {count} (worst {}, first at {first}): raise `budget` \
             of task `{}` in [process.{process}], or shorten its work",
            brief(Duration(task.budget)),
            millis(finding.worst),
            task.function,
        ),
        Kind::TimeShare => format!(
            "{name} was dispatched {count} while another task had its slot (first at {first}): \
             see `schedule` of [program.{}]",
            task.program.map_or("?", |p| program_name(names, p)),
        ),
        Kind::Miss => format!(
            "{name} completed after {deadline} {count} ({response}first at {first}): shorten its \
             work, or that of what is more urgent, or give it a later deadline"
        ),
        _ => format!(
            "{name} had not completed at {deadline} {count} ({response}first at {first}): shorten \
             its work, or that of what is more urgent, or lengthen its period"
        ),
    }
}

fn late(finding: &Finding, (names, symbols): (&NameMap, Option<&Symbols>), program: u16) -> String {
    let instead = finding
        .other
        .map(|other| (other, names.threads.get(usize::from(other))));
    let (who, mend) = match instead {
        Some((other, Some(thread))) => {
            let name = thread_name(names, other);
            let (process, body) = (Some(thread.process), thread.body);
            let is_named = name.ends_with(&thread.function);
            let function = if is_named { &name } else { &thread.function };
            let mend = match thread.role {
                ThreadRole::Upcall => "shorten the drivers of that process".to_string(),
                _ => format!(
                    "let that wait between its work, or leave out the grant `above-programs` of \
                     [process.{}]",
                    owner(names, thread)
                ),
            };
            let name = with_function(&name, function, process, body, symbols);
            (format!("{name} had the processor"), mend)
        }
        _ => {
            let who = "the kernel or drivers had the processor".to_string();
            (who, "see what ran with --trace".to_string())
        }
    };
    format!(
        "program {} was late at {} (worst {}, first at {}): {who}; {mend}, or expect `late:{}ms`",
        program_name(names, program),
        match finding.count {
            1 => "one instant".into(),
            count => format!("{count} instants"),
        },
        millis(finding.worst),
        seconds(finding.first),
        finding.worst.0.div_ceil(1_000_000),
    )
}

fn driver_overran(
    finding: &Finding,
    (names, symbols): (&NameMap, Option<&Symbols>),
    driver: u16,
) -> String {
    let (name, count, first) = (
        driver_name(names, driver),
        times(finding.count),
        seconds(finding.first),
    );
    let Some(driver) = names.drivers.get(usize::from(driver)) else {
        return format!("{name} overran its budget {count}, first at {first}");
    };
    let process = driver.process.map(|p| process_name(names, p));
    let name = with_function(
        &name,
        &driver.function,
        driver.process,
        driver.body,
        symbols,
    );
    format!(
        "driver {name} overran its budget of {} {count} (first at {first}): raise \
         `budget` of driver `{}` in [process.{}], or shorten its work",
        brief(Duration(driver.budget.into())),
        driver.function,
        process.unwrap_or_else(|| "?".into()),
    )
}

fn ended(finding: &Finding, index: u16, (names, symbols): (&NameMap, Option<&Symbols>)) -> String {
    let process = process_name(names, index);
    let explanation = finding.fault.as_ref();
    let explanation = explanation.map(|fault| fault.explain(names, symbols));
    let told = explanation.map_or_else(String::new, |explanation| explanation.line());
    let (count, first) = (times(finding.count), seconds(finding.first));
    let what = match finding.kind {
        Kind::Panic => format!("process {process} panicked"),
        Kind::Fault => format!("process {process} faulted"),
        Kind::Restart => format!("process {process} began anew"),
        _ if told.is_empty() => {
            format!("process {process} was needed and had not been started")
        }
        _ => format!("process {process} was {}", FaultCause::Killed.name()),
    };
    let told = match finding.kind {
        Kind::Stop => told
            .trim_start_matches(FaultCause::Killed.name())
            .trim_start_matches([':', ' ']),
        Kind::Panic => told
            .trim_start_matches("panic")
            .trim_start_matches([':', ',', ' ']),
        _ => told.as_str(),
    };
    let detail = match told {
        "" => String::new(),
        told => format!(": {told}"),
    };
    let policy = names.processes.get(usize::from(index));
    let halts = policy.is_some_and(|process| process.on_fault == "halt");
    let rule = policy.and_then(|process| process.restart);
    let rule = rule.filter(|rule| rule.most != 0 && finding.stops > 0);
    let then = match (finding.restarts, finding.stops, rule) {
        (restarts, _, Some(rule)) => {
            let restarted = match restarts {
                0 => String::new(),
                restarts => format!(" restarted {}, then", times(restarts)),
            };
            let end = match rule.halts {
                true => "the machine was halted",
                false => "it stayed stopped",
            };
            format!(
                ";{restarted} {end}: `restart` of [process.{process}] allows {} in {}",
                rule.most,
                brief(Duration(rule.within))
            )
        }
        (0, 0, None) => String::new(),
        (0, _, None) if halts => "; the machine was halted".into(),
        (0, _, None) => "; it stayed stopped".into(),
        (restarts, stops, None) if stops > restarts => {
            format!("; restarted {}, then it stayed stopped", times(restarts))
        }
        (restarts, _, None) => format!("; restarted {}", times(restarts)),
    };
    let skipped = match finding.skipped {
        0 => String::new(),
        1 => "; 1 job or driver was skipped".into(),
        skipped => format!("; {skipped} jobs and drivers were skipped"),
    };
    format!("{what} {count} (first at {first}){detail}{then}{skipped}")
}

fn waited(
    finding: &Finding,
    (names, symbols, standing): Known<'_>,
    index: u16,
    end: Instant,
) -> String {
    let name = thread_name(names, index);
    let thread = names.threads.get(usize::from(index));
    let is_task = thread.is_some_and(|thread| thread.role == ThreadRole::Task);
    let what = if is_task { "task" } else { "thread" };
    let since = seconds(finding.first);
    let how = match finding.kind {
        Kind::NeverRun => format!("{what} {name} never ran, and was ready from {since} on"),
        _ => format!(
            "{what} {name} could not run from {since} to the end at {}",
            seconds(end)
        ),
    };
    let Some(other) = finding.other else {
        return format!("{how}: see what kept the processor with --trace");
    };
    // where it computes, if it does so still; else where its function begins
    let at_the_end = standing.and_then(|standing| {
        let own = standing.threads.get(usize::from(other))?;
        let computes = matches!(own.state, State::Running | State::Ready);
        standing.place(other, names, symbols?).filter(|_| computes)
    });
    let other = match names.threads.get(usize::from(other)) {
        Some(_) if at_the_end.is_some() => {
            let place = at_the_end.map_or_else(String::new, |place| place.to_string());
            format!("{} (in {place})", thread_name(names, other))
        }
        Some(thread) => {
            let (process, body) = (Some(thread.process), thread.body);
            let name = thread_name(names, other);
            // (of a thread the name is that of its function)
            let is_named = name.ends_with(&thread.function);
            let function = if is_named { &name } else { &thread.function };
            with_function(&name, function, process, body, symbols)
        }
        None => thread_name(names, other),
    };
    let mend = match thread {
        Some(thread) if !is_task => format!(
            "let that wait between its work, or raise `priority` of thread `{}` in \
             [process.{}]",
            thread.name,
            owner(names, thread)
        ),
        _ => "let that wait between its work, or lower its priority".into(),
    };
    format!("{how}: {other} had the processor instead; {mend}")
}
