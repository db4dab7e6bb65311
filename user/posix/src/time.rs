//! Clocks and sleep.
//!
//! `CLOCK_MONOTONIC` begins with 0 when the system starts, `CLOCK_REALTIME` with what the board's
//! real-time clock showed then, or with 0, too. The second can be set; it is always so much ahead
//! of the first.

use core::cell::Cell;
use core::ffi::{c_int, c_long, c_ulong};

#[cfg(target_os = "none")]
use giornata_rt::Error;
use giornata_rt::call;
use giornata_rt::clock::{self, Ticks};
use giornata_rt::thread;
use giornata_rt::time;

use crate::error::{Errno, number, or_minus_one};
use crate::lock::inside;
use crate::twin::twin;
#[cfg(target_os = "none")]
use crate::{cancel, entry, signal, signal::Run};

const BILLION: c_long = 1_000_000_000;
pub(crate) const SECOND: u64 = BILLION as u64;

/// `clockid_t`.
pub(crate) type ClockId = usize;
pub(crate) const REALTIME: ClockId = 1;
pub(crate) const PROCESS_CPUTIME: ClockId = 2;
pub(crate) const THREAD_CPUTIME: ClockId = 3;
pub(crate) const MONOTONIC: ClockId = 4;
/// A flag of `clock_nanosleep()`.
pub(crate) const ABSOLUTE: c_int = 4;

/// `struct timespec`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct TimeSpec {
    seconds: i64,
    nanoseconds: c_long,
}

impl TimeSpec {
    /// So many nanoseconds.
    pub(crate) const fn of(nanoseconds: u64) -> TimeSpec {
        TimeSpec {
            seconds: (nanoseconds / SECOND) as i64,
            nanoseconds: (nanoseconds % SECOND) as c_long,
        }
    }

    /// In nanoseconds: 0 if it is negative, never if they are more than 64 bits hold.
    /// `EINVAL`: the nanoseconds are not those of a second.
    pub(crate) fn nanoseconds(self) -> Result<u64, Errno> {
        let rest = self.rest()?.into();
        Ok(match u64::try_from(self.seconds) {
            Ok(seconds) => seconds.saturating_mul(SECOND).saturating_add(rest),
            Err(_) => 0,
        })
    }

    /// Whether it is 0. (Only timers ask.)
    #[cfg(target_os = "none")]
    pub(crate) fn is_zero(self) -> bool {
        self.seconds == 0 && self.nanoseconds == 0
    }

    /// How long it is, in nanoseconds; never if they are more than 64 bits hold. `EINVAL`: it is
    /// negative, or the nanoseconds are not those of a second.
    pub(crate) fn length(self) -> Result<u64, Errno> {
        match self.seconds {
            ..0 => Err(Errno::EINVAL),
            _ => self.nanoseconds(),
        }
    }

    /// The tick that lies so far behind the clock now: at once if it is negative. One entry.
    /// `EINVAL`: the nanoseconds are not those of a second.
    pub(crate) fn ticks_from_now(self) -> Result<Ticks, Errno> {
        let more = self.ticks()?;
        Ok(Ticks(clock::now().0.saturating_add(more.0)))
    }

    /// In ticks: 0 if it is negative. `EINVAL`: the nanoseconds are not those of a second.
    fn ticks(self) -> Result<Ticks, Errno> {
        let rest = self.rest()?;
        Ok(match u64::try_from(self.seconds) {
            Ok(seconds) => clock::ticks_of(seconds, rest),
            Err(_) => Ticks(0),
        })
    }

    /// So much later; both have the nanoseconds of a second.
    fn plus(self, more: TimeSpec) -> TimeSpec {
        let seconds = self.seconds.saturating_add(more.seconds);
        match self.nanoseconds + more.nanoseconds {
            nanoseconds if nanoseconds < BILLION => TimeSpec {
                seconds,
                nanoseconds,
            },
            nanoseconds => TimeSpec {
                seconds: seconds.saturating_add(1),
                nanoseconds: nanoseconds - BILLION,
            },
        }
    }

    /// So much earlier; both have the nanoseconds of a second.
    fn less(self, other: TimeSpec) -> TimeSpec {
        let seconds = self.seconds.saturating_sub(other.seconds);
        match self.nanoseconds - other.nanoseconds {
            nanoseconds if nanoseconds >= 0 => TimeSpec {
                seconds,
                nanoseconds,
            },
            nanoseconds => TimeSpec {
                seconds: seconds.saturating_sub(1),
                nanoseconds: nanoseconds + BILLION,
            },
        }
    }

