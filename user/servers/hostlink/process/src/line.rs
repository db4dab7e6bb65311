//! Whichever line the first device of the process is. What kind that is the
//! board's file says, and the builder with it; nothing is probed.

use core::cell::UnsafeCell;

use giornata_hostlink::Line;
use giornata_ns16550::Uart;
use giornata_rt::{call, machine, thread};
use giornata_virtio_console::{Console, Shared};

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
    /// The first device of the process.
    ///
    /// # Panics
    /// There is none, or it is no line: the process faults, and says so.
    pub(crate) fn open() -> AnyLine {
        let (Some(registers), Ok(own)) = (machine::device(0), thread::own()) else {
            panic!("grant it a VirtIO console or a UART as its first device");
        };
        match kind_of(FIRST_DEVICES, own.index()) {
            Some((_, "ns16550")) => {
                let registers = core::ptr::with_exposed_provenance_mut(registers);
                // SAFETY: the builder granted the UART to this process alone, and
                // its registers lie there.
                AnyLine::Uart(unsafe { Uart::new(registers) })
            }
            Some((_, "virtio")) => AnyLine::Console(console(registers)),
            Some((device, kind)) => {
                panic!("{device}, of kind {kind}, is no line: grant another device first")
            }
            None => panic!("its first device has no `kind` in the board's file"),
        }
    }

    /// Takes back the interrupt that the device has raised, if it has.
    pub(crate) fn acknowledge(&mut self) {
        match self {
            AnyLine::Console(console) => console.acknowledge(),
            // Its interrupts are never switched on.
            AnyLine::Uart(_) => {}
        }
    }
}

/// Name and kind of the first device of a thread's process.
fn kind_of<'a>(table: &[(u16, &'a str, &'a str)], thread: u16) -> Option<(&'a str, &'a str)> {
    let found = table.iter().find(|(index, ..)| *index == thread);
    found.map(|(_, device, kind)| (*device, *kind))
}

fn console(registers: usize) -> Console {
    let shared = SHARED.0.get();
    let Ok(physical) = call::device_address(shared) else {
        panic!("grant it trusted-dma");
    };
    let registers = core::ptr::with_exposed_provenance_mut(registers);
    // SAFETY: the builder granted the device, whose registers lie there; the
    // memory is this thread's, and the kernel says where it lies.
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
        let mut registers = [0u8; 8];
        registers[5] = 0x61;
        // SAFETY: eight bytes of memory that outlive the use.
        let mut line = AnyLine::Uart(unsafe { Uart::new(registers.as_mut_ptr()) });
        assert_eq!(line.write(b"ab"), 2);
        line.acknowledge();
        let mut bytes = [0; 2];
        assert_eq!((line.read(&mut bytes), &bytes), (2, b"bb"));
    }
}
