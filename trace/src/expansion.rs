//! Records as what they tell: a record of 16 bytes says less than an event, and what was
//! before it says the rest.
//!
//! Times are exact (see [`giornata_abi::ring`]); jobs are numbered by their
//! releases and their execution is what lies between switches. After a loss numbers
//! and sums go on from what is known.

mod more;

use giornata_abi::load::How;
use giornata_abi::ring::{
    FAR, HEAD_TEXT, Kind, NONE, Words, extended, members, reason, split_head,
};
use giornata_abi::time::Timebase;
use giornata_abi::trace::Violation;
use giornata_abi::{Duration, Instant, Ticks};

use crate::event::{Breach, Content, Event, Piece, UpcallStep};
use crate::hart::{Awaited, Hart};
use crate::job::{Job, Jobs};

use more::log;

/// Turns records, in order, into events.
#[derive(Clone, Debug)]
pub struct Expansion {
    base: Timebase,
    /// The latest time that a record was stamped with.
    clock: u64,
    /// The number of the record that follows the last one.
    next: u64,
    harts: Vec<Hart>,
    jobs: Jobs,
    /// The process that faulted last, and when.
    fault: Option<(u16, Ticks)>,
}

/// A record with its time.
struct Stamped {
    index: u64,
    hart: u8,
    subject: u16,
    /// 64-bit time of word 0.
    time: u64,
    /// Words 2 and 3.
    words: [u32; 2],
}

impl Expansion {
    /// Of a machine whose timer counts so many ticks a second, unless its first record
    /// says another number.
    pub fn new(hertz: u32) -> Expansion {
        Expansion {
            base: Timebase::new(hertz),
            clock: 0,
            next: 0,
            harts: Vec::new(),
            jobs: Jobs::default(),
            fault: None,
        }
    }

    /// The same, of records that begin while it runs, near an instant: their times say
    /// the low word of the clock only.
    pub fn from(hertz: u32, near: Instant) -> Expansion {
        let mut expansion = Expansion::new(hertz);
        expansion.clock = expansion.base.ticks(near).0;
        expansion
    }

    /// Takes record `index` and hands the events that it ends to `sink`. O(tasks that
    /// it releases).
    pub fn push(&mut self, index: u64, record: Words, mut sink: impl FnMut(Event)) {
        let [low, head, second, third] = record;
        let (kind, number, subject) = split_head(head);
        if index != self.next {
            self.forget();
        }
        self.next = index + 1;
        let hart = usize::from(number);
        if self.harts.len() <= hart {
            self.harts.resize(hart + 1, Hart::default());
        }
        if kind == Some(Kind::More) {
            self.more(hart, index, [low, second, third], &mut sink);
            return;
        }
        self.harts[hart].awaited = None;
        let high = match kind {
            Some(Kind::Epoch) => Some(second),
            Some(Kind::Lost) => Some(third),
            _ => None,
        };
        let time = match high {
            Some(high) => u64::from(high) << 32 | u64::from(low),
            None => extended(self.clock, low),
        };
        self.clock = match high {
            Some(_) => time,
            None => self.clock.max(time),
        };
        let stamped = Stamped {
            index,
            hart: number,
            subject,
            time,
            words: [second, third],
        };
        match kind {
            Some(kind) => self.take(kind, &stamped, &mut sink),
            None => sink(stamped.event(Ticks(time), Content::Unknown(record))),
        }
    }

    /// What was under way when records were lost: nobody knows what became of it.
    fn forget(&mut self) {
        self.harts
            .iter_mut()
            .for_each(|hart| *hart = Hart::default());
    }

