//! Mutexes: one thread has it, the others wait.

use core::marker::PhantomData;

use giornata_abi::control::{TAKEN, TAKEN_FROM_DEAD};
use giornata_abi::{Error, Instant};

use crate::handle::handle;
use crate::{call, control};

handle! {
    /// A mutex. The owner inherits the urgency of its most urgent waiter, or
    /// runs at the mutex's ceiling, as the system file says (EMERALDS 7.1; POSIX
    /// calls these `PTHREAD_PRIO_INHERIT` and `PTHREAD_PRIO_PROTECT`).
    ///
    /// It belongs to no memory: what it protects is the threads' agreement. For
    /// data of one process there is [`Locked`](super::Locked).
    Mutex
}

impl Mutex {
    /// Takes the mutex; blocks while another thread has it. The most urgent that
    /// waits gets it first. O(what its owner has), for each owner in the chain.
    ///
    /// That the owner before ended without giving it back is no failure
    /// here: see [`Guard::owner_died`].
    ///
    /// `EDEADLK`: the caller has it, or has something that its owner waits for,
    /// directly or not. `EINVAL`: the caller is more urgent than its ceiling.
    /// `EIDRM`: it was deleted meanwhile. `ESRCH`: it has ended. `EPERM`: the
    /// process may not use it.
    pub fn lock(self) -> Result<Guard, Error> {
        self.lock_until(Instant::NEVER)
    }

    /// Takes the mutex if nobody has it; does not block. O(what the caller has).
    ///
    /// `EBUSY`: somebody has it. Others as [`lock`](Self::lock).
    pub fn try_lock(self) -> Result<Guard, Error> {
        self.lock_until(Instant::START)
    }

    /// Waits for something by `wait`, a call that blocks, and takes the mutex then.
    /// The kernel knows of it before: if another thread has the mutex when what was
    /// waited for comes, this one does not run to find out, which saves two switches
    /// (EMERALDS 7). What `wait` returned comes back whether the mutex was taken or
    /// not. For a ceiling mutex that is free, or a process that may not use the
    /// mutex, the hint has no effect.
    ///
    /// Errors and cost as [`lock`](Self::lock).
    pub fn lock_after<T>(self, wait: impl FnOnce() -> T) -> (T, Result<Guard, Error>) {
        control::tell_next_lock(self.id().0);
        let answer = wait();
        let taken = control::ask_next_lock();
        if taken != TAKEN && taken != TAKEN_FROM_DEAD {
            return (answer, self.lock());
        }
        let guard = Guard {
            mutex: self,
            owner_died: taken == TAKEN_FROM_DEAD,
            of_one_thread: PhantomData,
        };
        (answer, Ok(guard))
    }

    /// Takes the mutex; blocks until `instant` at most. A free mutex is taken
    /// however late it is (POSIX `pthread_mutex_timedlock`).
    ///
    /// `ETIMEDOUT`: the instant has come. Others as [`lock`](Self::lock); at
    /// [`Instant::START`] as [`try_lock`](Self::try_lock).
    pub fn lock_until(self, instant: Instant) -> Result<Guard, Error> {
        let owner_died = match call::lock(self.id().0, instant) {
            Ok(()) => false,
            Err(Error::EOWNERDEAD) => true,
            Err(error) => return Err(error),
        };
        Ok(Guard {
            mutex: self,
            owner_died,
            of_one_thread: PhantomData,
        })
    }
}

/// The calling thread has a mutex; it gives it back when this is dropped.
/// O(what it has); the most urgent thread that waits goes on.
#[must_use = "the mutex is given back when this is dropped"]
#[derive(Debug)]
pub struct Guard {
    mutex: Mutex,
    owner_died: bool,
    /// Only the thread that has a mutex can give it back: neither `Send` nor `Sync`.
    of_one_thread: PhantomData<*mut ()>,
}

impl Guard {
    /// The mutex.
    pub fn mutex(&self) -> Mutex {
        self.mutex
    }

    /// Whether the owner before ended without giving it back, so that what it
    /// protects may be half changed. Reported once: not to the next owner (as
    /// after POSIX `pthread_mutex_consistent`).
    pub fn owner_died(&self) -> bool {
        self.owner_died
    }

    /// Notes how the mutex came back after a wait.
    pub(super) fn set_owner_died(&mut self, owner_died: bool) {
        self.owner_died = owner_died;
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        // What a body has left by a call, or by a panic, the machine does not unwind.
        #[cfg(not(target_os = "none"))]
        if std::thread::panicking() {
            return;
        }
        // Refused only if the thread has lost it: the mutex, or the condition that
        // the thread waited for, has ended.
        let _ = call::unlock(self.mutex.id().0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::script::{EVER, expect};
    use giornata_abi::call::Call;

    #[test]
    fn a_guard_gives_the_mutex_back_when_it_is_dropped() {
        let script = expect([
            (Call::Lock, &[3, EVER, EVER], None),
            (Call::Null, &[], None),
            (Call::Unlock, &[3], None),
        ]);
        let guard = Mutex::new(3).lock().unwrap();
        assert!(!guard.owner_died());
        call::null().unwrap();
        drop(guard);
        script.finish();
    }

    #[test]
    fn a_mutex_whose_owner_ended_is_taken_all_the_same() {
        let script = expect([
            (Call::Lock, &[3, EVER, EVER], Some(Error::EOWNERDEAD)),
            (Call::Unlock, &[3], None),
        ]);
        assert!(Mutex::new(3).lock().unwrap().owner_died());
        script.finish();
    }

    #[test]
    fn a_mutex_that_was_not_taken_is_not_given_back() {
        let script = expect([
            (Call::Lock, &[3, 0, 0], Some(Error::EBUSY)),
            (Call::Lock, &[3, 5, 1], Some(Error::ETIMEDOUT)),
        ]);
        assert_eq!(Mutex::new(3).try_lock().err(), Some(Error::EBUSY));
        let late = Mutex::new(3).lock_until(Instant(0x1_0000_0005));
        assert_eq!(late.err(), Some(Error::ETIMEDOUT));
        script.finish();
    }

    #[test]
    fn a_mutex_that_was_told_of_is_locked_after_the_wait() {
        let script = expect([
            (Call::Null, &[], Some(Error::EAGAIN)),
            (Call::Lock, &[3, EVER, EVER], None),
            (Call::Unlock, &[3], None),
        ]);
        let (answer, guard) = Mutex::new(3).lock_after(call::null);
        assert_eq!(answer, Err(Error::EAGAIN));
        drop(guard.unwrap());
        script.finish();
    }

    #[test]
    fn a_panic_leaves_the_mutex_to_the_kernel() {
        let script = expect([(Call::Lock, &[3, EVER, EVER], None)]);
        let panicked = std::panic::catch_unwind(|| {
            let _guard = Mutex::new(3).lock();
            panic!("body");
        });
        assert!(panicked.is_err());
        script.finish();
    }
}
