//! What the kernel asks of the hart.

use crate::{Process, Ref, Region, System};

/// Implemented by the architecture, and by the hosts of tests and simulation.
///
/// Functions without a receiver: there is one hart to an image, and the kernel's
/// code shall not carry a reference to nothing.
pub trait Machine: 'static {
    /// The record of the system. Entries ask for it and nobody else does: where it is a
    /// constant, the compiler finds that each `&self` of a [`System`] is, and hands none on.
    fn system() -> Ref<System>;
    /// The low word of the clock, in ticks of the board's timer.
    fn now() -> u32;
    /// The high word of the clock at an instant that `now`, the low word, names and
    /// that has just been.
    fn high(now: u32) -> u32;
    /// Lets the timer ring at the instant `at`, less than 2^31 ticks from `now`.
    fn alarm(at: u32, now: u32);
    /// Whether the timer has rung or an interrupt waits: between the pieces of long
    /// work.
    fn pending() -> bool;
    /// The number of an interrupt line that has risen, which is masked and
    /// acknowledged by this; 0 if none has.
    fn claim() -> u32;
    /// Lets an interrupt line come.
    fn unmask(line: u32);
    /// Masks an interrupt line.
    fn mask(line: u32);
    /// Bytes of physical memory from `address` of a process on, at most `length`,
    /// that it may read, or write, and that lie in one piece; and where. 0 bytes:
    /// it may not. Walks page tables or regions.
    fn reach(process: Ref<Process>, address: usize, length: usize, write: bool) -> (usize, usize);
    /// Copies bytes between physical places that were checked; at most 256.
    fn copy(from: usize, to: usize, length: usize);
    /// Zeroes bytes at a physical place that was checked; at most 256.
    fn zero(at: usize, length: usize);
    /// A word at a physical place that was checked.
    fn load(at: usize) -> u32;
    /// Stores a word at a physical place that was checked.
    fn store(at: usize, value: u32);
    /// A device register of 1, 2 or 4 bytes.
    fn input(at: usize, width: u32) -> u32;
    /// Stores to a device register of 1, 2 or 4 bytes.
    fn output(at: usize, width: u32, value: u32);
    /// Opens a region of shared memory to a process, or closes it: for good, and at
    /// once if the hart has loaded the process's space. `grant`: what the builder wrote
    /// of the region in the process; `access`: bits of [`region`](crate::process::region), 0 to
    /// close.
    fn open_region(process: Ref<Process>, region: Ref<Region>, grant: u32, access: u32);
    /// The caller, whose context says the same, goes on at `pc` and not behind its call.
    fn return_at(pc: usize);
    /// The thread that was interrupted, whose context says the same, goes on at `pc`.
    fn resume_at(pc: usize);
    /// What the board's real-time clock shows, in ns since 1970; 0: it has none.
    fn real_time() -> u64 {
        0
    }
    /// Whether another hart waits for the lock of the kernel.
    #[inline(always)]
    fn is_awaited() -> bool {
        false
    }
    /// Interrupts a hart.
    #[cfg(feature = "harts")]
    fn kick(hart: u32);
    /// The timer of a hart rings at an instant: who runs there has used its time up.
    #[cfg(feature = "harts")]
    fn hart_alarm(hart: u32, at: u32, now: u32);
    /// The machine stops, with a status.
    fn stop(status: usize) -> !;
}

/// [`Machine::high`] out of line: where cycles do not count.
#[inline(never)]
pub(crate) fn high_word<M: Machine>(now: u32) -> u32 {
    M::high(now)
}

/// [`Machine::pending`] out of line: between the pieces of work that is long anyway. Of several
/// harts, whether another waits for the lock too.
#[inline(never)]
pub(crate) fn waits<M: Machine>() -> bool {
    M::pending() || M::is_awaited()
}
