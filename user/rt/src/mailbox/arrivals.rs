//! Messages that a function is called with as they arrive.

use giornata_abi::{Error, Instant};

use super::Mailbox;
use crate::Id;
use crate::handler::{Handling, Seat, owner};

/// A message as it is handed to a handler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrival<'a> {
    /// What it says.
    pub bytes: &'a [u8],
    /// Its priority.
    pub priority: u32,
    /// The thread that sent it.
    pub sender: Id,
}

impl Arrival<'_> {
    /// The first 16 bytes as words: what [`Mailbox::send`] has sent. Bytes that are
    /// not there are 0.
    pub fn words(&self) -> [u32; 4] {
        let mut words = [0; 4];
        for (word, piece) in words.iter_mut().zip(self.bytes.chunks(4)) {
            let mut bytes = [0; 4];
            bytes
                .iter_mut()
                .zip(piece)
                .for_each(|(to, from)| *to = *from);
            *word = u32::from_le_bytes(bytes);
        }
        words
    }
}

/// The messages of a mailbox, for each of which a handler is called, with what it
/// keeps between its calls (EMERALDS, section 6.1: the routine that a mailbox is
/// created with).
///
/// A `static` of it; the process needs the right `receive`. See [`crate::handler`]
/// for what a handler is. `BYTES` are those of the longest message, which lie on the
/// thread's stack. Messages come by their priority, of equal ones the oldest first,
/// whatever the priority of the handler.
///
/// ```
/// # extern crate giornata_rt;
/// use giornata_rt::Error;
/// use giornata_rt::mailbox::{Arrival, Arrivals};
///
/// # const MAILBOX_ORDERS: giornata_rt::mailbox::Mailbox = giornata_rt::mailbox::Mailbox::new(0);
/// static ORDERS: Arrivals<u32> = Arrivals::new(MAILBOX_ORDERS, count);
///
/// fn count(sum: &mut u32, order: Arrival<'_>) {
///     let [pieces, ..] = order.words();
///     *sum += pieces;
/// }
///
/// fn begin() -> Result<(), Error> {
///     ORDERS.start(30, 0)?; // at priority 30
///     Ok(())
/// }
/// ```
pub struct Arrivals<S: 'static = (), const BYTES: usize = 16> {
    mailbox: Mailbox,
    handler: fn(&mut S, Arrival<'_>),
    seat: Seat<S>,
}

impl<S: Send, const BYTES: usize> Arrivals<S, BYTES> {
    /// What arrives in this mailbox, for this handler.
    pub const fn new(mailbox: Mailbox, handler: fn(&mut S, Arrival<'_>)) -> Arrivals<S, BYTES> {
        Arrivals {
            mailbox,
            handler,
            seat: Seat::new(),
        }
    }

    /// Creates the thread that calls the handler, at this priority. O(1); does not
    /// block. The thread ends when the mailbox is deleted (`EIDRM`; `ESRCH` if that
    /// is while the handler runs), or with a message of more than `BYTES`
    /// (`EMSGSIZE`).
    ///
    /// `EAGAIN`: the process has no place left for a thread. `EPERM`: the priority
    /// is above what the process is granted. `EEXIST`: it has been started.
    pub fn start(&'static self, priority: u8, state: S) -> Result<Handling, Error> {
        self.seat
            .start(self, Arrivals::<S, BYTES>::run, priority, state)
    }

    extern "C" fn run(argument: usize) -> usize {
        // SAFETY: `start` created this thread.
        unsafe { owner::<Arrivals<S, BYTES>>(argument) }.serve() as usize
    }

    /// What its thread does; returns why it ends.
    fn serve(&'static self) -> Error {
        // SAFETY: `start` created the calling thread, which asks once.
        let state = unsafe { self.seat.state() };
        let mut bytes = [0; BYTES];
        loop {
            match self.mailbox.receive_bytes(Instant::NEVER, &mut bytes) {
                Ok(received) => {
                    let arrival = Arrival {
                        bytes: bytes.get(..received.length).unwrap_or(&[]),
                        priority: received.priority,
                        sender: received.sender,
                    };
                    (self.handler)(state, arrival);
                }
                Err(error) => return error,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::script::{delivered, logical};
    use giornata_abi::call::{Answer, Call};
    use std::vec::Vec;

    #[test]
    fn the_handler_gets_each_message_until_the_mailbox_is_deleted() {
        type Seen = Vec<(Vec<u8>, u32, Id)>;
        static MAIL: Arrivals<Seen, 24> = Arrivals::new(Mailbox::new(3), |seen, arrival| {
            seen.push((arrival.bytes.to_vec(), arrival.priority, arrival.sender));
        });
        let mut lengths = [2, 0, 24].into_iter();
        crate::host::set_hook(move |request| {
            if request.number != Call::ReceiveBytes as usize {
                return Answer::DONE.into();
            }
            let [mailbox, _, _, address, capacity, how] = logical(&request);
            assert_eq!((mailbox, capacity, how), (3, 24, 0));
            let Some(length) = lengths.next() else {
                return Answer::error(Error::EIDRM).into();
            };
            let to = core::ptr::with_exposed_provenance_mut::<u8>(address);
            // SAFETY: the caller's buffer, of 24 bytes.
            unsafe { to.write_bytes(length as u8, length) };
            delivered(length, 7, Id::new(1, 2))
        });
        assert!(MAIL.start(9, Vec::new()).is_ok());
        assert_eq!(MAIL.serve(), Error::EIDRM);
        crate::host::clear_hook();
        // SAFETY: the thread has ended.
        let seen = unsafe { MAIL.seat.state() };
        let message = |length: usize| (std::vec![length as u8; length], 7, Id::new(1, 2));
        assert_eq!(*seen, [message(2), message(0), message(24)]);
    }

    #[test]
    fn words_are_read_as_they_were_sent_and_zero_beyond() {
        let arrival = |bytes| Arrival {
            bytes,
            priority: 0,
            sender: Id::new(0, 0),
        };
        assert_eq!(arrival(&[1, 0, 0, 2, 3]).words(), [0x0200_0001, 3, 0, 0]);
        let long: Vec<u8> = (0..24).collect();
        assert_eq!(arrival(&long).words()[3], 0x0F0E_0D0C);
    }
}
