//! What the end of a thread means for what it owns and what it waits for.

use crate::sched::thread::state;
use crate::sync::object::kind;
use crate::{Object, Ref, System, Thread};

impl System {
    /// The owner of a mutex has ended: who hangs on it asks anew, and if that are all, who
    /// takes the mutex next is told.
    #[inline(never)]
    pub(crate) fn abandon(&self, mutex: Ref<Object>, owner: Ref<Thread>) {
        self.unpark(owner);
        if !owner.is(state::PARKED_ON) {
            self.release(mutex);
            mutex.kind.set(mutex.kind.get() | kind::ABANDONED);
        }
    }

    /// Who owns a mutex and lives.
    #[inline(never)]
    pub(crate) fn owner_of(&self, mutex: Ref<Object>) -> Option<Ref<Thread>> {
        let owner = mutex.owner.get()?;
        if !owner.process.is_alive() && !owner.still_runs() {
            self.abandon(mutex, owner);
        }
        mutex.owner.get()
    }

    /// A thread that ends gives back one thing that it owns, lets some threads go that
    /// hang on it, or leaves a mailbox. Returns whether there was one. O(1).
    #[inline(never)]
    pub(crate) fn give_up_one(&self, thread: Ref<Thread>) -> bool {
        match thread.held.get() {
            Some(mutex) => self.abandon(mutex, thread),
            None if thread.is(state::PARKED_ON) => self.unpark(thread),
            None => return self.leave_one(thread),
        }
        true
    }

    /// A thread wants nothing any more. One that was parked hangs nowhere, and has yet to
    /// be queued. O(depth).
    #[inline(never)]
    pub(crate) fn cancel_wait(&self, thread: Ref<Thread>) {
        match thread.wants.get() {
            Some(wanted) if wanted.made & kind::KIND != kind::MUTEX => self.end_client(thread),
            Some(mutex) => {
                self.stop_wanting(thread, mutex);
                self.unhang(thread);
            }
            None => {}
        }
    }

    /// A thread does not want a mutex any more.
    #[inline(always)]
    pub(crate) fn stop_wanting(&self, thread: Ref<Thread>, mutex: Ref<Object>) {
        if thread.is_linked() {
            mutex.count.set(mutex.count.get().wrapping_sub(1));
        }
        self.set_wants(thread, None);
    }
}
