//! Who serves a mailbox, and how urgent servers are.

use super::queue::End;
use super::{Model, Parking, State, Urgency};

impl Model {
    /// Who would run for a request that lies in a mailbox: its server, or who received
    /// from it last.
    pub(super) fn server_of(&self, mailbox: usize) -> Option<usize> {
        self.objects[mailbox].reader
    }

    /// The clients whose requests a thread has.
    pub(super) fn clients_of(&self, thread: usize) -> Vec<usize> {
        let waits = |client: &usize| match self.threads[*client].state {
            State::Calls { server, .. } => server == Some(thread),
            _ => false,
        };
        (0..self.threads.len()).filter(waits).collect()
    }

    /// The mailboxes from which a thread received last, the latest first.
    pub(super) fn read_last(&self, thread: usize) -> Vec<usize> {
        let reads = |mailbox: &usize| self.objects[*mailbox].reader == Some(thread);
        let mut mailboxes: Vec<usize> = (0..self.objects.len()).filter(reads).collect();
        mailboxes.sort_by_key(|mailbox| std::cmp::Reverse(self.objects[*mailbox].read));
        mailboxes
    }

    /// The urgency of a thread by what nobody waits behind. Of a server: the message in its
    /// hand, and the first of each mailbox that it serves. Of one whose last client has
    /// ended: the request.
    pub(super) fn urgency_of_messages(&self, thread: usize) -> Option<Urgency> {
        let mailboxes = self.read_last(thread).into_iter();
        let served = mailboxes.map(|mailbox| &self.objects[mailbox]);
        let served = served.filter(|object| object.served);
        let urgencies = served.flat_map(|object| {
            let first = object.messages.first();
            let first = first.filter(|message| message.client.is_none());
            [object.hand, first.map(|message| message.urgency)]
        });
        let urgencies = urgencies.flatten();
        let most = urgencies.reduce(|most, urgency| most.or_more_urgent(Some(urgency)));
        most.or(self.threads[thread].late)
    }

    /// A message came into a mailbox, or left it.
    pub(super) fn weigh_server(&mut self, mailbox: usize) {
        if self.objects[mailbox].served
            && let Some(server) = self.objects[mailbox].reader
        {
            self.settle_place(server, End::Tail);
        }
    }

    /// A thread receives from a mailbox, or (`full`) is its server from now on: whose
    /// requests lie there waits for it now, unless another is the server. Returns false if
    /// another is.
    pub(super) fn read_by(&mut self, thread: usize, mailbox: usize, full: bool) -> bool {
        let before = self.objects[mailbox].reader;
        if before != Some(thread) {
            if self.objects[mailbox].served {
                return !full;
            }
            self.unserve(mailbox);
            let read = self.next_serial();
            let object = &mut self.objects[mailbox];
            (object.reader, object.read) = (Some(thread), read);
            if let Some(before) = before
                && self.is_hung_on(before)
            {
                self.unpark(before);
            }
        }
        self.threads[thread].received_from = Some(self.object_id(mailbox));
        if full {
            self.objects[mailbox].served = true;
            self.threads[thread].serves = true;
        }
        true
    }

    /// Nobody serves a mailbox, or received from it, any more.
    pub(super) fn unserve(&mut self, mailbox: usize) {
        let object = &mut self.objects[mailbox];
        (object.served, object.hand) = (false, None);
        if let Some(reader) = object.reader.take() {
            self.settle_place(reader, End::Tail);
        }
    }

    /// A thread is done with the message in its hand.
    pub(super) fn put_down(&mut self, thread: usize) {
        self.threads[thread].late = None;
        for mailbox in self.read_last(thread) {
            self.objects[mailbox].hand = None;
        }
    }

    /// The most urgent caller that hangs on a mailbox comes back.
    pub(super) fn bring_back(&mut self, mailbox: usize) {
        if let Some(caller) = self.hanging(Parking::Mailbox(mailbox)).first() {
            self.bring_up(*caller);
        }
    }
}
