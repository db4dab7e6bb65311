//! Address spaces without translation: the regions that the PMP lets a process use,
//! searched by the kernel as the hart searches them.
//!
//! # The words of `Process::space`
//! What the builder writes for a board with `protection = "pmp"`; entries are those of
//! the PMP, regions are naturally aligned powers of two ([`place`]).
//!
//! | word | |
//! |---|---|
//! | [`RIGHTS`](word::RIGHTS)` + n` | configuration register n: entries 4n to 4n + 3, a byte each, see [`rights`] |
//! | [`PLACES`](word::PLACES)` + n` | address register n + 2 |
//! | [`WIDE`](word::WIDE) | 1 if an entry from 8 on is in use, else 0 |
//! | the rest | 0 |
//!
//! Entry 0 is the kernel's: it guards the hart's stack, whatever its byte says. Entry 1
//! is `Thread::stack` of the running thread: its own stack, or without rights the guard below
//! it where the stacks of a process are shared. Its byte is 0 where no thread has a guard; a
//! thread without one, whose `Thread::stack` is 0, leaves that of another. Entries from 2 on are the process's, the first ones first: what
//! lies behind the last that is in use is 0, and entries 5 to 7 are loaded only if the
//! place of entry 5 is not 0. A switch is cheapest where two processes have the same bytes in
//! their first two configuration registers, so regions are best sorted by rights: code,
//! constants, data, shared memory, devices.
//!
//! An entry whose byte has rights but matches nothing is closed to user mode, but the
//! kernel reads and writes it for the process: all private stacks of a process as one
//! region.
//!
//! The process of the kernel's own threads has 0 in all words but `WIDE`, which is 1:
//! whoever runs after it loads everything.

use core::cell::Cell;

use giornata_core::process::SPACE;

/// Which word of a space is which.
pub mod word {
    /// The first of four configuration registers.
    pub const RIGHTS: usize = 0;
    /// The first of fourteen address registers.
    pub const PLACES: usize = 4;
    /// Whether more than eight entries are in use.
    pub const WIDE: usize = 18;
}

/// Bits of a configuration byte.
pub mod rights {
    /// Load.
    pub const READ: u8 = 1 << 0;
    /// Store.
    pub const WRITE: u8 = 1 << 1;
    /// Fetch.
    pub const EXECUTE: u8 = 1 << 2;
    /// The entry is a naturally aligned power of two; without these bits it matches
    /// nothing.
    pub const NAPOT: u8 = 3 << 3;
    /// Machine mode is bound too, and the entry cannot be changed.
    pub const LOCKED: u8 = 1 << 7;
}

/// The first entry of the process.
pub const FIRST: usize = 2;
/// Entries of the PMP.
pub const ENTRIES: usize = 16;
const _: () = assert!(word::PLACES + ENTRIES - FIRST == word::WIDE && word::WIDE < SPACE);

/// What an address register holds for a region of `size` bytes, a power of two of at
/// least 8, at `base`, a multiple of it.
pub const fn place(base: usize, size: usize) -> usize {
    base >> 2 | (size >> 3).wrapping_sub(1)
}

/// Bytes from `address` on, at most `length`, that lie in one region of the process
/// which it may read, or write. O(entries).
#[allow(clippy::indexing_slicing)] // by a remainder
pub fn reach(space: &[Cell<usize>; SPACE], address: usize, length: usize, write: bool) -> usize {
    let needs = if write { rights::WRITE } else { rights::READ };
    let mut entry = FIRST;
    for place in &space[word::PLACES..word::WIDE] {
        let byte = space[entry / 4 % word::PLACES].get() >> (entry % 4 * 8);
        let place = place.get();
        // the low ones of a place, and the zero above them, are any
        let any = place ^ place.wrapping_add(1);
        if byte as u8 & needs != 0 && (address >> 2 ^ place) & !any == 0 {
            let end = (place | any).wrapping_add(1) << 2;
            return length.min(end.wrapping_sub(address));
        }
        entry = entry.wrapping_add(1);
    }
    0
}

#[cfg(test)]
mod tests {
    use super::*;
    use rights::{EXECUTE, NAPOT, READ, WRITE};

    fn space(regions: &[(usize, usize, u8)]) -> [Cell<usize>; SPACE] {
        let space = [const { Cell::new(0) }; SPACE];
        for (index, (base, size, byte)) in regions.iter().enumerate() {
            let entry = index + FIRST;
            space[word::PLACES + index].set(place(*base, *size));
            let register = &space[word::RIGHTS + entry / 4];
            register.set(register.get() | usize::from(*byte) << (entry % 4 * 8));
        }
        space
    }

    fn example() -> [Cell<usize>; SPACE] {
        space(&[
            (0x8001_0000, 0x400, NAPOT | READ | EXECUTE),
            (0x8001_0400, 0x100, NAPOT | READ | EXECUTE),
            (0x8002_0000, 0x1000, NAPOT | READ | WRITE),
            (0x8003_0000, 0x100, 0),
            (0x8004_0000, 0x1000, READ | WRITE),
        ])
    }

    #[test]
    fn a_place_is_base_and_size() {
        assert_eq!(place(0x8000_0000, 8), 0x2000_0000);
        assert_eq!(place(0x8000_1000, 4096), 0x2000_05FF);
    }

    #[test]
    fn rights_of_a_region_decide_up_to_its_last_byte() {
        let space = example();
        assert_eq!(reach(&space, 0x8001_0000, 64, false), 64);
        assert_eq!(reach(&space, 0x8001_0000, 64, true), 0);
        assert_eq!(reach(&space, 0x8002_0FC0, 64, true), 64);
        assert_eq!(reach(&space, 0x8002_0FC1, 64, true), 63);
        assert_eq!(reach(&space, 0x8002_0FFF, usize::MAX, true), 1);
        assert_eq!(reach(&space, 0x8001_FFFF, 2, false), 0);
        assert_eq!(reach(&space, 0x8003_0000, 1, false), 0);
    }

    #[test]
    fn regions_that_touch_are_reached_one_after_the_other() {
        let space = example();
        assert_eq!(reach(&space, 0x8001_03F0, 64, false), 16);
        assert_eq!(reach(&space, 0x8001_0400, 48, false), 48);
    }

    #[test]
    fn what_user_mode_does_not_see_but_has_rights_to_is_the_kernels_to_reach() {
        assert_eq!(reach(&example(), 0x8004_0FF0, 64, true), 16);
    }

    #[test]
    fn addresses_around_the_end_are_nowhere() {
        for address in [0, 8, usize::MAX, usize::MAX - 7, 0x7FFF_FFFF] {
            assert_eq!(reach(&example(), address, 16, false), 0, "{address:x}");
        }
    }

    #[test]
    fn a_region_at_the_end_of_the_address_space_does_not_wrap() {
        let base = usize::MAX - 0xFFF;
        let space = space(&[(base, 0x1000, NAPOT | READ)]);
        assert_eq!(reach(&space, usize::MAX - 7, 64, false), 8);
    }
}
