//! Protection by page tables: user mode is confined by `satp`, and the PMP is
//! open but for the kernel's guard.

use core::ops::Range;

use giornata_abi::system::{ProcessEntry, RegionEntry};
use giornata_core::{Access, BadAddress};

use super::csr::{self, write};
use super::hardware::Found;
use super::hart::HartBlock;
use crate::device::Device;
use crate::pages::{self, NATIVE, PAGE, Space};
use crate::regions::Regions;
use crate::right::Right;

/// Page tables count only where the PMP lets user mode pass.
const HAS_PMP: bool = cfg!(feature = "pmp");

/// No trap bypasses machine mode. Where there is a PMP, it opens everything to
/// user mode but the guard below the kernel's stack.
pub(super) fn prepare() {
    // SAFETY: machine mode handles what it always could.
    unsafe { write!("medeleg", 0) };
    // SAFETY: as above.
    unsafe { write!("mideleg", 0) };
    if HAS_PMP {
        open();
    }
    if csr::HAS_COUNTEREN {
        csr::show_counters();
        // SAFETY: reading counters changes nothing; user mode passes both.
        unsafe { write!("scounteren", csr::COUNTERS) };
    }
}

/// Entry 0 locks the guard below the stack, for machine mode too; entry 1 opens
/// everything else.
fn open() {
    const LOCKED_PAGE: usize = 0x98;
    const OPEN: usize = 0x1F;
    // SAFETY: a naturally aligned power of two, here a page, is its address and ones.
    unsafe { write!("pmpaddr0", HartBlock::guard() >> 2 | 0x1FF) };
    // SAFETY: all ones are the whole address space.
    unsafe { write!("pmpaddr1", usize::MAX) };
    // SAFETY: nothing lies in the guard, so nothing the kernel needs is locked.
    unsafe { write!("pmpcfg0", OPEN << 8 | LOCKED_PAGE) };
}

/// Lets user mode into a space, after another.
///
/// # Safety
/// The space is one of the builder's.
pub(super) unsafe fn enter(before: Option<&Space>, space: &Space) {
    if before == Some(space) {
        return;
    }
    // SAFETY: the kernel is untranslated, so only user mode sees the change.
    unsafe { write!("satp", space.0) };
    fence();
}

/// What the tables say from now on is what the hart does.
fn fence() {
    // SAFETY: a fence changes no memory.
    unsafe { core::arch::asm!("sfence.vma", options(nostack)) };
}

/// Opens a region to a process, or closes it: its tables hang in those of the
/// process, or do not. O(tables), which are 8 at most.
///
/// # Safety
/// The builder wrote the tables of both.
pub(super) unsafe fn share(
    process: &ProcessEntry,
    _: &[Regions],
    _: Option<&Space>,
    region: &RegionEntry,
    _: u16,
    access: Option<Access>,
) {
    let (address, size) = (region.address as usize, region.size as usize);
    let tables = match access {
        Some(Access::Read) => NATIVE.tables_of(size),
        Some(Access::Write) | None => 0,
    };
    let tables = (region.tables as usize).wrapping_add(tables);
    for (at, link) in NATIVE.links(process.space, address, size, tables, load_entry) {
        // SAFETY: by contract, an entry of a table of the builder (Memory Invariant).
        let entry = unsafe { Device::at(at) };
        entry.store(0, access.map_or(0, |_| link));
    }
    fence();
}

/// Whether an access ran into the guard of the current thread's stack.
pub(super) fn is_below_stack(space: &Space, address: usize, sp: usize) -> bool {
    let root = space.root();
    pages::is_below_stack(address, sp, |at| NATIVE.is_mapped(root, at, load_entry))
}

/// Where a process's bytes lie in RAM, if it has the right to all of them. At
/// most a page, so two pages are concerned at most.
pub(super) fn walk(
    process: &ProcessEntry,
    _: &[Regions],
    memory: &Range<usize>,
    at: usize,
    length: usize,
    right: Right,
) -> Result<Found, BadAddress> {
    let first = length.min(PAGE - at % PAGE);
    let rest = length - first;
    let stretch = |at, length| stretch(process.space, memory, at, length, right);
    let start = stretch(at, first)?;
    let next = match rest {
        0 => start,
        _ => stretch(at.wrapping_add(first), rest)?,
    };
    Ok(Found { start, first, next })
}

/// Where a stretch inside one page begins. Devices that a process sees are
/// not memory: the kernel does not copy from or to them.
fn stretch(
    root: u32,
    memory: &Range<usize>,
    at: usize,
    length: usize,
    right: Right,
) -> Result<usize, BadAddress> {
    let start = NATIVE
        .translate(root, at, right, load_entry)
        .ok_or(BadAddress)?;
    let room = memory.end.saturating_sub(start);
    if length > PAGE || start < memory.start || room < length {
        return Err(BadAddress);
    }
    Ok(start)
}

/// Reads a word of a page table.
fn load_entry(at: usize) -> usize {
    // SAFETY: the walk begins at a root of the builder and stays in its tables (Memory Invariant).
    let entry = unsafe { Device::at(at) };
    entry.load(0)
}
