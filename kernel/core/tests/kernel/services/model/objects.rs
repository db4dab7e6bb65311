//! Slots and what lives in them: mutexes, semaphores, conditions.

use super::urgency::level_of;
use super::{Model, Position, State, Wait, refused};
use giornata_abi::call::Answer;
use giornata_abi::system::{ObjectKind, RIGHT_MANAGE, RIGHT_USE};
use giornata_abi::{Error, Id};

const LOCKABLE: [ObjectKind; 2] = [ObjectKind::Mutex, ObjectKind::Semaphore];

impl Model {
    /// A mutex goes to its most urgent waiter; `ended`: because its owner did.
    pub(super) fn pass_on(&mut self, object: usize, ended: bool) {
        let next = self.queue(object).first().copied();
        self.objects[object].owner = None;
        self.objects[object].is_orphan = ended;
        if let Some(next) = next {
            let State::Waiting(wait) = self.threads[next].state else {
                unreachable!("it is in a queue");
            };
            let answer = self.take(next, object, wait.answer);
            self.release(next, answer);
        }
        self.settle();
    }

    /// A free mutex gets an owner, which is answered this, or that the last ended.
    /// Who waited for it arrives at its ceiling as any that becomes ready.
    pub(super) fn take(&mut self, thread: usize, object: usize, answer: Answer) -> Answer {
        self.tail += 1;
        self.head -= 1;
        let has_waited = !matches!(self.threads[thread].state, State::Ready);
        let key = if has_waited { self.tail } else { self.head };
        let mutex = &mut self.objects[object];
        (mutex.owner, mutex.taken) = (Some(thread), self.tail);
        mutex.place = mutex.ceiling.map(|c| Position {
            level: level_of(c),
            key,
        });
        match std::mem::take(&mut mutex.is_orphan) {
            true => refused(Error::EOWNERDEAD),
            false => answer,
        }
    }

    /// Out of a condition, for its mutex.
    pub(super) fn go_for(&mut self, thread: usize, mutex: Id, answer: Answer) {
        let object = usize::from(mutex.index());
        self.threads[thread].alarm = None;
        let is_there = self.objects[object].exists && self.id_of(object) == mutex;
        if !is_there {
            self.release(thread, refused(Error::EIDRM));
        } else if self.objects[object].owner.is_none() {
            let answer = self.take(thread, object, answer);
            self.release(thread, answer);
        } else {
            self.enqueue_for(thread, object, None, answer);
        }
        self.settle();
    }

    /// Whom a thread waits for in the end, through conditions too, is `caller`.
    pub(super) fn closes_circle(&self, caller: usize, object: usize) -> bool {
        let mut next = self.objects[object].owner;
        while let Some(thread) = next {
            if thread == caller {
                return true;
            }
            let State::Waiting(wait) = self.threads[thread].state else {
                return false;
            };
            next = match wait.mutex {
                None if self.objects[wait.object].kind == ObjectKind::Mailbox => None,
                None => self.objects[wait.object].owner,
                Some(mutex) if self.id_of(mutex.index().into()) == mutex => {
                    self.objects[usize::from(mutex.index())].owner
                }
                Some(_) => None,
            };
        }
        false
    }

    /// The slot of an index, if the caller has one of these rights.
    pub(super) fn slot(&self, caller: usize, index: usize, rights: u16) -> Result<usize, Error> {
        let object = self.objects.get(index).ok_or(Error::ESRCH)?;
        match object.rights[self.threads[caller].process] & rights {
            0 => Err(Error::EPERM),
            _ => Ok(index),
        }
    }

    pub(super) fn find(&self, caller: usize, id: usize, rights: u16) -> Result<usize, Error> {
        let id = Id(id as u32);
        let object = self.slot(caller, id.index().into(), rights)?;
        match self.objects[object].exists && self.id_of(object) == id {
            true => Ok(object),
            false => Err(Error::ESRCH),
        }
    }

    pub(super) fn find_kind(
        &self,
        caller: usize,
        id: usize,
        kinds: &[ObjectKind],
    ) -> Result<usize, Error> {
        let object = self.find(caller, id, RIGHT_USE)?;
        match kinds.contains(&self.objects[object].kind) {
            true => Ok(object),
            false => Err(Error::EINVAL),
        }
    }

    pub(super) fn create(
        &mut self,
        caller: usize,
        index: usize,
        server: Option<usize>,
    ) -> Result<Option<Answer>, Error> {
        let slot = self.slot(caller, index, RIGHT_MANAGE)?;
        let server = server
            .map(|id| self.find(caller, id, u16::MAX))
            .transpose()?;
        let is_mailbox = |object: usize| self.objects[object].kind == ObjectKind::Mailbox;
        if server.is_some_and(|one| one == slot || !is_mailbox(one) || !is_mailbox(slot)) {
            return Err(Error::EINVAL);
        }
        let object = &mut self.objects[slot];
        if object.exists {
            return Err(Error::EEXIST);
        }
        object.exists = true;
        object.count = object.initial;
        (object.owner, object.is_orphan, object.reader) = (None, false, None);
        object.server = server.or(object.first_server);
        Ok(Some(Answer::word(self.id_of(slot).0 as usize)))
    }

