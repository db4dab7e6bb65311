//! Objects that threads synchronise by, and how a process names them.

use core::cell::Cell;

use giornata_abi::id::SLOT_MASK;

use crate::sched::thread::Thread;
use crate::{Error, Mail, Message, Ref, System, record};

/// What an object is.
pub mod kind {
    /// A slot in which nothing lives.
    pub const FREE: u32 = 0;
    /// Mark of a slot in which nothing will live any more.
    pub const USED_UP: u32 = 1 << 31;
    /// A counting semaphore.
    pub const SEMAPHORE: u32 = 1;
    /// A mutex.
    pub const MUTEX: u32 = 2;
    /// A condition variable.
    pub const CONDITION: u32 = 3;
    /// A mailbox.
    pub const MAILBOX: u32 = 4;
    /// What clients want whose requests a thread has in its hand: owned by that thread.
    pub const HAND: u32 = 5;
    /// Mark of a mailbox that is attached to a server, or may have a protocol server.
    pub const ROUTED: u32 = 0x800;
    /// Beside `MAILBOX`: code of a program waits for its messages.
    pub const HEARD: u32 = 0x1000;
    /// Marks of a mailbox that has more to be seen to than its serial number when one is
    /// created.
    pub const SEEN_TO: u32 = ROUTED | HEARD;
    /// Count of a mailbox that is no more, or not yet, if there is something to be seen to
    /// when one is created: such a mark, messages or a reader.
    pub const LEFT: u32 = 1;
    /// Of the one object that a process finds where it may not use one.
    pub const REFUSED: u32 = 0xFF;
    /// These bits say what lives in the slot; the others are marks. Whatever is marked
    /// differs from its plain kind, so that fast paths need not look for marks.
    pub const KIND: u32 = 0xFF;
    /// Mark of a mutex: it has a ceiling.
    pub const CEILING: u32 = 0x100;
    /// Mark of a mutex or semaphore: the threads of one process take it by a word of
    /// their memory.
    pub const PRIVATE: u32 = 0x200;
    /// Mark of a mutex: its owner ended, and nobody has been told.
    pub const ABANDONED: u32 = 0x400;
}

record! {
    /// One record for all kinds.
    pub struct Object {
        /// What lives in it, and marks: [`kind`].
        pub(crate) kind: Cell<u32>,
        /// Which tenant of the slot: goes up when one ends.
        pub serial: Cell<u32>,
        /// Of a semaphore: how often it can be taken. Of a mutex: how many threads
        /// want it, also one that was deleted. Of a hand: how many requests are in it. Of a
        /// mailbox 0. Where nothing lives and nothing is left: `initial`; see
        /// [`kind::LEFT`].
        pub(crate) count: Cell<u32>,
        /// Of a semaphore: the highest count. Of a mutex: its ceiling as a level, or 0.
        pub(crate) most: Cell<u32>,
        /// Of a mutex: who owns it. Of a mailbox: its protocol server, or else who received
        /// last: who runs in the place of a caller whose request lies in it. Of a hand:
        /// whose it is.
        pub(crate) owner: Cell<Option<Ref<Thread>>>,
        /// Who waits in its list, most urgent first. Of a mailbox: receivers, and then no
        /// message lies in it; or callers that nobody serves, and then their requests do.
        pub(crate) waiters: Cell<Option<Ref<Thread>>>,
        /// What was created: the kind that the builder gave the slot, and its marks.
        pub made: u32,
        /// Count when it is created; 0 but of a semaphore.
        pub initial: u32,
        /// Of a mutex that has an owner: its neighbours in the list of what that owns. Of a
        /// mailbox: the next from which its owner received last, those that it serves first;
        /// of a hand: the first.
        pub(crate) held_next: Cell<Option<Ref<Object>>>,
        /// (Not of the first mutex. Of the first mailbox: the hand.)
        pub(crate) held_prev: Cell<Option<Ref<Object>>>,
        /// Of a private one: the user address of its word, as it was told last. Of a mutex
        /// that is no more: which thread is looked at next that may want it. Of the hand
        /// of a thread that has the urgency of a late request: that level; of one that ends:
        /// where it looks next for a client.
        pub(crate) word: Cell<usize>,
        /// Of a mailbox: its first message.
        pub(crate) first: Cell<Option<Ref<Message>>>,
        /// Of a hand: the mailbox from which its thread received last; `serial` is that of
        /// the tenant. Of a mailbox: the hand of its owner, if that thread received last from
        /// here.
        pub(crate) serves: Cell<Option<Ref<Object>>>,
        /// Of a mailbox that can have the mark `ROUTED`: what that needs.
        pub mail: Option<Ref<Mail>>,
        /// Its slot.
        pub number: u32,
    }

