//! What threads wait by: objects of the kernel, which a mutex, a semaphore or a condition of
//! the program has only while a thread waits for it.
//!
//! The builder gives the process as many of each kind as it can have threads, so one is
//! always free. Which one a mutex or a semaphore has had last, it says itself; it may say so
//! longer than it is true. Who uses what it says finds out from the kernel, which knows for
//! which word an object is in use, and for which word another is: `EINVAL`. Then the next one
//! is tried. A condition has no word, so its object is counted here.

use core::cell::Cell;

use giornata_rt::{Error, Id};

use crate::error::Errno;
use crate::lock::inside;
use crate::signal;
use crate::time::has_waited;
use crate::twin::twin;

/// A kind of object with a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Mutex = 0,
    Semaphore = 1,
}

/// The conditions come behind both.
const CONDITIONS: u16 = 2;

/// Which condition of the program an object has: see `runtime/sync.c`.
#[repr(C)]
struct Binding {
    /// Its address; 0: none yet.
    user: Cell<usize>,
    /// Threads that wait for it, or are about to, or have not returned yet.
    waiting: Cell<u32>,
    /// How many of them have been woken, at least.
    woken: Cell<u32>,
}

// SAFETY: one thread of the process runs at a time, and bindings are reached inside only.
unsafe impl Sync for Binding {}

unsafe extern "C" {
    safe static giornata_posix_bindings: [Binding; 0];
    /// The slot of the first object, and how many there are of a kind.
    safe static giornata_posix_waiting: [u16; 2];
}

/// Which object something with a word has had last: its slot, plus 1; 0: none.
#[derive(Debug)]
#[repr(transparent)]
pub(crate) struct WordObject(Cell<u16>);

impl WordObject {
    /// None.
    pub(crate) const fn none() -> WordObject {
        WordObject(Cell::new(0))
    }

    /// Makes a call that names an object of this kind, with the one that the word at hand has
    /// or else comes to have. As `call`; `ENOSYS`: there are none in this configuration.
    #[inline(always)]
    pub(crate) fn call(
        &self,
        kind: Kind,
        mut call: impl FnMut(Id) -> Result<(), Error>,
    ) -> Result<(), Errno> {
        let mut tries = 0;
        loop {
            let slot = self.0.get();
            if slot != 0 {
                match call(Id::new(slot.wrapping_sub(1), 0)) {
                    Ok(()) => return Ok(()),
                    Err(error) => self.goes_on(kind, slot, &mut tries, error)?,
                }
            } else {
                self.goes_on(kind, 0, &mut tries, Error::EINVAL)?;
            }
        }
    }

    /// The object in `slot` was refused with an error: another may not be.
    #[cold]
    #[inline(never)]
    fn goes_on(&self, kind: Kind, slot: u16, tries: &mut u16, error: Error) -> Result<(), Errno> {
        let [first, count] = giornata_posix_waiting;
        // (twice around: others take objects meanwhile)
        if !matches!(error, Error::EINVAL | Error::ESRCH) || *tries > 2 * count {
            return Err(error.into());
        }
        if count == 0 {
            return Err(Errno::ENOSYS);
        }
        *tries += 1;
        // (unless another thread has found the right one)
        if self.0.get() == slot {
            let first = first + kind as u16 * count;
            let next = slot.wrapping_sub(first);
            self.0.set(first + 1 + if next < count { next } else { 0 });
        }
        Ok(())
    }
}

/// Which object a condition has, or had last: its number, plus 1; 0: none.
#[derive(Debug)]
#[repr(transparent)]
pub(crate) struct Bound(Cell<u16>);

impl Bound {
    /// The id of the object, by which it may be called; of any object if it is none's.
    pub(crate) fn id(&self) -> Id {
        let [first, count] = giornata_posix_waiting;
        let first = first.wrapping_add(CONDITIONS * count).wrapping_sub(1);
        Id::new(first.wrapping_add(self.0.get()), 0)
    }

    fn binding(&self, user: usize) -> Option<&'static Binding> {
        let own = bindings().get(usize::from(self.0.get()).checked_sub(1)?)?;
        (own.user.get() == user).then_some(own)
    }

    /// The condition at `user` has an object from now on; inside. O(threads). `ENOSYS`: there
    /// are none in this configuration.
    fn bind(&self, user: usize) -> Result<&'static Binding, Errno> {
        if let Some(own) = self.binding(user) {
            own.waiting.set(own.waiting.get() + 1);
            return Ok(own);
        }
        let mut all = bindings().iter().zip(1..);
        let free = all.find(|(own, _)| own.waiting.get() == 0);
        let (free, number) = free.ok_or(Errno::ENOSYS)?;
        free.user.set(user);
        free.waiting.set(1);
        free.woken.set(0);
        self.0.set(number);
        Ok(free)
    }

    /// Runs `wait`, a call by which the caller waits for the condition at `user`, while that
    /// has an object. Does not look at it afterwards: it may be no more. O(threads).
    pub(crate) fn waiting(
        &self,
        user: usize,
        wait: impl FnOnce(Id) -> Result<(), Errno>,
    ) -> Result<(), Errno> {
        let bound = inside(|| self.bind(user))?;
        let result = wait(self.id());
        has_waited();
        inside(|| bound.release());
        signal::check();
        result
    }

    /// Whether threads wait for the condition at `user`, of which so many are woken now.
    /// O(1).
    pub(crate) fn wakes(&self, user: usize, more: u32) -> bool {
        let own = self.binding(user).filter(|own| own.waiting.get() != 0);
        own.is_some_and(|own| {
            inside(|| own.woken.set(own.woken.get().saturating_add(more)));
            true
        })
    }

    /// Whether threads wait for the condition at `user` that nobody has woken. O(1).
    pub(crate) fn is_waited_for(&self, user: usize) -> bool {
        let own = self.binding(user);
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

fn bindings() -> &'static [Binding] {
    let [_, count] = giornata_posix_waiting;
    let first = (&raw const giornata_posix_bindings).cast::<Binding>();
    // SAFETY: there are so many; all zero is one that is free.
    unsafe { core::slice::from_raw_parts(first, count.into()) }
}

twin!(
    "struct binding",
    Binding {
        user: "user",
        waiting: "waiting",
        woken: "woken"
    }
);
