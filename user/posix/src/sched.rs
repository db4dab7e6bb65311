//! Scheduling: priorities from 0 to the `max-priority` of the process, which is the most urgent
//! that its threads can have.

use core::ffi::c_int;

use giornata_rt::call;

use crate::error::{Errno, or_minus_one};

/// Policies of `<sched.h>`.
pub(crate) const OTHER: c_int = 0;
pub(crate) const FIFO: c_int = 1;
pub(crate) const ROUND_ROBIN: c_int = 2;
pub(crate) const SPORADIC: c_int = 4;
pub(crate) const DEADLINE: c_int = 6;

/// See POSIX, `sched_yield()`. One entry.
#[cfg_attr(target_os = "none", unsafe(no_mangle))]
pub extern "C" fn sched_yield() -> c_int {
    or_minus_one(call::yield_now().map(|()| 0).map_err(Errno::from))
}

/// See POSIX, `sched_get_priority_max()`: the `max-priority` of the process. No entry. `EINVAL`:
/// there is no such policy.
#[cfg_attr(target_os = "none", unsafe(no_mangle))]
pub extern "C" fn sched_get_priority_max(policy: c_int) -> c_int {
    or_minus_one(known(policy).map(|()| most().into()))
}

/// See POSIX, `sched_get_priority_min()`: 0. No entry. `EINVAL`: there is no such policy.
#[cfg_attr(target_os = "none", unsafe(no_mangle))]
pub extern "C" fn sched_get_priority_min(policy: c_int) -> c_int {
    or_minus_one(known(policy).map(|()| 0))
}

fn known(policy: c_int) -> Result<(), Errno> {
    match policy {
        OTHER | FIFO | ROUND_ROBIN | SPORADIC | DEADLINE => Ok(()),
        _ => Err(Errno::EINVAL),
    }
}

#[cfg(target_os = "none")]
fn most() -> u8 {
    crate::timer::priority()
}

/// On the host nothing is granted.
#[cfg(not(target_os = "none"))]
fn most() -> u8 {
    u8::MAX
}
