//! A driver process of a 16550's transmitter, which interrupts when it is told
//! to, since it is always empty.

use bench_marks::{BEFORE, HANDLED, mark};
use giornata_rt::device::Device;
use giornata_rt::{interrupt, thread};

use crate::calls::{ROUNDS, end};

/// Its line.
const LINE: u16 = 10;
const INTERRUPT_ENABLE: usize = 1;
const INTERRUPT_CAUSE: usize = 2;
/// The transmitter is empty.
const EMPTY: u8 = 0x02;

/// The registers of the first device that the system file grants.
#[derive(Clone, Copy)]
struct Uart(*mut u8);

impl Uart {
    fn granted() -> Option<Uart> {
        let address = Device::granted(0)?.address();
        Some(Uart(core::ptr::with_exposed_provenance_mut(address)))
    }

    /// Interrupts when the transmitter is empty, or not at all.
    fn enable(self, interrupts: u8) {
        let register = self.0.wrapping_add(INTERRUPT_ENABLE);
        // SAFETY: the register is the process's own, by its grant.
        unsafe { register.write_volatile(interrupts) }
    }

    /// Takes the line down, by reading why it was up.
    fn lower(self) {
        self.enable(0);
        let register = self.0.wrapping_add(INTERRUPT_CAUSE);
        // SAFETY: as above.
        let _ = unsafe { register.read_volatile() };
    }
}

/// Awaits an interrupt after the other.
#[thread]
pub(crate) fn handle_uart() {
    let Some(uart) = Uart::granted() else { return };
    for _ in 0..ROUNDS {
        if interrupt::wait(LINE).is_err() {
            return;
        }
        mark::<HANDLED>();
        uart.lower();
    }
    end();
}

/// Asks for an interrupt whenever nobody handles one.
#[thread]
pub(crate) fn ask_uart() {
    let Some(uart) = Uart::granted() else { return };
    loop {
        mark::<BEFORE>();
        uart.enable(EMPTY);
    }
}
