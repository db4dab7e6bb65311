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
/// See [`TIMER`]: that of another hart, if there are several.
pub(super) const KICK: usize = (cfg!(feature = "harts") as usize) << 3;

/// `mstatus`: the state of floating point.
pub(super) const FS: usize = 3 << 13;
/// `mstatus`: interrupts in machine mode.
pub(super) const MIE: usize = 1 << 3;
/// `mstatus`: interrupts in the mode that `mret` enters.
pub(super) const MPIE: usize = 1 << 7;
/// `mstatus`: the mode that `mret` enters; 0 is user mode.
pub(super) const MPP: usize = 3 << 11;
/// `mstatus`: loads and stores with the rights of that mode.
pub(super) const MPRV: usize = 1 << 17;
/// `mstatus`: `wfi` in user mode traps.
pub(super) const TW: usize = 1 << 21;

/// Shows user mode the counters: `cycle` and `instret`, not `time`, because the clock is a
/// system call. A hart that cannot choose shows all there are.
pub(super) fn show_counters() {
    if cfg!(feature = "counteren") {
        // SAFETY: reading counters changes nothing.
        unsafe { write!("mcounteren", 0b101) };
    }
}
