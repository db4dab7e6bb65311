//! Records as bytes: numbers of variable length, seven bits a byte, the lowest
//! first; a set bit 7 says that more follows.

mod state;
mod steps;

use crate::observation::{Kind, Observation, Record, Touch};

/// What is written.
#[derive(Debug, Default)]
pub(crate) struct Writer {
    pub(crate) bytes: Vec<u8>,
}

/// What is read, front first. `None` stands for bytes that no writer wrote.
#[derive(Debug)]
pub(crate) struct Reader<'b> {
    bytes: &'b [u8],
}

impl Writer {
    fn number(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.bytes.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.bytes.push(number as u8);
    }

    fn index(&mut self, index: usize) {
        self.number(index as u64);
    }

    /// A number that may be absent.
    fn maybe(&mut self, number: Option<u64>) {
        self.number(number.map_or(0, |number| number.wrapping_add(1)));
    }

    /// A small difference either way.
    fn difference(&mut self, from: u64, to: u64) {
        let difference = to.wrapping_sub(from) as i64;
        self.number((difference << 1 ^ difference >> 63) as u64);
    }

    /// The scenario's record.
    pub(crate) fn record(&mut self, record: &Record) {
        self.index(record.touches.len());
        for touch in &record.touches {
            self.number(touch.kind as u64);
            self.index(touch.step);
        }
        self.steps(&record.observation.steps);
        self.state(&record.observation.end);
    }
}

impl<'b> Reader<'b> {
    pub(crate) fn new(bytes: &'b [u8]) -> Reader<'b> {
        Reader { bytes }
    }

    /// Whether all has been read.
    pub(crate) fn is_at_end(&self) -> bool {
        self.bytes.is_empty()
    }

    fn byte(&mut self) -> Option<u8> {
        let (first, rest) = self.bytes.split_first()?;
        self.bytes = rest;
        Some(*first)
    }

    fn number(&mut self) -> Option<u64> {
        let (mut number, mut shift) = (0, 0);
        loop {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7F).checked_shl(shift)?;
            if byte & 0x80 == 0 {
                return Some(number);
            }
            shift += 7;
        }
    }

    fn index(&mut self) -> Option<usize> {
        self.number()?.try_into().ok()
    }

    fn narrow<T: TryFrom<u64>>(&mut self) -> Option<T> {
        self.number()?.try_into().ok()
    }

    fn maybe(&mut self) -> Option<Option<u64>> {
        Some(self.number()?.checked_sub(1))
    }

    fn difference(&mut self, from: u64) -> Option<u64> {
        let number = self.number()?;
        let difference = (number >> 1) as i64 ^ -((number & 1) as i64);
        Some(from.wrapping_add(difference as u64))
    }

    /// So many of something as a number says that comes first.
    fn list<T>(&mut self, one: impl Fn(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        let count = self.index()?;
        (0..count).map(|_| one(self)).collect()
    }

    /// The next scenario's record.
    pub(crate) fn record(&mut self) -> Option<Record> {
        let touch = |reader: &mut Self| {
            let kind = *Kind::ALL.get(reader.index()?)?;
            let step = reader.index()?;
            Some(Touch { kind, step })
        };
        Some(Record {
            touches: self.list(touch)?,
            observation: Observation {
                steps: self.steps()?,
                end: self.state()?,
            },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_back() {
        let numbers = [0, 1, 127, 128, 300, u64::from(u32::MAX), u64::MAX];
        let mut writer = Writer::default();
        for number in numbers {
            writer.number(number);
            writer.difference(300, number);
        }
        let mut reader = Reader::new(&writer.bytes);
        for number in numbers {
            assert_eq!(reader.number(), Some(number));
            assert_eq!(reader.difference(300), Some(number));
        }
        assert!(reader.is_at_end() && reader.number().is_none());
    }
}
