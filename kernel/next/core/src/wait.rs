//! Waiting for an object: its list, blocking, waking.
//!
//! The threads that wait for an object are a ring through `next` and `prev`, most
//! urgent first, among equals in the order of asking.

use core::hint::cold_path;

use crate::ready::{link_before, unlink};
use crate::thread::state;
use crate::{Kernel, Machine, Object, Outcome, Rank, Ref, Thread, differ, same};

impl Kernel {
    /// The caller waits in a list, or for an instant; another thread runs.
    ///
    /// The usual case without a call: it has the top for itself.
    #[inline(always)]
    pub(crate) fn block(&self, me: Ref<Thread>, object: Ref<Object>) -> Outcome {
        let rank = me.rank.get();
        let below = rank.below.get();
        me.waits.set(Some(object));
        let (0, Some(below)) = (self.shares_top(me, rank), below) else {
            cold_path();
            return self.remove_and_go(me);
        };
        // (an open rank has a head)
        let Some(head) = below.head.get() else {
            return self.remove_and_go(me);
        };
        let wants = head.wants.get();
        rank.head.set(None);
        below.above.set(None);
        self.top.set(below);
        self.slot.set(head);
        self.run_wanting(head, wants)
    }

    #[inline(never)]
    extern "C" fn remove_and_go(&self, me: Ref<Thread>) -> Outcome {
        self.remove(me);
        self.go()
    }

    /// The thread waits for the object, behind those as urgent. Another runs.
    #[inline(always)]
    pub(crate) fn wait(&self, me: Ref<Thread>, object: Ref<Object>) -> Outcome {
        if object.waiters.get().is_some() {
            cold_path();
            return self.wait_behind(me, object);
        }
        object.waiters.set(Some(me));
        self.block(me, object)
    }

    /// The same, whoever else waits.
    #[inline(never)]
    pub(crate) extern "C" fn wait_behind(&self, me: Ref<Thread>, object: Ref<Object>) -> Outcome {
        self.remove(me);
        enter(me, object);
        self.go()
    }

    /// The first that waits for the object is ready; the call of `me` returns 0.
    ///
    /// The usual case without a call: no other thread waits, it has no alarm, it is
    /// the most urgent.
    #[inline(always)]
    pub(crate) fn wake<M: Machine>(
        &self,
        me: Ref<Thread>,
        object: Ref<Object>,
        first: Ref<Thread>,
    ) -> Outcome {
        let rank = first.rank.get();
        let odd = differ(first.next.get(), first) | first.state.get() as usize;
        if !self.opens_top_unless(odd, rank, first) {
            cold_path();
            return self.wake_any::<M>(me, object);
        }
        let wants = first.wants.get();
        object.waiters.set(None);
        first.waits.set(None);
        me.answer(0);
        self.run_wanting(first, wants)
    }

    /// The same, whatever else there is to see to.
    #[inline(never)]
    pub(crate) extern "C" fn wake_any<M: Machine>(
        &self,
        me: Ref<Thread>,
        object: Ref<Object>,
    ) -> Outcome {
        me.answer(0);
        if let Some(first) = object.waiters.get() {
            leave(first);
            self.awaken::<M>(first);
        }
        self.go_from(me)
    }

    /// A thread that waited, and is in no list any more, is ready.
    #[inline(never)]
    pub(crate) extern "C" fn awaken<M: Machine>(&self, thread: Ref<Thread>) {
        thread.waits.set(None);
        if thread.is(state::ARMED) {
            self.disarm(thread);
        }
        thread.clear(state::SLEEPS | state::BYTES | state::ORPHAN);
        self.insert(thread);
        if thread.is(state::PARKED_ON) {
            self.unpark(thread);
        }
    }

    /// A thread has another urgency, wherever it is: behind its new equals, or in front of
    /// them if it was more urgent (POSIX `pthread_setschedprio`).
    #[inline(never)]
    pub(crate) extern "C" fn set_rank(&self, thread: Ref<Thread>, rank: Ref<Rank>) {
        if same(thread.rank.get(), rank) {
            return;
        }
        match thread.waits.get() {
            None => {
                let is_lowered = thread.rank.get().is_above(rank);
                self.remove(thread);
                thread.rank.set(rank);
                match is_lowered {
                    true => self.insert_first(thread),
                    false => self.insert(thread),
                }
            }
            Some(object) if same(object, self.nowhere) => thread.rank.set(rank),
            Some(object) => {
                leave(thread);
                thread.rank.set(rank);
                enter(thread, object);
            }
        }
    }
}

/// Puts a thread into the list of an object, behind the last that is not less urgent.
#[inline(never)]
pub(crate) extern "C" fn enter(thread: Ref<Thread>, object: Ref<Object>) {
    thread.waits.set(Some(object));
    let Some(first) = object.waiters.get() else {
        return object.waiters.set(Some(thread));
    };
    let rank = thread.rank.get();
    let mut last = first.prev.get();
    while rank.is_above(last.rank.get()) {
        if same(last, first) {
            object.waiters.set(Some(thread));
            return link_before(thread, first);
        }
        last = last.prev.get();
    }
    link_before(thread, last.next.get());
}

/// Takes a thread out of the list in which it waits.
#[inline(never)]
pub(crate) extern "C" fn leave(thread: Ref<Thread>) {
    let Some(object) = thread.waits.get() else {
        return;
    };
    if object
        .waiters
        .get()
        .is_some_and(|first| same(first, thread))
    {
        let next = thread.next.get();
        object
            .waiters
            .set(if same(next, thread) { None } else { Some(next) });
    }
    unlink(thread);
}
