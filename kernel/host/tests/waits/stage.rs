//! A system in which one thread waits, and others end its wait.
//!
//! ```text
//!  process 0   director       ends processes
//!  process 1   sibling        interrupts, gives, deletes; owns the mutex if that is parked on
//!              ending         is joined
//!              waiter         waits
//!              low            owns the mutex that is wanted while its owner is ready
//!  process 2   partner        serves calls
//! ```
//! All but the waiter and `low` sleep until the instant at which they act, and precede the
//! waiter then, so it sees both actions at once.

use giornata_abi::call::Call;
use giornata_abi::control::ControlPage;
use giornata_abi::posix;
use giornata_abi::system::FaultPolicy;
use giornata_core::sched::thread::role;
use giornata_host::{MEMORY, Rig};
use giornata_records::{Description, Line, Object, ObjectKind, Process, Rights, Thread};

/// An instant that never comes, in two registers.
pub(crate) const EVER: [usize; 2] = [0xFFFF_FFFF; 2];
/// The instant at which two actions come.
pub(crate) const T: usize = 100;
/// When whoever wants a mutex asks for it: its owner has it by then.
const ASKS: usize = 10;

pub(crate) const DIRECTOR: usize = 0;
pub(crate) const SIBLING: usize = 1;
pub(crate) const ENDING: usize = 2;
pub(crate) const WAITER: usize = 3;
pub(crate) const LOW: usize = 4;
pub(crate) const PARTNER: usize = 5;
/// The process of the waiter.
pub(crate) const OWN: usize = 1;
const PARTNERS: usize = 2;

const SEMAPHORE: usize = 0;
const MUTEX: usize = 1;
const CONDITION: usize = 2;
/// From which the waiter receives.
const INBOX: usize = 3;
/// From which the partner receives.
const SERVICE: usize = 4;
const LINE: u32 = 7;

/// The user address of a process's data, and its bytes.
const DATA: usize = 0x40_0000;
const DATA_SIZE: usize = 0x1000;
const FUNCTION: usize = 0x1234;

/// What the thread waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wait {
    Sleep,
    Semaphore,
    /// Its owner is ready.
    Mutex,
    /// Its owner sleeps.
    ParkedMutex,
    Condition,
    /// And its mutex has another owner when it is signalled.
    ContendedCondition,
    Words,
    Bytes,
    /// Of a server that does something else.
    QueuedCall,
    /// Of a server that has the request.
    Reply,
    Join,
    Line,
}

impl Wait {
    pub(crate) const ALL: [Wait; 12] = [
        Wait::Sleep,
        Wait::Semaphore,
        Wait::Mutex,
        Wait::ParkedMutex,
        Wait::Condition,
        Wait::ContendedCondition,
        Wait::Words,
        Wait::Bytes,
        Wait::QueuedCall,
        Wait::Reply,
        Wait::Join,
        Wait::Line,
    ];

    pub(crate) fn is_call(self) -> bool {
        matches!(self, Wait::QueuedCall | Wait::Reply)
    }

    /// Whether it takes an instant until which it waits.
    fn is_timed(self) -> bool {
        !self.is_call() && !matches!(self, Wait::Line | Wait::Sleep)
    }

    /// The object for which it waits, if it can be deleted.
    fn object(self) -> Option<usize> {
        match self {
            Wait::Semaphore => Some(SEMAPHORE),
            Wait::Mutex | Wait::ParkedMutex => Some(MUTEX),
            Wait::Condition | Wait::ContendedCondition => Some(CONDITION),
            Wait::Words | Wait::Bytes => Some(INBOX),
            Wait::QueuedCall => Some(SERVICE),
            Wait::Sleep | Wait::Reply | Wait::Join | Wait::Line => None,
        }
    }
}

/// What comes at the instant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Action {
    /// What it waits for.
    Event,
    Timeout,
    Signal,
    /// Of its process, which is restarted.
    Death,
    /// Of the process of the partner, which is restarted.
    PartnerDeath,
    /// Of the object.
    Delete,
    /// It gets another priority.
    Priority,
}

