//! Memory that processes share (EMERALDS 6.2, `shm_attach`, `shm_detach`; System V
//! `shmat`).
//!
//! A region lies at one address in all processes that have it. What lies in it is
//! written by others at any time, so there is no reference into it: bytes are
//! copied in and out, and words of 32 bits are read and changed whole. Copies are
//! not: a writer of more than a word agrees with its readers, by a word, a mutex or a
//! message, when they may.

use core::marker::PhantomData;
use core::ptr::with_exposed_provenance_mut;

use giornata_abi::Error;
use giornata_abi::region::{READ_ONLY, READ_WRITE};

use crate::call;
use crate::restartable::Word;

/// A region of the system file. Which processes may write it, and which read, is
/// there; others get EPERM.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Region(u16);

/// A region that is attached to write, see [`Shared`].
#[derive(Debug)]
pub enum Writable {}

/// A region that is attached to read only, see [`Shared`].
#[derive(Debug)]
pub enum Readable {}

/// A region that the process has attached. It is detached when this is dropped.
///
/// The Region Invariant: `length` bytes from `address` on are memory that no Rust
/// object lies in; they are touched by volatile accesses and the restartable
/// sequence only. What is detached behind its back (by a raw call) faults the
/// process.
#[derive(Debug)]
pub struct Shared<A> {
    region: Region,
    address: usize,
    length: usize,
    access: PhantomData<A>,
}

impl Region {
    /// The region of this number in the system file.
    pub const fn new(index: u16) -> Region {
        Region(index)
    }

    /// Attaches the region to read and write it. All 0 if nobody has it.
    ///
    /// EPERM: the process may not write it. EEXIST: the process has it: its threads
    /// share one `Shared`. O(1), and O(bytes) in short pieces if nobody has it;
    /// does not block.
    pub fn attach(self) -> Result<Shared<Writable>, Error> {
        self.attach_as(READ_WRITE)
    }

    /// Attaches the region to read it only. As [`attach`](Self::attach).
    pub fn attach_to_read(self) -> Result<Shared<Readable>, Error> {
        self.attach_as(READ_ONLY)
    }

    fn attach_as<A>(self, how: usize) -> Result<Shared<A>, Error> {
        loop {
            match call::attach_region(self.0, how) {
                // the kernel zeroes it, a few pieces a call
                Err(Error::EAGAIN) => {}
                answer => {
                    return answer.map(|(address, length)| Shared {
                        region: self,
                        address,
                        length,
                        access: PhantomData,
                    });
                }
            }
        }
    }
}

impl<A> Shared<A> {
    /// Its bytes: a power of two.
    pub fn length(&self) -> usize {
        self.length
    }

    /// Its address, the same in every process.
    pub fn address(&self) -> usize {
        self.address
    }

    /// Copies bytes out, from `offset` on. O(bytes).
    ///
    /// EFAULT: the region does not have so many there.
    pub fn read(&self, offset: usize, bytes: &mut [u8]) -> Result<(), Error> {
        let place = self.place(offset, bytes.len(), 1)?;
        for (index, byte) in bytes.iter_mut().enumerate() {
            // SAFETY: the Region Invariant.
            *byte = unsafe { place.wrapping_add(index).read_volatile() };
        }
        Ok(())
    }

    /// The word at an offset. O(1).
    ///
    /// EFAULT: there is none, or the offset is no multiple of 4.
    pub fn load(&self, offset: usize) -> Result<u32, Error> {
        let place = self.place(offset, 4, 4)?.cast::<u32>();
        // SAFETY: the Region Invariant, and it is aligned.
        Ok(unsafe { place.read_volatile() })
    }

    /// Where some bytes lie, if they are the region's.
    fn place(&self, offset: usize, bytes: usize, alignment: usize) -> Result<*mut u8, Error> {
        let room = self.length.checked_sub(offset).ok_or(Error::EFAULT)?;
        match bytes <= room && offset.is_multiple_of(alignment) {
            true => Ok(with_exposed_provenance_mut(self.address + offset)),
            false => Err(Error::EFAULT),
        }
    }
}

