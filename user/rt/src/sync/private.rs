//! Semaphores of one process, which its threads take and give without entering
//! the kernel as long as nobody has to wait.
//!
//! A word of the process holds their state (see [`giornata_abi::word`]). A thread
//! that finds a mutex taken makes a call, and from there on it is as any: the owner
//! inherits the urgency of its waiters.

use core::marker::PhantomData;

use giornata_abi::word::{LOCKED, MOST};
use giornata_abi::{Error, Instant};

use crate::Id;
use crate::restartable::Word;
use crate::{call, control};

/// A mutex of one process. A `static` of it, and one only for each object of the
/// system file. C declares the same.
#[repr(C)]
pub struct PrivateMutex {
    id: Id,
    word: Word,
}

impl PrivateMutex {
    /// The mutex of this number in the system file, which is `private` there.
    pub const fn new(index: u16) -> PrivateMutex {
        PrivateMutex {
            id: Id::new(index, 0),
            word: Word::new(0),
        }
    }

    /// Takes the mutex; blocks while another thread has it, as
    /// [`Mutex::lock`](super::Mutex::lock) does, with its errors. Without a call,
    /// in about twenty instructions, if nobody has it.
    #[inline]
    pub fn lock(&self) -> Result<PrivateGuard<'_>, Error> {
        self.lock_until(Instant::NEVER)
    }

    /// Takes the mutex if nobody has it, else `EBUSY`; does not block.
    #[inline]
    pub fn try_lock(&self) -> Result<PrivateGuard<'_>, Error> {
        self.lock_until(Instant::START)
    }

    /// Takes the mutex; blocks until `instant` at most.
    #[inline]
    pub fn lock_until(&self, instant: Instant) -> Result<PrivateGuard<'_>, Error> {
        let mine = word_of_caller();
        let owner_died = match self.word.compare_exchange(0, mine) {
            Ok(_) => false,
            Err(_) => self.lock_by_call(instant)?,
        };
        Ok(PrivateGuard {
            mutex: self,
            mine,
            owner_died,
            of_one_thread: PhantomData,
        })
    }

    /// Returns whether the owner before ended without giving it back.
    #[cold]
    fn lock_by_call(&self, instant: Instant) -> Result<bool, Error> {
        match call::lock_word(self.id.0, instant, self.address()) {
            Ok(()) => Ok(false),
            Err(Error::EOWNERDEAD) => Ok(true),
            Err(error) => Err(error),
        }
    }

    /// Gives the mutex back that the caller took with a guard which it has
    /// forgotten. Does not block.
    ///
    /// `EPERM`: the caller does not have it. `ESRCH`: it has ended.
    #[inline]
    pub fn unlock(&self) -> Result<(), Error> {
        self.give_back(word_of_caller())
    }

    /// Gives the mutex back; its word says `mine` while nobody waits.
    #[inline]
    fn give_back(&self, mine: u32) -> Result<(), Error> {
        match self.word.compare_exchange(mine, 0) {
            Ok(_) => Ok(()),
            Err(_) => call::unlock_word(self.id.0, self.address()),
        }
    }

    /// Its id, for calls.
    pub fn id(&self) -> Id {
        self.id
    }

    /// Where its word lies, for calls.
    pub fn address(&self) -> usize {
        (&raw const self.word).expose_provenance()
    }
}

/// What the word of a private mutex says while the caller has it and nobody waits. O(1).
#[inline]
pub fn word_of_caller() -> u32 {
    control::own_word() | LOCKED
}

/// The calling thread has a private mutex; it gives it back when this is dropped.
#[must_use = "the mutex is given back when this is dropped"]
pub struct PrivateGuard<'a> {
    mutex: &'a PrivateMutex,
    /// What the word says while nobody waits.
    mine: u32,
    owner_died: bool,
    /// Only the thread that has a mutex can give it back: neither `Send` nor `Sync`.
    of_one_thread: PhantomData<*mut ()>,
}

impl PrivateGuard<'_> {
    /// As [`Guard::owner_died`](super::Guard::owner_died).
    pub fn owner_died(&self) -> bool {
        self.owner_died
    }

    /// The mutex.
    pub(super) fn mutex(&self) -> &PrivateMutex {
        self.mutex
    }

    /// Notes how the mutex came back after a wait.
    pub(super) fn set_owner_died(&mut self, owner_died: bool) {
        self.owner_died = owner_died;
    }
}

impl Drop for PrivateGuard<'_> {
    #[inline]
    fn drop(&mut self) {
        // What a body has left by a call, or by a panic, the machine does not unwind.
        #[cfg(not(target_os = "none"))]
        if std::thread::panicking() {
            return;
        }
        // Refused only if the object has ended meanwhile.
        let _ = self.mutex.give_back(self.mine);
    }
}

/// A semaphore of one process that counts, up to the limit in the system file, 32,767
/// at most. A `static` of it, and one only for each object of the system file. C
/// declares the same.
#[repr(C)]
pub struct PrivateSemaphore {
    id: Id,
    word: Word,
}

impl PrivateSemaphore {
    /// The semaphore of this number in the system file, which is `private` there,
    /// with this count.
    ///
    /// # Panics
    /// When compiled with a count above 32,767.
    pub const fn new(index: u16, count: u32) -> PrivateSemaphore {
        assert!(count <= MOST, "the count of a private semaphore");
        PrivateSemaphore {
            id: Id::new(index, 0),
            word: Word::new(count),
        }
    }

    /// Takes one; blocks while there is none. Errors as of
    /// [`Semaphore`](super::Semaphore).
    #[inline]
    pub fn acquire(&self) -> Result<(), Error> {
        self.acquire_until(Instant::NEVER)
    }

