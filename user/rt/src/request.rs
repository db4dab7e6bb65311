//! Requests and replies: a client calls a server and waits for its reply, in one
//! kernel entry.
//!
//! The client keeps its place among the ready threads and the server runs on it, so a
//! server is as urgent as its client, and a round trip costs two entries, two
//! switches and no queue. A request that arrives by [`Mailbox::send`] has no client.
//!
//! ```
//! # extern crate giornata_rt;
//! use giornata_rt::Error;
//! use giornata_rt::mailbox::Mailbox;
//! use giornata_rt::request::reply_receive;
//!
//! # const MAILBOX_SQUARES: Mailbox = Mailbox::new(0);
//! fn serve() -> Result<(), Error> {
//!     let mut request = MAILBOX_SQUARES.receive_request()?;
//!     loop {
//!         let [number, ..] = request.words;
//!         request = reply_receive(request.client, [number * number, 0, 0, 0])?;
//!     }
//! }
//!
//! fn ask(number: u32) -> Result<u32, Error> {
//!     let [square, ..] = MAILBOX_SQUARES.call(0, [number, 0, 0, 0])?;
//!     Ok(square)
//! }
//! ```

use giornata_abi::call::NOBODY;
use giornata_abi::{Error, Instant};

use crate::call::{self, Requested};
use crate::mailbox::{Full, Mailbox};

/// A message of up to 16 bytes, and the client that waits for a reply.
#[derive(Debug, PartialEq, Eq)]
pub struct Request {
    /// What it says.
    pub words: [u32; 4],
    /// Its priority.
    pub priority: u32,
    /// The client that waits; `None`: it was sent, not called.
    pub client: Option<Client>,
}

/// A client that waits for a reply. It gets one: this is used up by it. A client that
/// is dropped waits until its server ends.
#[must_use = "a client waits until it gets its reply"]
#[derive(Debug, PartialEq, Eq)]
pub struct Client {
    slot: u16,
    token: u32,
}

impl From<Requested> for Request {
    fn from(requested: Requested) -> Request {
        let Requested {
            words,
            priority,
            client: slot,
            token,
        } = requested;
        let client = (usize::from(slot) != NOBODY).then_some(Client { slot, token });
        Request {
            words,
            priority,
            client,
        }
    }
}

impl Full {
    /// The client that waits for a reply to this message; `None` if it was sent, not called. Every
    /// such client is the same one, and gets one reply.
    pub fn client(&self) -> Option<Client> {
        let slot = self.received.sender.index();
        self.token.map(|token| Client { slot, token })
    }
}

impl Mailbox {
    /// Sends up to 16 bytes and waits for the reply. Blocks. O(1) if a server waits for
    /// a request.
    ///
    /// `EDEADLK`: the server waits for the caller, directly or not. `EIDRM`: the mailbox
    /// was deleted, or its server ended with the request in its hand. `EAGAIN`: no
    /// server waits, and the process has no message left. `EINVAL`: the priority is
    /// above 255. `EPERM`: the process may not send to this mailbox. `ESRCH`: it has
    /// ended.
    pub fn call(self, priority: u32, words: [u32; 4]) -> Result<[u32; 4], Error> {
        call::call(self.id().0, priority, words)
    }

    /// Takes the first message or request; waits for one. Blocks. `EMSGSIZE`: it has
    /// more than 16 bytes, and stays. `EIDRM`: the mailbox was deleted meanwhile.
    pub fn receive_request(self) -> Result<Request, Error> {
        self.receive_request_until(Instant::NEVER)
    }

    /// The same up to an instant: `ETIMEDOUT`; at [`Instant::START`] it does not block:
    /// `EAGAIN`.
    pub fn receive_request_until(self, until: Instant) -> Result<Request, Error> {
        call::receive_request(self.id().0, until).map(Request::from)
    }
}

impl Client {
    /// Hands its request on to another mailbox with its priority and words: the client
    /// waits for the server of that from now on. Does not block.
    ///
    /// `EINVAL`: the client has ended. `EDEADLK`: the client would
    /// wait for itself. Others as of [`Mailbox::call`]. After an error the request is
    /// still in the caller's hand.
    pub fn forward(self, to: Mailbox) -> Result<(), (Error, Client)> {
        call::forward(to.id().0, self.slot, self.token).map_err(|error| (error, self))
    }
}

/// Replies to a client, if there is one, and takes the first request of the mailbox
/// from which the caller received last; waits for one. A client that has ended, or
/// waits no more, is passed over. Blocks. O(1).
///
/// `EINVAL`: the caller has not received from a mailbox. Others as of
/// [`Mailbox::receive_request`]; the client has its reply then too.
pub fn reply_receive(client: Option<Client>, words: [u32; 4]) -> Result<Request, Error> {
    let nobody = Client {
        slot: NOBODY as u16,
        token: 0,
    };
    let Client { slot, token } = client.unwrap_or(nobody);
    call::reply_receive(slot, token, words).map(Request::from)
}

#[cfg(test)]
mod tests;
