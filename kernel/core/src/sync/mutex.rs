//! Mutexes and semaphores: whatever is not usual.

use crate::sched::thread::state;
use crate::sched::timer::FOR_EVER;
use crate::sched::wait::Woken;
use crate::sync::object::kind;
use crate::sync::object_call::{DONE, STAYS};
use crate::{Error, Machine, Object, Ref, System, Thread, same};

impl System {
    /// Takes a mutex, or one of a semaphore's count. O(depth of the chain).
    #[inline(never)]
    pub(crate) fn lock_any<M: Machine>(&self, me: Ref<Thread>, object: Ref<Object>) -> usize {
        let [_, _, low, high, ..] = &me.context.a;
        let (low, high) = (low.get(), high.get());
        let is_semaphore = object.made & kind::KIND == kind::SEMAPHORE;
        let count = object.count.get();
        if is_semaphore {
            if count != 0 {
                object.count.set(count.wrapping_sub(1));
                return DONE;
            }
        } else {
            if object.has_ceiling() {
                if me.own.get().level() < object.most.get() {
                    return Error::EINVAL as usize;
                }
                if me.owns_many() {
                    return Error::EAGAIN as usize;
                }
            }
            if self.owner_of(object).is_none() {
                // nobody as urgent has asked before, or it is that one's
                match self.first_asker(object, self.rank_of_turn()) {
                    Some(first) if count != 0 => self.take(first, object),
                    _ => {
                        return match self.acquire(me, object) {
                            true => Error::EOWNERDEAD as usize,
                            false => DONE,
                        };
                    }
                }
            }
        }
        let owner = object.owner.get();
        let error = match owner {
            Some(owner) if same(owner, me) => Error::EDEADLK,
            _ if low | high == 0 => Error::EBUSY,
            Some(owner) if !self.may_wait(me, owner) => Error::EDEADLK,
            _ => {
                match is_semaphore {
                    true => self.enter(me, object),
                    false => self.want(me, object),
                }
                return self.wait_until::<M>(me, low, high);
            }
        };
        error as usize
    }

    /// A thread wants a mutex from now on.
    #[inline(never)]
    pub(crate) fn want(&self, thread: Ref<Thread>, mutex: Ref<Object>) {
        self.ask(thread);
        mutex.count.set(mutex.count.get().wrapping_add(1));
        self.set_wants(thread, Some(mutex));
    }

    /// The caller waits until an instant at most; one that has passed rings at once.
    #[inline(never)]
    pub(crate) fn wait_until<M: Machine>(&self, me: Ref<Thread>, low: usize, high: usize) -> usize {
        me.end_call(DONE);
        if low & high != FOR_EVER {
            self.arm::<M>(me, low, high);
        }
        STAYS
    }

    /// Gives one to a semaphore's count.
    pub(crate) fn increment<M: Machine>(&self, semaphore: Ref<Object>) -> usize {
        let count = semaphore.count.get();
        match self.wake_first::<M>(semaphore) {
            Woken::NotYet => return STAYS,
            Woken::Nobody if count >= semaphore.most.get() => return Error::EOVERFLOW as usize,
            Woken::Nobody => semaphore.count.set(count.wrapping_add(1)),
            Woken::One => {}
        }
        DONE
    }

    /// The time has come until which a thread waits, and it does not sleep.
    pub(crate) fn end_timed_wait<M: Machine>(&self, thread: Ref<Thread>) {
        if thread.waits.get().is_none() || thread.is(state::PARKED) {
            self.time_out::<M>(thread);
            return;
        }
        self.leave_wait::<M>(thread);
        thread.refuse(Error::ETIMEDOUT);
        self.awaken::<M>(thread);
    }

    /// The time has come until which a thread waits for an owner. A mutex that is free
    /// and not yet taken is given, to the most urgent that wants it (POSIX: a lock that
    /// can be had does not time out). Returns whether its wait has ended without what it
    /// wants: ETIMEDOUT.
    #[inline(never)]
    pub(crate) fn time_out<M: Machine>(&self, thread: Ref<Thread>) -> bool {
        let Some(wanted) = thread.wants.get() else {
            return false;
        };
        if !thread.process.is_alive() {
            // (who is dead gets nothing)
            return false;
        }
        self.bring_up(thread);
        if self.owner_of(wanted).is_none() {
            let first = match wanted.lives() {
                true => self.first_asker(wanted, thread.rank.get()),
                // (it is no more: its own call returns EIDRM)
                false => None,
            };
            self.take(first.unwrap_or(thread), wanted);
        }
        let is_over = thread.wants.get().is_some();
        if is_over {
            self.cancel_wait(thread);
            thread.answer(Error::ETIMEDOUT as usize);
        }
        self.publish::<M>(thread, wanted);
        is_over
    }
}
