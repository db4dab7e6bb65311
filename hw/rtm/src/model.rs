//! What software sees of the task manager, in software: an answer is found by looking at one
//! record after the other.

use crate::Parameters;
use crate::place::{Place, Question};
use crate::register::{answer, cause, config, record, status};

#[derive(Clone, Copy, Debug, Default)]
struct Record {
    status: u8,
    priority: u8,
    event: u8,
    delay: u32,
    key: u32,
}

/// A model of a task manager. Time is what [`Model::advance`] and commands say: when ticks that
/// are counted without a command come, [`Course`](crate::Course) knows.
#[derive(Clone, Debug)]
pub struct Model {
    parameters: Parameters,
    records: Vec<Record>,
    /// Has been returned by `NEXT` since that was written.
    seen: Vec<bool>,
    /// Commands so far, as far as they can make a record ready: a stamp.
    arrivals: u32,
    /// A delay has run out since the bit was cleared.
    has_run_out: bool,
    /// What `TOP` returned last.
    told: u32,
    enabled: u32,
    period: u32,
}

impl Model {
    /// As after a reset. Fields but for the status are 0, where those of hardware are undefined.
    pub fn new(parameters: Parameters) -> Model {
        let records = usize::from(parameters.records);
        Model {
            parameters,
            records: vec![Record::default(); records],
            seen: vec![false; records],
            arrivals: 0,
            has_run_out: false,
            told: answer::NONE,
            enabled: 0,
            period: 0,
        }
    }

    /// Reads a word, with what that does. Where there is no such record, other bits than
    /// [`answer::NONE`] are 0, where those of hardware are undefined.
    pub fn read(&mut self, address: u16) -> u32 {
        match Place::at(&self.parameters, address) {
            Place::Word(index) => {
                let Record {
                    status,
                    priority,
                    event,
                    ..
                } = self.records[index];
                record::word(status, priority, event)
            }
            Place::Delay(index) => self.records[index].delay,
            Place::Key(index) => self.records[index].key,
            Place::Question(question) => self.answer(question),
            Place::Cause => self.causes(),
            Place::Enable => self.enabled,
            Place::Tick => self.period,
            Place::Config => self.config(),
            Place::Advance | Place::Nothing => 0,
        }
    }

    /// Writes the bytes of a word whose bits are set in `bytes`.
    pub fn write(&mut self, address: u16, bytes: u8, data: u32) {
        if bytes == 0 {
            return;
        }
        match Place::at(&self.parameters, address) {
            Place::Word(index) => self.write_word(index, bytes, data),
            Place::Delay(index) => {
                let most = self.most_delay();
                let delay = &mut self.records[index].delay;
                *delay = merge(*delay, bytes, data) & most;
            }
            Place::Key(index) => {
                let key = &mut self.records[index].key;
                *key = merge(*key, bytes, data);
            }
            Place::Advance => return self.advance(data),
            Place::Question(Question::Next) => self.seen.fill(false),
            Place::Cause if bytes & 1 != 0 && data & cause::DELAY != 0 => self.has_run_out = false,
            Place::Enable if bytes & 1 != 0 => self.enabled = data & (cause::DELAY | cause::TOP),
            Place::Tick => self.period = data,
            _ => {}
        }
        self.arrivals = self.arrivals.wrapping_add(1);
    }

    /// Time advances.
    pub fn advance(&mut self, ticks: u32) {
        let (ticks, interrupts) = (ticks & self.most_delay(), self.parameters.interrupts);
        let cells = usize::from(self.parameters.delay_cells);
        for (index, record) in self.records.iter_mut().enumerate() {
            if !record.has(status::VALID | status::DELAYED) {
                continue;
            }
            record.delay = record.delay.saturating_sub(ticks);
            if record.delay != 0 {
                continue;
            }
            record.status &= !status::DELAYED;
            if record.has(status::TIMED) {
                record.status &= !status::EVENT;
            }
            if interrupts {
                record.status |= status::EXPIRED;
            }
            // (records that share a cell come one after the other)
            record.stamp(self.arrivals.wrapping_add((index / cells) as u32));
            self.has_run_out |= interrupts;
        }
        self.arrivals = self.arrivals.wrapping_add(self.parameters.groups());
    }

    /// Causes of an interrupt that hold.
    pub fn causes(&self) -> u32 {
        let has_changed = self.first(Question::Top) != self.told;
        let of = |holds: bool, bit: u32| if holds { bit } else { 0 };
        of(self.has_run_out, cause::DELAY) | of(has_changed, cause::TOP)
    }

