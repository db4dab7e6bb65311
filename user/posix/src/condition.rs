//! Conditions. A signal makes no entry while nobody waits.

use core::cell::Cell;
use core::ffi::c_int;

use giornata_rt::call;

use crate::cancel;
use crate::entry;
use crate::error::{Errno, number};
use crate::mutex::state::DESTROYED;
use crate::mutex::{Mutex, Until};
use crate::time::{ClockId, REALTIME, TimeSpec};
use crate::twin::twin;
use crate::waiting::Bound;

/// What `state` says of one that is initialised.
const INITIALISED: u8 = DESTROYED;

/// `pthread_cond_t`. What takes it for a mutex finds a destroyed one.
#[derive(Debug)]
#[repr(C)]
pub struct Condition {
    /// That of a mutex which nobody can have.
    _word: Cell<u32>,
    bound: Bound,
    /// The clock of timed waits; 0: CLOCK_REALTIME.
    clock: Cell<u8>,
    state: Cell<u8>,
}

/// Who wakes.
#[derive(Clone, Copy)]
enum Whom {
    One,
    All,
}

impl Condition {
    fn check(&self) -> Result<(), Errno> {
        match self.state.get() {
            INITIALISED => Ok(()),
            _ => Err(Errno::EINVAL),
        }
    }

    fn clock(&self) -> ClockId {
        match self.clock.get() {
            0 => REALTIME,
            clock => clock as ClockId,
        }
    }

    fn wait(&self, mutex: &Mutex, until: Until<'_>) -> Result<(), Errno> {
        self.check()?;
        let tick = until.tick()?;
        let depth = mutex.lay_down()?;
        let waited = self.bound.waiting(self.address(), |id| {
            mutex.wait(|mutex, word| entry::wait(id, mutex, tick, word))
        });
        mutex.take_up(depth, waited)
    }

    /// Wakes who waits: a thread that waits for another condition by now may be woken, too.
    fn wake(&self, whom: Whom) -> Result<(), Errno> {
        self.check()?;
        let id = self.bound.id().0;
        match whom {
            Whom::One if self.bound.wakes(self.address(), 1) => call::signal(id)?,
            Whom::All if self.bound.wakes(self.address(), u32::MAX) => call::broadcast(id)?,
            _ => {}
        }
        Ok(())
    }

    fn address(&self) -> usize {
        (&raw const *self).expose_provenance()
    }
}

/// See POSIX, `pthread_cond_wait()`: two entries if the mutex has no waiters. Blocks, and then
/// for the mutex. `EPERM`: the caller does not have the mutex. `EOWNERDEAD`,
/// `ENOTRECOVERABLE`, `EDEADLK`: of the mutex, as of [`pthread_mutex_lock`](super::mutex).
///
/// # Safety
/// A condition and a mutex lie there.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pthread_cond_wait(
    condition: *const Condition,
    mutex: *const Mutex,
) -> c_int {
    // SAFETY: by contract.
    let condition = unsafe { &*condition };
    // SAFETY: by contract.
    let mutex = unsafe { &*mutex };
    number(cancel::point(|| condition.wait(mutex, Until::Never)))
}

/// See POSIX, `pthread_cond_timedwait()`: as [`pthread_cond_wait`], until the condition's clock
/// shows `time`: `ETIMEDOUT`. `EINVAL`: the nanoseconds are not those of a second.
///
/// # Safety
/// As [`pthread_cond_wait`]; `time` may be read.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pthread_cond_timedwait(
    condition: *const Condition,
    mutex: *const Mutex,
    time: *const TimeSpec,
) -> c_int {
    // SAFETY: by contract.
    let condition = unsafe { &*condition };
    // SAFETY: by contract.
    let mutex = unsafe { &*mutex };
    // SAFETY: by contract.
    let time = unsafe { &*time };
    let until = Until::At(condition.clock(), time);
    number(cancel::point(|| condition.wait(mutex, until)))
}

/// See POSIX.1-2024, `pthread_cond_clockwait()`: as [`pthread_cond_timedwait`], until a clock shows
/// `time`, whatever that of the condition is. `EINVAL`, too: it is none that one can wait for.
///
/// # Safety
/// As [`pthread_cond_timedwait`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pthread_cond_clockwait(
    condition: *const Condition,
    mutex: *const Mutex,
    clock: ClockId,
    time: *const TimeSpec,
) -> c_int {
    // SAFETY: by contract.
    let condition = unsafe { &*condition };
    // SAFETY: by contract.
    let mutex = unsafe { &*mutex };
    // SAFETY: by contract.
    let until = Until::At(clock, unsafe { &*time });
    number(cancel::point(|| condition.wait(mutex, until)))
}

/// Waits as [`pthread_cond_clockwait`], or as [`pthread_cond_wait`] if `time` is null, and is no
/// point of cancellation: for what is built on conditions.
///
/// # Safety
/// As there.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn giornata_posix_await(
    condition: *const Condition,
    mutex: *const Mutex,
    clock: ClockId,
    time: *const TimeSpec,
) -> c_int {
    // SAFETY: by contract.
    let condition = unsafe { &*condition };
    // SAFETY: by contract.
    let mutex = unsafe { &*mutex };
    // SAFETY: by contract.
    let until = match unsafe { time.as_ref() } {
        None => Until::Never,
        Some(time) => Until::At(clock, time),
    };
    number(condition.wait(mutex, until))
}

/// See POSIX, `pthread_cond_signal()`. Does not block. No entry if nobody waits.
///
/// # Safety
/// A condition lies at `condition`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pthread_cond_signal(condition: *const Condition) -> c_int {
    // SAFETY: by contract.
    number(unsafe { &*condition }.wake(Whom::One))
}

/// See POSIX, `pthread_cond_broadcast()`. Does not block. No entry if nobody waits.
///
/// # Safety
/// As [`pthread_cond_signal`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pthread_cond_broadcast(condition: *const Condition) -> c_int {
    // SAFETY: by contract.
    number(unsafe { &*condition }.wake(Whom::All))
}

/// See POSIX, `pthread_cond_destroy()`. No entry. `EBUSY`: a thread waits. `EINVAL`: it is
/// destroyed already.
///
/// # Safety
/// As [`pthread_cond_signal`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pthread_cond_destroy(condition: *const Condition) -> c_int {
    // SAFETY: by contract.
    let condition = unsafe { &*condition };
    number(condition.check().and_then(|()| {
        if condition.bound.is_waited_for(condition.address()) {
            return Err(Errno::EBUSY);
        }
        condition.state.set(0);
        Ok(())
    }))
}

twin!(
    "pthread_cond_t",
    Condition {
        _word: "__word",
        bound: "__bound",
        clock: "__clock",
        state: "__state"
    }
);
