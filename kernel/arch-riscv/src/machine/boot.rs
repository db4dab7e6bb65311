//! From the image's start to the first thread.

use core::ptr::with_exposed_provenance;

use giornata_core::{Ref, System};

use super::csr::{self, FS, MIE, MPIE, MPP, MPRV, TW, read, write};
use super::{hart, lines, space};
use crate::board::RECORDS;

#[allow(improper_ctypes)] // they are only handed on
unsafe extern "C" {
    fn giornata_trap();
    fn giornata_begin(idle: Ref<giornata_core::Thread>) -> !;
}

/// Which of the architecture's own words in the record of the hart is which.
pub(super) mod own {
    /// Where the dummy `sc.w` of a switch goes.
    pub(crate) const RESERVATION: usize = 0;
    /// The thread whose values the floating-point registers hold; 0: none.
    #[cfg(feature = "floating")]
    pub(crate) const FLOATING_OWNER: usize = 1;
    /// Not 0: they have changed since they were loaded.
    #[cfg(feature = "floating")]
    pub(crate) const FLOATING_CHANGED: usize = 2;
    // (3: where they are kept)
    /// Lines that may come, where masks are registers of each of several harts.
    #[cfg(all(feature = "harts", not(feature = "plic")))]
    pub(crate) const LINES: usize = 1;
}

/// The record of the system.
#[inline(always)]
pub fn system() -> Ref<System> {
    // SAFETY: boot has checked that it lies there (Record Invariant), and one function of
    // the kernel at a time reaches its cells (Hart Invariant).
    unsafe { &*with_exposed_provenance(RECORDS) }
}

/// Prepares the hart for user mode, and enters the first thread. The guard below the
/// hart's stack is a region of `size` bytes at `guard`.
///
/// # Safety
/// To be called once, in machine mode with interrupts off, when the records lie where
/// they must (Record Invariant); the board is the machine (Device Invariant, Memory
/// Invariant).
pub unsafe fn begin(guard: usize, size: usize) -> ! {
    lines::prepare();
    space::prepare(guard, size);
    let status = read!("mstatus") & !(FS | MPP | MPRV | MIE) | TW | MPIE;
    // SAFETY: user mode next, without floating point (Owner Invariant).
    unsafe { write!("mstatus", status) };
    // SAFETY: the entry is made for it, 4-byte aligned for direct mode.
    unsafe { write!("mtvec", giornata_trap as *const () as usize) };
    // SAFETY: these only; `mstatus` keeps them off in machine mode.
    unsafe { write!("mie", csr::TIMER | csr::EXTERNAL | csr::KICK) };
    hart::restart_clock();
    #[cfg(feature = "harts")]
    super::harts::prepare();
    // SAFETY: by contract; the idle thread becomes the running one (Scratch Invariant).
    unsafe { giornata_begin(system().idle()) }
}
