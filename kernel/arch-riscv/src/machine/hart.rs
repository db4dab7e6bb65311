//! The block and the stack of a hart.

use core::cell::{Cell, UnsafeCell};
use core::mem::offset_of;

use super::csr;
use super::edge::Edge;
use crate::context::Context;
use crate::pages::PAGE;

/// Bytes of a hart's stack: the kernel's deepest path needs less than half.
const STACK: usize = 8192;

/// What a hart knows of itself. It lies at the top of the hart's stack, so the
/// stack pointer that the trap path loads is the block's address.
///
/// Cells, because the trap path in assembly reads and writes them between two
/// runs of Rust; only the hart itself does (Hart Invariant).
#[repr(C, align(16))]
pub(super) struct HartBlock {
    /// The thread whose callee-saved registers the hart holds.
    pub(super) current: Cell<Option<&'static Context>>,
    /// `mcycle` when the kernel was entered.
    entered: Cell<usize>,
    /// Cycles in the kernel since they were last gathered.
    kernel_cycles: Cell<usize>,
    /// Cycles in the kernel before that; the trap path carries into it.
    gathered: Cell<u64>,
    /// Where the dummy `sc.w` goes.
    reservation: Cell<usize>,
    /// The thread whose values the floating-point registers hold.
    pub(super) owner: Cell<Option<&'static Context>>,
    /// They have changed since they were loaded.
    pub(super) dirty: Cell<bool>,
    /// A kernel bug has been met: the next one stops without a word.
    pub(super) dying: Cell<bool>,
    pub(super) edge: Cell<Option<*mut Edge>>,
}

impl HartBlock {
    pub(super) const CURRENT: usize = offset_of!(HartBlock, current);
    pub(super) const ENTERED: usize = offset_of!(HartBlock, entered);
    pub(super) const KERNEL_CYCLES: usize = offset_of!(HartBlock, kernel_cycles);
    pub(super) const GATHERED: usize = offset_of!(HartBlock, gathered);
    pub(super) const RESERVATION: usize = offset_of!(HartBlock, reservation);

    /// This hart's number.
    pub(super) const NUMBER: u8 = 0;

    /// Begins to count the kernel's time.
    pub(super) fn enter(&self) {
        self.entered.set(csr::cycles());
    }

    /// Stops counting, before the hart idles.
    pub(super) fn leave(&self) {
        let now = csr::cycles().wrapping_sub(self.entered.get());
        let before = self.kernel_cycles.get();
        self.kernel_cycles.set(before.wrapping_add(now));
    }

    /// Takes the cycles over into the wide count.
    pub(super) fn gather(&self) {
        let fresh = self.kernel_cycles.replace(0);
        let gathered = self.gathered.get();
        self.gathered.set(gathered.wrapping_add(fresh as u64));
    }

    /// Cycles spent in the kernel since boot: from the first instructions of
    /// an entry to the last of its exit, idling left out.
    pub(super) fn kernel_cycles(&self) -> u64 {
        let now = csr::cycles().wrapping_sub(self.entered.get());
        let fresh = self.kernel_cycles.get().wrapping_add(now);
        self.gathered.get().wrapping_add(fresh as u64)
    }

    /// The address of the guard below the stack.
    pub(super) fn guard() -> usize {
        (&raw const HART.guard).addr()
    }
}

/// A hart's memory: a guard that nobody may touch (the boot path locks it in
/// the PMP), the stack, the block.
#[repr(C, align(4096))]
pub(super) struct HartMemory {
    guard: [u8; PAGE],
    stack: UnsafeCell<[u8; STACK]>,
    pub(super) block: HartBlock,
}

impl HartMemory {
    pub(super) const BLOCK: usize = offset_of!(HartMemory, block);
}

// SAFETY: the one hart touches it, one trap function at a time (Hart Invariant).
unsafe impl Sync for HartMemory {}

/// Where the boot hart's stack begins: offset from the symbol `giornata_hart`.
pub const STACK_TOP: usize = HartMemory::BLOCK;

/// The memory of the boot hart.
#[unsafe(export_name = "giornata_hart")]
pub(super) static HART: HartMemory = HartMemory {
    guard: [0; PAGE],
    stack: UnsafeCell::new([0; STACK]),
    block: HartBlock {
        current: Cell::new(None),
        entered: Cell::new(0),
        kernel_cycles: Cell::new(0),
        gathered: Cell::new(0),
        reservation: Cell::new(0),
        owner: Cell::new(None),
        dirty: Cell::new(false),
        dying: Cell::new(false),
        edge: Cell::new(None),
    },
};
