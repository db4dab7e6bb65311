//! Semaphores that count.

use giornata_abi::{Error, Instant};

use crate::call;
use crate::handle::handle;

handle! {
    /// A semaphore that counts. Whoever may use it may give to it, whether or
    /// not it has taken: it says how many of something there are, or how often
    /// something has happened. It lends no urgency; for mutual exclusion there
    /// is [`Mutex`](super::Mutex).
    Semaphore
}

impl Semaphore {
    /// Takes one of the count; blocks while there is none. The most urgent that
    /// waits gets the next one (EMERALDS 7.1; POSIX `sem_wait`). O(1) when there
    /// is one, O(threads that wait) when there is none.
    ///
    /// `EIDRM`: it was deleted meanwhile. `ESRCH`: it has ended. `EPERM`: the
    /// process may not use it.
    pub fn acquire(self) -> Result<(), Error> {
        self.acquire_until(Instant::NEVER)
    }

    /// Takes one of the count if there is one; does not block. O(1).
    ///
    /// `EBUSY`: there is none. Others as [`acquire`](Self::acquire).
    pub fn try_acquire(self) -> Result<(), Error> {
        self.acquire_until(Instant::START)
    }

    /// Takes one of the count; blocks until `instant` at most. What is there is
    /// taken however late it is (POSIX `sem_timedwait`).
    ///
    /// `ETIMEDOUT`: the instant has come. Others as [`acquire`](Self::acquire);
    /// at [`Instant::START`] as [`try_acquire`](Self::try_acquire).
    pub fn acquire_until(self, instant: Instant) -> Result<(), Error> {
        call::lock(self.id().0, instant)
    }

    /// Gives one: to the most urgent thread that waits, or to the count. What is
    /// given is not lost (EMERALDS 7.2; POSIX `sem_post`). O(1); does not block.
    ///
    /// `EOVERFLOW`: the count is at its highest, and stays there. `ESRCH`: it has
    /// ended. `EPERM`: the process may not use it.
    pub fn release(self) -> Result<(), Error> {
        call::unlock(self.id().0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::script::{EVER, expect};
    use giornata_abi::call::Call;

    #[test]
    fn each_way_to_acquire_waits_until_its_instant() {
        let script = expect([
            (Call::Lock, &[2, EVER, EVER], None),
            (Call::Lock, &[2, 0, 0], Some(Error::EBUSY)),
            (Call::Lock, &[2, 9, 0], Some(Error::ETIMEDOUT)),
        ]);
        let slots = Semaphore::new(2);
        assert_eq!(slots.acquire(), Ok(()));
        assert_eq!(slots.try_acquire(), Err(Error::EBUSY));
        assert_eq!(slots.acquire_until(Instant(9)), Err(Error::ETIMEDOUT));
        script.finish();
    }

    #[test]
    fn a_full_semaphore_refuses_another() {
        let script = expect([
            (Call::Unlock, &[2], None),
            (Call::Unlock, &[2], Some(Error::EOVERFLOW)),
        ]);
        assert_eq!(Semaphore::new(2).release(), Ok(()));
        assert_eq!(Semaphore::new(2).release(), Err(Error::EOVERFLOW));
        script.finish();
    }
}
