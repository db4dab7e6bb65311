//! The model: what a kernel does with an event, computed from lists.
//!
//! Who waits for what stands with the waiter ([`State`]). The ready queue is one list,
//! most urgent first ([`queue`]); wait lists are whoever waits for the object, sorted
//! when they are looked at ([`Model::waiters`]). Nothing is inherited: who runs is
//! the end of the chain of the first in the queue ([`Model::runs`]).

mod calls;
mod check;
mod mail;
mod parking;
mod place;
mod processes;
mod queue;
mod receiving;
mod requests;
mod sending;
mod servers;
mod sync;
mod threads;
mod time;
mod view;
mod wait;
mod words;

pub use mail::Message;
pub use place::Urgency;
pub use queue::Entry;
pub use words::Word;

use crate::request::{Reply, Request};
use crate::system::{Kind, Scheduling, System};
use giornata_abi::Error;
use giornata_abi::id::Id;
use giornata_abi::trace::FaultCause;
use mail::Wish;
use std::ops::Range;

/// What a call comes to now; `None`: its reply comes later, or it has none.
type Outcome = Result<Option<Reply>, Error>;

/// What enters a kernel, or what the running thread writes to its memory.
#[derive(Clone, Debug)]
pub enum Event {
    /// A system call of the running thread.
    Call(Request),
    /// The same; after so many waiters have been woken this interrupt is found waiting.
    CallInterrupted(Request, usize, usize),
    /// The running thread faults.
    Fault(FaultCause),
    /// The timer rings, perhaps early.
    Timer,
    /// An interrupt line rises.
    Interrupt(usize),
    /// No entry: the running thread publishes a ceiling in its control page, 0 for none.
    Publish(u8),
    /// No entry: the running thread notes the mutex that it will lock after its next wait.
    Announce(Option<Id>),
    /// No entry: the running thread writes the word of a private mutex.
    Store(usize, Word),
}

/// What a thread does, or waits for.
#[derive(Clone, Debug, PartialEq)]
pub enum State {
    /// Nobody, or a thread that has ended.
    Dormant,
    /// It can run.
    Ready,
    /// It waits for a mutex: its owner runs in its place. What it returns when it
    /// owns the mutex.
    Wants {
        /// The mutex.
        mutex: usize,
        /// What its call returns then.
        reply: Reply,
        /// The mutex is one that it announced: what it noted is answered there.
        announced: bool,
    },
    /// It waits for the reply to a call: the server runs in its place.
    Calls {
        /// The server that has the request in its hand; none: it is queued.
        server: Option<usize>,
        /// The mailbox in which it is, or was last.
        mailbox: usize,
        /// Who replies must know it, once the server has the request.
        token: u32,
    },
    /// It waits for something that nobody owes it.
    Blocked(Reason),
}

/// What a blocked thread waits for.
#[derive(Clone, Debug, PartialEq)]
pub enum Reason {
    /// An instant.
    Sleep,
    /// The semaphore.
    Semaphore(usize),
    /// The condition; then it wants the mutex.
    Condition(usize, Id),
    /// A message of the mailbox.
    Message(usize, Wish),
    /// The end of the thread.
    Join(usize),
    /// The end of a process that its own supervises.
    Process,
    /// The interrupt line.
    Line(usize),
}

/// Where a waiter hangs that has left the ready queue because the end of its chain
/// cannot run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parking {
    /// On the thread that it waits for itself.
    Thread(usize),
    /// On a mailbox that nobody serves.
    Mailbox(usize),
}

/// How a thread goes on when it runs next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Resumption {
    /// From where it was interrupted, or from a call that has returned already.
    Continues,
    /// At its beginning.
    Begins,
    /// Its call returns.
    Returns(Reply),
}

/// What the kernel notes where a thread announced a mutex.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Noted {
    /// The thread owns the mutex.
    Taken,
    /// The same, and its last owner ended without giving it back.
    TakenFromDead,
}

/// Who is in the place of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tenancy {
    /// One that begins with its process.
    Given,
    /// Nobody.
    Free,
    /// A created thread that can be joined.
    Joinable,
    /// A created thread that nobody will join.
    Detached,
    /// One that ended with this value, and is to be joined.
    Ended(u32),
}

