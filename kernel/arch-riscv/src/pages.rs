//! Address spaces with translation: the software walk through a process's page
//! tables.
//!
//! A table is one page of entries of one word, in the format of Sv39 or of Sv32.
//!
//! # The words of `Process::space`
//! What the builder writes for a board with page tables: in word [`SATP`] the value of
//! `satp` ([`Format::satp`]), 0 in all others. Of the process of the kernel's own threads
//! all are 0.

const PAGE_SHIFT: u32 = 12;
/// Bytes of a page.
pub const PAGE: usize = 1 << PAGE_SHIFT;

/// A format of page tables.
#[derive(Clone, Copy, Debug)]
pub struct Format {
    /// Bytes of an entry.
    word: usize,
    /// Levels of tables.
    levels: u32,
    /// Address bits that index one table.
    index_bits: u32,
    /// Page number bits of an entry, above ten flags; above them lie flags again.
    number_bits: u32,
    /// Address bits that user mode has: a sign-extended space leaves it the
    /// lower half.
    user_bits: u32,
    /// The mode field of `satp`.
    mode: u64,
}

/// Which word of a space holds `satp`.
pub const SATP: usize = 0;

/// The format of 64-bit harts.
pub const SV39: Format = Format {
    word: 8,
    levels: 3,
    index_bits: 9,
    number_bits: 44,
    user_bits: 38,
    mode: 8 << 60,
};

/// The format of 32-bit harts.
pub const SV32: Format = Format {
    word: 4,
    levels: 2,
    index_bits: 10,
    number_bits: 22,
    user_bits: 32,
    mode: 1 << 31,
};

/// The format of this hart.
pub const NATIVE: Format = if size_of::<usize>() == 8 { SV39 } else { SV32 };

const VALID: usize = 1 << 0;
const READ: usize = 1 << 1;
const WRITE: usize = 1 << 2;
const EXECUTE: usize = 1 << 3;
const USER: usize = 1 << 4;

impl Format {
    /// What `satp` holds for the space with this root page number.
    pub const fn satp(&self, root: u32) -> u64 {
        self.mode | root as u64
    }

    /// The root page number in `satp`.
    pub const fn root(&self, satp: usize) -> u32 {
        (satp as u64 & !self.mode) as u32
    }

    /// Bytes from `address` on, at most `length`, that lie in one page which the process
    /// may read, or write, and where they lie. `load` reads a word of a page table.
    /// O(levels).
    pub fn reach(
        &self,
        satp: usize,
        address: usize,
        length: usize,
        write: bool,
        load: impl Fn(usize) -> usize,
    ) -> (usize, usize) {
        match self.translate(self.root(satp), address, write, load) {
            Some(place) => (length.min(PAGE - address % PAGE), place),
            None => (0, 0),
        }
    }

    /// The physical address of a user address, if its page gives the right to
    /// user mode. `load` reads a word of a page table. O(levels).
    pub fn translate(
        &self,
        root: u32,
        address: usize,
        write: bool,
        load: impl Fn(usize) -> usize,
    ) -> Option<usize> {
        let (entry, level) = self.leaf(root, address, load)?;
        let needs = USER | READ | if write { WRITE } else { 0 };
        if entry & needs != needs {
            return None;
        }
        let span = (1 << (PAGE_SHIFT + level * self.index_bits)) - 1;
        let base = self.number(entry) << PAGE_SHIFT;
        // a superpage whose low page number bits are not zero is malformed
        (base & span == 0).then_some(base | address & span)
    }

    /// Whether any page, whatever its rights, lies at the address. O(levels).
    pub fn is_mapped(&self, root: u32, address: usize, load: impl Fn(usize) -> usize) -> bool {
        self.leaf(root, address, load).is_some()
    }

    /// The addresses of the entries that lead to the last tables of `size` bytes at
    /// a user address, and what each entry is when it leads to its table, of those
    /// that lie together from `tables` on. The tables above exist: the builder makes
    /// them so, and `size` bytes have few. O(levels).
    pub fn links(
        &self,
        root: u32,
        address: usize,
        size: usize,
        tables: usize,
        load: impl Fn(usize) -> usize,
    ) -> impl Iterator<Item = (usize, usize)> {
        let mut table = root as usize;
        for level in (2..self.levels).rev() {
            table = self.number(load(self.place(table, address, level)));
        }
        let first = self.place(table, address, 1);
        let count = self.tables_of(size) >> PAGE_SHIFT;
        let (word, number) = (self.word, tables >> PAGE_SHIFT);
        (0..count).map(move |n| {
            let at = first.wrapping_add(n.wrapping_mul(word));
            (at, number.wrapping_add(n) << 10 | VALID)
        })
    }

    /// Bytes of the last tables that lead to `size` bytes.
    pub fn tables_of(&self, size: usize) -> usize {
        size.div_ceil(PAGE << self.index_bits) << PAGE_SHIFT
    }

    /// The address of the entry of an address in a table of a level.
    fn place(&self, table: usize, address: usize, level: u32) -> usize {
        let shift = PAGE_SHIFT + level * self.index_bits;
        let index = address >> shift & ((1 << self.index_bits) - 1);
        (table << PAGE_SHIFT) + index * self.word
    }

    /// The leaf entry that an address leads to, and its level.
    fn leaf(
        &self,
        root: u32,
        address: usize,
        load: impl Fn(usize) -> usize,
    ) -> Option<(usize, u32)> {
        if address as u64 >> self.user_bits != 0 {
            return None;
        }
        let mut table = root as usize;
        for level in (0..self.levels).rev() {
            let entry = load(self.place(table, address, level));
            if entry & VALID == 0 {
                return None;
            }
            if entry & (READ | WRITE | EXECUTE) != 0 {
                return Some((entry, level));
            }
            table = self.number(entry);
        }
        None
    }

