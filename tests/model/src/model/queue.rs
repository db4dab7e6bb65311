//! The ready queue, and who runs: the end of the chain of the first in it.
//!
//! ```text
//!  queue:  high ---- middle ---- low
//!           |  wants   |  wants   |
//!           +--------> +--------> + (runs, on the place of high)
//! ```
//! If the end of the chain cannot run, everybody in the chain leaves the queue and
//! hangs on the one that it waits for itself, until that link ends.

use super::{Life, Model, Parking, State};
use crate::system::{Kind, Scheduling};

/// How urgent something is. It has no `Ord`: see
/// [`is_more_urgent_than`](Urgency::is_more_urgent_than).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Urgency {
    /// The fixed priority, or that of the deadline band.
    pub priority: u8,
    /// The absolute deadline in the deadline band; else 0.
    pub deadline: u64,
}

impl Urgency {
    /// A fixed priority.
    pub fn fixed(priority: u8) -> Urgency {
        Urgency {
            priority,
            deadline: 0,
        }
    }

    /// *The* order: the higher priority, then the earlier deadline.
    pub fn is_more_urgent_than(self, other: Urgency) -> bool {
        let key = |one: Urgency| (one.priority, std::cmp::Reverse(one.deadline));
        key(self) > key(other)
    }

    /// The more urgent of both; this one if they are equal.
    pub fn or_more_urgent(self, other: Option<Urgency>) -> Urgency {
        match other {
            Some(other) if other.is_more_urgent_than(self) => other,
            _ => self,
        }
    }
}

/// What stands in the ready queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entry {
    /// A thread that can run, or whose chain can.
    Thread(usize),
    /// The kernel's thread that tears a process down, or restores it.
    Teardown(usize, Urgency),
}

/// The end of its equals at which an entry comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    Head,
    Tail,
}

impl Model {
    // --- urgency ---

    /// What a thread is by itself.
    pub(super) fn own(&self, thread: usize) -> Urgency {
        let record = &self.threads[thread];
        match (record.scheduling, self.system.threads[thread].budget) {
            (_, Some(spec)) if record.budget == 0 => Urgency::fixed(spec.background),
            (Scheduling::Deadline(_), _) => Urgency {
                priority: self.system.band,
                deadline: record.deadline,
            },
            _ => Urgency::fixed(record.priority),
        }
    }

    /// The ceilings in force for a thread: of the mutexes that it owns, and one that it
    /// published and was moved for.
    fn ceiling(&self, thread: usize) -> Option<Urgency> {
        let owned = self.objects.iter().filter(|o| o.owner == Some(thread));
        let ceilings = owned.filter_map(|object| match object.kind {
            Kind::Mutex { ceiling, .. } => ceiling,
            _ => None,
        });
        let ceilings = ceilings.chain(self.threads[thread].deferred);
        ceilings.max().map(Urgency::fixed)
    }

    /// Where a thread is queued. None: it serves a call, and runs on the places of its
    /// clients alone.
    pub fn place(&self, thread: usize) -> Option<Urgency> {
        let base = match self.urgency_of_messages(thread) {
            Some(urgency) => Some(urgency),
            None if self.serves_a_client(thread) => None,
            None => Some(self.own(thread)),
        };
        match (base, self.ceiling(thread)) {
            (Some(base), ceiling) => Some(base.or_more_urgent(ceiling)),
            (None, ceiling) => ceiling,
        }
    }

    /// The most urgent of a thread's place and of everybody that waits for it, directly or
    /// not.
    pub fn effective(&self, thread: usize) -> Urgency {
        let place = self.place(thread);
        let waiters = (0..self.threads.len()).filter(|w| self.waits_for(*w) == Some(thread));
        let most = waiters.fold(place, |most: Option<Urgency>, waiter| {
            let theirs = self.effective(waiter);
            Some(most.map_or(theirs, |most| most.or_more_urgent(Some(theirs))))
        });
        most.unwrap_or(self.own(thread))
    }

