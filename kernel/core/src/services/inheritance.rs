//! Inherited urgency: a thread runs as urgently as the most urgent that waits
//! for something it has, and as the ceilings of what it has. Always computed
//! from what is, never remembered, so that any order of taking and giving back
//! leaves what is right.

use crate::core_state::Core;
use crate::dispatch::{End, is_by_deadline};
use crate::hardware::Hardware;
use crate::thread::State;
use giornata_abi::id::NONE;
use giornata_abi::system::ObjectKind;
use giornata_queue::Urgency;

/// What a thread is lent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Loans {
    /// The most urgent message that it has as a server, in its mailboxes or in
    /// hand: as long as there is one, that is what it has of its own.
    pub(crate) messages: Option<Urgency>,
    /// The most urgent of those that wait for its mutexes, and of the ceilings.
    pub(crate) locks: Option<Urgency>,
}

impl Loans {
    /// The urgency of a thread with this one of its own, and whether it is lent.
    pub(crate) fn on(self, own: Urgency) -> (Urgency, bool) {
        let base = self.messages.unwrap_or(own);
        match self.locks {
            Some(locks) if locks.is_more_urgent_than(base) => (locks, true),
            _ => (base, self.messages.is_some()),
        }
    }

    /// Whether there are none.
    fn are_none(self) -> bool {
        self.messages.is_none() && self.locks.is_none()
    }
}

/// The more urgent of two.
pub(crate) fn more_urgent(one: Option<Urgency>, other: Option<Urgency>) -> Option<Urgency> {
    match (one, other) {
        (Some(a), Some(b)) if b.is_more_urgent_than(a) => Some(b),
        (None, other) => other,
        (one, _) => one,
    }
}

