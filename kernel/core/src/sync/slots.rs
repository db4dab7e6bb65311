//! Slots, and the objects that come and go in them.
//!
//! The Serial Invariant: what lives in a slot has a serial number that no other tenant of
//! the slot has had, or will have. An empty slot has that of its next tenant; one whose
//! numbers are used up stays empty.
//!
//! A mutex that is deleted while threads want it leaves them in the ready queue, where
//! each finds out when its turn comes. Its slot is not taken again before all have.

use core::cell::Cell;

use crate::sched::thread::state;
use crate::slow_path::slow_path;
use crate::sync::object::kind;
use crate::sync::object_call::{DONE, GOES_ON, STAYS};
use crate::{Error, Machine, Object, Outcome, Ref, System, Thread, same, some};

/// Threads that are looked at in one piece.
const LOOK: usize = 32;

/// Makes the object of a slot anew.
#[inline(always)]
#[allow(clippy::too_many_arguments)] // those of the call
pub(crate) extern "C" fn create<M: Machine>(
    slot: usize,
    how: usize,
    server: usize,
    a3: usize,
    a4: usize,
    a5: usize,
    me: Ref<Thread>,
    system: Ref<System>,
) -> Outcome {
    if let Some(handle) = me.handles.get(slot) {
        let object = handle.managed;
        // (of what is free, something is left where the count is not the initial one)
        let left = object.count.get() ^ object.initial;
        if (object.kind.get() | left) as usize | how == 0 {
            object.kind.set(object.made);
            return me.pair(slot, object.serial.get() as usize);
        }
    }
    slow_path!(CreateObject, slot, how, server, a3, a4, a5, me, system)
}

/// Ends an object that nobody owns or waits for.
#[inline(always)]
#[allow(clippy::too_many_arguments)]
pub(crate) extern "C" fn delete<M: Machine>(
    slot: usize,
    serial: usize,
    a2: usize,
    a3: usize,
    a4: usize,
    a5: usize,
    me: Ref<Thread>,
    system: Ref<System>,
) -> Outcome {
    if let Some(handle) = me.handles.get(slot) {
        let object = handle.managed;
        let kind = object.kind.get();
        // (what is refused has bits of its kind that nothing else has)
        let wrong =
            (object.serial.get() ^ serial as u32) | kind & (kind::SEEN_TO | kind::USED_UP | 0xF0);
        let used = some(object.waiters.get()) | some(object.owner.get());
        let used = used | some(object.first.get());
        if wrong as usize | used == 0 && kind != kind::FREE {
            end(object);
            return Outcome::DONE;
        }
    }
    slow_path!(DeleteObject, slot, serial, a2, a3, a4, a5, me, system)
}

/// An object is no more. (A mutex still counts who wants it, and its owner keeps it until
/// nobody hangs on that for it.)
#[inline(always)]
fn end(object: Ref<Object>) {
    let serial = object.serial.get().wrapping_add(1);
    object.serial.set(serial);
    object.kind.set(if serial == 0 {
        kind::USED_UP
    } else {
        kind::FREE
    });
    if object.made & kind::KIND != kind::MUTEX {
        object.count.set(object.initial);
    } else {
        // (from the first thread on those are looked for that want it)
        object.word.set(0);
    }
}

impl System {
    /// Makes the object of a slot anew, whatever has lived there. As a call that begins again
    /// it sees to those that still want what was there.
    #[inline(always)]
    pub(crate) fn create_any<M: Machine>(&self, me: Ref<Thread>, object: Ref<Object>) -> usize {
        let [slot, how, server, ..] = &me.context.a;
        let mut attached = None;
        if how.get() & 1 != 0 {
            let (found, why) = self.mailbox(me, server.get(), 0, 0, u32::MAX);
            attached = found.filter(|&server| !same(server, object) && object.mail.is_some());
            if attached.is_none() {
                return why as usize;
            }
        }
        match object.kind.get() {
            kind::USED_UP => return Error::EAGAIN as usize,
            kind::FREE => {}
            _ => return Error::EEXIST as usize,
        }
        while self.vacate(object) || self.forget(object) {
            if crate::machine::waits::<M>() {
                return STAYS;
            }
        }
        object.word.set(0);
        let mut made = object.made;
        if let Some(mail) = object.mail {
            attached = attached.or(mail.made);
            mail.server.set(attached);
            if attached.is_some() {
                made |= kind::ROUTED;
            }
        }
        object.kind.set(made);
        object.count.set(object.initial);
        me.results([slot.get(), object.serial.get() as usize, 0, 0, 0, 0]);
        STAYS
    }

