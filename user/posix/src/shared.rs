//! Shared memory objects, of one process: memory by a name (POSIX.1 `shm_open()`, `mmap()`).
//!
//! An object's memory is taken from the heap when it gets its size. It lies where it is as
//! long as it has a name, or is open or mapped. What `mmap()` says of access is not enforced:
//! the process may read and write all of its memory.

use core::cell::Cell;
use core::ffi::{CStr, c_char, c_int, c_long, c_uint, c_void};
use core::ptr::{null_mut, with_exposed_provenance_mut};

use crate::error::{Errno, or_minus_one, set};
use crate::lock::inside;

/// Objects that there can be at once, and descriptors of them.
const OBJECTS: usize = 8;
const DESCRIPTORS: usize = 16;
/// The descriptor behind those of devices.
const FIRST: c_int = 5;
/// Bytes of a name at most.
const NAME: usize = 31;
/// What `sysconf(_SC_PAGESIZE)` returns.
const PAGE: usize = 4096;

/// Bits of `<fcntl.h>`.
const ACCESS: c_int = 3;
const READ_WRITE: c_int = 2;
const CREATE: c_int = 0x40;
const TRUNCATE: c_int = 0x200;
const EXCLUSIVE: c_int = 0x800;

/// Bits of `<sys/mman.h>`.
const WRITE: c_int = 2;
const SHARED: c_int = 1;
const PRIVATE: c_int = 2;
const FIXED: c_int = 0x10;

unsafe extern "C" {
    fn memalign(alignment: usize, bytes: usize) -> *mut c_void;
    fn free(memory: *mut c_void);
}

/// An object: free if it has no name and is neither open nor mapped.
#[derive(Clone, Copy)]
struct Object {
    name: [u8; NAME],
    /// Bytes of the name; 0: it has none any more.
    length: usize,
    /// Where it lies; 0: it has no memory.
    address: usize,
    size: usize,
    /// Bytes that it has room for.
    room: usize,
    descriptors: u32,
    mappings: u32,
}

impl Object {
    const NONE: Object = Object {
        name: [0; NAME],
        length: 0,
        address: 0,
        size: 0,
        room: 0,
        descriptors: 0,
        mappings: 0,
    };

    fn is_free(&self) -> bool {
        self.length == 0 && self.descriptors == 0 && self.mappings == 0
    }

    fn is_called(&self, name: &[u8]) -> bool {
        self.length != 0 && self.name.get(..self.length) == Some(name)
    }
}

/// A descriptor: its object, and whether that may be written.
#[derive(Clone, Copy)]
struct Descriptor {
    object: usize,
    may_write: bool,
}

struct Table {
    objects: [Cell<Object>; OBJECTS],
    descriptors: [Cell<Option<Descriptor>>; DESCRIPTORS],
}

// SAFETY: the Table Invariant: it is reached by whoever has the library's lock only.
unsafe impl Sync for Table {}

static TABLE: Table = Table {
    objects: [const { Cell::new(Object::NONE) }; OBJECTS],
    descriptors: [const { Cell::new(None) }; DESCRIPTORS],
};

impl Table {
    /// The object of this name.
    fn find(&self, name: &[u8]) -> Option<usize> {
        let is_it = |object: &Cell<Object>| object.get().is_called(name);
        self.objects.iter().position(is_it)
    }

    /// Changes an object, which is forgotten if it is free then.
    fn change<R>(&self, index: usize, change: impl FnOnce(&mut Object) -> R) -> Option<R> {
        let place = self.objects.get(index)?;
        let mut object = place.get();
        let result = change(&mut object);
        if object.is_free() {
            // SAFETY: it came from `memalign()`, or is null, and nobody has it any more.
            unsafe { free(with_exposed_provenance_mut(object.address)) };
            object = Object::NONE;
        }
        place.set(object);
        Some(result)
    }

    /// `EBADF`: it is no descriptor of an object.
    fn descriptor(&self, file: c_int) -> Result<(usize, Descriptor), Errno> {
        let index = file
            .checked_sub(FIRST)
            .and_then(|at| usize::try_from(at).ok());
        let index = index.ok_or(Errno::EBADF)?;
        let found = self.descriptors.get(index).and_then(Cell::get);
        Ok((index, found.ok_or(Errno::EBADF)?))
    }

