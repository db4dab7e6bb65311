//! The 16550 at which the kernel says its last words, by polling.
//!
//! Its line settings are left as they are: whoever used the line before has
//! set them, and QEMU needs none.

use giornata_arch_riscv::board::CONSOLE;
use giornata_arch_riscv::device::Device;

const TRANSMIT: usize = 0;
const STATUS: usize = 5;
const EMPTY: u8 = 1 << 5;

// SAFETY: the board says that a 16550 with registers of one byte lies there (Device Invariant).
const LINE: Device = unsafe { Device::at(CONSOLE) };

/// Sends a byte once there is room for it.
#[inline(never)]
pub(crate) fn put(byte: u8) {
    while LINE.load::<u8>(STATUS) & EMPTY == 0 {}
    LINE.store(TRANSMIT, byte);
}

/// Sends text.
pub(crate) fn say(text: &str) {
    text.bytes().for_each(put);
}

/// Sends a number in hexadecimal, all its digits, behind a space.
#[inline(never)]
pub(crate) fn number(mut number: usize) {
    put(b' ');
    for _ in 0..usize::BITS / 4 {
        let digit = (number >> (usize::BITS - 4)) as u8;
        put(if digit < 10 { b'0' } else { b'a' - 10 }.wrapping_add(digit));
        number <<= 4;
    }
}
