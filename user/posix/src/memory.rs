//! The memory that `malloc()` hands out: the `heap` of the process in the system file.

use core::ffi::c_void;
use core::ptr::with_exposed_provenance_mut;
use core::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use giornata_rt::call;

use crate::error::{Errno, set};

/// The kernel gives memory in multiples of this.
const GRAIN: usize = 16;

/// Where the memory in use ends, and where that ends which the kernel has given; 0: none
/// has been asked for.
static USED: AtomicUsize = AtomicUsize::new(0);
static GIVEN: AtomicUsize = AtomicUsize::new(0);

/// Takes so many bytes more, zeroed; returns where they begin, or -1 and `ENOMEM` in
/// `errno`. Memory is never given back, so a negative number is refused. The library calls
/// it with its lock. Makes an entry where more memory has to be asked for.
#[cfg_attr(target_os = "none", unsafe(no_mangle))]
pub extern "C" fn sbrk(bytes: isize) -> *mut c_void {
    match usize::try_from(bytes).ok().and_then(more) {
        Some(address) => with_exposed_provenance_mut(address),
        None => {
            set(Errno::ENOMEM);
            with_exposed_provenance_mut(usize::MAX)
        }
    }
}

fn more(bytes: usize) -> Option<usize> {
    let (mut used, mut given) = (USED.load(Relaxed), GIVEN.load(Relaxed));
    let left = given - used;
    if left < bytes || given == 0 {
        let lacking = rounded(bytes - left.min(bytes))?;
        let fresh = call::allocate(lacking).ok()?;
        if fresh == given {
            given += lacking;
        } else {
            // (the first, or somebody has taken memory by a call of its own meanwhile)
            let whole = rounded(bytes)?;
            used = match lacking == whole {
                true => fresh,
                false => call::allocate(whole).ok()?,
            };
            given = used + whole;
        }
    }
    USED.store(used + bytes, Relaxed);
    GIVEN.store(given, Relaxed);
    Some(used)
}

fn rounded(bytes: usize) -> Option<usize> {
    Some(bytes.checked_next_multiple_of(GRAIN)?.max(GRAIN))
}
