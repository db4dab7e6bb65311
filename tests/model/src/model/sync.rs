//! Slots and what lives in them; mutexes, semaphores, conditions.

use super::queue::End;
use super::{Model, Noted, Outcome, Parking, Reason, Resumption, State};
use crate::request::{Reply, Request};
use crate::system::Kind;
use giornata_abi::Error;
use giornata_abi::id::Id;
use giornata_abi::system::{RIGHT_MANAGE, RIGHT_USE};

impl Model {
    // --- names ---

    /// The slot, if the caller's process has one of these rights to it.
    pub(super) fn slot(&self, caller: usize, slot: usize, rights: u16) -> Result<usize, Error> {
        let spec = self.system.objects.get(slot).ok_or(Error::ESRCH)?;
        match spec.rights[self.threads[caller].process] & rights {
            0 => Err(Error::EPERM),
            _ => Ok(slot),
        }
    }

    /// The object with this id, if the caller has one of these rights to it.
    pub(super) fn find(&self, caller: usize, id: Id, rights: u16) -> Result<usize, Error> {
        let slot = self.slot(caller, id.slot as usize, rights)?;
        match self.objects[slot].exists && self.objects[slot].serial == id.serial {
            true => Ok(slot),
            false => Err(Error::ESRCH),
        }
    }

    fn is_mutex(&self, object: usize) -> bool {
        matches!(self.objects[object].kind, Kind::Mutex { .. })
    }

    fn is_private(&self, object: usize) -> bool {
        matches!(self.objects[object].kind, Kind::Mutex { private: true, .. })
    }

    // --- mutexes ---

    /// A mutex that is free goes to the most urgent that wants it, among equals to who
    /// asked first.
    /// Of one that was deleted that one finds it out.
    pub(super) fn settle(&mut self, mutex: usize) {
        let first = self.wanting(mutex).first().copied();
        match first {
            Some(first) if !self.objects[mutex].exists => {
                self.give_up(first, Error::EIDRM.into());
            }
            Some(first) if self.objects[mutex].owner.is_none() => self.grant(first, mutex),
            _ => {}
        }
    }

    /// A thread owns the mutex that it wanted. It keeps its place.
    fn grant(&mut self, thread: usize, mutex: usize) {
        let State::Wants {
            reply, announced, ..
        } = self.threads[thread].state.clone()
        else {
            unreachable!("it wants the mutex");
        };
        let reply = self.take(thread, mutex, reply);
        let record = &mut self.threads[thread];
        record.state = State::Ready;
        record.alarm = None;
        record.granted = Some(mutex);
        if announced {
            // its call knows nothing of it
            record.announced = None;
            record.noted = Some(match reply.error() {
                Some(Error::EOWNERDEAD) => Noted::TakenFromDead,
                _ => Noted::Taken,
            });
        } else {
            record.resumption = Resumption::Returns(reply);
        }
    }

    /// A thread becomes the owner of a free mutex; what its call returns for that. Its end
    /// gives back ceilings first, the highest before, then the last one taken.
    pub(super) fn take(&mut self, thread: usize, mutex: usize, reply: Reply) -> Reply {
        let ceiling = self.ceiling_of(mutex);
        let held = self.threads[thread].held.iter();
        let precedes = |other: &&usize| match (self.ceiling_of(**other), ceiling) {
            (Some(other), Some(ceiling)) => other >= ceiling,
            (other, None) => other.is_some(),
            _ => false,
        };
        let at = held.take_while(precedes).count();
        self.threads[thread].held.insert(at, mutex);
        self.objects[mutex].owner = Some(thread);
        self.settle_place(thread, End::Head);
        match std::mem::take(&mut self.objects[mutex].abandoned) {
            true => Error::EOWNERDEAD.into(),
            false => reply,
        }
    }

    fn ceiling_of(&self, mutex: usize) -> Option<u8> {
        match self.objects[mutex].kind {
            Kind::Mutex { ceiling, .. } => ceiling,
            _ => None,
        }
    }

    /// The owner gives the mutex back, or ends. Whoever wants it takes it when its turn
    /// comes.
    pub(super) fn release(&mut self, mutex: usize, abandoned: bool) {
        let Some(owner) = self.objects[mutex].owner.take() else {
            return;
        };
        self.threads[owner].held.retain(|held| *held != mutex);
        self.objects[mutex].abandoned = abandoned;
        self.settle_place(owner, End::Head);
    }

    /// Those that hang on an owner come back before it gives a mutex back, four a piece;
    /// whether there are more.
    fn lets_go_first(&mut self, owner: usize) -> bool {
        if self.is_hung_on(owner) {
            self.unpark(owner);
        }
        self.is_hung_on(owner)
    }

