//! Streams and files: the standard output and the standard error go to the trace as text,
//! a record a line; there is no standard input.
//!
//! Files are devices. `/dev/console` is the standard output, `/dev/null` takes everything
//! and has nothing.

use core::cell::Cell;
use core::ffi::{CStr, c_char, c_int, c_long, c_void};

use giornata_rt::log::Writer;

use crate::error::{Errno, or_minus_one, set};
use crate::lock::inside;
use crate::shared;

/// Bytes of a line at most; a longer one is told in pieces, of which all but the last end with
/// [`MARK`].
const LINE: usize = 160;
const MARK: &[u8] = b"\\";
/// What `open()` returns for the devices that it knows, beside 0, 1 and 2.
const CONSOLE: c_int = 3;
const NULL: c_int = 4;

/// A line under way.
struct Line {
    bytes: Cell<[u8; LINE]>,
    length: Cell<usize>,
}

// SAFETY: the Line Invariant: it is reached by whoever has the library's lock only.
unsafe impl Sync for Line {}

static OUTPUT: Line = Line::new();
static ERRORS: Line = Line::new();

impl Line {
    const fn new() -> Line {
        Line {
            bytes: Cell::new([0; LINE]),
            length: Cell::new(0),
        }
    }

    fn put(&self, byte: u8) {
        if byte == b'\n' {
            return self.flush();
        }
        if self.length.get() == LINE {
            self.tell(MARK);
        }
        let length = self.length.get();
        if let Some(place) = self.bytes.as_array_of_cells().get(length) {
            place.set(byte);
        }
        self.length.set(length + 1);
    }

    fn flush(&self) {
        self.tell(b"");
    }

    /// What is not told yet becomes a record, with this at its end.
    fn tell(&self, mark: &[u8]) {
        let length = self.length.replace(0);
        let mut writer = Writer::new();
        for byte in self.bytes.as_array_of_cells().iter().take(length) {
            writer.push(&[byte.get()]);
        }
        writer.push(mark);
        writer.finish();
    }
}

/// A point of cancellation.
fn point() {
    #[cfg(target_os = "none")]
    crate::cancel::test();
}

/// A byte for a standard output, which `runtime/library.c` calls: returns the byte.
#[cfg_attr(target_os = "none", unsafe(no_mangle))]
pub extern "C" fn giornata_posix_put(byte: u8, file: c_int) -> c_int {
    if let Ok(Some(line)) = sink(file) {
        inside(|| line.put(byte));
    }
    byte.into()
}

/// What is under way to a standard output is a line: as [`fsync`].
#[cfg_attr(target_os = "none", unsafe(no_mangle))]
pub extern "C" fn giornata_posix_flush(file: c_int) -> c_int {
    or_minus_one(flush(file))
}

/// What is not told yet of both outputs.
pub(crate) fn flush_all() {
    inside(|| [&OUTPUT, &ERRORS].map(Line::flush));
}

/// Where the bytes for a file go: to a line, or nowhere.
fn sink(file: c_int) -> Result<Option<&'static Line>, Errno> {
    match file {
        1 | CONSOLE => Ok(Some(&OUTPUT)),
        2 => Ok(Some(&ERRORS)),
        NULL => Ok(None),
        _ => Err(Errno::EBADF),
    }
}

/// See POSIX, `write()`. Does not block. O(bytes).
///
/// # Safety
/// `bytes` bytes may be read at `from`.
#[cfg_attr(target_os = "none", unsafe(no_mangle))]
pub unsafe extern "C" fn write(file: c_int, from: *const c_void, bytes: usize) -> isize {
    point();
    or_minus_one(sink(file).map(|line| {
        if let Some(line) = line
            && bytes > 0
        {
            // SAFETY: by contract.
            let text = unsafe { core::slice::from_raw_parts(from.cast::<u8>(), bytes) };
            inside(|| text.iter().for_each(|byte| line.put(*byte)));
        }
        bytes as isize
    }))
}

/// See POSIX, `read()`: no device has anything. Does not block.
#[cfg_attr(target_os = "none", unsafe(no_mangle))]
pub extern "C" fn read(file: c_int, _: *mut c_void, _: usize) -> isize {
    point();
    or_minus_one(match file {
        0 | CONSOLE | NULL => Ok(0),
        _ => Err(Errno::EBADF),
    })
}

/// See POSIX, `open()`, of which the third argument is for files that are made: `ENOENT`
/// unless it is a device.
///
/// # Safety
/// A text that ends with 0 lies at `path`.
#[cfg_attr(target_os = "none", unsafe(no_mangle))]
pub unsafe extern "C" fn open(path: *const c_char, _: c_int) -> c_int {
    point();
    // SAFETY: by contract.
    or_minus_one(match unsafe { CStr::from_ptr(path) }.to_bytes() {
        b"/dev/console" => Ok(CONSOLE),
        b"/dev/null" => Ok(NULL),
        _ => Err(Errno::ENOENT),
    })
}

/// See POSIX, `close()`: what is told to the console so far is a line.
#[cfg_attr(target_os = "none", unsafe(no_mangle))]
pub extern "C" fn close(file: c_int) -> c_int {
    point();
    match shared::close(file) {
        Ok(()) => 0,
        Err(_) => fsync(file),
    }
}

/// See POSIX, `lseek()`, which `fdopen()` calls: no device has places (`ESPIPE`).
#[cfg_attr(target_os = "none", unsafe(no_mangle))]
pub extern "C" fn lseek(_: c_int, _: c_long, _: c_int) -> c_long {
    set(Errno::ESPIPE);
    -1
}

/// See POSIX, `fsync()`. Does not block.
#[cfg_attr(target_os = "none", unsafe(no_mangle))]
pub extern "C" fn fsync(file: c_int) -> c_int {
    point();
    or_minus_one(flush(file))
}

fn flush(file: c_int) -> Result<c_int, Errno> {
    match file {
        0 => Ok(0),
        _ => sink(file).map(|line| {
            if let Some(line) = line {
                inside(|| line.flush());
            }
            0
        }),
    }
}

/// See POSIX, `fdatasync()`. Does not block.
#[cfg_attr(target_os = "none", unsafe(no_mangle))]
pub extern "C" fn fdatasync(file: c_int) -> c_int {
    fsync(file)
}
