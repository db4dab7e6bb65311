//! Messages: how they are sent and received, and what a server learns of them.

/// Bits of `how` of [`Call::SendBytes`](crate::call::Call::SendBytes).
pub mod send {
    /// Not to the server that the mailbox is attached to: into the mailbox
    /// itself. Needs [`RIGHT_DIRECT`](crate::system::RIGHT_DIRECT).
    pub const DIRECT: usize = 1;
    /// By the server whose mailbox `via` names.
    pub const VIA: usize = 2;
}

/// Bits of `how` of [`Call::ReceiveBytes`](crate::call::Call::ReceiveBytes).
pub mod receive {
    /// As a server. Needs [`RIGHT_FULL`](crate::system::RIGHT_FULL).
    pub const FULL: usize = 1;
}

/// Bytes that a message carries in words.
pub const INLINE: usize = 16;
/// Mailboxes of which one thread can be the protocol server.
pub const SERVED: usize = 8;

/// The word `from` of what a server receives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Envelope {
    /// The node of the destination; 0 = this one.
    pub node: u16,
    /// It was sent to a mailbox that is attached to the server; else it is on
    /// its way out.
    pub incoming: bool,
}

impl Envelope {
    /// As a word.
    pub const fn word(self) -> usize {
        self.node as usize | (self.incoming as usize) << 16
    }

    /// From a word.
    pub const fn from_word(word: usize) -> Envelope {
        Envelope {
            node: word as u16,
            incoming: word >> 16 & 1 != 0,
        }
    }
}
