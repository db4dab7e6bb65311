//! Interrupt lines of a VexRiscv: two registers of the core, a mask and what is
//! pending under it. Line n is bit n - 1.

use super::csr::read;

/// All masked.
pub(super) fn prepare() {
    // SAFETY: a mask only decides what comes.
    unsafe { super::csr::write!("0xBC0", 0) };
}

/// The lowest line that has risen, which is masked by this; 0: none has.
#[inline(always)]
pub(super) fn claim() -> u32 {
    let pending = read!("0xFC0");
    if pending == 0 {
        return 0;
    }
    let line = pending.trailing_zeros();
    mask_bits(pending & pending.wrapping_neg());
    line.wrapping_add(1)
}

/// Lets a line come.
#[inline(always)]
pub(super) fn unmask(line: u32) {
    // SAFETY: a mask only decides what comes.
    unsafe { core::arch::asm!("csrs 0xBC0, {}", in(reg) bit(line), options(nomem, nostack)) };
}

/// Masks a line.
#[inline(always)]
pub(super) fn mask(line: u32) {
    mask_bits(bit(line));
}

#[inline(always)]
fn mask_bits(bits: usize) {
    // SAFETY: a mask only decides what comes.
    unsafe { core::arch::asm!("csrc 0xBC0, {}", in(reg) bits, options(nomem, nostack)) };
}

/// The bit of a line that exists: the builder names no others.
#[inline(always)]
fn bit(line: u32) -> usize {
    1usize.wrapping_shl(line.wrapping_sub(1))
}
