//! Memory-mapped registers.

use core::ptr::{
    read_volatile, with_exposed_provenance, with_exposed_provenance_mut, write_volatile,
};

/// A device: its registers by byte offset. Copies are the same device.
#[derive(Clone, Copy, Debug)]
pub struct Device(usize);

impl Device {
    /// The device whose registers begin at `address`.
    ///
    /// # Safety
    /// Every offset used with it must be a register of a device (or of RAM that
    /// nothing else owns), naturally aligned for the width of the access.
    pub const unsafe fn at(address: usize) -> Device {
        Device(address)
    }

    /// Loads the register at `offset` with the width of `T`.
    #[inline(always)]
    pub fn load<T: Copy>(self, offset: usize) -> T {
        let register = with_exposed_provenance(self.0.wrapping_add(offset));
        // SAFETY: the maker of this device vouches for its registers (Device Invariant).
        unsafe { read_volatile(register) }
    }

    /// Stores to the register at `offset` with the width of `T`.
    #[inline(always)]
    pub fn store<T: Copy>(self, offset: usize, value: T) {
        let register = with_exposed_provenance_mut(self.0.wrapping_add(offset));
        // SAFETY: the maker of this device vouches for its registers (Device Invariant).
        unsafe { write_volatile(register, value) }
    }
}
