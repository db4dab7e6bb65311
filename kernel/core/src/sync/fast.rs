//! Calls to mutexes, semaphores and condition variables: the usual cases.
//!
//! Each function looks at what its case needs, ors together whatever would be unusual, and
//! either does it, without a call and without a frame, or leaves it to the general
//! function, which has the same arguments and needs to know nothing of the first.

use core::hint::cold_path;

use giornata_abi::call::Call;
use giornata_abi::control::{NEXT_LOCK, TAKEN};

#[cfg(feature = "posix")]
use crate::posix;
use crate::sched::thread::state;
use crate::sched::timer::FOR_EVER;
use crate::slow_path::{self, slow_path};
use crate::sync::object::kind;
use crate::trace::reason;
use crate::{Machine, Object, Outcome, Ref, System, Thread, differ, is_not, same, some};

const UNLOCK: usize = Call::Unlock as usize;
const SIGNAL: usize = Call::Signal as usize;

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
    system: Ref<System>,
) -> Outcome {
    if let Some(handle) = me.handles.get(slot) {
        let object = handle.used;
        let (kind, count) = (object.kind.get(), object.count.get());
        let wrong = (object.serial.get() ^ serial as u32) as usize | word;
        if kind == kind::MUTEX {
            let (owner, unusual) = (object.owner.get(), wrong | me.state.get() as usize);
            if unusual | count as usize | some(owner) == 0 {
                object.give_to(me);
                return Outcome::DONE;
            }
            if unusual == 0
                && let Some(owner) = owner
            {
                return lock_owned::<M>(slot, serial, low, high, object, owner, me, system);
            }
        } else if kind == kind::SEMAPHORE && wrong == 0 {
            if count != 0 {
                object.count.set(count.wrapping_sub(1));
                return Outcome::DONE;
            }
            if low & high == FOR_EVER {
                me.answer(0);
                return system.wait(me, object);
            }
        }
    }
    #[cfg(feature = "posix")]
    return posix::lock_word::<M>(slot, serial, low, high, word, a5, me, system);
    #[cfg(not(feature = "posix"))]
    slow_path!(Lock, slot, serial, low, high, word, a5, me, system)
}

/// Waits for a plain mutex that another owns. (Out of line, so that what comes back at
/// once has no jump.)
#[cold]
#[inline(never)]
#[allow(clippy::too_many_arguments)]
extern "C" fn lock_owned<M: Machine>(
    slot: usize,
    serial: usize,
    low: usize,
    high: usize,
    mutex: Ref<Object>,
    owner: Ref<Thread>,
    me: Ref<Thread>,
    system: Ref<System>,
) -> Outcome {
    if differ(system.entry(), me) | (low & high ^ FOR_EVER) == 0
        && let Some((end, unusual)) = end_of_chain(system, me, owner)
    {
        begin_to_want(system, me, mutex);
        return help(system, me, end, unusual);
    }
    slow_path!(Lock, slot, serial, low, high, 0, 0, me, system)
}

/// The caller wants a mutex that another owns.
#[inline(always)]
pub(crate) fn begin_to_want(system: Ref<System>, me: Ref<Thread>, mutex: Ref<Object>) {
    system.ask(me);
    mutex.count.set(mutex.count.get().wrapping_add(1));
    system.set_wants(me, Some(mutex));
    me.answer(0);
}

/// The end of its chain runs in its place, if nothing is unusual: see [`end_of_chain`].
#[inline(always)]
pub(crate) fn help(
    system: Ref<System>,
    me: Ref<Thread>,
    end: Ref<Thread>,
    unusual: usize,
) -> Outcome {
    if unusual != 0 {
        cold_path();
        return system.resolve();
    }
    let reason = reason::HELPS | (me.number() as usize) << 16;
    Outcome::because(end, reason)
}

