//! Threads and processes that come and go.

use super::mail::Wish;
use super::{Departure, Life, Model, NEVER, Place, Position, Process, State, Wait, refused};
use giornata_abi::call::Answer;
use giornata_abi::system::ObjectKind;
use giornata_abi::trace::FaultCause;
use giornata_abi::{Error, Id};

/// Bit of what a supervisor is told: the process lives again.
const RESTARTED: usize = 1 << 16;
/// Memory is taken in multiples of this.
const GRAIN: usize = 16;

impl Model {
    // --- threads ---

    fn start(&mut self, thread: usize, priority: u8) {
        let now = self.now;
        let record = &mut self.threads[thread];
        record.priority = priority;
        if let Some((relative, absolute)) = &mut record.deadline {
            *absolute = now + *relative;
        }
        self.make_ready(thread, Departure::Beginning);
        self.settle();
    }

    fn make_ready(&mut self, thread: usize, departure: Departure) {
        let record = &mut self.threads[thread];
        record.state = State::Ready;
        record.departure = Some(departure);
        record.alarm = None;
        record.is_woken = false;
        self.arrive(thread);
    }

    /// It waits no longer.
    pub(super) fn release(&mut self, thread: usize, answer: Answer) {
        self.make_ready(thread, Departure::Answered(answer));
    }

    /// It waits for a mutex or a semaphore; or in a condition, for that mutex later.
    pub(super) fn enqueue_for(
        &mut self,
        thread: usize,
        object: usize,
        mutex: Option<Id>,
        answer: Answer,
    ) {
        self.queue_up(
            thread,
            Wait {
                object,
                mutex,
                answer,
                wish: Wish::Words,
                since: 0,
            },
        );
    }

    /// It waits for a message.
    pub(super) fn enqueue(&mut self, thread: usize, object: usize, wish: Wish) {
        let answer = Answer::DONE;
        self.queue_up(
            thread,
            Wait {
                object,
                mutex: None,
                answer,
                wish,
                since: 0,
            },
        );
    }

    fn queue_up(&mut self, thread: usize, wait: Wait) {
        self.arrive(thread);
        let since = self.tail;
        self.threads[thread].state = State::Waiting(Wait { since, ..wait });
        self.settle();
    }

    pub(super) fn set_alarm(&mut self, thread: usize, until: u64) {
        self.tail += 1;
        let alarm = (until, self.tail);
        self.threads[thread].alarm = (until != NEVER).then_some(alarm);
    }

    /// The instant has come up to which it sleeps or waits.
    pub(super) fn expire(&mut self, thread: usize) {
        self.threads[thread].alarm = None;
        match self.threads[thread].state {
            State::Sleeping => {
                let now = self.now;
                if let Some((relative, absolute)) = &mut self.threads[thread].deadline {
                    *absolute = now + *relative;
                }
                self.make_ready(thread, Departure::Answered(Answer::DONE));
            }
            State::Waiting(Wait {
                mutex: Some(mutex), ..
            }) => self.go_for(thread, mutex, refused(Error::ETIMEDOUT)),
            State::Waiting(_) | State::Joining(_) => {
                self.release(thread, refused(Error::ETIMEDOUT));
            }
            State::Dormant | State::Ready => unreachable!("an alarm of nobody"),
        }
    }

    pub(super) fn sleep(&mut self, caller: usize, until: u64) -> Option<Answer> {
        if until == NEVER {
            return Some(refused(Error::EINVAL));
        }
        if until <= self.now {
            return Some(Answer::DONE);
        }
        self.threads[caller].state = State::Sleeping;
        self.set_alarm(caller, until);
        None
    }

    /// It dies, and waits for nothing.
    fn leave(&mut self, thread: usize) {
        let record = &mut self.threads[thread];
        (record.state, record.alarm) = (State::Dormant, None);
        (record.in_hand, record.received, record.departure) = (None, None, None);
        self.settle();
    }

    /// It ends with a value, and what it has goes on.
    pub(super) fn exit(&mut self, thread: usize, value: usize) {
        self.leave(thread);
        while self.give_up_last(thread) {}
        let joiner = self.joiner_of(thread);
        match self.threads[thread].place {
            Place::Joinable if joiner.is_none() => self.threads[thread].place = Place::Ended(value),
            Place::Given => self.rename(thread),
            _ => self.vacate(thread),
        }
        if let Some(joiner) = joiner {
            self.release(joiner, Answer::word(value));
        }
    }

    /// Its id names nothing any more.
    fn rename(&mut self, thread: usize) {
        let generation = &mut self.threads[thread].generation;
        *generation = generation.wrapping_add(1);
    }

    /// The place of a created thread is free again.
    fn vacate(&mut self, thread: usize) {
        self.rename(thread);
        self.threads[thread].place = Place::Free;
        let process = self.threads[thread].process;
        self.processes[process].places.push(thread);
    }

