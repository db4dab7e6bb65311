//! What threads wait by: objects of the kernel, which a mutex, a semaphore or a condition of
//! the program has only while a thread waits for it.
//!
//! The builder gives the process as many of each kind as it can have threads, so one is
//! always free. Which one that is, the mutex says itself; it may say so longer than it is
//! true, so whoever uses what it says without being counted here has to expect that another
//! has the object: the kernel then tells, since it knows the word that the object is bound
//! to.

use core::cell::Cell;

use giornata_rt::{Error, Id};

use crate::error::Errno;
use crate::lock::inside;
use crate::signal;
use crate::thread;

/// A kind of object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Mutex = 0,
    Semaphore = 1,
    Condition = 2,
}

/// An object, and what it is bound to: see `runtime/sync.c`.
#[repr(C)]
struct Binding {
    /// Address of the mutex, semaphore or condition; 0: none yet.
    user: Cell<usize>,
    /// Threads that wait for it, or are about to, or have not returned yet.
    waiting: Cell<u32>,
    /// Of a condition: how many of them have been woken, at least.
    woken: Cell<u32>,
}

// SAFETY: one hart runs the process, and bindings are reached inside only.
unsafe impl Sync for Binding {}

unsafe extern "C" {
    safe static giornata_posix_bindings: [Binding; 0];
    /// The slot of the first object, and how many there are of a kind.
    safe static giornata_posix_waiting: [u32; 2];
}

/// Which object something is bound to, or was last: 0: none, else its number, plus 1.
#[derive(Debug)]
#[repr(transparent)]
pub(crate) struct Bound(Cell<u16>);

impl Bound {
    /// None.
    pub(crate) const fn none() -> Bound {
        Bound(Cell::new(0))
    }

    /// The id of the object, by which it may be called; of any object if it is none's.
    pub(crate) fn id(&self) -> Id {
        let [first, _] = giornata_posix_waiting;
        Id::new((first as u16).wrapping_add(self.0.get()).wrapping_sub(1), 0)
    }

    fn binding(&self) -> Option<&'static Binding> {
        binding(usize::from(self.0.get()).checked_sub(1)?)
    }

    /// What lies at `user` has an object from now on; inside. O(threads). `ENOSYS`: there are
    /// none in this configuration.
    fn bind(&self, kind: Kind, user: usize) -> Result<&'static Binding, Errno> {
        let own = self.binding().filter(|own| own.user.get() == user);
        if let Some(own) = own {
            own.waiting.set(own.waiting.get() + 1);
            return Ok(own);
        }
        let [_, count] = giornata_posix_waiting;
        let first = kind as usize * count as usize;
        for number in first..first + count as usize {
            if let Some(free) = binding(number).filter(|own| own.waiting.get() == 0) {
                free.user.set(user);
                free.waiting.set(1);
                free.woken.set(0);
                self.0.set(number as u16 + 1);
                return Ok(free);
            }
        }
        Err(Errno::ENOSYS)
    }

    /// Whether threads wait for the condition at `user`, of which so many are woken now.
    /// O(1).
    pub(crate) fn wakes(&self, user: usize, more: u32) -> bool {
        let own = self.binding().filter(|own| own.user.get() == user);
        let own = own.filter(|own| own.waiting.get() != 0);
        own.is_some_and(|own| {
            inside(|| own.woken.set(own.woken.get().saturating_add(more)));
            true
        })
    }

    /// Whether threads wait for the condition at `user` that nobody has woken. O(1).
    pub(crate) fn is_waited_for(&self, user: usize) -> bool {
        let own = self.binding().filter(|own| own.user.get() == user);
        own.is_some_and(|own| own.waiting.get() > own.woken.get())
    }
}

impl Binding {
    /// One thread less waits; inside.
    fn release(&self) {
        let waiting = self.waiting.get().saturating_sub(1);
        self.waiting.set(waiting);
        self.woken.set(self.woken.get().min(waiting));
    }
}

fn binding(number: usize) -> Option<&'static Binding> {
    let [_, count] = giornata_posix_waiting;
    let first = (&raw const giornata_posix_bindings).cast::<Binding>();
    // SAFETY: there are so many of each kind; all zero is one that is free.
    (number < 3 * count as usize).then(|| unsafe { &*first.wrapping_add(number) })
}

/// What a thread waits for: its kind, and where it keeps its object.
pub(crate) struct Place<'a> {
    pub(crate) kind: Kind,
    pub(crate) bound: &'a Bound,
    /// Its address, or its word's.
    pub(crate) user: usize,
}

/// Runs `wait`, a call by which the caller waits, while all of `places` have objects. Does
/// not look at them afterwards: they may be no more. O(threads).
pub(crate) fn waiting<const N: usize>(
    places: [Place<'_>; N],
    wait: impl FnOnce() -> Result<(), Error>,
) -> Result<(), Errno> {
    let mut bound: [Option<&Binding>; N] = [None; N];
    inside(|| {
        for (bound, place) in bound.iter_mut().zip(&places) {
            *bound = Some(place.bound.bind(place.kind, place.user)?);
        }
        Ok::<(), Errno>(())
    })?;
    let result = wait();
    thread::own().by_realtime.set(false);
    inside(|| bound.iter().flatten().for_each(|own| own.release()));
    signal::check();
    Ok(result?)
}

/// How often a call is repeated whose object another had in the meantime: each time the
/// caller was preempted in between. After that the word itself is not what it should be.
const TRIES: u32 = 8;

/// Repeats what says `EINVAL` because its object is another's by now.
pub(crate) fn repeat(mut work: impl FnMut() -> Result<(), Errno>) -> Result<(), Errno> {
    let mut result = work();
    for _ in 1..TRIES {
        if result != Err(Errno::EINVAL) {
            break;
        }
        result = work();
    }
    result
}
