//! A polled driver for a 16550 UART. It uses two one-byte registers: data at
//! offset 0 and line status at offset 5 (National Semiconductor, "PC16550D",
//! 1995: 8.1, 8.5).
//!
//! The driver accesses no other register. Speed, format and FIFO mode stay as the
//! boot software has set them: QEMU needs no such setup, and the UART of the chip
//! in `hw/soc`, which implements these two registers as a 16550 does, has none. A real
//! 16550 whose FIFO is not enabled therefore holds one received byte, and loses bytes
//! that arrive before it is read; with both simulated UARTs the host waits.

#![no_std]

use giornata_rt::Error;
use giornata_rt::device::{Device, Register, Registers};

/// Receiver buffer when read, transmitter holding register when written.
const DATA: Register<u8, 8> = Register::at(0);
/// Line status register.
const STATUS: Register<u8, 8> = Register::at(5);
/// Line status: a byte has been received.
const READY: u8 = 1 << 0;
/// Line status: the transmitter can accept a byte.
const EMPTY: u8 = 1 << 5;

/// The serial line.
#[derive(Debug)]
pub struct Uart(Registers<8>);

impl Uart {
    /// The UART with these registers, which nothing else may use.
    pub const fn new(registers: Registers<8>) -> Uart {
        Uart(registers)
    }

    /// The UART `device`, which the process is granted. Errors as in [`Device::registers`].
    pub fn open(device: Device) -> Result<Uart, Error> {
        device.registers().map(Uart)
    }

    /// Copies received bytes to the front of `into` and returns their number.
    /// Never blocks.
    pub fn read(&mut self, into: &mut [u8]) -> usize {
        let mut count = 0;
        for place in into {
            if self.status() & READY == 0 {
                break;
            }
            *place = self.0.read(DATA);
            count += 1;
        }
        count
    }

    /// Sends bytes from the front of `bytes` for as long as the transmitter accepts
    /// them, and returns their number. Never blocks.
    pub fn write(&mut self, bytes: &[u8]) -> usize {
        let mut count = 0;
        for byte in bytes {
            if self.status() & EMPTY == 0 {
                break;
            }
            self.0.write(DATA, *byte);
            count += 1;
        }
        count
    }

    /// Sends all of `bytes`; busy-waits while the transmitter is full.
    pub fn send(&mut self, bytes: &[u8]) {
        let mut rest = bytes;
        while !rest.is_empty() {
            let count = self.write(rest);
            rest = rest.get(count..).unwrap_or(&[]);
            if count == 0 {
                core::hint::spin_loop();
            }
        }
    }

    fn status(&self) -> u8 {
        self.0.read(STATUS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Calls `act` with a UART in memory whose registers have these values; returns
    /// the data register afterwards.
    fn with(status: u8, data: u8, act: impl FnOnce(&mut Uart)) -> u8 {
        let mut memory = [0x5555_5555u32; 2];
        // SAFETY: eight bytes that are reached by this only, and outlive the use.
        let registers: Registers<8> = unsafe { Registers::new(memory.as_mut_ptr().cast()) };
        registers.write(STATUS, status);
        registers.write(DATA, data);
        act(&mut Uart::new(registers));
        for offset in [1, 2, 3, 4, 6, 7] {
            let other = registers.read(Register::<u8, 8>::at(offset));
            assert_eq!(other, 0x55, "{offset}");
        }
        registers.read(DATA)
    }

    #[test]
    fn bytes_go_to_the_holding_register() {
        assert_eq!(with(EMPTY, 0, |uart| uart.send(b"xyz")), b'z');
        assert_eq!(
            with(EMPTY, 0, |uart| assert_eq!(uart.write(b"xy"), 2)),
            b'y'
        );
    }

    #[test]
    fn a_busy_transmitter_takes_nothing() {
        let left = with(READY, 7, |uart| assert_eq!(uart.write(b"xyz"), 0));
        assert_eq!(left, 7);
    }

    #[test]
    fn what_has_come_is_read() {
        with(READY, b'q', |uart| {
            let mut bytes = [0; 3];
            assert_eq!((uart.read(&mut bytes), &bytes), (3, b"qqq"));
            assert_eq!(uart.read(&mut []), 0);
        });
    }

    #[test]
    fn a_silent_line_is_not_read() {
        with(EMPTY, b'q', |uart| {
            let mut bytes = [0; 3];
            assert_eq!((uart.read(&mut bytes), bytes), (0, [0; 3]));
        });
    }
}
