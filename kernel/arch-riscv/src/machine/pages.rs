//! Protection by page tables: user mode is confined by `satp`, and the PMP is open but
//! for the kernel's guard.

use giornata_core::process::region::WRITE;
use giornata_core::{Process, Ref, Region};

use super::csr::{self, write};
use crate::board::{MEMORY_END, RECORDS};
use crate::device::Device;
use crate::pages::{NATIVE, SATP};

/// No trap bypasses machine mode. Where there is a PMP, it opens everything to user mode
/// but the guard below the hart's stack: page tables count only where it lets user mode
/// pass.
pub(super) fn prepare(guard: usize, size: usize) {
    // SAFETY: machine mode handles what it always could.
    unsafe { write!("medeleg", 0) };
    // SAFETY: as above.
    unsafe { write!("mideleg", 0) };
    if cfg!(feature = "pmp") {
        open(guard, size);
    }
    csr::show_counters();
    if cfg!(feature = "counteren") {
        // SAFETY: reading counters changes nothing; user mode passes both.
        unsafe { write!("scounteren", 0b101) };
    }
}

/// Entry 0 locks the guard, for machine mode too; entry 1 opens everything else.
fn open(guard: usize, size: usize) {
    use crate::regions::{place, rights};
    const OPEN: u8 = rights::NAPOT | rights::READ | rights::WRITE | rights::EXECUTE;
    // SAFETY: nothing lies in the guard, so nothing that the kernel needs is locked.
    unsafe { write!("pmpaddr0", place(guard, size)) };
    // SAFETY: all ones are the whole address space.
    unsafe { write!("pmpaddr1", usize::MAX) };
    let bytes = (OPEN as usize) << 8 | (rights::LOCKED | rights::NAPOT) as usize;
    // SAFETY: user mode is confined by its page tables.
    unsafe { write!("pmpcfg0", bytes) };
}

/// Opens a region to a process, or closes it: its tables hang in those of the process, or
/// do not. Behind the tables to read and write lie those to read only. O(tables), which
/// are 8 at most.
pub(super) fn open_region(process: Ref<Process>, region: Ref<Region>, _: u32, access: u32) {
    let [satp, ..] = &process.space;
    let (address, size) = (region.address, region.size);
    let tables = match access & WRITE {
        0 => NATIVE.tables_of(size),
        _ => 0,
    };
    let tables = region.tables.wrapping_add(tables);
    for (at, link) in NATIVE.links(NATIVE.root(satp.get()), address, size, tables, load_entry) {
        // SAFETY: an entry of a table of the builder (Memory Invariant).
        let entry = unsafe { Device::at(at) };
        entry.store(0, if access == 0 { 0 } else { link });
    }
    // SAFETY: a fence changes no memory.
    unsafe { core::arch::asm!("sfence.vma", options(nostack)) };
}

/// The hart forgets what tables said before they were changed.
#[cfg(feature = "harts")]
pub(super) fn renew_rights(_: Ref<Process>) {
    // SAFETY: a fence changes no memory.
    unsafe { core::arch::asm!("sfence.vma", options(nostack)) };
}

/// Where a process's bytes lie in RAM. Devices that a process sees are not memory.
pub(super) fn reach(
    process: Ref<Process>,
    address: usize,
    length: usize,
    write: bool,
) -> (usize, usize) {
    let [satp, ..] = &process.space;
    const _: () = assert!(SATP == 0);
    let found = NATIVE.reach(satp.get(), address, length, write, load_entry);
    match (RECORDS..MEMORY_END).contains(&found.1) {
        true => found,
        false => (0, 0),
    }
}

/// Reads a word of a page table.
fn load_entry(at: usize) -> usize {
    // SAFETY: the walk begins at a root of the builder and stays in its tables (Memory Invariant).
    let entry = unsafe { Device::at(at) };
    entry.load(0)
}

/// What the trap path asks of regions, which there are none of.
pub(super) mod word {
    pub(crate) const RIGHTS: usize = 0;
    pub(crate) const PLACES: usize = 0;
    pub(crate) const WIDE: usize = 0;
}
