//! A queue shared by driver and device, with a piece of memory for each of its
//! descriptors.

use core::mem::offset_of;
use core::sync::atomic::{Ordering, fence};

use crate::registers::PAGE;

/// Number of descriptors in a queue; a power of two.
pub(crate) const DEPTH: usize = 8;
/// Size in bytes of the piece of a descriptor: one frame of the hostlink.
pub(crate) const PIECE: usize = 256;

/// Descriptor flag: the device may write the memory.
const WRITES: u16 = 2;

#[repr(C)]
struct Descriptor {
    address: u64,
    length: u32,
    flags: u16,
    next: u16,
}

/// Descriptors that the driver passes to the device.
#[repr(C)]
struct Available {
    flags: u16,
    index: u16,
    ring: [u16; DEPTH],
}

#[repr(C)]
struct Element {
    id: u32,
    length: u32,
}

/// Descriptors that the device returns. The legacy interface requires page alignment.
#[repr(C, align(4096))]
struct Used {
    flags: u16,
    index: u16,
    ring: [Element; DEPTH],
}

#[repr(C, align(4096))]
struct Half {
    descriptors: [Descriptor; DEPTH],
    available: Available,
    used: Used,
    pieces: [[u8; PIECE]; DEPTH],
}

/// The memory shared by driver and device: six pages, initially zero.
#[repr(C, align(4096))]
pub struct Shared([Half; 2]);

impl Shared {
    /// Both queues empty.
    pub const fn new() -> Shared {
        const HALF: Half = Half {
            descriptors: [const {
                Descriptor {
                    address: 0,
                    length: 0,
                    flags: 0,
                    next: 0,
                }
            }; DEPTH],
            available: Available {
                flags: 0,
                index: 0,
                ring: [0; DEPTH],
            },
            used: Used {
                flags: 0,
                index: 0,
                ring: [const { Element { id: 0, length: 0 } }; DEPTH],
            },
            pieces: [[0; PIECE]; DEPTH],
        };
        Shared([HALF; 2])
    }
}

impl Default for Shared {
    fn default() -> Shared {
        Shared::new()
    }
}

/// The driver's side of a queue.
pub(crate) struct Queue {
    memory: *mut Half,
    physical: usize,
    /// Number of ids passed to the device, modulo 2^16.
    offered: u16,
    /// Number of ids that came back from the device, modulo 2^16.
    seen: u16,
}

/// The queues in `shared`, which the device accesses at `physical`; `None` if
/// either address is not page-aligned.
///
/// # Safety
/// The memory stays valid forever, and only the device uses it besides the queues.
pub(crate) unsafe fn split(shared: *mut Shared, physical: usize) -> Option<(Queue, Queue)> {
    let first = shared.cast::<Half>();
    let half = |index: usize| Queue {
        memory: first.wrapping_add(index),
        physical: physical.wrapping_add(index * size_of::<Half>()),
        offered: 0,
        seen: 0,
    };
    let is_page = physical.is_multiple_of(PAGE) && shared.is_aligned();
    is_page.then(|| (half(0), half(1)))
}

impl Queue {
    /// The number of the queue's first page; `None` if it does not fit the register.
    pub(crate) fn page(&self) -> Option<u32> {
        u32::try_from(self.physical / PAGE).ok()
    }

    fn at<T>(&self, offset: usize) -> *mut T {
        self.memory.wrapping_byte_add(offset).cast()
    }

    fn load<T: Copy>(&self, offset: usize) -> T {
        // SAFETY: by the contract of `split`; offsets are those of fields.
        unsafe { self.at::<T>(offset).read_volatile() }
    }

    fn store<T>(&self, offset: usize, value: T) {
        // SAFETY: by the contract of `split`; offsets are those of fields.
        unsafe { self.at::<T>(offset).write_volatile(value) }
    }

    /// Passes the first `length` bytes of piece `id` to the device, which writes
    /// them if `writes`, and reads them otherwise.
    pub(crate) fn offer(&mut self, id: u16, length: usize, writes: bool) {
        let index = usize::from(id) % DEPTH;
        let piece = offset_of!(Half, pieces) + index * PIECE;
        let at = offset_of!(Half, descriptors) + index * size_of::<Descriptor>();
        let descriptor = Descriptor {
            address: self.physical.wrapping_add(piece) as u64,
            length: length as u32,
            flags: if writes { WRITES } else { 0 },
            next: 0,
        };
        self.store(at, descriptor);
        let available = offset_of!(Half, available);
        let slot = usize::from(self.offered) % DEPTH * size_of::<u16>();
        self.store(available + offset_of!(Available, ring) + slot, index as u16);
        self.offered = self.offered.wrapping_add(1);
        // The device sees the id no later than the index.
        fence(Ordering::SeqCst);
        self.store(available + offset_of!(Available, index), self.offered);
        fence(Ordering::SeqCst);
    }

