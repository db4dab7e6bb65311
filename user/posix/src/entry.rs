//! Calls by which the caller waits. A signal ends them (`EINTR`), one too that comes just
//! before: it does not get lost between the last look and the call.

use giornata_abi::call::Call;
use giornata_rt::call::halves;
use giornata_rt::clock::Ticks;
use giornata_rt::{Error, Id};

use crate::signal;
use crate::thread;

/// What a call returns.
#[repr(C)]
struct Answer {
    error: usize,
    value: usize,
}

unsafe extern "C" {
    /// See `runtime/frame.c`.
    safe fn giornata_posix_enter(
        a: usize,
        b: usize,
        c: usize,
        d: usize,
        e: usize,
        f: usize,
        due: usize,
        number: usize,
    ) -> Answer;
    /// Addresses in it.
    fn giornata_posix_begin();
    fn giornata_posix_call();
    fn giornata_posix_refused();
}

/// Where a frame goes back to that has interrupted the caller at `pc`.
pub(crate) fn back(pc: usize) -> usize {
    let begin = giornata_posix_begin as *const () as usize;
    let call = giornata_posix_call as *const () as usize;
    match pc {
        pc if (begin..=call).contains(&pc) => giornata_posix_refused as *const () as usize,
        pc => pc,
    }
}

#[inline(always)]
fn enter(call: Call, [a, b, c, d, e, f]: [usize; 6]) -> Result<usize, Error> {
    let due = thread::own().due.as_ptr().expose_provenance();
    let Answer { error, value } = giornata_posix_enter(a, b, c, d, e, f, due, call as usize);
    match Error::from_code(error) {
        None => Ok(value),
        Some(error) => Err(error),
    }
}

/// Takes a mutex or a semaphore, by its word.
#[inline(always)]
pub(crate) fn lock(object: Id, until: Ticks, word: usize) -> Result<(), Error> {
    let ((slot, serial), (low, high)) = (object.parts(), halves(until.0));
    let locked = enter(Call::Lock, [slot, serial, low, high, word, 0]);
    signal::check();
    locked.map(drop)
}

/// Waits for a condition, with a mutex by its word.
pub(crate) fn wait(condition: Id, mutex: Id, until: Ticks, word: usize) -> Result<(), Error> {
    let ((slot, serial), (low, high)) = (condition.parts(), halves(until.0));
    let (mutex, _) = mutex.parts();
    enter(Call::Wait, [slot, serial, mutex, low, high, word]).map(drop)
}

/// Waits for the end of a thread, until a tick; 0: not at all. What it ended with.
pub(crate) fn join(thread: Id, until: Ticks) -> Result<usize, Error> {
    let ((slot, serial), (low, high)) = (thread.parts(), halves(until.0));
    let joined = enter(Call::JoinThread, [slot, serial, low, high, 0, 0]);
    signal::check();
    joined
}

/// Waits for a tick.
pub(crate) fn sleep(until: Ticks) -> Result<(), Error> {
    // (never is none that the kernel sleeps until)
    let (low, high) = halves(until.0.min(u64::MAX / 2));
    let slept = enter(Call::Sleep, [low, high, 0, 0, 0, 0]);
    signal::check();
    slept.map(drop)
}
