//! The 16550 at which the kernel says its last words, by polling.
//!
//! Its line settings are left as they are: whoever used the line before has
//! set them, and QEMU needs none.

use giornata_arch_riscv::Device;

const TRANSMIT: usize = 0;
const STATUS: usize = 5;
const EMPTY: u8 = 1 << 5;

/// The console.
#[derive(Clone, Copy)]
pub(crate) struct Console(Device);

impl Console {
    /// The console whose registers begin at `base`.
    ///
    /// # Safety
    /// A 16550 with registers of one byte lies there (Device Invariant).
    pub(crate) const unsafe fn at(base: usize) -> Console {
        // SAFETY: the caller vouches for it.
        Console(unsafe { Device::at(base) })
    }

    /// Sends a byte once there is room for it.
    pub(crate) fn put(self, byte: u8) {
        while self.0.load::<u8>(STATUS) & EMPTY == 0 {}
        self.0.store(TRANSMIT, byte);
    }

    /// Sends text.
    pub(crate) fn say(self, text: &str) {
        text.bytes().for_each(|byte| self.put(byte));
    }

    /// Sends a number in decimal.
    pub(crate) fn number(self, number: usize) {
        if number > 9 {
            self.number(number / 10);
        }
        self.put(b'0' + (number % 10) as u8);
    }
}