    /// How urgent a thread is in a list: the most urgent of its place and of everybody that
    /// hangs on it. (Whoever waits for it and has not had its turn does not count yet.)
    pub fn standing(&self, thread: usize) -> Urgency {
        let hangs = |w: &usize| self.threads[*w].parked == Some(Parking::Thread(thread));
        let place = self.place(thread);
        let waiters = (0..self.threads.len()).filter(hangs);
        let most = waiters.fold(place, |most: Option<Urgency>, waiter| {
            let theirs = self.standing(waiter);
            Some(most.map_or(theirs, |most| most.or_more_urgent(Some(theirs))))
        });
        most.unwrap_or(self.own(thread))
    }

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
            Entry::Thread(thread) => self.place(thread).expect("it is queued"),
            Entry::Teardown(_, urgency) => urgency,
        }
    }

    // --- the queue ---

    pub(super) fn is_queued(&self, thread: usize) -> bool {
        self.queue.contains(&Entry::Thread(thread))
    }

    /// Queues a thread that has a place.
    pub(super) fn insert(&mut self, thread: usize, end: End) {
        if let Some(urgency) = self.place(thread) {
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

    /// Does something by which a thread's place may change. If it is queued it comes to
    /// its new place: to the head if that is less urgent than before, to the end `raised`
    /// if it is more urgent, or had none.
    pub(super) fn with_place<T>(
        &mut self,
        thread: usize,
        raised: End,
        change: impl FnOnce(&mut Model) -> T,
    ) -> T {
        let before = self.place(thread);
        let result = change(self);
        let after = self.place(thread);
        if before == after || !self.is_in_queue_by_state(thread) {
            return result;
        }
        // where the others stand does not depend on it: only its entry moves
        self.remove(thread);
        let end = match (before, after) {
            (Some(before), Some(after)) if before.is_more_urgent_than(after) => End::Head,
            _ => raised,
        };
        self.insert(thread, end);
        result
    }

    /// Whether a thread would be in the queue, had it a place.
    pub(super) fn is_in_queue_by_state(&self, thread: usize) -> bool {
        let record = &self.threads[thread];
        let waits_in_queue = matches!(
            record.state,
            State::Ready | State::Wants { .. } | State::Calls { .. }
        );
        waits_in_queue && record.parked.is_none()
    }

    // --- who runs ---

    /// Decides who runs. A thread that published a ceiling is moved before it is left.
    pub(super) fn dispatch(&mut self) {
        let before = self.runs;
        let mut next = self.resolve();
        if let Some(left) = before
            && next != before
            && self.threads[left].state == State::Ready
            && self.is_alive(left)
            && self.defer(left)
        {
            next = self.resolve();
        }
        self.runs = next;
    }

    /// A thread that is about to be left moves to the ceiling that it published; whether
    /// it did.
    fn defer(&mut self, thread: usize) -> bool {
        let most = self.system.processes[self.threads[thread].process].max_priority;
        let published = self.threads[thread].published.min(most);
        if published == 0 {
            return false;
        }
        self.threads[thread].put_off = true;
        let before = self.place(thread);
        self.with_place(thread, End::Head, |model| {
            model.threads[thread].deferred = Some(published);
        });
        before != self.place(thread)
    }

    /// Decides who would run, and does the kernel's own work that comes before.
    fn resolve(&mut self) -> Option<usize> {
        loop {
            match *self.queue.first()? {
                // (between pieces the hart looks at its timer)
                Entry::Teardown(..) if self.is_due() => self.ring(),
                Entry::Teardown(process, _) => {
                    self.queue.remove(0);
                    self.tear_down(process);
                }
                Entry::Thread(first) => {
                    if let Some(end) = self.end_of_chain(first) {
                        return Some(end);
                    }
                }
            }
        }
    }

    /// The hart has left for somebody, and takes an interrupt before that one has done
    /// anything: mutexes are taken and threads parked all the same.
    pub(super) fn look(&mut self) {
        while let Some(Entry::Thread(first)) = self.queue.first().copied()
            && self.end_of_chain(first).is_none()
        {}
    }

    /// Follows the chain of a thread to its end. None: that cannot run, and all are parked.
    fn end_of_chain(&mut self, first: usize) -> Option<usize> {
        let mut chain = vec![first];
        let end = loop {
            let at = *chain.last().expect("not empty");
            if let State::Wants { mutex, .. } = self.threads[at].state {
                self.settle(mutex);
            }
            assert!(chain.len() <= self.threads.len(), "a circle: {chain:?}");
            match self.waits_for(at) {
                Some(next) => chain.push(next),
                None => break at,
            }
        };
        match self.threads[end].state {
            State::Ready => return Some(end),
            State::Calls { mailbox, .. } => self.park(&chain, Some(mailbox)),
            _ => self.park(&chain, None),
        }
        None
    }

    /// Nobody in the chain can run: each hangs on the one that it waits for itself, the
    /// last one on a mailbox that nobody serves, or it is the one that is blocked.
    fn park(&mut self, chain: &[usize], mailbox: Option<usize>) {
        for pair in chain.windows(2) {
            self.remove(pair[0]);
            self.threads[pair[0]].parked = Some(Parking::Thread(pair[1]));
        }
        if let (Some(mailbox), Some(last)) = (mailbox, chain.last()) {
            self.remove(*last);
            self.threads[*last].parked = Some(Parking::Mailbox(mailbox));
        }
    }

    /// A thread hangs nowhere any more, nor does whoever hangs on it: they come back
    /// behind their equals, each after the one that it hung on, the most urgent first.
    pub(super) fn unpark(&mut self, thread: usize) {
        if self.threads[thread].parked.take().is_some() {
            self.insert(thread, End::Tail);
        }
        self.unpark_waiters(thread);
    }

    /// Whoever hangs on a thread comes back.
    pub(super) fn unpark_waiters(&mut self, thread: usize) {
        for waiter in self.hanging(Parking::Thread(thread)) {
            self.unpark(waiter);
        }
    }

    /// Who hangs somewhere, the most urgent first, among equals who asked first.
    pub(super) fn hanging(&self, parking: Parking) -> Vec<usize> {
        let all = 0..self.threads.len();
        let hangs = |thread: &usize| self.threads[*thread].parked == Some(parking);
        self.by_urgency(all.filter(hangs).collect(), Model::standing)
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
