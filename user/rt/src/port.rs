//! Ports by number: for threads. Tasks and drivers get theirs as parameters.

use core::marker::PhantomData;

use giornata_abi::Error;

use crate::PortValue;

/// A port that holds a `T`; the builder writes these constants.
pub struct Port<T> {
    id: u32,
    value: PhantomData<fn() -> T>,
}

impl<T: PortValue> Port<T> {
    /// The port with this number. A wrong type shows when it is used: the
    /// kernel compares the size.
    pub const fn new(id: u32) -> Port<T> {
        Port {
            id,
            value: PhantomData,
        }
    }

    /// Its number.
    pub const fn id(&self) -> u32 {
        self.id
    }

    /// The value now. O(bytes), a kernel entry for each call; never blocks.
    ///
    /// `ESRCH`: no such port. `EPERM`: not readable by this process.
    /// `EINVAL`: not the size of a `T`.
    pub fn read(&self) -> Result<T, Error> {
        let mut value = T::new_zeroed();
        crate::call::read_port(self.id, value.as_mut_bytes())?;
        Ok(value)
    }

    /// Writes the value: an event for triggers. Errors as [`read`](Self::read).
    pub fn write(&self, value: &T) -> Result<(), Error> {
        crate::call::write_port(self.id, value.as_bytes())
    }
}

/// Copies the value of port `id`, whose size must be that of `value`.
pub fn read(id: u32, value: &mut [u8]) -> Result<(), Error> {
    crate::call::read_port(id, value)
}

/// Writes `value`, of the port's size, to port `id`.
pub fn write(id: u32, value: &[u8]) -> Result<(), Error> {
    crate::call::write_port(id, value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use giornata_abi::call::{Answer, Call};

    #[test]
    fn a_read_fills_the_value_at_the_address_given() {
        crate::host::set_hook(|request| {
            let [port, address, length, ..] = request.arguments;
            assert_eq!(
                (request.number, port, length),
                (Call::ReadPort as usize, 9, 4)
            );
            let to = core::ptr::with_exposed_provenance_mut::<u8>(address);
            // SAFETY: the caller's buffer of `length` bytes.
            unsafe { to.copy_from_nonoverlapping([1, 2, 3, 4].as_ptr(), length) };
            Answer::DONE
        });
        assert_eq!(Port::<u32>::new(9).read(), Ok(0x0403_0201));
        crate::host::clear_hook();
    }

    #[test]
    fn a_write_hands_over_the_bytes_of_the_value() {
        crate::host::set_hook(|request| {
            let [port, address, length, ..] = request.arguments;
            assert_eq!(
                (request.number, port, length),
                (Call::WritePort as usize, 3, 2)
            );
            let from = core::ptr::with_exposed_provenance::<[u8; 2]>(address);
            // SAFETY: the caller's value of `length` bytes.
            assert_eq!(unsafe { *from }, [0x34, 0x12]);
            Answer::error(Error::EPERM)
        });
        assert_eq!(Port::<u16>::new(3).write(&0x1234), Err(Error::EPERM));
        crate::host::clear_hook();
    }
}
