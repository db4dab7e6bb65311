//! What processes say and how they end, put together from pieces.

use giornata_abi::Ticks;
use giornata_abi::trace::FaultCause;
use giornata_system::NameMap;

use crate::event::{Content, Event};
use crate::notation::printable;

/// Longest text kept of one message; the rest is cut.
const LONGEST: usize = 512;

/// A whole message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Message {
    /// Text that a thread wrote to the trace.
    Log {
        /// Its thread.
        thread: u16,
        /// The text.
        text: String,
    },
    /// A process faulted.
    Fault {
        /// The process.
        process: u16,
        /// Why, as the kernel sees it.
        cause: String,
        /// Program counter and address, where they tell something.
        place: String,
        /// What the program said when it panicked; empty otherwise.
        text: String,
    },
}

#[derive(Clone, Debug)]
struct Fault {
    tick: Ticks,
    process: u16,
    cause: String,
    place: String,
    text: Vec<u8>,
}

/// Joins the pieces of texts: of each thread's log, and of a fault's message.
#[derive(Clone, Debug)]
pub struct Assembly {
    logs: Vec<Vec<u8>>,
    fault: Option<Fault>,
}

impl Assembly {
    /// An assembly for the threads of a system.
    pub fn new(names: &NameMap) -> Assembly {
        Assembly {
            logs: vec![Vec::new(); names.threads.len()],
            fault: None,
        }
    }

    /// Takes an event; hands the messages that it ends to `sink`, in order,
    /// each with its tick.
    pub fn push(&mut self, event: &Event, mut sink: impl FnMut(Ticks, Message)) {
        self.flush_before(event, &mut sink);
        match &event.content {
            Content::FaultText {
                process,
                offset,
                text,
            } => self.fault_text(*process, *offset, text),
            Content::Fault {
                process,
                cause,
                code,
                pc,
                address,
            } => {
                self.fault = Some(Fault {
                    tick: event.tick,
                    process: *process,
                    cause: cause
                        .map_or_else(|| format!("cause {code}"), |cause| cause.name().into()),
                    place: locate(*cause, *pc, *address),
                    text: Vec::new(),
                });
            }
            Content::Log {
                thread,
                length,
                more,
                text,
            } => {
                if let Some(message) = self.log(*thread, &text[..*length], *more) {
                    sink(event.tick, message);
                }
            }
            _ => {}
        }
    }

    /// The kernel tells of a fault within one entry, and before it ends the
    /// process, so that another tick, another fault, or that end ends its text.
    fn flush_before(&mut self, event: &Event, sink: &mut impl FnMut(Ticks, Message)) {
        let another = matches!(
            event.content,
            Content::Fault { .. } | Content::Process { .. }
        );
        if self
            .fault
            .as_ref()
            .is_some_and(|fault| another || fault.tick != event.tick)
        {
            self.flush(sink);
        }
    }

    /// Hands the fault to `sink` whose text might still have gone on: at the
    /// end of the trace.
    pub fn flush(&mut self, sink: &mut impl FnMut(Ticks, Message)) {
        if let Some(Fault {
            tick,
            process,
            cause,
            place,
            text,
        }) = self.fault.take()
        {
            let text = clean(&text);
            sink(
                tick,
                Message::Fault {
                    process,
                    cause,
                    place,
                    text,
                },
            );
        }
    }

    /// A piece may hold less than 16 bytes, where memory that can be read ends: zeroes
    /// behind them, and the next piece begins there.
    fn fault_text(&mut self, process: u16, offset: u32, piece: &[u8; 16]) {
        if let Some(fault) = &mut self.fault
            && fault.process == process
        {
            let offset = LONGEST.min(offset as usize);
            fault.text.resize(offset, 0);
            append(&mut fault.text, piece);
        }
    }

    fn log(&mut self, thread: u16, piece: &[u8], more: bool) -> Option<Message> {
        let log = self.logs.get_mut(usize::from(thread))?;
        append(log, piece);
        if more {
            return None;
        }
        let text = clean(&std::mem::take(log));
        Some(Message::Log { thread, text })
    }
}