    /// The id of the next piece that the device returns, and the length it reports,
    /// which is not yet checked.
    pub(crate) fn take(&mut self) -> Option<(u16, usize)> {
        let used = offset_of!(Half, used);
        let index: u16 = self.load(used + offset_of!(Used, index));
        if index == self.seen {
            return None;
        }
        // What is read now was written before the index.
        fence(Ordering::SeqCst);
        let slot = usize::from(self.seen) % DEPTH * size_of::<Element>();
        let element = used + offset_of!(Used, ring) + slot;
        let id: u32 = self.load(element + offset_of!(Element, id));
        let length: u32 = self.load(element + offset_of!(Element, length));
        self.seen = self.seen.wrapping_add(1);
        Some(((id as usize % DEPTH) as u16, length as usize))
    }

    /// The offset of byte `at` of a piece.
    fn piece(id: u16, at: usize) -> usize {
        offset_of!(Half, pieces) + usize::from(id) % DEPTH * PIECE + at.min(PIECE - 1)
    }

    /// Copies bytes out of a piece, starting at byte `from`.
    pub(crate) fn copy_out(&self, id: u16, from: usize, target: &mut [u8]) {
        for (at, byte) in target.iter_mut().enumerate() {
            *byte = self.load(Queue::piece(id, from + at));
        }
    }

    /// Copies bytes to the beginning of a piece.
    pub(crate) fn copy_in(&self, id: u16, bytes: &[u8]) {
        for (at, byte) in bytes.iter().enumerate() {
            self.store(Queue::piece(id, at), *byte);
        }
    }
}

#[cfg(test)]
pub(crate) mod device {
    //! The device's side of a queue, for tests.

    use super::*;

    /// A simulated device that takes descriptors from the driver and returns them.
    pub(crate) struct Device {
        memory: *mut Half,
        physical: usize,
        taken: u16,
        used: u16,
    }

    impl Device {
        pub(crate) fn of(shared: *mut Shared, physical: usize, index: usize) -> Device {
            Device {
                memory: shared.cast::<Half>().wrapping_add(index),
                physical: physical + index * size_of::<Half>(),
                taken: 0,
                used: 0,
            }
        }

        fn at<T>(&self, offset: usize) -> *mut T {
            self.memory.wrapping_byte_add(offset).cast()
        }

        fn load<T: Copy>(&self, offset: usize) -> T {
            // SAFETY: the tests keep the memory.
            unsafe { self.at::<T>(offset).read_volatile() }
        }

        fn store<T>(&self, offset: usize, value: T) {
            // SAFETY: the tests keep the memory.
            unsafe { self.at::<T>(offset).write_volatile(value) }
        }

        /// Takes the next offered descriptor: its id, the offset of its piece in the
        /// half, its length, and whether the device may write it.
        pub(crate) fn take(&mut self) -> Option<(u16, usize, usize, bool)> {
            let available = offset_of!(Half, available);
            let index: u16 = self.load(available + offset_of!(Available, index));
            if index == self.taken {
                return None;
            }
            let slot = usize::from(self.taken) % DEPTH * 2;
            let id: u16 = self.load(available + offset_of!(Available, ring) + slot);
            self.taken = self.taken.wrapping_add(1);
            let at = offset_of!(Half, descriptors) + usize::from(id) * size_of::<Descriptor>();
            let address: u64 = self.load(at + offset_of!(Descriptor, address));
            let length: u32 = self.load(at + offset_of!(Descriptor, length));
            let flags: u16 = self.load(at + offset_of!(Descriptor, flags));
            let offset = address as usize - self.physical;
            Some((id, offset, length as usize, flags & WRITES != 0))
        }

        /// Returns an id to the driver.
        pub(crate) fn give(&mut self, id: u32, length: u32) {
            let used = offset_of!(Half, used);
            let slot = usize::from(self.used) % DEPTH * size_of::<Element>();
            self.store(used + offset_of!(Used, ring) + slot, Element { id, length });
            self.used = self.used.wrapping_add(1);
            self.store(used + offset_of!(Used, index), self.used);
        }

        pub(crate) fn write(&mut self, offset: usize, bytes: &[u8]) {
            for (at, byte) in bytes.iter().enumerate() {
                self.store(offset + at, *byte);
            }
        }

        pub(crate) fn read(&self, offset: usize, length: usize) -> std::vec::Vec<u8> {
            (offset..offset + length).map(|at| self.load(at)).collect()
        }
    }
}