    const fn number(&self, entry: usize) -> usize {
        entry >> 10 & ((1u64 << self.number_bits) - 1) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;
    use std::vec::Vec;

    const RW: usize = READ | WRITE | USER;
    /// Pages from 0x1000_0000 on, by the rights of each.
    const RIGHTS: [usize; 5] = [
        RW,
        READ | USER,
        READ | WRITE, // the kernel's
        WRITE | USER, // reserved
        EXECUTE | USER,
    ];

    fn link(page: usize) -> usize {
        page << 10 | VALID
    }

    fn page(number: usize, rights: usize) -> usize {
        number << 10 | rights | VALID
    }

    /// The last table, at page 3 in either format: pages of [`RIGHTS`] at
    /// 0x8000_1000, then a link where none may be.
    fn leaves(format: &Format) -> HashMap<usize, usize> {
        let pages = RIGHTS
            .iter()
            .enumerate()
            .map(|(n, rights)| page(0x80001 + n, *rights));
        (0x3000..)
            .step_by(format.word)
            .zip(pages.chain([link(4)]))
            .collect()
    }

    /// Tables at pages 1, 2, 3; a 2 MiB page behind the leaves, and a malformed one.
    fn sv39() -> HashMap<usize, usize> {
        let mut tables = leaves(&SV39);
        tables.extend([
            (0x1000, link(2)),
            (0x2000 + 8 * 128, link(3)),
            (0x2000 + 8 * 129, page(0x80200, RW)),
            (0x2000 + 8 * 130, page(0x80201, RW)),
        ]);
        tables
    }

    /// Tables at pages 1 and 3; a 4 MiB page behind the leaves, and a malformed one.
    fn sv32() -> HashMap<usize, usize> {
        let mut tables = leaves(&SV32);
        tables.extend([
            (0x1000 + 4 * 64, link(3)),
            (0x1000 + 4 * 65, page(0x80400, RW)),
            (0x1000 + 4 * 66, page(0x80401, RW)),
        ]);
        tables
    }

    fn walk(
        format: &Format,
        tables: &HashMap<usize, usize>,
        address: usize,
        write: bool,
    ) -> Option<usize> {
        format.translate(1, address, write, |at| {
            tables.get(&at).copied().unwrap_or(0)
        })
    }

    #[test]
    fn rights_of_a_page_decide() {
        for (format, tables) in [(SV39, sv39()), (SV32, sv32())] {
            let walk = |address, write| walk(&format, &tables, address, write);
            assert_eq!(walk(0x1000_0123, false), Some(0x8000_1123));
            assert_eq!(walk(0x1000_0123, true), Some(0x8000_1123));
            assert_eq!(walk(0x1000_1FFF, false), Some(0x8000_2FFF));
            assert_eq!(walk(0x1000_1FFF, true), None);
            for page in (0x1000_2000..=0x1000_6000).step_by(PAGE) {
                assert_eq!(
                    (walk(page, false), walk(page, true)),
                    (None, None),
                    "{page:x}"
                );
            }
        }
    }

    #[test]
    fn superpages_translate_and_malformed_ones_do_not() {
        let (large, tables) = (SV39, sv39());
        assert_eq!(walk(&large, &tables, 0x1020_3456, true), Some(0x8020_3456));
        assert_eq!(walk(&large, &tables, 0x1040_3456, false), None);
        let (large, tables) = (SV32, sv32());
        assert_eq!(walk(&large, &tables, 0x1043_3456, true), Some(0x8043_3456));
        assert_eq!(walk(&large, &tables, 0x1080_3456, false), None);
    }

    #[test]
    fn links_are_those_of_the_last_tables_in_a_row() {
        let tables = sv39();
        let load = |at: usize| tables.get(&at).copied().unwrap_or(0);
        let links: Vec<_> = SV39
            .links(1, 0x1020_0000, 0x40_0000, 0x9000, load)
            .collect();
        assert_eq!(
            links,
            [(0x2000 + 8 * 129, link(9)), (0x2000 + 8 * 130, link(10))]
        );
        let links: Vec<_> = SV32.links(1, 0x1040_0000, 0x1000, 0x9000, |_| 0).collect();
        assert_eq!(links, [(0x1000 + 4 * 65, link(9))]);
    }

    #[test]
    fn addresses_outside_the_lower_half_lead_nowhere() {
        let tables = sv39();
        for address in [
            1 << 38,
            1 << 39,
            usize::MAX,
            0xFFFF_FFC0_1000_0000,
            1 << 63 | 0x1000_0000,
        ] {
            assert_eq!(walk(&SV39, &tables, address, false), None);
        }
        assert_eq!(walk(&SV39, &tables, 0, false), None);
        let tables = sv32();
        for address in [0, 0x0FFF_FFFF, 0x9000_0000, 0xFFFF_FFFF] {
            assert_eq!(walk(&SV32, &tables, address, false), None);
        }
    }

    #[test]
    fn the_root_comes_back_out_of_satp() {
        assert_eq!(NATIVE.root(NATIVE.satp(0x8_0123) as usize), 0x8_0123);
    }

    #[test]
    fn no_more_is_reached_than_a_page() {
        for (format, tables) in [(SV39, sv39()), (SV32, sv32())] {
            let satp = format.satp(1) as usize;
            let reach = |address, length, write| {
                let load = |at: usize| tables.get(&at).copied().unwrap_or(0);
                format.reach(satp, address, length, write, load)
            };
            assert_eq!(reach(0x1000_0FF0, 64, true), (16, 0x8000_1FF0));
            assert_eq!(reach(0x1000_1000, 64, false), (64, 0x8000_2000));
            assert_eq!(reach(0x1000_1000, 64, true), (0, 0));
        }
    }
}