impl Action {
    pub(crate) const ALL: [Action; 7] = [
        Action::Event,
        Action::Timeout,
        Action::Signal,
        Action::Death,
        Action::PartnerDeath,
        Action::Delete,
        Action::Priority,
    ];

    /// Whether it is something that can happen to a wait.
    pub(crate) fn is_possible(self, wait: Wait) -> bool {
        match self {
            Action::Timeout => wait.is_timed(),
            Action::Delete => wait.object().is_some(),
            _ => true,
        }
    }

    /// Whether it ends a wait if nothing else does.
    pub(crate) fn ends(self, wait: Wait) -> bool {
        match self {
            Action::Event | Action::Timeout | Action::Death => true,
            Action::Signal => !wait.is_call(),
            // (who has a request in its hand is restarted without it)
            Action::PartnerDeath => wait == Wait::Reply,
            Action::Delete => true,
            Action::Priority => false,
        }
    }

    /// Who does it; none: the machine.
    fn actor(self, wait: Wait) -> Option<usize> {
        match self {
            Action::Death | Action::PartnerDeath => Some(DIRECTOR),
            Action::Signal | Action::Delete | Action::Priority => Some(SIBLING),
            Action::Timeout => None,
            Action::Event => match wait {
                Wait::Sleep | Wait::Line | Wait::Mutex => None,
                Wait::QueuedCall | Wait::Reply => Some(PARTNER),
                Wait::Join => Some(ENDING),
                _ => Some(SIBLING),
            },
        }
    }
}

pub(crate) struct Stage {
    pub(crate) rig: Rig,
    wait: Wait,
    actions: [Action; 2],
    done: [bool; 2],
    /// What the waiter's wait has returned.
    pub(crate) returned: Vec<usize>,
    /// The waiter has begun anew.
    pub(crate) restarted: bool,
    /// Semaphores that were given.
    given: usize,
    waits: bool,
    serial: u32,
}

fn object(kind: ObjectKind) -> Object {
    Object {
        kind,
        at_boot: true,
        initial: 0,
        most: 100,
        ceiling: None,
        private: false,
        server: None,
        rights: vec![
            Rights {
                used: true,
                managed: true,
                received: true,
                direct: true,
                full: false,
            };
            3
        ],
    }
}

fn describe(priorities: [u8; 6]) -> Description {
    let process = |index: usize| Process {
        max_priority: 255,
        data: (
            (DATA + index * 0x1_0000) as u64,
            DATA_SIZE as u64,
            (MEMORY + index * DATA_SIZE) as u64,
        ),
        image: (0, 0, 0),
        messages: (4, 200),
        rooms: Some((MEMORY + 0x8_0000 + index * 0x1000) as u64),
        supervisor: (index != 0).then_some(0),
        on_fault: (index != 0).then_some(FaultPolicy::Restart),
        ..Process::default()
    };
    let owners = [0, 1, 1, 1, 1, 2];
    let thread = |(index, priority): (usize, u8)| Thread {
        process: owners[index],
        priority,
        role: role::AUTOSTART,
        stack: (
            (DATA + owners[index] * 0x1_0000 + 0x200 * (index + 1)) as u64,
            0x200,
        ),
        pointers: (0, 7 + size_of::<ControlPage>() as u64),
        control: (MEMORY + 0x9_0000 + index * 64) as u64,
        ..Thread::default()
    };
    Description {
        band: 200,
        processes: (0..3).map(process).collect(),
        threads: priorities.into_iter().enumerate().map(thread).collect(),
        objects: [
            ObjectKind::Semaphore,
            ObjectKind::Mutex,
            ObjectKind::Condition,
            ObjectKind::Mailbox,
            ObjectKind::Mailbox,
        ]
        .map(object)
        .into(),
        lines: vec![Line {
            number: LINE,
            process: Some(OWN),
            ..Line::default()
        }],
        trace_records: 64,
        ..Description::default()
    }
}

impl Stage {
    /// Whoever does the first is more urgent than who does the second.
    pub(crate) fn new(wait: Wait, first: Action, second: Action) -> Stage {
        let mut priorities = [70, 71, 72, 50, 10, 73];
        if let Some(actor) = second.actor(wait) {
            priorities[actor] = 80;
        }
        if let Some(actor) = first.actor(wait) {
            priorities[actor] = 90;
        }
        let rig = Rig::boot(&describe(priorities));
        rig.check_invariants();
        Stage {
            rig,
            wait,
            actions: [first, second],
            done: [false; 2],
            returned: Vec::new(),
            restarted: false,
            given: 0,
            waits: false,
            serial: 1,
        }
    }

