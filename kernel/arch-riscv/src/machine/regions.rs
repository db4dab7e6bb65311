//! Protection by regions: the PMP holds what user mode may touch.
#![allow(clippy::multiple_unsafe_ops_per_block)] // a place and the access there; a register of several

use core::cell::Cell;

use giornata_core::process::region::{GRANT_PLACE, READ, WRITE};
use giornata_core::{Process, Ref, Region};

use super::boot::system;
use super::csr::{self, write};
use crate::board::{MEMORY_END, RECORDS};
use crate::regions::{self, ENTRIES, rights};

/// Which word of a space is which, for the trap path.
pub(super) use crate::regions::word;

/// The bits of an access, which are those of a configuration byte.
const REACH: u8 = (READ | WRITE) as u8;
const _: () = assert!(REACH == rights::READ | rights::WRITE);

const _: () = assert!(
    size_of::<usize>() == 4,
    "a configuration register of the PMP holds four entries on 32-bit harts only"
);

/// Entry 0 locks the guard below the hart's stack, for machine mode too; the others are
/// off until a process is entered.
pub(super) fn prepare(guard: usize, size: usize) {
    // SAFETY: nothing lies in the guard, so nothing that the kernel needs is locked.
    unsafe { write!("pmpaddr0", regions::place(guard, size)) };
    // SAFETY: as above.
    unsafe { write!("pmpcfg0", (rights::LOCKED | rights::NAPOT) as usize) };
    // SAFETY: what is off lets user mode into nothing.
    unsafe { write!("pmpcfg1", 0) };
    // SAFETY: as above.
    unsafe { write!("pmpcfg2", 0) };
    // SAFETY: as above.
    unsafe { write!("pmpcfg3", 0) };
    csr::show_counters();
}

/// Opens a region to a process, or closes it: the byte of an entry whose place stays. At
/// most 40 instructions.
pub(super) fn open_region(process: Ref<Process>, _: Ref<Region>, grant: u32, access: u32) {
    let entry = (grant >> GRANT_PLACE) as usize % ENTRIES;
    let byte = match access {
        0 => 0,
        access => access as u8 & REACH | rights::NAPOT,
    };
    // the registers hold an entry in a byte each, the first one lowest
    let bytes = core::ptr::from_ref(&process.space).cast::<Cell<u8>>();
    let at = word::RIGHTS * size_of::<usize>() + entry;
    // SAFETY: within the words of the rights.
    unsafe { &*bytes.add(at) }.set(byte);
    if !core::ptr::eq(system().hart().loaded.get(), process) {
        return;
    }
    let [first, second, third, fourth, ..] = &process.space;
    // SAFETY: they are the rights of the process that the hart has entered.
    unsafe {
        match entry / 4 {
            0 => write!("pmpcfg0", first.get()),
            1 => write!("pmpcfg1", second.get()),
            2 => write!("pmpcfg2", third.get()),
            _ => write!("pmpcfg3", fourth.get()),
        }
    }
}

/// The hart has the rights of a process whose places it has loaded.
#[cfg(feature = "harts")]
pub(super) fn renew_rights(process: Ref<Process>) {
    let [first, second, third, fourth, ..] = &process.space;
    // (that of the kernel's own threads has none, and leaves the others in place)
    if first.get() == 0 {
        return;
    }
    // SAFETY: they are the rights of the process that the hart has entered.
    unsafe {
        write!("pmpcfg0", first.get());
        write!("pmpcfg1", second.get());
        write!("pmpcfg2", third.get());
        write!("pmpcfg3", fourth.get());
    }
}

/// Where a process's bytes lie in RAM: where it says. Devices that a process sees are
/// not memory.
pub(super) fn reach(
    process: Ref<Process>,
    address: usize,
    length: usize,
    write: bool,
) -> (usize, usize) {
    if !(RECORDS..MEMORY_END).contains(&address) {
        return (0, 0);
    }
    let length = regions::reach(&process.space, address, length, write);
    (length, address)
}
