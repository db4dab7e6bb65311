//! Calls: what each comes to; request, reply, forward.

use super::mail::{Message, Wish, bytes_of};
use super::queue::End;
use super::{Model, Outcome, Resumption, State};
use crate::request::{NEVER, Reply, Request};
use giornata_abi::Error;
use giornata_abi::next::id::Id;
use giornata_abi::system::{RIGHT_RECEIVE, RIGHT_USE};

impl Model {
    /// A call of the running thread; `from`: where one that was put back goes on.
    pub(super) fn call(&mut self, caller: usize, request: &Request, from: Option<u64>) {
        let outcome = self.perform(caller, request, from);
        match outcome {
            Ok(None) => {}
            Ok(Some(reply)) => self.threads[caller].resumption = Resumption::Returns(reply),
            Err(error) => self.threads[caller].resumption = Resumption::Returns(error.into()),
        }
    }

    fn perform(&mut self, caller: usize, request: &Request, from: Option<u64>) -> Outcome {
        match *request {
            Request::Yield => self.yield_now(caller),
            Request::Exit { value } => self.exit(caller, value),
            Request::Sleep { until } => self.sleep(caller, until),
            Request::AwaitInterrupt { line } => self.await_interrupt(caller, line),
            Request::SetPriority { thread, priority } => {
                self.set_priority(caller, thread, priority)
            }
            Request::CreateObject { slot, server } => self.create(caller, slot, server),
            Request::DeleteObject { object } => self.delete(caller, object),
            Request::OpenObject { slot } => self.open(caller, slot),
            Request::Lock { object, until } => self.lock(caller, object, until),
            Request::Unlock { object } => self.unlock(caller, object),
            Request::Wait {
                condition,
                mutex,
                until,
            } => self.wait(caller, condition, mutex, until),
            Request::Signal { condition } => self.signal(caller, condition, 1),
            Request::Broadcast { condition } => self.broadcast(caller, condition, from),
            Request::Send {
                mailbox,
                priority,
                words,
            } => self.send(caller, mailbox, priority, words),
            Request::SendBytes {
                mailbox,
                priority,
                ref bytes,
                route,
            } => self.send_bytes(caller, mailbox, priority, bytes.clone(), route),
            Request::Receive { mailbox, until } => {
                self.receive(caller, mailbox, until, Wish::Words)
            }
            Request::ReceiveBytes {
                mailbox,
                until,
                capacity,
                full,
            } => {
                let wish = match full {
                    true => Wish::Full(capacity),
                    false => Wish::Bytes(capacity),
                };
                self.receive(caller, mailbox, until, wish)
            }
            Request::CreateThread { priority } => self.create_thread(caller, priority),
            Request::JoinThread { thread, until } => self.join(caller, thread, until),
            Request::DetachThread { thread } => self.detach(caller, thread),
            Request::CreateProcess { process } => self.create_process(caller, process),
            Request::KillProcess { process } => self.kill_process(caller, process),
            Request::AwaitProcess { until } => self.await_process(caller, until),
            Request::Call {
                mailbox,
                priority,
                words,
            } => self.request(caller, mailbox, priority, words),
            Request::ReplyReceive {
                client,
                token,
                words,
            } => self.reply_receive(caller, client, token, words),
            Request::Forward { mailbox } => self.forward(caller, mailbox),
        }
    }

    /// Who would run for a request that lies in a mailbox.
    pub(super) fn server_of(&self, mailbox: usize) -> Option<usize> {
        let object = &self.objects[mailbox];
        object.server.or(object.reader)
    }

