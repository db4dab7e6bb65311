//! Registers of devices that the system file grants, and the addresses at which
//! devices find memory of the process (EMERALDS, section 7.3, `map_device`).
//!
//! A device is mapped when its process begins. A driver names the registers that it
//! uses by their width and offset in a block of so many bytes: that an offset lies in
//! the block is checked when compiling, that the block lies in the device once, when
//! it is [opened](Device::registers). So a driver is free of `unsafe`:
//!
//! ```
//! # extern crate giornata_rt;
//! use giornata_rt::Error;
//! use giornata_rt::device::{Device, Register, Registers};
//!
//! # const DEVICE_CONSOLE_UART0: Device = Device::new(0x4000_0000);
//! const DATA: Register<u8, 8> = Register::at(0);
//! const STATUS: Register<u8, 8> = Register::at(5);
//!
//! fn send(byte: u8) -> Result<(), Error> {
//!     let uart: Registers<8> = DEVICE_CONSOLE_UART0.registers()?;
//!     while uart.read(STATUS) & 0x20 == 0 {}
//!     uart.write(DATA, byte);
//!     Ok(())
//! }
//! ```
//!
//! ```compile_fail
//! # extern crate giornata_rt;
//! # use giornata_rt::device::Register;
//! const BEYOND: Register<u32, 8> = Register::at(8);
//! # fn main() { let _ = BEYOND; }
//! ```

use core::marker::PhantomData;
use core::ptr::with_exposed_provenance_mut;

use giornata_abi::Error;

use crate::machine;

/// A device of the system file; the builder writes a constant for each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Device {
    address: u32,
}

impl Device {
    /// The device whose registers the process has at this address.
    pub const fn new(address: u32) -> Device {
        Device { address }
    }

    /// The device at this place in the process's `grants.device`; `None` beyond the
    /// last, and on the host.
    pub fn granted(index: usize) -> Option<Device> {
        machine::device(index).map(|(address, _)| Device { address })
    }

    /// Where its first register lies.
    pub const fn address(self) -> usize {
        self.address as usize
    }

    /// A block of registers at the beginning of the device. O(devices); does not
    /// block.
    ///
    /// `EPERM`: the process is not granted the device. `EINVAL`: the device has fewer
    /// bytes.
    pub fn registers<const BYTES: usize>(self) -> Result<Registers<BYTES>, Error> {
        let mut granted = (0..).map_while(machine::device);
        let found = granted.find(|(at, _)| *at == self.address);
        match found {
            None => Err(Error::EPERM),
            Some((_, bytes)) if (bytes as usize) < BYTES => Err(Error::EINVAL),
            Some((address, _)) => {
                let first = with_exposed_provenance_mut(address as usize);
                // SAFETY: the builder maps so many bytes of the device there for good.
                Ok(unsafe { Registers::new(first) })
            }
        }
    }
}

/// A block of `BYTES` bytes of registers. What its threads do with one device, and in
/// which order, is up to the process: each access is one of the bus.
///
/// The Register Invariant: registers of a device, or memory that is reached by
/// volatile accesses only, lie there for good, at a multiple of 4.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Registers<const BYTES: usize> {
    first: *mut u8,
}

// SAFETY: the Register Invariant; they belong to no thread.
unsafe impl<const BYTES: usize> Send for Registers<BYTES> {}
// SAFETY: as above.
unsafe impl<const BYTES: usize> Sync for Registers<BYTES> {}

impl<const BYTES: usize> Registers<BYTES> {
    /// The block at an address that no grant names: in memory, for a test.
    ///
    /// # Safety
    /// The Register Invariant, as long as this and its copies are used.
    pub const unsafe fn new(first: *mut u8) -> Registers<BYTES> {
        Registers { first }
    }

    /// Loads a register: one access to the bus, of its width. Loading may change the
    /// device.
    #[inline]
    pub fn read<T: Width>(&self, register: Register<T, BYTES>) -> T {
        // SAFETY: the Register Invariant; the register lies in the block.
        unsafe { self.place(register).read_volatile() }
    }

