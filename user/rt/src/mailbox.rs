//! Mailboxes: messages between threads, of one process or of several (EMERALDS,
//! section 6.1).
//!
//! A message has a priority up to 255 (`EINVAL` above it); the highest comes first, and
//! of equal ones the oldest. Up to 16 bytes travel in registers. A *protocol server* is
//! a thread that gets what is sent to other mailboxes, or what is to leave the node: it
//! receives in full, learns where each message is to go, and runs as urgently as the
//! messages that it has.

mod arrivals;

use crate::Id;
use crate::call::{self, Delivery};
use crate::handle::handle;
use giornata_abi::message::{Envelope, receive, send};
use giornata_abi::{Error, Instant};

pub use arrivals::{Arrival, Arrivals};

handle! {
    /// A mailbox. Which processes may send to it, which receive, and which create
    /// and delete it, is in the system file; others get EPERM.
    Mailbox
}

/// A message of up to 16 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Words {
    /// What it says.
    pub words: [u32; 4],
    /// Its priority.
    pub priority: u32,
}

/// A message that lies in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Received {
    /// Its bytes.
    pub length: usize,
    /// Its priority.
    pub priority: u32,
    /// The thread that sent it.
    pub sender: Id,
}

/// What a protocol server learns of a message beside what it says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Full {
    /// As of any message.
    pub received: Received,
    /// Where it is to go, as its sender named it.
    pub destination: Id,
    /// On which node that is, and whether it came in.
    pub from: Envelope,
    /// The token of the reply that its sender waits for, if it does.
    pub(crate) token: Option<u32>,
}

impl From<Delivery> for Received {
    fn from(delivery: Delivery) -> Received {
        Received {
            length: delivery.length,
            priority: delivery.priority,
            sender: Id(delivery.sender),
        }
    }
}

impl Mailbox {
    /// The mailbox with this id: what a server learns of a message names it so.
    pub const fn from_id(id: Id) -> Mailbox {
        Mailbox(id)
    }

    /// As [`create`](Self::create), attached to the mailbox of a server: what is
    /// sent to the new one goes there, until the server sends it on. O(1); does not
    /// block. (EMERALDS 6.1.)
    ///
    /// `EINVAL`: `server` is no mailbox, or this one. Others as there; `ESRCH` also:
    /// `server` has ended.
    pub fn create_attached(self, server: Mailbox) -> Result<Mailbox, Error> {
        call::create_attached(self.0.index(), server.0.0).map(|id| Mailbox(Id(id)))
    }

    /// Sends up to 16 bytes. A thread that waits for a message and is more urgent
    /// goes on at once.
    ///
    /// EAGAIN: the process has no message left, and nobody waits for this one in
    /// [`receive`](Self::receive). Never blocks. O(messages that stand before it).
    pub fn send(self, priority: u32, words: [u32; 4]) -> Result<(), Error> {
        call::send(self.0.0, priority, words)
    }

    /// Sends bytes: as many as the system file says at most (EMSGSIZE).
    ///
    /// As [`send`](Self::send), and O(bytes).
    pub fn send_bytes(self, priority: u32, bytes: &[u8]) -> Result<(), Error> {
        call::send_bytes(self.0.0, priority, bytes, 0, 0)
    }

    /// Sends bytes past the server that the mailbox is attached to: what that
    /// server does in the end. Needs the right `direct`.
    pub fn send_direct(self, priority: u32, bytes: &[u8]) -> Result<(), Error> {
        call::send_bytes(self.0.0, priority, bytes, send::DIRECT, 0)
    }

    /// Hands bytes for this mailbox, on a node, to a server, which takes them
    /// there. To name a driver's mailbox is to bypass the servers.
    pub fn send_via(
        self,
        server: Mailbox,
        node: u16,
        priority: u32,
        bytes: &[u8],
    ) -> Result<(), Error> {
        let via = (node as u32) << 16 | server.0.index() as u32;
        call::send_bytes(self.0.0, priority, bytes, send::VIA, via)
    }

    /// Takes the first message; waits for one. EMSGSIZE: it has more than 16
    /// bytes, and stays. EIDRM: the mailbox was deleted meanwhile.
    pub fn receive(self) -> Result<Words, Error> {
        self.receive_until(Instant::NEVER)
    }

    /// Takes the first message if there is one, else EAGAIN. Never blocks.
    pub fn try_receive(self) -> Result<Words, Error> {
        self.receive_until(Instant::START)
    }

    /// Takes the first message; waits for one up to an instant (ETIMEDOUT).
    pub fn receive_until(self, until: Instant) -> Result<Words, Error> {
        let (words, priority) = call::receive(self.0.0, until)?;
        Ok(Words { words, priority })
    }

    /// Takes the first message into `bytes`; waits for one up to an instant.
    /// EMSGSIZE: it is longer, and stays. O(bytes).
    pub fn receive_bytes(self, until: Instant, bytes: &mut [u8]) -> Result<Received, Error> {
        call::receive_bytes(self.0.0, until, bytes, 0).map(Received::from)
    }

    /// As a server: the same, and where the message is to go. The calling thread is
    /// the mailbox's server from then on (EBUSY: another is, or the thread is that of eight
    /// mailboxes). It runs as urgently
    /// as the messages in the mailbox and the one in its hand, which it has until it
    /// calls again. Needs the right `full`.
    pub fn receive_full(self, until: Instant, bytes: &mut [u8]) -> Result<Full, Error> {
        let delivery = call::receive_bytes(self.0.0, until, bytes, receive::FULL)?;
        Ok(Full {
            received: Received::from(delivery),
            destination: Id(delivery.destination),
            from: Envelope::from_word(delivery.from),
            token: delivery.token,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::script::expect;
    use giornata_abi::call::Call;

    #[test]
    fn a_mailbox_is_created_with_the_server_that_it_is_attached_to() {
        let script = expect([
            (Call::CreateObject, &[4, 1, 2], None),
            (Call::CreateObject, &[4, 0, 0], Some(Error::EEXIST)),
        ]);
        let (mailbox, server) = (Mailbox::new(4), Mailbox::new(2));
        assert!(mailbox.create_attached(server).is_ok());
        assert_eq!(mailbox.create(), Err(Error::EEXIST));
        script.finish();
    }
}