    /// What a thread took last goes on, because it ends; `false`: it has nothing.
    fn give_up_last(&mut self, thread: usize) -> bool {
        let owned = self.owned_by(thread).into_iter();
        let Some(last) = owned.max_by_key(|object| self.objects[*object].taken) else {
            return false;
        };
        match self.objects[last].kind {
            // messages outlive their server
            ObjectKind::Mailbox => self.objects[last].owner = None,
            _ => self.pass_on(last, true),
        }
        self.settle();
        true
    }

    fn joiner_of(&self, thread: usize) -> Option<usize> {
        let joins = |other: &usize| matches!(self.threads[*other].state, State::Joining(Some(one)) if one == thread);
        (0..self.threads.len()).find(joins)
    }

    /// Up to what is granted, and not in the deadline band.
    pub(super) fn may_have(&self, process: usize, priority: usize) -> bool {
        priority <= self.processes[process].max_priority.into()
            && super::level_of(priority as u8) != self.deadline_level
    }

    pub(super) fn create_thread(
        &mut self,
        caller: usize,
        priority: usize,
    ) -> Result<Option<Answer>, Error> {
        let process = self.threads[caller].process;
        if !self.may_have(process, priority) {
            return Err(Error::EPERM);
        }
        let thread = self.processes[process].places.pop().ok_or(Error::EAGAIN)?;
        self.threads[thread].place = Place::Joinable;
        self.start(thread, priority as u8);
        Ok(Some(Answer::word(self.id_of_thread(thread).0 as usize)))
    }

    /// The created thread with this id that nobody joins or has let go.
    fn created(&self, caller: usize, id: usize) -> Result<usize, Error> {
        let id = Id(id as u32);
        let index = usize::from(id.index());
        let thread = self.threads.get(index).ok_or(Error::ESRCH)?;
        let is_own = thread.process == self.threads[caller].process;
        if thread.generation != id.generation() || !is_own || thread.place == Place::Free {
            return Err(Error::ESRCH);
        }
        match thread.place {
            Place::Given | Place::Detached => Err(Error::EINVAL),
            _ => Ok(index),
        }
    }

    pub(super) fn join(
        &mut self,
        caller: usize,
        id: usize,
        until: u64,
    ) -> Result<Option<Answer>, Error> {
        let thread = self.created(caller, id)?;
        if thread == caller {
            return Err(Error::EDEADLK);
        }
        if self.joiner_of(thread).is_some() {
            return Err(Error::EINVAL);
        }
        if let Place::Ended(value) = self.threads[thread].place {
            self.vacate(thread);
            return Ok(Some(Answer::word(value)));
        }
        self.await_end(caller, Some(thread), until, Error::EBUSY)
    }

    /// Waits for the end of a thread, or of a process.
    fn await_end(
        &mut self,
        caller: usize,
        thread: Option<usize>,
        until: u64,
        at_once: Error,
    ) -> Result<Option<Answer>, Error> {
        match until {
            0 => return Err(at_once),
            until if until <= self.now => return Err(Error::ETIMEDOUT),
            _ => {}
        }
        self.threads[caller].state = State::Joining(thread);
        self.set_alarm(caller, until);
        Ok(None)
    }

    pub(super) fn detach(&mut self, caller: usize, id: usize) -> Result<Option<Answer>, Error> {
        let thread = self.created(caller, id)?;
        if self.joiner_of(thread).is_some() {
            return Err(Error::EINVAL);
        }
        match self.threads[thread].place {
            Place::Ended(_) => self.vacate(thread),
            _ => self.threads[thread].place = Place::Detached,
        }
        Ok(Some(Answer::DONE))
    }

    // --- processes ---

    /// The process with this number, if the caller's supervises it.
    fn supervised(&self, caller: usize, number: usize) -> Result<usize, Error> {
        let process = self.processes.get(number).ok_or(Error::ESRCH)?;
        match process.supervisor == Some(self.threads[caller].process) {
            true => Ok(number),
            false => Err(Error::EPERM),
        }
    }

    pub(super) fn create_process(
        &mut self,
        caller: usize,
        number: usize,
    ) -> Result<Option<Answer>, Error> {
        let number = self.supervised(caller, number)?;
        let urgency = self.threads[caller].position;
        let process = &mut self.processes[number];
        match process.life {
            Life::Alive => return Err(Error::EEXIST),
            Life::Dying(_) | Life::Restoring => return Err(Error::EBUSY),
            Life::Dead => {}
        }
        (process.life, process.fault) = (Life::Restoring, urgency);
        (process.cause, process.news) = (None, None);
        Ok(Some(Answer::DONE))
    }

    pub(super) fn kill_process(
        &mut self,
        caller: usize,
        number: usize,
    ) -> Result<Option<Answer>, Error> {
        let number = self.supervised(caller, number)?;
        if self.processes[number].life != Life::Alive {
            return Err(Error::ESRCH);
        }
        let urgency = self.threads[caller].position;
        self.strike(number, FaultCause::Killed, urgency);
        Ok(Some(Answer::DONE))
    }

    /// A process begins to die.
    pub(super) fn strike(&mut self, process: usize, cause: FaultCause, urgency: Position) {
        let process = &mut self.processes[process];
        (process.life, process.fault) = (Life::Dying(process.threads.start), urgency);
        // only its last end is told
        (process.cause, process.news) = (Some(cause), None);
    }

