//! Receiving: into registers or memory, by any thread or by the server of a mailbox.

use super::mail::{Message, Wish};
use super::queue::End;
use super::{Model, Outcome, Reason};
use crate::request::Reply;
use giornata_abi::Error;
use giornata_abi::id::Id;
use giornata_abi::message::INLINE;
use giornata_abi::system::{RIGHT_FULL, RIGHT_RECEIVE};

impl Wish {
    /// Bytes for which there is room.
    fn room(self) -> usize {
        match self {
            Wish::Words => INLINE,
            Wish::Bytes(room) | Wish::Full(room) => room,
        }
    }

    fn is_full(self) -> bool {
        matches!(self, Wish::Full(_))
    }
}

impl Model {
    pub(super) fn receive(&mut self, caller: usize, id: Id, until: u64, wish: Wish) -> Outcome {
        let right = match wish {
            Wish::Full(_) => RIGHT_FULL,
            _ => RIGHT_RECEIVE,
        };
        let found = self.find_mailbox(caller, id, right);
        let outcome = match self.threads[caller].bound.take() {
            Some(message) => self.fetch(caller, found, message, wish),
            None => found.and_then(|mailbox| self.receive_from(caller, mailbox, until, wish)),
        };
        self.settle_place(caller, End::Tail);
        outcome
    }

    fn receive_from(&mut self, caller: usize, mailbox: usize, until: u64, wish: Wish) -> Outcome {
        if !self.read_by(caller, mailbox, wish.is_full()) {
            return Err(Error::EBUSY);
        }
        self.put_down(caller);
        match self.objects[mailbox].messages.first() {
            Some(first) if first.bytes.len() > wish.room() => {
                self.bring_back(mailbox);
                Err(Error::EMSGSIZE)
            }
            Some(_) => {
                let message = self.objects[mailbox].messages.remove(0);
                // (for its server it goes to its hand at once)
                if self.objects[mailbox].reader != Some(caller) {
                    self.weigh_server(mailbox);
                }
                self.bring_back(mailbox);
                self.has_in_hand(caller, &message, wish);
                self.fetch(caller, Ok(mailbox), message, wish)
            }
            None if until == 0 => Err(Error::EAGAIN),
            None => {
                self.settle_place(caller, End::Tail);
                self.block(caller, Reason::Message(mailbox, wish), until);
                Ok(None)
            }
        }
    }

    /// A thread has a message of which it has copied nothing: a server is as urgent.
    pub(super) fn has_in_hand(&mut self, thread: usize, message: &Message, wish: Wish) {
        if wish.is_full()
            && message.client.is_none()
            && let Some(mailbox) = self.threads[thread].received_from
        {
            self.objects[mailbox.slot as usize].hand = Some(message.urgency);
        }
        self.settle_place(thread, End::Tail);
    }

    /// A message comes to a thread, if there is room for it; else it stays for who has,
    /// unless its mailbox has ended.
    fn fetch(
        &mut self,
        caller: usize,
        mailbox: Result<usize, Error>,
        message: Message,
        wish: Wish,
    ) -> Outcome {
        if message.bytes.len() <= wish.room() {
            return Ok(Some(self.finish(caller, message, wish)));
        }
        self.put_down(caller);
        match mailbox {
            Ok(mailbox) => self.deliver(message, mailbox, true),
            Err(_) => self.lose(message),
        }
        Err(Error::EMSGSIZE)
    }

    /// A thread has a message; what its call returns.
    pub(super) fn finish(&mut self, thread: usize, message: Message, wish: Wish) -> Reply {
        let token = message
            .client
            .map(|client| self.take_in_hand(client, thread));
        self.settle_place(thread, End::Tail);
        match wish {
            Wish::Words => message.in_registers(token),
            _ => message.in_memory(wish.is_full(), token),
        }
    }

    /// Nobody will receive a message any more.
    pub(super) fn lose(&mut self, message: Message) {
        if let Some(client) = message.client {
            self.refuse_client(client);
        }
    }
}
