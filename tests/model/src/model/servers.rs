//! Who serves a mailbox, and how urgent servers are.

use super::queue::End;
use super::{Model, Parking, State, Urgency};
use giornata_abi::Error;

impl Model {
    /// Who would run for a request that lies in a mailbox: its server, or who received
    /// from it last.
    pub(super) fn server_of(&self, mailbox: usize) -> Option<usize> {
        self.objects[mailbox].reader
    }

    /// Whether a client waits for the reply of a thread that has its request.
    pub(super) fn serves_a_client(&self, thread: usize) -> bool {
        let waits = |state: &State| match state {
            State::Calls { server, .. } => *server == Some(thread),
            _ => false,
        };
        self.threads.iter().any(|other| waits(&other.state))
    }

    /// The urgency of a thread by what nobody waits behind. Of a server: the message in its
    /// hand, and the first of each mailbox that it serves. Of one whose client has ended:
    /// the request.
    pub(super) fn urgency_of_messages(&self, thread: usize) -> Option<Urgency> {
        let record = &self.threads[thread];
        if record.serves.is_empty() {
            return record.late;
        }
        let served = record.serves.iter().map(|mailbox| &self.objects[*mailbox]);
        let first = served.filter_map(|object| object.messages.first());
        let first = first.filter(|message| message.client.is_none());
        let all = record
            .hand
            .into_iter()
            .chain(first.map(|message| message.urgency));
        let most = all.reduce(|most, urgency| most.or_more_urgent(Some(urgency)));
        most.or(record.late)
    }

    /// A message came into a mailbox, or left it.
    pub(super) fn weigh_server(&mut self, mailbox: usize) {
        if self.objects[mailbox].served
            && let Some(server) = self.objects[mailbox].reader
        {
            self.settle_place(server, End::Tail);
        }
    }

    /// A thread becomes the server of a mailbox.
    pub(super) fn serve(&mut self, caller: usize, mailbox: usize) -> Result<(), Error> {
        let object = &mut self.objects[mailbox];
        match object.served {
            true if object.reader == Some(caller) => Ok(()),
            true => Err(Error::EBUSY),
            false => {
                object.served = true;
                self.threads[caller].serves.insert(0, mailbox);
                self.reader_changes(mailbox, caller);
                Ok(())
            }
        }
    }

    /// Nobody serves a mailbox, or received from it, any more.
    pub(super) fn unserve(&mut self, mailbox: usize) {
        let object = &mut self.objects[mailbox];
        let (reader, served) = (object.reader.take(), std::mem::take(&mut object.served));
        if let (Some(server), true) = (reader, served) {
            self.threads[server].serves.retain(|one| *one != mailbox);
            self.settle_place(server, End::Tail);
        }
    }

    /// A thread is done with the message in its hand.
    pub(super) fn put_down(&mut self, thread: usize) {
        (self.threads[thread].hand, self.threads[thread].late) = (None, None);
    }

    /// A thread receives from a mailbox: whose requests lie there waits for it now, unless
    /// there is a server.
    pub(super) fn read_by(&mut self, thread: usize, mailbox: usize) {
        if self.threads[thread].serves.is_empty() {
            self.threads[thread].received_from = Some(mailbox);
        }
        if !self.objects[mailbox].served {
            self.reader_changes(mailbox, thread);
        }
    }

    fn reader_changes(&mut self, mailbox: usize, thread: usize) {
        if let Some(before) = self.objects[mailbox].reader.replace(thread)
            && before != thread
            && self.is_hung_on(before)
        {
            self.unpark(before);
        }
    }

    /// The mailbox from which a thread received last; of a server, that which it serves.
    pub(super) fn received_from(&self, thread: usize) -> Option<usize> {
        let record = &self.threads[thread];
        record.serves.first().copied().or(record.received_from)
    }

    /// The most urgent caller that hangs on a mailbox comes back.
    pub(super) fn bring_back(&mut self, mailbox: usize) {
        if let Some(caller) = self.hanging(Parking::Mailbox(mailbox)).first() {
            self.bring_up(*caller);
        }
    }
}
