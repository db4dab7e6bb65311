//! The kernel on the host, as the model's comparison drives it.

use giornata_abi::Error;
use giornata_abi::next::call::{Call, NOBODY};
use giornata_abi::system::{
    FaultPolicy, RIGHT_DIRECT, RIGHT_FULL, RIGHT_MANAGE, RIGHT_RECEIVE, RIGHT_USE,
};
use giornata_next_core::thread::role;
use giornata_next_core::{Object as KernelObject, Ref, Thread as KernelThread};
use giornata_next_host::{Results, Rig};
use giornata_next_records::{Description, Line, Object, ObjectKind, Process, Rights, Thread};
use giornata_test_model::compare::{Kernel, Observation, Snapshot};
use giornata_test_model::model::{Event, Resumption};
use giornata_test_model::system::{Kind, Scheduling, System};
use giornata_test_model::{Reply, Request};

/// The number of the first interrupt line.
const FIRST_LINE: usize = 5;

/// A kernel that runs a system of the model's.
#[derive(Debug)]
pub(crate) struct Host {
    rig: Rig,
    system: System,
    /// By thread: the call that it makes when it has its turn again, and the serial
    /// number of the thread that makes it.
    put_back: Vec<Option<(u32, Request)>>,
    /// By thread: which tenant has run last.
    seen: Vec<u32>,
}

/// What the kernel calls the parts of a system.
fn describe(system: &System) -> Description {
    let processes = system.processes.iter().map(|process| Process {
        max_priority: process.max_priority,
        supervisor: process.supervisor,
        by_call: process.by_call,
        on_fault: Some(match process.restarts {
            true => FaultPolicy::Restart,
            false => FaultPolicy::Stop,
        }),
        ..Process::default()
    });
    let threads = system.threads.iter().map(|thread| Thread {
        process: thread.process,
        priority: match thread.scheduling {
            Scheduling::Fifo(priority) | Scheduling::RoundRobin(priority, _) => priority,
            Scheduling::Deadline(_) => panic!("no thread has a deadline"),
        },
        role: if thread.spare {
            role::SPARE
        } else {
            role::AUTOSTART
        },
        ..Thread::default()
    });
    let lines = system.lines.iter().enumerate().map(|(line, process)| Line {
        number: (FIRST_LINE + line) as u32,
        process: Some(*process),
    });
    Description {
        band: system.band,
        depth: system.depth as u32,
        processes: processes.collect(),
        threads: threads.collect(),
        objects: system.objects.iter().map(object).collect(),
        lines: lines.collect(),
        trace_records: 16,
        ..Description::default()
    }
}

fn object(spec: &giornata_test_model::system::ObjectSpec) -> Object {
    let (kind, initial, most, ceiling) = match spec.kind {
        Kind::Mutex { ceiling, .. } => (ObjectKind::Mutex, 0, 0, ceiling),
        Kind::Semaphore { initial, most } => (ObjectKind::Semaphore, initial, most, None),
        Kind::Condition => (ObjectKind::Condition, 0, 0, None),
        Kind::Mailbox { .. } => (ObjectKind::Mailbox, 0, 0, None),
    };
    let server = match spec.kind {
        Kind::Mailbox { server } => server,
        _ => None,
    };
    let rights = spec.rights.iter().map(|rights| Rights {
        used: rights & RIGHT_USE != 0,
        managed: rights & RIGHT_MANAGE != 0,
        received: rights & RIGHT_RECEIVE != 0,
        direct: rights & RIGHT_DIRECT != 0,
        full: rights & RIGHT_FULL != 0,
    });
    Object {
        kind,
        at_boot: spec.at_boot,
        initial,
        most,
        ceiling,
        private: matches!(spec.kind, Kind::Mutex { private: true, .. }),
        server,
        rights: rights.collect(),
    }
}

/// An instant in two registers.
fn halves(instant: u64) -> [usize; 2] {
    [instant as u32 as usize, (instant >> 32) as usize]
}