    /// Takes one if there is any, else `EBUSY`; does not block.
    #[inline]
    pub fn try_acquire(&self) -> Result<(), Error> {
        self.acquire_until(Instant::START)
    }

    /// Takes one; blocks until `instant` at most.
    #[inline]
    pub fn acquire_until(&self, instant: Instant) -> Result<(), Error> {
        // (what is waited for is in the kernel's hands, and more than any count)
        match self.word.take() {
            true => Ok(()),
            false => self.acquire_by_call(instant),
        }
    }

    #[cold]
    fn acquire_by_call(&self, instant: Instant) -> Result<(), Error> {
        call::lock_word(self.id.0, instant, self.address())
    }

    /// Gives one; the most urgent thread that waits goes on. Does not block. The
    /// first to give one makes a call, which learns the limit.
    ///
    /// `EOVERFLOW`: there are as many as its limit in the system file.
    #[inline]
    pub fn release(&self) -> Result<(), Error> {
        // (waited for, it is more than any limit; which that is the kernel says)
        match self.word.give() {
            true => Ok(()),
            false => self.release_by_call(),
        }
    }

    #[cold]
    fn release_by_call(&self) -> Result<(), Error> {
        call::unlock_word(self.id.0, self.address())
    }

    pub(super) fn address(&self) -> usize {
        (&raw const self.word).expose_provenance()
    }

    /// Sets its word as the kernel would.
    #[cfg(test)]
    pub(super) fn set_word_for_test(&self, word: u32) {
        self.word.store(word);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::script::{EVER, expect};
    use giornata_abi::call::Call;
    use giornata_abi::word::{LIMIT, WAITED_FOR};

    #[test]
    fn a_free_mutex_asks_the_kernel_for_the_own_id_at_most() {
        static MUTEX: PrivateMutex = PrivateMutex::new(3);
        let script = expect([(Call::Own, &[], None)]);
        let guard = MUTEX.lock().unwrap();
        assert_eq!(MUTEX.word.load(), LOCKED);
        drop(guard);
        assert_eq!(MUTEX.word.load(), 0);
        drop(script);
    }

    #[test]
    fn a_mutex_that_is_waited_for_is_given_back_by_a_call() {
        static MUTEX: PrivateMutex = PrivateMutex::new(3);
        let address = MUTEX.address();
        let script = expect([
            (Call::Own, &[], None),
            (Call::Unlock, &[3, address], None),
            (Call::Own, &[], None),
            (
                Call::Lock,
                &[3, EVER, EVER, address],
                Some(Error::EOWNERDEAD),
            ),
            (Call::Unlock, &[3, address], None),
        ]);
        let guard = MUTEX.lock().unwrap();
        MUTEX.word.store(LOCKED | WAITED_FOR);
        drop(guard);
        let guard = MUTEX.lock().unwrap();
        assert!(guard.owner_died());
        drop(guard);
        drop(script);
    }

    #[test]
    fn a_mutex_whose_guard_is_forgotten_is_given_back_by_name() {
        static MUTEX: PrivateMutex = PrivateMutex::new(3);
        let address = MUTEX.address();
        let script = expect([
            (Call::Own, &[], None),
            (Call::Own, &[], None),
            (Call::Own, &[], None),
            (Call::Unlock, &[3, address], Some(Error::EPERM)),
        ]);
        core::mem::forget(MUTEX.lock().unwrap());
        assert_eq!((MUTEX.unlock(), MUTEX.word.load()), (Ok(()), 0));
        assert_eq!(MUTEX.unlock(), Err(Error::EPERM));
        script.finish();
    }

    #[test]
    fn a_semaphore_counts_without_calls_until_it_is_empty() {
        static SLOTS: PrivateSemaphore = PrivateSemaphore::new(5, 2);
        SLOTS.word.store(2 | 2 << LIMIT);
        let script = expect([(Call::Lock, &[5, 0, 0, SLOTS.address()], Some(Error::EBUSY))]);
        assert_eq!(SLOTS.acquire(), Ok(()));
        assert_eq!(SLOTS.try_acquire(), Ok(()));
        assert_eq!(SLOTS.try_acquire(), Err(Error::EBUSY));
        assert_eq!(SLOTS.release(), Ok(()));
        assert_eq!(SLOTS.word.load(), 1 | 2 << LIMIT);
        drop(script);
    }

    #[test]
    fn a_semaphore_gives_none_beyond_its_limit_without_the_kernel() {
        static SLOTS: PrivateSemaphore = PrivateSemaphore::new(5, 1);
        let unlock = [5, SLOTS.address()];
        let script = expect([
            (Call::Unlock, &unlock, None),
            (Call::Unlock, &unlock, Some(Error::EOVERFLOW)),
        ]);
        // nobody has said how many there may be
        assert_eq!((SLOTS.release(), SLOTS.word.load()), (Ok(()), 1));
        SLOTS.word.store(1 | 2 << LIMIT);
        assert_eq!(SLOTS.release(), Ok(()));
        assert_eq!(SLOTS.release(), Err(Error::EOVERFLOW));
        assert_eq!(SLOTS.word.load(), 2 | 2 << LIMIT);
        script.finish();
    }

    #[test]
    fn a_semaphore_that_is_waited_for_is_the_kernels() {
        static SLOTS: PrivateSemaphore = PrivateSemaphore::new(5, 0);
        SLOTS.word.store(WAITED_FOR | 2 << LIMIT);
        let script = expect([(Call::Unlock, &[5, SLOTS.address()], None)]);
        assert_eq!(SLOTS.release(), Ok(()));
        drop(script);
    }
}
