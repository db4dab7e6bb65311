//! Sending and receiving.

use super::mail::{Message, Wish, bytes_of};
use super::queue::End;
use super::{Model, Outcome, Parking, Reason, State};
use crate::request::{Reply, Route};
use crate::system::Kind;
use giornata_abi::Error;
use giornata_abi::message::INLINE;
use giornata_abi::next::id::Id;
use giornata_abi::system::{RIGHT_DIRECT, RIGHT_FULL, RIGHT_RECEIVE, RIGHT_USE};

impl Model {
    pub(super) fn find_mailbox(&self, caller: usize, id: Id, right: u16) -> Result<usize, Error> {
        let slot = self.find(caller, id, right)?;
        match self.objects[slot].kind {
            Kind::Mailbox { .. } => Ok(slot),
            _ => Err(Error::EINVAL),
        }
    }

    /// A message of the running thread to a mailbox.
    pub(super) fn message(
        &self,
        caller: usize,
        mailbox: usize,
        priority: u8,
        bytes: Vec<u8>,
    ) -> Message {
        Message {
            urgency: self.turn(),
            priority,
            destination: mailbox,
            node: 0,
            incoming: false,
            sender: caller,
            pool: None,
            bytes,
            client: None,
        }
    }

    pub(super) fn send(&mut self, caller: usize, id: Id, priority: u8, words: [u32; 4]) -> Outcome {
        let mailbox = self.find_mailbox(caller, id, RIGHT_USE)?;
        let mut message = self.message(caller, mailbox, priority, bytes_of(words));
        let mailbox = self.redirect(mailbox, &mut message)?;
        self.post(caller, mailbox, message)?;
        Ok(Some(Reply::DONE))
    }

    pub(super) fn send_bytes(
        &mut self,
        caller: usize,
        id: Id,
        priority: u8,
        bytes: Vec<u8>,
        route: Route,
    ) -> Outcome {
        let (mailbox, message) = match route {
            Route::Via(server, node) => {
                let server = self.slot(caller, server, RIGHT_USE)?;
                if !self.objects[server].exists {
                    return Err(Error::ESRCH);
                }
                if !matches!(self.objects[server].kind, Kind::Mailbox { .. }) {
                    return Err(Error::EINVAL);
                }
                let mut message = self.message(caller, id.slot as usize, priority, bytes);
                message.node = node;
                (server, message)
            }
            Route::Direct => {
                let mailbox = self.find_mailbox(caller, id, RIGHT_DIRECT)?;
                (mailbox, self.message(caller, mailbox, priority, bytes))
            }
            Route::Usual => {
                let mailbox = self.find_mailbox(caller, id, RIGHT_USE)?;
                let mut message = self.message(caller, mailbox, priority, bytes);
                (self.redirect(mailbox, &mut message)?, message)
            }
        };
        let spec = &self.system.processes[self.threads[caller].process];
        if message.bytes.len() > spec.message_size.max(INLINE) {
            return Err(Error::EMSGSIZE);
        }
        self.post(caller, mailbox, message)?;
        Ok(Some(Reply::DONE))
    }

    /// Where a message to a mailbox goes: to its server, if it is attached to one. Then it
    /// is as urgent as the thread that it is for: the first that waits for one, else who
    /// received last.
    pub(super) fn redirect(&self, mailbox: usize, message: &mut Message) -> Result<usize, Error> {
        let Some(server) = self.objects[mailbox].attached else {
            return Ok(mailbox);
        };
        if !self.objects[server].exists {
            return Err(Error::ESRCH);
        }
        message.incoming = true;
        let first = self.waiters(mailbox).first().copied();
        if let Some(reader) = first.or(self.objects[mailbox].reader) {
            message.urgency = self.effective(reader);
        }
        Ok(server)
    }

    /// Messages of a process that lie in mailboxes.
    fn under_way(&self, process: usize) -> usize {
        let all = self.objects.iter().flat_map(|object| &object.messages);
        all.filter(|message| message.pool == Some(process)).count()
    }

    /// A message comes into a mailbox, or to a thread that waits there.
    pub(super) fn post(
        &mut self,
        caller: usize,
        mailbox: usize,
        mut message: Message,
    ) -> Result<(), Error> {
        let process = self.threads[caller].process;
        let waiters = self.waiters(mailbox);
        let first = waiters.first().map(|waiter| self.wish_of(*waiter));
        let needs_none = first.is_some_and(|wish| wish.has_room_for(&message));
        let pool = self.system.processes[process].messages;
        if !needs_none && self.under_way(process) >= pool {
            return Err(Error::EAGAIN);
        }
        for waiter in waiters {
            let wish = self.wish_of(waiter);
            if wish.has_room_for(&message) {
                let reply = self.deliver(waiter, mailbox, wish, message);
                self.wake(waiter, reply);
                return Ok(());
            }
            self.wake(waiter, Error::EMSGSIZE.into());
        }
        message.pool = Some(process);
        self.change_messages(mailbox, |messages| {
            let at = messages.partition_point(|other| other.priority >= message.priority);
            messages.insert(at, message);
        });
        Ok(())
    }

