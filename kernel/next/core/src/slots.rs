//! Slots, and the objects that come and go in them.
//!
//! The Serial Invariant: what lives in a slot has a serial number that no other tenant of
//! the slot has had, or will have. An empty slot has that of its next tenant; one whose
//! numbers are used up stays empty.
//!
//! A mutex that is deleted while threads want it leaves them in the ready queue, where
//! each finds out when its turn comes. Its slot is not taken again before all have.

use core::hint::cold_path;

use giornata_abi::next::call::Call;
use giornata_abi::system::RIGHT_MANAGE;

use crate::object::{is_mailbox, kind};
use crate::parking::PIECE;
use crate::thread::state;
use crate::{Error, Kernel, Machine, Object, Outcome, Ref, Thread, same, some};

/// Threads that are looked at in one piece.
const LOOK: usize = 32;

/// In the register of the slot: the end of a mailbox that goes on.
const GOES_ON: usize = 1 << 16;

/// The result of a call: an id.
#[inline(always)]
fn id(me: Ref<Thread>, slot: usize, serial: u32) -> Outcome {
    me.pair(slot, serial as usize)
}

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
    kernel: Ref<Kernel>,
) -> Outcome {
    if let Some(handle) = me.handles.get(slot) {
        let object = handle.managed;
        // (of what is free, something is left where the count is not the initial one)
        let left = object.count.get() ^ object.initial;
        if (object.kind.get() | left) as usize | how == 0 {
            object.kind.set(object.made);
            return id(me, slot, object.serial.get());
        }
    }
    cold_path();
    create_any::<M>(slot, how, server, a3, a4, a5, me, kernel)
}

/// The same, whatever lives or has lived in the slot. As a call that begins again it sees
/// to those that still want what was there.
#[cold]
#[inline(never)]
#[allow(clippy::too_many_arguments)]
extern "C" fn create_any<M: Machine>(
    slot: usize,
    how: usize,
    server: usize,
    _: usize,
    _: usize,
    _: usize,
    me: Ref<Thread>,
    kernel: Ref<Kernel>,
) -> Outcome {
    let attached = match how & 1 {
        0 => None,
        _ => Some(server),
    };
    let (object, server) = match kernel.to_create(me, slot, attached) {
        Ok(slot) => slot,
        Err(error) => return Outcome::error(error),
    };
    while kernel.vacate::<M>(object) || kernel.forget(object) {
        if M::pending() {
            let server = attached.unwrap_or(0);
            return kernel.again(me, Call::CreateObject, [slot, how, server, 0, 0, 0]);
        }
    }
    object.word.set(0);
    let mut made = object.made;
    if let Some(mail) = object.mail {
        let server = server.or(mail.made);
        mail.server.set(server);
        if server.is_some() {
            made |= kind::ROUTED;
        }
    }
    object.kind.set(made);
    object.count.set(object.initial);
    id(me, slot, object.serial.get())
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
    cold_path();
    delete_any::<M>(slot, serial, a2, a3, a4, a5, me, kernel)
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
    let (goes_on, place) = (slot & GOES_ON != 0, slot & !GOES_ON);
    let object = match kernel.slot_of(me, place, RIGHT_MANAGE.into()) {
        Ok(object) => object,
        Err(error) => return Outcome::error(error),
    };
    if !goes_on {
        if !object.lives() || object.serial.get() != serial as u32 {
            return Outcome::error(Error::ESRCH);
        }
        while kernel.dismiss::<M>(object) {
            if M::pending() {
                return kernel.again(me, Call::DeleteObject, [slot, serial, 0, 0, 0, 0]);
            }
        }
        end(object);
        if object.made & kind::KIND == kind::MAILBOX {
            object.count.set(kind::LEFT);
        }
    }
    // (unless it has another tenant meanwhile)
    while !object.lives() && kernel.vacate::<M>(object) {
        if M::pending() {
            let slot = place | GOES_ON;
            return kernel.again(me, Call::DeleteObject, [slot, serial, 0, 0, 0, 0]);
        }
    }
    if object.made & (kind::KIND | kind::SEEN_TO) == kind::MAILBOX {
        object.count.set(object.initial);
    }
    me.answer(0);
    kernel.go()
}

