//! Memory of a machine, read from outside.

use std::borrow::Cow;
use std::collections::BTreeMap;

/// Pieces of memory at their physical addresses; what lies between them is not known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Memory<'a> {
    /// By their first addresses; none reaches into the next, or ends where that begins.
    pieces: BTreeMap<u64, Cow<'a, [u8]>>,
}

impl<'a> Memory<'a> {
    /// Memory in one piece.
    pub fn of(address: u64, bytes: &'a [u8]) -> Memory<'a> {
        Memory {
            pieces: [(address, bytes.into())].into(),
        }
    }

    /// Adds a piece. O(log pieces) where it begins at the end of another or beyond all of
    /// them; what is known already of such addresses is kept.
    pub fn add(&mut self, address: u64, bytes: &[u8]) {
        let mut before = self.pieces.range_mut(..=address);
        if let Some((start, piece)) = before.next_back() {
            let end = start.saturating_add(piece.len() as u64);
            if address <= end {
                let known = usize::try_from(end - address).unwrap_or(usize::MAX);
                let new = bytes.get(known..).unwrap_or_default();
                return piece.to_mut().extend_from_slice(new);
            }
        }
        self.pieces.insert(address, bytes.to_vec().into());
    }

    /// So many bytes at an address; `None` if they are not all known.
    pub fn read(&self, address: u64, length: usize) -> Option<&[u8]> {
        let (start, piece) = self.pieces.range(..=address).next_back()?;
        let at = usize::try_from(address - start).ok()?;
        piece.get(at..at.checked_add(length)?)
    }

    /// What is known from an address on without a gap, up to so many bytes.
    pub fn read_up_to(&self, address: u64, length: usize) -> &[u8] {
        let piece = self.pieces.range(..=address).next_back();
        let known = piece.and_then(|(start, piece)| {
            let at = usize::try_from(address - start).ok()?;
            let end = at.saturating_add(length).min(piece.len());
            piece.get(at..end)
        });
        known.unwrap_or_default()
    }

    /// A number of some bytes; `None` if it is not all known.
    pub fn number(&self, address: u64, bytes: usize) -> Option<u64> {
        let bytes = self.read(address, bytes)?.iter().rev();
        Some(bytes.fold(0, |number, byte| number << 8 | u64::from(*byte)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_that_are_not_all_known_are_none() {
        let memory = Memory::of(0x100, &[1, 2, 3, 4]);
        assert_eq!(memory.number(0x101, 2), Some(0x0302));
        assert_eq!(memory.number(0x102, 4), None);
        assert_eq!(memory.number(0xFF, 1), None);
        assert_eq!(memory.number(u64::MAX, 4), None);
    }

    #[test]
    fn pieces_that_follow_one_another_are_read_as_one_and_gaps_are_none() {
        let mut memory = Memory::default();
        memory.add(0x20, &[3, 4]);
        memory.add(0x10, &[1, 2]);
        memory.add(0x12, &[5, 6]);
        assert_eq!(memory.read(0x11, 3), Some(&[2, 5, 6][..]));
        assert_eq!(memory.read(0x13, 2), None);
        assert_eq!(memory.read_up_to(0x13, 9), [6]);
        assert_eq!(memory.read_up_to(0x18, 9), [0; 0]);
    }

    #[test]
    fn what_comes_twice_is_known_once() {
        let mut memory = Memory::default();
        memory.add(0x10, &[1, 2, 3, 4]);
        memory.add(0x12, &[3, 4, 5]);
        memory.add(0x11, &[2]);
        assert_eq!(memory.read(0x10, 5), Some(&[1, 2, 3, 4, 5][..]));
    }
}