    /// The nanoseconds of a second: `EINVAL` if they are not.
    fn rest(self) -> Result<u32, Errno> {
        match u32::try_from(self.nanoseconds) {
            Ok(rest) if rest < SECOND as u32 => Ok(rest),
            _ => Err(Errno::EINVAL),
        }
    }
}

/// See POSIX, `clock_gettime()`: one entry.
///
/// # Safety
/// `time` may be written.
#[cfg_attr(target_os = "none", unsafe(no_mangle))]
pub unsafe extern "C" fn clock_gettime(clock: ClockId, time: *mut TimeSpec) -> c_int {
    let now = match clock {
        REALTIME | MONOTONIC => Ok(time::now().0),
        THREAD_CPUTIME => spent(),
        PROCESS_CPUTIME => spent_by_all(),
        _ => spent_by(clock),
    };
    or_minus_one(now.map(|now| {
        let now = match clock {
            REALTIME => TimeSpec::of(now).plus(ahead()),
            _ => TimeSpec::of(now),
        };
        // SAFETY: by contract.
        unsafe { time.write(now) };
        0
    }))
}

/// What the calling thread has run.
fn spent() -> Result<u64, Errno> {
    Ok(thread::cpu_time()?.0)
}

/// What the threads of the process have run. `EINVAL`: the kernel does not tell.
fn spent_by_all() -> Result<u64, Errno> {
    let spent = thread::cpu_time_of_process();
    spent.map(|spent| spent.0).map_err(|_| Errno::EINVAL)
}

/// What the thread has run whose clock this is. `EINVAL`: none's, or the kernel does not
/// tell.
#[cfg(target_os = "none")]
fn spent_by(clock: ClockId) -> Result<u64, Errno> {
    let thread = crate::thread::of_clock(clock)?;
    let spent = thread::cpu_time_of(thread);
    spent.map(|spent| spent.0).map_err(|_| Errno::EINVAL)
}

/// The host has no table of threads.
#[cfg(not(target_os = "none"))]
fn spent_by(_: ClockId) -> Result<u64, Errno> {
    Err(Errno::EINVAL)
}

/// See POSIX, `clock_getcpuclockid()`: a process knows itself only, which is 0 too. No
/// entry.
///
/// # Safety
/// `clock` may be written.
#[cfg_attr(target_os = "none", unsafe(no_mangle))]
pub unsafe extern "C" fn clock_getcpuclockid(process: c_int, clock: *mut ClockId) -> c_int {
    number(match process {
        0 | 1 => {
            // SAFETY: by contract.
            unsafe { clock.write(PROCESS_CPUTIME) };
            Ok(())
        }
        _ => Err(Errno::ESRCH),
    })
}

/// See ISO C, `clock()`: what the threads of the process have run, in microseconds, which is
/// what CLOCKS_PER_SEC says. One entry. -1: the kernel does not tell.
#[cfg_attr(target_os = "none", unsafe(no_mangle))]
pub extern "C" fn clock() -> c_ulong {
    spent_by_all().map_or(c_ulong::MAX, |spent| (spent / 1_000) as c_ulong)
}

/// See POSIX, `clock_getres()`: a tick of the board's timer, rounded up. No entry.
///
/// # Safety
/// `place` is null or may be written.
#[cfg_attr(target_os = "none", unsafe(no_mangle))]
pub unsafe extern "C" fn clock_getres(clock: ClockId, place: *mut TimeSpec) -> c_int {
    let known = match clock {
        REALTIME | MONOTONIC | THREAD_CPUTIME | PROCESS_CPUTIME => Ok(()),
        _ => spent_by(clock).map(drop),
    };
    or_minus_one(match known {
        Ok(()) => {
            if !place.is_null() {
                // SAFETY: by contract.
                unsafe { place.write(TimeSpec::of(resolution())) };
            }
            Ok(0)
        }
        Err(error) => Err(error),
    })
}

/// A tick of the board's timer in ns, rounded up.
pub(crate) fn resolution() -> u64 {
    SECOND.div_ceil(clock::hertz().max(1).into())
}

/// See POSIX, `clock_nanosleep()`. Blocks. One entry, of a relative sleep two. `EINTR`: a
/// handler has run; of a relative sleep, `rest` is what is left. `EINVAL`: the nanoseconds are not
/// those of a second, a relative time is negative, or the clock is the caller's CPU time, or none.
/// `ENOTSUP`: another CPU-time clock.
///
/// # Safety
/// `time` may be read, `rest` is null or may be written.
#[cfg_attr(target_os = "none", unsafe(no_mangle))]
pub unsafe extern "C" fn clock_nanosleep(
    clock: ClockId,
    flags: c_int,
    time: *const TimeSpec,
    rest: *mut TimeSpec,
) -> c_int {
    let is_absolute = flags & ABSOLUTE != 0;
    // SAFETY: by contract.
    let (time, rest) = (unsafe { time.read() }, unsafe { rest.as_mut() });
    number(sleep(clock, is_absolute, time, rest))
}

