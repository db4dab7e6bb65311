//! The registers of a device with the legacy MMIO interface.

use giornata_rt::device::{self, Register};

/// Bits of the device's status.
pub(crate) mod status {
    /// ACKNOWLEDGE: the driver has found the device and recognised it.
    pub(crate) const KNOWN: u32 = 1;
    /// DRIVER: there is a driver for the device.
    pub(crate) const DRIVER: u32 = 2;
    /// DRIVER_OK: the driver is ready.
    pub(crate) const READY: u32 = 4;
}

/// Page size in bytes, in which the addresses of queues are given.
pub(crate) const PAGE: usize = 4096;

/// Size in bytes of the registers that every device has.
pub const BYTES: usize = 0x100;

const MAGIC: Register<u32, BYTES> = Register::at(0x000);
const VERSION: Register<u32, BYTES> = Register::at(0x004);
const DEVICE: Register<u32, BYTES> = Register::at(0x008);
const FEATURES: Register<u32, BYTES> = Register::at(0x020);
const FEATURES_HALF: Register<u32, BYTES> = Register::at(0x024);
const PAGE_SIZE: Register<u32, BYTES> = Register::at(0x028);
const QUEUE: Register<u32, BYTES> = Register::at(0x030);
const QUEUE_MOST: Register<u32, BYTES> = Register::at(0x034);
const QUEUE_LENGTH: Register<u32, BYTES> = Register::at(0x038);
const QUEUE_ALIGN: Register<u32, BYTES> = Register::at(0x03C);
const QUEUE_PAGE: Register<u32, BYTES> = Register::at(0x040);
const NOTIFY: Register<u32, BYTES> = Register::at(0x050);
const INTERRUPTS: Register<u32, BYTES> = Register::at(0x060);
const ACKNOWLEDGE: Register<u32, BYTES> = Register::at(0x064);
const STATUS: Register<u32, BYTES> = Register::at(0x070);

/// The registers.
pub(crate) struct Registers(pub(crate) device::Registers<BYTES>);

impl Registers {
    pub(crate) fn magic(&self) -> u32 {
        self.0.read(MAGIC)
    }

    pub(crate) fn version(&self) -> u32 {
        self.0.read(VERSION)
    }

    pub(crate) fn device(&self) -> u32 {
        self.0.read(DEVICE)
    }

    pub(crate) fn set_status(&self, status: u32) {
        self.0.write(STATUS, status);
    }

    /// Accepts no feature, in both halves of the feature bits.
    pub(crate) fn refuse_features(&self) {
        for half in [0, 1] {
            self.0.write(FEATURES_HALF, half);
            self.0.write(FEATURES, 0);
        }
    }

    /// Sets the length and the first page of a queue; returns whether the device
    /// accepts that length.
    pub(crate) fn place_queue(&self, queue: u32, length: u32, page: u32) -> bool {
        self.0.write(PAGE_SIZE, PAGE as u32);
        self.0.write(QUEUE, queue);
        if self.0.read(QUEUE_MOST) < length {
            return false;
        }
        self.0.write(QUEUE_LENGTH, length);
        self.0.write(QUEUE_ALIGN, PAGE as u32);
        self.0.write(QUEUE_PAGE, page);
        true
    }

    /// Notifies the device that a queue has new descriptors.
    pub(crate) fn notify(&self, queue: u32) {
        self.0.write(NOTIFY, queue);
    }

    pub(crate) fn acknowledge(&self) {
        self.0.write(ACKNOWLEDGE, self.0.read(INTERRUPTS));
    }
}