    fn open(&self, name: &[u8], how: c_int) -> Result<c_int, Errno> {
        match name.len() {
            0 => return Err(Errno::EINVAL),
            1..=NAME => {}
            _ => return Err(Errno::ENAMETOOLONG),
        }
        let access = how & ACCESS;
        if access != 0 && access != READ_WRITE {
            return Err(Errno::EINVAL);
        }
        let descriptor = self.descriptors.iter().position(|one| one.get().is_none());
        let descriptor = descriptor.ok_or(Errno::EMFILE)?;
        let object = match self.find(name) {
            Some(_) if how & CREATE != 0 && how & EXCLUSIVE != 0 => return Err(Errno::EEXIST),
            Some(object) => object,
            None if how & CREATE == 0 => return Err(Errno::ENOENT),
            None => {
                let free = self.objects.iter().position(|one| one.get().is_free());
                let free = free.ok_or(Errno::ENFILE)?;
                self.change(free, |object| {
                    for (to, from) in object.name.iter_mut().zip(name) {
                        *to = *from;
                    }
                    object.length = name.len();
                });
                free
            }
        };
        let may_write = access == READ_WRITE;
        self.change(object, |object| {
            if how & TRUNCATE != 0 && may_write && object.mappings == 0 {
                object.size = 0;
            }
            object.descriptors += 1;
        });
        self.descriptors[descriptor].set(Some(Descriptor { object, may_write }));
        Ok(FIRST + descriptor as c_int)
    }

    fn close(&self, file: c_int) -> Result<(), Errno> {
        let (index, descriptor) = self.descriptor(file)?;
        self.descriptors[index].set(None);
        self.change(descriptor.object, |object| object.descriptors -= 1);
        Ok(())
    }

    fn resize(&self, file: c_int, size: c_long) -> Result<(), Errno> {
        let (_, descriptor) = self.descriptor(file)?;
        let size = usize::try_from(size).map_err(|_| Errno::EINVAL)?;
        if !descriptor.may_write {
            return Err(Errno::EINVAL);
        }
        let resized = self.change(descriptor.object, |object| grow(object, size));
        resized.unwrap_or(Err(Errno::EBADF))
    }
}

/// An object has this size: what is added is zero. `ENOMEM`: there is no memory, or it is
/// mapped and has no room where it lies.
fn grow(object: &mut Object, size: usize) -> Result<(), Errno> {
    if size > object.room {
        if object.mappings != 0 {
            return Err(Errno::ENOMEM);
        }
        let room = size.checked_next_multiple_of(PAGE).ok_or(Errno::ENOMEM)?;
        // SAFETY: the alignment is a power of two.
        let memory = unsafe { memalign(PAGE, room) };
        if memory.is_null() {
            return Err(Errno::ENOMEM);
        }
        let (to, old) = (
            memory.cast::<u8>(),
            with_exposed_provenance_mut(object.address),
        );
        // SAFETY: nobody else knows this memory.
        unsafe { to.write_bytes(0, room) };
        if object.size != 0 {
            // SAFETY: the old memory has as many bytes as the object, and the new one more.
            unsafe { to.copy_from_nonoverlapping(old, object.size) };
        }
        // SAFETY: it came from `memalign()`, or is null, and nobody has it mapped.
        unsafe { free(old.cast()) };
        object.address = memory.expose_provenance();
        object.room = room;
    } else if size < object.size {
        let rest = with_exposed_provenance_mut::<u8>(object.address + size);
        // SAFETY: within its memory.
        unsafe { rest.write_bytes(0, object.size - size) };
    }
    object.size = size;
    Ok(())
}

/// See POSIX, `shm_open()`. Objects are of the calling process, which may open all of them,
/// so the mode does not matter. Does not block. O(objects).
///
/// `ENFILE`, `EMFILE`: there are 8 objects, or 16 descriptors. `ENAMETOOLONG`: the name has
/// more than 31 bytes. `EINVAL`: it is empty, or the access is not one to read.
///
/// # Safety
/// A text that ends with 0 lies at `name`.
#[cfg_attr(target_os = "none", unsafe(no_mangle))]
pub unsafe extern "C" fn shm_open(name: *const c_char, how: c_int, _: c_uint) -> c_int {
    // SAFETY: by contract.
    let name = unsafe { CStr::from_ptr(name) }.to_bytes();
    or_minus_one(inside(|| TABLE.open(name, how)))
}

