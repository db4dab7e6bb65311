//! What processes take from: each has its own messages, places for threads, and
//! memory, so that who takes too much harms nobody else.

use crate::core_state::Core;
use crate::hardware::Hardware;
use giornata_abi::Error;
use giornata_abi::id::NONE;
use giornata_queue::Urgency;

/// Whose a message is, and what follows from that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Cover {
    /// The inherited thread priority (EMERALDS, section 6.1): that of the sender,
    /// or of the receiver of one that comes in.
    pub(crate) urgency: Urgency,
    /// Where it is to go in the end, as its sender named it.
    pub(crate) destination: u32,
    pub(crate) incoming: bool,
    /// The id of the thread that sent it.
    pub(crate) sender: u32,
}

/// What a message says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Letter {
    pub(crate) cover: Cover,
    pub(crate) priority: u32,
    pub(crate) node: u16,
    pub(crate) length: u16,
    /// Its bytes, if they are few.
    pub(crate) words: [u32; 4],
}

impl Letter {
    const EMPTY: Letter = Letter {
        cover: Cover {
            urgency: Urgency { level: 0, key: 0 },
            destination: 0,
            incoming: false,
            sender: 0,
        },
        priority: 0,
        node: 0,
        length: 0,
        words: [0; 4],
    };
}

/// What a process takes from: what is free, and what is used.
#[derive(Clone, Copy, Debug)]
pub struct Pool {
    /// The first free message.
    pub(crate) letter: u16,
    /// The first free place for a thread.
    pub(crate) thread: u16,
    /// The thread that waits for the end of a process that this one supervises.
    pub(crate) watcher: u16,
    /// How the process ended or began anew, until its supervisor is told.
    pub(crate) news: u32,
    /// How urgent its end is of itself.
    pub(crate) teardown: Urgency,
    /// Bytes of its memory that it has taken.
    pub(crate) allotted: u32,
    /// The regions that it has attached, a bit each.
    pub(crate) attached: u32,
}

impl Pool {
    /// One that nothing can be taken from.
    pub const EMPTY: Pool = Pool {
        letter: NONE,
        thread: NONE,
        watcher: NONE,
        news: 0,
        teardown: Urgency { level: 0, key: 0 },
        allotted: 0,
        attached: 0,
    };
}

/// A message of a pool.
#[derive(Clone, Copy, Debug)]
pub struct Message {
    /// The next in its mailbox, or of those that are free.
    pub(crate) next: u16,
    /// The process whose it is.
    pool: u16,
    pub(crate) letter: Letter,
}

impl Message {
    /// One that is in no pool.
    pub const EMPTY: Message = Message {
        next: NONE,
        pool: NONE,
        letter: Letter::EMPTY,
    };
}

impl<H: Hardware> Core<'_, H> {
    /// Fills the pools.
    pub(crate) fn fill_pools(&mut self) {
        for process in 0..self.processes.len() {
            let range = self.process_entry(process).messages;
            for index in range.start..range.start.saturating_add(range.count) {
                self.services.letters.at_mut(index).pool = process;
                self.free_message(index);
            }
        }
    }

    /// Takes a message from a process's pool. O(1).
    pub(crate) fn take_message(&mut self, process: u16) -> Result<u16, Error> {
        let services = &mut self.services;
        let first = &mut services.pools.at_mut(process).letter;
        let index = *first;
        let message = services.letters.get(index).ok_or(Error::EAGAIN)?;
        *first = message.next;
        Ok(index)
    }

    /// Gives a message back to its pool. O(1).
    pub(crate) fn free_message(&mut self, index: u16) {
        let services = &mut self.services;
        let message = services.letters.at_mut(index);
        let first = &mut services.pools.at_mut(message.pool).letter;
        message.next = core::mem::replace(first, index);
    }

    /// Where the bytes of a message lie in the arena.
    pub(crate) fn room_of(&self, index: u16) -> u32 {
        let entry = self.process_entry(self.services.letters.at(index).pool);
        let number = index.saturating_sub(entry.messages.start) as u32;
        let offset = number.saturating_mul(entry.message_size);
        entry.message_place.saturating_add(offset)
    }

    /// Whether every message is free or in one mailbox, or on its way. O(messages);
    /// for tests.
    pub(crate) fn check_letters(&self) -> Result<(), &'static str> {
        let services = &self.services;
        let length = |first: u16| {
            let mut at = first;
            let mut count = 0;
            while let Some(message) = services.letters.get(at) {
                count += 1;
                at = message.next;
                if count > services.letters.len() {
                    break;
                }
            }
            count
        };
        let free: u16 = services.pools.iter().map(|pool| length(pool.letter)).sum();
        let sent: u16 = services.objects.iter().map(|o| length(o.letter)).sum();
        let on_its_way = self.transfer.is_some() as u16;
        let known = free + sent;
        if known > services.letters.len() || known + on_its_way < services.letters.len() {
            return Err("a message is in no list, or in two");
        }
        Ok(())
    }
}
