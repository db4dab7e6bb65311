//! Scheduling policies of threads: SCHED_FIFO, SCHED_RR, SCHED_SPORADIC, and SCHED_DEADLINE,
//! which is not of POSIX.

use core::ffi::c_int;

use giornata_abi::posix::policy;
use giornata_rt::{Id, call};

use crate::error::{Errno, number, or_minus_one};
use crate::lock::inside;
use crate::sched::{DEADLINE, FIFO, OTHER, ROUND_ROBIN, SPORADIC};
use crate::thread::{find, inward, own, pthread_self};
use crate::time::TimeSpec;
use crate::twin::twin;

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

/// Whether a thread has a policy as it begins: SCHED_OTHER is SCHED_FIFO by another name.
pub(crate) fn is_plain(policy: c_int) -> bool {
    matches!(policy, FIFO | OTHER)
}

/// A thread that has had `before` gets a policy; one entry. `EINVAL`: there is no such policy,
/// or the parameters make no sense.
pub(crate) fn set(
    thread: Id,
    before: c_int,
    policy: c_int,
    with: &Parameters,
) -> Result<(), Errno> {
    let high = usize::from(with.priority()?) << policy::HIGH;
    // (so that kernels without the other policies have this one)
    if is_plain(policy) && is_plain(before) {
        return Ok(call::set_priority(thread.0, with.priority()?)?);
    }
    let (how, budget, period) = match policy {
        FIFO | OTHER => (policy::FIFO | high | high >> 8 << 16, 0, 0),
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

/// See POSIX, `pthread_setschedparam()`: the thread is the last of its equals then. Two entries. A sporadic server begins with all
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

/// See POSIX, `pthread_setschedprio()`: a thread that falls is the first of its equals then, one
/// that rises the last. One entry.
#[unsafe(no_mangle)]
pub extern "C" fn pthread_setschedprio(thread: u64, priority: c_int) -> c_int {
    number(change(thread, None, |old| Parameters { priority, ..old }))
}

/// `policy`: as `pthread_setschedparam()`, after which the thread is the last of its equals; `None`:
/// as `pthread_setschedprio()`, which leaves one that falls the first.
fn change(
    thread: u64,
    policy: Option<c_int>,
    new: impl FnOnce(Parameters) -> Parameters,
) -> Result<(), Errno> {
    let is_given = policy.is_some();
    let goes_behind = inside(|| {
        let place = find(thread)?;
        let before = place.policy.get();
        let policy = policy.unwrap_or(before);
        let (old, parameters) = (place.parameters.get(), new(place.parameters.get()));
        let id = inward(thread)?;
        set(id, before, policy, &parameters)?;
        place.policy.set(policy);
        place.parameters.set(parameters);
        let is_own = core::ptr::eq(place, own());
        let has_fixed = is_plain(policy) || policy == ROUND_ROBIN;
        if is_given && has_fixed && !is_own && parameters.priority < old.priority {
            // (the kernel moves who falls to the head, and who is given what it has to the tail)
            call::set_priority(id.0, parameters.priority()?)?;
        }
        // (whoever has a mutex with a ceiling is not moved behind others)
        Ok::<_, Errno>(is_given && has_fixed && is_own && place.mutexes.get().is_null())
    })?;
    if goes_behind {
        // (not inside, where nobody passes the caller)
        let _ = call::yield_now();
    }
    Ok(())
}

/// The thread by which a process is scheduled: the caller, of its own, which is 1, and 0 too.
/// `ESRCH`: another process.
fn of_process(process: c_int) -> Result<u64, Errno> {
    match process {
        0 | 1 => Ok(pthread_self()),
        _ => Err(Errno::ESRCH),
    }
}

/// See POSIX, `sched_setscheduler()`: of the calling thread, as a process has no policy of its
/// own. Returns the policy before. One entry. Errors as [`pthread_setschedparam`]; `ESRCH`: a
/// process other than the caller's.
///
/// # Safety
/// `parameters` may be read.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sched_setscheduler(
    process: c_int,
    policy: c_int,
    parameters: *const Parameters,
) -> c_int {
    or_minus_one(of_process(process).and_then(|thread| {
        let before = inside(|| find(thread).map(|place| place.policy.get()))?;
        // SAFETY: by contract.
        change(thread, Some(policy), |_| unsafe { parameters.read() })?;
        Ok(before)
    }))
}

/// See POSIX, `sched_getscheduler()`: as [`sched_setscheduler`]. No entry.
#[unsafe(no_mangle)]
pub extern "C" fn sched_getscheduler(process: c_int) -> c_int {
    or_minus_one(
        of_process(process)
            .and_then(|thread| inside(|| find(thread).map(|place| place.policy.get()))),
    )
}

/// See POSIX, `sched_setparam()`: as [`sched_setscheduler`], and the policy stays.
///
/// # Safety
/// `parameters` may be read.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sched_setparam(process: c_int, parameters: *const Parameters) -> c_int {
    or_minus_one(of_process(process).and_then(|thread| {
        // SAFETY: by contract.
        change(thread, None, |_| unsafe { parameters.read() }).map(|()| 0)
    }))
}

/// See POSIX, `sched_getparam()`: as [`sched_setscheduler`]. No entry.
///
/// # Safety
/// `parameters` may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sched_getparam(process: c_int, parameters: *mut Parameters) -> c_int {
    or_minus_one(of_process(process).and_then(|thread| {
        inside(|| {
            let place = find(thread)?;
            // SAFETY: by contract.
            unsafe { parameters.write(place.parameters.get()) };
            Ok(0)
        })
    }))
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

twin!(
    "struct sched_param",
    Parameters {
        priority: "sched_priority",
        low: "sched_ss_low_priority",
        period: "sched_ss_repl_period",
        budget: "sched_ss_init_budget",
        most: "sched_ss_max_repl",
        deadline: "sched_deadline"
    }
);
