//! Receiving: into registers or memory, by any thread or by the server of a mailbox.

use super::mail::{Bound, Message, Wish};
use super::queue::End;
use super::{Model, Outcome, Reason};
use crate::request::Reply;
use giornata_abi::Error;
use giornata_abi::next::id::Id;
use giornata_abi::system::{RIGHT_FULL, RIGHT_RECEIVE};

impl Model {
    pub(super) fn receive(&mut self, caller: usize, id: Id, until: u64) -> Outcome {
        let mailbox = self.find_mailbox(caller, id, RIGHT_RECEIVE)?;
        self.receive_from(caller, mailbox, until)
    }

    /// The next message of a mailbox in registers.
    pub(super) fn receive_from(&mut self, caller: usize, mailbox: usize, until: u64) -> Outcome {
        self.put_down(caller);
        self.read_by(caller, mailbox);
        let error = match self.objects[mailbox].messages.first() {
            Some(message) if message.is_short() => {
                let message = self.take_out(mailbox);
                return Ok(Some(self.hand_message(caller, mailbox, message)));
            }
            Some(_) => Error::EMSGSIZE,
            None if until == 0 => Error::EAGAIN,
            None => return self.wait_for_message(caller, mailbox, Wish::Words, until),
        };
        self.settle_place(caller, End::Tail);
        Err(error)
    }

    fn wait_for_message(
        &mut self,
        caller: usize,
        mailbox: usize,
        wish: Wish,
        until: u64,
    ) -> Outcome {
        self.settle_place(caller, End::Tail);
        self.block(caller, Reason::Message(mailbox, wish), until);
        Ok(None)
    }

    /// The first message of a mailbox leaves it. The most urgent caller that hangs there
    /// helps whoever receives from now on.
    fn take_out(&mut self, mailbox: usize) -> Message {
        let message = self.objects[mailbox].messages.remove(0);
        self.weigh_server(mailbox);
        self.bring_back(mailbox);
        message
    }

    /// A thread has a short message in its registers; what its call returns.
    pub(super) fn hand_message(
        &mut self,
        thread: usize,
        mailbox: usize,
        message: Message,
    ) -> Reply {
        let client = message.client;
        let token = client.map(|client| self.take_in_hand(client, thread, mailbox));
        self.settle_place(thread, End::Tail);
        message.in_registers(token)
    }

    /// A thread has a message of which it has copied nothing: a server is as urgent.
    pub(super) fn has_in_hand(&mut self, thread: usize, message: &Message, full: bool) {
        if full && message.client.is_none() {
            self.threads[thread].hand = Some(message.urgency);
        }
        self.settle_place(thread, End::Tail);
    }

    pub(super) fn receive_bytes(
        &mut self,
        caller: usize,
        id: Id,
        until: u64,
        (capacity, full): (usize, bool),
    ) -> Outcome {
        if let Some(bound) = self.threads[caller].bound.take() {
            return self.finish(caller, id, bound);
        }
        let right = if full { RIGHT_FULL } else { RIGHT_RECEIVE };
        let mailbox = self.find_mailbox(caller, id, right)?;
        if full {
            self.serve(caller, mailbox)?;
        }
        self.put_down(caller);
        self.read_by(caller, mailbox);
        let error = match self.objects[mailbox].messages.first() {
            Some(first) if first.bytes.len() <= capacity => {
                let message = self.take_out(mailbox);
                self.has_in_hand(caller, &message, full);
                let bound = Bound {
                    message,
                    capacity,
                    full,
                };
                return self.finish(caller, id, bound);
            }
            Some(_) => Error::EMSGSIZE,
            None if until == 0 => Error::EAGAIN,
            None => {
                let wish = match full {
                    true => Wish::Full(capacity),
                    false => Wish::Bytes(capacity),
                };
                return self.wait_for_message(caller, mailbox, wish, until);
            }
        };
        self.settle_place(caller, End::Tail);
        Err(error)
    }

    /// A message comes into the memory of a thread, if there is room for it; else it stays
    /// for who has.
    fn finish(&mut self, caller: usize, id: Id, bound: Bound) -> Outcome {
        let Bound {
            message,
            capacity,
            full,
        } = bound;
        if message.bytes.len() > capacity {
            self.put_down(caller);
            match self.find_mailbox(caller, id, RIGHT_RECEIVE | RIGHT_FULL) {
                Ok(mailbox) => self.deliver(message, mailbox, true),
                Err(_) => self.lose(message),
            }
            self.settle_place(caller, End::Tail);
            return Err(Error::EMSGSIZE);
        }
        let mailbox = id.slot as usize;
        let client = message.client;
        let token = client.map(|client| self.take_in_hand(client, caller, mailbox));
        self.settle_place(caller, End::Tail);
        Ok(Some(message.in_memory(full, token)))
    }

    /// Nobody will receive a message any more.
    pub(super) fn lose(&mut self, message: Message) {
        if let Some(client) = message.client {
            self.refuse_client(client, Error::EIDRM);
        }
    }
}
