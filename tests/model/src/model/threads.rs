//! Threads that come and go, and their priorities.

use super::queue::End;
use super::{Model, Outcome, Reason, Resumption, State, Tenancy, Thread};
use crate::request::Reply;
use crate::system::{Kind, Scheduling, ThreadSpec};
use giornata_abi::Error;
use giornata_abi::id::Id;

/// The record of a place in which nobody is.
pub(super) fn vacant(spec: &ThreadSpec) -> Thread {
    Thread {
        process: spec.process,
        scheduling: spec.scheduling,
        priority: 0,
        deadline: 0,
        state: State::Dormant,
        resumption: Resumption::Begins,
        again: None,
        serial: 0,
        tenancy: match spec.spare {
            true => Tenancy::Free,
            false => Tenancy::Given,
        },
        asked: 0,
        alarm: None,
        parked: None,
        late: None,
        client: None,
        request: None,
        received_from: None,
        serves: false,
        bound: None,
        held: Vec::new(),
        granted: None,
        published: 0,
        put_off: false,
        deferred: None,
        announced: None,
        noted: None,
        quantum: 0,
        budget: 0,
        replenished: 0,
        rank: None,
    }
}

impl Model {
    /// A thread begins, as the next tenant of its place.
    pub(super) fn start(&mut self, thread: usize, scheduling: Scheduling, tenancy: Tenancy) {
        let now = self.now;
        let spec = self.system.threads[thread];
        let serial = self.threads[thread].serial + 1;
        let (priority, deadline, quantum) = match scheduling {
            Scheduling::Fifo(priority) => (priority, 0, 0),
            Scheduling::RoundRobin(priority, quantum) => (priority, 0, quantum),
            Scheduling::Deadline(relative) => (0, now + relative, 0),
        };
        self.threads[thread] = Thread {
            scheduling,
            priority,
            deadline,
            state: State::Ready,
            serial,
            tenancy,
            quantum,
            budget: spec.budget.map_or(0, |budget| budget.capacity),
            replenished: spec.budget.map_or(0, |budget| now + budget.period),
            ..vacant(&spec)
        };
        self.come_back(thread);
    }

    /// A thread that has ended waits for nothing and owns nothing any more.
    pub(super) fn end(&mut self, thread: usize) {
        self.remove(thread);
        match self.threads[thread].state {
            State::Calls { .. } => {
                self.end_client(thread);
                self.remove(thread);
            }
            _ => self.unhang(thread),
        }
        let record = &mut self.threads[thread];
        (record.state, record.alarm) = (State::Dormant, None);
        (record.again, record.deferred, record.published) = (None, None, 0);
        record.announced = None;
        self.unpark_all(thread);
        for mutex in self.threads[thread].held.clone() {
            self.release(mutex, true);
        }
    }

    /// A thread leaves the mailboxes from which it received last.
    pub(super) fn end_servers(&mut self, thread: usize) {
        for mailbox in self.read_last(thread) {
            self.unserve(mailbox);
        }
        let record = &mut self.threads[thread];
        (record.serves, record.late, record.received_from) = (false, None, None);
    }

    /// A thread ends, with what it does for clients, then with what it owns.
    pub(super) fn exit(&mut self, caller: usize, value: u32) -> Outcome {
        self.end_servers(caller);
        for client in self.clients_of(caller) {
            self.refuse_client(client);
        }
        self.end(caller);
        let joiner = self.joiner_of(caller);
        if let Some(joiner) = joiner {
            self.wake(joiner, Reply::values(&[value]));
        }
        match (self.threads[caller].tenancy, joiner) {
            (Tenancy::Given, _) => {}
            (Tenancy::Joinable, None) => self.threads[caller].tenancy = Tenancy::Ended(value),
            _ => self.free(caller),
        }
        Ok(None)
    }

    /// The place of a created thread can be taken again.
    pub(super) fn free(&mut self, thread: usize) {
        self.threads[thread].tenancy = Tenancy::Free;
        let process = self.threads[thread].process;
        self.processes[process].places.push(thread);
    }

    fn joiner_of(&self, thread: usize) -> Option<usize> {
        let joins = State::Blocked(Reason::Join(thread));
        self.threads.iter().position(|other| other.state == joins)
    }

