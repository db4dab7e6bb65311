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
//! Only threads make these calls: tasks and upcalls are answered `EPERM`. Each
//! is one entry into the kernel; a configuration without objects answers
//! `ENOSYS`. After EMERALDS (Zuberi and Shin), sections 7.1 and 7.2; where that
//! is silent, after POSIX.1-2024.

/// A handle of one kind of object.
macro_rules! handle {
    ($(#[$attribute:meta])* $name:ident) => {
        $(#[$attribute])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub struct $name(giornata_abi::Id);

        impl $name {
            /// The object of slot `index` that is there at the boot; the builder
            /// writes these constants. A wrong kind shows when it is used: `EINVAL`.
            pub const fn new(index: u16) -> $name {
                $name(giornata_abi::Id::new(index, 0))
            }

            /// Its id.
            pub const fn id(self) -> giornata_abi::Id {
                self.0
            }

            /// Makes the object of this slot anew, and answers the handle of the
            /// new one. O(1); does not block.
            ///
            /// `EEXIST`: there is one. `EPERM`: the process may not manage it.
            /// `ESRCH`: no such slot.
            pub fn create(self) -> Result<$name, giornata_abi::Error> {
                let id = crate::call::create_object(self.0.index())?;
                Ok($name(giornata_abi::Id(id)))
            }

            /// The handle of the object that is in this slot now, whoever created
            /// it. O(1); does not block.
            ///
            /// `ESRCH`: there is none. `EPERM`: the process may not use it.
            pub fn open(self) -> Result<$name, giornata_abi::Error> {
                let id = crate::call::open_object(self.0.index())?;
                Ok($name(giornata_abi::Id(id)))
            }

            /// Ends the object: those that wait for it are answered `EIDRM`, and
            /// its handles name nothing any more. O(threads that wait), in
            /// pieces; does not block.
            ///
            /// `EPERM`: the process may not manage it. `ESRCH`: it has ended.
            pub fn delete(self) -> Result<(), giornata_abi::Error> {
                crate::call::delete_object(self.0.0)
            }
        }
    };
}

mod condition;
mod locked;
mod mutex;
mod private;
mod semaphore;

pub use condition::{Condition, Held, Woken};
pub use locked::{Locked, LockedGuard};
pub use mutex::{Guard, Mutex};
pub use private::{PrivateGuard, PrivateMutex, PrivateSemaphore};
pub use semaphore::Semaphore;

#[cfg(test)]
mod script {
    use core::cell::Cell;
    use giornata_abi::Error;
    use giornata_abi::call::{Answer, Call};
    use std::rc::Rc;
    use std::vec::Vec;

    /// The low half of "for ever", and the high one.
    pub(super) const EVER: usize = u32::MAX as usize;

    /// A kernel that expects certain calls; told that it goes, it has had all.
    pub(super) struct Script {
        made: Rc<Cell<usize>>,
        expected: usize,
    }

    /// Expects these calls in this order: the first arguments, and the error
    /// that is the answer.
    pub(super) fn expect<const N: usize>(calls: [(Call, &[usize], Option<Error>); N]) -> Script {
        let calls = calls.map(|(call, arguments, error)| (call, Vec::from(arguments), error));
        let made = Rc::new(Cell::new(0));
        let count = made.clone();
        crate::host::set_hook(move |request| {
            let (call, arguments, error) = &calls[count.get()];
            count.set(count.get() + 1);
            assert_eq!(Call::from_number(request.number), Some(*call));
            assert_eq!(&request.arguments[..arguments.len()], arguments);
            error.map_or(Answer::DONE, Answer::error)
        });
        Script { made, expected: N }
    }

    impl Script {
        /// All calls have been made.
        #[track_caller]
        pub(super) fn finish(self) {
            crate::host::clear_hook();
            assert_eq!(self.made.get(), self.expected);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use giornata_abi::call::{Answer, Call};
    use giornata_abi::{Error, Id};

    #[test]
    fn a_slot_is_made_anew_and_named_by_its_new_id() {
        crate::host::set_hook(|request| {
            let [argument, ..] = request.arguments;
            match Call::from_number(request.number) {
                Some(Call::CreateObject) if argument == 7 => Answer::word(0x3_0007),
                Some(Call::OpenObject) if argument == 7 => Answer::word(0x4_0007),
                Some(Call::DeleteObject) if argument == 0x3_0007 => Answer::DONE,
                _ => Answer::error(Error::ENOSYS),
            }
        });
        let slot = Semaphore::new(7);
        assert_eq!(slot.id(), Id::new(7, 0));
        let made = slot.create().unwrap();
        assert_eq!(made.id(), Id::new(7, 3));
        assert_eq!(made.open().map(Semaphore::id), Ok(Id::new(7, 4)));
        assert_eq!(made.delete(), Ok(()));
        crate::host::clear_hook();
    }
}
