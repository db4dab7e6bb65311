//! Services said once more, without a look at how the kernel does it.
//!
//! What a thread waits for stands with the thread; a queue is whoever waits for
//! the object, by urgency. Effective urgencies are recomputed from what each
//! thread is by itself until nothing changes ([`Model::effective`]).

use giornata_abi::call::{Answer, Call, Request};
use giornata_abi::system::{
    FaultPolicy, OBJECT_AT_BOOT, OBJECT_CEILING, ObjectKind, Policy, RIGHT_MANAGE, RIGHT_USE,
};
use giornata_abi::{Error, Id};
use giornata_sim::Tables;

/// Waits for ever.
pub(crate) const NEVER: u64 = u64::MAX;

const LOCKABLE: [ObjectKind; 2] = [ObjectKind::Mutex, ObjectKind::Semaphore];

/// The higher level, then the earlier key, is more urgent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Position {
    pub(crate) level: u16,
    pub(crate) key: i64,
}

impl Position {
    fn precedes(self, other: Position) -> bool {
        (other.level, self.key) < (self.level, other.key)
    }
}

/// What a thread waits for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wait {
    pub(crate) object: usize,
    /// In a condition: what it has to have again.
    mutex: Option<Id>,
    /// What it is answered when it has what it waits for.
    answer: Answer,
    /// When it came into the queue.
    since: i64,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum State {
    Dormant,
    Ready,
    Sleeping,
    Waiting(Wait),
}

/// How a thread leaves the kernel when it runs next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Departure {
    Beginning,
    Answered(Answer),
}

#[derive(Clone, Debug)]
pub(crate) struct Thread {
    pub(crate) process: usize,
    first_priority: u8,
    pub(crate) priority: u8,
    /// Relative and absolute.
    deadline: Option<(u64, u64)>,
    pub(crate) state: State,
    pub(crate) generation: u16,
    /// Until when it sleeps or waits, and when it began to.
    alarm: Option<(u64, i64)>,
    /// It is ready because of the clock, and has not run since.
    pub(crate) is_woken: bool,
    /// The level of its priority, and when it came there.
    level: u16,
    arrival: i64,
    /// It came there just now: it does not fall back.
    is_fresh: bool,
    pub(crate) position: Position,
    departure: Option<Departure>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Life {
    Alive,
    /// Its threads from this one on still hold what they held.
    Dying(usize),
    Restoring,
    Dead,
}

#[derive(Clone, Debug)]
pub(crate) struct Process {
    threads: std::ops::Range<usize>,
    pub(crate) max_priority: u8,
    restarts: bool,
    pub(crate) life: Life,
    /// The urgency of the thread that faulted.
    fault: Position,
}

#[derive(Clone, Debug)]
pub(crate) struct Object {
    pub(crate) kind: ObjectKind,
    ceiling: Option<u8>,
    initial: u32,
    most: u32,
    /// By process.
    rights: Vec<u16>,
    pub(crate) exists: bool,
    generation: u16,
    pub(crate) owner: Option<usize>,
    /// Counts up with everything that is taken.
    taken: i64,
    /// Where its ceiling puts its owner as long as it has the mutex: who takes it
    /// goes before all that come to that level later.
    place: Option<Position>,
    /// The last owner ended, and nobody has been told.
    is_orphan: bool,
    pub(crate) count: u32,
}

#[derive(Clone, Debug)]
pub(crate) struct Model {
    pub(crate) threads: Vec<Thread>,
    pub(crate) processes: Vec<Process>,
    pub(crate) objects: Vec<Object>,
    pub(crate) now: u64,
    /// When the clock last brought something.
    pub(crate) last_event: u64,
    deadline_level: u16,
    /// Arrivals at the tail so far, and at the head.
    tail: i64,
    head: i64,
}

fn level_of(priority: u8) -> u16 {
    u16::from(priority) + 1
}

fn refused(error: Error) -> Answer {
    Answer::error(error)
}

impl Model {
    /// A system at boot.
    pub(crate) fn new(tables: &Tables) -> Model {
        let threads = tables.threads.iter().map(|entry| Thread {
            process: entry.process.into(),
            first_priority: entry.priority,
            priority: entry.priority,
            deadline: (entry.policy == Policy::Deadline as u8).then_some((entry.deadline, 0)),
            state: State::Dormant,
            generation: 0,
            alarm: None,
            is_woken: false,
            level: 0,
            arrival: 0,
            is_fresh: true,
            position: Position { level: 0, key: 0 },
            departure: None,
        });
        let processes = tables.processes.iter().map(|entry| Process {
            threads: entry.threads.start.into()
                ..usize::from(entry.threads.start + entry.threads.count),
            max_priority: entry.max_priority,
            restarts: entry.on_fault == FaultPolicy::Restart as u8,
            life: Life::Alive,
            fault: Position { level: 0, key: 0 },
        });
        let kinds = [
            ObjectKind::Mutex,
            ObjectKind::Semaphore,
            ObjectKind::Condition,
        ];
        let objects = tables.objects.iter().map(|entry| Object {
            kind: kinds[usize::from(entry.kind)],
            ceiling: (entry.flags & OBJECT_CEILING != 0).then_some(entry.ceiling),
            initial: entry.initial,
            most: entry.most,
            rights: tables.links[entry.rights.into()..][..tables.processes.len()].to_vec(),
            exists: entry.flags & OBJECT_AT_BOOT != 0,
            generation: 0,
            owner: None,
            taken: 0,
            place: None,
            is_orphan: false,
            count: entry.initial,
        });
        let mut model = Model {
            threads: threads.collect(),
            processes: processes.collect(),
            objects: objects.collect(),
            now: 0,
            last_event: 0,
            deadline_level: level_of(tables.header.deadline_band as u8),
            tail: 0,
            head: 0,
        };
        for thread in 0..model.threads.len() {
            model.start(thread);
        }
        model
    }