/// Who runs in the place of a thread that is about to wait for this owner, and 0 if it can
/// and nobody pays for it; none if it must not wait (a circle, too long a chain), or if
/// somebody in the chain waits or has yet to take what it wants. O(depth).
#[inline(always)]
pub(crate) fn end_of_chain(
    system: Ref<System>,
    me: Ref<Thread>,
    owner: Ref<Thread>,
) -> Option<(Ref<Thread>, usize)> {
    let (mut at, mut links) = (owner, system.depth);
    let mut unusual = me.limited.get() as usize;
    loop {
        let wants = at.wants.get();
        if (same(at, me) as usize | some(at.waits.get()) != 0) | (links == 0) {
            cold_path();
            return None;
        }
        unusual |= at.process.life.get() as usize;
        let Some(wanted) = wants else {
            return Some((at, unusual));
        };
        links = links.wrapping_sub(1);
        unusual |= at.limited.get() as usize;
        at = wanted.owner.get()?;
        // (a job is run by nobody)
        unusual |= at.handles.is_empty() as usize;
    }
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
    system: Ref<System>,
) -> Outcome {
    if let Some(handle) = me.handles.get(slot) {
        let object = handle.used;
        let kind = object.kind.get();
        let wrong = (object.serial.get() ^ serial as u32) as usize | word;
        if kind == kind::MUTEX {
            // (what it owns last is the first of its list)
            let next = object.held_next.get();
            let unusual = wrong | me.state.get() as usize | is_not(me.held.get(), object);
            if unusual == 0 {
                let first = system.entry();
                system.note_free(object);
                object.owner.set(None);
                me.held.set(next);
                if same(first, me) {
                    return Outcome::DONE;
                }
                me.answer(0);
                // whoever has the turn takes it
                let unusual = is_not(first.wants.get(), object)
                    | (first.state.get() | (object.count.get() ^ 1) | first.process.life.get())
                        as usize;
                if unusual == 0 {
                    object.count.set(0);
                    system.set_wants(first, None);
                    object.give_to(first);
                    return Outcome::switch(first);
                }
                cold_path();
                return give_to_first::<M>(object, first, system);
            }
        } else if kind == kind::SEMAPHORE {
            let (waiter, count) = (object.waiters.get(), object.count.get());
            if wrong | some(waiter) | (count >= object.most.get()) as usize != 0 {
                return match waiter {
                    Some(first) if wrong == 0 => {
                        give_to_waiter::<M>(slot, serial, object, first, 0, 0, me, system)
                    }
                    _ => slow_path!(Unlock, slot, serial, word, me, system),
                };
            }
            object.count.set(count.wrapping_add(1));
            return Outcome::DONE;
        }
    }
    #[cfg(feature = "posix")]
    return posix::unlock_word::<M>(slot, serial, word, 0, 0, 0, me, system);
    #[cfg(not(feature = "posix"))]
    slow_path!(Unlock, slot, serial, word, me, system)
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
    system: Ref<System>,
) -> Outcome {
    if let (Some(handle), Some(other)) = (me.handles.get(slot), me.handles.get(mutex)) {
        let (condition, object) = (handle.used, other.used);
        let wrong = (condition.serial.get() ^ serial as u32)
            | (condition.kind.get() ^ kind::CONDITION)
            | (object.kind.get() ^ kind::MUTEX)
            | me.state.get();
        let unusual =
            wrong as usize | is_not(me.held.get(), object) | word | (low & high ^ FOR_EVER);
        if unusual == 0 {
            let next = object.held_next.get();
            system.note_free(object);
            object.owner.set(None);
            me.held.set(next);
            me.noted().set(object.serial.get() as usize);
            system.set_wants(me, Some(object));
            me.answer(0);
            return system.wait(me, condition);
        }
    }
    slow_path!(Wait, slot, serial, mutex, low, high, word, me, system)
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
    system: Ref<System>,
) -> Outcome {
    if let Some(handle) = me.handles.get(slot) {
        let condition = handle.used;
        let wrong =
            (condition.serial.get() ^ serial as u32) | condition.kind.get() ^ kind::CONDITION;
        let waiter = condition.waiters.get();
        if wrong as usize | some(waiter) == 0 {
            return Outcome::DONE;
        }
        if wrong == 0
            && let Some(first) = waiter
        {
            return wake_wanting::<M>(slot, serial, condition, first, SIGNAL, 0, me, system);
        }
    }
    slow_path!(Signal, slot, serial, 0, me, system)
}

/// A semaphore is given to one that waits: in the usual case the most urgent thread.
#[cold]
#[inline(never)]
#[allow(clippy::too_many_arguments)] // (where they are anyway)
extern "C" fn give_to_waiter<M: Machine>(
    slot: usize,
    serial: usize,
    semaphore: Ref<Object>,
    first: Ref<Thread>,
    _: usize,
    _: usize,
    me: Ref<Thread>,
    system: Ref<System>,
) -> Outcome {
    if system.wakes(semaphore, first) {
        me.answer(0);
        return Outcome::switch(first);
    }
    wake_wanting::<M>(slot, serial, semaphore, first, UNLOCK, 0, me, system)
}

/// The first that waits for a condition, or for a semaphore and has told which mutex it
/// will lock then, goes on when it has that: in the usual case it is the most urgent
/// thread, and the mutex free or the caller's. (The end of calls with two arguments.)
#[inline(never)]
#[allow(clippy::too_many_arguments)]
extern "C" fn wake_wanting<M: Machine>(
    slot: usize,
    serial: usize,
    object: Ref<Object>,
    first: Ref<Thread>,
    call: usize,
    _: usize,
    me: Ref<Thread>,
    system: Ref<System>,
) -> Outcome {
    if let Some(mutex) = first.wants.get() {
        let (owner, count, state) = (mutex.owner.get(), mutex.count.get(), first.state.get());
        let theirs = match owner {
            Some(owner) => differ(owner, me),
            None => count as usize,
        };
        let stale = (mutex.serial.get() as usize) ^ first.noted().get();
        let special = mutex.kind.get() ^ kind::MUTEX;
        let unusual = (state & !state::HINTED | first.process.life.get() | special) as usize;
        let unusual = unusual | theirs | stale | differ(first.next.get(), first);
        if system.opens_top_unless(unusual, first.rank.get(), first) {
            object.waiters.set(None);
            first.waits.set(None);
            if owner.is_some() {
                // the caller goes on, in its place
                system.ask(first);
                mutex.count.set(count.wrapping_add(1));
                return Outcome::DONE;
            }
            me.answer(0);
            system.set_wants(first, None);
            match state {
                0 => mutex.give_to(first),
                // (it locks the mutex itself)
                _ => first.state.set(0),
            }
            return Outcome::switch(first);
        }
    }
    slow_path::begin_as::<M>(slot, serial, call, me, system)
}

/// A mutex is free, and the first of the queue does not just take it: it is told that it
/// has it, or something is unusual.
#[inline(never)]
extern "C" fn give_to_first<M: Machine>(
    mutex: Ref<Object>,
    first: Ref<Thread>,
    system: Ref<System>,
) -> Outcome {
    let state = (first.state.get() ^ state::HINTED) | mutex.odd_to_take();
    let unusual = (state | first.process.life.get()) as usize | is_not(first.wants.get(), mutex);
    if unusual != 0 || !cfg!(feature = "hints") {
        cold_path();
        return system.resolve();
    }
    first.state.set(0);
    system.set_wants(first, None);
    mutex.count.set(0);
    mutex.give_to(first);
    M::store(first.control.wrapping_add(NEXT_LOCK), TAKEN);
    Outcome::switch(first)
}