    /// The thread with this id: it lives, or is to be joined.
    fn find_thread(&self, id: Id) -> Result<usize, Error> {
        let thread = id.slot as usize;
        let record = self.threads.get(thread).ok_or(Error::ESRCH)?;
        let is_there = match record.tenancy {
            Tenancy::Free => false,
            Tenancy::Ended(_) => true,
            _ => record.state != State::Dormant,
        };
        match is_there && record.serial == id.serial {
            true => Ok(thread),
            false => Err(Error::ESRCH),
        }
    }

    /// Up to what is granted, and not in the deadline band.
    fn may_have(&self, process: usize, priority: u32) -> bool {
        let most = self.system.processes[process].max_priority;
        priority <= most.into() && priority != self.system.band.into()
    }

    /// Raised or unchanged it comes behind its new equals, lowered to their head; the
    /// owner of a mutex is never moved behind them (POSIX, `pthread_mutexattr_setprotocol`).
    pub(super) fn set_priority(&mut self, caller: usize, id: Id, priority: u32) -> Outcome {
        let thread = self.find_thread(id)?;
        let process = self.threads[caller].process;
        if self.threads[thread].process != process || !self.may_have(process, priority) {
            return Err(Error::EPERM);
        }
        if matches!(self.threads[thread].scheduling, Scheduling::Deadline(_)) {
            return Err(Error::EINVAL);
        }
        let owns = self.owns_a_mutex(thread);
        let raised = if owns { End::Head } else { End::Tail };
        let before = self.threads[thread].rank;
        self.with_place(thread, raised, |model| {
            model.threads[thread].priority = priority as u8;
        });
        if before == self.threads[thread].rank && !owns && self.is_queued(thread) {
            self.remove(thread);
            self.insert(thread, End::Tail);
        }
        Ok(Some(Reply::DONE))
    }

    fn owns_a_mutex(&self, thread: usize) -> bool {
        let is_mutex = |kind| matches!(kind, Kind::Mutex { .. });
        let mut objects = self.objects.iter();
        objects.any(|object| object.owner == Some(thread) && is_mutex(object.kind))
    }

    pub(super) fn create_thread(&mut self, caller: usize, priority: u32) -> Outcome {
        let process = self.threads[caller].process;
        if !self.may_have(process, priority) {
            return Err(Error::EPERM);
        }
        let free = self.processes[process].places.pop();
        let thread = free.ok_or(Error::EAGAIN)?;
        let scheduling = Scheduling::Fifo(priority as u8);
        self.start(thread, scheduling, Tenancy::Joinable);
        let id = self.thread_id(thread);
        Ok(Some(Reply::values(&[id.slot, id.serial])))
    }

    /// The created thread with this id that can be joined.
    fn joinable(&self, caller: usize, id: Id) -> Result<usize, Error> {
        let thread = self.find_thread(id)?;
        if self.threads[thread].process != self.threads[caller].process {
            return Err(Error::ESRCH);
        }
        let is_joined = self.joiner_of(thread).is_some();
        match self.threads[thread].tenancy {
            Tenancy::Joinable | Tenancy::Ended(_) if !is_joined => Ok(thread),
            _ => Err(Error::EINVAL),
        }
    }

    pub(super) fn join(&mut self, caller: usize, id: Id, until: u64) -> Outcome {
        // (a thread that joins itself is told so, whoever else joins it)
        let is_own =
            self.threads[caller].tenancy == Tenancy::Joinable && self.thread_id(caller) == id;
        if is_own {
            return Err(Error::EDEADLK);
        }
        let thread = self.joinable(caller, id)?;
        if let Tenancy::Ended(value) = self.threads[thread].tenancy {
            self.free(thread);
            return Ok(Some(Reply::values(&[value])));
        }
        match until {
            0 => return Err(Error::EBUSY),
            _ => self.block(caller, Reason::Join(thread), until),
        }
        Ok(None)
    }

    pub(super) fn detach(&mut self, caller: usize, id: Id) -> Outcome {
        let thread = self.joinable(caller, id)?;
        match self.threads[thread].tenancy {
            Tenancy::Ended(_) => self.free(thread),
            _ => self.threads[thread].tenancy = Tenancy::Detached,
        }
        Ok(Some(Reply::DONE))
    }
}
