//! A serial line by two registers of a 16550, one byte each, by polling: data
//! at 0, line status at 5 (National Semiconductor, "PC16550D", 1995: 8.1, 8.5).
//!
//! Nothing else is touched. Speed, format and queues stay as whoever started
//! the machine has set them: QEMU needs none of it, and the chip of `hw/soc`,
//! which answers these two registers as a 16550 does, has none of it. So a real
//! 16550 whose queue has not been switched on holds one byte, and loses what
//! comes before that is read; on both simulated ones the host waits.

#![no_std]

/// Receiver buffer where it is read, transmitter holding register where it is
/// written; offset in bytes.
const DATA: usize = 0;
/// Line status register.
const STATUS: usize = 5;
/// Line status: a byte has come.
const READY: u8 = 1 << 0;
/// Line status: the transmitter takes a byte.
const EMPTY: u8 = 1 << 5;

/// The serial line.
#[derive(Debug)]
pub struct Uart(*mut u8);

impl Uart {
    /// The UART whose registers begin at `base`.
    ///
    /// # Safety
    /// The registers of a 16550 (or memory) lie there for good, and nobody else
    /// uses them.
    pub unsafe fn new(base: *mut u8) -> Uart {
        Uart(base)
    }

    /// Takes bytes that have come to the front of `into`; answers how many.
    /// Never waits.
    pub fn read(&mut self, into: &mut [u8]) -> usize {
        let mut count = 0;
        for place in into {
            if self.status() & READY == 0 {
                break;
            }
            // SAFETY: by the contract of `new`.
            *place = unsafe { self.0.wrapping_add(DATA).read_volatile() };
            count += 1;
        }
        count
    }

    /// Sends bytes from the front of `bytes` while the transmitter takes them;
    /// answers how many. Never waits.
    pub fn write(&mut self, bytes: &[u8]) -> usize {
        let mut count = 0;
        for byte in bytes {
            if self.status() & EMPTY == 0 {
                break;
            }
            // SAFETY: by the contract of `new`.
            unsafe { self.0.wrapping_add(DATA).write_volatile(*byte) };
            count += 1;
        }
        count
    }

    /// Sends all of `bytes`; spins while the transmitter is busy.
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
        // SAFETY: by the contract of `new`.
        unsafe { self.0.wrapping_add(STATUS).read_volatile() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Calls `act` with a UART in memory that has these two registers; answers
    /// what is in the data register then.
    fn with(status: u8, data: u8, act: impl FnOnce(&mut Uart)) -> u8 {
        let mut registers = [0x55u8; 8];
        registers[STATUS] = status;
        registers[DATA] = data;
        // SAFETY: eight bytes of memory that outlive the use.
        act(&mut unsafe { Uart::new(registers.as_mut_ptr()) });
        for (offset, byte) in registers.iter().enumerate() {
            assert!(
                *byte == 0x55 || [DATA, STATUS].contains(&offset),
                "{offset}"
            );
        }
        registers[DATA]
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
