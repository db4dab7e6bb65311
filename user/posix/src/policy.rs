//! Scheduling policies of threads: SCHED_FIFO, SCHED_RR, SCHED_SPORADIC, and SCHED_DEADLINE,
//! which is not of POSIX.

use core::ffi::c_int;

use giornata_abi::posix::policy;
use giornata_rt::{Id, call};

use crate::error::{Errno, number, or_minus_one};
use crate::lock::inside;
use crate::sched::{DEADLINE, FIFO, ROUND_ROBIN, SPORADIC};
use crate::thread::{find, inward};
use crate::time::TimeSpec;

/// `SCHED_OTHER`.
const OTHER: c_int = 0;

/// A quantum of SCHED_RR, in ns.
const QUANTUM: u64 = 10_000_000;

/// `struct sched_param`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Parameters {
    pub(crate) priority: c_int,
    low: c_int,
    period: TimeSpec,
    budget: TimeSpec,
    most: c_int,
    deadline: TimeSpec,
}

impl Parameters {
    /// With a priority, and nothing else.
    pub(crate) const fn of(priority: c_int) -> Parameters {
        Parameters {
            priority,
            low: 0,
            period: TimeSpec::of(0),
            budget: TimeSpec::of(0),
            most: 0,
            deadline: TimeSpec::of(0),
        }
    }

    /// The priority. `EINVAL`: it is none.
    pub(crate) fn priority(&self) -> Result<u8, Errno> {
        u8::try_from(self.priority).map_err(|_| Errno::EINVAL)
    }
}

/// A thread that has had `before` gets a policy; one entry. `EINVAL`: there is no such policy,
/// or the parameters make no sense. `ENOTSUP`: SCHED_OTHER.
pub(crate) fn set(
    thread: Id,
    before: c_int,
    policy: c_int,
    with: &Parameters,
) -> Result<(), Errno> {
    let high = usize::from(with.priority()?) << policy::HIGH;
    // (so that kernels without the other policies have this one)
    if policy == FIFO && before == FIFO {
        return Ok(call::set_priority(thread.0, with.priority()?)?);
    }
    let (how, budget, period) = match policy {
        FIFO => (policy::FIFO | high | high >> 8 << 16, 0, 0),
        ROUND_ROBIN => (policy::ROUND_ROBIN | high | high >> 8 << 16, QUANTUM, 0),
        SPORADIC => {
            let byte = |value| u8::try_from(value).map(usize::from);
            let low = byte(with.low).map_err(|_| Errno::EINVAL)?;
            let most = byte(with.most).map_err(|_| Errno::EINVAL)?;
            let how = policy::SPORADIC | high | low << policy::LOW | most << policy::MOST;
            (how, with.budget.nanoseconds()?, with.period.nanoseconds()?)
        }
        DEADLINE => (
            policy::DEADLINE | high | high >> 8 << 16,
            0,
            with.deadline.nanoseconds()?,
        ),
        OTHER => return Err(Errno::ENOTSUP),
        _ => return Err(Errno::EINVAL),
    };
    Ok(call::set_policy(thread.0, how, budget, period)?)
}

/// See POSIX, `pthread_getschedparam()`. No entry.
///
/// # Safety
/// `policy` and `parameters` may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pthread_getschedparam(
    thread: u64,
    policy: *mut c_int,
    parameters: *mut Parameters,
) -> c_int {
    number(inside(|| {
        let place = find(thread)?;
        // SAFETY: by contract.
        unsafe { policy.write(place.policy.get()) };
        // SAFETY: by contract.
        unsafe { parameters.write(place.parameters.get()) };
        Ok(())
    }))
}

/// See POSIX, `pthread_setschedparam()`. One entry. A sporadic server begins with all
/// of its budget, one with deadlines with a deadline from now on.
///
/// # Safety
/// `parameters` may be read.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pthread_setschedparam(
    thread: u64,
    policy: c_int,
    parameters: *const Parameters,
) -> c_int {
    // SAFETY: by contract.
    number(change(thread, Some(policy), |_| unsafe {
        parameters.read()
    }))
}

/// See POSIX, `pthread_setschedprio()`. One entry.
#[unsafe(no_mangle)]
pub extern "C" fn pthread_setschedprio(thread: u64, priority: c_int) -> c_int {
    number(change(thread, None, |old| Parameters { priority, ..old }))
}

fn change(
    thread: u64,
    policy: Option<c_int>,
    new: impl FnOnce(Parameters) -> Parameters,
) -> Result<(), Errno> {
    inside(|| {
        let place = find(thread)?;
        let before = place.policy.get();
        let policy = policy.unwrap_or(before);
        let parameters = new(place.parameters.get());
        set(inward(thread)?, before, policy, &parameters)?;
        place.policy.set(policy);
        place.parameters.set(parameters);
        Ok(())
    })
}

/// See POSIX, `sched_rr_get_interval()`: 10 ms. No entry. `ESRCH`: a process other than the
/// caller's, which is 1, and 0 too.
///
/// # Safety
/// `interval` may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sched_rr_get_interval(process: c_int, interval: *mut TimeSpec) -> c_int {
    or_minus_one(match process {
        0 | 1 => {
            // SAFETY: by contract.
            unsafe { interval.write(TimeSpec::of(QUANTUM)) };
            Ok(0)
        }
        _ => Err(Errno::ESRCH),
    })
}
