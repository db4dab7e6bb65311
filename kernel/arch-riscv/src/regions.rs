//! Address spaces without translation: the regions that the PMP lets a process
//! use, searched by the kernel as the hart searches them.
//!
//! ```text
//! entry  0          1                2 .. 16
//!        guard of   stack of the     regions of the process:
//!        the hart   current thread   code, constants, data, devices
//! ```
//! A switch of threads in a process writes entry 1, one of processes the rest
//! too. Stacks of one process guard each other: below the open one lies one that
//! is closed, or memory of nobody else's (the builder places them so).
//!
//! Memory that processes share has an entry in each that may attach it, closed
//! until it does: its place stays, its rights come and go.

use core::cell::Cell;
use core::mem::offset_of;

use giornata_abi::system::{KERNEL_REGIONS, SpaceEntry, System};
use giornata_core::Access;

use crate::right::Right;

/// Bits of a configuration byte.
const READ: u8 = 1 << 0;
const WRITE: u8 = 1 << 1;
/// A naturally aligned power of two.
const NAPOT: u8 = 3 << 3;

/// What the PMP holds for a process, as it is now: a [`SpaceEntry`] in memory.
///
/// The rights are cells, because sharing changes them while the system runs; only
/// the hart itself does (Hart Invariant).
#[derive(Debug)]
#[repr(C)]
pub struct Regions {
    rights: [Cell<u8>; 16],
    places: [u32; 14],
    count: u32,
}

const _: () = assert!(
    size_of::<Regions>() == size_of::<SpaceEntry>()
        && align_of::<Regions>() == align_of::<SpaceEntry>()
        && Regions::RIGHTS == offset_of!(SpaceEntry, rights)
        && Regions::PLACES == offset_of!(SpaceEntry, places)
        && offset_of!(Regions, count) == offset_of!(SpaceEntry, count)
);

// SAFETY: the one hart reads and writes the cells, one trap function at a time
// (Hart Invariant).
unsafe impl Sync for Regions {}

/// The regions of a process, and the stack of one of its threads.
#[derive(Clone, Copy, Debug)]
pub struct Space {
    /// What the PMP holds for the process.
    pub entry: &'static Regions,
    /// What it holds for the stack.
    pub stack: u32,
}

/// A space in which nothing is allowed.
static NOTHING: Regions = Regions {
    rights: [const { Cell::new(0) }; 16],
    places: [0; 14],
    count: 0,
};

impl Regions {
    /// Offset of the rights, for assembly.
    pub const RIGHTS: usize = offset_of!(Regions, rights);
    /// Offset of the places, for assembly.
    pub const PLACES: usize = offset_of!(Regions, places);

    /// How many entries are in use behind those of the kernel.
    pub fn count(&self) -> usize {
        (self.count as usize).min(self.places.len())
    }

    /// Opens the region of an entry, or closes it. O(1).
    pub fn open(&self, entry: usize, access: Option<Access>) {
        if let Some(rights) = self.rights.get(entry) {
            rights.set(match access {
                Some(Access::Write) => NAPOT | READ | WRITE,
                Some(Access::Read) => NAPOT | READ,
                None => 0,
            });
        }
    }

    /// What a configuration register of the PMP holds: that of four entries.
    pub fn configuration(&self, register: usize) -> usize {
        let (registers, _) = self.rights.as_chunks();
        registers.get(register).map_or(0, |[a, b, c, d]| {
            u32::from_le_bytes([a.get(), b.get(), c.get(), d.get()]) as usize
        })
    }
}

impl Space {
    /// The space in which nothing is allowed.
    pub const NOWHERE: Space = Space {
        entry: &NOTHING,
        stack: 0,
    };

    /// The space of a thread; [`Space::NOWHERE`] for a thread that is none.
    pub fn of(system: &System<'static>, spaces: &'static [Regions], thread: usize) -> Space {
        let found = system.threads.get(thread).and_then(|thread| {
            let process = system.processes.get(thread.process as usize)?;
            let entry = spaces.get(process.space as usize)?;
            let base = thread.stack_top.wrapping_sub(thread.stack_size);
            Some(Space {
                entry,
                stack: place(base, thread.stack_size),
            })
        });
        found.unwrap_or(Space::NOWHERE)
    }

    /// Whether an access at `address` with the stack pointer at `sp` ran into
    /// the guard of the stack: within `reach` of the stack pointer and below
    /// the stack.
    pub fn is_below_stack(&self, address: usize, sp: usize, reach: usize) -> bool {
        let low = self.stack & self.stack.wrapping_add(1);
        let below = ((low as usize) << 2).wrapping_sub(address);
        (1..=reach).contains(&below) && address.abs_diff(sp) <= reach
    }
}

