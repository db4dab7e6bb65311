//! A VirtIO console as a [`Line`]: transfers bytes between a machine in QEMU and
//! the host over the legacy MMIO interface ("Virtual I/O Device (VIRTIO) Version
//! 1.1", OASIS 2019: 4.2.4 for the registers, 2.6 for the queues, 5.3 for the
//! console).
//!
//! ```text
//!   descriptors   available ring      used ring
//!    0 piece 0      ids to the  --->   ids from the     one queue each to
//!    1 piece 1      device             device           receive and transmit
//! ```
//!
//! Descriptor n of a queue always describes piece n; only the ids are passed back
//! and forth. Nothing is allocated: the queues and pieces are one [`Shared`], in
//! memory of the process that the device can access. The caller supplies its
//! physical address. Because the device accesses memory directly, such a process is
//! outside the protection promise (`trusted-dma`).
//!
//! The Device Invariant: everything that the device writes (indices, ids, lengths)
//! is brought into range before it is used.

#![no_std]

#[cfg(test)]
extern crate std;

mod queue;
mod registers;

#[cfg(test)]
mod tests;

use core::fmt::{Display, Formatter};

use giornata_hostlink::Line;
use giornata_rt::device;

pub use queue::Shared;
pub use registers::BYTES;

use queue::{DEPTH, PIECE, Queue};
use registers::{Registers, status};

/// The value of the first register.
const MAGIC: u32 = 0x7472_6976;
/// The device id of a console.
const CONSOLE: u32 = 3;
/// Queues of a console with one port.
const RECEIVE: u32 = 0;
const TRANSMIT: u32 = 1;

/// Why the console cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unusable {
    /// There is no VirtIO device at this address.
    Absent,
    /// The device's registers have this version instead of the legacy one.
    Version(u32),
    /// The device has this id, so it is no console; 0 = no device is plugged in.
    Device(u32),
    /// The device's queues are too short.
    Queue,
    /// The shared memory is not page-aligned, or its address is too high for the device.
    Memory,
}

impl Display for Unusable {
    fn fmt(&self, f: &mut Formatter<'_>) -> core::fmt::Result {
        match self {
            Unusable::Absent => f.write_str("no VirtIO device lies there; check the board's file"),
            Unusable::Version(version) => write!(
                f,
                "the device has registers of version {version}; start QEMU without force-legacy=false"
            ),
            Unusable::Device(id) => write!(
                f,
                "device {id} is no console; start QEMU with -device virtio-serial-device"
            ),
            Unusable::Queue => f.write_str("the console's queues are too short; use another QEMU"),
            Unusable::Memory => {
                f.write_str("the memory for the queues must lie on a page below 16 TiB")
            }
        }
    }
}

impl core::error::Error for Unusable {}

/// The console.
pub struct Console {
    registers: Registers,
    receive: Queue,
    transmit: Queue,
    /// The piece that is being read: its id, the next byte and the end.
    reading: Option<(u16, usize, usize)>,
    /// Pieces of the transmit queue that the driver owns, one bit each.
    free: u32,
}

impl Console {
    /// Starts the console that has these registers. `physical` is the address of
    /// `shared` as the device sees it.
    ///
    /// # Errors
    /// The registers or the memory are not usable for a console: see [`Unusable`].
    ///
    /// # Safety
    /// `shared` stays valid forever and nothing else uses it; the device accesses it
    /// at `physical`.
    pub unsafe fn new(
        registers: device::Registers<BYTES>,
        shared: *mut Shared,
        physical: usize,
    ) -> Result<Console, Unusable> {
        let registers = Registers(registers);
        check(&registers)?;
        registers.set_status(0);
        registers.set_status(status::KNOWN);
        registers.set_status(status::KNOWN | status::DRIVER);
        // One port, no sizes, no emergency: no feature is asked for.
        registers.refuse_features();
        // SAFETY: by contract.
        let queues = unsafe { queue::split(shared, physical) };
        let (receive, transmit) = queues.ok_or(Unusable::Memory)?;
        for (index, queue) in [(RECEIVE, &receive), (TRANSMIT, &transmit)] {
            let page = queue.page().ok_or(Unusable::Memory)?;
            if !registers.place_queue(index, DEPTH as u32, page) {
                return Err(Unusable::Queue);
            }
        }
        registers.set_status(status::KNOWN | status::DRIVER | status::READY);
        let mut console = Console {
            registers,
            receive,
            transmit,
            reading: None,
            free: (1 << DEPTH) - 1,
        };
        for id in 0..DEPTH as u16 {
            console.receive.offer(id, PIECE, true);
        }
        console.registers.notify(RECEIVE);
        Ok(console)
    }

    /// Acknowledges the device's pending interrupts, if there are any.
    pub fn acknowledge(&mut self) {
        self.registers.acknowledge();
    }

    /// The next received piece: its id, the first byte to read and the end.
    fn next_piece(&mut self) -> Option<(u16, usize, usize)> {
        let (id, length) = self.receive.take()?;
        Some((id, 0, length.min(PIECE)))
    }
}

fn check(registers: &Registers) -> Result<(), Unusable> {
    if registers.magic() != MAGIC {
        return Err(Unusable::Absent);
    }
    match (registers.version(), registers.device()) {
        (_, 0) => Err(Unusable::Device(0)),
        (1, CONSOLE) => Ok(()),
        (1, other) => Err(Unusable::Device(other)),
        (version, _) => Err(Unusable::Version(version)),
    }
}

impl Line for Console {
    fn read(&mut self, into: &mut [u8]) -> usize {
        let mut count = 0;
        while count < into.len() {
            let Some((id, at, end)) = self.reading.take().or_else(|| self.next_piece()) else {
                break;
            };
            let wanted = (end - at).min(into.len() - count);
            let target = into.get_mut(count..count + wanted).unwrap_or(&mut []);
            self.receive.copy_out(id, at, target);
            count += wanted;
            if at + wanted < end {
                self.reading = Some((id, at + wanted, end));
            } else {
                self.receive.offer(id, PIECE, true);
                self.registers.notify(RECEIVE);
            }
        }
        count
    }

    fn write(&mut self, bytes: &[u8]) -> usize {
        while let Some((id, _)) = self.transmit.take() {
            self.free |= 1 << id;
        }
        let mut count = 0;
        while count < bytes.len() && self.free != 0 {
            let id = self.free.trailing_zeros() as u16;
            let rest = bytes.get(count..).unwrap_or(&[]);
            let piece = rest.get(..PIECE).unwrap_or(rest);
            self.transmit.copy_in(id, piece);
            self.transmit.offer(id, piece.len(), false);
            self.free &= !(1 << id);
            count += piece.len();
        }
        if count > 0 {
            self.registers.notify(TRANSMIT);
        }
        count
    }
}
