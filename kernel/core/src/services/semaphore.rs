//! Semaphores: for mutual exclusion, and counting.

use crate::core_state::Core;
use crate::dispatch::End;
use crate::hardware::Hardware;
use crate::services::Reply;
use giornata_abi::id::NONE;
use giornata_abi::system::{OBJECT_CEILING, ObjectKind};
use giornata_abi::{Error, Instant};
use giornata_queue::Urgency;

impl<H: Hardware> Core<'_, H> {
    pub(crate) fn lock(&mut self, thread: u16, index: u16, until: Instant) -> Result<Reply, Error> {
        let is_mutex = self.is_a(index, ObjectKind::Mutex);
        if !is_mutex && !self.is_a(index, ObjectKind::Semaphore) {
            return Err(Error::EINVAL);
        }
        if is_mutex && self.is_above_ceiling(thread, index) {
            return Err(Error::EINVAL);
        }
        let object = self.services.objects.at_mut(index);
        if is_mutex && object.owner == NONE {
            return self.take(thread, index, End::Head);
        }
        if !is_mutex && object.count > 0 {
            object.count -= 1;
            return Ok(Reply::Done);
        }
        let owner = object.owner;
        if owner == thread {
            return Err(Error::EDEADLK);
        }
        self.refuse_to_wait(until, Error::EBUSY)?;
        let is_waiting = || self.services.ties.at(owner).waits_for != NONE;
        if is_mutex && is_waiting() && self.is_waited_for(thread, owner) {
            return Err(Error::EDEADLK);
        }
        self.services.ties.at_mut(thread).verdict = None;
        let urgency = self.await_object(thread, index, until);
        if is_mutex {
            self.raise_owner(index, urgency);
        }
        Ok(Reply::Later)
    }

    pub(crate) fn unlock(&mut self, thread: u16, index: u16) -> Result<Reply, Error> {
        let most = self.object_entry(index).most;
        if self.is_a(index, ObjectKind::Mutex) {
            if self.services.objects.at(index).owner != thread {
                return Err(Error::EPERM);
            }
            self.pass_on_mutex(index, None);
            self.lower(thread);
            return Ok(Reply::Done);
        }
        if !self.is_a(index, ObjectKind::Semaphore) {
            return Err(Error::EINVAL);
        }
        let object = self.services.objects.at_mut(index);
        let waiter = object.waiter;
        if waiter != NONE {
            self.leave(waiter);
            self.release_waiter(waiter, Ok(Reply::Done));
        } else if object.count < most {
            object.count += 1;
        } else {
            return Err(Error::EOVERFLOW);
        }
        Ok(Reply::Done)
    }

    /// Whether a thread's own priority is above a mutex's ceiling.
    pub(crate) fn is_above_ceiling(&self, thread: u16, index: u16) -> bool {
        let entry = self.object_entry(index);
        entry.flags & OBJECT_CEILING != 0
            && self.own_level(thread) > Urgency::level_of(entry.ceiling)
    }

    /// A thread gets a mutex that nobody has. One that runs goes before those that
    /// are as urgent as the ceiling, one that is to be woken behind them.
    pub(crate) fn take(&mut self, thread: u16, index: u16, end: End) -> Result<Reply, Error> {
        let abandoned = self.own(thread, index, end);
        if self.services.objects.at(index).lends.is_some() {
            self.renew(thread);
        }
        match abandoned {
            true => Err(Error::EOWNERDEAD),
            false => Ok(Reply::Done),
        }
    }

    /// Notes who has a mutex from now on; answers whether who had it ended
    /// without giving it back.
    pub(crate) fn own(&mut self, thread: u16, index: u16, end: End) -> bool {
        let entry = self.object_entry(index);
        let (has_ceiling, ceiling) = (entry.flags & OBJECT_CEILING != 0, entry.ceiling);
        let ceiling = has_ceiling.then(|| self.ceiling_urgency(ceiling, end));
        let object = self.services.objects.at_mut(index);
        let tie = self.services.ties.at_mut(thread);
        object.next_held = core::mem::replace(&mut tie.held, index);
        object.owner = thread;
        object.lends = ceiling;
        core::mem::replace(&mut object.abandoned, false)
    }

    /// Nobody has a mutex, or serves a mailbox, any more. O(what its owner has).
    pub(crate) fn lose(&mut self, index: u16) {
        let services = &mut self.services;
        let object = services.objects.at_mut(index);
        let owner = core::mem::replace(&mut object.owner, NONE);
        let next = core::mem::replace(&mut object.next_held, NONE);
        let first = &mut services.ties.at_mut(owner).held;
        if *first == index {
            *first = next;
            return;
        }
        let mut at = *first;
        while let Some(object) = services.objects.get(at) {
            if object.next_held == index {
                services.objects.at_mut(at).next_held = next;
                return;
            }
            at = object.next_held;
        }
    }

    /// Takes a mutex from who has it: to the most urgent that waits, with this
    /// error if it has none to be told before.
    fn pass_on_mutex(&mut self, index: u16, error: Option<Error>) {
        self.lose(index);
        let object = self.services.objects.at_mut(index);
        object.lends = None;
        let waiter = object.waiter;
        if waiter == NONE {
            return;
        }
        self.leave(waiter);
        self.own(waiter, index, End::Tail);
        self.hasten_end_of(waiter);
        let verdict = self.services.ties.at_mut(waiter).verdict.take();
        let reply = error.or(verdict).map_or(Ok(Reply::Done), Err);
        self.release_waiter(waiter, reply);
    }

    /// Gives a mutex back for a thread that then waits for something else.
    pub(crate) fn give_back(&mut self, index: u16) {
        self.pass_on_mutex(index, None);
    }

    /// Takes a mutex, or a mailbox that it serves, from a thread that ends.
    pub(crate) fn abandon(&mut self, index: u16) {
        if self.is_a(index, ObjectKind::Mailbox) {
            return self.lose(index);
        }
        self.pass_on_mutex(index, Some(Error::EOWNERDEAD));
        let object = self.services.objects.at_mut(index);
        object.abandoned = object.owner == NONE;
        self.publish(index);
    }

    /// An object ends: nobody has it any more.
    pub(crate) fn disown(&mut self, index: u16) {
        let object = self.services.objects.at_mut(index);
        object.lends = None;
        let owner = object.owner;
        if owner != NONE {
            self.lose(index);
            // a server of nothing may still have a message in its hand
            self.services.has_lent |= self.services.ties.at(owner).in_hand.is_some();
            self.renew(owner);
        }
    }
}