    /// Ends any object, as a call that begins again: those that wait are told, one a piece.
    #[inline(always)]
    pub(crate) fn delete_any<M: Machine>(&self, object: Ref<Object>, slot: &Cell<usize>) -> usize {
        if slot.get() & GOES_ON == 0 {
            while self.dismiss::<M>(object) {
                if crate::machine::waits::<M>() {
                    return STAYS;
                }
            }
            end(object);
            if object.made & kind::KIND == kind::MAILBOX {
                object.count.set(kind::LEFT);
            }
            slot.set(slot.get() | GOES_ON);
        }
        // (unless it has another tenant meanwhile)
        while !object.lives() && self.vacate(object) {
            if crate::machine::waits::<M>() {
                return STAYS;
            }
        }
        if object.made & (kind::KIND | kind::SEEN_TO) == kind::MAILBOX {
            object.count.set(object.initial);
        }
        DONE
    }

    /// One that waits for an object that is to end is told. Returns whether there was one.
    fn dismiss<M: Machine>(&self, object: Ref<Object>) -> bool {
        // (a mailbox's callers are told with their requests)
        let first = object.waiters.get();
        let Some(first) = first.filter(|first| !first.is(state::ORPHAN)) else {
            return false;
        };
        self.leave(first);
        if !first.process.is_alive() {
            first.waits.set(Some(self.no_list));
            return true;
        }
        // (what it has told that it will lock it still wants)
        if !first.is(state::HINTED) {
            self.set_wants(first, None);
        }
        first.refuse(Error::EIDRM);
        self.awaken::<M>(first);
        true
    }

    /// A piece of what an object that is no more has left: a message of a mailbox, a thread
    /// that hangs on the owner of a mutex. Returns whether there was one.
    fn vacate(&self, object: Ref<Object>) -> bool {
        if object.made & kind::KIND == kind::MAILBOX {
            return self.drain(object);
        }
        if object.owner.get().is_none() {
            return false;
        }
        let goes_on = self.look_for(object, state::PARKED);
        if !goes_on {
            self.release(object);
        }
        goes_on
    }

    /// Looks on for threads that want a mutex that is no more: until one hangs on its owner, or
    /// of all that have not had their turn. Returns whether there are more. (Nobody begins to
    /// want it.) O(1): of some threads.
    #[inline(never)]
    fn look_for(&self, mutex: Ref<Object>, parked: u32) -> bool {
        let next = &mutex.word;
        let rest = self.threads.get(next.get()..).unwrap_or(&[]);
        for thread in rest.iter().take(LOOK) {
            next.set(next.get().wrapping_add(1));
            if !thread.wants_it(mutex) || !thread.is_linked() {
                continue;
            }
            if parked == 0 {
                self.take(thread, mutex);
            } else if thread.is(parked) {
                self.bring_up(thread);
                return true;
            }
        }
        let goes_on = LOOK < rest.len();
        if !goes_on {
            next.set(0);
        }
        goes_on
    }

    /// A piece of the look for those that want a mutex that is no more, and have not had
    /// their turn. Returns whether there is more.
    fn forget(&self, mutex: Ref<Object>) -> bool {
        if mutex.made & kind::KIND != kind::MUTEX || mutex.count.get() == 0 {
            return false;
        }
        self.look_for(mutex, 0);
        true
    }
}
