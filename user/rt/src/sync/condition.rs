//! Condition variables: a thread that has a mutex waits for others to change
//! what it protects.

use giornata_abi::{Error, Instant};

use super::{Guard, Locked, LockedGuard, PrivateGuard};
use crate::call;
use crate::handle::handle;

handle! {
    /// A condition variable. A signal wakes a waiter; if there is none, it is
    /// lost (EMERALDS 7.2).
    Condition
}

/// How a wait ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Woken {
    /// By a signal or a broadcast.
    Signalled,
    /// By its instant.
    TimedOut,
}

impl Condition {
    /// Gives the mutex back and waits for a signal, in one step; blocks. The
    /// mutex is the caller's again when it returns (POSIX `pthread_cond_wait`).
    /// Nothing but a signal ends the wait, but another thread may have had the
    /// mutex since: see [`wait_while`](Self::wait_while). O(what the caller has
    /// and threads that wait), and what the mutex costs.
    ///
    /// After an error the mutex is *not* the caller's. `EIDRM`: the condition or
    /// the mutex was deleted meanwhile. `ESRCH`: one of them has ended. `EPERM`:
    /// the process may not use the condition. That the mutex's owner ended is no
    /// failure: see [`Guard::owner_died`].
    pub fn wait<G: Held>(self, guard: G) -> Result<G, Error> {
        let (guard, _) = self.wait_until(guard, Instant::NEVER)?;
        Ok(guard)
    }

    /// Like [`wait`](Self::wait), until `instant` at most, and then for as long
    /// as the mutex is another's (POSIX `pthread_cond_timedwait`). That the
    /// instant came is no failure: the mutex is the caller's then too. If its
    /// owner ended as well, only that is reported.
    pub fn wait_until<G: Held>(self, guard: G, instant: Instant) -> Result<(G, Woken), Error> {
        let (mut guard, value) = guard.apart();
        let mutex = guard.mutex().id().0;
        let (owner_died, woken) = outcome(call::wait(self.id().0, mutex, instant))?;
        guard.set_owner_died(owner_died);
        Ok((G::join(guard, value)?, woken))
    }

    /// The same with a private mutex: its guard, until `instant` at most.
    pub fn wait_private<'a>(
        self,
        mut guard: PrivateGuard<'a>,
        instant: Instant,
    ) -> Result<(PrivateGuard<'a>, Woken), Error> {
        let mutex = guard.mutex();
        let (id, word) = (mutex.id().0, mutex.address());
        let waited = outcome(call::wait_word(self.id().0, id, instant, word));
        let (owner_died, woken) = match waited {
            Ok(outcome) => outcome,
            Err(error) => {
                // the mutex is not the caller's
                core::mem::forget(guard);
                return Err(error);
            }
        };
        guard.set_owner_died(owner_died);
        Ok((guard, woken))
    }

    /// Waits as long as `holds`, which is asked at first and after each signal.
    /// Errors and cost as [`wait`](Self::wait), for each.
    pub fn wait_while<G: Held>(
        self,
        mut guard: G,
        mut holds: impl FnMut(&mut G) -> bool,
    ) -> Result<G, Error> {
        while holds(&mut guard) {
            guard = self.wait(guard)?;
        }
        Ok(guard)
    }

    /// The most urgent thread that waits goes on when it has its mutex; nothing
    /// if none waits (POSIX `pthread_cond_signal`). The caller need not have the
    /// mutex. O(1), and what the mutex costs; does not block.
    ///
    /// `ESRCH`: the condition has ended. `EPERM`: the process may not use it.
    pub fn signal(self) -> Result<(), Error> {
        call::signal(self.id().0)
    }

    /// All threads that wait go on, each when it has its mutex (POSIX
    /// `pthread_cond_broadcast`). O(threads that wait), in pieces; does not
    /// block. Errors as [`signal`](Self::signal).
    pub fn broadcast(self) -> Result<(), Error> {
        call::broadcast(self.id().0)
    }
}

/// Whether the mutex came from an owner that ended, and how the wait ended.
fn outcome(answer: Result<(), Error>) -> Result<(bool, Woken), Error> {
    match answer {
        Ok(()) => Ok((false, Woken::Signalled)),
        Err(Error::EOWNERDEAD) => Ok((true, Woken::Signalled)),
        Err(Error::ETIMEDOUT) => Ok((false, Woken::TimedOut)),
        Err(error) => Err(error),
    }
}

/// What says that the calling thread has a mutex: a [`Guard`], or the guard of a
/// [`Locked`].
pub trait Held: part::Apart {}