/// The number and the registers of a call.
fn registers(request: &Request) -> (Call, [usize; 6]) {
    fn pad(call: Call, arguments: &[usize]) -> (Call, [usize; 6]) {
        let mut all = [0; 6];
        all[..arguments.len()].copy_from_slice(arguments);
        (call, all)
    }
    let words = |words: [u32; 4]| words.map(|word| word as usize);
    match *request {
        Request::Yield => pad(Call::Yield, &[]),
        Request::Exit { value } => pad(Call::Exit, &[value as usize]),
        Request::Sleep { until } => pad(Call::Sleep, &halves(until)),
        Request::AwaitInterrupt { line } => pad(Call::AwaitInterrupt, &[FIRST_LINE + line]),
        Request::SetPriority { thread, priority } => pad(
            Call::SetPriority,
            &[
                thread.slot as usize,
                thread.serial as usize,
                priority as usize,
            ],
        ),
        Request::CreateObject { slot, server } => pad(
            Call::CreateObject,
            &[slot, server.is_some().into(), server.unwrap_or(0)],
        ),
        Request::DeleteObject { object } => pad(
            Call::DeleteObject,
            &[object.slot as usize, object.serial as usize],
        ),
        Request::OpenObject { slot } => pad(Call::OpenObject, &[slot]),
        Request::Lock { object, until } => {
            let [low, high] = halves(until);
            pad(
                Call::Lock,
                &[object.slot as usize, object.serial as usize, low, high],
            )
        }
        Request::Unlock { object } => pad(
            Call::Unlock,
            &[object.slot as usize, object.serial as usize],
        ),
        Request::Wait {
            condition,
            mutex,
            until,
        } => {
            let [low, high] = halves(until);
            let (slot, serial) = (condition.slot as usize, condition.serial as usize);
            pad(Call::Wait, &[slot, serial, mutex, low, high])
        }
        Request::Signal { condition } => pad(
            Call::Signal,
            &[condition.slot as usize, condition.serial as usize],
        ),
        Request::Broadcast { condition } => pad(
            Call::Broadcast,
            &[condition.slot as usize, condition.serial as usize],
        ),
        Request::Send {
            mailbox,
            priority,
            words: message,
        }
        | Request::Call {
            mailbox,
            priority,
            words: message,
        } => {
            let call = match request {
                Request::Send { .. } => Call::Send,
                _ => Call::Call,
            };
            let slot = mailbox.slot as usize | usize::from(priority) << 16;
            let [a, b, c, d] = words(message);
            pad(call, &[slot, mailbox.serial as usize, a, b, c, d])
        }
        Request::Receive { mailbox, until } => {
            let [low, high] = halves(until);
            pad(
                Call::Receive,
                &[mailbox.slot as usize, mailbox.serial as usize, low, high],
            )
        }
        Request::ReplyReceive {
            client,
            token,
            words: message,
        } => {
            let [a, b, c, d] = words(message);
            pad(
                Call::ReplyReceive,
                &[client.unwrap_or(NOBODY), token as usize, a, b, c, d],
            )
        }
        Request::Forward { mailbox } => pad(
            Call::Forward,
            &[mailbox.slot as usize, mailbox.serial as usize],
        ),
        Request::CreateThread { priority } => {
            pad(Call::CreateThread, &[0x4000, 7, priority as usize])
        }
        Request::JoinThread { thread, until } => {
            let [low, high] = halves(until);
            pad(
                Call::JoinThread,
                &[thread.slot as usize, thread.serial as usize, low, high],
            )
        }
        Request::DetachThread { thread } => pad(
            Call::DetachThread,
            &[thread.slot as usize, thread.serial as usize],
        ),
        Request::CreateProcess { process } => pad(Call::CreateProcess, &[process]),
        Request::KillProcess { process } => pad(Call::KillProcess, &[process]),
        Request::AwaitProcess { until } => pad(Call::AwaitProcess, &halves(until)),
        Request::SendBytes { .. } | Request::ReceiveBytes { .. } => {
            panic!("{request:?} needs memory")
        }
    }
}

fn lives(thread: &Ref<KernelThread>) -> bool {
    thread.process.is_alive()
}

fn number(thread: Ref<KernelThread>) -> usize {
    thread.number() as usize
}

/// What a call returned.
fn reply([a0, values @ ..]: Results) -> Reply {
    let values = values.map(|value| value as u32);
    match a0 {
        0 => Reply::values(&values),
        code => {
            assert_eq!(values, [0; 6], "a refusal with values");
            Reply::refused(Error::from_code(code).expect("the code of an error"))
        }
    }
}

impl Host {
    /// Boots a system.
    pub(crate) fn new(system: &System) -> Host {
        let rig = Rig::boot(&describe(system));
        let mut host = Host {
            rig,
            system: system.clone(),
            put_back: vec![None; system.threads.len()],
            seen: vec![0; system.threads.len()],
        };
        host.resumption();
        host
    }

    fn runs(&self) -> Option<usize> {
        (!self.rig.is_idle()).then(|| self.rig.running())
    }

