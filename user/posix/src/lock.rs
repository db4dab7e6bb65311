//! The locks of the C library: of its memory, its environment, its time zone and its
//! streams.
//!
//! Threads of the process do not preempt one another while one of them is inside: a
//! published ceiling sees to that, up to `max-priority` of the process, above which it has
//! no thread. So one lock is enough, and it costs no entry. Nobody blocks inside.

use core::cell::Cell;
use core::ffi::c_int;

use giornata_rt::thread::{Control, Outer};

/// How often it is taken, and the ceiling before the first time.
struct Inside {
    depth: Cell<u32>,
    outer: Cell<Outer>,
}

// SAFETY: the Inside Invariant: it is reached by the one thread that is inside only, and
// one thread of the process runs at a time.
unsafe impl Sync for Inside {}

static INSIDE: Inside = Inside {
    depth: Cell::new(0),
    outer: Cell::new(Outer::NONE),
};

/// Takes the library's lock; its owner may take it again. Does not block, makes no entry.
pub(crate) fn acquire() {
    // (on the host there is one thread)
    let own = Control::of_caller();
    let outer = own.map_or(Outer::NONE, |own| own.raise_ceiling(u8::MAX));
    let depth = INSIDE.depth.get();
    if depth == 0 {
        INSIDE.outer.set(outer);
    }
    INSIDE.depth.set(depth.wrapping_add(1));
}

/// Gives it back. No entry unless a preemption was put off.
pub(crate) fn release() {
    let depth = INSIDE.depth.get().wrapping_sub(1);
    INSIDE.depth.set(depth);
    if depth == 0
        && let Some(own) = Control::of_caller()
    {
        own.restore_ceiling(INSIDE.outer.get());
    }
}

/// Runs `work` inside.
pub(crate) fn inside<R>(work: impl FnOnce() -> R) -> R {
    acquire();
    let result = work();
    release();
    result
}

/// What the library calls a lock: nobody looks into it.
#[derive(Debug)]
#[repr(C)]
pub struct Lock(u32);

/// The library's own.
#[cfg_attr(target_os = "none", unsafe(no_mangle))]
#[allow(non_upper_case_globals)] // its name in C
pub static __lock___libc_recursive_mutex: Lock = Lock(0);

macro_rules! locks {
    ($($name:ident($lock:ident: $type:ty) $(-> $answer:ty)? $body:block)*) => {
        $(
            /// See `<sys/lock.h>` of picolibc.
            #[cfg_attr(target_os = "none", unsafe(no_mangle))]
            pub extern "C" fn $name($lock: $type) $(-> $answer)? {
                let _ = $lock;
                $body
            }
        )*
    };
}

locks! {
    __retarget_lock_acquire(lock: *const Lock) { acquire() }
    __retarget_lock_acquire_recursive(lock: *const Lock) { acquire() }
    __retarget_lock_try_acquire(lock: *const Lock) -> c_int { acquire(); 1 }
    __retarget_lock_try_acquire_recursive(lock: *const Lock) -> c_int { acquire(); 1 }
    __retarget_lock_release(lock: *const Lock) { release() }
    __retarget_lock_release_recursive(lock: *const Lock) { release() }
    __retarget_lock_close(lock: *const Lock) {}
    __retarget_lock_close_recursive(lock: *const Lock) {}
    __retarget_lock_init(place: *mut *const Lock) { init(place) }
    __retarget_lock_init_recursive(place: *mut *const Lock) { init(place) }
}

fn init(place: *mut *const Lock) {
    // SAFETY: the library passes where the lock's address is to be.
    unsafe { place.write(&raw const __lock___libc_recursive_mutex) };
}
