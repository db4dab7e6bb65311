//! Messages: their places, and the order in which a mailbox holds them.
//!
//! A place belongs to the process of its sender for good. It is free, in a mailbox, or
//! *bound* to the thread that copies its bytes.
//!
//! ```text
//!  mailbox.first --> [priority 9] <-> [9] <-> [9]      a ring of equals, oldest first
//!                        | below
//!                        v
//!                    [priority 5] <-> [5]              the ring behind it
//! ```
//! So a message is queued in O(distinct priorities), and withdrawn as well.

use core::cell::Cell;

use crate::{Object, Process, Rank, Ref, Thread, record, same};

/// Bytes that a message carries in words.
pub const INLINE: u32 = giornata_abi::message::INLINE as u32;

record! {
    /// How urgent something is that stands in no queue.
    pub struct Urgency {
        /// Level; [`level::IDLE`](crate::sched::ready::level::IDLE): not at all.
        pub(crate) level: Cell<u32>,
        /// Inside the deadline band: the deadline.
        pub(crate) deadline: Cell<u32>,
    }

    /// A place for a message.
    pub struct Message {
        /// What it says, if that is no longer than four words; then its priority, more
        /// urgent ones are higher, below [`NO_CLIENT`](crate::mail::mailbox::NO_CLIENT), and 0:
        /// what a receiver goes on with if nobody waits for a reply.
        pub(crate) words: [Cell<u32>; 6],
        /// In the ring of its equals; itself in none.
        pub(crate) next: Cell<Ref<Message>>,
        pub(crate) prev: Cell<Ref<Message>>,
        /// Of the first of a ring: the first of the next less urgent one. Of one that is
        /// free: the next of these.
        pub(crate) below: Cell<Option<Ref<Message>>>,
        /// Bits of [`special`]; 0 if it is free.
        pub(crate) special: Cell<u32>,
        /// Who sent it, and which tenant of its slot that was.
        pub(crate) sender: Cell<Ref<Thread>>,
        pub(crate) serial: Cell<u32>,
        /// Bytes; [`INLINE`] if it is free.
        pub(crate) length: Cell<u32>,
        /// Of one that is bound: bytes that are copied.
        pub(crate) done: Cell<u32>,
        /// The urgency of a protocol server that has it: what its sender had when it was
        /// sent.
        pub(crate) urgency: Urgency,
        /// The id to which it was sent.
        pub(crate) destination: Cell<u32>,
        pub(crate) tenant: Cell<u32>,
        /// A word of an [`Envelope`](giornata_abi::message::Envelope).
        pub(crate) from: Cell<u32>,
        /// The thread that copies its bytes.
        pub(crate) holder: Cell<Option<Ref<Thread>>>,
        /// Whose place it is.
        pub pool: Ref<Process>,
        /// Its number among the places of that process.
        pub number: u32,
        /// Physical address of its bytes while they are copied: room for [`INLINE`] at
        /// least, in whole words.
        pub room: usize,
    }

    /// What a mailbox has that is attached to a server, or has a protocol server.
    pub struct Mail {
        /// The mailbox of the server to which it is attached when the builder says so.
        pub made: Option<Ref<Object>>,
        /// The same while it lives.
        pub(crate) server: Cell<Option<Ref<Object>>>,
        /// 1: its owner asked for all, and runs at the urgency of its messages.
        pub(crate) served: Cell<u32>,
        /// The urgency of the message in the server's hand.
        pub(crate) hand: Urgency,
        /// The server's place if that is a deadline.
        pub(crate) rank: Rank,
    }
}

/// Bits of [`Message::special`]: what is not as with four words that nobody waits behind.
pub(crate) mod special {
    /// It was sent as bytes: its length is its own.
    pub(crate) const BYTES: u32 = 1;
    /// Its sender waits for the reply.
    pub(crate) const CALL: u32 = 2;
    /// It is bound to its sender; else to a receiver.
    pub(crate) const OUT: u32 = 4;
}

impl Mail {
    /// Whether a protocol server receives from the mailbox.
    pub fn is_served(&self) -> bool {
        self.served.get() != 0
    }
}

impl Message {
    /// It is nothing special any more, and can be taken again.
    #[inline(never)]
    pub(crate) extern "C" fn free(&'static self) {
        self.special.set(0);
        self.length.set(INLINE);
        self.below.set(self.pool.free.get());
        self.pool.free.set(Some(self));
    }

    /// Out of the ring of its equals.
    #[inline(always)]
    pub(crate) fn unlink(&'static self) {
        let (next, prev) = (self.next.get(), self.prev.get());
        prev.next.set(next);
        next.prev.set(prev);
        self.next.set(self);
        self.prev.set(self);
    }