/// What an address register holds for a region of `size` bytes at `base`.
pub const fn place(base: u32, size: u32) -> u32 {
    base >> 2 | (size >> 3).wrapping_sub(1)
}

/// Whether a process may do so with all bytes of `at..at + length`, at most as
/// many as the smallest region has: so the first and the last byte tell. O(regions).
pub fn allows(entry: &Regions, at: usize, length: usize, right: Right) -> bool {
    let last = at.wrapping_add(length.saturating_sub(1));
    allows_byte(entry, at, right) && allows_byte(entry, last, right)
}

fn allows_byte(entry: &Regions, at: usize, right: Right) -> bool {
    let bit = match right {
        Right::Read => READ,
        Right::Write => WRITE,
    };
    let word = (at >> 2) as u32;
    let rights = entry.rights.iter().skip(KERNEL_REGIONS);
    let mut regions = rights.zip(&entry.places);
    regions.any(|(rights, place)| {
        // the low ones of a place, and the zero above them, are any
        rights.get() & bit != 0 && (word ^ place) & !(place ^ place.wrapping_add(1)) == 0
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn space() -> Regions {
        let mut entry = Regions {
            rights: [const { Cell::new(0) }; 16],
            places: [0; 14],
            count: 4,
        };
        let regions = [
            (0x8001_0000, 0x400, NAPOT | 0b101),
            (0x8001_0400, 0x100, NAPOT | 0b101),
            (0x8002_0000, 0x1000, NAPOT | 0b011),
            (0x8003_0000, 0x100, 0),
        ];
        for (index, (base, size, rights)) in regions.into_iter().enumerate() {
            entry.places[index] = place(base, size);
            entry.rights[KERNEL_REGIONS + index] = Cell::new(rights);
        }
        entry
    }

    #[test]
    fn a_place_is_base_and_size() {
        assert_eq!(place(0x8000_0000, 8), 0x2000_0000);
        assert_eq!(place(0x8000_1000, 4096), 0x2000_05FF);
    }

    #[test]
    fn rights_of_a_region_decide_up_to_its_last_byte() {
        use Right::{Read, Write};
        let entry = space();
        assert!(allows(&entry, 0x8001_0000, 64, Read));
        assert!(!allows(&entry, 0x8001_0000, 1, Write));
        assert!(allows(&entry, 0x8002_0FC0, 64, Write));
        assert!(!allows(&entry, 0x8002_0FC1, 64, Write));
        assert!(!allows(&entry, 0x8001_FFFF, 2, Read));
        assert!(!allows(&entry, 0x8003_0000, 1, Read));
    }

    #[test]
    fn regions_that_touch_are_one_stretch() {
        assert!(allows(&space(), 0x8001_03F0, 64, Right::Read));
        assert!(!allows(&space(), 0x8001_04F0, 64, Right::Read));
    }

    #[test]
    fn a_region_is_allowed_what_it_was_opened_for_last() {
        use Right::{Read, Write};
        let entry = space();
        let may = || [Read, Write].map(|right| allows(&entry, 0x8003_0040, 64, right));
        let opened = [
            (Some(Access::Read), [true, false]),
            (Some(Access::Write), [true, true]),
            (None, [false, false]),
        ];
        for (access, rights) in opened {
            entry.open(KERNEL_REGIONS + 3, access);
            assert_eq!(may(), rights, "{access:?}");
        }
        entry.open(KERNEL_REGIONS + 3, Some(Access::Write));
        assert_eq!(entry.configuration(1), 0x1B1B, "entries 4 and 5");
        assert_eq!(entry.configuration(4), 0, "no register");
        entry.open(KERNEL_REGIONS + 3, None);
        entry.open(16, Some(Access::Write)); // no entry: nothing happens
        assert_eq!(may(), [false, false]);
    }

    #[test]
    fn addresses_around_the_end_are_nowhere() {
        let entry = space();
        for address in [0, 8, usize::MAX, usize::MAX - 7, 0x7FFF_FFFF] {
            assert!(!allows(&entry, address, 16, Right::Read), "{address:x}");
        }
    }

    #[test]
    fn only_what_lies_below_the_open_stack_is_its_guard() {
        let thread = Space {
            entry: &NOTHING,
            stack: place(0x8004_0000, 0x1000),
        };
        let below = |address, sp| thread.is_below_stack(address, sp, 0x1000);
        assert!(below(0x8003_FFF8, 0x8003_FFF0));
        assert!(below(0x8003_FFFF, 0x8004_0010));
        assert!(!below(0x8004_0000, 0x8004_0000));
        assert!(!below(0x8003_FFF8, 0x8004_1FF0)); // far from sp
        assert!(!below(0x8003_EFFF, 0x8003_F000)); // farther below than it reaches
        assert!(!below(0x8004_1000, 0x8004_0FF0));
    }
}
