//! A 16550 UART, transmit only, by polling.

/// Transmitter holding register, offset in bytes.
const HOLDING: usize = 0;
/// Line status register.
const STATUS: usize = 5;
/// Line status: the transmitter takes a byte.
const EMPTY: u8 = 0x20;

/// The transmitter of a 16550.
pub(crate) struct Uart(*mut u8);

impl Uart {
    /// The UART whose registers begin at `base`, one byte each.
    ///
    /// # Safety
    /// The registers of a 16550 (or memory) lie there for good.
    pub(crate) unsafe fn new(base: *mut u8) -> Uart {
        Uart(base)
    }

    /// Sends `bytes`; spins while the transmitter is busy.
    pub(crate) fn send(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            while self.status() & EMPTY == 0 {
                core::hint::spin_loop();
            }
            // SAFETY: by the contract of `new`.
            unsafe { self.0.wrapping_add(HOLDING).write_volatile(byte) }
        }
    }

    fn status(&self) -> u8 {
        // SAFETY: by the contract of `new`.
        unsafe { self.0.wrapping_add(STATUS).read_volatile() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_go_to_the_holding_register() {
        let mut registers = [0u8; 8];
        registers[STATUS] = EMPTY;
        // SAFETY: eight bytes of memory that outlive the use.
        let mut uart = unsafe { Uart::new(registers.as_mut_ptr()) };
        uart.send(b"xyz");
        assert_eq!(registers[HOLDING], b'z');
    }
}
