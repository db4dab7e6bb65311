//! Parking: whoever waits for an owner that cannot run hangs on it, and comes back with it.

use super::queue::End;
use super::{Model, Parking, State};

/// Threads that one waking brings back.
const PIECE: usize = 4;

impl Model {
    /// Nobody can run for a thread: it hangs on the one that it waits for itself, or on a
    /// mailbox that nobody serves.
    pub(super) fn hang(&mut self, thread: usize, on: Parking) {
        self.remove(thread);
        if let State::Calls { .. } = self.threads[thread].state {
            // a client has not asked before
            self.threads[thread].asked = self.next_serial();
        }
        self.threads[thread].parked = Some(on);
        if let Parking::Thread(holder) = on {
            self.settle_place(holder, End::Tail);
        }
    }

    /// A thread hangs nowhere any more, if it did; it is in no queue yet.
    pub(super) fn unhang(&mut self, thread: usize) {
        if let Some(Parking::Thread(holder)) = self.threads[thread].parked.take() {
            self.settle_place(holder, End::Tail);
        }
    }

    /// A thread that hung somewhere, if it did, comes back, and some of those that hang on
    /// it.
    pub(super) fn bring_up(&mut self, thread: usize) {
        if self.threads[thread].parked.is_some() {
            self.unhang(thread);
            self.come_back(thread);
        }
    }

    /// A thread that waited comes into the queue behind its equals, and some of those that
    /// hang on it.
    pub(super) fn come_back(&mut self, thread: usize) {
        self.queue_up(thread);
        self.unpark(thread);
    }

    /// A thread comes into the queue at its base, behind its equals.
    pub(super) fn queue_up(&mut self, thread: usize) {
        self.threads[thread].rank = self.base(thread);
        self.insert(thread, End::Tail);
    }

    /// The first four that hang on a thread come back, the most urgent first, each followed
    /// by those that hang on it. Whoever has some left hanging on it stands where they
    /// would.
    pub(super) fn unpark(&mut self, thread: usize) {
        self.unpark_some(thread, &mut PIECE.clone());
    }

    fn unpark_some(&mut self, holder: usize, left: &mut usize) {
        while *left > 0
            && let Some(first) = self.hanging(Parking::Thread(holder)).first().copied()
        {
            *left -= 1;
            self.threads[first].parked = None;
            self.queue_up(first);
            self.unpark_some(first, left);
        }
        self.settle_place(holder, End::Tail);
    }

    /// Everybody that hangs on a thread comes back.
    pub(super) fn unpark_all(&mut self, thread: usize) {
        while self.is_hung_on(thread) {
            self.unpark(thread);
        }
    }

    /// Whether somebody hangs on a thread.
    pub(super) fn is_hung_on(&self, thread: usize) -> bool {
        !self.hanging(Parking::Thread(thread)).is_empty()
    }

    /// Who hangs somewhere: the most urgent first, among equals who asked first.
    pub(super) fn hanging(&self, parking: Parking) -> Vec<usize> {
        let all = 0..self.threads.len();
        let hangs = |thread: &usize| self.threads[*thread].parked == Some(parking);
        self.by_rank(all.filter(hangs).collect())
    }
}
