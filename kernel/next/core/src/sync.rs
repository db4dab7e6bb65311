//! Calls to mutexes, semaphores and condition variables: the usual cases.
//!
//! Each function looks at what its case needs, ors together whatever would be odd, and
//! either does it, without a call and without a frame, or leaves it to the general
//! function, which has the same arguments and needs to know nothing of the first.

use core::hint::cold_path;

use crate::general::in_general;
use crate::object::{kind, look};
use crate::timer::FOR_EVER;
use crate::trace::reason;
use crate::{Kernel, Machine, Outcome, Ref, Thread, differ, is_not, same, some};

/// Takes a mutex, or one of a semaphore's count.
#[inline(always)]
#[allow(clippy::too_many_arguments)] // those of the call
pub(crate) extern "C" fn lock<M: Machine>(
    slot: usize,
    serial: usize,
    low: usize,
    high: usize,
    word: usize,
    a5: usize,
    me: Ref<Thread>,
    kernel: Ref<Kernel>,
) -> Outcome {
    if let Some(handle) = me.handles.get(slot) {
        let object = handle.used;
        let (kind, count) = (object.kind.get(), object.count.get());
        let wrong = (object.serial.get() ^ serial as u32) as usize | word;
        if kind == kind::MUTEX {
            let odd = wrong | me.state.get() as usize;
            let Some(owner) = object.owner.get() else {
                if odd | count as usize == 0 {
                    object.give_to(me);
                    return Outcome::DONE;
                }
                return in_general!(Lock, slot, serial, low, high, word, a5, me, kernel);
            };
            let odd = odd | differ(kernel.slot.get(), me) | (low & high ^ FOR_EVER);
            if odd == 0 && kernel.may_wait_now(me, owner, kernel.depth) {
                kernel.ask(me);
                object.count.set(count.wrapping_add(1));
                me.wants.set(Some(object));
                me.answer(0);
                // the owner is ready, and wants nothing itself; and nobody pays for it
                let odd = some(owner.waits.get()) | some(owner.wants.get());
                let odd = odd | me.limited.get() as usize;
                if odd | owner.process.life.get() as usize == 0 {
                    let reason = reason::HELPS | (me.number() as usize) << 16;
                    return Outcome::because(owner, reason);
                }
                cold_path();
                return kernel.resolve();
            }
        } else if kind == kind::SEMAPHORE && wrong == 0 {
            if count != 0 {
                object.count.set(count.wrapping_sub(1));
                return Outcome::DONE;
            }
            if low & high == FOR_EVER {
                me.answer(0);
                return kernel.wait(me, object);
            }
        }
    }
    in_general!(Lock, slot, serial, low, high, word, a5, me, kernel)
}

/// Gives a mutex back, or one to a semaphore's count.
#[inline(always)]
#[allow(clippy::too_many_arguments)]
pub(crate) extern "C" fn unlock<M: Machine>(
    slot: usize,
    serial: usize,
    word: usize,
    _: usize,
    _: usize,
    _: usize,
    me: Ref<Thread>,
    kernel: Ref<Kernel>,
) -> Outcome {
    if let Some(handle) = me.handles.get(slot) {
        let object = handle.used;
        let kind = object.kind.get();
        let wrong = (object.serial.get() ^ serial as u32) as usize | word;
        if kind == kind::MUTEX {
            // (what it owns last is the first of its list)
            let next = object.held_next.get();
            let odd = wrong | me.state.get() as usize | is_not(me.held.get(), object);
            if odd == 0 {
                let first = kernel.slot.get();
                object.owner.set(None);
                me.held.set(next);
                if same(first, me) {
                    return Outcome::DONE;
                }
                me.answer(0);
                // whoever has the turn takes it
                let odd = is_not(first.wants.get(), object)
                    | (first.state.get() | (object.count.get() ^ 1) | first.process.life.get())
                        as usize;
                if odd == 0 {
                    object.count.set(0);
                    first.wants.set(None);
                    object.give_to(first);
                    return Outcome::switch(first);
                }
                cold_path();
                return kernel.resolve();
            }
        } else if kind == kind::SEMAPHORE && wrong == 0 {
            match object.waiters.get() {
                Some(first) if kernel.wakes(object, first) => {
                    me.answer(0);
                    return Outcome::switch(first);
                }
                Some(_) => {}
                None if object.count.get() < object.most.get() => {
                    object.count.set(object.count.get().wrapping_add(1));
                    return Outcome::DONE;
                }
                None => {}
            }
        }
    }
    in_general!(Unlock, slot, serial, word, me, kernel)
}

/// Gives a mutex back and waits for a signal.
#[inline(always)]
#[allow(clippy::too_many_arguments)]
pub(crate) extern "C" fn wait<M: Machine>(
    slot: usize,
    serial: usize,
    mutex: usize,
    low: usize,
    high: usize,
    word: usize,
    me: Ref<Thread>,
    kernel: Ref<Kernel>,
) -> Outcome {
    if let (Some(handle), Some(other)) = (me.handles.get(slot), me.handles.get(mutex)) {
        let (condition, object) = (handle.used, other.used);
        let wrong = (condition.serial.get() ^ serial as u32)
            | (condition.kind.get() ^ kind::CONDITION)
            | (object.kind.get() ^ kind::MUTEX)
            | me.state.get();
        let odd = wrong as usize | is_not(me.held.get(), object) | word | (low & high ^ FOR_EVER);
        if odd == 0 {
            let next = object.held_next.get();
            object.owner.set(None);
            me.held.set(next);
            me.noted().set(object.serial.get() as usize);
            me.wants.set(Some(object));
            me.answer(0);
            return kernel.wait(me, condition);
        }
    }
    in_general!(Wait, slot, serial, mutex, low, high, word, me, kernel)
}

/// The most urgent thread that waits for a condition goes on when it has its mutex.
#[inline(always)]
#[allow(clippy::too_many_arguments)]
pub(crate) extern "C" fn signal<M: Machine>(
    slot: usize,
    serial: usize,
    _: usize,
    _: usize,
    _: usize,
    _: usize,
    me: Ref<Thread>,
    kernel: Ref<Kernel>,
) -> Outcome {
    if let Some((condition, 0)) = look(me, slot, serial, kind::CONDITION) {
        let Some(first) = condition.waiters.get() else {
            return Outcome::DONE;
        };
        if let Some(mutex) = first.wants.get() {
            // the usual case: it is the most urgent, and the mutex free or the caller's
            let (owner, count) = (mutex.owner.get(), mutex.count.get());
            let theirs = match owner {
                Some(owner) => differ(owner, me),
                None => count as usize,
            };
            let stale = (mutex.serial.get() as usize) ^ first.noted().get();
            let special = mutex.kind.get() ^ kind::MUTEX;
            let odd = (first.state.get() | first.process.life.get() | special) as usize;
            let odd = odd | theirs | stale | differ(first.next.get(), first);
            if kernel.opens_top_unless(odd, first.rank.get(), first) {
                condition.waiters.set(None);
                first.waits.set(None);
                if owner.is_none() {
                    me.answer(0);
                    first.wants.set(None);
                    mutex.give_to(first);
                    return Outcome::switch(first);
                }
                // the caller goes on, in its place
                kernel.ask(first);
                mutex.count.set(count.wrapping_add(1));
                return Outcome::DONE;
            }
        }
    }
    in_general!(Signal, slot, serial, 0, me, kernel)
}
