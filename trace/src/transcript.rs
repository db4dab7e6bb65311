//! What a run said and suffered, without physical times and addresses: text
//! that stays the same while code moves, to be compared with a golden file.

use giornata_system::NameMap;

use crate::event::{Content, Event};
use crate::message::{Assembly, Message};
use crate::narration::{describe_breach, process_name};

/// One line for each message, violation, miss, fault, restart and the stop, in
/// the order of the trace.
pub fn transcript(events: &[Event], names: &NameMap) -> Vec<String> {
    let mut messages = Assembly::new(names);
    let mut lines = Vec::new();
    for event in events {
        messages.push(event, |_, message| lines.push(say(&message, names)));
        lines.extend(describe(event, names));
    }
    messages.flush(&mut |_, message| lines.push(say(&message, names)));
    lines
}

fn say(message: &Message, names: &NameMap) -> String {
    match message {
        Message::Log { thread, text } => {
            let process = names
                .threads
                .get(usize::from(*thread))
                .map_or(u16::MAX, |t| t.process);
            format!("{}: {text}", process_name(names, process))
        }
        Message::Fault {
            process,
            cause,
            text,
            ..
        } => {
            let separator = if text.is_empty() { "" } else { ": " };
            format!(
                "fault of process {}: {cause}{separator}{text}",
                process_name(names, *process)
            )
        }
    }
}

fn describe(event: &Event, names: &NameMap) -> Option<String> {
    Some(match &event.content {
        Content::Violation(breach) => describe_breach(breach, names),
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
        Content::Impossible { place, .. } => format!("kernel: impossible at place {place}"),
        Content::Stop { status, .. } => format!("stop: status {status}"),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::*;
    use giornata_abi::Ticks;
    use giornata_abi::trace::FaultCause;

    fn run(pc: u64, late: u64) -> Vec<String> {
        let cause = Some(FaultCause::Illegal);
        let fault = Content::Fault {
            process: 1,
            cause,
            code: 1,
            pc,
            address: 0,
        };
        let gone = Content::Process {
            process: 1,
            restarted: true,
            generation: 2,
        };
        let stop = Content::Stop {
            status: 3,
            kernel_milliticks: late,
            elapsed: Ticks(late),
        };
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
    fn a_transcript_does_not_change_with_time_or_place() {
        assert_eq!(run(0x1000, 0), run(0x2000, 777));
    }
}