/// A thread.
#[derive(Clone, Debug)]
pub struct Thread {
    process: usize,
    scheduling: Scheduling,
    /// Its fixed priority.
    priority: u8,
    /// Its absolute deadline, if it is scheduled by one.
    deadline: u64,
    state: State,
    resumption: Resumption,
    /// The call that it makes again as soon as it has its turn, and where that goes on.
    again: Option<(Request, Option<u64>)>,
    serial: u32,
    tenancy: Tenancy,
    /// Its place, as it is noted where it stands.
    rank: Option<Urgency>,
    /// When it asked for what it waits for, as a serial number.
    asked: u64,
    /// Until when it waits, and when the timer was armed, as a serial number.
    alarm: Option<(u64, u64)>,
    parked: Option<Parking>,
    /// The urgency of the request in its hand, whose client has ended.
    late: Option<Urgency>,
    /// Whose request it received last, and the token of the reply.
    client: Option<(usize, u32)>,
    /// What it asked for in its own call, and with what priority.
    request: Option<(u8, Vec<u8>)>,
    /// The mailbox from which it received last.
    received_from: Option<Id>,
    /// It has been the server of a mailbox.
    serves: bool,
    /// The message that it is about to receive.
    bound: Option<Message>,
    /// The mutexes that it owns, in the order in which its end gives them back.
    held: Vec<usize>,
    /// The mutex that it was granted, of which its memory does not know yet.
    granted: Option<usize>,
    /// The ceiling in its control page; the kernel has put a switch off for it.
    published: u8,
    put_off: bool,
    /// The ceiling by which it was moved in the queue.
    deferred: Option<u8>,
    /// The mutex that it will lock after its next wait, as it told.
    announced: Option<Id>,
    /// What the kernel noted there: it owns the mutex; its last owner ended.
    noted: Option<Noted>,
    /// Ticks left of its quantum; of its budget.
    quantum: u64,
    budget: u64,
    /// When its budget is replenished.
    replenished: u64,
}

/// The life of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Life {
    /// Its threads run.
    Alive,
    /// It has ended, and is being torn down.
    Dying,
    /// It is being restored, to begin.
    Restoring,
    /// It has ended, or has not begun.
    Dead,
}

/// A process.
#[derive(Clone, Debug)]
pub struct Process {
    threads: Range<usize>,
    life: Life,
    /// How often it began anew.
    generation: u32,
    /// Pieces of its end that are done.
    progress: usize,
    /// Why it ends; none if it is started by call.
    cause: Option<FaultCause>,
    /// What its supervisor has not been told.
    news: Option<u32>,
    /// Free places for created threads; the last is taken first.
    places: Vec<usize>,
}

/// An object.
#[derive(Clone, Debug)]
pub struct Object {
    kind: Kind,
    exists: bool,
    serial: u32,
    /// Who owns the mutex.
    owner: Option<usize>,
    /// The last owner ended, and nobody has been told.
    abandoned: bool,
    count: u32,
    /// Messages of a mailbox, the next one first.
    messages: Vec<Message>,
    /// Who received from the mailbox last; it asked for all, and serves it.
    reader: Option<usize>,
    served: bool,
    /// When that one became the last, as a serial number.
    read: u64,
    /// The urgency of the message in the server's hand.
    hand: Option<Urgency>,
    /// The mailbox of the server that it is attached to.
    attached: Option<usize>,
    /// Of a private mutex: the word in its process's memory; the kernel knows more.
    word: Word,
    taken_over: bool,
}

/// An interrupt line.
#[derive(Clone, Copy, Debug, Default)]
pub struct Line {
    masked: bool,
    /// It rose when nobody waited: once for the kernel; once while it was masked.
    latched: bool,
    risen: bool,
}

/// A system and what it does.
#[derive(Clone, Debug)]
pub struct Model {
    system: System,
    threads: Vec<Thread>,
    processes: Vec<Process>,
    objects: Vec<Object>,
    lines: Vec<Line>,
    queue: Vec<Entry>,
    runs: Option<usize>,
    now: u64,
    /// Goes up with each question, alarm and token.
    serial: u64,
    /// What an interrupted call may still wake.
    pieces: Option<usize>,
}