    /// Who runs.
    pub(crate) fn running(&self) -> Option<usize> {
        let mut first: Option<usize> = None;
        for (index, thread) in self.threads.iter().enumerate() {
            let can_run = matches!(thread.state, State::Ready)
                && self.processes[thread.process].life == Life::Alive;
            if can_run && first.is_none_or(|f| thread.position.precedes(self.threads[f].position)) {
                first = Some(index);
            }
        }
        first
    }

    /// When something happens by itself next.
    pub(crate) fn next_event(&self) -> Option<u64> {
        let alarms = self.threads.iter().filter_map(|thread| thread.alarm);
        alarms.map(|(at, _)| at).min()
    }

    /// How the thread that runs left the kernel; told once.
    pub(crate) fn take_departure(&mut self, thread: usize) -> Option<Departure> {
        self.threads[thread].is_woken = false;
        self.threads[thread].departure.take()
    }

    /// What a thread has.
    pub(crate) fn owned_by(&self, thread: usize) -> Vec<usize> {
        let owned = |object: &usize| self.objects[*object].owner == Some(thread);
        (0..self.objects.len()).filter(owned).collect()
    }

    /// The id of what lives in a slot now, or will next.
    pub(crate) fn id_of(&self, object: usize) -> Id {
        Id::new(object as u16, self.objects[object].generation)
    }

    /// A call of the thread that runs, after what came before it.
    pub(crate) fn call(&mut self, caller: usize, request: &Request, now: u64) {
        self.pass(now.saturating_sub(1));
        self.now = now;
        if let Some(answer) = self.perform(caller, request) {
            self.threads[caller].departure = Some(Departure::Answered(answer));
        }
        self.settle();
        self.advance(now);
    }

    /// The thread that runs faults.
    pub(crate) fn fault(&mut self, caller: usize, now: u64) {
        let position = self.threads[caller].position;
        let process = &mut self.processes[self.threads[caller].process];
        (process.life, process.fault) = (Life::Dying(process.threads.start), position);
        self.advance(now);
    }

    /// What the clock brings up to an instant, and what is left to be torn down.
    pub(crate) fn advance(&mut self, now: u64) {
        self.pass(now);
        self.now = now;
        self.tear_down();
    }

    /// Events up to an instant, in order.
    fn pass(&mut self, until: u64) {
        loop {
            let alarms = self.threads.iter().enumerate();
            let alarms = alarms.filter_map(|(index, thread)| Some((thread.alarm?, index)));
            match alarms.min() {
                Some(((at, _), thread)) if at <= until => {
                    (self.now, self.last_event) = (at, at);
                    self.expire(thread);
                    self.threads[thread].is_woken = true;
                    self.settle();
                }
                _ => return,
            }
        }
    }

    fn expire(&mut self, thread: usize) {
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
            State::Waiting(_) => self.release(thread, refused(Error::ETIMEDOUT)),
            State::Dormant | State::Ready => unreachable!("an alarm of nobody"),
        }
    }

    // --- who stands where ---

