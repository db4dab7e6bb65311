//! Wait lists, wakings and timeouts.

use super::queue::End;
use super::{Model, Reason, Resumption, State};
use crate::request::{NEVER, Reply};
use crate::system::Scheduling;
use giornata_abi::Error;
use giornata_abi::id::Id;

impl Model {
    /// Who waits in the list of an object: the most urgent first, among equals who asked
    /// first.
    pub fn waiters(&self, object: usize) -> Vec<usize> {
        let waits = |thread: &usize| match self.threads[*thread].state {
            State::Blocked(Reason::Semaphore(o) | Reason::Condition(o, _)) => o == object,
            State::Blocked(Reason::Message(o, _)) => o == object,
            _ => false,
        };
        self.by_rank((0..self.threads.len()).filter(waits).collect())
    }

    /// Sorts threads by their rank, then by when they asked.
    pub(super) fn by_rank(&self, mut threads: Vec<usize>) -> Vec<usize> {
        threads.sort_by_key(|thread| {
            let record = &self.threads[*thread];
            let rank = record
                .rank
                .map(|rank| (rank.priority, std::cmp::Reverse(rank.deadline)));
            (std::cmp::Reverse(rank), record.asked)
        });
        threads
    }

    /// Who wants a mutex, in the same order.
    pub fn wanting(&self, object: usize) -> Vec<usize> {
        let wants = |thread: &usize| match self.threads[*thread].state {
            State::Wants { mutex, .. } => mutex == object,
            _ => false,
        };
        self.by_urgency((0..self.threads.len()).filter(wants).collect())
    }

    fn by_urgency(&self, mut threads: Vec<usize>) -> Vec<usize> {
        threads.sort_by_key(|thread| {
            let urgency = self.effective(*thread);
            let priority = std::cmp::Reverse(urgency.priority);
            (priority, urgency.deadline, self.threads[*thread].asked)
        });
        threads
    }

    /// A thread leaves the queue and waits.
    pub(super) fn block(&mut self, thread: usize, reason: Reason, until: u64) {
        self.remove(thread);
        let asked = self.next_serial();
        let record = &mut self.threads[thread];
        record.state = State::Blocked(reason);
        record.asked = asked;
        // (whoever waits has no ceiling that it published; the page of one that took its
        // ceiling back without giving its turn away says nothing of that)
        if record.published != 0 || record.announced.is_some() {
            record.deferred = None;
        }
        self.settle_place(thread, End::Tail);
        self.arm(thread, until);
    }

    pub(super) fn arm(&mut self, thread: usize, until: u64) {
        let armed = self.next_serial();
        self.threads[thread].alarm = (until != NEVER).then_some((until, armed));
    }

    /// A blocked thread goes on; what its call returns. If it has announced a mutex that
    /// another owns, or waited for a condition, it waits for the mutex first.
    pub(super) fn wake(&mut self, thread: usize, reply: Reply) {
        let record = &mut self.threads[thread];
        (record.alarm, record.deferred) = (None, None);
        let state = std::mem::replace(&mut record.state, State::Ready);
        let announced = record.announced;
        match state {
            State::Blocked(Reason::Condition(_, mutex)) => self.go_for(thread, mutex, reply),
            _ => {
                record.resumption = Resumption::Returns(reply);
                if let Some(mutex) = announced {
                    self.go_for_announced(thread, mutex);
                }
            }
        }
        self.come_back(thread);
    }

    /// A thread that waited for a condition wants its mutex.
    fn go_for(&mut self, thread: usize, mutex: Id, reply: Reply) {
        let slot = mutex.slot as usize;
        let taken = match self.object_id(slot) == mutex && self.objects[slot].exists {
            true => self.take_over(thread, slot),
            false => Err(Error::EIDRM),
        };
        let owner = self.objects[slot].owner;
        let refused = match taken {
            Err(error) => Some(error),
            Ok(()) if self.is_refused(thread, owner) => Some(Error::EDEADLK),
            Ok(()) => None,
        };
        match refused {
            Some(error) => {
                self.threads[thread].resumption = Resumption::Returns(error.into());
            }
            None => {
                self.want(thread, slot, reply, false);
                self.publish(slot);
            }
        }
    }

    /// A thread wants the mutex that it announced, if that is not free, and it does no
    /// harm.
    fn go_for_announced(&mut self, thread: usize, mutex: Id) {
        let slot = mutex.slot as usize;
        let is_fit = self.is_announcement_fit(thread, mutex);
        if !is_fit || self.objects[slot].owner.is_none() {
            return;
        }
        let owner = self.objects[slot].owner;
        if !self.is_refused(thread, owner) {
            self.want(thread, slot, Reply::DONE, true);
        }
    }

    /// A thread waits for a mutex, in the queue.
    pub(super) fn want(&mut self, thread: usize, mutex: usize, reply: Reply, announced: bool) {
        let asked = self.next_serial();
        let record = &mut self.threads[thread];
        record.asked = asked;
        record.state = State::Wants {
            mutex,
            reply,
            announced,
        };
    }

    /// The instant has come until which a thread waits.
    pub(super) fn expire(&mut self, thread: usize, at: u64) {
        self.threads[thread].alarm = None;
        match self.threads[thread].state.clone() {
            State::Blocked(Reason::Sleep) => {
                let record = &mut self.threads[thread];
                if let Scheduling::Deadline(relative) = record.scheduling {
                    record.deadline = at + relative;
                }
                self.wake(thread, Reply::DONE);
            }
            State::Blocked(_) => self.wake(thread, Error::ETIMEDOUT.into()),
            State::Wants { mutex, .. } => {
                self.bring_up(thread);
                // a mutex that is free and not yet taken is given
                match self.objects[mutex].exists {
                    true => self.settle(mutex),
                    false => self.give_up(thread, Error::EIDRM.into()),
                }
                if matches!(self.threads[thread].state, State::Wants { .. }) {
                    self.give_up(thread, Error::ETIMEDOUT.into());
                }
                self.publish(mutex);
            }
            State::Dormant => self.expire_dead(thread),
            state => unreachable!("{state:?} has no timeout"),
        }
    }

    /// A thread no longer waits for an owner; it keeps its place in the queue, or comes
    /// back to it with whoever hangs on it.
    pub(super) fn give_up(&mut self, thread: usize, reply: Reply) {
        let record = &mut self.threads[thread];
        let was = std::mem::replace(&mut record.state, State::Ready);
        record.alarm = None;
        match was {
            // its own call will tell it
            State::Wants {
                announced: true, ..
            } => {}
            _ => record.resumption = Resumption::Returns(reply),
        }
        self.bring_up(thread);
    }
}