    fn serial(&self, thread: usize) -> u32 {
        self.rig.thread(thread).serial.get()
    }

    /// The running thread makes a call, after what is due.
    fn call(&mut self, request: &Request) {
        let caller = self.rig.running();
        let serial = self.serial(caller);
        self.rig.interrupt();
        if self.rig.running() != caller || self.serial(caller) != serial {
            self.put_back[caller] = Some((serial, request.clone()));
            return;
        }
        let (call, arguments) = registers(request);
        self.rig.call(call, arguments);
    }

    /// Whoever runs makes the call that was put back.
    fn leave(&mut self) {
        loop {
            self.rig.interrupt();
            let Some(runs) = self.runs() else { return };
            let Some((serial, request)) = self.put_back[runs].take() else {
                return;
            };
            if serial == self.serial(runs) {
                self.call(&request);
            }
        }
    }

    fn resumption(&mut self) -> Resumption {
        let Some(runs) = self.runs() else {
            return Resumption::Continues;
        };
        let serial = self.serial(runs);
        let begins = std::mem::replace(&mut self.seen[runs], serial) != serial;
        match self.rig.take_results(runs) {
            Some(results) if !begins => Resumption::Returns(reply(results)),
            _ => Resumption::Continues,
        }
    }

    fn kinds(&self) -> impl Iterator<Item = (Ref<KernelObject>, Kind)> {
        let objects = self.system.objects.iter().enumerate();
        objects.map(|(slot, spec)| (self.rig.object(slot), spec.kind))
    }

    fn owners(&self) -> Vec<Option<usize>> {
        let owner = |(object, kind): (Ref<KernelObject>, Kind)| match kind {
            // (who is dead owns nothing, and waits for nothing)
            Kind::Mutex { private: false, .. } => object.owner().filter(lives).map(number),
            _ => None,
        };
        self.kinds().map(owner).collect()
    }

    fn waiters(&self) -> Vec<Vec<usize>> {
        let waiters = |(object, _): (Ref<KernelObject>, Kind)| {
            let mut waiters = Vec::new();
            if let Some(first) = object.waiters() {
                let mut at = first;
                loop {
                    if lives(&at) {
                        waiters.push(number(at));
                    }
                    at = at.next();
                    if std::ptr::eq(at, first) {
                        break;
                    }
                }
            }
            waiters
        };
        self.kinds().map(waiters).collect()
    }

    fn counts(&self) -> Vec<usize> {
        let count = |(object, kind): (Ref<KernelObject>, Kind)| match kind {
            // (the model counts what is yet to come)
            Kind::Semaphore { initial, .. } if object.serial() == 0 => initial as usize,
            Kind::Semaphore { .. } => object.count() as usize,
            _ => 0,
        };
        self.kinds().map(count).collect()
    }

    /// Threads of the ready queue whose processes live, in order.
    fn queue(&self) -> Vec<usize> {
        let mut queue = Vec::new();
        let mut rank = Some(self.rig.kernel().top());
        while let Some(open) = rank {
            let head = open.head().expect("an open rank has a head");
            let mut at = head;
            loop {
                let number = at.number() as usize;
                if number < self.system.threads.len() && at.process.is_alive() {
                    queue.push(number);
                }
                at = at.next();
                if std::ptr::eq(at, head) {
                    break;
                }
            }
            rank = open.below();
        }
        queue
    }
}

impl Kernel for Host {
    /// Not if more threads hung on one than are brought back at once.
    fn is_comparable(&self) -> bool {
        let mut threads = self.rig.kernel().threads.iter();
        let mut objects = self.kinds();
        !threads.any(|thread| thread.waits().is_none() && thread.parked().is_some())
            && !objects.any(|(object, _)| !object.lives() && object.owner().is_some())
    }

    fn apply(&mut self, event: &Event, now: u64) -> Observation {
        self.rig.pass(now - self.rig.now());
        match event {
            Event::Call(request) => self.call(request),
            Event::Fault(cause) => self.rig.fault(*cause, 0, 0),
            Event::Timer => {}
            Event::Interrupt(line) => self.rig.raise((FIRST_LINE + line) as u32),
            event => panic!("{event:?} is not driven yet"),
        }
        self.leave();
        self.rig.check_invariants();
        Observation {
            runs: self.runs(),
            resumption: self.resumption(),
            state: Snapshot {
                queue: Some(self.queue()),
                owners: Some(self.owners()),
                waiters: Some(self.waiters()),
                counts: Some(self.counts()),
                ..Snapshot::default()
            },
        }
    }
}