    pub(super) fn wish_of(&self, thread: usize) -> Wish {
        match self.threads[thread].state {
            State::Blocked(Reason::Message(_, wish)) => wish,
            _ => unreachable!("it waits for a message"),
        }
    }

    pub(super) fn receive(&mut self, caller: usize, id: Id, until: u64, wish: Wish) -> Outcome {
        let right = match wish {
            Wish::Full(_) => RIGHT_FULL,
            _ => RIGHT_RECEIVE,
        };
        let mailbox = self.find_mailbox(caller, id, right)?;
        if let Wish::Full(_) = wish {
            self.serve(caller, mailbox)?;
        }
        self.next_message(caller, mailbox, until, wish)
    }

    /// The caller takes the next message of a mailbox, or waits for one.
    pub(super) fn next_message(
        &mut self,
        caller: usize,
        mailbox: usize,
        until: u64,
        wish: Wish,
    ) -> Outcome {
        self.threads[caller].received_from = Some(self.object_id(mailbox));
        self.put_down(caller);
        self.read_by(caller, mailbox);
        if let Some(first) = self.objects[mailbox].messages.first()
            && !wish.has_room_for(first)
        {
            return Err(Error::EMSGSIZE);
        }
        if !self.objects[mailbox].messages.is_empty() {
            // (for its server the message goes from the mailbox to its hand at once)
            let server = self.objects[mailbox].server.unwrap_or(caller);
            let reply = self.with_place(server, End::Tail, |model| {
                model.with_place(caller, End::Tail, |model| {
                    let first = model.objects[mailbox].messages.remove(0);
                    model.deliver(caller, mailbox, wish, first)
                })
            });
            // a client that hung on another server waits for the caller now
            if let Some((client, _)) = self.client(caller)
                && self.threads[client].parked.is_some()
            {
                self.unpark(client);
            }
            return Ok(Some(reply));
        }
        match until {
            0 => return Err(Error::EAGAIN),
            _ => self.block(caller, Reason::Message(mailbox, wish), until),
        }
        Ok(None)
    }

    /// A thread is done with the message in its hand.
    fn put_down(&mut self, thread: usize) {
        self.with_place(thread, End::Tail, |model| {
            model.threads[thread].hand = None;
        });
    }

    /// A thread is the last that received from a mailbox: whose request lies there waits
    /// for it now, unless there is a server.
    fn read_by(&mut self, thread: usize, mailbox: usize) {
        self.objects[mailbox].reader = Some(thread);
        let server = self.server_of(mailbox).map(Parking::Thread);
        let mut queued = self.queued_callers(mailbox);
        queued.retain(|caller| self.threads[*caller].parked.is_some());
        queued.sort_by_key(|caller| self.threads[*caller].asked);
        for caller in queued {
            if self.threads[caller].parked != server {
                self.unpark(caller);
            }
        }
    }

    /// A thread becomes the server of a mailbox.
    fn serve(&mut self, caller: usize, mailbox: usize) -> Result<(), Error> {
        match self.objects[mailbox].server {
            Some(owner) if owner != caller => return Err(Error::EBUSY),
            Some(_) => {}
            None => self.with_place(caller, End::Tail, |model| {
                model.objects[mailbox].server = Some(caller);
            }),
        }
        Ok(())
    }

    /// Nobody serves a mailbox any more.
    pub(super) fn unserve(&mut self, mailbox: usize) {
        if let Some(server) = self.objects[mailbox].server {
            self.with_place(server, End::Tail, |model| {
                model.objects[mailbox].server = None;
            });
        }
    }

    /// A message comes into a mailbox, or leaves it: its server may come to another place.
    pub(super) fn change_messages<T>(
        &mut self,
        mailbox: usize,
        change: impl FnOnce(&mut Vec<Message>) -> T,
    ) -> T {
        let change = |model: &mut Model| change(&mut model.objects[mailbox].messages);
        match self.objects[mailbox].server {
            Some(server) => self.with_place(server, End::Tail, change),
            None => change(self),
        }
    }
}
