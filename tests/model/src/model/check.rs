//! What is true of the model after every event.

use super::{Entry, Model, Parking, State};
use crate::system::Kind;

impl Model {
    /// Panics if a rule is broken.
    pub fn check_invariants(&self) {
        for thread in 0..self.threads.len() {
            self.check_thread(thread);
        }
        self.check_queue();
        self.check_who_runs();
        for (number, object) in self.objects.iter().enumerate() {
            let owner = object.owner;
            assert!(owner.is_none_or(|owner| self.lives(owner)), "a dead owner");
            let is_mutex = matches!(object.kind, Kind::Mutex { .. });
            assert!(owner.is_none() || is_mutex, "an owner of no mutex");
            let has_messages = !object.messages.is_empty();
            let has_waiters = !self.waiters(number).is_empty();
            assert!(!(has_messages && has_waiters), "a message nobody takes");
            assert!(object.count == 0 || !has_waiters, "a count nobody takes");
            assert!(object.exists || !has_waiters, "a wait for nothing");
        }
    }

    /// The queue is sorted, and holds whoever can run or wait in it, once.
    fn check_queue(&self) {
        let urgency = |entry: &Entry| match *entry {
            Entry::Thread(thread) => self.threads[thread].rank.expect("a queued thread's rank"),
            Entry::Teardown(_, urgency) | Entry::Dead(_, urgency) => urgency,
        };
        for pair in self.queue.windows(2) {
            let sorted = !urgency(&pair[1]).is_more_urgent_than(urgency(&pair[0]));
            assert!(sorted, "{:?} is not sorted", self.queue);
        }
        for thread in 0..self.threads.len() {
            let times = self.queue.iter().filter(|e| **e == Entry::Thread(thread));
            let expected = self.is_in_queue_by_state(thread) && self.place(thread).is_some();
            assert_eq!(
                times.count(),
                expected.into(),
                "thread {thread} in the queue"
            );
        }
    }

    /// Without a look at the queue and at who hangs where: the most urgent whose chain
    /// ends in a thread that can run has the turn, and that thread runs.
    fn check_who_runs(&self) {
        let all = 0..self.threads.len();
        let end = |thread: usize| {
            let mut at = thread;
            while let Some(next) = self.waits_for(at) {
                at = next;
            }
            let is_ready = self.threads[at].state == State::Ready;
            is_ready.then_some(at)
        };
        // (callers of a mailbox that nobody served come back one with each message)
        let helps = |thread: usize| match self.parked(thread) {
            None => true,
            Some(Parking::Thread(holder)) => self.waits_for(thread) == Some(holder),
            Some(Parking::Mailbox(_)) => false,
        };
        let can_run = |thread: &usize| {
            self.place(*thread).is_some() && helps(*thread) && end(*thread).is_some()
        };
        let candidates: Vec<usize> = all.filter(can_run).collect();
        let Some(runs) = self.runs else {
            assert_eq!(candidates, [], "somebody can run");
            return;
        };
        let place = |thread: usize| self.place(thread).expect("it has one");
        let most = candidates.iter().copied().reduce(|most, thread| {
            match place(thread).is_more_urgent_than(place(most)) {
                true => thread,
                false => most,
            }
        });
        let most = place(most.expect("who runs can run"));
        let mut first = candidates.iter().filter(|thread| place(**thread) == most);
        let is_first = first.any(|thread| end(*thread) == Some(runs));
        assert!(is_first, "{runs} runs, but is not the end of a first chain");
    }

    fn check_thread(&self, thread: usize) {
        let record = &self.threads[thread];
        if !self.lives(thread) {
            assert_eq!(record.state, State::Dormant, "the dead wait for nothing");
        }
        // whoever waits does so in a chain that ends
        let (mut at, mut length) = (thread, 0);
        while let Some(next) = self.waits_for(at) {
            (at, length) = (next, length + 1);
            assert!(length <= self.threads.len(), "a circle through {thread}");
        }
        match record.parked {
            None => {}
            Some(Parking::Thread(owner)) => {
                // (if its mailbox has another reader since, it is brought back later)
                let is_queued = matches!(record.state, State::Calls { server: None, .. });
                let waits_for = self.waits_for(thread);
                assert!(is_queued || waits_for == Some(owner), "it hangs on another");
            }
            Some(Parking::Mailbox(mailbox)) => {
                // (or is about to be received, in the turn of whoever does)
                let lies = self.queued_callers(mailbox).contains(&thread);
                let lies = lies || self.is_about_to_be_received(thread);
                assert!(lies, "its request lies elsewhere");
            }
        }
        if record.state != State::Dormant {
            assert_eq!(record.rank, self.place(thread), "the rank of {thread}");
        }
        let can_wait = match record.state {
            State::Ready => false,
            State::Dormant => !self.lives(thread),
            _ => true,
        };
        assert!(record.alarm.is_none() || can_wait, "an alarm for nothing");
    }

    fn is_about_to_be_received(&self, client: usize) -> bool {
        let bound = |thread: &super::Thread| match &thread.bound {
            Some(message) => message.client == Some(client),
            None => false,
        };
        self.threads.iter().any(bound)
    }
}