    fn call(&mut self, call: Call, arguments: &[usize]) -> Option<[usize; 7]> {
        let mut all = [0; 6];
        all[..arguments.len()].copy_from_slice(arguments);
        let results = self.rig.call(call, all);
        self.rig.check_invariants();
        results
    }

    fn sleep(&mut self, until: usize) {
        self.call(Call::Sleep, &[until, 0]);
    }

    /// The serial number of an object's tenant.
    fn tenant(&self, slot: usize) -> usize {
        self.rig.object(slot).serial.get() as usize
    }

    /// Until the instant at which the waiter's wait ends by itself.
    fn until(&self) -> [usize; 2] {
        match self.actions.contains(&Action::Timeout) {
            true => [T, 0],
            false => EVER,
        }
    }

    /// Everybody is where the actions find it: the waiter waits, who acts sleeps.
    pub(crate) fn begin(&mut self) {
        while !self.rig.is_idle() || (self.rig.now() as usize) < ASKS {
            if self.rig.is_idle() || self.rig.running() == LOW && self.low_has_begun() {
                self.advance_to(ASKS);
                if self.waits {
                    return;
                }
                continue;
            }
            match self.rig.running() {
                WAITER if (self.rig.now() as usize) < ASKS => self.sleep(ASKS),
                WAITER => self.begin_wait(),
                LOW if self.wait == Wait::Mutex => {
                    self.call(Call::Lock, &[MUTEX, 1, 0, 0]);
                }
                LOW => self.sleep(usize::MAX >> 40),
                SIBLING if self.needs_sibling_as_owner() => {
                    self.call(Call::Lock, &[MUTEX, 1, 0, 0]);
                    self.sleep(T);
                }
                SIBLING | ENDING | DIRECTOR => self.sleep(T),
                PARTNER if self.wait == Wait::Reply => {
                    if self.rig.thread(PARTNER).timeout().is_none() && !self.has_request() {
                        self.call(Call::Receive, &[SERVICE, 1, EVER[0], EVER[1]]);
                    } else {
                        self.sleep(T);
                    }
                }
                PARTNER => {
                    // (so that it is known as who serves)
                    self.call(Call::Receive, &[SERVICE, 1, 0, 0]);
                    self.sleep(T);
                }
                other => panic!("{other} runs"),
            }
        }
    }

    fn needs_sibling_as_owner(&self) -> bool {
        self.wait == Wait::ParkedMutex && self.rig.object(MUTEX).owner().is_none()
    }

    fn low_has_begun(&self) -> bool {
        self.wait == Wait::Mutex && self.rig.object(MUTEX).owner().is_some()
    }

    fn has_request(&self) -> bool {
        self.rig.thread(WAITER).wants().is_some()
    }

    fn begin_wait(&mut self) {
        self.waits = true;
        self.serial = self.rig.thread(WAITER).serial.get();
        let [low, high] = self.until();
        let address = DATA + OWN * 0x1_0000 + 0xC00;
        self.rig.take_results(WAITER);
        match self.wait {
            Wait::Sleep if self.actions.contains(&Action::Event) => self.call(Call::Sleep, &[T, 0]),
            Wait::Sleep => self.call(Call::Sleep, &[0, 1]),
            Wait::Semaphore => self.call(Call::Lock, &[SEMAPHORE, 1, low, high]),
            Wait::Mutex | Wait::ParkedMutex => self.call(Call::Lock, &[MUTEX, 1, low, high]),
            Wait::Condition | Wait::ContendedCondition => {
                self.call(Call::Lock, &[MUTEX, 1, 0, 0]);
                self.call(Call::Wait, &[CONDITION, 1, MUTEX, low, high])
            }
            Wait::Words => self.call(Call::Receive, &[INBOX, 1, low, high]),
            Wait::Bytes => self.call(Call::ReceiveBytes, &[INBOX, 1, low, high, address, 200]),
            Wait::QueuedCall | Wait::Reply => self.call(Call::Call, &[SERVICE, 1, 1, 2, 3, 4]),
            Wait::Join => {
                // (it is one of the system file, so it is made one that can be joined)
                let ending = self.rig.thread(ENDING);
                ending
                    .tenancy
                    .set(giornata_core::sched::thread::tenancy::JOINABLE);
                self.call(Call::JoinThread, &[ENDING, 1, low, high])
            }
            Wait::Line => self.call(Call::AwaitInterrupt, &[LINE as usize]),
        };
        assert!(
            self.rig.take_results(WAITER).is_none(),
            "{:?} waits",
            self.wait
        );
    }

