//! A trace as plain lines: what processes say, violations, faults, and totals
//! each virtual second. What goes wrong again is told once, and counted at the end.
//! Equal traces give equal text.

use giornata_abi::load::How;
use giornata_abi::time::Timebase;
use giornata_abi::{Duration, Instant, Ticks};
use giornata_symbols::Symbols;
use giornata_system::NameMap;
use giornata_system::names::ThreadRole;

use crate::event::{Breach, Content, Event};
use crate::fault::clean;
use crate::message::{Assembly, Message};
use crate::notation::{logical, millis, percent, seconds};
use crate::repetition::{Repetition, cause};
use crate::rows::{PortRow, ThreadRow, port_rows, thread_rows};
use crate::statistics::Statistics;

const SECOND: u64 = 1_000_000_000;

/// Turns events into lines.
pub struct Narrator<'a> {
    names: &'a NameMap,
    symbols: Option<&'a Symbols>,
    messages: Assembly,
    by_second: bool,
    next_second: u64,
    processor: u64,
    repetition: Repetition,
    /// Where the time begins that the next line is about.
    since: Ticks,
    last: Ticks,
}

impl<'a> Narrator<'a> {
    /// A narrator of a system's trace; `by_second`: with totals each virtual second.
    pub fn new(names: &'a NameMap, by_second: bool) -> Narrator<'a> {
        Narrator {
            names,
            symbols: None,
            messages: Assembly::new(names),
            by_second,
            next_second: SECOND,
            processor: 0,
            repetition: Repetition::default(),
            since: Ticks(0),
            last: Ticks(0),
        }
    }

    /// The same, with what addresses are called; without it they are told as numbers.
    pub fn with_symbols(self, symbols: &'a Symbols) -> Narrator<'a> {
        Narrator {
            symbols: Some(symbols),
            ..self
        }
    }

    /// The names of the system it tells of.
    pub fn names(&self) -> &'a NameMap {
        self.names
    }

    /// Takes an event and hands lines about it to `sink`. `before`: the totals
    /// without it, so that a second's line holds what happened before its end.
    pub fn tell(&mut self, event: &Event, before: &Statistics, mut sink: impl FnMut(String)) {
        if self.last == Ticks(0) && event.index > 0 {
            self.begin_at(event.tick);
        }
        while self.by_second && self.ends_second(event) {
            self.second(before, &mut sink);
        }
        self.last = self.last.max(event.tick);
        let (names, symbols, repetition) = (self.names, self.symbols, &mut self.repetition);
        self.messages.push(event, |tick, message| {
            tell_message(tick, &message, (names, symbols), repetition, &mut sink);
        });
        let is_told = match cause(event, names) {
            Some((words, at)) => self.repetition.is_first(words, at),
            None => true,
        };
        if let Some(line) = describe(event, names).filter(|_| is_told) {
            sink(stamped(event.tick, &line, names));
        }
    }

    /// The lines that are left when the trace ends.
    pub fn end(&mut self, mut sink: impl FnMut(String)) {
        let (names, symbols, repetition) = (self.names, self.symbols, &mut self.repetition);
        self.messages.flush(&mut |tick, message| {
            tell_message(tick, &message, (names, symbols), repetition, &mut sink);
        });
        for (words, count) in self.repetition.sums() {
            let line = format!("and {count} more {words}");
            sink(stamped(self.last, &line, names));
        }
    }

    /// The trace begins here, in a machine that has run for some time: the seconds
    /// before are nobody's.
    fn begin_at(&mut self, tick: Ticks) {
        self.since = tick;
        let at = self.base().instant(tick);
        self.next_second = (at.0 / SECOND + 1).saturating_mul(SECOND);
    }

    fn ends_second(&self, event: &Event) -> bool {
        event.tick >= self.base().ticks(Instant(self.next_second))
    }

    fn base(&self) -> Timebase {
        Timebase::new(self.names.timer_hertz)
    }

    /// One second's line: totals since the start, load of this second, or of the part of
    /// it that there is.
    fn second(&mut self, totals: &Statistics, sink: &mut impl FnMut(String)) {
        let at = Instant(self.next_second);
        self.next_second += SECOND;
        let end = self.base().ticks(at);
        let processor = totals.processor(end).iter().sum();
        let elapsed = end.0.saturating_sub(self.since.0);
        self.since = end;
        sink(format!(
            "{:>10}  releases {} | missed {} | violations {} | load {} %",
            seconds(at),
            totals.releases(),
            totals.misses(),
            totals.violations,
            percent(processor - self.processor, elapsed),
        ));
        self.processor = processor;
    }
}

/// The table of a finished run: threads with their totals, then ports.
pub fn summary(names: &NameMap, totals: &Statistics) -> Vec<String> {
    let mut lines = thread_table(&thread_rows(names, totals));
    lines.extend(port_table(&port_rows(names, totals)));
    lines
}

/// The closing line of a run.
pub fn closing(system: &str, verdict: &str, totals: &Statistics) -> String {
    format!(
        "{system}: {verdict} | virtual {} | releases {} | missed {} | violations {}",
        seconds(totals.instant()),
        totals.releases(),
        totals.misses(),
        totals.violations,
    )
}

/// Threads with their totals, a line each.
pub fn thread_table(threads: &[ThreadRow]) -> Vec<String> {
    let mut rows = vec![
        [
            "thread", "process", "released", "missed", "worst", "deadline", "load %",
        ]
        .map(String::from),
    ];
    let or_dash = |text: Option<String>| text.unwrap_or_else(|| "-".into());
    let count = |count: Option<u64>| or_dash(count.map(|count| count.to_string()));
    let time = |nanos: Option<u64>| or_dash(nanos.map(|nanos| millis(Duration(nanos))));
    rows.extend(threads.iter().map(|row| {
        [
            match &row.called {
                Some(called) => format!("{} ({called})", row.thread),
                None => row.thread.clone(),
            },
            row.process.clone(),
            count(row.released),
            count(row.missed),
            time(row.worst_ns),
            time(row.deadline_ns),
            row.load_percent.clone(),
        ]
    }));
    align(&rows, 2, 12)
}

/// Ports with their totals, a line each.
pub fn port_table(ports: &[PortRow]) -> Vec<String> {
    let mut rows = vec![["port", "kind", "writes", "lag in ticks"].map(String::from)];
    let mut values = vec!["last value"];
    for row in ports {
        let [least, most] = row.lag_ticks;
        rows.push([
            row.port.clone(),
            row.kind.clone(),
            row.writes.to_string(),
            format!("{least}..{most}"),
        ]);
        values.push(&row.last_value);
    }
    let rows = align(&rows, 2, 12).into_iter();
    rows.zip(values)
        .map(|(row, value)| format!("{row}  {value}"))
        .collect()
}

/// Columns behind `indent` blanks: the first `left` flush left, the others flush right.
pub(crate) fn align<const N: usize>(
    rows: &[[String; N]],
    left: usize,
    indent: usize,
) -> Vec<String> {
    let width = |column: usize| {
        rows.iter()
            .map(|row| row[column].chars().count())
            .max()
            .unwrap_or(0)
    };
    let widths: [usize; N] = std::array::from_fn(width);
    let line = |row: &[String; N]| {
        let mut line = " ".repeat(indent);
        for (column, (cell, width)) in row.iter().zip(widths).enumerate() {
            let pad = " ".repeat(width.saturating_sub(cell.chars().count()));
            let cell = if column < left {
                format!("{cell}{pad}  ")
            } else {
                format!("{pad}{cell}  ")
            };
            line.push_str(&cell);
        }
        line.trim_end().to_string()
    };
    rows.iter().map(line).collect()
}

fn stamped(tick: Ticks, line: &str, names: &NameMap) -> String {
    let base = Timebase::new(names.timer_hertz);
    format!("{:>10}  {line}", seconds(base.instant(tick)))
}

/// The name of a process.
pub(crate) fn process_name(names: &NameMap, process: u16) -> String {
    names
        .processes
        .get(usize::from(process))
        .map_or_else(|| format!("process {process}"), |p| p.name.clone())
}

/// The name of a thread; a thread that is no task is named with its process.
pub(crate) fn thread_name(names: &NameMap, thread: u16) -> String {
    match names.threads.get(usize::from(thread)) {
        None => format!("thread {thread}"),
        Some(entry) if entry.role == ThreadRole::Task => entry.name.clone(),
        Some(entry) => format!("{}/{}", process_name(names, entry.process), entry.both()),
    }
}

/// The name of a driver.
pub(crate) fn driver_name(names: &NameMap, driver: u16) -> String {
    names
        .drivers
        .get(usize::from(driver))
        .map_or_else(|| format!("driver {driver}"), |d| d.name.clone())
}

/// What a thread said, or how a process ended and who had called whom.
fn tell_message(
    tick: Ticks,
    message: &Message,
    (names, symbols): (&NameMap, Option<&Symbols>),
    repetition: &mut Repetition,
    sink: &mut impl FnMut(String),
) {
    match message {
        Message::Log { thread, text } => {
            let process = names
                .threads
                .get(usize::from(*thread))
                .map_or(u16::MAX, |t| t.process);
            let line = format!("{}: {text}", process_name(names, process));
            sink(stamped(tick, &line, names));
        }
        Message::Fault(fault) => {
            let explanation = fault.explain(names, symbols);
            let process = process_name(names, fault.process);
            let line = format!("fault of process {process}: {}", explanation.line());
            if !repetition.is_first(line.clone(), None) {
                return;
            }
            sink(stamped(tick, &line, names));
            for caller in explanation.callers() {
                sink(format!("{:>10}  {caller}", ""));
            }
        }
    }
}

/// A violation in words: kind, task, driver, logical instant, what was done.
pub fn describe_breach(breach: &Breach, names: &NameMap) -> String {
    let instant = format!(", logical instant {}", logical(breach.at));
    breach_at(breach, &instant, names)
}

/// The same; `instant` is said where the instant stands.
pub(crate) fn breach_at(breach: &Breach, instant: &str, names: &NameMap) -> String {
    let kind = breach
        .violation
        .map_or("unknown", |violation| violation.name());
    let task = breach
        .task
        .map_or_else(|| "-".into(), |thread| thread_name(names, thread));
    let driver = breach
        .driver
        .map_or_else(|| "-".into(), |driver| driver_name(names, driver));
    let program = program_name(names, breach.program);
    let answer = if breach.handled {
        "handled"
    } else {
        "not handled"
    };
    format!("violation {kind}: task {task}, driver {driver}, program {program}{instant}, {answer}")
}

/// The name of a program.
pub(crate) fn program_name(names: &NameMap, program: u16) -> &str {
    let named = names.programs.get(usize::from(program));
    named.map_or("unknown", |program| program.name.as_str())
}

/// A change of a program in words.
pub(crate) fn change(program: u16, how: Option<How>, tag: u32, names: &NameMap) -> String {
    let program = program_name(names, program);
    match (tag, how) {
        (0, _) => format!("program {program} unloaded"),
        (_, Some(How::CarryOver)) => format!("program {program} goes on as module {tag:08x}"),
        _ => format!("program {program} begins as module {tag:08x}"),
    }
}

fn describe(event: &Event, names: &NameMap) -> Option<String> {
    Some(match &event.content {
        Content::Violation(breach) => describe_breach(breach, names),
        Content::Miss {
            thread,
            job,
            deadline,
        } => {
            format!(
                "missed: task {}, job {job}, deadline {}",
                thread_name(names, *thread),
                logical(*deadline)
            )
        }
        Content::Name { thread, text } => {
            let called = clean(text);
            match called.as_str() {
                "" => return None,
                called => format!("thread {} is called {called}", thread_name(names, *thread)),
            }
        }
        Content::Process {
            process,
            restarted,
            generation,
        } => {
            let what = if *restarted { "restarted" } else { "stopped" };
            format!(
                "process {} {what}, generation {generation}",
                process_name(names, *process)
            )
        }
        Content::Change {
            program,
            how,
            at,
            tag,
        } => {
            let what = change(*program, *how, *tag, names);
            format!("{what}, logical instant {}", logical(*at))
        }
        Content::Lost { count } => {
            format!("trace: {count} records overwritten before they were read")
        }
        Content::Unknown([_, head, ..]) => format!("trace: record of unknown kind {}", *head as u8),
        _ => return None,
    })
}

#[cfg(test)]
mod tests;
