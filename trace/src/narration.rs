//! A trace as plain lines: what processes say, violations, faults, and totals
//! each virtual second. Equal traces give equal text.

use giornata_abi::load::How;
use giornata_abi::time::Timebase;
use giornata_abi::{Duration, Instant, Ticks};
use giornata_symbols::Symbols;
use giornata_system::NameMap;
use giornata_system::names::ThreadRole;

use crate::event::{Breach, Content, Event};
use crate::message::{Assembly, Message};
use crate::notation::{logical, millis, percent, seconds, value};
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
        while self.by_second && self.ends_second(event) {
            self.second(before, &mut sink);
        }
        let (names, symbols) = (self.names, self.symbols);
        self.messages.push(event, |tick, message| {
            tell_message(tick, &message, names, symbols, &mut sink);
        });
        if let Some(line) = describe(event, names) {
            sink(stamped(event.tick, &line, names));
        }
    }

    /// The lines that are left when the trace ends.
    pub fn end(&mut self, mut sink: impl FnMut(String)) {
        let (names, symbols) = (self.names, self.symbols);
        self.messages.flush(&mut |tick, message| {
            tell_message(tick, &message, names, symbols, &mut sink);
        });
    }

    fn ends_second(&self, event: &Event) -> bool {
        event.tick >= self.base().ticks(Instant(self.next_second))
    }

    fn base(&self) -> Timebase {
        Timebase::new(self.names.timer_hertz)
    }

    /// One second's line: totals since the start, load of this second.
    fn second(&mut self, totals: &Statistics, sink: &mut impl FnMut(String)) {
        let at = Instant(self.next_second);
        self.next_second += SECOND;
        let processor = totals.processor(self.base().ticks(at)).iter().sum();
        let elapsed = u64::from(self.base().hertz());
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
    let processor = totals.processor(totals.now);
    let mut lines = task_rows(names, totals, |thread| {
        percent(processor[thread], totals.now.0)
    });
    lines.extend(port_rows(names, totals));
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

fn task_rows(names: &NameMap, totals: &Statistics, share: impl Fn(usize) -> String) -> Vec<String> {
    let mut rows = vec![
        [
            "thread", "process", "released", "missed", "worst", "deadline", "load %",
        ]
        .map(String::from),
    ];
    for (index, (thread, total)) in names.threads.iter().zip(&totals.threads).enumerate() {
        let task = thread.role == ThreadRole::Task;
        let only_task = |text: String| if task { text } else { "-".into() };
        rows.push([
            thread.name.clone(),
            process_name(names, thread.process),
            only_task(total.releases.to_string()),
            only_task(total.misses.to_string()),
            only_task(millis(Duration(total.response.most))),
            if total.deadline == 0 {
                "-".into()
            } else {
                millis(Duration(total.deadline))
            },
            share(index),
        ]);
    }
    align(&rows, 2, 12)
}

fn port_rows(names: &NameMap, totals: &Statistics) -> Vec<String> {
    let mut rows = vec![["port", "kind", "writes", "lag in ticks", "last value"].map(String::from)];
    for (index, (port, total)) in names.ports.iter().zip(&totals.ports).enumerate() {
        if total.writes == 0 {
            continue;
        }
        rows.push([
            names.port(index as u16).unwrap_or_default(),
            port.kind.clone(),
            total.writes.to_string(),
            format!("{}..{}", total.lag.least, total.lag.most),
            value(&total.value, port.value_type()),
        ]);
    }
    align(&rows, 2, 12)
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
        Some(entry) => format!("{}/{}", process_name(names, entry.process), entry.name),
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
    names: &NameMap,
    symbols: Option<&Symbols>,
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

fn program_name(names: &NameMap, program: u16) -> &str {
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
mod tests {
    use super::*;
    use crate::sample::*;
    use giornata_abi::trace::Violation;

    fn narrate(events: &[Event], by_second: bool) -> Vec<String> {
        let names = names();
        let mut totals = Statistics::new(&names);
        let mut narrator = Narrator::new(&names, by_second);
        let mut lines = Vec::new();
        for event in events {
            narrator.tell(event, &totals, |line| lines.push(line));
            totals.observe(event);
        }
        narrator.end(|line| lines.push(line));
        lines
    }

    #[test]
    fn a_violation_names_task_driver_and_logical_instant() {
        let breach = Breach {
            program: 0,
            violation: Some(Violation::TimeSafety),
            handled: false,
            at: Instant(20_000_000),
            task: Some(0),
            driver: Some(0),
        };
        let lines = narrate(&[event(20_001, Content::Violation(breach))], false);
        assert_eq!(
            lines,
            [
                "   0.020 s  violation time-safety: task fast, driver write_servo, program flight, \
              logical instant 20.000 ms, not handled"
            ]
        );
    }

    #[test]
    fn a_second_ends_with_what_happened_before_its_end() {
        let events = [
            switch(0, Some(0)),
            release(0, 0, 1, 10),
            complete(2_000, 0, 1),
            switch(500_000, None),
            switch(1_000_000, Some(1)),
            release(1_000, 1, 1, 20),
        ];
        let lines = narrate(&events, true);
        assert_eq!(
            lines,
            ["   1.000 s  releases 1 | missed 0 | violations 0 | load 50.00 %"]
        );
    }

    #[test]
    fn silent_seconds_are_told_too() {
        let lines = narrate(&[switch(3_500_000, None)], true);
        let seconds: Vec<&str> = lines
            .iter()
            .filter(|l| l.contains("releases"))
            .map(|l| l[..10].trim())
            .collect();
        assert_eq!(seconds, ["1.000 s", "2.000 s", "3.000 s"]);
    }

    #[test]
    fn text_of_a_process_stands_under_its_name() {
        let lines = narrate(&[log(480_000, 1, "hover 9.8 m", false)], false);
        assert_eq!(lines, ["   0.480 s  io: hover 9.8 m"]);
    }

    #[test]
    fn the_closing_line_says_it_all() {
        let names = names();
        let mut totals = Statistics::new(&names);
        totals.observe(&release(0, 0, 1, 10));
        let stop = Content::Stop { status: 0 };
        totals.observe(&event(10_000_000, stop));
        assert_eq!(
            closing("flight-control", "ok", &totals),
            "flight-control: ok | virtual 10.000 s | releases 1 | missed 0 | violations 0"
        );
    }

    #[test]
    fn the_summary_shows_the_worst_response_of_tasks_and_the_load_of_all() {
        let names = names();
        let mut totals = Statistics::new(&names);
        for event in [
            switch(0, Some(0)),
            release(0, 0, 1, 10),
            complete(2_000, 0, 1),
            switch(2_000, Some(2)),
            switch(8_000, None),
        ] {
            totals.observe(&event);
        }
        let expected = [
            "            thread  process  released  missed     worst   deadline  load %",
            "            fast    control         1       0  2.000 ms  10.000 ms   25.00",
            "            slow    io              0       0  0.000 ms          -    0.00",
            "            upcall  io              -       -         -          -   75.00",
        ];
        assert_eq!(summary(&names, &totals)[..4], expected);
    }

    #[test]
    fn the_summary_shows_lag_and_last_value_of_ports() {
        let names = names();
        let mut totals = Statistics::new(&names);
        totals.observe(&port_piece(
            0,
            0,
            20_000_000,
            u64::from(0.25f32.to_bits()).to_le_bytes(),
        ));
        let lines = summary(&names, &totals);
        assert_eq!(
            lines[4],
            "            port   kind      writes  lag in ticks  last value"
        );
        assert_eq!(
            lines[5],
            "            servo  actuator       1        12..12      0.2500"
        );
    }
}