    /// Those that raise the interrupt line.
    pub fn enabled(&self) -> u32 {
        self.enabled
    }

    fn write_word(&mut self, index: usize, bytes: u8, data: u32) {
        let (kept, arrivals) = (self.kept(), self.arrivals);
        let record = &mut self.records[index];
        if bytes & 1 != 0 {
            record.status = record::status(data) & kept;
            record.stamp(arrivals);
        }
        if bytes & 2 != 0 {
            record.priority = record::priority(data);
        }
        if bytes & 4 != 0 {
            record.event = record::event(data);
        }
    }

    /// The answer to a question, with what that does to the record that is found.
    fn answer(&mut self, question: Question) -> u32 {
        let first = self.first(question);
        if let Some(record) = self.records.get_mut(first as usize) {
            match question {
                Question::Release(_) => {
                    record.status &= !status::EVENT;
                    if record.has(status::TIMED) {
                        record.status &= !status::DELAYED;
                    }
                    record.stamp(self.arrivals);
                }
                Question::Expired => record.status &= !status::EXPIRED,
                Question::Next => self.seen[first as usize] = true,
                Question::Top | Question::Waiter(_) => {}
            }
        }
        if question == Question::Top {
            self.told = first;
        }
        self.arrivals = self.arrivals.wrapping_add(1);
        first
    }

    /// The first of the records that are meant.
    fn first(&self, question: Question) -> u32 {
        let meant = self.records.iter().zip(&self.seen).enumerate();
        let meant = meant.filter(|(_, (record, seen))| match question {
            Question::Top => record.is_ready(),
            Question::Waiter(event) | Question::Release(event) => record.waits_for(event),
            Question::Expired => record.has(status::VALID | status::EXPIRED),
            Question::Next => record.is_ready() && !**seen,
        });
        let first = meant.reduce(|first, other| {
            let (a, b) = (first.1.0, other.1.0);
            let is_earlier = (b.key.wrapping_sub(a.key) as i32) < 0;
            match (b.priority, a.priority) {
                (b, a) if b < a || (b == a && is_earlier) => other,
                _ => first,
            }
        });
        first.map_or(answer::NONE, |(index, _)| index as u32)
    }

    /// Bits of a status that there are.
    fn kept(&self) -> u8 {
        let of = |is_here: bool, bit: u8| if is_here { bit } else { 0 };
        status::VALID
            | status::DELAYED
            | status::EVENT
            | status::SUSPENDED
            | of(self.parameters.is_timed, status::TIMED)
            | of(self.parameters.interrupts, status::EXPIRED)
            | of(self.parameters.has_stamps, status::STAMPED)
    }

    fn most_delay(&self) -> u32 {
        u32::MAX >> (32 - u32::from(self.parameters.delay_bits))
    }

    fn config(&self) -> u32 {
        let Parameters {
            records,
            key_bits,
            stages,
            ..
        } = self.parameters;
        let extensions = [
            (self.parameters.is_timed, config::TIMED),
            (self.parameters.has_stamps, config::STAMPS),
            (self.parameters.releases, config::RELEASES),
            (self.parameters.interrupts, config::INTERRUPTS),
            (self.parameters.tells_many, config::MANY),
            (self.parameters.delay_bits == 32, config::LONG_DELAYS),
        ];
        let here = extensions.iter().filter(|(is_here, _)| *is_here);
        let bits: u32 = here.map(|(_, bit)| bit).sum();
        u32::from_le_bytes([(records - 1) as u8, key_bits, 0, stages]) | bits
    }
}

impl Record {
    fn has(&self, bits: u8) -> bool {
        self.status & bits == bits
    }

    fn is_ready(&self) -> bool {
        let waits = status::DELAYED | status::EVENT | status::SUSPENDED;
        self.status & (waits | status::VALID) == status::VALID
    }

    fn waits_for(&self, event: u8) -> bool {
        self.has(status::VALID | status::EVENT) && self.event == event
    }

    fn stamp(&mut self, arrivals: u32) {
        if self.has(status::STAMPED) {
            self.key = arrivals;
        }
    }
}

/// A word of which some bytes are written.
fn merge(word: u32, bytes: u8, data: u32) -> u32 {
    let (mut merged, data) = (word.to_le_bytes(), data.to_le_bytes());
    for (index, byte) in merged.iter_mut().enumerate() {
        if bytes & 1 << index != 0 {
            *byte = data[index];
        }
    }
    u32::from_le_bytes(merged)
}