/// See POSIX, `shm_unlink()`: `ENOENT`. Does not block. O(objects).
///
/// # Safety
/// As [`shm_open`].
#[cfg_attr(target_os = "none", unsafe(no_mangle))]
pub unsafe extern "C" fn shm_unlink(name: *const c_char) -> c_int {
    // SAFETY: by contract.
    let name = unsafe { CStr::from_ptr(name) }.to_bytes();
    or_minus_one(inside(|| {
        let object = TABLE.find(name).ok_or(Errno::ENOENT)?;
        TABLE.change(object, |object| object.length = 0);
        Ok(0)
    }))
}

/// Closes a descriptor of an object; `EBADF`: it is none.
pub(crate) fn close(file: c_int) -> Result<(), Errno> {
    inside(|| TABLE.close(file))
}

/// See POSIX, `ftruncate()`, of shared memory objects only: gives one its size, which is 0
/// before. `EINVAL`: it is negative, or the descriptor is not to write. `ENOMEM`: the heap
/// has no room, or the object is mapped and has none behind it. Does not block. O(bytes).
#[cfg_attr(target_os = "none", unsafe(no_mangle))]
pub extern "C" fn ftruncate(file: c_int, size: c_long) -> c_int {
    or_minus_one(inside(|| TABLE.resize(file, size).map(|()| 0)))
}

/// See POSIX, `mmap()`, of shared memory objects: where the object lies. What is written
/// there changes the object. Does not block. O(1).
///
/// `EINVAL`: no bytes, an offset that is no multiple of a page, neither `MAP_SHARED` nor
/// `MAP_PRIVATE`. `ENOTSUP`: `MAP_PRIVATE` or `MAP_FIXED`. `EACCES`: to be written, and open
/// to be read. `ENODEV`: a device. `ENXIO`: beyond the end of the object.
#[cfg_attr(target_os = "none", unsafe(no_mangle))]
pub extern "C" fn mmap(
    _: *mut c_void,
    bytes: usize,
    access: c_int,
    how: c_int,
    file: c_int,
    offset: c_long,
) -> *mut c_void {
    match inside(|| map(bytes, access, how, file, offset)) {
        Ok(address) => with_exposed_provenance_mut(address),
        Err(error) => {
            set(error);
            null_mut::<c_void>().wrapping_byte_sub(1)
        }
    }
}

fn map(
    bytes: usize,
    access: c_int,
    how: c_int,
    file: c_int,
    offset: c_long,
) -> Result<usize, Errno> {
    let offset = usize::try_from(offset).map_err(|_| Errno::EINVAL)?;
    let kind = how & (SHARED | PRIVATE);
    if bytes == 0 || !offset.is_multiple_of(PAGE) || kind.count_ones() != 1 {
        return Err(Errno::EINVAL);
    }
    if how & (PRIVATE | FIXED) != 0 {
        return Err(Errno::ENOTSUP);
    }
    if (0..FIRST).contains(&file) {
        return Err(Errno::ENODEV);
    }
    let (_, descriptor) = TABLE.descriptor(file)?;
    if access & WRITE != 0 && !descriptor.may_write {
        return Err(Errno::EACCES);
    }
    let mapped = TABLE.change(descriptor.object, |object| {
        let end = offset.checked_add(bytes).ok_or(Errno::ENXIO)?;
        if end > object.size.next_multiple_of(PAGE) {
            return Err(Errno::ENXIO);
        }
        object.mappings += 1;
        Ok(object.address + offset)
    });
    mapped.unwrap_or(Err(Errno::EBADF))
}

/// See POSIX, `munmap()`: one mapping of the object that lies there is no more, as a whole;
/// where none lies nothing happens. `EINVAL`: no bytes, or the address is no multiple of a
/// page. Does not block. O(objects).
#[cfg_attr(target_os = "none", unsafe(no_mangle))]
pub extern "C" fn munmap(from: *mut c_void, bytes: usize) -> c_int {
    let address = from.addr();
    if bytes == 0 || !address.is_multiple_of(PAGE) {
        return or_minus_one(Err(Errno::EINVAL));
    }
    inside(|| {
        let lies_there = |object: &Cell<Object>| {
            let object = object.get();
            object.mappings != 0
                && (object.address..object.address + object.room).contains(&address)
        };
        if let Some(object) = TABLE.objects.iter().position(lies_there) {
            TABLE.change(object, |object| object.mappings -= 1);
        }
    });
    0
}