    pub(super) fn lock(&mut self, caller: usize, id: Id, until: u64) -> Outcome {
        let slot = self.find(caller, id, RIGHT_USE)?;
        match self.objects[slot].kind {
            Kind::Semaphore { .. } => self.decrement(caller, slot, until),
            Kind::Mutex { .. } => {
                self.take_over(caller, slot)?;
                let outcome = self.lock_mutex(caller, slot, until);
                self.publish(slot);
                outcome
            }
            _ => Err(Error::EINVAL),
        }
    }

    fn is_above_ceiling(&self, thread: usize, mutex: usize) -> bool {
        let ceiling = self.ceiling_of(mutex);
        ceiling.is_some_and(|ceiling| ceiling < self.own(thread).priority)
    }

    fn lock_mutex(&mut self, caller: usize, slot: usize, until: u64) -> Outcome {
        if self.is_above_ceiling(caller, slot) {
            return Err(Error::EINVAL);
        }
        if self.objects[slot].owner.is_none() && self.may_take_first(caller, slot) {
            return Ok(Some(self.take(caller, slot, Reply::DONE)));
        }
        self.settle(slot);
        let owner = self.objects[slot].owner;
        if owner == Some(caller) {
            return Err(Error::EDEADLK);
        }
        match until {
            0 => return Err(Error::EBUSY),
            _ if self.is_refused(caller, owner) => return Err(Error::EDEADLK),
            _ => {}
        }
        self.want(caller, slot, Reply::DONE, false);
        self.arm(caller, until);
        Ok(None)
    }

    /// Whether nobody as urgent as the caller has asked for a mutex before it.
    fn may_take_first(&self, caller: usize, mutex: usize) -> bool {
        let own = self.effective(caller);
        let first = self.wanting(mutex).first().copied();
        first.is_none_or(|first| own.is_more_urgent_than(self.effective(first)))
    }

    pub(super) fn unlock(&mut self, caller: usize, id: Id) -> Outcome {
        let slot = self.find(caller, id, RIGHT_USE)?;
        if let Kind::Semaphore { most, .. } = self.objects[slot].kind {
            return self.increment(slot, most);
        }
        if !self.is_mutex(slot) {
            return Err(Error::EINVAL);
        }
        self.take_over(caller, slot)?;
        if self.objects[slot].owner != Some(caller) {
            self.publish(slot);
            return Err(Error::EPERM);
        }
        if self.lets_go_first(caller) {
            self.threads[caller].again = Some((Request::Unlock { object: id }, None));
            return Ok(None);
        }
        self.release(slot, false);
        self.publish(slot);
        Ok(Some(Reply::DONE))
    }

    /// Whether a thread may wait for the mutex that it announced.
    pub(super) fn is_announcement_fit(&self, thread: usize, mutex: Id) -> bool {
        self.find(thread, mutex, RIGHT_USE).is_ok_and(|slot| {
            let fits = self.is_mutex(slot) && !self.is_private(slot);
            fits && !self.is_above_ceiling(thread, slot)
        })
    }

    // --- semaphores ---

    fn decrement(&mut self, caller: usize, slot: usize, until: u64) -> Outcome {
        if self.objects[slot].count > 0 {
            self.objects[slot].count -= 1;
            return Ok(Some(Reply::DONE));
        }
        match until {
            0 => return Err(Error::EBUSY),
            _ => self.block(caller, Reason::Semaphore(slot), until),
        }
        Ok(None)
    }

    fn increment(&mut self, slot: usize, most: u32) -> Outcome {
        match self.waiters(slot).first() {
            Some(first) => self.wake(*first, Reply::DONE),
            None if self.objects[slot].count >= most => return Err(Error::EOVERFLOW),
            None => self.objects[slot].count += 1,
        }
        Ok(Some(Reply::DONE))
    }

    // --- conditions ---

    pub(super) fn wait(
        &mut self,
        caller: usize,
        condition: Id,
        mutex: usize,
        until: u64,
    ) -> Outcome {
        let slot = self.find(caller, condition, RIGHT_USE)?;
        let mutex = self.slot(caller, mutex, RIGHT_USE)?;
        if self.objects[slot].kind != Kind::Condition || !self.is_mutex(mutex) {
            return Err(Error::EINVAL);
        }
        self.take_over(caller, mutex)?;
        if self.objects[mutex].owner != Some(caller) {
            self.publish(mutex);
            return Err(Error::EPERM);
        }
        if self.lets_go_first(caller) {
            let again = Request::Wait {
                condition,
                mutex,
                until,
            };
            self.threads[caller].again = Some((again, None));
            return Ok(None);
        }
        let id = self.object_id(mutex);
        self.release(mutex, false);
        self.publish(mutex);
        self.block(caller, Reason::Condition(slot, id), until);
        Ok(None)
    }

