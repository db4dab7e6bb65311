//! Messages, and how they are received.

use super::Urgency;
use crate::request::{ENVELOPE_CALL, INCOMING, Reply};
use giornata_abi::call::NOBODY;
use giornata_abi::id::Id;
use giornata_abi::message::INLINE;

/// A message.
#[derive(Clone, Debug, PartialEq)]
pub struct Message {
    /// What its sender had when it was sent, or the thread that it is for.
    pub urgency: Urgency,
    /// More urgent ones are higher.
    pub priority: u8,
    /// The id to which it was sent.
    pub(super) destination: Id,
    pub(super) node: u16,
    pub(super) incoming: bool,
    /// The id of its sender.
    pub(super) sender: Id,
    /// The process from whose pool it is.
    pub(super) pool: usize,
    pub(super) bytes: Vec<u8>,
    /// The client that waits for the reply.
    pub client: Option<usize>,
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

impl Message {
    /// Whether it fits into registers.
    pub(super) fn is_short(&self) -> bool {
        self.bytes.len() <= INLINE
    }

    /// What `receive` returns.
    pub(super) fn in_registers(&self, token: Option<u32>) -> Reply {
        let slot = match token {
            Some(_) => self.sender.slot,
            None => NOBODY as u32,
        };
        let [a, b, c, d] = words_of(&self.bytes);
        let priority = u32::from(self.priority) | slot << 16;
        Reply::values(&[a, b, c, d, priority, token.unwrap_or(0)])
    }

    /// What `receive_bytes` returns.
    pub(super) fn in_memory(&self, full: bool, token: Option<u32>) -> Reply {
        let length = self.bytes.len() as u32 | u32::from(self.priority) << 16;
        let (destination, envelope) = match full {
            true => (self.destination, u32::from(self.node)),
            false => (Id::default(), 0),
        };
        let incoming = if full && self.incoming { INCOMING } else { 0 };
        let call = if token.is_some() { ENVELOPE_CALL } else { 0 };
        let mut reply = Reply::values(&[
            length,
            destination.slot,
            destination.serial,
            envelope | incoming | call,
            self.sender.slot,
            token.unwrap_or(self.sender.serial),
        ]);
        reply.bytes = Some(self.bytes.clone());
        reply
    }
}

/// Four words that bytes stand for; what is missing is 0.
fn words_of(bytes: &[u8]) -> [u32; 4] {
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
