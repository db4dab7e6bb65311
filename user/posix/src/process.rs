//! The process: its `main()`, and its end.

use core::ffi::c_int;
#[cfg(target_os = "none")]
use core::{ffi::c_char, ptr::null};

use giornata_rt::{call, shutdown};

use crate::stream::flush_all;

#[cfg(target_os = "none")]
unsafe extern "C" {
    fn main(arguments: c_int, words: *const *const c_char) -> c_int;
    safe fn exit(status: c_int) -> !;
}

/// The body of the thread `main`. What returns from `main()` ends the process, as POSIX has
/// it; `pthread_exit()` ends the thread only.
#[cfg(target_os = "none")]
#[unsafe(no_mangle)]
pub extern "C" fn giornata_posix_main() {
    crate::thread::begin_main();
    // (no arguments, not even a name)
    let words: [*const c_char; 1] = [null()];
    // SAFETY: the builder has seen that the sources define it.
    exit(unsafe { main(0, words.as_ptr()) })
}

/// See POSIX, `_exit()`: the machine stops with the status, if the process may stop it; else
/// the process ends as by a panic.
#[cfg_attr(target_os = "none", unsafe(no_mangle))]
pub extern "C" fn _exit(status: c_int) -> ! {
    stop(status);
    let why: &'static [u8] = match status {
        0 => b"the process has ended with exit status 0",
        _ => b"the process has ended with an exit status other than 0",
    };
    call::panic(why, b"<unistd.h>", 0)
}

/// What is printed is told, and the machine stops with the status; returns if the process may
/// not stop it.
pub(crate) fn stop(status: c_int) {
    flush_all();
    shutdown(status as u8);
}

/// See POSIX, `getpid()`: a process sees itself only.
#[cfg_attr(target_os = "none", unsafe(no_mangle))]
pub extern "C" fn getpid() -> c_int {
    1
}
