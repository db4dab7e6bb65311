//! Data of one process behind a mutex.

use core::cell::UnsafeCell;
use core::ops::{Deref, DerefMut};

use giornata_abi::{Error, Instant};

use super::{Guard, Mutex};
use crate::restartable::Word;

/// A value that the threads of one process share: the owner of the mutex has the
/// value. Processes have each their own, even if they share the mutex.
///
/// The Taken Invariant: only the thread that set `taken` from 0 to 1 reaches the value,
/// until it sets it back. The mutex makes threads wait, and this makes it sound:
/// a mutex that is given back or deleted while some thread still has the value
/// gives it to nobody else.
pub struct Locked<T> {
    mutex: Mutex,
    taken: Word,
    value: UnsafeCell<T>,
}

// SAFETY: the Taken Invariant; the value goes from thread to thread.
unsafe impl<T: Send> Sync for Locked<T> {}

impl<T> Locked<T> {
    /// This value behind this mutex.
    pub const fn new(mutex: Mutex, value: T) -> Locked<T> {
        Locked {
            mutex,
            taken: Word::new(0),
            value: UnsafeCell::new(value),
        }
    }

    /// The value, when no other thread has it; blocks as [`Mutex::lock`] does,
    /// with its errors and its cost.
    ///
    /// `EOWNERDEAD`: a thread of the process ended while it had the value, which
    /// nobody gets any more.
    pub fn lock(&self) -> Result<LockedGuard<'_, T>, Error> {
        self.lock_until(Instant::NEVER)
    }

    /// The value, if nobody has it; does not block. `EBUSY`: somebody has it.
    /// Others as [`lock`](Self::lock).
    pub fn try_lock(&self) -> Result<LockedGuard<'_, T>, Error> {
        self.lock_until(Instant::START)
    }

    /// The value; blocks until `instant` at most, as [`Mutex::lock_until`] does.
    /// Errors as there and as [`lock`](Self::lock).
    pub fn lock_until(&self, instant: Instant) -> Result<LockedGuard<'_, T>, Error> {
        self.with(self.mutex.lock_until(instant)?)
    }

    /// The value for the owner of the mutex; gives the mutex back if it cannot be had.
    pub(super) fn with(&self, guard: Guard) -> Result<LockedGuard<'_, T>, Error> {
        let taken = Taken::of(self).ok_or(Error::EOWNERDEAD)?;
        Ok(LockedGuard { taken, guard })
    }
}

/// That `taken` of a value is set, by this.
struct Taken<'a, T>(&'a Locked<T>);

impl<'a, T> Taken<'a, T> {
    fn of(locked: &'a Locked<T>) -> Option<Taken<'a, T>> {
        let before = locked.taken.swap(1);
        // made only where it was free: dropping one frees the value
        (before == 0).then(|| Taken(locked))
    }
}

impl<T> Drop for Taken<'_, T> {
    fn drop(&mut self) {
        self.0.taken.store(0);
    }
}

/// The calling thread has the value of a [`Locked`]; it gives it back when this
/// is dropped.
#[must_use = "the value is given back when this is dropped"]
pub struct LockedGuard<'a, T> {
    // given back before the mutex is
    taken: Taken<'a, T>,
    guard: Guard,
}

impl<'a, T> LockedGuard<'a, T> {
    /// As [`Guard::owner_died`]: a process that had the mutex ended, or an
    /// earlier run of this one. The value is whole.
    pub fn owner_died(&self) -> bool {
        self.guard.owner_died()
    }

    /// The value is given back, the mutex is not.
    pub(super) fn apart(self) -> (Guard, &'a Locked<T>) {
        (self.guard, self.taken.0)
    }
}

impl<T> Deref for LockedGuard<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        // SAFETY: the Taken Invariant.
        unsafe { &*self.taken.0.value.get() }
    }
}

impl<T> DerefMut for LockedGuard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: the Taken Invariant.
        unsafe { &mut *self.taken.0.value.get() }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Condition, Semaphore};
    use super::*;
    use crate::script::{EVER, expect};
    use giornata_abi::call::{Answer, Call};

    #[test]
    fn the_value_is_reached_between_lock_and_unlock() {
        static COUNT: Locked<u32> = Locked::new(Mutex::new(4), 6);
        let script = expect([
            (Call::Lock, &[4, EVER, EVER], None),
            (Call::Unlock, &[4], None),
            (Call::Lock, &[4, 0, 0], None),
            (Call::Unlock, &[4], None),
        ]);
        *COUNT.lock().unwrap() += 1;
        assert_eq!(*COUNT.try_lock().unwrap(), 7);
        script.finish();
    }

    #[test]
    fn another_thread_can_have_the_value_while_its_owner_waits() {
        static COUNT: Locked<u32> = Locked::new(Mutex::new(4), 6);
        crate::host::set_hook(|request| {
            let is_free = Taken::of(&COUNT).is_some();
            match Call::from_number(request.number) {
                Some(Call::Null) => assert!(!is_free),
                _ => assert!(is_free),
            }
            Answer::DONE
        });
        let count = COUNT.lock().unwrap();
        crate::call::null().unwrap();
        let count = Condition::new(5).wait(count).unwrap();
        crate::call::null().unwrap();
        drop(count);
        crate::host::clear_hook();
    }

    #[test]
    fn a_value_is_given_to_one_even_if_its_mutex_is_given_back_behind_its_back() {
        let count = Locked::new(Mutex::new(4), 6);
        let script = expect([
            (Call::Lock, &[4, EVER, EVER], None),
            (Call::Unlock, &[4], None),
            (Call::Lock, &[4, EVER, EVER], None),
            (Call::Unlock, &[4], None),
            (Call::Lock, &[4, EVER, EVER], None),
            (Call::Unlock, &[4], None),
            (Call::Unlock, &[4], Some(Error::EPERM)),
            (Call::Lock, &[4, EVER, EVER], None),
            (Call::Unlock, &[4], None),
        ]);
        let first = count.lock().unwrap();
        Semaphore::new(4).release().unwrap();
        for _ in 0..2 {
            assert_eq!(count.lock().err(), Some(Error::EOWNERDEAD));
        }
        assert_eq!(*first, 6);
        drop(first);
        assert!(count.lock().is_ok());
        script.finish();
    }

    #[test]
    fn a_value_that_is_never_given_back_stays_away() {
        let count = Locked::new(Mutex::new(4), 6);
        let script = expect([
            (Call::Lock, &[4, EVER, EVER], None),
            (Call::Lock, &[4, EVER, EVER], Some(Error::EOWNERDEAD)),
            (Call::Unlock, &[4], None),
        ]);
        core::mem::forget(count.lock().unwrap());
        assert_eq!(count.lock().err(), Some(Error::EOWNERDEAD));
        script.finish();
    }

    #[test]
    fn after_a_restart_the_value_is_whole_and_its_first_owner_is_told() {
        let count = Locked::new(Mutex::new(4), 6);
        let script = expect([
            (Call::Lock, &[4, EVER, EVER], Some(Error::EOWNERDEAD)),
            (Call::Unlock, &[4], None),
        ]);
        let guard = count.lock().unwrap();
        assert!(guard.owner_died());
        assert_eq!(*guard, 6);
        drop(guard);
        script.finish();
    }
}
