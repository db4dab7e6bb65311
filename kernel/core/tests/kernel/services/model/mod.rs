//! Services said once more, without a look at how the kernel does it.
//!
//! What a thread waits for stands with the thread; a queue is whoever waits for
//! the object, by urgency. Effective urgencies are recomputed from what each
//! thread is by itself, and from the messages that it has as a server, until
//! nothing changes ([`Model::effective`]).

mod calls;
mod lives;
mod mail;
mod objects;
mod urgency;

pub(crate) use mail::pattern;

use giornata_abi::call::{Answer, Request};
use giornata_abi::id::NONE;
use giornata_abi::system::{FaultPolicy, OBJECT_AT_BOOT, OBJECT_CEILING, ObjectKind, Policy};
use giornata_abi::trace::FaultCause;
use giornata_abi::{Error, Id};
use giornata_sim::Tables;
use mail::{Letter, Wish};
use urgency::level_of;

/// Waits for ever.
pub(crate) const NEVER: u64 = u64::MAX;

/// The higher level, then the earlier key, is more urgent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Position {
    pub(crate) level: u16,
    pub(crate) key: i64,
}

/// What a thread waits for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wait {
    pub(crate) object: usize,
    /// In a condition: what it has to have again.
    mutex: Option<Id>,
    /// In a mailbox: how it wants its message.
    wish: Wish,
    /// What it is answered when it has what it waits for.
    answer: Answer,
    /// When it came to where it stands in the queue.
    since: i64,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum State {
    Dormant,
    Ready,
    Sleeping,
    Waiting(Wait),
    /// For the end of this thread; of a process.
    Joining(Option<usize>),
}

/// How a thread leaves the kernel when it runs next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Departure {
    Beginning,
    Answered(Answer),
}

/// Who may be in the place of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// One that the system has from the start.
    Given,
    /// Nobody.
    Free,
    Joinable,
    Detached,
    /// One that ended with this value, and is to be joined.
    Ended(usize),
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
    pub(crate) place: Place,
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
    /// The mailbox into which its last message went.
    asked: Option<usize>,
    /// As a server: the message that it is at work on.
    in_hand: Option<Letter>,
    /// The mailbox that this came out of.
    taken_from: Option<usize>,
    /// As a server, it had messages when urgencies were last computed.
    had_letters: bool,
    /// What it received into its memory, and where, since it last ran.
    received: Option<(usize, Vec<u8>)>,
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
    /// The urgency of the thread that faulted, killed or started it.
    fault: Position,
    /// How often it began anew.
    generation: usize,
    /// Why it dies; nothing if it is being started by call.
    cause: Option<FaultCause>,
    /// What its supervisor has not been told: the cause, and bit 16 if it lives.
    news: Option<usize>,
    pub(crate) supervisor: Option<usize>,
    /// Free places for threads; the last is taken first.
    places: Vec<usize>,
    /// Messages that it can have under way, and bytes of a long one.
    messages: usize,
    message_size: usize,
    /// Its memory: where it begins, what there is, what is taken.
    heap: usize,
    heap_size: usize,
    allotted: usize,
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
    /// Who has the mutex; who serves the mailbox.
    pub(crate) owner: Option<usize>,
    /// Counts up with everything that is taken.
    taken: i64,
    /// Where its ceiling puts its owner as long as it has the mutex: who takes it
    /// goes before all that come to that level later.
    place: Option<Position>,
    /// The last owner ended, and nobody has been told.
    is_orphan: bool,
    pub(crate) count: u32,
    /// Of a mailbox: the server's that it is attached to, by the system and now.
    first_server: Option<usize>,
    pub(crate) server: Option<usize>,
    /// Of a mailbox: its messages, the first one first.
    pub(crate) letters: Vec<Letter>,
    /// Of a mailbox: who received last.
    reader: Option<usize>,
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
    /// Threads lent each other their urgency in a circle, or several waited for one
    /// message at a server: nothing says who is how urgent since then.
    pub(crate) is_moot: bool,
}