impl Model {
    /// A system at boot, at instant 0.
    pub fn new(system: &System) -> Model {
        let mut model = Model {
            threads: system.threads.iter().map(threads::vacant).collect(),
            processes: processes::all(system),
            objects: system.objects.iter().map(object).collect(),
            // (nobody has waited for one yet)
            lines: vec![
                Line {
                    masked: true,
                    ..Line::default()
                };
                system.lines.len()
            ],
            queue: Vec::new(),
            runs: None,
            now: 0,
            serial: 0,
            pieces: None,
            system: system.clone(),
        };
        for process in 0..model.processes.len() {
            if !model.system.processes[process].by_call {
                model.begin(process);
            }
        }
        model.dispatch();
        model
    }

    /// What comes at an instant, which is not before the last one.
    pub fn apply(&mut self, event: &Event, now: u64) {
        let is_due = self.next_event().is_some_and(|at| at <= now);
        self.charge(now);
        self.now = now;
        match event {
            Event::Publish(ceiling) => self.running().published = *ceiling,
            Event::Announce(mutex) => {
                let runs = self.running();
                (runs.announced, runs.noted) = (*mutex, None);
            }
            Event::Store(object, word) => self.objects[*object].word = *word,
            _ => {
                self.enter(event, is_due);
                self.leave();
            }
        }
    }

    /// Somebody runs in user mode, or nobody: whose call was put back makes it first, and
    /// what is due rings before.
    fn leave(&mut self) {
        loop {
            self.dispatch();
            if self.interrupt() {
                continue;
            }
            // who was granted a private mutex says so when it runs
            if let Some(runs) = self.runs
                && let Some(mutex) = self.threads[runs].granted.take()
            {
                self.publish(mutex);
            }
            let Some(runs) = self.runs else { return };
            let Some((request, from)) = self.threads[runs].again.take() else {
                return;
            };
            self.call(runs, &request, from);
        }
    }

    fn running(&mut self) -> &mut Thread {
        let runs = self.runs.expect("somebody runs");
        &mut self.threads[runs]
    }

    fn enter(&mut self, event: &Event, is_due: bool) {
        if let Event::Call(request) | Event::CallInterrupted(request, ..) = event {
            let caller = self.runs.expect("somebody runs");
            // an instant that has come before the call goes first, and whom it wakes too
            if is_due {
                self.ring();
                self.dispatch();
            }
            if self.runs != Some(caller) {
                self.threads[caller].again = Some((request.clone(), None));
                return;
            }
            if let Event::CallInterrupted(_, pieces, line) = event {
                self.pieces = Some(*pieces);
                self.call(caller, request, None);
                self.pieces = None;
                self.lines[*line].risen = true;
                let _ = self.interrupt();
            } else {
                self.call(caller, request, None);
            }
            return;
        }
        match (event, self.runs) {
            (Event::Fault(cause), Some(caller)) => {
                let urgency = self.own(caller);
                self.strike(self.threads[caller].process, *cause, urgency);
            }
            (Event::Interrupt(line), _) => {
                self.lines[*line].risen = true;
                let _ = self.interrupt();
            }
            (Event::Timer, _) => self.ring(),
            (event, caller) => unreachable!("{event:?} of {caller:?}"),
        }
    }

    /// The next serial number.
    fn next_serial(&mut self) -> u64 {
        self.serial += 1;
        self.serial
    }
}

fn object(spec: &crate::system::ObjectSpec) -> Object {
    Object {
        kind: spec.kind,
        exists: spec.at_boot,
        serial: spec.at_boot.into(),
        owner: None,
        abandoned: false,
        count: match spec.kind {
            Kind::Semaphore { initial, .. } => initial,
            _ => 0,
        },
        messages: Vec::new(),
        reader: None,
        served: false,
        read: 0,
        hand: None,
        attached: match spec.kind {
            Kind::Mailbox { server } => server,
            _ => None,
        },
        word: Word::Free,
        taken_over: false,
    }
}
