//! What can be seen of the model.

use super::{Entry, Life, Message, Model, Noted, Parking, Resumption, State, Tenancy, Word};
use crate::system::System;
use giornata_abi::id::Id;

impl Model {
    /// Who runs; none: the hart idles.
    pub fn runs(&self) -> Option<usize> {
        self.runs
    }

    /// The instant of the last event.
    pub fn now(&self) -> u64 {
        self.now
    }

    /// How the running thread goes on; told once.
    pub fn take_resumption(&mut self) -> Resumption {
        let resumption = &mut self.running().resumption;
        std::mem::replace(resumption, Resumption::Continues)
    }

    /// How a thread goes on when it runs next.
    pub fn resumption(&self, thread: usize) -> &Resumption {
        &self.threads[thread].resumption
    }

    /// Who serves a mailbox.
    pub fn server(&self, object: usize) -> Option<usize> {
        self.objects[object]
            .reader
            .filter(|_| self.objects[object].served)
    }

    /// What each thread does, for people.
    pub fn state_lines(&self) -> Vec<String> {
        let line = |thread: usize| {
            let record = &self.threads[thread];
            let (state, place, parked) = (&record.state, self.place(thread), record.parked);
            let place = place.map(|place| (place.priority, place.deadline));
            format!(
                "{thread}: {state:?} at {place:?}, parked {parked:?}, {:?}",
                record.alarm
            )
        };
        (0..self.threads.len()).map(line).collect()
    }

    /// The system.
    pub fn system(&self) -> &System {
        &self.system
    }

    /// What a thread does.
    pub fn state(&self, thread: usize) -> &State {
        &self.threads[thread].state
    }

    /// Where a thread hangs, if it is parked.
    pub fn parked(&self, thread: usize) -> Option<Parking> {
        self.threads[thread].parked
    }

    /// Whether a thread's process lives.
    pub fn is_alive(&self, thread: usize) -> bool {
        self.life(self.threads[thread].process) == Life::Alive
    }

    /// The life of a process.
    pub fn life(&self, process: usize) -> Life {
        self.processes[process].life
    }

    /// The ready queue.
    pub fn queue(&self) -> &[Entry] {
        &self.queue
    }

    /// Who is in a thread's place.
    pub fn tenancy(&self, thread: usize) -> Tenancy {
        self.threads[thread].tenancy
    }

    /// The id of the thread in a slot; of the last one if there is none.
    pub fn thread_id(&self, thread: usize) -> Id {
        Id {
            slot: thread as u32,
            serial: self.threads[thread].serial,
        }
    }

    /// The id of the object in a slot; of the last one if there is none.
    pub fn object_id(&self, object: usize) -> Id {
        Id {
            slot: object as u32,
            serial: self.objects[object].serial,
        }
    }

    /// Whether an object exists.
    pub fn exists(&self, object: usize) -> bool {
        self.objects[object].exists
    }

    /// Who owns a mutex.
    pub fn owner(&self, object: usize) -> Option<usize> {
        self.objects[object].owner
    }

    /// Who serves a mailbox, or received from it last.
    pub fn reader(&self, object: usize) -> Option<usize> {
        self.objects[object].reader
    }

    /// The count of a semaphore.
    pub fn count(&self, object: usize) -> u32 {
        self.objects[object].count
    }

    /// The messages of a mailbox, the next one first.
    pub fn messages(&self, object: usize) -> &[Message] {
        &self.objects[object].messages
    }

    /// The word of a private mutex.
    pub fn word(&self, object: usize) -> Word {
        self.objects[object].word
    }

    /// Whether threads of other processes would see that a process which `thread` ends does
    /// so in turns: they have several requests of it; or it waits for them, or they hang on
    /// its threads, and what is more urgent than the end goes first.
    pub fn outlives_in_turns(&self, process: usize, thread: usize) -> bool {
        let of = |thread: &usize| self.threads[*thread].process == process;
        let others = || (0..self.threads.len()).filter(|other| !of(other));
        let clients = others().flat_map(|server| self.clients_of(server));
        if clients.filter(of).count() > 1 {
            return true;
        }
        let own = self.own(thread);
        let waits = |thread: usize| self.waits_for(thread).is_some_and(|other| !of(&other));
        if (0..self.threads.len()).filter(of).any(waits) {
            return self.turn().is_more_urgent_than(own);
        }
        let hangs = |other: &usize| match self.parked(*other) {
            Some(Parking::Thread(holder)) => of(&holder),
            _ => false,
        };
        let hanging: Vec<usize> = others().filter(hangs).collect();
        // (they lend it their urgency)
        let lent = hanging.iter().map(|other| self.threads[*other].rank);
        let end = lent.fold(own, |end, rank| end.or_more_urgent(rank));
        !hanging.is_empty() && self.turn().is_more_urgent_than(end)
    }

    /// Whether a thread has published a ceiling.
    pub fn has_published(&self, thread: usize) -> bool {
        self.threads[thread].published != 0
    }

    /// Whether a switch was put off for the ceiling that a thread published.
    pub fn put_off(&self, thread: usize) -> bool {
        self.threads[thread].put_off
    }

    /// What the kernel noted where a thread announced a mutex.
    pub fn noted(&self, thread: usize) -> Option<Noted> {
        self.threads[thread].noted
    }

    /// The mutex that a thread announced.
    pub fn announced(&self, thread: usize) -> Option<Id> {
        self.threads[thread].announced
    }

    /// The client whose request a thread received last, and the token of the reply.
    pub fn client(&self, thread: usize) -> Option<(usize, u32)> {
        self.threads[thread].client
    }

    /// Ticks left of a thread's budget.
    pub fn budget(&self, thread: usize) -> u64 {
        self.threads[thread].budget
    }

    /// Ticks left of a thread's quantum.
    pub fn quantum(&self, thread: usize) -> u64 {
        self.threads[thread].quantum
    }
}
