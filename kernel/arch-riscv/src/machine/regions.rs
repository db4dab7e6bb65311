//! Protection by regions: the PMP holds what user mode may touch.

use core::arch::global_asm;
use core::ops::Range;

use giornata_abi::system::{KERNEL_REGIONS, ProcessEntry, REGION_ENTRY, RegionEntry};
use giornata_core::{Access, BadAddress};

use super::csr::{self, read, write};
use super::hardware::Found;
use super::hart::HartBlock;
use crate::regions::{self, Regions, Space};
use crate::right::Right;

/// How far below its stack pointer a thread's access counts as its stack's.
const REACH: usize = 4096;
/// Regions that a space can place.
const PLACES: usize = 16 - KERNEL_REGIONS;
/// Configuration registers, of four entries each.
const WORDS: usize = 4;
/// The hart keeps what the PMP has allowed until a configuration is written.
const IS_CACHED: bool = cfg!(feature = "pmp-cache");

const _: () = assert!(
    size_of::<usize>() == 4,
    "a configuration register of the PMP holds four entries on 32-bit harts only"
);

// a0 = entry, a1 = bytes of the places not to write, a2 = of the rights.
//
// Two instructions of four bytes for each register, the last one first, so that
// the first ones are written by entering late.
global_asm!(
    ".option push",
    ".option norvc",
    ".pushsection .text.giornata_open, \"ax\"",
    "giornata_open:",
    "lla t0, 1f",
    "add t0, t0, a1",
    "jr t0",
    "1:",
    ".irp n, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0",
    "lw t1, {PLACES} + 4 * \\n(a0)",
    "csrw 0x3B2 + \\n, t1", // pmpaddr2 and on
    ".endr",
    "lla t0, 2f",
    "add t0, t0, a2",
    "jr t0",
    "2:",
    ".irp n, 3, 2, 1, 0",
    "lw t1, {RIGHTS} + 4 * \\n(a0)",
    "csrw 0x3A0 + \\n, t1", // pmpcfg0 and on
    ".endr",
    "ret",
    ".popsection",
    ".option pop",
    PLACES = const Regions::PLACES,
    RIGHTS = const Regions::RIGHTS,
);

unsafe extern "C" {
    fn giornata_open(entry: &Regions, unused_places: usize, unused_rights: usize);
}

/// Entry 0 locks the guard below the stack, for machine mode too; the others
/// are off until a process is entered.
pub(super) fn prepare() {
    const LOCKED_PAGE: usize = 0x98;
    // SAFETY: a naturally aligned power of two, here a page, is its address and ones.
    unsafe { write!("pmpaddr0", HartBlock::guard() >> 2 | 0x1FF) };
    // SAFETY: nothing lies in the guard, so nothing the kernel needs is locked.
    unsafe { write!("pmpcfg0", LOCKED_PAGE) };
    if csr::HAS_COUNTEREN {
        csr::show_counters();
    }
}

/// Lets user mode into the space of a thread, after that of another: its stack,
/// and its process's regions if the process is another. 10 to 40 instructions.
///
/// # Safety
/// The space is one of the builder's.
pub(super) unsafe fn enter(before: Option<&Space>, space: &Space) {
    // SAFETY: by contract; the kernel is not confined by entries that are not locked.
    unsafe { write!("pmpaddr1", space.stack) };
    match before {
        Some(before) if core::ptr::eq(before.entry, space.entry) => refresh(),
        // SAFETY: by contract.
        _ => unsafe {
            open(
                before.map_or(PLACES, |before| before.entry.count()),
                space.entry,
            )
        },
    }
}

/// Writes the regions of a process over the `before` ones of another.
///
/// # Safety
/// As [`enter`].
unsafe fn open(before: usize, entry: &Regions) {
    let used = entry.count();
    let words = (before.max(used) + KERNEL_REGIONS).div_ceil(WORDS);
    let (places, rights) = (PLACES - used, WORDS - words.min(WORDS));
    // SAFETY: by contract; no more is left out than there is.
    unsafe { giornata_open(entry, 8 * places, 8 * rights) };
}

/// Opens a region to a process, or closes it: for good, and at once if `current`,
/// whose space the PMP holds, is of that process. At most 40 instructions.
///
/// # Safety
/// `granted` is what the builder wrote of the region in the process.
pub(super) unsafe fn share(
    process: &ProcessEntry,
    spaces: &[Regions],
    current: Option<&Space>,
    _: &RegionEntry,
    granted: u16,
    access: Option<Access>,
) {
    let Some(space) = spaces.get(process.space as usize) else {
        return;
    };
    let entry = usize::from(granted >> REGION_ENTRY);
    space.open(entry, access);
    if current.is_some_and(|current| core::ptr::eq(current.entry, space)) {
        let register = entry / WORDS;
        // SAFETY: by contract; the places are those that the PMP has.
        unsafe { configure(register, space.configuration(register)) };
    }
}

/// Writes a configuration register of the PMP.
///
/// # Safety
/// It lets user mode into nothing but what is the current process's.
unsafe fn configure(register: usize, rights: usize) {
    match register {
        // SAFETY: by contract.
        0 => unsafe { write!("pmpcfg0", rights) },
        // SAFETY: as above.
        1 => unsafe { write!("pmpcfg1", rights) },
        // SAFETY: as above.
        2 => unsafe { write!("pmpcfg2", rights) },
        // SAFETY: as above.
        _ => unsafe { write!("pmpcfg3", rights) },
    }
}

/// Makes a hart that caches what the PMP allowed look anew.
fn refresh() {
    if IS_CACHED {
        let same = read!("pmpcfg0");
        // SAFETY: the value that it has.
        unsafe { write!("pmpcfg0", same) };
    }
}

/// Whether an access ran into the guard of the current thread's stack.
pub(super) fn is_below_stack(space: &Space, address: usize, sp: usize) -> bool {
    space.is_below_stack(address, sp, REACH)
}

/// Where a process's bytes lie in RAM: where it says, if it has the right to
/// all of them. Devices that a process sees are not memory. O(regions).
pub(super) fn walk(
    process: &ProcessEntry,
    spaces: &[Regions],
    memory: &Range<usize>,
    at: usize,
    length: usize,
    right: Right,
) -> Result<Found, BadAddress> {
    let inside = |start: usize, size: usize| {
        let offset = at.wrapping_sub(start);
        offset < size && length <= size - offset
    };
    let is_stack = inside(process.stacks as usize, process.stacks_size as usize);
    let entry = spaces.get(process.space as usize);
    let is_own = is_stack || entry.is_some_and(|e| regions::allows(e, at, length, right));
    if is_own && inside(memory.start, memory.len()) {
        return Ok(Found {
            start: at,
            first: length,
            next: at,
        });
    }
    Err(BadAddress)
}