/// The most urgent that hangs on an owner for this mutex.
fn hangs_for(owner: Ref<Thread>, mutex: Ref<Object>) -> Option<Ref<Thread>> {
    let first = owner.parked.get()?;
    let mut at = first;
    loop {
        if at.wants.get().is_some_and(|wanted| same(wanted, mutex)) {
            return Some(at);
        }
        at = at.next.get();
        if same(at, first) {
            return None;
        }
    }
}

impl Kernel {
    /// The slot in which an object may be made, and the server to which that is attached.
    fn to_create(
        &self,
        me: Ref<Thread>,
        slot: usize,
        server: Option<usize>,
    ) -> Result<(Ref<Object>, Option<Ref<Object>>), Error> {
        let object = self.slot_of(me, slot, RIGHT_MANAGE.into())?;
        let mut attached = None;
        if let Some(server) = server {
            let server = self.named(me, server, u32::MAX)?;
            if same(server, object) || object.mail.is_none() {
                return Err(Error::EINVAL);
            }
            attached = Some(is_mailbox(server)?);
        }
        match object.kind.get() {
            kind::USED_UP => Err(Error::EAGAIN),
            kind::FREE => Ok((object, attached)),
            _ => Err(Error::EEXIST),
        }
    }

    /// Four that wait for an object that is to end are told. Returns whether there are more.
    fn dismiss<M: Machine>(&self, object: Ref<Object>) -> bool {
        // (a mailbox's callers are told with their requests)
        let first = || {
            object
                .waiters
                .get()
                .filter(|first| !first.is(state::ORPHAN))
        };
        let mut left = PIECE;
        while let Some(first) = first() {
            if left == 0 {
                return true;
            }
            left = left.wrapping_sub(1);
            first.wants.set(None);
            first.refuse(Error::EIDRM);
            self.wake_first::<M>(object);
        }
        false
    }

    /// A piece of what an object that is no more has left: the messages of a mailbox, four
    /// that hang on the owner of a mutex. Returns whether there is more.
    fn vacate<M: Machine>(&self, object: Ref<Object>) -> bool {
        if object.made & kind::KIND == kind::MAILBOX {
            return self.drain::<M>(object);
        }
        let Some(owner) = object.owner.get() else {
            return false;
        };
        let mut left = PIECE;
        while let Some(hangs) = hangs_for(owner, object) {
            if left == 0 {
                return true;
            }
            left = left.wrapping_sub(1);
            self.bring_up(hangs);
        }
        self.release(object);
        false
    }

    /// A piece of the look for those that want a mutex that is no more, and have not had
    /// their turn. Returns whether there is more.
    fn forget(&self, mutex: Ref<Object>) -> bool {
        if mutex.made & kind::KIND != kind::MUTEX || mutex.count.get() == 0 {
            return false;
        }
        // (the search goes on where it was put back)
        let next = mutex.word.get();
        for thread in self.threads.iter().skip(next).take(LOOK) {
            if thread.wants.get().is_some_and(|wanted| same(wanted, mutex)) && thread.is_linked() {
                self.take(thread, mutex);
            }
        }
        let next = next.wrapping_add(LOOK);
        let next = if next < self.threads.len() { next } else { 0 };
        mutex.word.set(next);
        true
    }

    /// The id of what lives in a slot.
    pub(crate) fn open_object(&self, me: Ref<Thread>, slot: usize) -> Outcome {
        let found = self.slot_of(me, slot, u32::MAX);
        match found {
            Ok(object) if object.lives() => id(me, slot, object.serial.get()),
            Ok(_) => Outcome::error(Error::ESRCH),
            Err(error) => Outcome::error(error),
        }
    }
}
