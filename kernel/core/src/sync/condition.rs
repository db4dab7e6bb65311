//! Condition variables: a thread gives its mutex back and waits, in one step; who is
//! signalled goes on when it has the mutex again, and not before.
//!
//! A thread that waits notes the mutex in `wants`, and the serial number of its tenant.
//! That is no link of a chain until it wakes: then it asks for the mutex, if it may.
//! (EMERALDS, section 7: a thread can tell in the same way, before any wait, which
//! mutex it will lock then; two switches are saved if another has that.)

use core::cell::Cell;

use giornata_abi::control::{NEXT_LOCK, NEXT_SERIAL};

use crate::sched::leftist::more_urgent_of;
use crate::sched::thread::state;
use crate::sync::object::kind;
use crate::sync::object_call::{DONE, GOES_ON, STAYS};
use crate::{Error, Machine, Object, Ref, System, Thread, before, posix};

/// Threads that are looked at to find who waited when a broadcast began.
const LOOK: u32 = 64;

impl System {
    /// All that wait for a condition when it begins go on. In pieces of one, as a call
    /// that begins again, with the serial number of when it began.
    #[inline(never)]
    pub(crate) fn broadcast<M: Machine>(
        &self,
        condition: Ref<Object>,
        slot: &Cell<usize>,
        began: &Cell<usize>,
    ) -> usize {
        if slot.get() & GOES_ON == 0 {
            slot.set(slot.get() | GOES_ON);
            began.set(self.wait_serial.get() as usize);
        }
        while let Some(waiter) = self.earlier(condition, began.get() as u32) {
            self.leave(waiter);
            match waiter.process.is_alive() {
                true => self.awaken::<M>(waiter),
                false => waiter.waits.set(Some(self.no_list)),
            }
            if crate::machine::waits::<M>() {
                return STAYS;
            }
        }
        DONE
    }

    /// A thread wakes. If it waited for a condition it wants its mutex; if it has told
    /// which one it will lock, it wants that if another has it. What would close a circle
    /// it does not want: EDEADLK after a condition, else it just goes on.
    #[inline(always)]
    pub(crate) fn reacquire_mutex<M: Machine>(&self, thread: Ref<Thread>) {
        if thread.wants.get().is_some() || thread.is(state::HINTED) {
            self.acquire_hinted_mutex::<M>(thread);
        }
    }

    #[inline(never)]
    fn acquire_hinted_mutex<M: Machine>(&self, thread: Ref<Thread>) {
        let is_told = thread.is(state::HINTED);
        thread.clear(state::HINTED);
        let Some(mutex) = thread.wants.get() else {
            return;
        };
        if mutex.made & kind::KIND != kind::MUTEX {
            // a caller, of which that is a link again
            return;
        }
        self.set_wants(thread, None);
        let is_it = mutex.kind.get() & kind::KIND == kind::MUTEX
            && mutex.serial.get() == thread.noted().get() as u32;
        if is_told {
            let is_below = mutex.has_ceiling() && thread.own.get().level() < mutex.most.get();
            if is_it
                && !is_below
                && self.owner_of(mutex).is_some()
                && !self.is_refused(thread, mutex)
            {
                thread.set(state::HINTED);
                self.want(thread, mutex);
            }
            return;
        }
        let mut error = Error::EIDRM as usize;
        if is_it {
            let word = posix::noted_word(thread, mutex);
            error = self.copy_word::<M>(thread, mutex, word);
            if error == DONE {
                let is_refused = self.is_refused(thread, mutex);
                if is_refused {
                    thread.answer(Error::EDEADLK as usize);
                } else {
                    self.want(thread, mutex);
                }
                return self.publish::<M>(thread, mutex);
            }
        }
        thread.answer(error);
    }

    fn is_refused(&self, thread: Ref<Thread>, mutex: Ref<Object>) -> bool {
        let owner = self.owner_of(mutex);
        owner.is_some_and(|owner| !self.may_wait(thread, owner))
    }

    /// A thread waits. If it has told which mutex it will lock then, it notes that: see
    /// [`reacquire_mutex`](Self::reacquire_mutex).
    #[inline(always)]
    pub(crate) fn note_hinted_mutex<M: Machine>(&self, me: Ref<Thread>) {
        if !cfg!(feature = "hints") {
            return;
        }
        let word = |offset| M::load(me.control.wrapping_add(offset));
        let slot = !word(NEXT_LOCK) as usize;
        if me.wants.get().is_none()
            && let Some(handle) = me.handles.get(slot)
        {
            let mutex = handle.used;
            let special = mutex.kind.get() & (kind::KIND | kind::PRIVATE) ^ kind::MUTEX;
            if special | (mutex.serial.get() ^ word(NEXT_SERIAL)) == 0 {
                me.set(state::HINTED);
                me.noted().set(mutex.serial.get() as usize);
                self.set_wants(me, Some(mutex));
            }
        }
    }

    /// The most urgent in a list of those that asked up to a serial number. It is looked for
    /// below whoever asked later: behind more of them than [`LOOK`], one that asked later stands
    /// for it. (So one that waits for a condition is woken for nothing, which it may be; and a
    /// stretch is bounded.)
    #[inline(never)]
    fn earlier(&self, object: Ref<Object>, began: u32) -> Option<Ref<Thread>> {
        let first = object.waiters.get()?;
        let (mut found, mut at, mut left) = (None, Some(first), LOOK);
        while let Some(thread) = at {
            if left == 0 {
                return found.or(Some(first));
            }
            left = left.wrapping_sub(1);
            if before(began, thread.asked().get() as u32) {
                at = self.below_or_beside(thread, first);
                continue;
            }
            found = Some(more_urgent_of(found, thread));
            // (nobody below precedes it)
            at = self.beside(thread, first);
        }
        found
    }
}
