//! The transmitter of a 16550, by interrupt.

const HOLDING: usize = 0;
const INTERRUPT_ENABLE: usize = 1;
const INTERRUPT_CAUSE: usize = 2;
/// The transmitter is empty.
const EMPTY: u8 = 0x02;

/// The transmitter.
pub(crate) struct Transmitter {
    base: *mut u8,
}

impl Transmitter {
    /// The transmitter of the UART whose registers lie at `base`.
    ///
    /// # Safety
    /// They do, and nobody else uses them.
    pub(crate) unsafe fn new(base: usize) -> Transmitter {
        Transmitter {
            base: core::ptr::with_exposed_provenance_mut(base),
        }
    }

    fn write(&mut self, register: usize, value: u8) {
        // SAFETY: by the contract of `new`.
        unsafe { self.base.wrapping_add(register).write_volatile(value) }
    }

    /// Interrupts whenever the transmitter is empty.
    pub(crate) fn enable(&mut self) {
        self.write(INTERRUPT_ENABLE, EMPTY);
    }

    /// No interrupts.
    pub(crate) fn disable(&mut self) {
        self.write(INTERRUPT_ENABLE, 0);
    }

    /// Why it interrupted; reading it takes the line down.
    pub(crate) fn cause(&mut self) -> u8 {
        // SAFETY: by the contract of `new`.
        unsafe { self.base.wrapping_add(INTERRUPT_CAUSE).read_volatile() & 0x0F }
    }

    /// Sends a byte, and so asks for the next interrupt.
    pub(crate) fn send(&mut self, byte: u8) {
        self.write(HOLDING, byte);
    }
}
