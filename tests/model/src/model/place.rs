//! The place of a thread: how urgent it is, and why.

use super::queue::End;
use super::{Model, Parking, State};
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

impl Model {
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

    /// Where a thread is queued, or stands in a list: at the most urgent of its base and of
    /// those that hang on it. None: it serves a call, and runs on the places of its
    /// clients alone.
    pub fn place(&self, thread: usize) -> Option<Urgency> {
        let hanging = self.hanging(Parking::Thread(thread)).into_iter();
        let places = hanging.filter_map(|waiter| self.place(waiter));
        let places = self.base(thread).into_iter().chain(places);
        places.reduce(|most, place| most.or_more_urgent(Some(place)))
    }

    /// The place of a thread without those that hang on it.
    pub(super) fn base(&self, thread: usize) -> Option<Urgency> {
        let base = match self.urgency_of_messages(thread) {
            Some(urgency) => Some(urgency),
            None if !self.clients_of(thread).is_empty() => None,
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

    /// What makes the place of a thread has changed: it comes to its new one, and so does
    /// whoever it hangs on. One that falls comes to the head of its new equals, one that
    /// rises, or had no place, to the end `raised`.
    pub(super) fn settle_place(&mut self, thread: usize, raised: End) {
        let (before, after) = (self.threads[thread].rank, self.place(thread));
        if before == after {
            return;
        }
        self.threads[thread].rank = after;
        if self.is_in_queue_by_state(thread) {
            self.remove(thread);
            let end = match (before, after) {
                (Some(before), Some(after)) if before.is_more_urgent_than(after) => End::Head,
                _ => raised,
            };
            self.insert(thread, end);
        }
        if let Some(Parking::Thread(holder)) = self.threads[thread].parked {
            self.settle_place(holder, raised);
        }
    }

    /// Does something by which a thread's place may change, see
    /// [`settle_place`](Model::settle_place).
    pub(super) fn with_place<T>(
        &mut self,
        thread: usize,
        raised: End,
        change: impl FnOnce(&mut Model) -> T,
    ) -> T {
        let result = change(self);
        self.settle_place(thread, raised);
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
}