/// See POSIX, `nanosleep()`. Blocks. Two entries. `EINTR` as of [`clock_nanosleep`].
///
/// # Safety
/// As [`clock_nanosleep`].
#[cfg_attr(target_os = "none", unsafe(no_mangle))]
pub unsafe extern "C" fn nanosleep(time: *const TimeSpec, rest: *mut TimeSpec) -> c_int {
    // SAFETY: by contract.
    let (time, rest) = (unsafe { time.read() }, unsafe { rest.as_mut() });
    or_minus_one(sleep(REALTIME, false, time, rest).map(|()| 0))
}

fn sleep(
    clock: ClockId,
    is_absolute: bool,
    time: TimeSpec,
    rest: Option<&mut TimeSpec>,
) -> Result<(), Errno> {
    match clock {
        REALTIME | MONOTONIC => {}
        PROCESS_CPUTIME => return Err(Errno::ENOTSUP),
        clock => return Err(no_sleep_by(clock)),
    }
    if is_absolute {
        return sleep_until(|| awaited(clock, time));
    }
    time.length()?;
    let until = time.ticks_from_now()?;
    let slept = sleep_until(|| Ok(until));
    if let (Err(Errno::EINTR), Some(rest)) = (slept, rest) {
        let left = until.0.saturating_sub(clock::now().0);
        *rest = TimeSpec::of(clock::instant(Ticks(left)).0);
    }
    slept
}

/// Why nobody can sleep by a clock: `ENOTSUP` of another thread's CPU time, `EINVAL` of the caller's
/// own, which then does not go on, and of what is no clock.
#[cfg(target_os = "none")]
#[cold]
fn no_sleep_by(clock: ClockId) -> Errno {
    match crate::thread::of_clock(clock).map(crate::thread::outward) {
        Ok(thread) if thread != crate::thread::pthread_self() => Errno::ENOTSUP,
        _ => Errno::EINVAL,
    }
}

/// The host has no table of threads.
#[cfg(not(target_os = "none"))]
fn no_sleep_by(_: ClockId) -> Errno {
    Errno::EINVAL
}

/// Blocks until a tick, which is asked for anew when CLOCK_REALTIME has been set, or until a
/// handler has run: `EINTR`.
#[cfg(target_os = "none")]
#[inline(always)]
fn sleep_until(tick: impl Fn() -> Result<Ticks, Errno>) -> Result<(), Errno> {
    cancel::test();
    loop {
        let until = tick()?;
        let (slept, run) = signal::heeding(|| entry::sleep(until));
        has_waited();
        cancel::test();
        if slept != Err(Error::EINTR) || run != Run::None {
            return Ok(slept?);
        }
    }
}

/// The host has no signals of these.
#[cfg(not(target_os = "none"))]
fn sleep_until(tick: impl Fn() -> Result<Ticks, Errno>) -> Result<(), Errno> {
    Ok(time::sleep_until(clock::instant(tick()?))?)
}

/// When CLOCK_REALTIME shows a time, by CLOCK_MONOTONIC; both in ns. What 63 bits do not hold
/// never comes.
#[cfg(target_os = "none")]
pub(crate) fn monotonic(shown: u64) -> u64 {
    let never = u64::MAX;
    match shown.cast_signed() {
        ..0 => never,
        _ => {
            let then = TimeSpec::of(shown).less(ahead());
            // (its nanoseconds are those of a second)
            then.nanoseconds().unwrap_or(never)
        }
    }
}

/// What CLOCK_REALTIME shows, in ns.
#[cfg(target_os = "none")]
pub(crate) fn realtime() -> u64 {
    let now = TimeSpec::of(time::now().0).plus(ahead());
    // (its nanoseconds are those of a second)
    now.nanoseconds().unwrap_or(u64::MAX)
}

/// The first tick at which a clock shows a time that the caller is about to wait for: if
/// CLOCK_REALTIME is set meanwhile, its wait is interrupted. After the wait comes
/// [`has_waited`]. `EINVAL`: the nanoseconds are not those of a second, or there is no such
/// clock that one can wait for.
#[inline(always)]
pub(crate) fn awaited(clock: ClockId, time: TimeSpec) -> Result<Ticks, Errno> {
    match clock {
        MONOTONIC => time.ticks(),
        _ => awaited_by_realtime(clock, time),
    }
}