    /// So many of those that wait for a condition go on, of those that asked up to a
    /// serial number; the caller calls again where an interrupt has to be looked at.
    pub(super) fn signal(&mut self, caller: usize, id: Id, most: usize) -> Outcome {
        let slot = self.find(caller, id, RIGHT_USE)?;
        if self.objects[slot].kind != Kind::Condition {
            return Err(Error::EINVAL);
        }
        for waiter in self.waiters(slot).into_iter().take(most) {
            self.wake(waiter, Reply::DONE);
        }
        Ok(Some(Reply::DONE))
    }

    pub(super) fn broadcast(&mut self, caller: usize, id: Id, from: Option<u64>) -> Outcome {
        let began = from.unwrap_or(self.serial);
        let slot = match self.find(caller, id, RIGHT_USE) {
            Ok(slot) if self.objects[slot].kind == Kind::Condition => slot,
            Ok(_) => return Err(Error::EINVAL),
            // after its first effect a call ends in success
            Err(_) if from.is_some() => return Ok(Some(Reply::DONE)),
            Err(error) => return Err(error),
        };
        let mut waiters = self.waiters(slot);
        waiters.retain(|waiter| self.threads[*waiter].asked <= began);
        let pieces = self.pieces.take().unwrap_or(usize::MAX);
        for waiter in waiters.iter().take(pieces) {
            self.wake(*waiter, Reply::DONE);
        }
        if waiters.len() > pieces {
            let request = Request::Broadcast { condition: id };
            self.threads[caller].again = Some((request, Some(began)));
            return Ok(None);
        }
        Ok(Some(Reply::DONE))
    }

    // --- objects that come and go ---

    pub(super) fn create(&mut self, caller: usize, slot: usize, server: Option<usize>) -> Outcome {
        let slot = self.slot(caller, slot, RIGHT_MANAGE)?;
        let is_mailbox = |slot: usize| matches!(self.objects[slot].kind, Kind::Mailbox { .. });
        if let Some(server) = server {
            let server = self.slot(caller, server, u16::MAX)?;
            if !self.objects[server].exists {
                return Err(Error::ESRCH);
            }
            if server == slot || !is_mailbox(server) || !is_mailbox(slot) {
                return Err(Error::EINVAL);
            }
        }
        if self.objects[slot].exists {
            return Err(Error::EEXIST);
        }
        // (those that still want its last tenant are told)
        for thread in self.wanting(slot) {
            self.give_up(thread, Error::EIDRM.into());
        }
        let spec = &self.system.objects[slot];
        let object = super::object(spec);
        let serial = self.objects[slot].serial + 1;
        let attached = server.or(object.attached);
        self.objects[slot] = super::Object {
            exists: true,
            serial,
            attached,
            word: self.objects[slot].word,
            ..object
        };
        Ok(Some(self.id_reply(slot)))
    }

    fn id_reply(&self, slot: usize) -> Reply {
        let id = self.object_id(slot);
        Reply::values(&[id.slot, id.serial])
    }

    pub(super) fn open(&self, caller: usize, slot: usize) -> Outcome {
        let slot = self.slot(caller, slot, u16::MAX)?;
        match self.objects[slot].exists {
            true => Ok(Some(self.id_reply(slot))),
            false => Err(Error::ESRCH),
        }
    }

    /// An object ends. Those that wait are told; those that want a mutex find out when they
    /// have their turn.
    pub(super) fn delete(&mut self, caller: usize, id: Id) -> Outcome {
        let slot = self.find(caller, id, RIGHT_MANAGE)?;
        while let Some(first) = self.waiters(slot).first() {
            self.wake_deleted(*first);
        }
        let object = &mut self.objects[slot];
        (object.exists, object.abandoned, object.count) = (false, false, 0);
        object.taken_over = false;
        self.vacate(slot);
        Ok(Some(Reply::DONE))
    }

    /// What an object that is no more has left: messages, the owner of a mutex and those
    /// that hang on it for that.
    fn vacate(&mut self, slot: usize) {
        while !self.objects[slot].messages.is_empty() {
            let message = self.objects[slot].messages.remove(0);
            self.lose(message);
            self.weigh_server(slot);
        }
        self.unserve(slot);
        if let Some(owner) = self.objects[slot].owner {
            // (in the order of their numbers: the kernel looks at some threads a piece)
            for thread in 0..self.threads.len() {
                let hangs = self.hanging(Parking::Thread(owner)).contains(&thread);
                if hangs && self.wanting(slot).contains(&thread) {
                    self.bring_up(thread);
                }
            }
            self.release(slot, false);
        }
    }

    /// What a thread waited for is deleted: it has no mutex to wait for either.
    fn wake_deleted(&mut self, thread: usize) {
        let record = &mut self.threads[thread];
        let announced = record.announced;
        if let State::Blocked(reason @ Reason::Condition(..)) = &mut record.state {
            // (nor did it tell of another: who waits for a condition tells of its mutex)
            *reason = Reason::Sleep;
            record.announced = None;
        }
        self.wake(thread, Error::EIDRM.into());
        self.threads[thread].announced = announced;
    }
}
