//! Timers: periodic waits without drift, and handlers that are called at instants
//! (EMERALDS, section 7.5; POSIX `timer_settime`).
//!
//! A thread that has nothing else to do waits for the next instant itself:
//!
//! ```
//! # extern crate giornata_rt;
//! use giornata_rt::timer::Periodic;
//! use giornata_rt::{Duration, Error, Instant};
//!
//! fn sample() -> Result<(), Error> {
//!     let mut every = Periodic::new(Instant(5_000_000), Duration::from_millis(10))?;
//!     loop {
//!         let expiry = every.wait()?;
//!         // work for `expiry.at`; `expiry.missed` instants had gone by unused
//!     }
//! }
//! ```
//!
//! A [`Timer`] calls a function. It needs a semaphore of the system file and one of
//! the process's `spare-threads`:
//!
//! ```
//! # extern crate giornata_rt;
//! use giornata_rt::timer::{Expiry, Timer};
//! use giornata_rt::{Duration, Error, time};
//!
//! # const SEMAPHORE_BLINK: giornata_rt::sync::Semaphore = giornata_rt::sync::Semaphore::new(0);
//! static BLINK: Timer<bool> = Timer::new(SEMAPHORE_BLINK, blink);
//!
//! fn blink(is_on: &mut bool, _: Expiry) {
//!     *is_on = !*is_on;
//! }
//!
//! fn begin() -> Result<(), Error> {
//!     BLINK.start(30, false)?; // at priority 30
//!     BLINK.set_periodic(time::now(), Duration::from_millis(500))
//! }
//! ```

mod order;
mod periodic;

use giornata_abi::{Duration, Error, Instant};

use crate::handler::{Handling, Seat, owner};
use crate::sync::Semaphore;
use crate::time;

use order::Orders;
use periodic::Series;

pub use periodic::{Expiry, Periodic};

/// A timer that calls a handler with what the handler keeps between its calls.
///
/// A `static` of it, and a semaphore of the system file of its own with `most = 1`,
/// by which a thread that sets it wakes the timer's thread. See [`crate::handler`]
/// for what a handler is.
///
/// Instants are absolute, so nothing drifts: the n-th expiry is at the first instant
/// and n periods, however late a call was. A handler that runs for longer than its
/// period is called again when it is done, once, for the last instant that has come,
/// and gets the number that it has missed.
pub struct Timer<S: 'static = ()> {
    semaphore: Semaphore,
    handler: fn(&mut S, Expiry),
    orders: Orders,
    seat: Seat<S>,
}

impl<S: Send> Timer<S> {
    /// A timer that is not set.
    pub const fn new(semaphore: Semaphore, handler: fn(&mut S, Expiry)) -> Timer<S> {
        Timer {
            semaphore,
            handler,
            orders: Orders::new(),
            seat: Seat::new(),
        }
    }

    /// Creates the thread that calls the handler, at this priority. The timer may
    /// have been set before. O(1); does not block. The thread ends when the
    /// semaphore is deleted.
    ///
    /// `EAGAIN`: the process has no place left for a thread. `EPERM`: the priority
    /// is above what the process is granted. `EEXIST`: the timer has been started.
    pub fn start(&'static self, priority: u8, state: S) -> Result<Handling, Error> {
        self.seat.start(self, Timer::<S>::run, priority, state)
    }

    /// One expiry at this instant, at once if it has passed, in place of what the
    /// timer was set to. O(1), a kernel entry; does not block.
    ///
    /// `EAGAIN`: six other threads have lost the processor in this call; the timer
    /// stays as it was. After other errors it is not set. `ESRCH`: the semaphore has
    /// ended. `EPERM`: the process may not use it, or the caller is a task or an
    /// upcall.
    pub fn set(&self, at: Instant) -> Result<(), Error> {
        self.order(Series::single(at))
    }

    /// An expiry at this instant and after each period, in place of what the timer
    /// was set to. Cost and errors as [`set`](Self::set); `EINVAL`: the period is 0, and
    /// the timer stays as it was.
    pub fn set_periodic(&self, first: Instant, period: Duration) -> Result<(), Error> {
        self.order(Series::periodic(first, period)?)
    }

    fn order(&self, series: Series) -> Result<(), Error> {
        self.orders.post(series)?;
        match self.semaphore.release() {
            // it is full: the thread will see this, too
            Ok(()) | Err(Error::EOVERFLOW) => Ok(()),
            Err(error) => {
                self.cancel();
                Err(error)
            }
        }
    }

    /// No expiries any more. `true`: the timer was set and its handler does not run,
    /// so it is not called any more until the timer is set again. `false`: it was not
    /// set, or its handler is running; this call of it, maybe the caller's own, is
    /// the last. O(1), no kernel entry; does not block. At the instant for which it
    /// was set its thread may wake, for nothing.
    pub fn cancel(&self) -> bool {
        self.orders.cancel()
    }

    extern "C" fn run(argument: usize) -> usize {
        // SAFETY: `start` created this thread.
        unsafe { owner::<Timer<S>>(argument) }.serve() as usize
    }

    /// What its thread does; returns why it ends.
    fn serve(&'static self) -> Error {
        // SAFETY: `start` created the calling thread, which asks once.
        let state = unsafe { self.seat.state() };
        let mut series = None;
        loop {
            series = self.orders.take(series);
            let until = series.as_ref().map_or(Instant::NEVER, Series::next);
            match (self.semaphore.acquire_until(until), &mut series) {
                // it has been set
                (Ok(()), _) => {}
                // the latter if the instant is that of the system's start
                (Err(Error::ETIMEDOUT | Error::EBUSY), Some(series)) => {
                    if self.orders.begin(series.is_single()) {
                        (self.handler)(state, series.expire(time::now()));
                        self.orders.end();
                    }
                }
                (Err(error), _) => return error,
            }
        }
    }
}

#[cfg(test)]
mod tests;
