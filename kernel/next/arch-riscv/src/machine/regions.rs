//! Protection by regions: the PMP holds what user mode may touch.

use giornata_next_core::region::{GRANT_PLACE, READ, WRITE};
use giornata_next_core::{Process, Ref, Region};

use super::boot::kernel;
use super::csr::{self, write};
use crate::board::{MEMORY_END, RECORDS};
use crate::regions::{self, rights};

/// Which word of a space is which, for the trap path.
pub(super) use crate::regions::word;

/// The bits of an access, which are those of a configuration byte.
const REACH: usize = (READ | WRITE) as usize;
const _: () = assert!(REACH == (rights::READ | rights::WRITE) as usize);

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
    let entry = (grant >> GRANT_PLACE) as usize;
    let byte = match access {
        0 => 0,
        access => access as usize & REACH | rights::NAPOT as usize,
    };
    let (places, _) = process.space.split_at(word::PLACES);
    if let Some(register) = places.get(word::RIGHTS.wrapping_add(entry / 4)) {
        let shift = (entry % 4 * 8) as u32;
        let others = register.get() & !0xFFusize.wrapping_shl(shift);
        register.set(others | byte.wrapping_shl(shift));
    }
    if !core::ptr::eq(kernel().trace.loaded.get(), process) {
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

/// Whether an access ran below the stack of a thread, close to its stack pointer.
pub(super) fn is_below_stack(stack: usize, size: usize, address: usize, sp: usize) -> bool {
    const REACH: usize = 4096;
    let below = stack.wrapping_sub(size).wrapping_sub(address);
    (1..=REACH).contains(&below) && address.abs_diff(sp) <= REACH
}