    /// The first leaves the ring, where `next` is the first then.
    #[inline(always)]
    pub(crate) fn step_out(&'static self, next: Ref<Message>) -> Ref<Message> {
        next.below.set(self.below.get());
        self.unlink();
        next
    }

    /// Into the ring of `first`, behind all.
    #[inline(always)]
    pub(crate) fn link(&'static self, first: Ref<Message>) {
        let prev = first.prev.get();
        self.next.set(first);
        self.prev.set(prev);
        prev.next.set(self);
        first.prev.set(self);
    }
}

impl Message {
    /// Whether its sender waits for the reply.
    #[inline(always)]
    pub(crate) fn is_call(&self) -> bool {
        self.special.get() & special::CALL != 0
    }

    /// Its sender, if that waited for the reply and is being torn down: its request is
    /// nobody's then.
    pub(crate) fn dead_client(&self) -> Option<Ref<Thread>> {
        let sender = self.sender.get();
        (self.is_call() && !sender.process.is_alive()).then_some(sender)
    }

    /// Its four words are these.
    #[inline(always)]
    pub(crate) fn fill(&self, words: [usize; 4]) {
        let [p0, p1, p2, p3, ..] = &self.words;
        p0.set(words[0] as u32);
        p1.set(words[1] as u32);
        p2.set(words[2] as u32);
        p3.set(words[3] as u32);
    }

    /// Its bytes.
    pub fn length(&self) -> u32 {
        self.length.get()
    }

    /// Its first four words, if it has no more, and its priority.
    pub fn content(&self) -> ([u32; 4], u32) {
        let [p0, p1, p2, p3, priority, _] = &self.words;
        ([p0, p1, p2, p3].map(Cell::get), priority.get())
    }

    /// Its priority, below `NO_CLIENT`.
    #[inline(always)]
    pub(crate) fn priority(&self) -> &Cell<u32> {
        let [.., priority, _] = &self.words;
        priority
    }

    /// Its four words.
    #[inline(always)]
    pub(crate) fn words_as_sent(&self) -> [usize; 4] {
        let [p0, p1, p2, p3, ..] = &self.words;
        [
            p0.get() as usize,
            p1.get() as usize,
            p2.get() as usize,
            p3.get() as usize,
        ]
    }
}

impl Process {
    /// Takes one of its free places. O(1).
    #[inline(always)]
    pub(crate) fn take_place(&self) -> Option<Ref<Message>> {
        let message = self.free.get()?;
        self.free.set(message.below.get());
        Some(message)
    }
}

impl Process {
    /// How many of its messages are free. O(messages); for tests.
    pub fn free_messages(&self) -> usize {
        let mut at = self.free.get();
        let mut count = 0;
        while let Some(message) = at {
            (at, count) = (message.below.get(), count + 1);
        }
        count
    }
}

impl Object {
    /// The messages of a mailbox, in the order in which they are received; for tests.
    pub fn messages(&self) -> impl Iterator<Item = Ref<Message>> {
        let mut ring = self.first.get();
        let mut at = ring;
        core::iter::from_fn(move || {
            let (message, first) = (at?, ring?);
            let next = message.next.get();
            at = Some(next);
            if same(next, first) {
                ring = first.below.get();
                at = ring;
            }
            Some(message)
        })
    }

    /// Puts a message into a mailbox, behind its equals, or in front of them. O(distinct
    /// priorities).
    #[inline(never)]
    pub(crate) extern "C" fn put(&self, message: Ref<Message>, in_front: bool) {
        let priority = message.priority().get();
        let mut link = &self.first;
        while let Some(ring) = link.get() {
            let own = ring.priority().get();
            if own < priority {
                break;
            }
            if own == priority {
                message.link(ring);
                if in_front {
                    message.below.set(ring.below.get());
                    link.set(Some(message));
                }
                return;
            }
            link = &ring.below;
        }
        message.below.set(link.get());
        link.set(Some(message));
    }

    /// Takes a message out. O(distinct priorities), O(1) if it is the first.
    #[inline(never)]
    pub(crate) extern "C" fn pull(&self, message: Ref<Message>) {
        let mut link = &self.first;
        while let Some(ring) = link.get() {
            if same(ring, message) {
                let next = message.next.get();
                return link.set(match same(next, message) {
                    true => message.below.get(),
                    false => Some(message.step_out(next)),
                });
            }
            link = &ring.below;
        }
        message.unlink();
    }
}
