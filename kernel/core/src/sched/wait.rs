//! Waiting for an object: its list, blocking, waking.
//!
//! The threads that wait for an object are a [heap](crate::sched::leftist), most urgent first,
//! among equals in the order of asking, which a serial number tells.

use core::hint::cold_path;

use crate::sched::thread::state;
use crate::{Machine, Object, Outcome, Ref, System, Thread, differ, posix, some};

/// What became of a waking.
#[derive(Clone, Copy)]
#[repr(u8)]
pub(crate) enum Woken {
    /// A thread goes on.
    One,
    /// Nobody waits.
    Nobody,
    /// A thread of a dead process left, and there are more: the call begins again.
    NotYet,
}

impl System {
    /// The caller waits in a list, or for an instant; another thread runs.
    ///
    /// The usual case without a call: it has the top for itself.
    #[inline(always)]
    pub(crate) fn block(&self, me: Ref<Thread>, object: Ref<Object>) -> Outcome {
        let rank = me.rank.get();
        me.waits.set(Some(object));
        let Some(head) = self.leaves_top(me, rank) else {
            cold_path();
            return self.remove_and_dispatch(me);
        };
        self.run_wanting(head, head.wants.get())
    }

    #[inline(never)]
    extern "C" fn remove_and_dispatch(&self, me: Ref<Thread>) -> Outcome {
        self.remove(me);
        self.dispatch()
    }

    /// The thread waits for the object, behind those as urgent. Another runs.
    #[inline(always)]
    pub(crate) fn wait(&self, me: Ref<Thread>, object: Ref<Object>) -> Outcome {
        if object.waiters.get().is_some() {
            cold_path();
            return self.wait_behind(me, object);
        }
        self.ask(me);
        object.waiters.set(Some(me));
        self.block(me, object)
    }

    /// The same out of line.
    #[inline(never)]
    pub(crate) extern "C" fn wait_now(&self, me: Ref<Thread>, object: Ref<Object>) -> Outcome {
        self.wait(me, object)
    }

    /// The same, whoever else waits.
    #[inline(never)]
    pub(crate) extern "C" fn wait_behind(&self, me: Ref<Thread>, object: Ref<Object>) -> Outcome {
        self.enter(me, object);
        self.dispatch()
    }

    /// A thread leaves the queue and waits in the list of an object.
    #[inline(never)]
    pub(crate) extern "C" fn enter(&self, thread: Ref<Thread>, object: Ref<Object>) {
        self.remove(thread);
        self.ask(thread);
        thread.waits.set(Some(object));
        self.come(thread, &object.waiters);
    }

    /// The usual waking without a call: no other thread waits for the object, this one has
    /// no alarm and wants nothing, it lives and is the most urgent. Else false, and
    /// nothing has changed.
    #[inline(always)]
    pub(crate) fn wakes(&self, object: Ref<Object>, first: Ref<Thread>) -> bool {
        let unusual = differ(first.next.get(), first) | some(first.wants.get());
        let unusual = unusual | (first.state.get() | first.process.life.get()) as usize;
        if !self.opens_top_unless(unusual, first.rank.get(), first) {
            cold_path();
            return false;
        }
        object.waiters.set(None);
        first.waits.set(None);
        true
    }

    /// The first that waits for the object and lives goes on. O(log waiters).
    #[inline(never)]
    pub(crate) extern "C" fn wake_first<M: Machine>(&self, object: Ref<Object>) -> Woken {
        match self.first_alive(object) {
            Some(first) if first.process.is_alive() => {
                self.leave(first);
                self.awaken::<M>(first);
                Woken::One
            }
            None => Woken::Nobody,
            Some(_) => Woken::NotYet,
        }
    }

    /// Who waits for the object first, behind one that is dead if there is one in front, which
    /// leaves: one a piece. O(log waiters).
    #[inline(never)]
    pub(crate) extern "C" fn first_alive(&self, object: Ref<Object>) -> Option<Ref<Thread>> {
        let first = object.waiters.get()?;
        if first.process.is_alive() {
            return Some(first);
        }
        self.leave(first);
        first.waits.set(Some(self.no_list));
        object.waiters.get()
    }

    /// The wait of a thread that is not parked ends before what it waited for has come:
    /// whatever would wake it does not know it any more. It has yet to be queued.
    #[inline(never)]
    pub(crate) fn leave_wait<M: Machine>(&self, thread: Ref<Thread>) {
        let left = thread.waits.get();
        self.leave(thread);
        self.leave_line(thread);
        self.note_left::<M>(thread, left);
    }

    /// A thread that waited, and is in no list any more, is ready; so are some of those
    /// that hang on it. If it waited for a condition, or told which mutex it will lock, it
    /// wants that.
    #[inline(never)]
    pub(crate) extern "C" fn awaken<M: Machine>(&self, thread: Ref<Thread>) {
        if thread.is(state::ARMED) {
            self.disarm(thread);
        }
        thread.state.set(thread.state.get() & state::KEPT);
        self.reacquire_mutex::<M>(thread);
        if thread.is(posix::SERVER) {
            self.wake_server::<M>(thread);
        }
        self.queue(thread);
        if thread.is(state::PARKED_ON) {
            self.unpark(thread);
        }
    }

    /// Takes a thread out of the list in which it waits. O(log waiters).
    #[inline(never)]
    pub(crate) extern "C" fn leave(&self, thread: Ref<Thread>) {
        if let Some(object) = thread.waits.get() {
            self.go_out(thread, &object.waiters);
        }
    }
}
