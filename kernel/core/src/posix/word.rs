//! Calls to private mutexes and semaphores: the usual cases, as [`crate::sync::fast`] has those of
//! the others, and what the word of one says is looked at on the way.
//!
//! The usual word lies in the data of the process, and one thread waits at most. So the
//! object is taken into use by the thread that begins to wait, and is out of use again when
//! that has what it waited for: then the word alone says how things stand, see
//! [`crate::sync::private`].

use core::hint::cold_path;

use giornata_abi::control::CEILING;
use giornata_abi::word::{LIMIT, LOCKED, MOST, WAITED_FOR};

use crate::sched::thread::state;
use crate::sched::timer::FOR_EVER;
use crate::slow_path::slow_path;
use crate::sync::fast::{begin_to_want, end_of_chain, help};
use crate::sync::object::kind::{KIND, MUTEX, PRIVATE, SEMAPHORE};
use crate::sync::private::id_of;
use crate::{Machine, Object, Outcome, Process, Ref, System, Thread, differ, is_not, same, some};

const PRIVATE_MUTEX: u32 = MUTEX | PRIVATE;
const PRIVATE_SEMAPHORE: u32 = SEMAPHORE | PRIVATE;

/// Where a word of a process's data lies.
#[inline(always)]
fn place_in_data(process: Ref<Process>, word: usize) -> Option<usize> {
    let offset = word.wrapping_sub(process.data);
    (offset < process.data_size && offset & 3 == 0)
        .then_some(process.data_place.wrapping_add(offset))
}

impl System {
    /// A thread has left the list of an object before it has what it waited for. The word of a
    /// semaphore tells if it was the last.
    pub(crate) fn note_left<M: Machine>(&self, thread: Ref<Thread>, left: Option<Ref<Object>>) {
        if let Some(object) = left
            && object.made & (KIND | PRIVATE) == PRIVATE_SEMAPHORE
            && object.waiters.get().is_none()
        {
            self.publish::<M>(thread, object);
        }
    }
}

/// A thread gives its mutex back and waits for a condition: by which word it has it. The
/// object may be another word's when it wakes.
pub(crate) fn note_word(thread: Ref<Thread>, word: usize) {
    let [.., noted] = &thread.context.t;
    noted.set(word);
}

/// The word of the mutex that it then wants; 0 of one that has none.
pub(crate) fn noted_word(thread: Ref<Thread>, mutex: Ref<Object>) -> usize {
    let [.., noted] = &thread.context.t;
    match mutex.made & PRIVATE {
        0 => 0,
        _ => noted.get(),
    }
}

/// Takes a private mutex that another has, or a private semaphore that counts none.
#[inline(never)]
#[allow(clippy::too_many_arguments)] // those of the call
pub(crate) extern "C" fn lock_word<M: Machine>(
    slot: usize,
    serial: usize,
    low: usize,
    high: usize,
    word: usize,
    a5: usize,
    me: Ref<Thread>,
    system: Ref<System>,
) -> Outcome {
    if let Some(handle) = me.handles.get(slot)
        && let Some(place) = place_in_data(me.process, word)
    {
        let object = handle.used;
        let value = M::load(place);
        let unusual = (object.serial.get() ^ serial as u32) as usize
            | me.state.get() as usize
            | (low | high == 0) as usize;
        if unusual == 0 && object.kind.get() == PRIVATE_MUTEX {
            if let Some(owner) = owner_of(system, me, object, word, value)
                && differ(system.entry(), me) == 0
                && let Some((end, unusual)) = end_of_chain(system, me, owner)
            {
                if object.owner.get().is_none() {
                    object.word.set(word);
                    object.give_to(owner);
                    M::store(place, value | WAITED_FOR);
                }
                begin_to_want(system, me, object);
                arm_until::<M>(system, me, low, high);
                return help(system, me, end, unusual);
            }
        } else if unusual | some(object.waiters.get()) == 0
            && object.kind.get() == PRIVATE_SEMAPHORE
            && value & (MOST | WAITED_FOR) == 0
        {
            object.word.set(word);
            object.count.set(0);
            M::store(place, WAITED_FOR | object.most.get() << LIMIT);
            me.answer(0);
            arm_until::<M>(system, me, low, high);
            return system.wait(me, object);
        }
    }
    slow_path!(Lock, slot, serial, low, high, word, a5, me, system)
}

