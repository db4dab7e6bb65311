//! A system of the model's as the builder describes it, and where its memory lies.

use giornata_abi::system::{
    FaultPolicy, RIGHT_DIRECT, RIGHT_FULL, RIGHT_MANAGE, RIGHT_RECEIVE, RIGHT_USE,
};
use giornata_core::sched::thread::role;
use giornata_host::MEMORY;
use giornata_records::{Description, Line, Object, ObjectKind, Process, Rights, Thread};
use giornata_test_model::system::{Kind, ObjectSpec, ProcessSpec, Scheduling, System};

/// The number of the first interrupt line.
pub(crate) const FIRST_LINE: usize = 5;
/// Bytes of a process's data.
const DATA: usize = 0x2000;
/// In the data of a process: the control page of each thread, the word of each private
/// mutex, what each thread receives and sends.
const CONTROL: usize = 0;
const WORDS: usize = 0x800;
const RECEIVED: usize = 0x1000;
const SENT: usize = 0x1800;
/// Bytes of a thread's share of these.
const SHARE: usize = 64;
/// Where the rooms of messages lie in the simulated memory, and those of one process.
const ROOMS: usize = 0x8_0000;
const ROOM: usize = 0x1000;

/// Where a process's data begins for it.
fn data(process: usize) -> usize {
    0x40_0000 + process * 0x1_0000
}

/// User addresses in the memory of a thread's process.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Places {
    thread: usize,
    process: usize,
}

impl Places {
    pub(crate) fn new(system: &System, thread: usize) -> Places {
        Places {
            thread,
            process: system.threads[thread].process,
        }
    }

    /// Where an address of the process lies in the simulated memory, from its beginning.
    pub(crate) fn offset(self, address: usize) -> usize {
        address - data(self.process) + self.process * DATA
    }

    pub(crate) fn control(self) -> usize {
        data(self.process) + CONTROL + self.thread * SHARE
    }

    pub(crate) fn word(self, object: usize) -> usize {
        data(self.process) + WORDS + 4 * object
    }

    pub(crate) fn received(self) -> usize {
        data(self.process) + RECEIVED + self.thread * SHARE
    }

    pub(crate) fn sent(self) -> usize {
        data(self.process) + SENT + self.thread * SHARE
    }
}

/// What the builder lays records out from.
pub(crate) fn describe(system: &System) -> Description {
    let processes = system.processes.iter().enumerate();
    let threads = 0..system.threads.len();
    let lines = system.lines.iter().enumerate().map(|(line, process)| Line {
        number: (FIRST_LINE + line) as u32,
        process: Some(*process),
        ..Line::default()
    });
    Description {
        band: system.band,
        depth: system.depth as u32,
        processes: processes
            .map(|(number, spec)| process(number, spec))
            .collect(),
        threads: threads.map(|number| thread(system, number)).collect(),
        objects: system.objects.iter().map(object).collect(),
        lines: lines.collect(),
        trace_records: 256,
        ..Description::default()
    }
}

fn process(number: usize, spec: &ProcessSpec) -> Process {
    Process {
        max_priority: spec.max_priority,
        supervisor: spec.supervisor,
        by_call: spec.by_call,
        on_fault: Some(match spec.restarts {
            true => FaultPolicy::Restart,
            false => FaultPolicy::Stop,
        }),
        data: (
            data(number) as u64,
            DATA as u64,
            (MEMORY + number * DATA) as u64,
        ),
        // all of it is zeroed when it begins anew
        image: (0, 0, DATA as u64),
        messages: (spec.messages as u32, spec.message_size as u32),
        rooms: Some((MEMORY + ROOMS + number * ROOM) as u64),
        ..Process::default()
    }
}

fn thread(system: &System, number: usize) -> Thread {
    let spec = &system.threads[number];
    let places = Places::new(system, number);
    Thread {
        process: spec.process,
        priority: match spec.scheduling {
            Scheduling::Fifo(priority) | Scheduling::RoundRobin(priority, _) => priority,
            Scheduling::Deadline(_) => panic!("no thread has a deadline"),
        },
        role: match spec.spare {
            true => role::SPARE,
            false => role::AUTOSTART,
        },
        control: (MEMORY + places.offset(places.control())) as u64,
        ..Thread::default()
    }
}

fn object(spec: &ObjectSpec) -> Object {
    let mut object = Object {
        kind: ObjectKind::Condition,
        at_boot: spec.at_boot,
        initial: 0,
        most: 0,
        ceiling: None,
        private: false,
        server: None,
        rights: spec
            .rights
            .iter()
            .map(|rights| rights_of(*rights))
            .collect(),
    };
    match spec.kind {
        Kind::Mutex { ceiling, private } => {
            (object.kind, object.ceiling, object.private) = (ObjectKind::Mutex, ceiling, private);
        }
        Kind::Semaphore { initial, most } => {
            (object.kind, object.initial, object.most) = (ObjectKind::Semaphore, initial, most);
        }
        Kind::Condition => {}
        Kind::Mailbox { server } => {
            (object.kind, object.server) = (ObjectKind::Mailbox, server);
        }
    }
    object
}

fn rights_of(rights: u16) -> Rights {
    Rights {
        used: rights & RIGHT_USE != 0,
        managed: rights & RIGHT_MANAGE != 0,
        received: rights & RIGHT_RECEIVE != 0,
        direct: rights & RIGHT_DIRECT != 0,
        full: rights & RIGHT_FULL != 0,
    }
}