#[inline(never)]
fn awaited_by_realtime(clock: ClockId, time: TimeSpec) -> Result<Ticks, Errno> {
    if clock != REALTIME {
        return Err(Errno::EINVAL);
    }
    time.rest()?;
    #[cfg(target_os = "none")]
    crate::thread::own().by_realtime.set(true);
    time.less(ahead()).ticks()
}

/// The caller does not wait for a time of CLOCK_REALTIME any more.
#[cfg(target_os = "none")]
#[inline(always)]
pub(crate) fn has_waited() {
    let own = crate::thread::own();
    if own.by_realtime.replace(false) && own.is_late.replace(false) {
        signal::deliver();
    }
}

/// What CLOCK_REALTIME is ahead of CLOCK_MONOTONIC.
struct Ahead(Cell<Option<TimeSpec>>);

// SAFETY: the Ahead Invariant: it is reached inside only.
unsafe impl Sync for Ahead {}

/// `None`: it was not asked for yet.
static AHEAD: Ahead = Ahead(Cell::new(None));

/// One entry the first time.
fn ahead() -> TimeSpec {
    inside(|| {
        AHEAD.0.get().unwrap_or_else(|| {
            let first = at_boot();
            AHEAD.0.set(Some(first));
            first
        })
    })
}

/// As the board has it. (A kernel that does not tell, or a board without a clock: nothing.)
#[cold]
fn at_boot() -> TimeSpec {
    match call::real_time() {
        Ok((shown, then)) => TimeSpec::of(shown).less(TimeSpec::of(then.0)),
        Err(_) => TimeSpec::of(0),
    }
}

/// See POSIX, `clock_settime()`, of CLOCK_REALTIME: of this process. Who waits for a time of it
/// waits for that time as it is now, and so do its timers; nothing else changes. O(threads),
/// and an entry for each that waits so. `EINVAL`: another clock, a negative time, or the
/// nanoseconds are not those of a second.
///
/// # Safety
/// `time` may be read.
#[cfg_attr(target_os = "none", unsafe(no_mangle))]
pub unsafe extern "C" fn clock_settime(clock: ClockId, time: *const TimeSpec) -> c_int {
    // SAFETY: by contract.
    let time = unsafe { time.read() };
    or_minus_one(match clock {
        REALTIME => time
            .length()
            .and_then(|nanoseconds| match nanoseconds.cast_signed() {
                ..0 => Err(Errno::EINVAL),
                _ => {
                    inside(|| AHEAD.0.set(Some(time.less(TimeSpec::of(time::now().0)))));
                    #[cfg(target_os = "none")]
                    was_set();
                    Ok(0)
                }
            }),
        _ => Err(Errno::EINVAL),
    })
}

#[cfg(target_os = "none")]
fn was_set() {
    for place in crate::thread::places() {
        let is_due = inside(|| {
            let waits = place.id.get() != 0 && place.by_realtime.get();
            place.is_late.set(waits);
            waits && !place.due.replace(true)
        });
        if is_due {
            signal::interrupt(place);
        }
    }
    crate::timer::clock_was_set();
}

/// `struct timeval`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct TimeValue {
    seconds: i64,
    microseconds: c_long,
}

/// See POSIX, `gettimeofday()`, on which `time()` is built. One entry.
///
/// # Safety
/// `time` is null or may be written.
#[cfg_attr(target_os = "none", unsafe(no_mangle))]
pub unsafe extern "C" fn gettimeofday(time: *mut TimeValue, _: *mut u8) -> c_int {
    let now = TimeSpec::of(time::now().0).plus(ahead());
    if !time.is_null() {
        let value = TimeValue {
            seconds: now.seconds,
            microseconds: now.nanoseconds / 1000,
        };
        // SAFETY: by contract.
        unsafe { time.write(value) };
    }
    0
}

twin!(
    "struct timespec",
    TimeSpec {
        seconds: "tv_sec",
        nanoseconds: "tv_nsec"
    }
);

twin!(
    "struct timeval",
    TimeValue {
        seconds: "tv_sec",
        microseconds: "tv_usec"
    }
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_their_nanoseconds_within_what_64_bits_hold() {
        let time = |seconds, nanoseconds| TimeSpec {
            seconds,
            nanoseconds,
        };
        for (spec, expected) in [
            (time(0, 0), Ok(0)),
            (time(2, 5), Ok(2_000_000_005)),
            (time(-1, 5), Ok(0)),
            (time(i64::MAX, 999_999_999), Ok(u64::MAX)),
            (time(0, 1_000_000_000), Err(Errno::EINVAL)),
            (time(0, -1), Err(Errno::EINVAL)),
        ] {
            assert_eq!(spec.nanoseconds(), expected, "{spec:?}");
        }
        assert_eq!(TimeSpec::of(2_000_000_005), time(2, 5));
    }
}