    /// Ticks pass up to an instant, without a look at what a thread that runs then does.
    pub(crate) fn advance_to(&mut self, tick: usize) {
        let left = tick.saturating_sub(self.rig.now() as usize);
        self.rig.advance(left as u64);
        self.rig.check_invariants();
    }

    /// The actions come: each of who acts does its part and sleeps for ever.
    pub(crate) fn act(&mut self) {
        if self.actions.contains(&Action::Event) && self.wait == Wait::Line {
            self.raise();
        }
        for _ in 0..64 {
            if self.rig.is_idle() {
                return;
            }
            let runs = self.rig.running();
            if matches!(runs, WAITER | LOW) {
                return;
            }
            for (index, action) in self.actions.into_iter().enumerate() {
                if self.rig.running() == runs && !self.done[index] && self.is_actor(action, runs) {
                    self.done[index] = true;
                    self.carry_out(action);
                }
            }
            if !self.rig.is_idle() && self.rig.running() == runs {
                match runs {
                    PARTNER => self.serve(),
                    _ => self.rest(),
                }
            }
        }
    }

    fn is_actor(&self, action: Action, thread: usize) -> bool {
        action.is_possible(self.wait)
            && action.actor(self.wait) == Some(thread)
            && self.rig.thread(thread).serial.get() == 1
    }

    /// The running thread does nothing any more.
    fn rest(&mut self) {
        self.call(Call::Sleep, &[0, 1]);
    }

    fn carry_out(&mut self, action: Action) {
        let waiter = self.rig.thread(WAITER);
        match action {
            Action::Event => self.event(),
            Action::Timeout => {}
            Action::Signal => {
                let operation = posix::Operation::Interrupt as usize;
                let serial = waiter.serial.get() as usize;
                let arguments = [operation, WAITER, serial, FUNCTION, 0, 0];
                self.rig.call_number(posix::CALL, arguments);
                self.rig.check_invariants();
            }
            Action::Death => drop(self.call(Call::KillProcess, &[OWN])),
            Action::PartnerDeath => drop(self.call(Call::KillProcess, &[PARTNERS])),
            Action::Delete => {
                if let Some(slot) = self.wait.object() {
                    self.call(Call::DeleteObject, &[slot, self.tenant(slot)]);
                }
            }
            Action::Priority => {
                let serial = waiter.serial.get() as usize;
                self.call(Call::SetPriority, &[WAITER, serial, 55]);
            }
        }
    }

    fn event(&mut self) {
        match self.wait {
            Wait::Semaphore => {
                let results = self.call(Call::Unlock, &[SEMAPHORE, 1, 0]);
                self.given += usize::from(results.is_none_or(|results| results[0] == 0));
            }
            Wait::ParkedMutex => drop(self.call(Call::Unlock, &[MUTEX, 1, 0])),
            Wait::Condition => drop(self.call(Call::Signal, &[CONDITION, 1])),
            Wait::ContendedCondition => {
                self.call(Call::Lock, &[MUTEX, 1, 0, 0]);
                self.call(Call::Signal, &[CONDITION, 1]);
                self.call(Call::Unlock, &[MUTEX, 1, 0]);
            }
            Wait::Words => drop(self.call(Call::Send, &[INBOX, 1, 5, 6, 7, 8])),
            Wait::Bytes => {
                let address = DATA + OWN * 0x1_0000 + 0xC00;
                self.call(Call::SendBytes, &[INBOX, 1, address, 150, 0, 0]);
            }
            // (it serves the request in its client's place, see `serve`)
            Wait::QueuedCall => drop(self.call(Call::Receive, &[SERVICE, 1, 0, 0])),
            Wait::Reply => {
                // (the token lies in the client's registers)
                let [token, ..] = &self.rig.thread(WAITER).context.t;
                self.reply(WAITER, token.get());
            }
            Wait::Join => drop(self.call(Call::Exit, &[9])),
            Wait::Sleep | Wait::Mutex | Wait::Line => {}
        }
    }

