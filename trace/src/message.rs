//! What processes say and how they end, put together from pieces.

use giornata_abi::Ticks;
use giornata_system::NameMap;

use crate::event::{Content, Event};
use crate::fault::{Fault, clean};

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
    Fault(Fault),
}

#[derive(Clone, Debug)]
struct Pending {
    fault: Fault,
    /// Bytes that come in records of their own, whatever comes between.
    length: usize,
}

/// Joins the pieces of texts: of each thread's log, and of a fault's message.
#[derive(Clone, Debug)]
pub struct Assembly {
    logs: Vec<Vec<u8>>,
    faults: Vec<Pending>,
    /// Of a fault that comes next: thread, stack pointer, return address.
    registers: Option<(u16, u64, u64)>,
    /// By thread: its process.
    processes: Vec<u16>,
}

impl Assembly {
    /// An assembly for the threads of a system.
    pub fn new(names: &NameMap) -> Assembly {
        Assembly {
            logs: vec![Vec::new(); names.threads.len()],
            faults: Vec::new(),
            registers: None,
            processes: names.threads.iter().map(|t| t.process).collect(),
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
            Content::Registers { thread, sp, ra } => self.registers = Some((*thread, *sp, *ra)),
            Content::Fault {
                process,
                cause,
                code,
                length,
                pc,
                address,
            } => {
                let registers = self.registers.take();
                let own = registers.filter(|(thread, ..)| {
                    self.processes.get(usize::from(*thread)) == Some(process)
                });
                self.faults.push(Pending {
                    fault: Fault {
                        tick: event.tick,
                        process: *process,
                        thread: own.map(|(thread, ..)| thread),
                        cause: *cause,
                        code: *code,
                        pc: *pc,
                        address: *address,
                        registers: own.map(|(_, sp, ra)| (sp, ra)),
                        memory: Vec::new(),
                    },
                    length: LONGEST.min(*length as usize),
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

    /// A fault is told when its text is whole; one that awaits none, at the next tick or
    /// fault; both before the end of their process.
    fn flush_before(&mut self, event: &Event, sink: &mut impl FnMut(Ticks, Message)) {
        let (mut is_fault, mut ended) = (false, None);
        match event.content {
            Content::Fault { .. } => is_fault = true,
            Content::Process { process, .. } => ended = Some(process),
            _ => {}
        }
        self.flush_if(sink, |pending| match pending.length {
            _ if ended == Some(pending.fault.process) => true,
            0 => is_fault || ended.is_some() || pending.fault.tick != event.tick,
            length => pending.fault.memory.len() >= length,
        });
    }

    /// Hands those to `sink` whose text might still have gone on: at the end of the trace.
    pub fn flush(&mut self, sink: &mut impl FnMut(Ticks, Message)) {
        self.flush_if(sink, |_| true);
    }

    fn flush_if(
        &mut self,
        sink: &mut impl FnMut(Ticks, Message),
        is_due: impl Fn(&Pending) -> bool,
    ) {
        for pending in self.faults.extract_if(.., |pending| is_due(pending)) {
            sink(pending.fault.tick, Message::Fault(pending.fault));
        }
    }

    /// A piece may hold less than 16 bytes, where memory that can be read ends: zeroes
    /// behind them, and the next piece begins there.
    fn fault_text(&mut self, process: u16, offset: u32, piece: &[u8; 16]) {
        let own = self
            .faults
            .iter_mut()
            .find(|pending| pending.fault.process == process);
        if let Some(Pending { fault, .. }) = own {
            let offset = LONGEST.min(offset as usize);
            fault.memory.resize(offset, 0);
            append(&mut fault.memory, piece);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::*;
    use giornata_abi::trace::FaultCause;

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
            length: 0,
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
        let [Message::Fault(fault)] = &messages[..] else {
            panic!("one fault, not {messages:?}");
        };
        assert_eq!(fault.process, 1);
        let explanation = fault.explain(&names(), None);
        assert_eq!(explanation.line(), "panic: src/lib.rs:40: index");
    }

    #[test]
    fn a_panic_waits_for_its_text_whatever_comes_between() {
        let panic = |process, length| {
            let cause = Some(FaultCause::Panic);
            let content = Content::Fault {
                process,
                cause,
                code: 6,
                length,
                pc: 0,
                address: 0,
            };
            event(1, content)
        };
        let end = |process| {
            let content = Content::Process {
                process,
                restarted: true,
                generation: 1,
            };
            event(9, content)
        };
        let told = |events: &[Event]| -> Vec<String> {
            let text = |message: &Message| match message {
                Message::Log { text, .. } => text.clone(),
                Message::Fault(fault) => {
                    format!("{} {}", fault.process, fault.message(&names(), None))
                }
            };
            join(events).iter().map(text).collect()
        };
        // whole before the end of its process, and not ended by another's
        let events = [
            panic(1, 18),
            log(2, 0, "before", false),
            fault_text(0, b"src/lib.rs:40: i"),
            panic(0, 0),
            log(3, 0, "between", false),
            end(0),
            fault_text(16, b"nd\0\0\0\0\0\0\0\0\0\0\0\0\0\0"),
            log(4, 0, "behind", false),
            end(1),
        ];
        let expected = ["before", "0 ", "between", "1 src/lib.rs:40: ind", "behind"];
        assert_eq!(told(&events), expected);
        // what cannot be read does not come
        let events = [panic(1, 18), log(2, 0, "before", false), end(1)];
        assert_eq!(told(&events), ["before", "1 "]);
    }

    #[test]
    fn a_store_fault_names_address_and_place() {
        let cause = Some(FaultCause::Store);
        let fault = Content::Fault {
            process: 0,
            cause,
            code: 4,
            length: 0,
            pc: 0x1000_0010,
            address: 0x8000_0000,
        };
        let messages = join(&[event(1, fault), log(2, 0, "x", false)]);
        let Message::Fault(fault) = &messages[0] else {
            panic!("a fault, not {messages:?}");
        };
        assert_eq!(
            fault.explain(&names(), None).line(),
            "store to 0x80000000: no memory of its own, at pc 0x10000010"
        );
    }

    #[test]
    fn registers_belong_to_the_fault_of_their_process_that_comes_next() {
        let fault = |process| Content::Fault {
            process,
            cause: Some(FaultCause::Load),
            code: 3,
            length: 16,
            pc: 0x1000_0010,
            address: 8,
        };
        let registers = Content::Registers {
            thread: 1,
            sp: 0x2000,
            ra: 0x1000_0020,
        };
        let events = [
            event(1, registers.clone()),
            event(1, fault(1)),
            fault_text(0, b"0123456789abcdef"),
            event(2, registers),
            event(2, fault(0)),
        ];
        let faults: Vec<_> = join(&events)
            .into_iter()
            .filter_map(|message| match message {
                Message::Fault(fault) => Some((fault.thread, fault.registers, fault.memory)),
                Message::Log { .. } => None,
            })
            .collect();
        let expected = [
            (
                Some(1),
                Some((0x2000, 0x1000_0020)),
                b"0123456789abcdef".to_vec(),
            ),
            (None, None, vec![]),
        ];
        assert_eq!(faults, expected);
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
