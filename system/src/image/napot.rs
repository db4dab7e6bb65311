//! Naturally aligned powers of two (NAPOT), and memory cut into them.

/// What a region of `bytes`, a power of two, at a multiple of that is to the PMP.
pub(crate) fn place(address: u32, bytes: u32) -> u32 {
    address >> 2 | ((bytes >> 3) - 1)
}

/// The bytes of the region that is this to the PMP.
pub(crate) fn bytes(place: u32) -> u32 {
    8 << place.trailing_ones()
}

/// Bytes that a few regions cover: adjacent ones, each half as large as the one
/// before, or smaller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Size {
    needed: u32,
    /// The ones of this number are the regions.
    bytes: u32,
}

impl Size {
    /// The least that covers `needed` bytes with `most` regions of at least
    /// `grain` bytes.
    pub(crate) fn of(needed: u32, grain: u32, most: u32) -> Size {
        let mut bytes = needed.next_multiple_of(grain);
        while bytes.count_ones() > most {
            bytes += 1 << bytes.trailing_zeros();
        }
        Size { needed, bytes }
    }

    /// Bytes that are needed.
    pub(crate) fn needed(self) -> u32 {
        self.needed
    }

    /// Bytes that are covered.
    pub(crate) fn bytes(self) -> u32 {
        self.bytes
    }

    /// What the first region's address must be a multiple of.
    pub(crate) fn alignment(self) -> u32 {
        self.bytes.checked_ilog2().map_or(1, |bit| 1 << bit)
    }

    /// The regions, from `address` on: address and bytes of each.
    pub(crate) fn pieces(self, address: u32) -> impl Iterator<Item = (u32, u32)> {
        let mut at = address;
        let bits = (0..u32::BITS).rev().map(move |bit| self.bytes & 1 << bit);
        bits.filter(|bytes| *bytes > 0).map(move |bytes| {
            let piece = (at, bytes);
            at += bytes;
            piece
        })
    }
}

/// Memory that is handed out wherever it fits first; it has no end.
pub(crate) struct Memory {
    /// What is free below `end`, by address.
    gaps: Vec<(u64, u64)>,
    end: u64,
}

impl Memory {
    /// Memory from an address on.
    pub(crate) fn from(start: u64) -> Memory {
        Memory {
            gaps: Vec::new(),
            end: start,
        }
    }

    /// Where the last of it that is in use ends.
    pub(crate) fn end(&self) -> u64 {
        self.end
    }

    /// Bytes below that which are free.
    pub(crate) fn gaps(&self) -> u32 {
        self.gaps
            .iter()
            .map(|(start, end)| (end - start) as u32)
            .sum()
    }

    /// The lowest multiple of `alignment` at which `bytes` are free, and `before`
    /// bytes before it, which are taken too.
    pub(crate) fn take(&mut self, before: u32, bytes: u32, alignment: u32) -> u32 {
        let aligned = |start: u64| (start + u64::from(before)).next_multiple_of(alignment.into());
        if let Some(at) = self.take_gap(before, bytes, aligned) {
            return at;
        }
        self.take_end(before, bytes, aligned)
    }

    /// The same behind what is in use: at the `place` that belongs to its end.
    pub(crate) fn take_end(&mut self, before: u32, bytes: u32, place: impl Fn(u64) -> u64) -> u32 {
        let (at, before) = (place(self.end), u64::from(before));
        if self.end < at - before {
            self.gaps.push((self.end, at - before));
        }
        self.end = at + u64::from(bytes);
        at as u32
    }

