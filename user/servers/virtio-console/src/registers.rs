//! The registers of a device, by the legacy MMIO interface.

/// Bits of the device's status.
pub(crate) mod status {
    /// The device was seen, and it is known what it is.
    pub(crate) const KNOWN: u32 = 1;
    /// There is a driver for it.
    pub(crate) const DRIVER: u32 = 2;
    /// The driver is ready.
    pub(crate) const READY: u32 = 4;
}

/// Bytes of a page as the driver counts places of queues.
pub(crate) const PAGE: usize = 4096;

// Offsets in bytes.
const MAGIC: usize = 0x000;
const VERSION: usize = 0x004;
const DEVICE: usize = 0x008;
const FEATURES: usize = 0x020;
const FEATURES_HALF: usize = 0x024;
const PAGE_SIZE: usize = 0x028;
const QUEUE: usize = 0x030;
const QUEUE_MOST: usize = 0x034;
const QUEUE_LENGTH: usize = 0x038;
const QUEUE_ALIGN: usize = 0x03C;
const QUEUE_PAGE: usize = 0x040;
const NOTIFY: usize = 0x050;
const INTERRUPTS: usize = 0x060;
const ACKNOWLEDGE: usize = 0x064;
const STATUS: usize = 0x070;

/// The registers.
pub(crate) struct Registers(*mut u32);

impl Registers {
    /// The registers that begin at `base`.
    ///
    /// # Safety
    /// They (or memory) lie there for good.
    pub(crate) unsafe fn new(base: *mut u32) -> Registers {
        Registers(base)
    }

    fn load(&self, offset: usize) -> u32 {
        // SAFETY: by the contract of `new`.
        unsafe { self.0.wrapping_byte_add(offset).read_volatile() }
    }

    fn store(&self, offset: usize, value: u32) {
        // SAFETY: by the contract of `new`.
        unsafe { self.0.wrapping_byte_add(offset).write_volatile(value) }
    }

    pub(crate) fn magic(&self) -> u32 {
        self.load(MAGIC)
    }

    pub(crate) fn version(&self) -> u32 {
        self.load(VERSION)
    }

    pub(crate) fn device(&self) -> u32 {
        self.load(DEVICE)
    }

    pub(crate) fn set_status(&self, status: u32) {
        self.store(STATUS, status);
    }

    /// Asks for no feature of either half.
    pub(crate) fn refuse_features(&self) {
        for half in [0, 1] {
            self.store(FEATURES_HALF, half);
            self.store(FEATURES, 0);
        }
    }

    /// Tells where a queue of `length` lies; whether the device takes it.
    pub(crate) fn place_queue(&self, queue: u32, length: u32, page: u32) -> bool {
        self.store(PAGE_SIZE, PAGE as u32);
        self.store(QUEUE, queue);
        if self.load(QUEUE_MOST) < length {
            return false;
        }
        self.store(QUEUE_LENGTH, length);
        self.store(QUEUE_ALIGN, PAGE as u32);
        self.store(QUEUE_PAGE, page);
        true
    }

    /// Tells that a queue has got something.
    pub(crate) fn notify(&self, queue: u32) {
        self.store(NOTIFY, queue);
    }

    pub(crate) fn acknowledge(&self) {
        self.store(ACKNOWLEDGE, self.load(INTERRUPTS));
    }
}
