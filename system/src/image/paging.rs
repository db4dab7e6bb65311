//! Page tables made ahead of time: Sv39 or Sv32, pages of 4 KiB.
//!
//! The Mapping Invariant: a process's tables reach its own pages, its granted
//! devices, memory that it has attached and, for the trace reader, the ring; no page
//! is both writable and executable; nothing is mapped at the addresses of a stack's
//! guard.

use crate::board::PAGE;
use std::collections::BTreeMap;

/// What user mode may do with a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rights {
    /// Load.
    Read,
    /// Load and store.
    ReadWrite,
    /// Load and fetch.
    ReadExecute,
}

const VALID: u64 = 1 << 0;
const READ: u64 = 1 << 1;
const WRITE: u64 = 1 << 2;
const EXECUTE: u64 = 1 << 3;
const USER: u64 = 1 << 4;
/// Set beforehand, so that harts that do not set them themselves never fault for them.
const ACCESSED: u64 = 1 << 6;
const DIRTY: u64 = 1 << 7;
const NUMBER_SHIFT: u32 = 10;
const PAGE_SHIFT: u32 = 12;

/// A format of page tables: a table is one page of entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Format {
    /// Bytes of an entry.
    word: usize,
    /// Levels of tables.
    levels: u32,
    /// Address bits that index one table.
    index_bits: u32,
}

/// The format of 64-bit harts.
pub(crate) const SV39: Format = Format {
    word: 8,
    levels: 3,
    index_bits: 9,
};

/// The format of 32-bit harts.
pub(crate) const SV32: Format = Format {
    word: 4,
    levels: 2,
    index_bits: 10,
};

/// The mappings of one process on their way into tables: user page to physical
/// page and rights.
#[derive(Clone, Debug, Default)]
pub(crate) struct Space {
    pages: BTreeMap<u32, (u32, Rights)>,
    /// User pages of memory that is shared: the kernel hangs their last tables
    /// into these, and takes them out.
    windows: Vec<u32>,
}

impl Space {
    /// Maps `bytes` (rounded up to pages) from a user address to a physical one.
    pub(crate) fn map(&mut self, user: u32, physical: u32, bytes: u32, rights: Rights) {
        for page in 0..bytes.div_ceil(PAGE) {
            self.pages
                .insert(user / PAGE + page, (physical / PAGE + page, rights));
        }
    }

    /// Leaves a place for the last tables of memory at a user address.
    pub(crate) fn leave_open(&mut self, user: u32) {
        self.windows.push(user / PAGE);
    }

    /// Bytes of the tables that this space needs.
    pub(crate) fn table_bytes(&self, format: &Format) -> u32 {
        let mut pages: Vec<u32> = self.pages.keys().copied().collect();
        let mut count = 1;
        for level in 1..format.levels {
            if level == 2 {
                let windows = self.windows.iter();
                pages.extend(windows.map(|page| page >> format.index_bits));
                pages.sort_unstable();
            }
            pages
                .iter_mut()
                .for_each(|page| *page >>= format.index_bits);
            pages.dedup();
            count += pages.len();
        }
        count as u32 * PAGE
    }

    /// The tables as bytes that lie at physical address `base`; the root is first.
    pub(crate) fn tables(&self, format: &Format, base: u32) -> Vec<u8> {
        let mut tables = Tables {
            format,
            base,
            entries: vec![format.table()],
        };
        for (user, (physical, rights)) in &self.pages {
            tables.add(*user, *physical, *rights);
        }
        for user in &self.windows {
            tables.reach(*user, 1);
        }
        format.bytes(tables.entries.iter().flatten())
    }
}

impl Format {
    /// An empty table.
    fn table(&self) -> Vec<u64> {
        vec![0; 1 << self.index_bits]
    }

    fn bytes<'a>(&self, entries: impl Iterator<Item = &'a u64>) -> Vec<u8> {
        entries
            .flat_map(|entry| entry.to_le_bytes().into_iter().take(self.word))
            .collect()
    }

    /// The last tables of memory that is mapped by them alone, as bytes: as many as
    /// `bytes` need, from the first entry on.
    pub(crate) fn leaves(&self, physical: u32, bytes: u32, rights: Rights) -> Vec<u8> {
        let first = physical / PAGE;
        let pages = first..first + bytes.div_ceil(PAGE);
        let mut entries: Vec<u64> = pages.map(|page| leaf(page, rights)).collect();
        entries.resize(entries.len().next_multiple_of(1 << self.index_bits), 0);
        self.bytes(entries.iter())
    }

    fn index(&self, user_page: u32, level: u32) -> usize {
        (user_page >> (level * self.index_bits) & ((1 << self.index_bits) - 1)) as usize
    }
}

/// The entry of a page.
fn leaf(physical: u32, rights: Rights) -> u64 {
    let bits = match rights {
        Rights::Read => READ | ACCESSED,
        Rights::ReadWrite => READ | WRITE | ACCESSED | DIRTY,
        Rights::ReadExecute => READ | EXECUTE | ACCESSED,
    };
    u64::from(physical) << NUMBER_SHIFT | bits | USER | VALID
}

struct Tables<'a> {
    format: &'a Format,
    base: u32,
    entries: Vec<Vec<u64>>,
}

