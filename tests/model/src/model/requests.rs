//! Requests: calls that wait for a reply; replies, forwarding.

use super::mail::{Wish, bytes_of};
use super::queue::End;
use super::{Model, Outcome, Resumption, State, Urgency};
use crate::request::{NEVER, Reply};
use crate::system::Kind;
use giornata_abi::Error;
use giornata_abi::id::Id;
use giornata_abi::system::{RIGHT_DIRECT, RIGHT_FULL, RIGHT_MANAGE};

impl Model {
    pub(super) fn request(
        &mut self,
        caller: usize,
        id: Id,
        priority: u8,
        words: [u32; 4],
    ) -> Outcome {
        let (mailbox, incoming) = self.route(caller, id)?;
        let bytes = bytes_of(words);
        self.place_request(caller, mailbox, (id, incoming, priority, bytes))?;
        Ok(None)
    }

    /// A request comes to a mailbox: who waits there has it in its hand, else it lies there.
    fn place_request(
        &mut self,
        client: usize,
        mailbox: usize,
        (id, incoming, priority, bytes): (Id, bool, u8, Vec<u8>),
    ) -> Result<(), Error> {
        let first = self.first_wish(mailbox);
        // (who wants it in memory may have no room for it)
        if first != Some(Wish::Words) && self.is_refused(client, self.server_of(mailbox)) {
            return Err(Error::EDEADLK);
        }
        if first != Some(Wish::Words) {
            self.take_place(self.threads[client].process)?;
        }
        let mut message = self.message(client, id, priority, bytes);
        self.address(&mut message, incoming);
        message.client = Some(client);
        self.withdraw(client);
        self.threads[client].state = State::Calls {
            server: None,
            mailbox,
            token: 0,
        };
        self.threads[client].request = Some((priority, message.bytes.clone()));
        self.deliver(message, mailbox, false);
        Ok(())
    }

    /// A thread has the request of a client in its hand: the token of the reply.
    pub(super) fn take_in_hand(&mut self, client: usize, server: usize) -> u32 {
        self.bring_up(client);
        let token = self.next_serial() as u32;
        if let State::Calls {
            server: has,
            token: of_it,
            ..
        } = &mut self.threads[client].state
        {
            (*has, *of_it) = (Some(server), token);
        }
        self.threads[server].client = Some((client, token));
        token
    }

    /// The client with this token whose request the caller has; none if the token is stale.
    fn client_of(&self, caller: usize, client: usize, token: u32) -> Option<usize> {
        let waits = match self.threads.get(client)?.state {
            State::Calls {
                server: Some(server),
                token: expected,
                ..
            } => (server, expected) == (caller, token),
            _ => false,
        };
        waits.then_some(client)
    }

    pub(super) fn reply_receive(
        &mut self,
        caller: usize,
        client: Option<usize>,
        token: u32,
        words: [u32; 4],
    ) -> Outcome {
        let client = client.and_then(|client| self.client_of(caller, client, token));
        if let Some(client) = client {
            self.withdraw(client);
            self.threads[client].resumption = Resumption::Returns(Reply::values(&words));
        }
        let mailbox = self.threads[caller].received_from.ok_or(Error::EINVAL)?;
        self.receive(caller, mailbox, NEVER, Wish::Words)
    }

    pub(super) fn forward(&mut self, caller: usize, id: Id, client: usize, token: u32) -> Outcome {
        let (mut mailbox, mut incoming) = self.route(caller, id)?;
        if incoming && self.objects[mailbox].reader == Some(caller) {
            // past itself
            (mailbox, incoming) = (self.find_mailbox(caller, id, RIGHT_DIRECT)?, false);
        }
        let client = self.client_of(caller, client, token).ok_or(Error::EINVAL)?;
        let request = self.threads[client].request.clone();
        let (priority, bytes) = request.expect("it has asked");
        self.place_request(client, mailbox, (id, incoming, priority, bytes))?;
        Ok(Some(Reply::DONE))
    }

    /// A client's request is nobody's any more; it waits for nothing.
    pub(super) fn withdraw(&mut self, client: usize) {
        let State::Calls {
            server, mailbox, ..
        } = self.threads[client].state
        else {
            return;
        };
        self.bring_up(client);
        self.threads[client].state = State::Ready;
        if let Some(server) = server {
            return self.settle_place(server, End::Tail);
        }
        // (who is about to receive it has a message without a client)
        let bound = self
            .threads
            .iter_mut()
            .filter_map(|thread| thread.bound.as_mut());
        for message in bound.filter(|message| message.client == Some(client)) {
            message.client = None;
        }
        let messages = &mut self.objects[mailbox].messages;
        let before = messages.len();
        messages.retain(|message| message.client != Some(client));
        if messages.len() < before {
            self.weigh_server(mailbox);
        }
    }

    /// The reply of a client will not come.
    pub(super) fn refuse_client(&mut self, client: usize) {
        self.withdraw(client);
        self.threads[client].resumption = Resumption::Returns(Error::EIDRM.into());
    }

    /// A client ends, and its request with it. Who has that, and no other client's, goes on
    /// as urgently as the client was.
    pub(super) fn end_client(&mut self, client: usize) {
        if let State::Calls {
            server: Some(server),
            ..
        } = self.threads[client].state
        {
            let urgency = self.threads[client].rank;
            let received = self.threads[server].received_from;
            let received = received.map(|mailbox| mailbox.slot as usize);
            // (another may have received from there since)
            let is_its = |mailbox: &usize| self.objects[*mailbox].reader == Some(server);
            let received = received.filter(is_its);
            match received.filter(|mailbox| self.has_mail(*mailbox)) {
                Some(mailbox) if self.threads[server].serves => {
                    self.objects[mailbox].hand = urgency;
                }
                _ if self.clients_of(server).len() == 1 => {
                    let least = Urgency::fixed(0);
                    self.threads[server].late = Some(urgency.unwrap_or(least));
                }
                _ => {}
            }
        }
        self.withdraw(client);
    }

    /// Whether a mailbox can have a server, or be attached to one.
    fn has_mail(&self, mailbox: usize) -> bool {
        let spec = &self.system.objects[mailbox];
        let can_be = RIGHT_FULL | RIGHT_MANAGE;
        let can_be = spec.rights.iter().any(|rights| rights & can_be != 0);
        can_be || !spec.at_boot || spec.kind != Kind::Mailbox { server: None }
    }

    /// The callers whose requests lie in a mailbox, in its order.
    pub(super) fn queued_callers(&self, mailbox: usize) -> Vec<usize> {
        let messages = self.objects[mailbox].messages.iter();
        messages.filter_map(|message| message.client).collect()
    }
}