    pub(super) fn delete(&mut self, caller: usize, id: usize) -> Result<Option<Answer>, Error> {
        let object = self.find(caller, id, RIGHT_MANAGE)?;
        let waiters = self.queue(object);
        let record = &mut self.objects[object];
        (record.exists, record.owner) = (false, None);
        record.generation = record.generation.wrapping_add(1);
        record.letters.clear();
        for waiter in waiters {
            self.release(waiter, refused(Error::EIDRM));
        }
        Ok(Some(Answer::DONE))
    }

    pub(super) fn open(&mut self, caller: usize, index: usize) -> Result<Option<Answer>, Error> {
        let slot = self.slot(caller, index, u16::MAX)?;
        match self.objects[slot].exists {
            true => Ok(Some(Answer::word(self.id_of(slot).0 as usize))),
            false => Err(Error::ESRCH),
        }
    }

    pub(super) fn lock(
        &mut self,
        caller: usize,
        id: usize,
        until: u64,
    ) -> Result<Option<Answer>, Error> {
        let slot = self.find_kind(caller, id, &LOCKABLE)?;
        let own_level = self.own_level(caller);
        let object = &mut self.objects[slot];
        if object.ceiling.is_some_and(|c| level_of(c) < own_level) {
            return Err(Error::EINVAL);
        }
        if object.kind == ObjectKind::Semaphore && object.count > 0 {
            object.count -= 1;
            return Ok(Some(Answer::DONE));
        }
        if object.kind == ObjectKind::Mutex && object.owner.is_none() {
            return Ok(Some(self.take(caller, slot, Answer::DONE)));
        }
        if object.owner == Some(caller) {
            return Err(Error::EDEADLK);
        }
        match until {
            0 => return Err(Error::EBUSY),
            until if until <= self.now => return Err(Error::ETIMEDOUT),
            _ if self.closes_circle(caller, slot) => return Err(Error::EDEADLK),
            _ => {}
        }
        self.enqueue_for(caller, slot, None, Answer::DONE);
        self.set_alarm(caller, until);
        Ok(None)
    }

    pub(super) fn unlock(&mut self, caller: usize, id: usize) -> Result<Option<Answer>, Error> {
        let slot = self.find_kind(caller, id, &LOCKABLE)?;
        if self.objects[slot].kind == ObjectKind::Mutex {
            if self.objects[slot].owner != Some(caller) {
                return Err(Error::EPERM);
            }
            self.pass_on(slot, false);
            return Ok(Some(Answer::DONE));
        }
        let first = self.queue(slot).first().copied();
        let object = &mut self.objects[slot];
        match first {
            Some(first) => self.release(first, Answer::DONE),
            None if object.count >= object.most => return Err(Error::EOVERFLOW),
            None => object.count += 1,
        }
        Ok(Some(Answer::DONE))
    }

    pub(super) fn wait(
        &mut self,
        caller: usize,
        condition: usize,
        mutex: usize,
        until: u64,
    ) -> Result<Option<Answer>, Error> {
        self.find(caller, condition, RIGHT_USE)?;
        self.find(caller, mutex, RIGHT_USE)?;
        let slot = self.find_kind(caller, condition, &[ObjectKind::Condition])?;
        let mutex = self.find_kind(caller, mutex, &[ObjectKind::Mutex])?;
        if self.objects[mutex].owner != Some(caller) {
            return Err(Error::EPERM);
        }
        let id = self.id_of(mutex);
        self.pass_on(mutex, false);
        if until <= self.now {
            // as if its time had come while it waited
            self.threads[caller].state = State::Sleeping;
            self.go_for(caller, id, refused(Error::ETIMEDOUT));
            return Ok(None);
        }
        self.enqueue_for(caller, slot, Some(id), Answer::DONE);
        self.set_alarm(caller, until);
        Ok(None)
    }

    /// So many leave a condition, one after the other.
    pub(super) fn signal(
        &mut self,
        caller: usize,
        id: usize,
        count: usize,
    ) -> Result<Option<Answer>, Error> {
        let slot = self.find_kind(caller, id, &[ObjectKind::Condition])?;
        for _ in 0..count {
            let Some(first) = self.queue(slot).first().copied() else {
                break;
            };
            let State::Waiting(Wait {
                mutex: Some(mutex), ..
            }) = self.threads[first].state
            else {
                unreachable!("it waits in a condition");
            };
            self.go_for(first, mutex, Answer::DONE);
        }
        Ok(Some(Answer::DONE))
    }
}
