//! Records of which more follows.

use giornata_abi::Ticks;
use giornata_abi::ring::Kind;
use giornata_abi::time::Timebase;
use giornata_abi::trace::FaultCause;

use super::Expansion;
use crate::event::{Content, Event, Piece};
use crate::hart::Awaited;

impl Expansion {
    /// Twelve bytes more of the record before.
    pub(super) fn more(
        &mut self,
        hart: usize,
        index: u64,
        words: [u32; 3],
        sink: &mut dyn FnMut(Event),
    ) {
        // of a record that was lost
        let Some(awaited) = self.harts[hart].awaited.take() else {
            return;
        };
        let [a, b, c] = words;
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let [second, third] = awaited.words;
        let text = || [&third.to_le_bytes()[..], &bytes].concat();
        let (index, tick, content) = match awaited.kind {
            Kind::Boot => {
                self.base = Timebase::new(second);
                let tick = u64::from(c) << 32 | u64::from(awaited.tick.0 as u32);
                self.clock = tick;
                let content = Content::Boot {
                    hertz: second,
                    capacity: third.into(),
                    tables: u64::from(b) << 32 | u64::from(a),
                };
                (awaited.index, Ticks(tick), content)
            }
            Kind::Port => {
                let piece = Piece::new(&bytes);
                let offset = awaited.offset;
                let content = Content::Port {
                    port: awaited.subject,
                    offset,
                    at: awaited.at,
                    piece,
                };
                let tick = awaited.tick;
                self.harts[hart].awaited = Some(Awaited {
                    offset: offset.saturating_add(bytes.len() as u32),
                    ..awaited
                });
                (index, tick, content)
            }
            Kind::Fault => {
                self.fault = Some((awaited.subject, awaited.tick));
                let (code, length) = (second & 0xFFFF, second >> 16);
                let content = Content::Fault {
                    process: awaited.subject,
                    cause: FaultCause::ALL.get(code as usize).copied(),
                    code,
                    length,
                    pc: u64::from(a) << 32 | u64::from(third),
                    address: u64::from(c) << 32 | u64::from(b),
                };
                (awaited.index, awaited.tick, content)
            }
            Kind::FaultText => {
                let process = awaited.subject;
                // the text belongs to its fault, whenever it was written
                let fault = self.fault.filter(|(faulted, _)| *faulted == process);
                let content = Content::FaultText {
                    process,
                    offset: second,
                    text: sixteen(&text()),
                };
                (
                    awaited.index,
                    fault.map_or(awaited.tick, |(_, tick)| tick),
                    content,
                )
            }
            Kind::Name => {
                let length = (second as usize).min(16);
                let content = Content::Name {
                    thread: awaited.subject,
                    text: sixteen(&text()[..length]),
                };
                (awaited.index, awaited.tick, content)
            }
            _ => (
                awaited.index,
                awaited.tick,
                log(awaited.subject, second, &text()),
            ),
        };
        sink(Event {
            index,
            tick,
            hart: hart as u8,
            content,
        });
    }
}

pub(super) fn log(thread: u16, length: u32, bytes: &[u8]) -> Content {
    Content::Log {
        thread,
        length: (length as u8 as usize).min(16),
        more: length & 0x100 != 0,
        text: sixteen(bytes),
    }
}

pub(super) fn sixteen(bytes: &[u8]) -> [u8; 16] {
    let mut text = [0; 16];
    text.iter_mut()
        .zip(bytes)
        .for_each(|(to, from)| *to = *from);
    text
}
