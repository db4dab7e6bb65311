//! Messages, and what a thread has in its hand.

use super::queue::Urgency;
use super::{Model, State};
use crate::request::{INCOMING, Reply};
use giornata_abi::message::INLINE;
use giornata_abi::next::call::NOBODY;

/// A message.
#[derive(Clone, Debug, PartialEq)]
pub struct Message {
    /// What its sender had when it was sent, or the thread that it is for.
    pub urgency: Urgency,
    /// More urgent ones are higher.
    pub priority: u8,
    /// The slot to which it was sent.
    pub(super) destination: usize,
    pub(super) node: u16,
    pub(super) incoming: bool,
    pub(super) sender: usize,
    /// The process from whose pool it is; none: it never lay in a mailbox.
    pub(super) pool: Option<usize>,
    pub(super) bytes: Vec<u8>,
    /// The client that waits for the reply.
    pub client: Option<usize>,
}

/// The message that a thread has in its hand.
#[derive(Clone, Debug)]
pub(super) struct Hand {
    pub(super) message: Message,
    /// It counts for the urgency of its server: that asked for all, or the client that
    /// waited for the reply has ended.
    pub(super) counts: bool,
    /// Who gets the reply, and the token of that.
    pub(super) client: Option<(usize, u32)>,
}

/// How a thread wants its message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wish {
    /// In registers.
    Words,
    /// In its memory, if it is not longer.
    Bytes(usize),
    /// The same, as a server.
    Full(usize),
}

impl Wish {
    pub(super) fn has_room_for(self, message: &Message) -> bool {
        let room = match self {
            Wish::Words => INLINE,
            Wish::Bytes(room) | Wish::Full(room) => room,
        };
        message.bytes.len() <= room
    }
}

impl Message {
    /// What a receiver's call returns.
    fn reply(&self, wish: Wish, token: Option<u32>) -> Reply {
        let slot = match token {
            Some(_) => self.sender,
            None => NOBODY,
        };
        let token = token.unwrap_or(0);
        let priority = u32::from(self.priority);
        if wish == Wish::Words {
            let words = words_of(&self.bytes);
            let last = priority | (slot as u32) << 16;
            return Reply::values(&[words[0], words[1], words[2], words[3], last, token]);
        }
        let from = u32::from(self.node) | if self.incoming { INCOMING } else { 0 };
        let [length, destination, sender] =
            [self.bytes.len(), self.destination, self.sender].map(|value| value as u32);
        let (destination, from) = match wish {
            Wish::Full(_) => (destination, from),
            _ => (0, 0),
        };
        let mut reply = Reply::values(&[length, priority, destination, from, sender, token]);
        reply.bytes = Some(self.bytes.clone());
        reply
    }
}

/// Four words that bytes stand for; what is missing is 0.
pub(super) fn words_of(bytes: &[u8]) -> [u32; 4] {
    let mut all = [0; INLINE];
    all[..bytes.len()].copy_from_slice(bytes);
    std::array::from_fn(|at| {
        let bytes = all[4 * at..][..4].try_into().expect("four bytes");
        u32::from_le_bytes(bytes)
    })
}

/// Bytes of four words.
pub(super) fn bytes_of(words: [u32; 4]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

impl Model {
    /// Whether a client waits for the reply of a thread that has its request.
    pub(super) fn serves_a_client(&self, thread: usize) -> bool {
        let waits = |state: &State| match state {
            State::Calls { server, .. } => *server == Some(thread),
            _ => false,
        };
        self.threads.iter().any(|other| waits(&other.state))
    }

    /// The urgency of a server by what nobody waits behind: the message in its hand, and
    /// the first of each mailbox that it serves.
    pub(super) fn urgency_of_messages(&self, thread: usize) -> Option<Urgency> {
        let hand = self.threads[thread].hand.as_ref();
        let hand = hand.filter(|hand| hand.counts);
        let served = self.objects.iter().filter(|o| o.server == Some(thread));
        let first = served.filter_map(|object| object.messages.first());
        let first = first.filter(|message| message.client.is_none());
        let all = hand.map(|hand| &hand.message).into_iter().chain(first);
        let all = all.map(|message| message.urgency);
        all.reduce(|most, urgency| most.or_more_urgent(Some(urgency)))
    }

    /// A thread has a message; what its call returns.
    pub(super) fn deliver(
        &mut self,
        thread: usize,
        mailbox: usize,
        wish: Wish,
        message: Message,
    ) -> Reply {
        let token = message.client.map(|_| self.next_serial() as u32);
        let reply = message.reply(wish, token);
        if let (Some(client), Some(token)) = (message.client, token) {
            self.threads[client].state = State::Calls {
                server: Some(thread),
                mailbox,
                token,
            };
        }
        self.threads[thread].hand = Some(Hand {
            counts: matches!(wish, Wish::Full(_)) && message.client.is_none(),
            client: message.client.zip(token),
            message,
        });
        reply
    }
}
