//! Mutexes, semaphores and condition variables, by which threads of one or of
//! several processes synchronise.
//!
//! The system file names the objects and says which process may use which; the
//! builder writes a constant for each. What the threads of *one* process share is
//! best put into a [`Locked`]:
//!
//! ```
//! # extern crate giornata_rt;
//! use giornata_rt::Error;
//! use giornata_rt::sync::{Condition, Locked, Mutex};
//!
//! # const MUTEX_BOX: Mutex = Mutex::new(0);
//! # const CONDITION_FILLED: Condition = Condition::new(1);
//! static LETTER: Locked<Option<u32>> = Locked::new(MUTEX_BOX, None);
//!
//! fn send(letter: u32) -> Result<(), Error> {
//!     *LETTER.lock()? = Some(letter);
//!     CONDITION_FILLED.signal()
//! }
//!
//! fn receive() -> Result<Option<u32>, Error> {
//!     let empty = LETTER.lock()?;
//!     let mut letter = CONDITION_FILLED.wait_while(empty, |letter| letter.is_none())?;
//!     Ok(letter.take())
//! }
//! ```
//!
//! Only threads make these calls: tasks and upcalls get `EPERM`. Each
//! is one entry into the kernel; a configuration without objects returns
//! `ENOSYS`. After EMERALDS (Zuberi and Shin), sections 7.1 and 7.2; where that
//! is silent, after POSIX.1-2024.

mod condition;
mod locked;
mod mutex;
mod private;
mod queue;
mod semaphore;

#[cfg(target_os = "none")]
pub use crate::control::{CEILING_AT_HAND, PENDING_AT_HAND, WORD_AT_HAND, word_at_hand};
pub use condition::{Condition, Held, Woken};
pub use locked::{Locked, LockedGuard};
pub use mutex::{Guard, Mutex};
pub use private::{PrivateGuard, PrivateMutex, PrivateSemaphore, word_of_caller};
pub use queue::PrivateQueue;
pub use semaphore::Semaphore;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Id;
    use crate::script::{logical, made};
    use giornata_abi::Error;
    use giornata_abi::call::{Answer, Call};

    #[test]
    fn a_slot_is_made_anew_and_named_by_its_new_id() {
        crate::host::set_hook(|request| {
            let [argument, ..] = logical(&request);
            match Call::from_number(request.number) {
                Some(Call::CreateObject) if argument == 7 => made(Id::new(7, 3)),
                Some(Call::OpenObject) if argument == 7 => made(Id::new(7, 4)),
                Some(Call::DeleteObject) if argument == 0x3_0007 => Answer::DONE.into(),
                _ => Answer::error(Error::ENOSYS).into(),
            }
        });
        let slot = Semaphore::new(7);
        assert_eq!(slot.id(), Id::new(7, 0));
        let anew = slot.create().unwrap();
        assert_eq!(anew.id(), Id::new(7, 3));
        assert_eq!(anew.open().map(Semaphore::id), Ok(Id::new(7, 4)));
        assert_eq!(anew.delete(), Ok(()));
        crate::host::clear_hook();
    }
}