    /// Comes to the tail of its level.
    fn arrive(&mut self, thread: usize) {
        self.tail += 1;
        let level = self.own_level(thread);
        let thread = &mut self.threads[thread];
        (thread.arrival, thread.level, thread.is_fresh) = (self.tail, level, true);
    }

    fn own_level(&self, thread: usize) -> u16 {
        match self.threads[thread].deadline {
            Some(_) => self.deadline_level,
            None => level_of(self.threads[thread].priority),
        }
    }

    /// Where it stands by itself.
    fn base(&self, thread: usize) -> Position {
        let Thread {
            level,
            arrival,
            deadline,
            ..
        } = self.threads[thread];
        let key = match deadline {
            Some((_, at)) if level == self.deadline_level => (at >> 6) as i64,
            _ => arrival,
        };
        Position { level, key }
    }

    /// Where each stands: at its own place, at that of a ceiling, or at that of one
    /// that waits for it.
    fn effective(&self) -> Vec<Position> {
        let all = 0..self.threads.len();
        let mut positions: Vec<Position> = all.clone().map(|thread| self.base(thread)).collect();
        for object in &self.objects {
            if let (Some(owner), Some(place)) = (object.owner, object.place)
                && place.precedes(positions[owner])
            {
                positions[owner] = place;
            }
        }
        let mut has_changed = true;
        while std::mem::take(&mut has_changed) {
            for waiter in all.clone() {
                if let Some(owner) = self.awaited(waiter)
                    && positions[waiter].precedes(positions[owner])
                {
                    positions[owner] = positions[waiter];
                    has_changed = true;
                }
            }
        }
        positions
    }

    /// Who has the mutex that a thread is queued for.
    fn awaited(&self, thread: usize) -> Option<usize> {
        match self.threads[thread].state {
            State::Waiting(wait) => self.objects[wait.object].owner,
            _ => None,
        }
    }

    /// Recomputes where all stand. Who falls back to its own level comes to the head
    /// of that, each once, those that are waited for last.
    fn settle(&mut self) {
        let mut has_moved: Vec<bool> = Vec::new();
        for thread in 0..self.threads.len() {
            let level = self.own_level(thread);
            let before = self.threads[thread].level;
            if level > before {
                self.arrive(thread);
            } else if level < before {
                self.fall(thread);
            }
            has_moved.push(self.threads[thread].is_fresh);
        }
        loop {
            let positions = self.effective();
            let falls = |thread: &usize| {
                let (before, after) = (self.threads[*thread].position, positions[*thread]);
                let is_own = after.level == self.threads[*thread].level;
                !has_moved[*thread] && before.precedes(after) && is_own
            };
            let falling: Vec<usize> = (0..self.threads.len()).filter(falls).collect();
            let is_last = |thread: &&usize| {
                let waits = |other: &usize| self.awaited(*other) == Some(**thread);
                !falling.iter().any(waits)
            };
            match falling.iter().find(is_last).copied() {
                Some(thread) => {
                    self.fall(thread);
                    has_moved[thread] = true;
                }
                None => {
                    for (thread, position) in self.threads.iter_mut().zip(positions) {
                        (thread.position, thread.is_fresh) = (position, false);
                    }
                    return;
                }
            }
        }
    }

    /// Comes to the head of its level.
    fn fall(&mut self, thread: usize) {
        self.head -= 1;
        let level = self.own_level(thread);
        let thread = &mut self.threads[thread];
        (thread.arrival, thread.level, thread.is_fresh) = (self.head, level, true);
    }

    /// Who waits for an object, the most urgent first.
    pub(crate) fn queue(&self, object: usize) -> Vec<usize> {
        let mut queue: Vec<(Position, i64, usize)> = Vec::new();
        for (index, thread) in self.threads.iter().enumerate() {
            if let State::Waiting(wait) = thread.state
                && wait.object == object
            {
                queue.push((thread.position, wait.since, index));
            }
        }
        queue.sort_by_key(|(p, since, _)| (std::cmp::Reverse(p.level), p.key, *since));
        queue.into_iter().map(|(.., thread)| thread).collect()
    }

    // --- threads come and go ---

