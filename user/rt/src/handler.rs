//! Handlers: functions of the process that are called when something happens.
//!
//! A [`Timer`](crate::timer::Timer), [`Arrivals`](crate::mailbox::Arrivals) of a
//! mailbox and [`Interrupts`](crate::interrupt::Interrupts) of a line call theirs
//! in a thread of its own, which they create in one of the process's
//! `spare-threads`. So a handler is scheduled by its own priority, confined to its
//! process, and its time is charged to it, as of any thread; it may block, and then
//! what happens meanwhile waits for it. One handler is never called twice at once.
//!
//! (EMERALDS names a routine to the kernel for the same events: sections 6.1, 7.3
//! and 7.5.)

use core::cell::UnsafeCell;
use core::mem::MaybeUninit;

use giornata_abi::Error;

use crate::restartable::Word;
use crate::{Id, thread};

/// A thread that calls a handler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Handling(Id);

impl Handling {
    /// The id of the thread.
    pub const fn id(self) -> Id {
        self.0
    }

    /// Waits for the thread to end, frees its place, and returns why it waits for
    /// nothing any more: `EIDRM` or `ESRCH` when what it waited for was deleted,
    /// `EPERM` when the process may not wait for it; `None` if its handler ended it.
    /// Blocks. Errors as [`thread::join`].
    pub fn join(self) -> Result<Option<Error>, Error> {
        thread::join(self.0).map(Error::from_code)
    }
}

/// What a handler keeps between its calls, and whether a thread calls it.
///
/// The Seat Invariant: only the thread that set `taken` from 0 to 1 reaches the state,
/// and once it has created the handler's thread, only that.
pub(crate) struct Seat<S> {
    taken: Word,
    state: UnsafeCell<MaybeUninit<S>>,
}

// SAFETY: the Seat Invariant; the state goes to another thread.
unsafe impl<S: Send> Sync for Seat<S> {}

impl<S: Send> Seat<S> {
    /// A seat that nobody has.
    pub(crate) const fn new() -> Seat<S> {
        Seat {
            taken: Word::new(0),
            state: UnsafeCell::new(MaybeUninit::uninit()),
        }
    }

    /// Creates the thread, which begins at `body` with the address of `owner`, in
    /// which this seat lies. `EEXIST`: there has been one. Others as
    /// [`thread::create`].
    pub(crate) fn start<T: Sync>(
        &self,
        owner: &'static T,
        body: thread::Body,
        priority: u8,
        state: S,
    ) -> Result<Handling, Error> {
        if self.taken.swap(1) != 0 {
            return Err(Error::EEXIST);
        }
        let place = self.state.get().cast::<S>();
        // SAFETY: the Seat Invariant.
        unsafe { place.write(state) };
        let argument = core::ptr::from_ref(owner).expose_provenance();
        thread::create(body, argument, priority)
            .map(Handling)
            .inspect_err(|_| {
                // SAFETY: the Seat Invariant; it has just been written.
                unsafe { place.drop_in_place() };
                self.taken.store(0);
            })
    }

    /// The state.
    ///
    /// # Safety
    /// The caller is the thread that [`start`](Self::start) has created, and asks
    /// once.
    #[expect(clippy::mut_from_ref, reason = "unique by the Seat Invariant")]
    pub(crate) unsafe fn state(&'static self) -> &'static mut S {
        // SAFETY: the Seat Invariant.
        let state = unsafe { &mut *self.state.get() };
        // SAFETY: written before the thread was created.
        unsafe { state.assume_init_mut() }
    }
}

/// What a thread was created with: the owner of its seat.
///
/// # Safety
/// It is the argument that [`Seat::start`] of such an owner has created the calling
/// thread with.
pub(crate) unsafe fn owner<T>(argument: usize) -> &'static T {
    // SAFETY: by contract; it was made of a reference that lives for good.
    unsafe { &*core::ptr::with_exposed_provenance(argument) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::script::expect;
    use giornata_abi::call::Call;
    use std::sync::Arc;

    extern "C" fn body(_: usize) -> usize {
        0
    }

    #[test]
    fn a_handler_has_one_thread_and_a_failed_start_can_be_repeated() {
        static OWNER: u32 = 7;
        let seat = Seat::new();
        let entry = body as *const () as usize;
        let argument = (&raw const OWNER).addr();
        let script = expect([
            (
                Call::CreateThread,
                &[entry, argument, 9],
                Some(Error::EAGAIN),
            ),
            (Call::CreateThread, &[entry, argument, 9], None),
        ]);
        let state = Arc::new(());
        let again = seat.start(&OWNER, body, 9, state.clone());
        assert_eq!(again, Err(Error::EAGAIN));
        assert_eq!(Arc::strong_count(&state), 1, "the state was dropped");
        assert!(seat.start(&OWNER, body, 9, state.clone()).is_ok());
        let second = seat.start(&OWNER, body, 9, state.clone());
        assert_eq!(second, Err(Error::EEXIST));
        assert_eq!(Arc::strong_count(&state), 2, "the first state is there");
        script.finish();
    }
}
