//! How a message is sent: in registers or out of memory, past servers or through
//! them.

use crate::core_state::Core;
use crate::dispatch::End;
use crate::hardware::Hardware;
use crate::services::Reply;
use crate::services::pool::{Cover, Letter};
use crate::services::receive::{Wish, in_registers};
use crate::thread::State;
use crate::transfer::{Purpose, Transfer};
use giornata_abi::call::Answer;
use giornata_abi::id::NONE;
use giornata_abi::message::{INLINE, send};
use giornata_abi::system::{MoveEntry, ObjectKind, RIGHT_DIRECT, RIGHT_USE};
use giornata_abi::{Error, Id};
use giornata_queue::Urgency;

impl<H: Hardware> Core<'_, H> {
    /// The call `send`.
    pub(crate) fn send(
        &mut self,
        thread: u16,
        mailbox: u16,
        priority: u32,
        words: [u32; 4],
    ) -> Result<Reply, Error> {
        let mut letter = self.letter(thread, mailbox, priority);
        (letter.words, letter.length) = (words, INLINE as u16);
        let mailbox = self.redirect(mailbox, &mut letter.cover)?;
        self.post(thread, mailbox, &letter)?;
        Ok(Reply::Done)
    }

    /// The call `send_bytes`.
    pub(crate) fn send_bytes(
        &mut self,
        thread: u16,
        arguments: &[usize; 6],
    ) -> Result<Reply, Error> {
        let [id, priority, address, length, how, via] = *arguments;
        let right = match how & send::DIRECT {
            0 => RIGHT_USE,
            _ => RIGHT_DIRECT,
        };
        if how & !(send::DIRECT | send::VIA) != 0 || how == send::DIRECT | send::VIA {
            return Err(Error::EINVAL);
        }
        let (mailbox, mut letter) = if how & send::VIA != 0 {
            let server = self.slot_of(thread, via & 0xFFFF, RIGHT_USE)?;
            if !self.services.objects.at(server).exists {
                return Err(Error::ESRCH);
            }
            let mut letter = self.letter(thread, server, priority as u32);
            letter.cover.destination = id as u32;
            letter.node = (via >> 16) as u16;
            (server, letter)
        } else {
            let mailbox = self.object_of(thread, id, right)?;
            let mut letter = self.letter(thread, mailbox, priority as u32);
            let mailbox = match how & send::DIRECT {
                0 => self.redirect(mailbox, &mut letter.cover)?,
                _ => mailbox,
            };
            (mailbox, letter)
        };
        if !self.is_a(mailbox, ObjectKind::Mailbox) {
            return Err(Error::EINVAL);
        }
        let process = self.thread_entry(thread).process;
        let size = u16::try_from(length).map_err(|_| Error::EMSGSIZE)?;
        letter.length = size;
        if length <= INLINE {
            let mut words = [0; 2];
            let read = self.hardware.read(process, address, &mut words, length);
            read.map_err(|_| Error::EFAULT)?;
            let [a, b] = words;
            letter.words = [a as u32, (a >> 32) as u32, b as u32, (b >> 32) as u32];
            self.post(thread, mailbox, &letter)?;
            return Ok(Reply::Done);
        }
        let from = u32::try_from(address).map_err(|_| Error::EFAULT)?;
        if length > self.process_entry(process).message_size as usize {
            return Err(Error::EMSGSIZE);
        }
        let message = self.take_message(process)?;
        self.services.letters.at_mut(message).letter = letter;
        self.services.ties.at_mut(thread).asked = mailbox;
        let place = self.room_of(message);
        let step = MoveEntry {
            source: process,
            from,
            ..MoveEntry::bytes(place, size)
        };
        let purpose = Purpose::Send(thread, message, mailbox);
        self.transfer = Some(Transfer::of_call(purpose, step));
        Ok(Reply::Later)
    }

    /// A letter without content from a thread that runs.
    fn letter(&self, thread: u16, mailbox: u16, priority: u32) -> Letter {
        let generation = self.services.objects.at(mailbox).generation;
        Letter {
            cover: Cover {
                urgency: self.present_urgency(thread),
                destination: Id::new(mailbox, generation).0,
                incoming: false,
                sender: self.id_of(thread).0,
            },
            priority,
            node: 0,
            length: 0,
            words: [0; 4],
        }
    }

    /// The mailbox into which a message goes that is sent to `mailbox`: that of
    /// the server which it is attached to, if it is.
    fn redirect(&mut self, mailbox: u16, cover: &mut Cover) -> Result<u16, Error> {
        if !self.is_a(mailbox, ObjectKind::Mailbox) {
            return Err(Error::EINVAL);
        }
        let server = self.services.objects.at(mailbox).server;
        if server == NONE {
            return Ok(mailbox);
        }
        if !self.services.objects.at(server).exists {
            return Err(Error::ESRCH);
        }
        if let Some(urgency) = self.urgency_of_reader(mailbox) {
            cover.urgency = urgency;
        }
        cover.incoming = true;
        Ok(server)
    }

    /// The urgency of the thread that a message to a mailbox is for: of who waits
    /// for one, or else received last.
    fn urgency_of_reader(&mut self, mailbox: u16) -> Option<Urgency> {
        let object = self.services.objects.at(mailbox);
        let reader = object.reader;
        let waits = self.services.waits.urgency_of(object.waiter);
        let ready = self.ready.urgency_of(reader);
        let elsewhere = self.services.waits.urgency_of(reader);
        waits.or(ready).or(elsewhere).or_else(|| {
            self.threads.get(reader)?;
            // it would come behind its equals
            let own = self.own_urgency(reader, End::Tail);
            let (urgency, _) = self.loans(reader).on(own);
            Some(urgency)
        })
    }

    /// Puts a short message into a mailbox, or into the registers of a thread that
    /// waits for it.
    fn post(&mut self, thread: u16, mailbox: u16, letter: &Letter) -> Result<(), Error> {
        let waiter = self.services.objects.at(mailbox).waiter;
        if waiter != NONE && self.services.ties.at(waiter).wish == Wish::Words {
            self.services.ties.at_mut(thread).asked = mailbox;
            self.leave(waiter);
            self.services.objects.at_mut(mailbox).reader = waiter;
            self.go_on_with(waiter, &in_registers(letter));
            return Ok(());
        }
        let process = self.thread_entry(thread).process;
        let message = self.take_message(process)?;
        self.services.ties.at_mut(thread).asked = mailbox;
        self.services.letters.at_mut(message).letter = *letter;
        self.deposit(message, mailbox);
        Ok(())
    }

    /// A long message is with the kernel, or its sender cannot give it.
    pub(crate) fn end_send(&mut self, thread: u16, message: u16, mailbox: u16, is_whole: bool) {
        if !is_whole {
            self.free_message(message);
            return self.answer(thread, Answer::error(Error::EFAULT));
        }
        self.answer(thread, Answer::DONE);
        self.deposit(message, mailbox);
    }

    /// Puts a message into a mailbox; the thread that waits for one gets it.
    fn deposit(&mut self, message: u16, mailbox: u16) {
        self.queue_message(message, mailbox);
        self.offer(mailbox);
    }

    /// Hands the first message of a mailbox to the most urgent thread that waits
    /// for one and has room.
    pub(crate) fn offer(&mut self, mailbox: u16) {
        loop {
            let waiter = self.services.objects.at(mailbox).waiter;
            if waiter == NONE {
                return self.renew_owner(mailbox);
            }
            self.leave(waiter);
            self.suspend(waiter, State::Held);
            match self.hand_over(waiter, mailbox) {
                Ok(()) => return,
                // it stays for who has room for it, or for the server, who may wait
                // for who is refused
                Err(error) => {
                    if self.services.objects.at(mailbox).waiter == NONE {
                        self.renew_owner(mailbox);
                    }
                    self.release_waiter(waiter, Err(error));
                }
            }
        }
    }
}
