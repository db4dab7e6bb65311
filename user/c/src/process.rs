//! Processes that this one supervises (EMERALDS 4).

use core::ffi::c_int;

use giornata_rt::Instant;
use giornata_rt::call::Number;
use giornata_rt::supervisor::{self, Process};

use crate::answer::{code, index, tell};

/// `struct gio_end`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct End {
    process: Number,
    generation: u32,
    cause: u32,
    restarted: u32,
}

impl From<supervisor::End> for End {
    fn from(end: supervisor::End) -> End {
        End {
            process: end.process.index().into(),
            generation: end.generation.into(),
            cause: end.cause.map_or(0, |cause| cause as u32),
            restarted: end.is_restarted.into(),
        }
    }
}

/// See `giornata.h`.
#[unsafe(no_mangle)]
pub extern "C" fn create_proc(process: Number) -> c_int {
    code(index(process).and_then(|process| Process::new(process).start()))
}

/// See `giornata.h`.
#[unsafe(no_mangle)]
pub extern "C" fn gio_kill_proc(process: Number) -> c_int {
    code(index(process).and_then(|process| Process::new(process).kill()))
}

/// See `giornata.h`.
///
/// # Safety
/// `end` is null or may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gio_await_proc(until: Instant, end: *mut End) -> c_int {
    // SAFETY: by contract.
    unsafe { tell(supervisor::await_end(until).map(End::from), end) }
}
