//! What lives in the slots: how it begins and how it ends.

use crate::core_state::Core;
use crate::hardware::Hardware;
use crate::services::Reply;
use giornata_abi::call::Call;
use giornata_abi::id::NONE;
use giornata_abi::system::{OBJECT_AT_BOOT, ObjectEntry, ObjectKind};
use giornata_abi::{Error, Id};
use giornata_queue::Urgency;

/// What the kernel knows of one object.
#[derive(Clone, Copy, Debug)]
pub struct Object {
    pub(crate) exists: bool,
    /// Of a mutex: who had it ended without giving it back.
    pub(crate) abandoned: bool,
    pub(crate) generation: u16,
    /// Of a mutex: the thread that has it.
    pub(crate) owner: u16,
    /// The next object that its owner has.
    pub(crate) next_held: u16,
    /// The first of those that wait.
    pub(crate) waiter: u16,
    /// Of a mailbox: the first message.
    pub(crate) letter: u16,
    /// Of a mailbox: the one of the server that it is attached to.
    pub(crate) server: u16,
    /// Of a mailbox: the thread that received last.
    pub(crate) reader: u16,
    /// Of a private semaphore: the address of its word, while it is waited for.
    pub(crate) word: u32,
    /// Of a semaphore.
    pub(crate) count: u32,
    /// What it lends its owner beside what waits: the ceiling of a mutex; the
    /// most urgent message of a mailbox.
    pub(crate) lends: Option<Urgency>,
}

impl Object {
    /// An empty slot.
    pub const EMPTY: Object = Object {
        exists: false,
        abandoned: false,
        generation: 0,
        owner: NONE,
        next_held: NONE,
        waiter: NONE,
        letter: NONE,
        server: NONE,
        reader: NONE,
        word: 0,
        count: 0,
        lends: None,
    };

    /// It begins to live.
    pub(crate) fn begin(&mut self, initial: u32, server: u16) {
        *self = Object {
            exists: true,
            generation: self.generation,
            count: initial,
            server,
            ..Object::EMPTY
        };
    }

    /// It lives no more, and its ids name nothing.
    pub(crate) fn end(&mut self) {
        self.exists = false;
        self.generation = self.generation.wrapping_add(1);
    }

    /// The reply that tells its id.
    pub(crate) fn named(&self, index: u16) -> Reply {
        Reply::Word(self.id(index))
    }

    /// Its id.
    pub(crate) fn id(&self, index: u16) -> usize {
        Id::new(index, self.generation).0 as usize
    }
}

/// Waiters and messages of an object that are dealt with in one piece of its end.
const PIECE: u32 = 4;

impl<H: Hardware> Core<'_, H> {
    /// Creates the objects that exist when the system boots.
    pub(crate) fn create_objects(&mut self) {
        for index in 0..self.services.objects.len() {
            let entry = self.object_entry(index);
            let object = self.services.objects.at_mut(index);
            object.exists = entry.flags & OBJECT_AT_BOOT != 0;
            object.count = entry.initial;
            object.server = entry.server;
        }
    }

    /// Whether an object is of this kind.
    #[inline]
    pub(crate) fn is_a(&self, index: u16, kind: ObjectKind) -> bool {
        self.object_entry(index).kind == kind as u8
    }

    pub(crate) fn create_object(
        &mut self,
        index: u16,
        server: Option<u16>,
    ) -> Result<Reply, Error> {
        let entry = self.object_entry(index);
        let is_mailbox = self.is_a(index, ObjectKind::Mailbox);
        if let Some(server) = server
            && (!is_mailbox || server == index || !self.is_a(server, ObjectKind::Mailbox))
        {
            return Err(Error::EINVAL);
        }
        let object = self.services.objects.at_mut(index);
        if object.exists {
            return Err(Error::EEXIST);
        }
        object.begin(entry.initial, server.unwrap_or(entry.server));
        Ok(object.named(index))
    }

    /// Ends an object, after all that wait for it have been told.
    pub(crate) fn delete_object(
        &mut self,
        thread: u16,
        index: u16,
        arguments: &[usize; 6],
    ) -> Result<Reply, Error> {
        for _ in 0..PIECE {
            let waiter = self.services.objects.at(index).waiter;
            if waiter == NONE && self.discard_letter(index) {
                continue;
            }
            if waiter == NONE {
                self.disown(index);
                self.services.objects.at_mut(index).end();
                return Ok(Reply::Done);
            }
            self.leave(waiter);
            self.release_waiter(waiter, Err(Error::EIDRM));
        }
        self.once_more(thread, Call::DeleteObject, arguments);
        Ok(Reply::Later)
    }
}

impl<'a, H: Hardware> Core<'a, H> {
    pub(crate) fn object_entry(&self, index: u16) -> &'a ObjectEntry {
        let objects = self.system.objects;
        objects.get(index as usize).unwrap_or(&NO_OBJECT)
    }
}

static NO_OBJECT: ObjectEntry = ObjectEntry {
    kind: u8::MAX,
    flags: 0,
    ceiling: 0,
    reserved: 0,
    rights: NONE,
    server: NONE,
    initial: 0,
    most: 0,
};