    /// What a number means to one process. Where it has no right there is the object
    /// that is [`kind::REFUSED`].
    pub struct Handle {
        /// The object, if the process may use it.
        pub used: Ref<Object>,
        /// The object, if the process may create and delete it.
        pub managed: Ref<Object>,
        /// The mailbox, if the process may receive from it.
        pub received: Ref<Object>,
        /// All rights of the process: `RIGHT_USE` and others of
        /// [`giornata_abi::system`].
        pub rights: u32,
    }
}

/// Looks a number up, once: the object, and 0 if its tenant is of this kind and the
/// one that the serial number names.
///
/// No branch but for a slot beyond the table: whoever asks ors in what else is unusual.
#[inline(always)]
pub(crate) fn look(
    me: Ref<Thread>,
    slot: usize,
    serial: usize,
    kind: u32,
) -> Option<(Ref<Object>, usize)> {
    let object = me.handles.get(slot & SLOT_MASK)?.used;
    let wrong = (object.serial.get() ^ serial as u32) | (object.kind.get() ^ kind);
    Some((object, wrong as usize))
}

/// The same of a mailbox from which to receive.
#[inline(always)]
pub(crate) fn look_received(
    me: Ref<Thread>,
    slot: usize,
    serial: usize,
) -> Option<(Ref<Object>, usize)> {
    let object = me.handles.get(slot)?.received;
    let wrong = (object.serial.get() ^ serial as u32) | (object.kind.get() ^ kind::MAILBOX);
    Some((object, wrong as usize))
}

impl Object {
    /// 0 if a mutex that is free can be given to the one thread that wants it, and
    /// nothing else is to be seen to.
    #[inline(always)]
    pub(crate) fn odd_to_take(&self) -> u32 {
        (self.kind.get() ^ kind::MUTEX) | (self.count.get() ^ 1)
    }

    /// A thread owns a plain mutex; it owns none with a ceiling.
    #[inline(always)]
    pub(crate) fn give_to(&'static self, thread: Ref<Thread>) {
        let next = thread.held.get();
        self.owner.set(Some(thread));
        self.held_next.set(next);
        thread.held.set(Some(self));
        if let Some(next) = next {
            next.held_prev.set(Some(self));
        }
    }

    /// Whether it is a mutex with a ceiling.
    #[inline(always)]
    pub(crate) fn has_ceiling(&self) -> bool {
        self.made & kind::CEILING != 0
    }

    /// Who waits in its list first.
    pub fn waiters(&self) -> Option<Ref<Thread>> {
        self.waiters.get()
    }

    /// Whether something lives in the slot.
    pub fn lives(&self) -> bool {
        self.kind.get() & kind::KIND != kind::FREE
    }

    /// Of a semaphore: how often it can be taken.
    pub fn count(&self) -> u32 {
        self.count.get()
    }

    /// Of a mutex: whether its owner ended, and nobody has been told.
    pub fn is_abandoned(&self) -> bool {
        self.kind.get() & kind::ABANDONED != 0
    }

    /// Of a private one that is in use: the user address of its word.
    pub fn word(&self) -> usize {
        self.word.get()
    }

    /// Who owns or serves it.
    pub fn owner(&self) -> Option<Ref<Thread>> {
        self.owner.get()
    }
}

impl System {
    /// The slot with a number, whoever lives in it, if the caller's process has one of
    /// these rights to it: else none, and why.
    #[inline(never)]
    pub(crate) fn slot_of(
        &self,
        me: Ref<Thread>,
        slot: usize,
        rights: u32,
    ) -> (Option<Ref<Object>>, Error) {
        match (me.handles.get(slot), self.objects.get(slot)) {
            (Some(handle), Some(_)) if handle.rights & rights == 0 => (None, Error::EPERM),
            (Some(_), Some(object)) => (Some(object), Error::EINVAL),
            _ => (None, Error::ESRCH),
        }
    }

    /// The same of the mailbox that an id names. (Bits that the mask has not are not looked
    /// at in the serial number.)
    #[inline(never)]
    pub(crate) fn mailbox(
        &self,
        me: Ref<Thread>,
        slot: usize,
        serial: usize,
        mask: u32,
        rights: u32,
    ) -> (Option<Ref<Object>>, Error) {
        let (found, mut why) = self.slot_of(me, slot & SLOT_MASK, rights);
        if let Some(object) = found {
            if object.kind.get() & kind::KIND == kind::MAILBOX
                && (object.serial.get() ^ serial as u32) & mask == 0
            {
                return (found, why);
            }
            if !object.lives() || (object.serial.get() ^ serial as u32) & mask != 0 {
                why = Error::ESRCH;
            }
        }
        (None, why)
    }
}
