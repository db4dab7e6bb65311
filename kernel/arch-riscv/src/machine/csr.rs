//! Control and status registers, by name.

/// Reads a register.
macro_rules! read {
    ($csr:literal) => {{
        let value: usize;
        // SAFETY: machine mode may read this register, without side effects.
        unsafe { core::arch::asm!(concat!("csrr {}, ", $csr), out(reg) value, options(nomem, nostack)) };
        value
    }};
}

/// Writes a register. Takes an `unsafe` block: what that means depends on the register.
macro_rules! write {
    ($csr:literal, $value:expr) => {
        core::arch::asm!(concat!("csrw ", $csr, ", {}"), in(reg) $value, options(nostack))
    };
}

pub(super) use {read, write};

/// Interrupts that wake the hart: timer and external.
pub(super) const TIMER: usize = 1 << 7;
/// See [`TIMER`].
pub(super) const EXTERNAL: usize = 1 << 11;

/// `mstatus`: the state of floating point.
pub(super) const FS: usize = 3 << 13;
/// `mstatus`: interrupts in machine mode.
pub(super) const MIE: usize = 1 << 3;
/// `mstatus`: the mode that `mret` enters; 0 is user mode.
pub(super) const MPP: usize = 3 << 11;
/// `mstatus`: loads and stores with the rights of that mode.
pub(super) const MPRV: usize = 1 << 17;
/// `mstatus`: `wfi` in user mode traps.
pub(super) const TW: usize = 1 << 21;

/// The enabled interrupts that are pending.
pub(super) fn pending() -> usize {
    read!("mip") & (TIMER | EXTERNAL)
}

/// Waits until an enabled interrupt is pending, which does not trap: the
/// kernel runs with interrupts off.
pub(super) fn wait() {
    // SAFETY: waiting changes nothing but time.
    unsafe { core::arch::asm!("wfi", options(nomem, nostack)) };
}

/// For ever.
pub(super) fn halt() -> ! {
    loop {
        wait();
    }
}

/// Counts cycles, modulo the width of a register.
#[cfg(feature = "mcycle")]
pub(super) fn cycles() -> usize {
    read!("mcycle")
}

/// Counts cycles, as the timer does on a hart that does not count them itself.
#[cfg(not(feature = "mcycle"))]
pub(super) fn cycles() -> usize {
    unsafe extern "C" {
        static giornata_clint_time: u32;
    }
    // SAFETY: the image defines the symbol as the timer's count (Device Invariant).
    unsafe { (&raw const giornata_clint_time).read_volatile() as usize }
}

/// Machine mode decides which counters user mode sees; else it sees all there are.
pub(super) const HAS_COUNTEREN: bool = cfg!(feature = "counteren");
/// User mode may read `cycle` and `instret`, not `time`: the clock is a system call.
pub(super) const COUNTERS: usize = 0b101;

/// Shows user mode the counters.
pub(super) fn show_counters() {
    // SAFETY: reading counters changes nothing.
    unsafe { write!("mcounteren", COUNTERS) };
}
