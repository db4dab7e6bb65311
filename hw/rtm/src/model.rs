//! What software sees of the task manager, in software: an answer is found by looking at one
//! record after the other.

use crate::Parameters;
use crate::register::{answer, status};

#[derive(Clone, Copy, Debug, Default)]
struct Record {
    status: u8,
    priority: u8,
    event: u8,
    delay: u32,
    key: u32,
}

/// Which records are meant by a question.
#[derive(Clone, Copy, Debug)]
pub enum Sense {
    /// Those that are ready.
    Ready,
    /// Those that wait for an event.
    Waits(u8),
    /// Those whose delay has run out.
    Expired,
    /// Those that are ready and have not been told so one after the other.
    Next,
}

/// A model of a task manager. Time is what [`Model::advance`] says: it counts no ticks itself,
/// and keys are what software writes.
#[derive(Clone, Debug)]
pub struct Model {
    parameters: Parameters,
    records: Vec<Record>,
    told: Vec<bool>,
}

impl Model {
    /// As after a reset. Fields but for the status are 0, where those of hardware are anything.
    pub fn new(parameters: Parameters) -> Model {
        let records = usize::from(parameters.records);
        Model {
            parameters,
            records: vec![Record::default(); records],
            told: vec![false; records],
        }
    }

    /// Writes the status, the priority and the event of a record.
    ///
    /// # Panics
    /// There is no such record, as below.
    pub fn set(&mut self, record: u16, status: u8, priority: u8, event: u8) {
        let kept = self.kept();
        let record = &mut self.records[usize::from(record)];
        (record.status, record.priority, record.event) = (status & kept, priority, event);
    }

    /// Writes the status of a record.
    pub fn set_status(&mut self, record: u16, status: u8) {
        self.records[usize::from(record)].status = status & self.kept();
    }

    /// Writes the delay of a record.
    pub fn set_delay(&mut self, record: u16, delay: u32) {
        self.records[usize::from(record)].delay = delay & self.most_delay();
    }

    /// Writes the key of a record.
    pub fn set_key(&mut self, record: u16, key: u32) {
        self.records[usize::from(record)].key = key;
    }

    /// The first word of a record, and its delay.
    pub fn words(&self, record: u16) -> [u32; 2] {
        let record = &self.records[usize::from(record)];
        let [status, priority, event] = [record.status, record.priority, record.event];
        [
            u32::from_le_bytes([status, priority, event, 0]),
            record.delay,
        ]
    }

    /// Time advances; returns whether a delay has run out.
    pub fn advance(&mut self, ticks: u32) -> bool {
        let (ticks, interrupts) = (ticks & self.most_delay(), self.parameters.interrupts);
        let mut has_expired = false;
        for record in &mut self.records {
            let delayed = status::VALID | status::DELAYED;
            if record.status & delayed != delayed {
                continue;
            }
            record.delay = match record.delay {
                delay if delay > ticks => delay - ticks,
                _ => {
                    record.status &= !status::DELAYED;
                    if record.status & status::TIMED != 0 {
                        record.status &= !status::EVENT;
                    }
                    if interrupts {
                        record.status |= status::EXPIRED;
                    }
                    has_expired = true;
                    0
                }
            };
        }
        has_expired
    }

    /// The first of the records that are meant; as the register has it.
    pub fn first(&self, sense: Sense) -> u32 {
        let meant = self.records.iter().zip(&self.told).enumerate();
        let meant = meant.filter(|(_, (record, told))| match sense {
            Sense::Ready => record.is_ready(),
            Sense::Waits(event) => record.waits_for(event),
            Sense::Expired => record.has(status::VALID | status::EXPIRED),
            Sense::Next => record.is_ready() && !**told,
        });
        let first = meant.reduce(|first, other| {
            let (a, b) = (first.1.0, other.1.0);
            let is_earlier =
                self.parameters.key_bits != 0 && (b.key.wrapping_sub(a.key) as i32) < 0;
            match (b.priority, a.priority) {
                (b, a) if b < a || (b == a && is_earlier) => other,
                _ => first,
            }
        });
        first.map_or(answer::NONE, |(index, _)| index as u32)
    }

    /// The first that waits for an event does not wait any more; it is returned.
    pub fn release(&mut self, event: u8) -> u32 {
        let first = self.first(Sense::Waits(event));
        if let Some(record) = self.records.get_mut(first as usize) {
            record.status &= !status::EVENT;
            if record.has(status::TIMED) {
                record.status &= !status::DELAYED;
            }
        }
        first
    }

    /// The first whose delay has run out, which is not told again.
    pub fn take_expired(&mut self) -> u32 {
        let first = self.first(Sense::Expired);
        if let Some(record) = self.records.get_mut(first as usize) {
            record.status &= !status::EXPIRED;
        }
        first
    }

    /// The next of the ready ones, which is not told again until [`Model::begin`].
    pub fn take_next(&mut self) -> u32 {
        let first = self.first(Sense::Next);
        if let Some(told) = self.told.get_mut(first as usize) {
            *told = true;
        }
        first
    }

    /// The ready ones are told from the first on.
    pub fn begin(&mut self) {
        self.told.fill(false);
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
}