    /// The partner, which runs, replies to what it has received, if that is a request.
    fn serve(&mut self) {
        match self.rig.take_results(PARTNER) {
            Some([0, _, _, _, _, client, token]) if token != 0 => self.reply(client >> 16, token),
            _ => self.rest(),
        }
    }

    fn reply(&mut self, client: usize, token: usize) {
        self.call(Call::ReplyReceive, &[client, token, 9, 9, 9, 9]);
    }

    /// All run until nobody has anything left to do.
    pub(crate) fn settle(&mut self) {
        for _ in 0..256 {
            if let Some([answer, ..]) = self.rig.take_results(WAITER)
                && self.rig.thread(WAITER).serial.get() == self.serial
            {
                self.returned.push(answer);
            }
            if self.rig.is_idle() {
                return;
            }
            match self.rig.running() {
                WAITER => self.waiter_runs(),
                LOW if self.rig.object(MUTEX).owner().is_some_and(|owner| {
                    owner.number() as usize == LOW && owner.serial.get() == 1
                }) && self.actions.contains(&Action::Event) =>
                {
                    self.call(Call::Unlock, &[MUTEX, 1, 0]);
                }
                PARTNER => self.serve(),
                _ => self.rest(),
            }
        }
        panic!("{:?} {:?} comes to no end", self.wait, self.actions);
    }

    fn waiter_runs(&mut self) {
        let waiter = self.rig.thread(WAITER);
        if waiter.serial.get() != self.serial {
            self.restarted = true;
            return self.rest();
        }
        if waiter.context.pc.get() == FUNCTION {
            self.signal_return();
        }
        if self.rig.running() == WAITER {
            self.rest();
        }
    }

    /// The waiter, which runs in the handler of a signal, goes on with what it did.
    pub(crate) fn signal_return(&mut self) {
        let frame = self.rig.thread(WAITER).context.a[0].get();
        let back = [posix::Operation::GoBack as usize, frame, 0, 0, 0, 0];
        self.rig.call_number(posix::CALL, back);
        self.rig.check_invariants();
        self.rig.take_results(WAITER);
        self.returned
            .push(self.rig.thread(WAITER).context.a[0].get());
    }

    /// The waiter, which runs, awaits the line; what that returns if it goes on at once.
    pub(crate) fn await_line(&mut self) -> Option<usize> {
        assert_eq!(self.rig.running(), WAITER);
        let results = self.call(Call::AwaitInterrupt, &[LINE as usize]);
        results.map(|[answer, ..]| answer)
    }

    /// The line rises.
    pub(crate) fn raise(&mut self) {
        self.rig.raise(LINE);
        self.rig.check_invariants();
    }

    /// Whatever comes now wakes nobody that does not wait for it.
    pub(crate) fn probe(&mut self, name: &str) {
        self.raise();
        if self.wait == Wait::Line && self.returned.is_empty() && !self.restarted {
            assert_eq!(
                self.rig.running(),
                WAITER,
                "{name}: it still awaits the line"
            );
            self.rest();
        }
        assert!(
            self.rig.is_idle(),
            "{name}: a line wakes {}",
            self.rig.running()
        );
        let taken = usize::from(self.wait == Wait::Semaphore && self.returned == [0]);
        let left = self.rig.object(SEMAPHORE).count() as usize;
        let lives = self.rig.object(SEMAPHORE).lives();
        if lives && self.wait == Wait::Semaphore && !self.restarted {
            assert_eq!(
                left + taken,
                self.given,
                "{name}: semaphores given and taken"
            );
        }
        self.advance_to(1 << 20);
        assert!(self.rig.is_idle(), "{name}: {} wakes", self.rig.running());
    }
}