fn refused(error: Error) -> Answer {
    Answer::error(error)
}

fn present(index: u16) -> Option<usize> {
    (index != NONE).then_some(index.into())
}

impl Model {
    /// A system at boot.
    pub(crate) fn new(tables: &Tables) -> Model {
        let mut model = Model {
            threads: threads(tables),
            processes: processes(tables),
            objects: objects(tables),
            now: 0,
            last_event: 0,
            deadline_level: level_of(tables.header.deadline_band as u8),
            tail: 0,
            head: 0,
            is_moot: false,
        };
        for (process, entry) in tables.processes.iter().enumerate() {
            match entry.by_call {
                0 => model.begin(process),
                _ => model.processes[process].life = Life::Dead,
            }
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

    /// What the thread that runs got into its memory, and where; told once.
    pub(crate) fn take_received(&mut self, thread: usize) -> Option<(usize, Vec<u8>)> {
        self.threads[thread].received.take()
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

    /// The id of who is in a thread's place, or will be next.
    pub(crate) fn id_of_thread(&self, thread: usize) -> Id {
        Id::new(thread as u16, self.threads[thread].generation)
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
    pub(crate) fn fault(&mut self, caller: usize, cause: FaultCause, now: u64) {
        let position = self.threads[caller].position;
        self.strike(self.threads[caller].process, cause, position);
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
}

fn threads(tables: &Tables) -> Vec<Thread> {
    let threads = tables.threads.iter().map(|entry| Thread {
        process: entry.process.into(),
        first_priority: entry.priority,
        priority: entry.priority,
        deadline: (entry.policy == Policy::Deadline as u8).then_some((entry.deadline, 0)),
        state: State::Dormant,
        generation: 0,
        place: match entry.spare {
            0 => Place::Given,
            _ => Place::Free,
        },
        alarm: None,
        is_woken: false,
        level: 0,
        arrival: 0,
        is_fresh: true,
        position: Position { level: 0, key: 0 },
        departure: None,
        asked: None,
        in_hand: None,
        taken_from: None,
        had_letters: false,
        received: None,
    });
    threads.collect()
}

fn processes(tables: &Tables) -> Vec<Process> {
    let processes = tables.processes.iter().map(|entry| Process {
        threads: entry.threads.start.into()..usize::from(entry.threads.start + entry.threads.count),
        max_priority: entry.max_priority,
        restarts: entry.on_fault == FaultPolicy::Restart as u8,
        life: Life::Alive,
        fault: Position { level: 0, key: 0 },
        generation: 0,
        cause: None,
        news: None,
        supervisor: present(entry.supervisor),
        places: Vec::new(),
        messages: entry.messages.count.into(),
        message_size: entry.message_size as usize,
        heap: entry.heap as usize,
        heap_size: entry.heap_size as usize,
        allotted: 0,
    });
    processes.collect()
}

fn objects(tables: &Tables) -> Vec<Object> {
    let kinds = [
        ObjectKind::Mutex,
        ObjectKind::Semaphore,
        ObjectKind::Condition,
        ObjectKind::Mailbox,
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
        first_server: present(entry.server),
        server: present(entry.server),
        letters: Vec::new(),
        reader: None,
    });
    objects.collect()
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
                place,
                asked,
                in_hand,
                ..
            } = thread;
            let alarm = alarm.map(|(at, _)| at);
            writeln!(
                f,
                "thread {index} of {process}, priority {priority}, {position:?}, {state:?}, \
                 {alarm:?}, {place:?}, asked {asked:?}, has {in_hand:?}"
            )?;
        }
        for (index, object) in self.objects.iter().enumerate() {
            let queue = self.queue(index);
            writeln!(f, "object {index}, queue {queue:?}: {object:?}")?;
        }
        for (index, process) in self.processes.iter().enumerate() {
            writeln!(f, "process {index}: {process:?}")?;
        }
        Ok(())
    }
}
