//! Steps as bytes: for each its occurrences, each behind a tag.
//!
//! What most often happens, a call that returns nothing but success, is the tag
//! alone. Ticks and instants are written as differences to the last one.

use super::{Reader, Writer};
use crate::TICK_NANOS;
use crate::observation::{Occurrence, Runner};

const END_OF_STEP: u8 = 0;
const DONE: u8 = 1;
const SKIPPED: u8 = 2;
const BEGINS: u8 = 3;
const RETURNS: u8 = 4;
const INPUTS: u8 = 5;
const PORT: u8 = 6;
const REGISTER: u8 = 7;
const IDLE: u8 = 8;
const STOPPED: u8 = 9;
const UPCALL: u8 = 10;
/// Behind the others: which thread runs.
const THREAD: u8 = 16;

impl Writer {
    pub(super) fn steps(&mut self, steps: &[Vec<Occurrence>]) {
        let (mut tick, mut instant) = (0, 0);
        self.index(steps.len());
        for step in steps {
            for occurrence in step {
                self.occurrence(occurrence, &mut tick, &mut instant);
            }
            self.bytes.push(END_OF_STEP);
        }
    }

    fn occurrence(&mut self, occurrence: &Occurrence, tick: &mut u64, instant: &mut u64) {
        match occurrence {
            Occurrence::Skipped => self.bytes.push(SKIPPED),
            Occurrence::Begins => self.bytes.push(BEGINS),
            Occurrence::Returns(0, words) if words.is_empty() => self.bytes.push(DONE),
            Occurrence::Returns(error, words) => {
                self.bytes.extend([RETURNS, *error]);
                self.index(words.len());
                words.iter().for_each(|word| self.number(*word));
            }
            Occurrence::Inputs(values) => {
                self.bytes.push(INPUTS);
                self.index(values.len());
                values.iter().for_each(|value| self.number((*value).into()));
            }
            Occurrence::Port(nanos, port, value) => {
                self.bytes.push(PORT);
                self.instant(instant, *nanos);
                self.index(*port);
                self.number((*value).into());
            }
            Occurrence::Register(address, value) => {
                self.bytes.push(REGISTER);
                self.number((*address).into());
                self.number((*value).into());
            }
            Occurrence::Switch(at, runner) => {
                match *runner {
                    Runner::Idle => self.bytes.push(IDLE),
                    Runner::Stopped(status) => self.bytes.extend([STOPPED, status]),
                    Runner::Upcall(driver) => self.bytes.extend([UPCALL, driver as u8]),
                    Runner::Thread(thread) => self.bytes.push(THREAD + thread as u8),
                }
                self.difference(*tick, *at);
                *tick = *at;
            }
        }
    }

    /// Whole ticks, and what is left of one.
    fn instant(&mut self, last: &mut u64, nanos: u64) {
        let ticks = nanos / TICK_NANOS;
        self.difference(*last, ticks);
        self.number(nanos % TICK_NANOS);
        *last = ticks;
    }
}

impl Reader<'_> {
    pub(super) fn steps(&mut self) -> Option<Vec<Vec<Occurrence>>> {
        let (mut tick, mut instant) = (0, 0);
        let count = self.index()?;
        let mut steps = Vec::new();
        for _ in 0..count {
            let mut step = Vec::new();
            loop {
                let tag = self.byte()?;
                if tag == END_OF_STEP {
                    break;
                }
                step.push(self.occurrence(tag, &mut tick, &mut instant)?);
            }
            steps.push(step);
        }
        Some(steps)
    }

    fn occurrence(&mut self, tag: u8, tick: &mut u64, instant: &mut u64) -> Option<Occurrence> {
        let runner = match tag {
            DONE => return Some(Occurrence::Returns(0, Vec::new())),
            SKIPPED => return Some(Occurrence::Skipped),
            BEGINS => return Some(Occurrence::Begins),
            RETURNS => return Some(Occurrence::Returns(self.byte()?, self.list(Self::number)?)),
            INPUTS => return Some(Occurrence::Inputs(self.list(Self::narrow)?)),
            PORT => {
                *instant = self.difference(*instant)?;
                let nanos = instant
                    .checked_mul(TICK_NANOS)?
                    .checked_add(self.number()?)?;
                return Some(Occurrence::Port(nanos, self.index()?, self.narrow()?));
            }
            REGISTER => return Some(Occurrence::Register(self.narrow()?, self.narrow()?)),
            IDLE => Runner::Idle,
            STOPPED => Runner::Stopped(self.byte()?),
            UPCALL => Runner::Upcall(self.byte()?.into()),
            tag => Runner::Thread(tag.checked_sub(THREAD)?.into()),
        };
        *tick = self.difference(*tick)?;
        Some(Occurrence::Switch(*tick, runner))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_occurrence_comes_back() {
        let steps = vec![
            vec![
                Occurrence::Switch(5, Runner::Thread(3)),
                Occurrence::Begins,
                Occurrence::Returns(0, vec![]),
            ],
            vec![],
            vec![
                Occurrence::Skipped,
                Occurrence::Returns(0, vec![u64::MAX, 4]),
                Occurrence::Returns(9, vec![]),
                Occurrence::Inputs(vec![7, u32::MAX]),
                Occurrence::Port(12_345, 2, 9),
                Occurrence::Port(300, 1, 0),
                Occurrence::Register(0x4000_0000, 77),
                Occurrence::Switch(1200, Runner::Idle),
                Occurrence::Switch(1200, Runner::Upcall(1)),
                Occurrence::Switch(1201, Runner::Stopped(1)),
            ],
        ];
        let mut writer = Writer::default();
        writer.steps(&steps);
        let mut reader = Reader::new(&writer.bytes);
        assert_eq!(reader.steps(), Some(steps));
        assert!(reader.is_at_end());
    }
}