    pub(super) fn await_process(
        &mut self,
        caller: usize,
        until: u64,
    ) -> Result<Option<Answer>, Error> {
        let own = self.threads[caller].process;
        let is_own = |process: &&Process| process.supervisor == Some(own);
        if !self.processes.iter().any(|process| is_own(&process)) {
            return Err(Error::EPERM);
        }
        let untold = |number: &usize| {
            let process = &self.processes[*number];
            is_own(&process) && process.news.is_some()
        };
        if let Some(number) = (0..self.processes.len()).find(untold) {
            return Ok(Some(self.tell(number)));
        }
        match self.watcher_of(own) {
            Some(_) => Err(Error::EBUSY),
            None => self.await_end(caller, None, until, Error::EAGAIN),
        }
    }

    fn watcher_of(&self, process: usize) -> Option<usize> {
        let watches = |thread: &usize| matches!(self.threads[*thread].state, State::Joining(None));
        self.processes[process].threads.clone().find(watches)
    }

    /// What became of a process; told once.
    fn tell(&mut self, number: usize) -> Answer {
        let process = &mut self.processes[number];
        let news = process.news.take().expect("there are some");
        Answer::words([number, process.generation, news])
    }

    /// A process has ended, or begun anew.
    fn report(&mut self, number: usize, is_alive: bool) {
        let Some(cause) = self.processes[number].cause.take() else {
            return;
        };
        let Some(supervisor) = self.processes[number].supervisor else {
            return;
        };
        let restarted = if is_alive { RESTARTED } else { 0 };
        self.processes[number].news = Some(cause as usize | restarted);
        if let Some(watcher) = self.watcher_of(supervisor) {
            let answer = self.tell(number);
            self.release(watcher, answer);
            self.settle();
        }
    }

    /// The threads of a process begin that do so by themselves.
    pub(super) fn begin(&mut self, process: usize) {
        let record = &mut self.processes[process];
        record.life = Life::Alive;
        record.allotted = 0;
        record.places.clear();
        for thread in record.threads.clone() {
            if self.threads[thread].place != Place::Given {
                self.threads[thread].place = Place::Free;
                self.processes[process].places.push(thread);
            }
        }
        for thread in self.processes[process].threads.clone() {
            if self.threads[thread].place == Place::Given {
                self.start(thread, self.threads[thread].first_priority);
            }
        }
    }

    /// How urgent a teardown is: as the thread that faulted, as one that waits for
    /// a mutex that its threads still have, or as a ceiling of that.
    fn urgency_of_teardown(&self, process: &Process) -> Position {
        let mut most = process.fault;
        for (index, object) in self.objects.iter().enumerate() {
            let is_mutex = object.kind == ObjectKind::Mutex;
            let owner = object.owner.filter(|_| is_mutex);
            if owner.is_some_and(|owner| process.threads.contains(&owner)) {
                let queue = self.queue(index).into_iter();
                let waiters = queue.map(|waiter| self.threads[waiter].position);
                for position in waiters.chain(object.place) {
                    if position.precedes(most) {
                        most = position;
                    }
                }
            }
        }
        most
    }

    /// Tears down what has died as far as nothing more urgent can run.
    pub(super) fn tear_down(&mut self) {
        loop {
            let mut first: Option<(usize, Position)> = None;
            for (index, process) in self.processes.iter().enumerate() {
                let urgency = self.urgency_of_teardown(process);
                let is_dying = matches!(process.life, Life::Dying(_) | Life::Restoring);
                if is_dying && first.is_none_or(|(_, most)| urgency.precedes(most)) {
                    first = Some((index, urgency));
                }
            }
            let Some((process, urgency)) = first else {
                return;
            };
            if let Some(thread) = self.running()
                && self.threads[thread].position.precedes(urgency)
            {
                return;
            }
            self.tear_down_piece(process);
        }
    }

    fn tear_down_piece(&mut self, process: usize) {
        let record = &mut self.processes[process];
        match record.life {
            Life::Dying(thread) if record.threads.contains(&thread) => {
                self.leave(thread);
                if !self.give_up_last(thread) {
                    self.processes[process].life = Life::Dying(thread + 1);
                    self.rename(thread);
                }
            }
            Life::Dying(_) if record.restarts => record.life = Life::Restoring,
            Life::Dying(_) => {
                record.life = Life::Dead;
                self.report(process, false);
            }
            _ => {
                record.generation += 1;
                self.begin(process);
                self.report(process, true);
            }
        }
    }

    pub(super) fn allocate(
        &mut self,
        caller: usize,
        bytes: usize,
    ) -> Result<Option<Answer>, Error> {
        let process = &mut self.processes[self.threads[caller].process];
        if bytes > process.heap_size - process.allotted {
            return Err(Error::ENOMEM);
        }
        let address = process.heap + process.allotted;
        process.allotted += bytes.next_multiple_of(GRAIN);
        Ok(Some(Answer::word(address)))
    }
}
