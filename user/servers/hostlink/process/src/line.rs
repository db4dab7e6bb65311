//! The line: the first device of the process. Its kind is taken from the board file
//! when the system is built; nothing is probed.

use core::cell::UnsafeCell;

use giornata_hostlink::Line;
use giornata_ns16550::Uart;
use giornata_rt::device::{self, Device, Registers};
use giornata_rt::{Error, thread};
use giornata_virtio_console::{BYTES, Console, Shared};

use crate::Once;
use crate::identifiers::FIRST_DEVICES;

static SHARED: Once<Shared> = Once(UnsafeCell::new(Shared::new()));

/// The line.
pub(crate) enum AnyLine {
    /// A VirtIO console.
    Console(Console),
    /// A 16550.
    Uart(Uart),
}

impl AnyLine {
    /// Opens the first device of the process.
    ///
    /// # Panics
    /// Panics if there is none or it is not usable as a line; the message is reported.
    pub(crate) fn open() -> AnyLine {
        let (Some(device), Ok(own)) = (Device::granted(0), thread::own()) else {
            panic!("grant it a VirtIO console or a UART as its first device");
        };
        match kind_of(FIRST_DEVICES, own.index()) {
            Some((name, "ns16550")) => AnyLine::Uart(opened(name, Uart::open(device))),
            Some((name, "virtio")) => AnyLine::Console(console(opened(name, device.registers()))),
            Some((name, kind)) => {
                panic!("{name}, of kind {kind}, is no line: grant another device first")
            }
            None => panic!("its first device has no `kind` in the board's file"),
        }
    }

    /// Acknowledges the device's pending interrupts, if there are any.
    pub(crate) fn acknowledge(&mut self) {
        match self {
            AnyLine::Console(console) => console.acknowledge(),
            // Its interrupts are never switched on.
            AnyLine::Uart(_) => {}
        }
    }
}

/// Name and kind of the first device of the process of a thread.
fn kind_of<'a>(table: &[(u16, &'a str, &'a str)], thread: u16) -> Option<(&'a str, &'a str)> {
    let found = table.iter().find(|(index, ..)| *index == thread);
    found.map(|(_, device, kind)| (*device, *kind))
}

fn opened<T>(name: &str, device: Result<T, Error>) -> T {
    match device {
        Ok(device) => device,
        Err(_) => panic!("{name} has too few registers: correct its size in the board's file"),
    }
}

fn console(registers: Registers<BYTES>) -> Console {
    let shared = SHARED.0.get();
    let Ok(physical) = device::physical(shared) else {
        panic!("grant it trusted-dma");
    };
    // SAFETY: the memory is this thread's, and the kernel says where it lies.
    match unsafe { Console::new(registers, shared, physical) } {
        Ok(console) => console,
        Err(why) => panic!("{why}"),
    }
}

impl Line for AnyLine {
    fn read(&mut self, into: &mut [u8]) -> usize {
        match self {
            AnyLine::Console(console) => console.read(into),
            AnyLine::Uart(uart) => uart.read(into),
        }
    }

    fn write(&mut self, bytes: &[u8]) -> usize {
        match self {
            AnyLine::Console(console) => console.write(bytes),
            AnyLine::Uart(uart) => uart.write(bytes),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_finds_its_own_first_device() {
        let table = [(2, "virtio0", "virtio"), (7, "uart0", "ns16550")];
        assert_eq!(kind_of(&table, 7), Some(("uart0", "ns16550")));
        assert_eq!(kind_of(&table, 2), Some(("virtio0", "virtio")));
        assert_eq!(kind_of(&table, 3), None);
    }

    #[test]
    fn a_uart_is_a_line_of_bytes() {
        let mut memory = [0, 0x61 << 8];
        let first: *mut u32 = memory.as_mut_ptr();
        // SAFETY: eight bytes that are reached by this only, and outlive the use.
        let registers = unsafe { Registers::new(first.cast()) };
        let mut line = AnyLine::Uart(Uart::new(registers));
        assert_eq!(line.write(b"ab"), 2);
        line.acknowledge();
        let mut bytes = [0; 2];
        assert_eq!((line.read(&mut bytes), &bytes), (2, b"bb"));
    }
}