    fn start(&mut self, thread: usize) {
        let now = self.now;
        let record = &mut self.threads[thread];
        record.priority = record.first_priority;
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
    fn release(&mut self, thread: usize, answer: Answer) {
        self.make_ready(thread, Departure::Answered(answer));
    }

    fn enqueue(&mut self, thread: usize, object: usize, mutex: Option<Id>, answer: Answer) {
        self.arrive(thread);
        let since = self.tail;
        self.threads[thread].state = State::Waiting(Wait {
            object,
            mutex,
            answer,
            since,
        });
        self.settle();
    }

    fn set_alarm(&mut self, thread: usize, until: u64) {
        self.tail += 1;
        let alarm = (until, self.tail);
        self.threads[thread].alarm = (until != NEVER).then_some(alarm);
    }

    /// It dies, and waits for nothing.
    fn leave(&mut self, thread: usize) {
        let record = &mut self.threads[thread];
        (record.state, record.alarm) = (State::Dormant, None);
        self.settle();
    }

    /// It ends, and what it has goes on.
    fn end(&mut self, thread: usize) {
        let record = &mut self.threads[thread];
        record.state = State::Dormant;
        record.alarm = None;
        record.departure = None;
        record.generation = record.generation.wrapping_add(1);
        self.settle();
        while self.give_up_last(thread) {}
    }

    /// What a thread took last goes on, because it ends; `false`: it has nothing.
    fn give_up_last(&mut self, thread: usize) -> bool {
        let owned = self.owned_by(thread).into_iter();
        let Some(last) = owned.max_by_key(|object| self.objects[*object].taken) else {
            return false;
        };
        self.pass_on(last, true);
        true
    }

    // --- objects ---

    /// A mutex goes to its most urgent waiter; `ended`: because its owner did.
    fn pass_on(&mut self, object: usize, ended: bool) {
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
    fn take(&mut self, thread: usize, object: usize, answer: Answer) -> Answer {
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
    fn go_for(&mut self, thread: usize, mutex: Id, answer: Answer) {
        let object = usize::from(mutex.index());
        self.threads[thread].alarm = None;
        let is_there = self.objects[object].exists && self.id_of(object) == mutex;
        if !is_there {
            self.release(thread, refused(Error::EIDRM));
        } else if self.objects[object].owner.is_none() {
            let answer = self.take(thread, object, answer);
            self.release(thread, answer);
        } else {
            self.enqueue(thread, object, None, answer);
        }
        self.settle();
    }

    /// Whom a thread waits for in the end, through conditions too, is `caller`.
    fn closes_circle(&self, caller: usize, object: usize) -> bool {
        let mut next = self.objects[object].owner;
        while let Some(thread) = next {
            if thread == caller {
                return true;
            }
            let State::Waiting(wait) = self.threads[thread].state else {
                return false;
            };
            next = match wait.mutex {
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
    fn slot(&self, caller: usize, index: usize, rights: u16) -> Result<usize, Error> {
        let object = self.objects.get(index).ok_or(Error::ESRCH)?;
        match object.rights[self.threads[caller].process] & rights {
            0 => Err(Error::EPERM),
            _ => Ok(index),
        }
    }

    fn find(&self, caller: usize, id: usize, rights: u16) -> Result<usize, Error> {
        let id = Id(id as u32);
        let object = self.slot(caller, id.index().into(), rights)?;
        match self.objects[object].exists && self.id_of(object) == id {
            true => Ok(object),
            false => Err(Error::ESRCH),
        }
    }

    fn find_kind(&self, caller: usize, id: usize, kinds: &[ObjectKind]) -> Result<usize, Error> {
        let object = self.find(caller, id, RIGHT_USE)?;
        match kinds.contains(&self.objects[object].kind) {
            true => Ok(object),
            false => Err(Error::EINVAL),
        }
    }

    // --- calls ---

    /// What the caller is answered; `None`: nothing now.
    fn perform(&mut self, caller: usize, request: &Request) -> Option<Answer> {
        let [a, b, c, d, ..] = request.arguments;
        let wide = |low: usize, high: usize| (high as u64) << 32 | low as u64;
        let call = Call::from_number(request.number).expect("a call");
        let outcome = match call {
            Call::Yield => {
                self.arrive(caller);
                Ok(Some(Answer::DONE))
            }
            Call::Exit => {
                self.end(caller);
                Ok(None)
            }
            Call::Sleep => Ok(self.sleep(caller, wide(a, b))),
            Call::SetPriority => self.set_priority(caller, a, b),
            Call::CreateObject => self.create(caller, a),
            Call::DeleteObject => self.delete(caller, a),
            Call::OpenObject => self.open(caller, a),
            Call::Lock => self.lock(caller, a, wide(b, c)),
            Call::Unlock => self.unlock(caller, a),
            Call::Wait => self.wait(caller, a, b, wide(c, d)),
            Call::Signal => self.signal(caller, a, 1),
            Call::Broadcast => self.signal(caller, a, usize::MAX),
            other => unreachable!("{other:?} is not part of the model"),
        };
        outcome.unwrap_or_else(|error| Some(refused(error)))
    }

    fn sleep(&mut self, caller: usize, until: u64) -> Option<Answer> {
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

    fn set_priority(
        &mut self,
        caller: usize,
        id: usize,
        priority: usize,
    ) -> Result<Option<Answer>, Error> {
        let id = Id(id as u32);
        let index = usize::from(id.index());
        let thread = self.threads.get(index).ok_or(Error::ESRCH)?;
        if thread.generation != id.generation() {
            return Err(Error::ESRCH);
        }
        let process = self.threads[caller].process;
        if thread.process != process || priority > self.processes[process].max_priority.into() {
            return Err(Error::EPERM);
        }
        if thread.deadline.is_some() {
            return Err(Error::EINVAL);
        }
        let is_same = usize::from(thread.priority) == priority;
        self.threads[index].priority = priority as u8;
        if is_same {
            self.arrive(index);
        }
        Ok(Some(Answer::DONE))
    }

    fn create(&mut self, caller: usize, index: usize) -> Result<Option<Answer>, Error> {
        let slot = self.slot(caller, index, RIGHT_MANAGE)?;
        let object = &mut self.objects[slot];
        if object.exists {
            return Err(Error::EEXIST);
        }
        object.exists = true;
        object.count = object.initial;
        (object.owner, object.is_orphan) = (None, false);
        Ok(Some(Answer::word(self.id_of(slot).0 as usize)))
    }

    fn delete(&mut self, caller: usize, id: usize) -> Result<Option<Answer>, Error> {
        let object = self.find(caller, id, RIGHT_MANAGE)?;
        let waiters = self.queue(object);
        let record = &mut self.objects[object];
        (record.exists, record.owner) = (false, None);
        record.generation = record.generation.wrapping_add(1);
        for waiter in waiters {
            self.release(waiter, refused(Error::EIDRM));
        }
        Ok(Some(Answer::DONE))
    }

    fn open(&mut self, caller: usize, index: usize) -> Result<Option<Answer>, Error> {
        let slot = self.slot(caller, index, RIGHT_USE | RIGHT_MANAGE)?;
        match self.objects[slot].exists {
            true => Ok(Some(Answer::word(self.id_of(slot).0 as usize))),
            false => Err(Error::ESRCH),
        }
    }

    fn lock(&mut self, caller: usize, id: usize, until: u64) -> Result<Option<Answer>, Error> {
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
        self.enqueue(caller, slot, None, Answer::DONE);
        self.set_alarm(caller, until);
        Ok(None)
    }

    fn unlock(&mut self, caller: usize, id: usize) -> Result<Option<Answer>, Error> {
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

    fn wait(
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
        self.enqueue(caller, slot, Some(id), Answer::DONE);
        self.set_alarm(caller, until);
        Ok(None)
    }

    /// So many leave a condition, one after the other.
    fn signal(&mut self, caller: usize, id: usize, count: usize) -> Result<Option<Answer>, Error> {
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

    // --- processes ---

    /// How urgent a teardown is: as the thread that faulted, as one that waits for
    /// what its threads still have, or as a ceiling of that.
    fn urgency_of_teardown(&self, process: &Process) -> Position {
        let mut most = process.fault;
        for (index, object) in self.objects.iter().enumerate() {
            let owner = object.owner;
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
    fn tear_down(&mut self) {
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
                    self.end(thread);
                }
            }
            Life::Dying(_) if record.restarts => record.life = Life::Restoring,
            Life::Dying(_) => record.life = Life::Dead,
            _ => {
                record.life = Life::Alive;
                for thread in record.threads.clone() {
                    self.start(thread);
                }
            }
        }
    }
}

/// For people: who stands where.
impl std::fmt::Display for Model {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (index, thread) in self.threads.iter().enumerate() {
            let Thread {
                process,
                priority,
                state,
                position,
                alarm,
                ..
            } = thread;
            let alarm = alarm.map(|(at, _)| at);
            writeln!(
                f,
                "thread {index} of {process}, priority {priority}, {position:?}, {state:?}, {alarm:?}"
            )?;
        }
        for (index, object) in self.objects.iter().enumerate() {
            let queue = self.queue(index);
            writeln!(f, "object {index}, queue {queue:?}: {object:?}")?;
        }
        for (index, process) in self.processes.iter().enumerate() {
            writeln!(f, "process {index}: {:?}", process.life)?;
        }
        Ok(())
    }
}
