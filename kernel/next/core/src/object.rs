//! Objects that threads synchronise by, and how a process names them.

use core::cell::Cell;

use giornata_abi::next::id::SLOT_MASK;

use crate::thread::Thread;
use crate::{Ref, record};

/// What an object is.
pub mod kind {
    /// A slot in which nothing lives.
    pub const FREE: u32 = 0;
    /// A counting semaphore.
    pub const SEMAPHORE: u32 = 1;
    /// A mutex.
    pub const MUTEX: u32 = 2;
    /// A condition variable.
    pub const CONDITION: u32 = 3;
    /// A mailbox.
    pub const MAILBOX: u32 = 4;
    /// Of the one object that a process finds where it may not use one.
    pub const REFUSED: u32 = 0xFF;
}

record! {
    /// One record for all kinds.
    pub struct Object {
        /// What lives in it: [`kind`].
        pub(crate) kind: Cell<u32>,
        /// Which tenant of the slot: goes up when one is created.
        pub(crate) serial: Cell<u32>,
        /// Of a semaphore: how often it can be taken. Of a mutex: how many threads
        /// want it. Of a mailbox: messages in it.
        pub(crate) count: Cell<u32>,
        /// Of a semaphore: the highest count. Of a mutex: its ceiling as a level, or 0.
        pub(crate) most: Cell<u32>,
        /// Of a mutex: who owns it. Of a mailbox: who serves it.
        pub(crate) owner: Cell<Option<Ref<Thread>>>,
        /// Who waits in its list, most urgent first.
        pub(crate) waiters: Cell<Option<Ref<Thread>>>,
        /// What was created: the kind that the builder gave the slot.
        pub made: u32,
        /// Count of a semaphore when it is created.
        pub initial: u32,
    }

    /// What a number means to one process. Where it has no right there is the object
    /// that is [`kind::REFUSED`].
    pub struct Handle {
        /// The object, if the process may use it.
        pub used: Ref<Object>,
        /// The object, if the process may create and delete it.
        pub managed: Ref<Object>,
    }
}

/// Looks a number up, once: the object, and 0 if its tenant is of this kind and the
/// one that the serial number names.
///
/// No branch but for a slot beyond the table: whoever asks ors in what else is odd.
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

impl Object {
    /// Who waits in its list first.
    pub fn waiters(&self) -> Option<Ref<Thread>> {
        self.waiters.get()
    }

    /// Who owns or serves it.
    pub fn owner(&self) -> Option<Ref<Thread>> {
        self.owner.get()
    }
}