impl Shared<Writable> {
    /// Copies bytes in, from `offset` on. O(bytes).
    ///
    /// EFAULT: the region does not have so many there.
    pub fn write(&self, offset: usize, bytes: &[u8]) -> Result<(), Error> {
        let place = self.place(offset, bytes.len(), 1)?;
        for (index, byte) in bytes.iter().enumerate() {
            // SAFETY: the Region Invariant.
            unsafe { place.wrapping_add(index).write_volatile(*byte) };
        }
        Ok(())
    }

    /// The word at an offset, to be changed: atomically among all threads of the
    /// hart, whatever processes they are of. O(1).
    ///
    /// EFAULT: there is none, or the offset is no multiple of 4.
    pub fn word(&self, offset: usize) -> Result<&Word, Error> {
        let place = self.place(offset, 4, 4)?.cast::<Word>();
        // SAFETY: the Region Invariant: a word is reached as the Word Invariant asks,
        // as long as the region is borrowed.
        Ok(unsafe { &*place })
    }
}

impl<A> Drop for Shared<A> {
    fn drop(&mut self) {
        // Refused only if it has been detached by a raw call.
        let _ = call::detach_region(self.region.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use giornata_abi::call::{Answer, Call};
    use std::cell::RefCell;
    use std::rc::Rc;
    use std::vec::Vec;

    const REGION: Region = Region::new(3);

    /// Lets a kernel of the test answer that a region lies at `memory`, after it has
    /// been asked once in vain; the calls that it got.
    fn attachable(memory: &mut [u32; 4]) -> Rc<RefCell<Vec<(usize, usize, usize)>>> {
        let calls = Rc::new(RefCell::new(Vec::new()));
        let (address, seen) = (memory.as_mut_ptr().expose_provenance(), calls.clone());
        crate::host::set_hook(move |request| {
            let [region, how, ..] = request.arguments;
            seen.borrow_mut().push((request.number, region, how));
            match seen.borrow().len() {
                1 => Answer::error(Error::EAGAIN),
                _ => Answer::words([address, 16, 0]),
            }
        });
        calls
    }

    #[test]
    fn a_region_is_attached_until_it_is_dropped() {
        let mut memory = [0; 4];
        let calls = attachable(&mut memory);
        drop(REGION.attach_to_read().unwrap());
        let attach = (Call::AttachRegion as usize, 3, READ_ONLY);
        let detach = (Call::DetachRegion as usize, 3, 0);
        assert_eq!(*calls.borrow(), [attach, attach, detach]);
        crate::host::clear_hook();
    }

    #[test]
    fn bytes_and_words_are_those_of_the_region_and_no_others() {
        let mut memory = [0; 4];
        attachable(&mut memory);
        let shared = REGION.attach().unwrap();
        assert_eq!(shared.length(), 16);
        shared.write(5, b"bytes").unwrap();
        let mut bytes = [0; 7];
        shared.read(4, &mut bytes).unwrap();
        assert_eq!(&bytes, b"\0bytes\0");
        shared.word(12).unwrap().store(7);
        assert_eq!(shared.word(12).unwrap().fetch_add(2), 7);
        assert_eq!(shared.load(12), Ok(9));
        let beyond = [
            shared.read(10, &mut bytes),
            shared.write(16, b"x"),
            shared.write(usize::MAX, b"x"),
            shared.load(16).map(drop),
            shared.load(2).map(drop),
            shared.word(13).map(drop),
        ];
        assert_eq!(beyond, [Err(Error::EFAULT); 6]);
        assert_eq!(
            (shared.write(16, b""), shared.write(15, b"x")),
            (Ok(()), Ok(()))
        );
        crate::host::clear_hook();
    }

    #[test]
    fn what_the_kernel_refuses_is_told() {
        crate::host::set_hook(|_| Answer::error(Error::EPERM));
        assert_eq!(REGION.attach().map(drop), Err(Error::EPERM));
        crate::host::clear_hook();
    }
}