    /// Stores a register: one access to the bus, of its width, after those that the
    /// thread has made before.
    #[inline]
    pub fn write<T: Width>(&self, register: Register<T, BYTES>, value: T) {
        // SAFETY: the Register Invariant; the register lies in the block.
        unsafe { self.place(register).write_volatile(value) }
    }

    fn place<T>(&self, register: Register<T, BYTES>) -> *mut T {
        self.first.wrapping_add(register.offset).cast()
    }
}

/// A register in a block of `BYTES` bytes.
#[derive(Debug)]
pub struct Register<T, const BYTES: usize> {
    offset: usize,
    value: PhantomData<fn() -> T>,
}

// not derived: that would ask for the same of `T`
impl<T, const BYTES: usize> Clone for Register<T, BYTES> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T, const BYTES: usize> Copy for Register<T, BYTES> {}

impl<T: Width, const BYTES: usize> Register<T, BYTES> {
    /// The register at `offset` bytes.
    ///
    /// # Panics
    /// When compiled, if it is a constant: with a register that does not lie in the
    /// block, or not at a multiple of its width.
    pub const fn at(offset: usize) -> Register<T, BYTES> {
        assert!(
            offset <= BYTES && size_of::<T>() <= BYTES - offset,
            "the register lies beyond its block"
        );
        assert!(
            offset.is_multiple_of(size_of::<T>()),
            "the register does not lie at a multiple of its width"
        );
        Register {
            offset,
            value: PhantomData,
        }
    }
}

/// What is loaded and stored by one access: `u8`, `u16` or `u32`. A register of 64
/// bits is two of 32, in the order that its device asks for.
pub trait Width: width::Sealed + Copy {}

impl Width for u8 {}
impl Width for u16 {}
impl Width for u32 {}

mod width {
    pub trait Sealed {}
    impl Sealed for u8 {}
    impl Sealed for u16 {}
    impl Sealed for u32 {}
}

/// Where what lies at `place`, in the process's own data, lies for a device that
/// reads and writes memory by itself; what follows it in the data follows it there.
/// The process is outside the protection promise. O(1); does not block.
///
/// `EPERM`: without the grant `trusted-dma`. `EFAULT`: it is not in the process's
/// data.
pub fn physical<T>(place: *const T) -> Result<usize, Error> {
    crate::call::device_address(place)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::script::expect;
    use giornata_abi::call::Call;

    #[test]
    fn registers_are_reached_at_their_offsets_in_their_width() {
        const BYTE: Register<u8, 16> = Register::at(5);
        const HALF: Register<u16, 16> = Register::at(6);
        const LAST: Register<u32, 16> = Register::at(12);
        let mut memory = [0u32; 4];
        // SAFETY: sixteen bytes that are reached by this only.
        let registers: Registers<16> = unsafe { Registers::new(memory.as_mut_ptr().cast()) };
        registers.write(BYTE, 0xA5);
        registers.write(HALF, 0x1234);
        registers.write(LAST, 0xDEAD_BEEF);
        assert_eq!(registers.read(BYTE), 0xA5);
        assert_eq!(registers.read(HALF), 0x1234);
        let words = [0, 4, 8, 12].map(|at| registers.read(Register::<u32, 16>::at(at)));
        assert_eq!(words, [0, 0x1234_A500, 0, 0xDEAD_BEEF]);
    }

    #[test]
    #[should_panic(expected = "beyond its block")]
    fn a_register_beyond_its_block_is_refused() {
        let _ = Register::<u32, 8>::at(5);
    }

    #[test]
    #[should_panic(expected = "multiple of its width")]
    fn a_register_between_words_is_refused() {
        let _ = Register::<u32, 8>::at(2);
    }

    #[test]
    fn a_process_without_the_device_does_not_get_it() {
        let registers = Device::new(0x4000_0000).registers::<8>();
        assert_eq!(registers, Err(Error::EPERM));
        assert_eq!(Device::granted(0), None);
    }

    #[test]
    fn the_kernel_says_where_a_device_finds_memory() {
        let value = 5u32;
        let script = expect([(
            Call::DeviceAddress,
            &[(&raw const value).addr()],
            Some(Error::EPERM),
        )]);
        assert_eq!(physical(&raw const value), Err(Error::EPERM));
        script.finish();
    }
}