    fn take(&mut self, kind: Kind, record: &Stamped, sink: &mut dyn FnMut(Event)) {
        let tick = Ticks(record.time);
        let [second, third] = record.words;
        let hart = &mut self.harts[usize::from(record.hart)];
        let content = match kind {
            Kind::Boot | Kind::Fault | Kind::FaultText | Kind::Name => {
                return hart.awaited = Some(record.awaited(kind, tick));
            }
            Kind::Log if second as u8 as usize > HEAD_TEXT => {
                return hart.awaited = Some(record.awaited(kind, tick));
            }
            Kind::Log => log(record.subject, second, &third.to_le_bytes()),
            Kind::Port => return self.port(record, sink),
            Kind::Epoch | Kind::More => return,
            Kind::Entered => {
                return hart.entered = Some((record.time, extended(record.time, second)));
            }
            Kind::Fraction => return hart.fraction = Some((record.time, second, third)),
            Kind::Switch => return self.switch(record, sink),
            Kind::Release => return self.release(record, sink),
            Kind::Complete => {
                let is_late = second & reason::LATE != 0;
                return self.complete(record, third, is_late, sink);
            }
            Kind::Interrupt => Content::Interrupt {
                number: record.subject,
                at: self.base.instant(tick),
            },
            Kind::Registers => Content::Registers {
                thread: record.subject,
                sp: second.into(),
                ra: third.into(),
            },
            Kind::Priority => Content::Priority {
                thread: record.subject,
                priority: second as u16,
                by: (second >> 16) as u16,
                policy: (third & 1 != 0).then_some((third >> 8) as u8),
            },
            Kind::Process => Content::Process {
                process: record.subject,
                restarted: second == 1,
                generation: third.into(),
            },
            Kind::Stop => Content::Stop {
                status: record.subject,
            },
            Kind::Lost => {
                self.forget();
                Content::Lost {
                    count: second.into(),
                }
            }
            Kind::Violation | Kind::Upcall | Kind::Change => match self.logical(kind, record) {
                Some(content) => {
                    let tick = self.entered(record);
                    return sink(record.event(tick, content));
                }
                None => return,
            },
        };
        sink(record.event(tick, content));
    }

    /// What happened at a logical instant, of kinds that are one event each.
    fn logical(&self, kind: Kind, record: &Stamped) -> Option<Content> {
        let at = self.instant(record, 0);
        let [second, third] = record.words;
        Some(match kind {
            Kind::Violation => Content::Violation(Breach {
                program: record.subject,
                violation: Violation::from_code(second as u8),
                handled: second >> 8 & 0xFF != 0,
                at,
                task: some(third as u16),
                driver: some((third >> 16) as u16),
            }),
            Kind::Upcall => Content::Upcall {
                driver: record.subject,
                step: UpcallStep::from_code(second)?,
                at,
                value: third.into(),
            },
            _ => Content::Change {
                program: record.subject,
                how: How::from_code(second as usize),
                at,
                tag: third,
            },
        })
    }

    /// When the kernel was entered for a logical instant: as it said, or when it wrote
    /// last.
    fn entered(&self, record: &Stamped) -> Ticks {
        let hart = &self.harts[usize::from(record.hart)];
        match hart.entered {
            Some((instant, entry)) if instant == record.time => Ticks(entry),
            _ => Ticks(record.time.max(self.clock)),
        }
    }

    /// So many ticks after a logical instant, to the nearest nanosecond.
    fn instant(&self, record: &Stamped, after: u32) -> Instant {
        let hart = &self.harts[usize::from(record.hart)];
        let ticks = record.time.saturating_add(after.into());
        let (numerator, denominator) = match hart.fraction {
            Some((instant, numerator, denominator))
                if instant == record.time && numerator < denominator =>
            {
                (numerator, denominator)
            }
            _ => (0, 1),
        };
        // below 2^64 * 2^32 + 2^32, times 2 * 10^9: in 128 bits
        let parts = u128::from(ticks) * u128::from(denominator) + u128::from(numerator);
        let divisor = u128::from(self.base.hertz()) * u128::from(denominator);
        let nanos = (2 * parts * 1_000_000_000 + divisor) / (2 * divisor);
        Instant(u64::try_from(nanos).unwrap_or(u64::MAX))
    }