/// Who has a private mutex, if it is a thread that owns no ceiling: by its record if it is in
/// use for this word, else by the word, which tells then that nobody waits.
#[inline(always)]
fn owner_of(
    system: Ref<System>,
    me: Ref<Thread>,
    mutex: Ref<Object>,
    word: usize,
    value: u32,
) -> Option<Ref<Thread>> {
    let owner = mutex.owner.get();
    if owner.is_some() {
        return owner.filter(|_| mutex.word.get() == word);
    }
    let owner = system.threads.get((value & (LOCKED - 1)) as usize)?;
    let unusual = mutex.count.get() | value & WAITED_FOR | owner.state.get() & state::CEILING;
    let unusual = unusual | id_of(owner) ^ value & !WAITED_FOR;
    (unusual as usize | differ(owner.process, me.process) == 0 && owner.lives()).then_some(owner)
}

/// The caller is about to wait, until an instant at most.
#[inline(always)]
fn arm_until<M: Machine>(system: Ref<System>, me: Ref<Thread>, low: usize, high: usize) {
    if low & high != FOR_EVER {
        cold_path();
        system.arm::<M>(me, low, high);
    }
}

/// Gives a private mutex, or one of a private semaphore, to the one thread that waits, which
/// precedes all.
#[inline(never)]
#[allow(clippy::too_many_arguments)]
pub(crate) extern "C" fn unlock_word<M: Machine>(
    slot: usize,
    serial: usize,
    word: usize,
    _: usize,
    _: usize,
    _: usize,
    me: Ref<Thread>,
    system: Ref<System>,
) -> Outcome {
    if let Some(handle) = me.handles.get(slot)
        && let Some(place) = place_in_data(me.process, word)
    {
        let object = handle.used;
        let unusual = (object.serial.get() ^ serial as u32) as usize | (object.word.get() ^ word);
        if object.kind.get() == PRIVATE_MUTEX {
            let first = system.entry();
            let unusual = unusual | me.state.get() as usize | is_not(me.held.get(), object);
            let unusual = unusual | is_not(first.wants.get(), object) | same(first, me) as usize;
            let unusual = unusual | odd_to_have(first) | (object.count.get() ^ 1) as usize;
            // (under a ceiling that it has published it goes on, and the mutex is free)
            if unusual | M::load(me.control.wrapping_add(CEILING)) as usize == 0 {
                system.note_free(object);
                object.owner.set(None);
                me.held.set(object.held_next.get());
                object.count.set(0);
                system.set_wants(first, None);
                M::store(place, id_of(first));
                return give(system, me, first);
            }
        } else if object.kind.get() == PRIVATE_SEMAPHORE
            && let Some(first) = object.waiters.get()
        {
            let unusual = unusual | differ(first.next.get(), first) | some(first.wants.get());
            let unusual = unusual | odd_to_have(first);
            if system.opens_top_unless(unusual, first.rank.get(), first) {
                object.waiters.set(None);
                first.waits.set(None);
                M::store(place, object.most.get() << LIMIT);
                return give(system, me, first);
            }
        }
    }
    slow_path!(Unlock, slot, serial, word, me, system)
}

/// 0 if a thread waits for nothing but what it is given, and perhaps for an instant.
#[inline(always)]
fn odd_to_have(first: Ref<Thread>) -> usize {
    (first.state.get() & !state::ARMED | first.process.life.get()) as usize
}

/// The first that waited has what it waited for, and the turn.
#[inline(always)]
fn give(system: Ref<System>, me: Ref<Thread>, first: Ref<Thread>) -> Outcome {
    me.answer(0);
    if first.state.get() != 0 {
        cold_path();
        system.disarm(first);
    }
    Outcome::switch(first)
}