    /// The same of what is free below what is in use, if there is room: at the `place`
    /// that belongs to the start of a gap.
    pub(crate) fn take_gap(
        &mut self,
        before: u32,
        bytes: u32,
        place: impl Fn(u64) -> u64,
    ) -> Option<u32> {
        let (before, bytes) = (u64::from(before), u64::from(bytes));
        let fits = |(start, end): &(u64, u64)| place(*start) + bytes <= *end;
        let index = self.gaps.iter().position(fits)?;
        let (start, end) = self.gaps.remove(index);
        let at = place(start);
        let rest = [(start, at - before), (at + bytes, end)];
        let rest = rest.into_iter().filter(|(start, end)| start < end);
        self.gaps.splice(index..index, rest);
        Some(at as u32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_size_is_the_least_with_so_many_regions() {
        let size = |needed, most| Size::of(needed, 256, most).bytes();
        assert_eq!(
            [0, 1, 256, 257, 700].map(|n| size(n, 3)),
            [0, 256, 256, 512, 768]
        );
        assert_eq!(size(0x2500, 3), 0x2500); // 8K + 1K + 256
        assert_eq!(size(0x2700, 3), 0x2800);
        assert_eq!(size(0x2500, 1), 0x4000);
        assert_eq!(size(0x3F01, 2), 0x4000);
        let pieces: Vec<_> = Size::of(0x2500, 256, 3).pieces(0x8000_4000).collect();
        assert_eq!(
            pieces,
            [
                (0x8000_4000, 0x2000),
                (0x8000_6000, 0x400),
                (0x8000_6400, 0x100)
            ]
        );
    }

    #[test]
    fn gaps_are_used_before_new_memory() {
        let mut memory = Memory::from(0x100);
        assert_eq!(memory.take(0, 0x1000, 0x1000), 0x1000);
        assert_eq!(memory.take(0, 0x800, 0x800), 0x800);
        assert_eq!(memory.take(0x100, 0x200, 0x200), 0x200);
        assert_eq!(memory.take(0, 0x100, 16), 0x400);
        assert_eq!(memory.end(), 0x2000);
        assert_eq!(memory.take(0x100, 0x1000, 0x1000), 0x3000);
    }

    #[test]
    fn a_place_within_a_gap_leaves_what_is_before_and_behind_it() {
        let mut memory = Memory::from(0x100);
        assert_eq!(memory.take(0, 0x1000, 0x1000), 0x1000);
        let behind = |start: u64| start.max(0x800);
        assert_eq!(memory.take_gap(0, 0x900, behind), None);
        assert_eq!(memory.take_gap(0, 0x300, behind), Some(0x800));
        assert_eq!(memory.gaps(), 0x700 + 0x500);
        assert_eq!(memory.take_gap(0, 0x300, behind), Some(0xB00));
        assert_eq!(memory.take(0, 0x700, 0x100), 0x100);
    }

    proptest! {
        #[test]
        fn regions_are_aligned_and_cover_what_is_needed(
            needed in 1u32..1 << 20, grain in 6u32..13, most in 1u32..4,
        ) {
            let grain = 1 << grain;
            let size = Size::of(needed, grain, most);
            let base = 1 << 30;
            let pieces: Vec<_> = size.pieces(base).collect();
            prop_assert!(pieces.len() as u32 <= most);
            let mut at = base;
            for (address, bytes) in pieces {
                prop_assert_eq!(address, at);
                prop_assert!(bytes.is_power_of_two() && bytes >= grain && address % bytes == 0);
                at += bytes;
            }
            prop_assert!(at - base >= needed && at - base < 2 * needed.next_multiple_of(grain));
        }

        #[test]
        fn what_is_taken_is_apart(takes in prop::collection::vec((0u32..3, 1u32..2000, 0u32..12), 1..40)) {
            let mut memory = Memory::from(0x8000_0010);
            let mut taken: Vec<(u64, u64)> = Vec::new();
            for (before, bytes, shift) in takes {
                let at = u64::from(memory.take(before * 256, bytes, 1 << shift));
                prop_assert_eq!(at % (1 << shift), 0);
                let own = (at - u64::from(before) * 256, at + u64::from(bytes));
                prop_assert!(own.0 >= 0x8000_0010 && own.1 <= memory.end());
                prop_assert!(taken.iter().all(|other| own.1 <= other.0 || other.1 <= own.0));
                taken.push(own);
            }
        }
    }
}
