//! A thread can tell, before it waits for something, which mutex it will lock
//! when it goes on (EMERALDS, section 7: the semaphore that the next call will
//! acquire). If another has that mutex by then, the thread need not run to find
//! out: it waits for the mutex at once, and two switches are saved.
//!
//! ```text
//!             event                    unlock
//!  told:       |  owner goes on          |  thread runs, and has the mutex
//!  not told:   |  thread runs, locks, waits; owner goes on; ...
//! ```
//! What is told stands in the thread's control page, and so does the answer
//! ([`ControlPage::next_lock`](giornata_abi::control::ControlPage)). It is a hint:
//! whoever tells wrong has a mutex earlier than it asked for it.

use crate::core_state::Core;
use crate::dispatch::End;
use crate::hardware::Hardware;
use crate::services::Reply;
use giornata_abi::Error;
use giornata_abi::control::{NEXT_LOCK, TAKEN, TAKEN_FROM_DEAD};
use giornata_abi::id::NONE;
use giornata_abi::system::{OBJECT_PRIVATE, ObjectKind, RIGHT_USE};

impl<H: Hardware> Core<'_, H> {
    /// A thread goes on, or waits for the mutex that it has told of.
    #[inline]
    pub(crate) fn unblock(&mut self, thread: u16) {
        let told = self.hardware.load_control(thread, NEXT_LOCK);
        if told == 0 || !self.await_next_lock(thread, !told) {
            self.make_ready(thread, End::Tail);
        }
    }

    /// A thread waits for the mutex that it would ask for next, if another has it;
    /// answers whether it does.
    #[cold]
    #[inline(never)]
    fn await_next_lock(&mut self, thread: u16, id: u32) -> bool {
        let Ok(mutex) = self.object_of(thread, id as usize, RIGHT_USE) else {
            return false;
        };
        let is_mutex = self.is_a(mutex, ObjectKind::Mutex);
        let is_private = self.object_entry(mutex).flags & OBJECT_PRIVATE != 0;
        let owner = self.services.objects.at(mutex).owner;
        if !is_mutex || is_private || owner == NONE || self.is_above_ceiling(thread, mutex) {
            return false;
        }
        // nor does it wait for itself
        if self.is_waited_for(thread, owner) {
            return false;
        }
        let tie = self.services.ties.at_mut(thread);
        (tie.verdict, tie.hinted) = (None, true);
        self.await_for_ever(thread, mutex);
        true
    }

    /// The wait of a thread for the mutex that it had told of is over; what it is
    /// answered is what it waited for before.
    #[cold]
    #[inline(never)]
    pub(crate) fn end_hinted(&mut self, thread: u16, reply: Result<Reply, Error>) {
        self.services.ties.at_mut(thread).hinted = false;
        let taken = match reply {
            Ok(_) => TAKEN,
            Err(Error::EOWNERDEAD) => TAKEN_FROM_DEAD,
            // its own call will tell it
            Err(_) => 0,
        };
        self.hardware.store_control(thread, NEXT_LOCK, taken);
        self.make_ready(thread, End::Tail);
    }
}
