//! The ready queue, and who runs: the end of the chain of the first in it.
//!
//! ```text
//!  queue:  high ---- middle ---- low
//!           |  wants   |  wants   |
//!           +--------> +--------> + (runs, on the place of high)
//! ```
//! If the end of the chain cannot run, everybody in the chain leaves the queue and
//! hangs on the one that it waits for itself, until that link ends.

use super::place::Urgency;
use super::{Life, Model, Parking, State};

/// What stands in the ready queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entry {
    /// A thread that can run, or whose chain can.
    Thread(usize),
    /// The kernel's thread that tears a process down, or restores it.
    Teardown(usize, Urgency),
    /// A thread of a process that has ended: its turn is its own end.
    Dead(usize, Urgency),
}

/// What changes before somebody can run.
enum Change {
    /// The mutex is taken.
    Settle(usize),
    /// The thread leaves the queue.
    Hang(Parking),
}

/// Things that change before the hart looks at its timer and lines.
const PIECE: usize = 4;

/// The end of its equals at which an entry comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    Head,
    Tail,
}

impl Model {
    /// Whom a thread waits for itself.
    pub fn waits_for(&self, thread: usize) -> Option<usize> {
        match self.threads[thread].state {
            State::Wants { mutex, .. } => self.objects[mutex].owner,
            State::Calls {
                server: Some(server),
                ..
            } => Some(server),
            State::Calls { mailbox, .. } => self.server_of(mailbox),
            _ => None,
        }
    }

    /// The urgency of the first in the queue: that at which the running thread runs.
    pub(super) fn turn(&self) -> Urgency {
        let first = self.queue.first().expect("somebody runs");
        self.urgency_of(*first)
    }

    fn urgency_of(&self, entry: Entry) -> Urgency {
        match entry {
            Entry::Thread(thread) => self.threads[thread].rank.expect("it is queued"),
            Entry::Teardown(_, urgency) | Entry::Dead(_, urgency) => urgency,
        }
    }

    // --- the queue ---

    pub(super) fn is_queued(&self, thread: usize) -> bool {
        self.queue.contains(&Entry::Thread(thread))
    }

    /// Queues a thread that has a rank.
    pub(super) fn insert(&mut self, thread: usize, end: End) {
        if let Some(urgency) = self.threads[thread].rank {
            self.insert_entry(Entry::Thread(thread), urgency, end);
        }
    }

    pub(super) fn insert_entry(&mut self, entry: Entry, urgency: Urgency, end: End) {
        let precedes = |other: &Entry| {
            let other = self.urgency_of(*other);
            match end {
                End::Head => other.is_more_urgent_than(urgency),
                End::Tail => !urgency.is_more_urgent_than(other),
            }
        };
        let at = self.queue.iter().take_while(|e| precedes(e)).count();
        self.queue.insert(at, entry);
    }

    pub(super) fn remove(&mut self, thread: usize) {
        self.queue.retain(|entry| *entry != Entry::Thread(thread));
    }

    // --- who runs ---

    /// Decides who runs. A thread that published a ceiling is moved before it is left.
    pub(super) fn dispatch(&mut self) {
        let mut next = self.resolve();
        if next != self.runs && self.heed_left() {
            self.look_if_first_waits();
            next = self.resolve();
        }
        self.runs = next;
    }

    /// A thread was moved to the ceiling that it published. If the first in the queue waits
    /// for an owner now, the hart looks at its timer and lines before it is asked who runs.
    fn look_if_first_waits(&mut self) {
        let Some(Entry::Thread(first)) = self.queue.first() else {
            return;
        };
        let state = &self.threads[*first].state;
        if matches!(state, State::Wants { .. } | State::Calls { .. }) {
            let _ = self.interrupt();
        }
    }

    /// The thread that runs is about to be left: if it published a ceiling it is moved to
    /// that. Whether it was.
    fn heed_left(&mut self) -> bool {
        let Some(left) = self.runs.take() else {
            return false;
        };
        if !self.is_alive(left) || !self.is_in_queue_by_state(left) {
            return false;
        }
        let most = self.system.processes[self.threads[left].process].max_priority;
        let published = self.threads[left].published.min(most);
        if published == 0 {
            return false;
        }
        self.threads[left].put_off = true;
        let before = self.threads[left].rank;
        self.with_place(left, End::Head, |model| {
            model.threads[left].deferred = Some(published);
        });
        before != self.threads[left].rank
    }

    /// Finds who runs: the end of the chain of the first in the queue. What has to change
    /// first does, four things at most before the hart looks at its timer and lines.
    fn resolve(&mut self) -> Option<usize> {
        let mut changes = PIECE;
        loop {
            let first = *self.queue.first()?;
            let first = match first {
                Entry::Thread(thread) => thread,
                // (between pieces the hart looks too)
                _ if self.heed_left() || self.interrupt() => continue,
                Entry::Teardown(process, _) => {
                    if !self.tear_down(process) {
                        self.queue.retain(|entry| *entry != first);
                        self.succeed(process);
                    }
                    continue;
                }
                Entry::Dead(thread, _) => {
                    self.queue.remove(0);
                    self.end_dead(thread);
                    continue;
                }
            };
            let at = self.last_that_can_wait(first);
            let owner = self.waits_for(at);
            if let Some(owner) = owner
                && !self.lives(owner)
            {
                // (of a mutex it owns none any more)
                if !self.heed_left() && !self.interrupt() {
                    self.tear_down(self.threads[owner].process);
                    changes = PIECE;
                }
                continue;
            }
            let change = match (&self.threads[at].state, owner) {
                (State::Ready, _) => return Some(at),
                (State::Wants { mutex, .. }, None) => Change::Settle(*mutex),
                (State::Calls { mailbox, .. }, None) => Change::Hang(Parking::Mailbox(*mailbox)),
                (_, Some(owner)) => Change::Hang(Parking::Thread(owner)),
                (state, None) => unreachable!("{at} is in a queue, {state:?}"),
            };
            if changes == 0 {
                // (for that it leaves who ran)
                match self.heed_left() {
                    true => self.look_if_first_waits(),
                    false => _ = self.interrupt(),
                }
                changes = PIECE;
                continue;
            }
            changes -= 1;
            match change {
                Change::Settle(mutex) => self.settle(mutex),
                Change::Hang(on) => self.hang(at, on),
            }
        }
    }

    /// Follows the chain of a thread as far as it can run or waits in the queue.
    fn last_that_can_wait(&self, first: usize) -> usize {
        let (mut at, mut length) = (first, 0);
        while let Some(next) = self.waits_for(at)
            && self.is_in_queue_by_state(next)
            && self.lives(next)
        {
            (at, length) = (next, length + 1);
            assert!(length <= self.threads.len(), "a circle through {at}");
        }
        at
    }

    /// Whether a thread that would wait for `owner` closes a circle, or makes a chain that
    /// is too long.
    pub(super) fn is_refused(&self, thread: usize, owner: Option<usize>) -> bool {
        let (mut at, mut length) = (owner, 0);
        while let Some(next) = at {
            length += 1;
            if next == thread || length > self.system.depth {
                return true;
            }
            at = self.waits_for(next);
        }
        false
    }

    /// Whether the process of a thread lives.
    pub(super) fn lives(&self, thread: usize) -> bool {
        self.processes[self.threads[thread].process].life == Life::Alive
    }
}
