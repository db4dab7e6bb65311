//! Slots, and the objects that come and go in them.
//!
//! The Serial Invariant: what lives in a slot has a serial number that no other tenant of
//! the slot has had, or will have. A slot whose numbers are used up stays empty.
//!
//! A mutex that is deleted while threads want it leaves them in the ready queue, where
//! each finds out when its turn comes. Its slot is not taken again before all have.

use core::hint::cold_path;

use giornata_abi::next::call::Call;

use crate::object::kind;
use crate::parking::PIECE;
use crate::sync::find_slot;
use crate::thread;
use crate::{Error, Kernel, Machine, Object, Outcome, Ref, Thread, same, some};

/// Threads that are looked at in one piece.
const LOOK: usize = 32;

/// The object of a slot that the caller may create and delete.
#[inline(never)]
fn find_managed(me: Ref<Thread>, slot: usize) -> Result<Ref<Object>, Error> {
    match me.handles.get(slot) {
        Some(handle) if handle.managed.kind.get() != kind::REFUSED => Ok(handle.managed),
        Some(_) => Err(Error::EPERM),
        None => find_slot(me, slot),
    }
}

/// The result of a call: an id.
#[inline(always)]
fn id(me: Ref<Thread>, slot: usize, serial: u32) -> Outcome {
    let [a0, a1, a2, a3, a4, a5, a6, _] = &me.context.a;
    a0.set(0);
    a1.set(slot);
    a2.set(serial as usize);
    for rest in [a3, a4, a5, a6] {
        rest.set(0);
    }
    me.kind.set(thread::kind::RESULTS);
    Outcome::switch(me)
}

/// Makes the object of a slot anew.
#[inline(always)]
#[allow(clippy::too_many_arguments)] // those of the call
pub(crate) extern "C" fn create(
    slot: usize,
    how: usize,
    server: usize,
    a3: usize,
    a4: usize,
    a5: usize,
    me: Ref<Thread>,
    kernel: Ref<Kernel>,
) -> Outcome {
    if let Some(handle) = me.handles.get(slot) {
        let object = handle.managed;
        let serial = object.serial.get().wrapping_add(1);
        // (of what is free only a mutex that is still wanted has a count)
        let taken = object.kind.get() | object.count.get() | object.made & kind::MAILBOX;
        if taken as usize | how == 0 && serial != 0 {
            object.kind.set(object.made);
            object.serial.set(serial);
            object.count.set(object.initial);
            return id(me, slot, serial);
        }
    }
    cold_path();
    create_any(slot, how, server, a3, a4, a5, me, kernel)
}

/// The same, whatever lives or has lived in the slot. As a call that begins again, with
/// the number of a thread in the upper half of `how`, it tells those that want a mutex
/// that is no more.
#[inline(never)]
#[allow(clippy::too_many_arguments)]
extern "C" fn create_any(
    slot: usize,
    how: usize,
    server: usize,
    _: usize,
    _: usize,
    _: usize,
    me: Ref<Thread>,
    kernel: Ref<Kernel>,
) -> Outcome {
    let object = match find_managed(me, slot) {
        Ok(object) => object,
        Err(error) => return Outcome::error(error),
    };
    let serial = object.serial.get().wrapping_add(1);
    let attached = how & 1 != 0;
    let error = match object.kind.get() {
        _ if attached && object.made & kind::KIND != kind::MAILBOX => Error::EINVAL,
        kind::FREE if serial == 0 => Error::EAGAIN,
        kind::FREE => {
            if object.count.get() != 0 {
                let next = kernel.dismiss(object, how >> 16);
                let how = how & 0xFFFF | next << 16;
                return kernel.again(me, Call::CreateObject, [slot, how, server, 0, 0, 0]);
            }
            object.kind.set(object.made);
            object.serial.set(serial);
            object.count.set(object.initial);
            return id(me, slot, serial);
        }
        _ => Error::EEXIST,
    };
    Outcome::error(error)
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
    kernel: Ref<Kernel>,
) -> Outcome {
    if let Some(handle) = me.handles.get(slot) {
        let object = handle.managed;
        let kind = object.kind.get();
        let wrong = (object.serial.get() ^ serial as u32) | kind & kind::MAILBOX;
        let used = some(object.waiters.get()) | some(object.owner.get());
        if wrong as usize | used == 0 && kind != kind::FREE {
            end(object);
            return Outcome::DONE;
        }
    }
    cold_path();
    delete_any::<M>(slot, serial, a2, a3, a4, a5, me, kernel)
}

/// An object is no more. (A mutex still counts who wants it.)
#[inline(always)]
fn end(object: Ref<Object>) {
    object.kind.set(kind::FREE);
    if object.made & kind::KIND != kind::MUTEX {
        object.count.set(0);
    }
}

/// The same of any. As a call that begins again it tells those that wait, four a piece.
#[inline(never)]
#[allow(clippy::too_many_arguments)]
extern "C" fn delete_any<M: Machine>(
    slot: usize,
    serial: usize,
    _: usize,
    _: usize,
    _: usize,
    _: usize,
    me: Ref<Thread>,
    kernel: Ref<Kernel>,
) -> Outcome {
    let object = match find_managed(me, slot) {
        Ok(object) => object,
        Err(error) => return Outcome::error(error),
    };
    if object.kind.get() == kind::FREE || object.serial.get() != serial as u32 {
        return Outcome::error(Error::ESRCH);
    }
    for _ in 0..PIECE {
        let Some(first) = object.waiters.get() else {
            break;
        };
        first.wants.set(None);
        first.answer(Error::EIDRM as usize);
        kernel.wake_first::<M>(object);
    }
    // those that want a mutex find out when they have their turn
    if let Some(owner) = object.owner.get()
        && object.waiters.get().is_none()
    {
        kernel.unpark(owner);
        if owner.parked.get().is_none() {
            kernel.release(object);
        }
    }
    if object.waiters.get().is_some() || object.owner.get().is_some() {
        return kernel.again(me, Call::DeleteObject, [slot, serial, 0, 0, 0, 0]);
    }
    end(object);
    me.answer(0);
    kernel.go()
}

impl Kernel {
    /// Lets the threads from number `next` on go that want a mutex that is no more, as
    /// many as are looked at in one piece. Returns the number of the thread to go on
    /// with.
    #[inline(never)]
    fn dismiss(&self, mutex: Ref<Object>, next: usize) -> usize {
        for thread in self.threads.iter().skip(next).take(LOOK) {
            if thread.wants.get().is_some_and(|wanted| same(wanted, mutex)) && thread.is_linked() {
                self.take(thread, mutex);
            }
        }
        let next = next.wrapping_add(LOOK);
        if next < self.threads.len() { next } else { 0 }
    }

    /// The id of what lives in a slot.
    pub(crate) fn open_object(&self, me: Ref<Thread>, slot: usize) -> Outcome {
        let found = find_managed(me, slot).or_else(|_| find_slot(me, slot));
        match found {
            Ok(object) if object.kind.get() != kind::FREE => id(me, slot, object.serial.get()),
            Ok(_) => Outcome::error(Error::ESRCH),
            Err(error) => Outcome::error(error),
        }
    }
}