    fn request(&mut self, caller: usize, id: Id, priority: u8, words: [u32; 4]) -> Outcome {
        let mailbox = self.find_mailbox(caller, id, RIGHT_USE)?;
        let mut message = self.message(caller, mailbox, priority, bytes_of(words));
        message.client = Some(caller);
        let mailbox = self.redirect(mailbox, &mut message)?;
        if self.is_refused(caller, self.receiver(mailbox, &message)) {
            return Err(Error::EDEADLK);
        }
        self.threads[caller].asked = self.next_serial();
        self.threads[caller].state = queued(mailbox);
        if let Err(error) = self.post(caller, mailbox, message) {
            self.threads[caller].state = State::Ready;
            return Err(error);
        }
        Ok(None)
    }

    /// Who gets a request that comes to a mailbox now, or would run for it.
    fn receiver(&self, mailbox: usize, request: &Message) -> Option<usize> {
        let mut waiters = self.waiters(mailbox).into_iter();
        let first = waiters.find(|waiter| self.wish_of(*waiter).has_room_for(request));
        first.or(self.server_of(mailbox))
    }

    fn reply_receive(
        &mut self,
        caller: usize,
        client: Option<usize>,
        token: u32,
        words: [u32; 4],
    ) -> Outcome {
        let id = self.threads[caller].received_from.ok_or(Error::EINVAL)?;
        let mailbox = self.find_mailbox(caller, id, RIGHT_RECEIVE)?;
        if let Some(client) = client {
            self.reply(caller, client, token, words);
        }
        self.next_message(caller, mailbox, NEVER, Wish::Words)
    }

    /// The client gets its reply; a token that is stale is dropped.
    fn reply(&mut self, caller: usize, client: usize, token: u32, words: [u32; 4]) {
        let Some(State::Calls {
            server: Some(server),
            token: expected,
            ..
        }) = self.threads.get(client).map(|client| &client.state)
        else {
            return;
        };
        if (*server, *expected) != (caller, token) {
            return;
        }
        // the caller goes on at its own place, if it goes on
        self.with_place(caller, End::Tail, |model| {
            let hand = &mut model.threads[caller].hand;
            if hand.as_ref().and_then(|hand| hand.client) == Some((client, token)) {
                *hand = None;
            }
            model.threads[client].state = State::Ready;
        });
        let reply = Reply::values(&words);
        self.threads[client].resumption = Resumption::Returns(reply);
        self.unpark(client);
    }

    fn forward(&mut self, caller: usize, id: Id) -> Outcome {
        let mailbox = self.find_mailbox(caller, id, RIGHT_USE)?;
        let hand = self.threads[caller].hand.clone();
        let (client, mut message) = match hand.map(|hand| (hand.client, hand.message)) {
            Some((Some((client, _)), message)) => (client, message),
            _ => return Err(Error::EINVAL),
        };
        let mailbox = self.redirect(mailbox, &mut message)?;
        if self.is_refused(client, self.receiver(mailbox, &message)) {
            return Err(Error::EDEADLK);
        }
        let hand = self.threads[caller].hand.take();
        let waited = self.threads[client].state.clone();
        let result = self.with_place(caller, End::Head, |model| {
            model.threads[client].state = queued(mailbox);
            model.post(caller, mailbox, message)
        });
        if let Err(error) = result {
            // nothing has happened
            self.with_place(caller, End::Head, |model| {
                model.threads[client].state = waited;
                model.threads[caller].hand = hand;
            });
            return Err(error);
        }
        Ok(Some(Reply::DONE))
    }

    /// The callers whose requests lie in a mailbox, in its order.
    pub(super) fn queued_callers(&self, mailbox: usize) -> Vec<usize> {
        let messages = self.objects[mailbox].messages.iter();
        messages.filter_map(|message| message.client).collect()
    }

    /// A client ends: its request is withdrawn, or its reply will be dropped.
    pub(super) fn withdraw(&mut self, client: usize) {
        for mailbox in 0..self.objects.len() {
            self.change_messages(mailbox, |messages| {
                messages.retain(|message| message.client != Some(client));
            });
        }
    }
}

/// The state of a client whose request nobody has in its hand.
fn queued(mailbox: usize) -> State {
    State::Calls {
        server: None,
        mailbox,
        token: 0,
    }
}
