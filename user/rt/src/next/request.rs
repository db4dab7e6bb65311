//! Requests and replies: a client calls a server and waits for its answer, in one
//! kernel entry.
//!
//! The client keeps its place among the ready threads and the server runs on it, so a
//! server is as urgent as who waits for it, and a round trip costs two entries, two
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

use giornata_abi::next::call::NOBODY;
use giornata_abi::next::id::EXTRA;
use giornata_abi::{Error, Instant};

use crate::call;
use crate::mailbox::Mailbox;

/// A message of up to 16 bytes, and who waits for a reply.
#[derive(Debug, PartialEq, Eq)]
pub struct Request {
    /// What it says.
    pub words: [u32; 4],
    /// Its priority.
    pub priority: u32,
    /// Who waits; `None`: it was sent, not called.
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

impl Request {
    /// From the results of a call that receives.
    fn of([a, b, c, d, both, token]: [usize; 6]) -> Request {
        let slot = (both >> EXTRA) as u16;
        Request {
            words: [a, b, c, d].map(|word| word as u32),
            priority: call::low_half(both) as u32,
            client: (usize::from(slot) != NOBODY).then_some(Client {
                slot,
                token: token as u32,
            }),
        }
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
        call::receive_request(self.id().0, until).map(Request::of)
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
    call::reply_receive(slot, token, words).map(Request::of)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Id;
    use crate::host::{Reply, clear_hook, set_hook};
    use giornata_abi::next::call::Call;

    /// Answers the one call that is expected.
    fn answer(call: Call, arguments: [usize; 6], reply: [usize; 7]) {
        set_hook(move |request| {
            assert_eq!(
                (request.number, request.arguments),
                (call as usize, arguments)
            );
            Reply(reply)
        });
    }

    const PUMP: Mailbox = Mailbox::from_id(Id::new(6, 1));

    #[test]
    fn a_call_carries_four_words_there_and_back() {
        answer(
            Call::Call,
            [9 << 16 | 6, 2, 1, 2, 3, 4],
            [0, 5, 6, 7, 8, 0, 0],
        );
        assert_eq!(PUMP.call(9, [1, 2, 3, 4]), Ok([5, 6, 7, 8]));
        clear_hook();
    }

    #[test]
    fn a_client_is_replied_to_by_its_slot_and_token() {
        let request = [0, 1, 2, 3, 4, 7 << 16 | 200, 0x8000_0001];
        let ever = u32::MAX as usize;
        answer(Call::Receive, [6, 2, ever, ever, 0, 0], request);
        let Request {
            words,
            priority,
            client,
        } = PUMP.receive_request().unwrap();
        assert_eq!((words, priority), ([1, 2, 3, 4], 200));
        let next = [0, 1, 0, 0, 0, NOBODY << 16 | 3, 0];
        answer(Call::ReplyReceive, [7, 0x8000_0001, 4, 3, 2, 1], next);
        let next = reply_receive(client, [4, 3, 2, 1]).unwrap();
        assert_eq!((next.priority, next.client), (3, None));
        answer(
            Call::ReplyReceive,
            [NOBODY, 0, 0, 0, 0, 0],
            [11, 0, 0, 0, 0, 0, 0],
        );
        assert_eq!(reply_receive(None, [0; 4]), Err(Error::EIDRM));
        clear_hook();
    }

    #[test]
    fn a_request_that_is_not_handed_on_stays_in_the_hand() {
        let client = || Client { slot: 7, token: 5 };
        answer(Call::Forward, [6, 2, 7, 5, 0, 0], [8, 0, 0, 0, 0, 0, 0]);
        assert_eq!(client().forward(PUMP), Err((Error::EDEADLK, client())));
        answer(Call::Forward, [6, 2, 7, 5, 0, 0], [0; 7]);
        assert_eq!(client().forward(PUMP), Ok(()));
        clear_hook();
    }

    #[test]
    fn a_priority_that_its_register_has_no_room_for_is_refused_here() {
        clear_hook();
        assert_eq!(PUMP.call(0x1_0000, [0; 4]), Err(Error::EINVAL));
    }
}