impl<G: part::Apart> Held for G {}

mod part {
    use super::{Error, Guard, Locked, LockedGuard};

    /// A guard that is taken apart for a wait, and joined after it.
    pub trait Apart: Sized {
        /// What belongs to it beside the mutex.
        type Value;

        /// The value is given back, the mutex is not.
        fn apart(self) -> (Guard, Self::Value);

        /// The value is taken again; the mutex is given back if it cannot be.
        fn join(guard: Guard, value: Self::Value) -> Result<Self, Error>;
    }

    impl Apart for Guard {
        type Value = ();

        fn apart(self) -> (Guard, ()) {
            (self, ())
        }

        fn join(guard: Guard, (): ()) -> Result<Guard, Error> {
            Ok(guard)
        }
    }

    impl<'a, T> Apart for LockedGuard<'a, T> {
        type Value = &'a Locked<T>;

        fn apart(self) -> (Guard, &'a Locked<T>) {
            LockedGuard::apart(self)
        }

        fn join(guard: Guard, locked: &'a Locked<T>) -> Result<Self, Error> {
            locked.with(guard)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Mutex;
    use super::*;
    use crate::script::{EVER, expect};
    use giornata_abi::call::Call;

    const FULL: Condition = Condition::new(1);
    const BUS: Mutex = Mutex::new(0);

    #[test]
    fn a_wait_gives_the_mutex_to_the_kernel_and_has_it_again() {
        let script = expect([
            (Call::Lock, &[0, EVER, EVER], None),
            (Call::Wait, &[1, 0, EVER, EVER], None),
            (Call::Unlock, &[0], None),
        ]);
        let guard = FULL.wait(BUS.lock().unwrap()).unwrap();
        drop(guard);
        script.finish();
    }

    #[test]
    fn a_wait_that_times_out_has_the_mutex_all_the_same() {
        let script = expect([
            (Call::Lock, &[0, EVER, EVER], None),
            (Call::Wait, &[1, 0, 7, 0], Some(Error::ETIMEDOUT)),
            (Call::Unlock, &[0], None),
        ]);
        let (guard, woken) = FULL.wait_until(BUS.lock().unwrap(), Instant(7)).unwrap();
        assert_eq!((woken, guard.owner_died()), (Woken::TimedOut, false));
        drop(guard);
        script.finish();
    }

    #[test]
    fn a_wait_tells_that_the_owner_before_ended() {
        let script = expect([
            (Call::Lock, &[0, EVER, EVER], Some(Error::EOWNERDEAD)),
            (Call::Wait, &[1, 0, EVER, EVER], None),
            (Call::Wait, &[1, 0, EVER, EVER], Some(Error::EOWNERDEAD)),
            (Call::Unlock, &[0], None),
        ]);
        let guard = FULL.wait(BUS.lock().unwrap()).unwrap();
        assert!(!guard.owner_died(), "the one before this wait did not");
        assert!(FULL.wait(guard).unwrap().owner_died());
        script.finish();
    }

    #[test]
    fn after_a_wait_that_fails_nobody_has_the_mutex() {
        let script = expect([
            (Call::Lock, &[0, EVER, EVER], None),
            (Call::Wait, &[1, 0, EVER, EVER], Some(Error::ESRCH)),
            (Call::Unlock, &[0], None),
        ]);
        let failed = FULL.wait(BUS.lock().unwrap());
        assert_eq!(failed.err(), Some(Error::ESRCH));
        script.finish();
    }

    #[test]
    fn a_thread_waits_again_while_what_it_waits_for_has_not_come() {
        static COUNT: Locked<u32> = Locked::new(BUS, 0);
        let script = expect([
            (Call::Lock, &[0, EVER, EVER], None),
            (Call::Wait, &[1, 0, EVER, EVER], None),
            (Call::Wait, &[1, 0, EVER, EVER], None),
            (Call::Unlock, &[0], None),
        ]);
        let counted = FULL.wait_while(COUNT.lock().unwrap(), |count| {
            **count += 1;
            **count < 3
        });
        assert_eq!(*counted.unwrap(), 3);
        script.finish();
    }

    #[test]
    fn signals_name_the_condition() {
        let script = expect([
            (Call::Signal, &[1], None),
            (Call::Broadcast, &[1], Some(Error::EPERM)),
        ]);
        assert_eq!(FULL.signal(), Ok(()));
        assert_eq!(FULL.broadcast(), Err(Error::EPERM));
        script.finish();
    }
}
