//! Sending: past servers or through them, to whoever waits or into a mailbox.

use super::mail::{Message, Wish, bytes_of};
use super::{Model, Outcome, Reason, State};
use crate::request::{NEVER, Reply, Request, Route};
use crate::system::Kind;
use giornata_abi::Error;
use giornata_abi::id::Id;
use giornata_abi::message::INLINE;
use giornata_abi::system::{RIGHT_DIRECT, RIGHT_USE};

impl Model {
    pub(super) fn find_mailbox(&self, caller: usize, id: Id, right: u16) -> Result<usize, Error> {
        let slot = self.find(caller, id, right)?;
        match self.objects[slot].kind {
            Kind::Mailbox { .. } => Ok(slot),
            _ => Err(Error::EINVAL),
        }
    }

    /// A message of the running thread.
    pub(super) fn message(
        &self,
        sender: usize,
        destination: Id,
        priority: u8,
        bytes: Vec<u8>,
    ) -> Message {
        Message {
            urgency: self.turn(),
            priority,
            destination,
            node: 0,
            incoming: false,
            sender: self.thread_id(sender),
            pool: self.threads[sender].process,
            bytes,
            client: None,
        }
    }

    pub(super) fn send(&mut self, caller: usize, id: Id, priority: u8, words: [u32; 4]) -> Outcome {
        let (mailbox, incoming) = self.route(caller, id)?;
        let mut message = self.message(caller, id, priority, bytes_of(words));
        self.address(&mut message, incoming);
        // (from registers to registers it needs no place)
        if self.first_wish(mailbox) != Some(Wish::Words) {
            self.take_place(message.pool)?;
        }
        self.deliver(message, mailbox, false);
        Ok(Some(Reply::DONE))
    }

    pub(super) fn send_bytes(
        &mut self,
        caller: usize,
        id: Id,
        priority: u8,
        bytes: Vec<u8>,
        route: Route,
    ) -> Outcome {
        let mut message = self.message(caller, id, priority, bytes);
        let mailbox = match route {
            Route::Via(server, node) => {
                let server = self.slot(caller, server, RIGHT_USE)?;
                if !self.objects[server].exists {
                    return Err(Error::ESRCH);
                }
                if !matches!(self.objects[server].kind, Kind::Mailbox { .. }) {
                    return Err(Error::EINVAL);
                }
                message.node = node;
                server
            }
            Route::Direct => self.find_mailbox(caller, id, RIGHT_DIRECT)?,
            Route::Usual => {
                let (mailbox, incoming) = self.route(caller, id)?;
                self.address(&mut message, incoming);
                mailbox
            }
        };
        let spec = &self.system.processes[message.pool];
        if message.bytes.len() > spec.message_size.max(INLINE) {
            return Err(Error::EMSGSIZE);
        }
        self.take_place(message.pool)?;
        self.deliver(message, mailbox, false);
        Ok(Some(Reply::DONE))
    }

    /// Where a message to a mailbox goes: to its server, if it is attached to one; and
    /// whether it is.
    pub(super) fn route(&self, caller: usize, id: Id) -> Result<(usize, bool), Error> {
        let mailbox = self.find_mailbox(caller, id, RIGHT_USE)?;
        match self.objects[mailbox].attached {
            None => Ok((mailbox, false)),
            Some(server) if self.objects[server].exists => Ok((server, true)),
            Some(_) => Err(Error::ESRCH),
        }
    }

    /// A message to an attached mailbox is as urgent as the thread that it is for: the first
    /// that waits there, else who received from it last.
    pub(super) fn address(&self, message: &mut Message, incoming: bool) {
        message.incoming = incoming;
        let mailbox = message.destination.slot as usize;
        let first = self.waiters(mailbox).first().copied();
        if incoming
            && let Some(reader) = first.or(self.objects[mailbox].reader)
            && let Some(urgency) = self.threads[reader].rank
        {
            message.urgency = urgency;
        }
    }

    /// Messages of a process that lie in mailboxes, or are on their way out of one.
    fn under_way(&self, process: usize) -> usize {
        let queued = self.objects.iter().flat_map(|object| &object.messages);
        let bound = self
            .threads
            .iter()
            .filter_map(|thread| thread.bound.as_ref());
        let all = queued.chain(bound);
        all.filter(|message| message.pool == process).count()
    }

    pub(super) fn take_place(&self, process: usize) -> Result<(), Error> {
        match self.under_way(process) < self.system.processes[process].messages {
            true => Ok(()),
            false => Err(Error::EAGAIN),
        }
    }

    /// How the first that waits in a mailbox wants its message.
    pub(super) fn first_wish(&self, mailbox: usize) -> Option<Wish> {
        let first = self.waiters(mailbox).first().copied();
        first.map(|first| self.wish_of(first))
    }

    fn wish_of(&self, thread: usize) -> Wish {
        match self.threads[thread].state {
            State::Blocked(Reason::Message(_, wish)) => wish,
            _ => unreachable!("it waits for a message"),
        }
    }

    /// A message comes to whoever waits for it, or into the mailbox. Who waits for words and
    /// has no room for it is refused it.
    pub(super) fn deliver(&mut self, message: Message, mailbox: usize, in_front: bool) {
        for waiter in self.waiters(mailbox) {
            match self.wish_of(waiter) {
                Wish::Words if message.is_short() => {
                    self.takes_leave(waiter);
                    let reply = self.finish(waiter, message, Wish::Words);
                    return self.wake(waiter, reply);
                }
                Wish::Words => self.wake(waiter, Error::EMSGSIZE.into()),
                wish => return self.bind(waiter, mailbox, message, wish),
            }
        }
        let messages = &mut self.objects[mailbox].messages;
        let precedes = |other: &Message| match in_front {
            true => other.priority > message.priority,
            false => other.priority >= message.priority,
        };
        let at = messages.partition_point(precedes);
        messages.insert(at, message);
        self.weigh_server(mailbox);
    }

    /// A thread that waits in a list leaves it.
    fn takes_leave(&mut self, thread: usize) {
        self.threads[thread].state = State::Blocked(Reason::Sleep);
    }

    /// A message is bound to a thread that waited for it, which copies it when it runs.
    fn bind(&mut self, thread: usize, mailbox: usize, message: Message, wish: Wish) {
        let (capacity, full) = match wish {
            Wish::Words => unreachable!("nothing is copied"),
            Wish::Bytes(capacity) => (capacity, false),
            Wish::Full(capacity) => (capacity, true),
        };
        self.takes_leave(thread);
        let _ = self.read_by(thread, mailbox, false);
        self.threads[thread].bound = Some(message.clone());
        self.has_in_hand(thread, &message, wish);
        let again = Request::ReceiveBytes {
            mailbox: self.object_id(mailbox),
            until: NEVER,
            capacity,
            full,
        };
        self.wake(thread, Reply::DONE);
        self.threads[thread].again = Some((again, None));
    }
}
