//! What a run said and suffered, without physical times and addresses: text
//! that stays the same while code moves, to be compared with a golden file.

use giornata_abi::trace::Violation;
use giornata_symbols::Symbols;
use giornata_system::NameMap;

use crate::event::{Breach, Content, Event};
use crate::message::{Assembly, Message};
use crate::narration::{breach_at, change, process_name};
use crate::notation::logical;

/// One line for each message, violation, miss, fault, restart and the stop, in
/// the order of the trace.
/// Of a fault the kernel's cause is said, and of a panic its message, if it is not a
/// constant of an executable.
pub fn transcript(events: &[Event], names: &NameMap) -> Vec<String> {
    transcript_with(events, names, None, false)
}

/// The same with the messages of all panics, and with `places` what each fault was in
/// words, its function, file and line.
pub fn transcript_with(
    events: &[Event],
    names: &NameMap,
    symbols: Option<&Symbols>,
    places: bool,
) -> Vec<String> {
    let mut messages = Assembly::new(names);
    let mut lines: Vec<Option<String>> = Vec::new();
    // a fault is said where it came, though its pieces come later: lines by process
    let mut awaited: Vec<(u16, usize)> = Vec::new();
    let say = |message: &Message| say(message, names, symbols, places);
    let put =
        |message: &Message, lines: &mut Vec<Option<String>>, awaited: &mut Vec<(u16, usize)>| {
            let own = |(process, _): &(u16, usize)| match message {
                Message::Fault(fault) => *process == fault.process,
                Message::Log { .. } => false,
            };
            match awaited.iter().position(own) {
                Some(index) => lines[awaited.remove(index).1] = Some(say(message)),
                None => lines.push(Some(say(message))),
            }
        };
    for event in events {
        messages.push(event, |_, message| put(&message, &mut lines, &mut awaited));
        if let Content::Fault { process, .. } = event.content {
            awaited.push((process, lines.len()));
            lines.push(None);
        }
        lines.extend(describe(event, names).map(Some));
    }
    messages.flush(&mut |_, message| put(&message, &mut lines, &mut awaited));
    lines.into_iter().flatten().collect()
}

fn say(message: &Message, names: &NameMap, symbols: Option<&Symbols>, places: bool) -> String {
    match message {
        Message::Log { thread, text } => {
            let process = names
                .threads
                .get(usize::from(*thread))
                .map_or(u16::MAX, |t| t.process);
            format!("{}: {text}", process_name(names, process))
        }
        Message::Fault(fault) => {
            let process = process_name(names, fault.process);
            if places {
                let explanation = fault.explain(names, symbols);
                let line = without_numbers(&explanation.line());
                let callers = explanation.own_callers();
                return format!("fault of process {process}: {line}{callers}");
            }
            let text = fault.message(names, symbols);
            let separator = if text.is_empty() { "" } else { ": " };
            let cause = fault.cause_in_words();
            format!("fault of process {process}: {cause}{separator}{text}")
        }
    }
}

/// Addresses and bytes of stacks differ between compilers: `#` is said instead.
fn without_numbers(line: &str) -> String {
    let words = line.split(' ').map(|word| {
        let number = word.trim_end_matches([',', ':', ')']);
        let hex = number.strip_prefix("0x").is_some_and(|hex| hex.len() > 4);
        let is_bytes = number.len() > 1 && number.bytes().all(|byte| byte.is_ascii_digit());
        match hex || is_bytes && line.contains("stack overflow") {
            true => word.replacen(number, "#", 1),
            false => word.into(),
        }
    });
    words.collect::<Vec<String>>().join(" ")
}

fn describe(event: &Event, names: &NameMap) -> Option<String> {
    Some(match &event.content {
        Content::Violation(breach) => breach_at(breach, &instant(breach), names),
        Content::Miss { thread, job, .. } => {
            let task = names
                .threads
                .get(usize::from(*thread))
                .map_or("?", |t| t.name.as_str());
            format!("missed: task {task}, job {job}")
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
            program, how, tag, ..
        } => change(*program, *how, *tag, names),
        Content::Stop { status, .. } => format!("stop: status {status}"),
        _ => return None,
    })
}

/// The instant of a violation, where it follows from the program: an overrun or
/// a fault happens when the clock says so.
fn instant(breach: &Breach) -> String {
    match breach.violation {
        Some(Violation::TimeSafety | Violation::TimeShare) => {
            format!(", logical instant {}", logical(breach.at))
        }
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::*;
    use giornata_abi::Instant;
    use giornata_abi::trace::FaultCause;

    fn run(pc: u64, late: u64) -> Vec<String> {
        let cause = Some(FaultCause::Illegal);
        let fault = Content::Fault {
            process: 1,
            cause,
            code: 1,
            length: 0,
            pc,
            address: 0,
        };
        let gone = Content::Process {
            process: 1,
            restarted: true,
            generation: 2,
        };
        let stop = Content::Stop { status: 3 };
        let events = [
            log(1 + late, 0, "before", false),
            event(2 + late, fault),
            event(3 + late, gone),
            event(9 + late, stop),
        ];
        transcript(&events, &names())
    }

    #[test]
    fn a_transcript_holds_what_was_said_and_suffered() {
        let expected = [
            "control: before",
            "fault of process io: illegal or privileged instruction",
            "process io restarted, generation 2",
            "stop: status 3",
        ];
        assert_eq!(run(0x1000, 0), expected);
    }

    #[test]
    fn an_instant_that_the_clock_decides_is_left_out() {
        let breach = |violation| {
            let breach = Breach {
                program: 0,
                violation: Some(violation),
                handled: true,
                at: Instant(20_000_000),
                task: Some(0),
                driver: None,
            };
            transcript(&[event(1, Content::Violation(breach))], &names())
        };
        assert_eq!(
            breach(Violation::Overrun),
            ["violation overrun: task fast, driver -, program flight, handled"]
        );
        assert_eq!(
            breach(Violation::TimeSafety),
            [
                "violation time-safety: task fast, driver -, program flight, logical instant 20.000 ms, handled"
            ]
        );
    }

    #[test]
    fn a_transcript_does_not_change_with_time_or_place() {
        assert_eq!(run(0x1000, 0), run(0x2000, 777));
    }
}
