//! How a message is received: into registers or into memory, by any thread or by
//! the server of its mailbox.

use crate::core_state::Core;
use crate::hardware::Hardware;
use crate::services::Reply;
use crate::services::pool::Letter;
use crate::thread::State;
use crate::transfer::{Purpose, Transfer};
use giornata_abi::call::Answer;
use giornata_abi::id::NONE;
use giornata_abi::message::{Envelope, INLINE, receive};
use giornata_abi::system::{MoveEntry, ObjectKind, RIGHT_FULL, RIGHT_RECEIVE};
use giornata_abi::{Error, Instant};

/// How a thread wants its message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wish {
    /// In registers.
    Words,
    /// In its memory.
    Bytes { address: u32, capacity: u16 },
    /// In its memory, as a server.
    Full { address: u32, capacity: u16 },
}

impl Wish {
    /// Whether it is a server's.
    pub(crate) fn is_full(self) -> bool {
        matches!(self, Wish::Full { .. })
    }
}

impl<H: Hardware> Core<'_, H> {
    /// The call `receive_bytes`.
    pub(crate) fn receive_bytes(
        &mut self,
        thread: u16,
        arguments: &[usize; 6],
    ) -> Result<Reply, Error> {
        let [id, low, high, address, capacity, how] = *arguments;
        let right = match how {
            receive::FULL => RIGHT_FULL,
            0 => RIGHT_RECEIVE,
            _ => return Err(Error::EINVAL),
        };
        let mailbox = self.object_of(thread, id, right)?;
        let address = u32::try_from(address).map_err(|_| Error::EFAULT)?;
        let capacity = capacity.min(u16::MAX as usize) as u16;
        let wish = match how {
            receive::FULL => Wish::Full { address, capacity },
            _ => Wish::Bytes { address, capacity },
        };
        let until = Instant(crate::call::wide(low, high));
        self.receive(thread, mailbox, until, wish)
    }

    /// The calls to receive.
    pub(crate) fn receive(
        &mut self,
        thread: u16,
        mailbox: u16,
        until: Instant,
        wish: Wish,
    ) -> Result<Reply, Error> {
        if !self.is_a(mailbox, ObjectKind::Mailbox) {
            return Err(Error::EINVAL);
        }
        if wish.is_full() {
            self.serve_mailbox(thread, mailbox)?;
        }
        self.services.ties.at_mut(thread).wish = wish;
        if self.services.objects.at(mailbox).letter != NONE {
            self.hand_over(thread, mailbox)?;
            return Ok(Reply::Later);
        }
        self.refuse_to_wait(until, Error::EAGAIN)?;
        self.await_object(thread, mailbox, until);
        self.lend_to_servers(thread);
        Ok(Reply::Later)
    }

    /// A thread is a mailbox's server from now on, with nothing in its hand.
    fn serve_mailbox(&mut self, thread: u16, mailbox: u16) -> Result<(), Error> {
        let services = &mut self.services;
        let object = services.objects.at_mut(mailbox);
        let tie = services.ties.at_mut(thread);
        if object.owner == NONE {
            object.owner = thread;
            object.next_held = core::mem::replace(&mut tie.held, mailbox);
        } else if object.owner != thread {
            return Err(Error::EBUSY);
        }
        tie.in_hand = None;
        self.renew(thread);
        Ok(())
    }

    /// Gives the first message of a mailbox to a thread that is there for it.
    pub(crate) fn hand_over(&mut self, thread: u16, mailbox: u16) -> Result<(), Error> {
        let first = self.services.objects.at(mailbox).letter;
        let letter = &self.services.letters.at(first).letter;
        let (size, words) = (letter.length, letter.words);
        let length = size as usize;
        let (address, capacity) = match self.services.ties.at(thread).wish {
            Wish::Words if length <= INLINE => {
                self.finish_receive(thread, mailbox);
                return Ok(());
            }
            Wish::Words => return Err(Error::EMSGSIZE),
            Wish::Bytes { address, capacity } | Wish::Full { address, capacity } => {
                (address, capacity)
            }
        };
        if size > capacity {
            return Err(Error::EMSGSIZE);
        }
        let process = self.thread_entry(thread).process;
        if length <= INLINE {
            let [a, b, c, d] = words.map(u64::from);
            let words = [b << 32 | a, d << 32 | c];
            let written = self
                .hardware
                .write(process, address as usize, &words, length);
            written.map_err(|_| Error::EFAULT)?;
            self.finish_receive(thread, mailbox);
            return Ok(());
        }
        let place = self.room_of(first);
        let step = MoveEntry {
            sink: process,
            from: place,
            to: address,
            ..MoveEntry::bytes(0, size)
        };
        let purpose = Purpose::Receive(thread, mailbox);
        self.transfer = Some(Transfer::of_call(purpose, step));
        Ok(())
    }

    /// A long message is with its receiver, or that cannot take it.
    pub(crate) fn end_receive(&mut self, thread: u16, mailbox: u16, is_whole: bool) {
        if is_whole {
            return self.finish_receive(thread, mailbox);
        }
        self.go_on_with(thread, &Answer::error(Error::EFAULT));
        self.offer(mailbox);
    }

    /// A thread has the first message of a mailbox.
    fn finish_receive(&mut self, thread: u16, mailbox: u16) {
        let services = &mut self.services;
        let object = services.objects.at_mut(mailbox);
        object.reader = thread;
        let first = object.letter;
        let Letter {
            cover,
            priority,
            node,
            length,
            ..
        } = &services.letters.at(first).letter;
        let (length, priority, sender) = (*length as usize, *priority as usize, cover.sender);
        let tie = services.ties.at_mut(thread);
        let answer = match tie.wish {
            Wish::Words => in_registers(&services.letters.at(first).letter),
            Wish::Bytes { .. } => Answer::five([length, priority, 0, 0, sender as usize]),
            Wish::Full { .. } => {
                (tie.in_hand, tie.taken_from) = (Some(*cover), mailbox);
                let (node, incoming) = (*node, cover.incoming);
                let from = Envelope { node, incoming }.word();
                let destination = cover.destination as usize;
                Answer::five([length, priority, destination, from, sender as usize])
            }
        };
        self.unqueue_message(mailbox);
        self.free_message(first);
        self.go_on_with(thread, &answer);
        self.renew(thread);
        self.renew_owner(mailbox);
    }

    /// A thread that received, at once or after it waited, has an answer.
    pub(crate) fn go_on_with(&mut self, thread: u16, answer: &Answer) {
        self.answer(thread, *answer);
        let state = self.threads.at(thread).state;
        if matches!(state, State::Held | State::Waiting) {
            self.unblock(thread);
        }
    }
}

/// A short message in registers.
pub(crate) fn in_registers(letter: &Letter) -> Answer {
    let [a, b, c, d] = letter.words.map(|word| word as usize);
    Answer::five([a, b, c, d, letter.priority as usize])
}