impl Tables<'_> {
    fn add(&mut self, user: u32, physical: u32, rights: Rights) {
        let table = self.reach(user, 0);
        self.entries[table][self.format.index(user, 0)] = leaf(physical, rights);
    }

    /// The table of a level that a user page leads to, made with those above it.
    fn reach(&mut self, user: u32, last: u32) -> usize {
        let mut table = 0;
        for level in (last + 1..self.format.levels).rev() {
            table = self.next(table, self.format.index(user, level));
        }
        table
    }

    /// The table under an entry, made if there is none.
    fn next(&mut self, table: usize, index: usize) -> usize {
        let first = u64::from(self.base >> PAGE_SHIFT);
        let entry = self.entries[table][index];
        if entry & VALID != 0 {
            return ((entry >> NUMBER_SHIFT) - first) as usize;
        }
        self.entries.push(self.format.table());
        let new = self.entries.len() - 1;
        self.entries[table][index] = (first + new as u64) << NUMBER_SHIFT | VALID;
        new
    }
}

/// Every page that tables reach, found as the hart finds it: user page,
/// physical page, entry. For tests.
#[cfg(test)]
pub(crate) fn walk(format: &Format, base: u32, bytes: &[u8]) -> Vec<(u32, u32, u64)> {
    let load = |table: u64, index: usize| {
        let at = ((table << PAGE_SHIFT) - u64::from(base)) as usize + format.word * index;
        let word = bytes[at..at + format.word].iter().rev();
        word.fold(0, |word, byte| word << 8 | u64::from(*byte))
    };
    let mut reached = Vec::new();
    let mut pending = vec![(u64::from(base >> PAGE_SHIFT), format.levels - 1, 0u32)];
    while let Some((table, level, prefix)) = pending.pop() {
        for index in 0..1 << format.index_bits {
            let entry = load(table, index);
            let user = prefix << format.index_bits | index as u32;
            let number = entry >> NUMBER_SHIFT & ((1 << 44) - 1);
            if entry & VALID == 0 {
                continue;
            }
            if entry & (READ | WRITE | EXECUTE) == 0 {
                pending.push((number, level - 1, user));
            } else {
                assert_eq!(level, 0, "no superpages");
                reached.push((user, number as u32, entry & 0x3FF));
            }
        }
    }
    reached.sort_unstable();
    reached
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_walk_reaches_what_was_mapped_and_nothing_else() {
        let mut space = Space::default();
        space.map(0x1000_0000, 0x8010_0000, 5000, Rights::ReadExecute);
        space.map(0x1000_3000, 0x8020_0000, 4096, Rights::ReadWrite);
        space.map(0x4000_0000, 0x1000_0000, 0x100, Rights::ReadWrite);
        space.map(0x5000_0000, 0x8030_0000, 0x2000, Rights::Read);
        let base = 0x8005_0000;
        for (format, tables_needed) in [(SV39, 6), (SV32, 4)] {
            let tables = space.tables(&format, base);
            assert_eq!(tables.len(), space.table_bytes(&format) as usize);
            assert_eq!(tables.len(), tables_needed * PAGE as usize);
            check_reached(&walk(&format, base, &tables));
        }
    }

    fn check_reached(reached: &[(u32, u32, u64)]) {
        let pages: Vec<(u32, u32)> = reached
            .iter()
            .map(|(user, physical, _)| (*user, *physical))
            .collect();
        let expected = [
            (0x10000, 0x80100),
            (0x10001, 0x80101),
            (0x10003, 0x80200),
            (0x40000, 0x10000),
            (0x50000, 0x80300),
            (0x50001, 0x80301),
        ];
        assert_eq!(pages, expected);
        let bits: Vec<u64> = reached.iter().map(|(_, _, bits)| *bits).collect();
        let (rx, rw, r) = (0b0101_1011, 0b1101_0111, 0b0101_0011);
        assert_eq!(bits, [rx, rx, rw, rw, r, r]);
    }

    #[test]
    fn what_is_shared_has_its_tables_apart_and_a_place_for_them() {
        let mut space = Space::default();
        space.map(0x1000_0000, 0x8010_0000, PAGE, Rights::Read);
        space.leave_open(0x6000_0000);
        space.leave_open(0x6100_0000);
        let base = 0x8005_0000;
        for (format, tables, leaves) in [(SV39, 4, 2), (SV32, 2, 1)] {
            let bytes = space.tables(&format, base);
            assert_eq!(bytes.len(), tables * PAGE as usize);
            assert_eq!(bytes.len(), space.table_bytes(&format) as usize);
            assert_eq!(walk(&format, base, &bytes).len(), 1, "closed");
            let leaves_of = |rights| format.leaves(0x8040_0000, 3 << 20, rights);
            let (written, read) = (leaves_of(Rights::ReadWrite), leaves_of(Rights::Read));
            assert_eq!(written.len(), leaves * PAGE as usize);
            let entry = |bytes: &[u8], page: usize| {
                let word = bytes[page * format.word..][..4].try_into().unwrap();
                u32::from_le_bytes(word)
            };
            assert_eq!(entry(&written, 1), 0x80401 << 10 | 0b1101_0111);
            assert_eq!(entry(&read, 0), 0x80400 << 10 | 0b0101_0011);
            assert_eq!(entry(&read, 767), 0x806FF << 10 | 0b0101_0011);
            assert_eq!(entry(&read, 768), 0);
        }
    }

    #[test]
    fn an_empty_space_is_one_empty_table() {
        let space = Space::default();
        for format in [SV39, SV32] {
            assert_eq!(space.table_bytes(&format), PAGE);
            assert_eq!(space.tables(&format, 0x8000_0000), [0; PAGE as usize]);
        }
    }
}
