//! What the end of a thread means for what it owns and what it waits for.

use crate::object::kind;
use crate::thread::state;
use crate::{Kernel, Object, Ref, Thread};

impl Kernel {
    /// The owner of a mutex has ended: who takes it next is told.
    #[inline(never)]
    pub(crate) fn abandon(&self, mutex: Ref<Object>) {
        self.release(mutex);
        mutex.kind.set(mutex.kind.get() | kind::ABANDONED);
    }

    /// A thread that ends gives back one thing that it owns, or lets some threads go that
    /// hang on it. Returns whether there was one. O(1).
    #[inline(never)]
    pub(crate) fn give_up_one(&self, thread: Ref<Thread>) -> bool {
        if thread.is(state::PARKED_ON) {
            self.unpark(thread);
        } else if let Some(mutex) = thread.held.get() {
            self.abandon(mutex);
        } else {
            return false;
        }
        true
    }

    /// A thread wants nothing any more. One that was parked hangs nowhere, and has yet to
    /// be queued. O(depth).
    #[inline(never)]
    pub(crate) fn cancel_wait(&self, thread: Ref<Thread>) {
        let Some(wanted) = thread.wants.get() else {
            return;
        };
        if thread.is_linked() && wanted.made & kind::KIND == kind::MUTEX {
            wanted.count.set(wanted.count.get().wrapping_sub(1));
        }
        let owner = wanted.owner.get().filter(|_| thread.is(state::PARKED));
        if let Some(owner) = owner {
            self.unhang(thread, owner);
        }
        thread.wants.set(None);
        if let Some(owner) = owner {
            self.settle_place(owner, true);
        }
    }
}
