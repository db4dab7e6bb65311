//! Address spaces: the software walk through a process's page tables.
//!
//! User addresses are numbers until this walk has checked them. Sv39 on 64-bit
//! harts, Sv32 on 32-bit ones: a table is one page of entries of one word.

const PAGE_SHIFT: u32 = 12;
/// Bytes of a page.
pub const PAGE: usize = 1 << PAGE_SHIFT;

const WORD: usize = size_of::<usize>();
const LEVELS: u32 = if WORD == 8 { 3 } else { 2 };
const INDEX_BITS: u32 = if WORD == 8 { 9 } else { 10 };
/// Page number bits of an entry: 44 in Sv39, 22 in Sv32; above lie flags.
const NUMBER_BITS: u32 = if WORD == 8 { 44 } else { 22 };
const MODE: usize = if WORD == 8 {
    8 << (usize::BITS - 4)
} else {
    1 << (usize::BITS - 1)
};

const VALID: usize = 1 << 0;
const READ: usize = 1 << 1;
const WRITE: usize = 1 << 2;
const EXECUTE: usize = 1 << 3;
const USER: usize = 1 << 4;

/// What a process must be allowed to do with a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Right {
    /// Load from it.
    Read,
    /// Store to it.
    Write,
}

/// What `satp` holds in the space with this root page number.
pub const fn satp(root: u32) -> usize {
    MODE | root as usize
}

/// The root page number that such a value names.
pub const fn root(satp: usize) -> u32 {
    let bits = if WORD == 8 { 32 } else { NUMBER_BITS };
    (satp as u64 & ((1 << bits) - 1)) as u32
}

/// The physical address of a user address, if its page gives the right to user
/// mode. `load` reads a word of a page table. O(levels).
pub fn translate(
    root: u32,
    address: usize,
    right: Right,
    load: impl Fn(usize) -> usize,
) -> Option<usize> {
    let (entry, level) = leaf(root, address, load)?;
    let needs = USER
        | if right == Right::Read {
            READ
        } else {
            WRITE | READ
        };
    if entry & needs != needs {
        return None;
    }
    let span = (1 << (PAGE_SHIFT + level * INDEX_BITS)) - 1;
    let base = number(entry) << PAGE_SHIFT;
    // a superpage whose low page number bits are not zero is malformed
    (base & span == 0).then_some(base | address & span)
}

/// Whether any page, whatever its rights, lies at the address. O(levels).
pub fn is_mapped(root: u32, address: usize, load: impl Fn(usize) -> usize) -> bool {
    leaf(root, address, load).is_some()
}

/// The leaf entry that an address leads to, and its level.
fn leaf(root: u32, address: usize, load: impl Fn(usize) -> usize) -> Option<(usize, u32)> {
    let bits = PAGE_SHIFT + LEVELS * INDEX_BITS;
    // the lower half of a sign-extended space, which is all that users have
    if WORD == 8 && address >> (bits - 1) != 0 {
        return None;
    }
    let mut table = root as usize;
    for level in (0..LEVELS).rev() {
        let index = address >> (PAGE_SHIFT + level * INDEX_BITS) & ((1 << INDEX_BITS) - 1);
        let entry = load((table << PAGE_SHIFT) + index * WORD);
        if entry & VALID == 0 {
            return None;
        }
        if entry & (READ | WRITE | EXECUTE) != 0 {
            return Some((entry, level));
        }
        table = number(entry);
    }
    None
}

const fn number(entry: usize) -> usize {
    entry >> 10 & ((1 << NUMBER_BITS) - 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    /// Tables at pages 1, 2, 3; one page at 0x1000_0000, a 2 MiB one after it.
    fn tables() -> HashMap<usize, usize> {
        let link = |page: usize| page << 10 | VALID;
        let page = |number: usize, rights| number << 10 | rights | VALID;
        let rw = READ | WRITE | USER;
        HashMap::from([
            (0x1000, link(2)),
            (0x2000 + 8 * 128, link(3)),
            (0x2000 + 8 * 129, page(0x80200, rw)),
            (0x2000 + 8 * 130, page(0x80201, rw)), // not aligned to 2 MiB
            (0x3000, page(0x80001, rw)),
            (0x3008, page(0x80002, READ | USER)),
            (0x3010, page(0x80003, READ | WRITE)), // the kernel's
            (0x3018, page(0x80004, WRITE | USER)), // reserved
            (0x3020, page(0x80005, EXECUTE | USER)),
            (0x3028, link(4)), // a link at the last level
        ])
    }

    fn walk(address: usize, right: Right) -> Option<usize> {
        let tables = tables();
        translate(1, address, right, |at| {
            tables.get(&at).copied().unwrap_or(0)
        })
    }

    #[test]
    fn rights_of_a_page_decide() {
        use Right::{Read, Write};
        assert_eq!(walk(0x1000_0123, Read), Some(0x8000_1123));
        assert_eq!(walk(0x1000_0123, Write), Some(0x8000_1123));
        assert_eq!(walk(0x1000_1FFF, Read), Some(0x8000_2FFF));
        assert_eq!(walk(0x1000_1FFF, Write), None);
        for page in [
            0x1000_2000,
            0x1000_3000,
            0x1000_4000,
            0x1000_5000,
            0x1000_6000,
        ] {
            assert_eq!(
                (walk(page, Read), walk(page, Write)),
                (None, None),
                "{page:x}"
            );
        }
    }

    #[test]
    fn superpages_translate_and_malformed_ones_do_not() {
        assert_eq!(walk(0x1020_3456, Right::Write), Some(0x8020_3456));
        assert_eq!(walk(0x1040_3456, Right::Read), None);
    }

    #[test]
    fn addresses_outside_the_lower_half_lead_nowhere() {
        for address in [
            1 << 38,
            1 << 39,
            usize::MAX,
            0xFFFF_FFC0_1000_0000,
            1 << 63 | 0x1000_0000,
        ] {
            assert_eq!(walk(address, Right::Read), None);
        }
        assert_eq!(walk(0, Right::Read), None);
    }
}