    fn release(&mut self, record: &Stamped, sink: &mut dyn FnMut(Event)) {
        let [set, window] = record.words;
        let at = self.instant(record, 0);
        let deadline = match window {
            0 | FAR => None,
            window => Some(self.instant(record, window)),
        };
        let tick = self.entered(record);
        for thread in members::threads(record.subject, set) {
            let job = self.jobs.release(thread, deadline);
            let content = Content::Release {
                thread,
                job,
                at,
                deadline,
            };
            sink(record.event(tick, content));
        }
    }

    /// The job of a thread completed; `number` 0: the one released last.
    fn complete(
        &mut self,
        record: &Stamped,
        number: u32,
        is_late: bool,
        sink: &mut dyn FnMut(Event),
    ) {
        let (thread, tick) = (record.subject, Ticks(record.time));
        let turn = self.harts[usize::from(record.hart)].take_turn(thread, record.time);
        let Job {
            number: job,
            spent,
            deadline,
            ..
        } = self.jobs.complete(thread, number);
        let at = self.base.instant(tick);
        let execution = self.base.instant(Ticks(spent.saturating_add(turn)));
        let completed = Content::Complete {
            thread,
            job,
            at,
            execution: Duration(execution.0),
        };
        sink(record.event(tick, completed));
        if is_late {
            let deadline = deadline.unwrap_or(at);
            let missed = Content::Miss {
                thread,
                job,
                deadline,
            };
            sink(record.event(tick, missed));
        }
    }

    fn switch(&mut self, record: &Stamped, sink: &mut dyn FnMut(Event)) {
        let [runs, why] = record.words;
        let (tick, operand) = (Ticks(record.time), (why >> 16) as u16);
        if why & 0xFF == reason::COMPLETE {
            self.complete(record, 0, why & reason::LATE != 0, sink);
        }
        if why & 0xFF == reason::INTERRUPT {
            let at = self.base.instant(tick);
            let number = operand;
            sink(record.event(tick, Content::Interrupt { number, at }));
        }
        let hart = &mut self.harts[usize::from(record.hart)];
        let thread = some((runs >> 16) as u16);
        if let Some((left, ran)) = hart.switch(thread, record.time) {
            self.jobs.run(left, ran);
        }
        let job = thread.and_then(|thread| self.jobs.open(thread));
        let content = Content::Switch {
            thread,
            deadline: job.and_then(|job| job.deadline),
            job: job.map_or(0, |job| job.number as u16),
        };
        sink(record.event(tick, content));
    }

    fn port(&mut self, record: &Stamped, sink: &mut dyn FnMut(Event)) {
        let [second, third] = record.words;
        let (tick, at) = (self.entered(record), self.instant(record, 0));
        let piece = Piece::new(&[second.to_le_bytes(), third.to_le_bytes()].concat());
        let hart = &mut self.harts[usize::from(record.hart)];
        hart.awaited = Some(Awaited {
            at,
            offset: piece.bytes().len() as u32,
            ..record.awaited(Kind::Port, tick)
        });
        let content = Content::Port {
            port: record.subject,
            offset: 0,
            at,
            piece,
        };
        sink(record.event(tick, content));
    }
}

impl Stamped {
    fn event(&self, tick: Ticks, content: Content) -> Event {
        Event {
            index: self.index,
            tick,
            hart: self.hart,
            content,
        }
    }

    /// This record, of which more is to come.
    fn awaited(&self, kind: Kind, tick: Ticks) -> Awaited {
        Awaited {
            kind,
            index: self.index,
            subject: self.subject,
            tick,
            words: self.words,
            at: Instant::START,
            offset: 0,
        }
    }
}

fn some(thread: u16) -> Option<u16> {
    (thread != NONE).then_some(thread)
}

#[cfg(test)]
mod tests;