impl<H: Hardware> Core<'_, H> {
    /// What a thread is lent. O(what it has).
    pub(crate) fn loans(&self, thread: u16) -> Loans {
        let services = &self.services;
        let tie = services.ties.at(thread);
        let in_hand = tie.in_hand.map(|cover| cover.urgency);
        let (mut messages, mut locks) = (in_hand, None);
        let mut at = tie.held;
        while let Some(object) = services.objects.get(at) {
            if self.is_a(at, ObjectKind::Mailbox) {
                messages = more_urgent(messages, object.lends);
            } else {
                let waiter = services.waits.urgency_of(object.waiter);
                locks = more_urgent(locks, more_urgent(object.lends, waiter));
            }
            at = object.next_held;
        }
        Loans { messages, locks }
    }

    /// What a thread is to be queued with whose own urgency this is.
    #[inline]
    pub(crate) fn inherit(&mut self, thread: u16, own: Urgency) -> Urgency {
        if self.is_lent_nothing(thread) {
            return own;
        }
        let (urgency, is_lent) = self.loans(thread).on(own);
        self.services.ties.at_mut(thread).lent = is_lent;
        urgency
    }

    /// Whether a thread is seen at a glance to be lent nothing, and was not lent
    /// anything when it was queued: it has nothing, or one thing that nobody
    /// waits for. O(1).
    #[inline(always)]
    fn is_lent_nothing(&self, thread: u16) -> bool {
        let services = &self.services;
        let tie = services.ties.at(thread);
        if tie.lent {
            return false;
        }
        let Some(object) = services.objects.get(tie.held) else {
            return true;
        };
        let is_wanted = object.waiter & object.next_held & object.letter != NONE;
        !is_wanted && object.lends.is_none() && tie.in_hand.is_none()
    }

    /// The urgency of a thread that is lent nothing and arrives now.
    pub(crate) fn own_urgency(&mut self, thread: u16, end: End) -> Urgency {
        self.urgency(thread, end).0
    }

    /// A thread is queued at the level of a ceiling that it has published.
    pub(crate) fn forget_loans(&mut self, thread: u16) {
        self.services.ties.at_mut(thread).lent = false;
    }

    /// The urgency of a thread that arrives at this end of its band, and whether
    /// its key has to be renewed because its deadline is too far.
    pub(crate) fn arriving_urgency(&mut self, thread: u16, end: End) -> (Urgency, bool) {
        let (own, parked) = self.urgency(thread, end);
        (self.inherit(thread, own), parked)
    }

    /// The level of a thread that is lent nothing.
    pub(crate) fn own_level(&self, thread: u16) -> u16 {
        match is_by_deadline(self.thread_entry(thread)) {
            true => self.deadline_level(),
            false => Urgency::level_of(self.threads.at(thread).priority),
        }
    }

    /// Whether what a thread is lent says more than what it has of its own, seen
    /// without computing that: at one level, of two deadlines the nearer counts.
    fn hides_own(&self, locks: Urgency, thread: u16) -> bool {
        match is_by_deadline(self.thread_entry(thread)) {
            true => locks.level > self.deadline_level(),
            false => locks.level >= Urgency::level_of(self.threads.at(thread).priority),
        }
    }

    /// A thread of this urgency waits for a mutex from now on: who has it runs at
    /// least as urgently. O(1) where that one is ready, else as
    /// [`renew`](Self::renew).
    pub(crate) fn raise_owner(&mut self, mutex: u16, urgency: Urgency) {
        let owner = self.services.objects.at(mutex).owner;
        if self.dying != 0 || self.threads.at(owner).state != State::Ready {
            return self.renew(owner);
        }
        // what comes to what a thread is lent does not make it less urgent
        let is_raised = self
            .ready
            .urgency_of(owner)
            .is_some_and(|present| urgency.is_more_urgent_than(present));
        if is_raised {
            self.services.ties.at_mut(owner).lent = true;
            self.threads.at_mut(owner).lifted = true;
            self.ready.insert(owner, urgency);
        }
    }

    /// A thread that runs has given something back. O(1) where it has nothing
    /// left, else as [`renew`](Self::renew).
    pub(crate) fn lower(&mut self, thread: u16) {
        let tie = self.services.ties.at(thread);
        if tie.held != NONE || tie.in_hand.is_some() || self.dying != 0 {
            return self.renew(thread);
        }
        if !tie.lent {
            return;
        }
        let record = self.threads.at(thread);
        let is_plain = record.state == State::Ready && !record.parked;
        if !is_plain || self.has_ceiling(thread) {
            return self.renew(thread);
        }
        let (own, parked) = self.urgency(thread, End::Head);
        if parked {
            return self.renew(thread);
        }
        self.services.ties.at_mut(thread).lent = false;
        self.threads.at_mut(thread).lifted = false;
        self.ready.insert(thread, own);
    }

    /// Renews the urgency of who has an object.
    pub(crate) fn renew_owner(&mut self, object: u16) {
        let owner = self.services.objects.at(object).owner;
        if owner != NONE {
            self.renew(owner);
        }
    }

    /// What a thread is lent may have changed: it is queued anew where it is
    /// ready or waits, and so is who has what it waits for, and so on.
    /// O(what each has) along the chain.
    #[inline(never)]
    pub(crate) fn renew(&mut self, thread: u16) {
        let (mut thread, mut later) = (thread, NONE);
        // a chain forks where two servers have what a thread waits for
        for _ in 0..self.threads.len().saturating_mul(2) {
            let [first, second] = self.renew_one(thread);
            if second != NONE {
                let next = &mut self.services.ties.at_mut(second).renewed_later;
                *next = core::mem::replace(&mut later, second);
            }
            if first != NONE {
                thread = first;
            } else if later != NONE {
                thread = later;
                later = self.services.ties.at(thread).renewed_later;
            } else {
                return;
            }
        }
    }

    /// Renews one thread; answers whom else that concerns.
    fn renew_one(&mut self, thread: u16) -> [u16; 2] {
        self.hasten_end_of(thread);
        match self.threads.at(thread).state {
            State::Ready => self.renew_ready(thread),
            State::Waiting => {
                if let Some(urgency) = self.renew_waiting(thread) {
                    return self.those_behind(thread, urgency);
                }
            }
            _ => self.note_lender(thread),
        }
        [NONE; 2]
    }

    /// Whom a thread waits for whose urgency is this one now.
    fn those_behind(&mut self, thread: u16, urgency: Urgency) -> [u16; 2] {
        let waits_for = self.services.ties.at(thread).waits_for;
        if self.is_a(waits_for, ObjectKind::Mutex) {
            return [self.services.objects.at(waits_for).owner, NONE];
        }
        if !self.is_a(waits_for, ObjectKind::Mailbox) {
            return [NONE; 2];
        }
        match self.hasten_letters(thread, urgency) {
            [NONE, second] => [second, NONE],
            both => both,
        }
    }

    /// What a thread that is queued with `present` is to be queued with, if that
    /// is something else; and whether it is lent.
    fn renewed(&mut self, thread: u16, present: Urgency) -> Option<(Urgency, bool)> {
        if self.is_lent_nothing(thread) {
            return None;
        }
        let was_lent = self.services.ties.at(thread).lent;
        let loans = self.loans(thread);
        if !was_lent && loans.are_none() {
            return None;
        }
        // what rises, or stays, says nothing of its own
        if let (true, None, Some(locks)) = (was_lent, loans.messages, loans.locks)
            // messages may have hidden it
            && self.hides_own(locks, thread)
        {
            if locks == present {
                return None;
            }
            if locks.is_more_urgent_than(present) {
                return Some((locks, true));
            }
        }
        // its own is seen of one that is lent nothing
        let own = match was_lent && loans.messages.is_none() {
            true => self.own_urgency(thread, End::Head),
            false => present,
        };
        let (urgency, is_lent) = loans.on(own);
        (urgency != present || is_lent != was_lent).then_some((urgency, is_lent))
    }

    /// A thread that is lent something does not run: how urgent it will be is not
    /// to be seen of itself.
    #[inline(always)]
    pub(crate) fn note_lender(&mut self, thread: u16) {
        if self.services.ties.at(thread).held != NONE {
            self.services.has_lent |= !self.loans(thread).are_none();
        }
    }

    /// Whether a thread has anything that others may wait for.
    #[inline(always)]
    pub(crate) fn has_something(&self, thread: u16) -> bool {
        self.services.ties.at(thread).held != NONE
    }

    /// Whether a thread may wake more urgent than it is of itself.
    pub(crate) fn may_lend(&self) -> bool {
        self.services.has_lent
    }

    fn renew_ready(&mut self, thread: u16) {
        let Some(present) = self.ready.urgency_of(thread) else {
            return;
        };
        let Some((urgency, is_lent)) = self.renewed(thread, present) else {
            return;
        };
        // a thread that falls may have a ceiling of its own
        if !is_lent || present.is_more_urgent_than(urgency) {
            return self.requeue(thread, End::Head);
        }
        self.services.ties.at_mut(thread).lent = true;
        self.threads.at_mut(thread).lifted = true;
        self.ready.insert(thread, urgency);
    }

    /// Answers its urgency, if that changed.
    fn renew_waiting(&mut self, thread: u16) -> Option<Urgency> {
        let present = self.services.waits.urgency_of(thread)?;
        let (urgency, is_lent) = self.renewed(thread, present)?;
        self.services.ties.at_mut(thread).lent = is_lent;
        self.services.has_lent = true;
        if urgency == present {
            // it has the same for another reason
            return None;
        }
        self.move_waiter(thread, urgency);
        Some(urgency)
    }

    /// A waiter stands elsewhere in its ring.
    pub(crate) fn move_waiter(&mut self, thread: u16, urgency: Urgency) {
        let services = &mut self.services;
        let waits_for = services.ties.at(thread).waits_for;
        let first = &mut services.objects.at_mut(waits_for).waiter;
        let rest = services.waits.remove(*first, thread);
        *first = services.waits.insert(rest, thread, urgency);
    }

    /// A waiter's own priority has changed, which may not show.
    pub(crate) fn reposition(&mut self, thread: u16, end: End) {
        let (urgency, _) = self.arriving_urgency(thread, end);
        if self.services.waits.urgency_of(thread) == Some(urgency) {
            return;
        }
        self.move_waiter(thread, urgency);
        self.lend(thread, urgency);
    }

    /// A thread waits with this urgency from now on: so urgent is who has what it
    /// waits for. O(messages of two mailboxes), and as [`renew`](Self::renew).
    pub(crate) fn lend(&mut self, thread: u16, urgency: Urgency) {
        for behind in self.those_behind(thread, urgency) {
            if behind != NONE {
                self.renew(behind);
            }
        }
    }

    /// Whether `owner` waits, through others, for what `thread` has. A thread
    /// that waits for a condition will need its mutex.
    pub(crate) fn is_waited_for(&self, thread: u16, owner: u16) -> bool {
        let services = &self.services;
        let mut owner = owner;
        for _ in 0..self.threads.len() {
            if owner == thread {
                return true;
            }
            let Some(tie) = services.ties.get(owner) else {
                return false;
            };
            let waits_for = match tie.waits_for {
                NONE => return false,
                object if self.is_a(object, ObjectKind::Condition) => {
                    let mutex = services.objects.at(tie.mutex);
                    if mutex.generation != tie.mutex_generation {
                        return false;
                    }
                    tie.mutex
                }
                object if self.is_a(object, ObjectKind::Mutex) => object,
                _ => return false,
            };
            owner = services.objects.at(waits_for).owner;
        }
        false
    }

    /// A process that dies gives back what its threads have as urgently as those
    /// that wait for it.
    fn hasten_teardown(&mut self, thread: u16, process: u16) {
        let Some(lent) = self.loans(thread).locks else {
            return;
        };
        let urgency = &mut self.processes.at_mut(process).urgency;
        if lent.is_more_urgent_than(*urgency) {
            *urgency = lent;
        }
    }

    /// A process begins to die, as urgently as its fault.
    pub(crate) fn begin_teardown(&mut self, process: u16) {
        let urgency = self.processes.at(process).urgency;
        self.services.pools.at_mut(process).teardown = urgency;
        self.hasten_teardown_of(process);
    }

    /// What a thread has, or is lent, is another now: if its process dies, that
    /// goes as fast as it has to.
    pub(crate) fn hasten_end_of(&mut self, thread: u16) {
        let process = self.thread_entry(thread).process;
        if self.dying != 0 && !self.processes.at(process).is_alive() {
            self.hasten_teardown_of(process);
        }
    }

    /// What the threads of a process that dies have may be waited for; what they
    /// had counts no more.
    fn hasten_teardown_of(&mut self, process: u16) {
        let urgency = self.services.pools.at(process).teardown;
        self.processes.at_mut(process).urgency = urgency;
        let threads = self.process_entry(process).threads;
        for thread in threads.start..threads.start.saturating_add(threads.count) {
            self.hasten_teardown(thread, process);
        }
    }
}
