//! Page tables made ahead of time: Sv39, pages of 4 KiB.
//!
//! The Mapping Invariant: a process's tables reach its own pages, its granted
//! devices and, for the trace reader, the ring; no page is both writable and
//! executable; nothing is mapped at the addresses of a stack's guard.

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
const INDEX_BITS: u32 = 9;
const LEVELS: u32 = 3;

/// The mappings of one process on their way into tables: user page to physical
/// page and rights.
#[derive(Clone, Debug, Default)]
pub(crate) struct Space {
    pages: BTreeMap<u32, (u32, Rights)>,
}

impl Space {
    /// Maps `bytes` (rounded up to pages) from a user address to a physical one.
    pub(crate) fn map(&mut self, user: u32, physical: u32, bytes: u32, rights: Rights) {
        for page in 0..bytes.div_ceil(PAGE) {
            self.pages
                .insert(user / PAGE + page, (physical / PAGE + page, rights));
        }
    }

    /// Bytes of the tables that this space needs.
    pub(crate) fn table_bytes(&self) -> u32 {
        let mut tables: Vec<u32> = self.pages.keys().map(|page| page >> INDEX_BITS).collect();
        tables.dedup();
        let leaves = tables.len();
        tables.iter_mut().for_each(|table| *table >>= INDEX_BITS);
        tables.dedup();
        (1 + tables.len() + leaves) as u32 * PAGE
    }

    /// The tables as bytes that lie at physical address `base`; the root is first.
    pub(crate) fn tables(&self, base: u32) -> Vec<u8> {
        let mut tables = Tables {
            base,
            entries: vec![[0; 512]],
        };
        for (user, (physical, rights)) in &self.pages {
            tables.add(*user, *physical, *rights);
        }
        tables
            .entries
            .iter()
            .flatten()
            .flat_map(|entry| entry.to_le_bytes())
            .collect()
    }
}

struct Tables {
    base: u32,
    entries: Vec<[u64; 512]>,
}

impl Tables {
    fn add(&mut self, user: u32, physical: u32, rights: Rights) {
        let mut table = 0;
        for level in (1..LEVELS).rev() {
            table = self.next(table, index(user, level));
        }
        let bits = match rights {
            Rights::Read => READ | ACCESSED,
            Rights::ReadWrite => READ | WRITE | ACCESSED | DIRTY,
            Rights::ReadExecute => READ | EXECUTE | ACCESSED,
        };
        self.entries[table][index(user, 0)] =
            u64::from(physical) << NUMBER_SHIFT | bits | USER | VALID;
    }

    /// The table under an entry, made if there is none.
    fn next(&mut self, table: usize, index: usize) -> usize {
        let first = u64::from(self.base >> PAGE_SHIFT);
        let entry = self.entries[table][index];
        if entry & VALID != 0 {
            return ((entry >> NUMBER_SHIFT) - first) as usize;
        }
        self.entries.push([0; 512]);
        let new = self.entries.len() - 1;
        self.entries[table][index] = (first + new as u64) << NUMBER_SHIFT | VALID;
        new
    }
}

fn index(user_page: u32, level: u32) -> usize {
    (user_page >> (level * INDEX_BITS) & ((1 << INDEX_BITS) - 1)) as usize
}

/// Every page that tables reach, found as the hart finds it: user page,
/// physical page, entry. For tests.
#[cfg(test)]
pub(crate) fn walk(base: u32, bytes: &[u8]) -> Vec<(u32, u32, u64)> {
    let load = |table: u64, index: usize| {
        let at = ((table << PAGE_SHIFT) - u64::from(base)) as usize + 8 * index;
        u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap())
    };
    let mut reached = Vec::new();
    let mut pending = vec![(u64::from(base >> PAGE_SHIFT), LEVELS - 1, 0u32)];
    while let Some((table, level, prefix)) = pending.pop() {
        for index in 0..512 {
            let entry = load(table, index);
            let user = prefix << INDEX_BITS | index as u32;
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
        let tables = space.tables(base);
        assert_eq!(tables.len(), space.table_bytes() as usize);
        let reached = walk(base, &tables);
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
    fn an_empty_space_is_one_empty_table() {
        let space = Space::default();
        assert_eq!(
            (space.table_bytes(), space.tables(0x8000_0000)),
            (PAGE, vec![0; PAGE as usize])
        );
    }
}
