//! The transmitter of a 16550, by interrupt.

use giornata_rt::Error;
use giornata_rt::device::{Device, Register, Registers};

const HOLDING: Register<u8, 8> = Register::at(0);
const INTERRUPT_ENABLE: Register<u8, 8> = Register::at(1);
const INTERRUPT_CAUSE: Register<u8, 8> = Register::at(2);
/// The transmitter is empty.
const EMPTY: u8 = 0x02;

/// The transmitter.
pub(crate) struct Transmitter(Registers<8>);

impl Transmitter {
    /// That of the UART which the manifest grants as the first device.
    pub(crate) fn granted() -> Result<Transmitter, Error> {
        let device = Device::granted(0).ok_or(Error::EPERM)?;
        device.registers().map(Transmitter)
    }

    /// Interrupts whenever the transmitter is empty.
    pub(crate) fn enable(&mut self) {
        self.0.write(INTERRUPT_ENABLE, EMPTY);
    }

    /// No interrupts.
    pub(crate) fn disable(&mut self) {
        self.0.write(INTERRUPT_ENABLE, 0);
    }

    /// Why it interrupted; reading it takes the line down.
    pub(crate) fn cause(&mut self) -> u8 {
        self.0.read(INTERRUPT_CAUSE) & 0x0F
    }

    /// Sends a byte, and so asks for the next interrupt.
    pub(crate) fn send(&mut self, byte: u8) {
        self.0.write(HOLDING, byte);
    }
}
