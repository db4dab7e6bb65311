//! Mutexes and semaphores: whatever is not usual.

use giornata_abi::next::call::Call;

use crate::object::kind;
use crate::thread::state;
use crate::timer::FOR_EVER;
use crate::{Error, Kernel, Machine, Object, Outcome, Ref, Thread, same};

/// What an operation on an object comes to that does not wait: 0 or an [`Error`].
const DONE: usize = 0;
/// Of one that waits.
const WAITS: usize = usize::MAX;

/// [`sync::lock`](crate::sync::lock) of anything. O(depth of the chain).
#[inline(never)]
#[allow(clippy::too_many_arguments)]
pub(crate) extern "C" fn lock_any<M: Machine>(
    slot: usize,
    serial: usize,
    low: usize,
    high: usize,
    word: usize,
    _: usize,
    me: Ref<Thread>,
    kernel: Ref<Kernel>,
) -> Outcome {
    let object = match kernel
        .find(me, slot, serial)
        .and_then(|object| kernel.copy_word::<M>(me, object, word))
    {
        Ok(object) => object,
        Err(error) => return Outcome::error(error),
    };
    let answer = match object.kind.get() & kind::KIND {
        kind::SEMAPHORE => kernel.decrement::<M>(me, object, low, high),
        kind::MUTEX => kernel.lock_mutex::<M>(me, object, low, high),
        _ => Error::EINVAL as usize,
    };
    kernel.publish::<M>(me, object);
    if answer != WAITS {
        // (another may have come to the mutex, and so to its ceiling)
        me.answer(answer);
    }
    kernel.go()
}

/// [`sync::unlock`](crate::sync::unlock) of anything. As a call that begins again it lets
/// those go first that hang on the caller. O(1) a piece.
#[inline(never)]
#[allow(clippy::too_many_arguments)]
pub(crate) extern "C" fn unlock_any<M: Machine>(
    slot: usize,
    serial: usize,
    word: usize,
    _: usize,
    _: usize,
    _: usize,
    me: Ref<Thread>,
    kernel: Ref<Kernel>,
) -> Outcome {
    let object = match kernel
        .find(me, slot, serial)
        .and_then(|object| kernel.copy_word::<M>(me, object, word))
    {
        Ok(object) => object,
        Err(error) => return Outcome::error(error),
    };
    let answer = match object.kind.get() & kind::KIND {
        kind::SEMAPHORE => kernel.increment::<M>(object),
        kind::MUTEX if !is_owner(object, me) => Error::EPERM as usize,
        kind::MUTEX => {
            kernel.unpark(me);
            if me.is(state::PARKED_ON) {
                return kernel.again(me, Call::Unlock, [slot, serial, word, 0, 0, 0]);
            }
            kernel.release(object);
            DONE
        }
        _ => Error::EINVAL as usize,
    };
    kernel.publish::<M>(me, object);
    me.answer(answer);
    kernel.go()
}

/// Whether a thread owns a mutex.
#[inline(always)]
pub(crate) fn is_owner(mutex: Ref<Object>, me: Ref<Thread>) -> bool {
    mutex.owner.get().is_some_and(|owner| same(owner, me))
}

impl Kernel {
    fn lock_mutex<M: Machine>(
        &self,
        me: Ref<Thread>,
        mutex: Ref<Object>,
        low: usize,
        high: usize,
    ) -> usize {
        if mutex.has_ceiling() && me.own.get().level() < mutex.most.get() {
            return Error::EINVAL as usize;
        }
        if self.owner_of(mutex).is_none() {
            // nobody as urgent has asked before, or it is that one's
            match self.first_asker(mutex, self.top.get()) {
                Some(first) if mutex.count.get() != 0 => self.take(first, mutex),
                _ => {
                    return match self.acquire(me, mutex) {
                        true => Error::EOWNERDEAD as usize,
                        false => DONE,
                    };
                }
            }
        }
        let Some(owner) = mutex.owner.get() else {
            return DONE;
        };
        if same(owner, me) {
            return Error::EDEADLK as usize;
        }
        if low | high == 0 {
            return Error::EBUSY as usize;
        }
        if !self.may_wait(me, owner) {
            return Error::EDEADLK as usize;
        }
        self.want(me, mutex);
        self.wait_until::<M>(me, low, high)
    }

    /// A thread wants a mutex from now on.
    #[inline(never)]
    pub(crate) fn want(&self, thread: Ref<Thread>, mutex: Ref<Object>) {
        self.ask(thread);
        mutex.count.set(mutex.count.get().wrapping_add(1));
        thread.wants.set(Some(mutex));
    }

    /// The caller waits until an instant at most; one that has passed rings at once.
    #[inline(never)]
    pub(crate) fn wait_until<M: Machine>(&self, me: Ref<Thread>, low: usize, high: usize) -> usize {
        me.answer(0);
        if low & high != FOR_EVER {
            self.arm::<M>(me, low, high);
        }
        WAITS
    }

    fn decrement<M: Machine>(
        &self,
        me: Ref<Thread>,
        semaphore: Ref<Object>,
        low: usize,
        high: usize,
    ) -> usize {
        let count = semaphore.count.get();
        if count != 0 {
            semaphore.count.set(count.wrapping_sub(1));
            return DONE;
        }
        if low | high == 0 {
            return Error::EBUSY as usize;
        }
        self.enter(me, semaphore);
        self.wait_until::<M>(me, low, high)
    }

    fn increment<M: Machine>(&self, semaphore: Ref<Object>) -> usize {
        let count = semaphore.count.get();
        if !self.wake_first::<M>(semaphore) {
            if count >= semaphore.most.get() {
                return Error::EOVERFLOW as usize;
            }
            semaphore.count.set(count.wrapping_add(1));
        }
        DONE
    }

    /// The time has come until which a thread waits for an owner. A mutex that is free
    /// and not yet taken is given, to the most urgent that wants it (POSIX: a lock that
    /// can be had does not time out).
    #[inline(never)]
    pub(crate) fn time_out<M: Machine>(&self, thread: Ref<Thread>) {
        let Some(wanted) = thread.wants.get() else {
            return;
        };
        if !thread.process.is_alive() {
            // (who is dead gets nothing)
            return;
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
        if thread.wants.get().is_some() {
            self.cancel_wait::<M>(thread);
            thread.answer(Error::ETIMEDOUT as usize);
        }
        self.publish::<M>(thread, wanted);
    }
}
