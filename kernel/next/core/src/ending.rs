//! What the end of a thread means for what it owns and what it waits for.

use giornata_abi::Error;

use crate::object::kind;
use crate::thread::state;
use crate::{Kernel, Machine, Object, Process, Ref, Thread, same};

impl Kernel {
    /// The owner of a mutex has ended: who takes it next is told.
    #[inline(never)]
    pub(crate) fn abandon(&self, mutex: Ref<Object>) {
        mutex.owner.set(None);
    }

    /// A thread that ends of itself gives back one thing that it owns. Returns whether
    /// it had one. O(mutexes of the process).
    #[inline(never)]
    pub(crate) fn give_up_one<M: Machine>(&self, me: Ref<Thread>) -> bool {
        if me.is(state::PARKED_ON) {
            self.unpark(me);
            return true;
        }
        if self.end_service::<M>(me) {
            return true;
        }
        for mutex in me.process.mutexes {
            if mutex.owner.get().is_some_and(|owner| same(owner, me)) {
                self.abandon(mutex);
                return true;
            }
        }
        false
    }

    /// A process that ends gives back its next mutex, and what it has to do with messages.
    /// Returns 0 behind the last.
    pub(crate) fn give_up_next<M: Machine>(&self, process: Ref<Process>, index: usize) -> u32 {
        let count = process.mutexes.len();
        let Some(mutex) = process.mutexes.get(index) else {
            return self.end_mail::<M>(process, index.wrapping_sub(count));
        };
        let is_owner = |owner: Ref<Thread>| same(owner.process, process);
        if mutex.owner.get().is_some_and(is_owner) {
            self.abandon(mutex);
        }
        1
    }

    /// A thread that ends does not want anything any more.
    #[inline(never)]
    pub(crate) fn cancel_wait<M: Machine>(&self, thread: Ref<Thread>) {
        let Some(wanted) = thread.wants.get() else {
            return;
        };
        if wanted.kind.get() != kind::MUTEX {
            return self.end_client::<M>(thread);
        }
        thread.wants.set(None);
        {
            wanted.count.set(wanted.count.get().wrapping_sub(1));
        }
        if thread.is(state::PARKED)
            && let Some(owner) = wanted.owner.get()
        {
            self.unpark(owner);
        }
    }

    /// The chain from `waiter` has come to an owner whose process is not alive: a mutex
    /// passes to the waiter, which is told. A server may be restarted: that work is
    /// done in the waiter's place.
    #[inline(never)]
    pub(crate) fn meet_dead_owner(
        &self,
        waiter: Ref<Thread>,
        wanted: Ref<Object>,
        owner: Ref<Thread>,
    ) -> Ref<Thread> {
        if wanted.kind.get() != kind::MUTEX {
            return owner.process.reaper;
        }
        self.take_over(waiter, wanted);
        waiter.answer(Error::EOWNERDEAD as usize);
        waiter
    }
}