fn append(text: &mut Vec<u8>, piece: &[u8]) {
    let room = LONGEST.saturating_sub(text.len());
    text.extend_from_slice(&piece[..piece.len().min(room)]);
}

/// Without the zeros that fill the last piece and the newline of a line.
fn clean(text: &[u8]) -> String {
    let end = text
        .iter()
        .rposition(|byte| !matches!(byte, 0 | b'\n' | b'\r'))
        .map_or(0, |at| at + 1);
    printable(&text[..end])
}

/// Where it happened; a panic's text says it better.
fn locate(cause: Option<FaultCause>, pc: u64, address: u64) -> String {
    match cause {
        Some(FaultCause::Panic) => String::new(),
        Some(FaultCause::Load | FaultCause::Store | FaultCause::StackOverflow) => {
            format!("address {address:#x}, pc {pc:#x}")
        }
        _ => format!("pc {pc:#x}"),
    }
}

/// A fault in words: cause, place, and what the program said.
pub(crate) fn describe_fault(cause: &str, place: &str, text: &str) -> String {
    let place = if place.is_empty() {
        String::new()
    } else {
        format!(" ({place})")
    };
    let separator = if text.is_empty() { "" } else { ": " };
    format!("{cause}{place}{separator}{text}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::*;

    fn join(events: &[Event]) -> Vec<Message> {
        let mut assembly = Assembly::new(&names());
        let mut messages = Vec::new();
        for event in events {
            assembly.push(event, |_, message| messages.push(message));
        }
        assembly.flush(&mut |_, message| messages.push(message));
        messages
    }

    fn fault_text(offset: u32, text: &[u8; 16]) -> Event {
        event(
            1,
            Content::FaultText {
                process: 1,
                offset,
                text: *text,
            },
        )
    }

    #[test]
    fn lines_of_two_threads_do_not_mix() {
        let messages = join(&[
            log(1, 0, "altitude ", true),
            log(2, 1, "servo\n", false),
            log(3, 0, "9.81", false),
        ]);
        let expected = [(1, "servo"), (0, "altitude 9.81")].map(|(thread, text)| Message::Log {
            thread,
            text: text.into(),
        });
        assert_eq!(messages, expected);
    }

    #[test]
    fn a_panic_carries_its_text_whatever_else_happens_at_its_tick() {
        let panic = Content::Fault {
            process: 1,
            cause: Some(FaultCause::Panic),
            code: 6,
            pc: 0,
            address: 0,
        };
        let end = Content::Process {
            process: 1,
            restarted: false,
            generation: 1,
        };
        let messages = join(&[
            event(1, panic),
            fault_text(0, b"src/lib.rs:40: i"),
            event(1, Content::Lost { count: 1 }),
            fault_text(16, b"nd\0\0\0\0\0\0\0\0\0\0\0\0\0\0"),
            fault_text(18, b"ex\0\0\0\0\0\0\0\0\0\0\0\0\0\0"),
            event(1, end),
        ]);
        let [
            Message::Fault {
                process: 1,
                cause,
                place,
                text,
            },
        ] = &messages[..]
        else {
            panic!("one fault, not {messages:?}");
        };
        assert_eq!(
            describe_fault(cause, place, text),
            "panic: src/lib.rs:40: index"
        );
    }

    #[test]
    fn a_store_fault_names_address_and_place() {
        let cause = Some(FaultCause::Store);
        let fault = Content::Fault {
            process: 0,
            cause,
            code: 4,
            pc: 0x1000_0010,
            address: 0x8000_0000,
        };
        let messages = join(&[event(1, fault), log(2, 0, "x", false)]);
        assert_eq!(
            messages[0],
            Message::Fault {
                process: 0,
                cause: "store to an address it may not write".into(),
                place: "address 0x80000000, pc 0x10000010".into(),
                text: String::new()
            }
        );
    }

    #[test]
    fn a_text_without_end_is_cut() {
        let endless: Vec<Event> = (0..100)
            .map(|_| log(1, 0, "0123456789abcdef", true))
            .collect();
        let mut assembly = Assembly::new(&names());
        endless
            .iter()
            .for_each(|event| assembly.push(event, |_, _| unreachable!("no end yet")));
        assert_eq!(assembly.logs[0].len(), LONGEST);
    }
}
