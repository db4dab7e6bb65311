//! Interrupt lines of several VexRiscv harts: two registers of each, a mask and what is pending
//! under it. Line n is bit n - 1. Hart 0 takes them all; which are to come is a word of its record,
//! because no other hart reaches its mask: that is written when it looks.

use core::cell::Cell;

use super::boot::{own, system};
use super::csr::{read, write};
use super::harts;

/// All masked.
pub(super) fn prepare() {
    // SAFETY: a mask only decides what comes.
    unsafe { write!("0xBC0", 0) };
}

/// The lowest line that has risen, which is masked by this; 0: none has. Of hart 0.
#[inline(always)]
pub(super) fn claim() -> u32 {
    if system().hart().member.number != 0 {
        return 0;
    }
    let Some(wanted) = wanted() else {
        return 0;
    };
    let pending = read!("0xFC0") & wanted.get();
    let line = pending & pending.wrapping_neg();
    wanted.set(wanted.get() & !line);
    write_mask(wanted.get());
    match line {
        0 => 0,
        _ => line.trailing_zeros().wrapping_add(1),
    }
}

/// Lets a line come.
pub(super) fn unmask(line: u32) {
    if let Some(wanted) = wanted() {
        want(wanted, wanted.get() | bit(line));
    }
}

/// Masks a line.
pub(super) fn mask(line: u32) {
    if let Some(wanted) = wanted() {
        want(wanted, wanted.get() & !bit(line));
    }
}

/// Hart 0 has been interrupted: its mask may be to change.
pub(super) fn renew() {
    if let Some(wanted) = wanted() {
        write_mask(wanted.get());
    }
}

fn want(wanted: &Cell<usize>, lines: usize) {
    wanted.set(lines);
    match system().hart().member.number {
        0 => write_mask(lines),
        _ => harts::kick(0),
    }
}

fn write_mask(lines: usize) {
    // SAFETY: a mask only decides what comes.
    unsafe { write!("0xBC0", lines) };
}

/// Lines that may come.
#[inline(always)]
fn wanted() -> Option<&'static Cell<usize>> {
    let first = system().harts.all.first()?.get()?;
    first.own.get(own::LINES)
}

/// The bit of a line that exists: the builder names no others.
#[inline(always)]
fn bit(line: u32) -> usize {
    1usize.wrapping_shl(line.wrapping_sub(1))
}
