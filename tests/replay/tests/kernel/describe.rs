//! A scenario's system as the builder describes it to the kernel.

use giornata_abi::ValueType;
use giornata_abi::system::FaultPolicy;
use giornata_core::process::region::{READ, WRITE};
use giornata_core::sched::thread::role;
use giornata_records::program::{Driver, Move, Port, Programs, To, Upcall};
use giornata_records::{Description, Line, Object, ObjectKind, Process, Region, Rights, Thread};
use giornata_replay_logs as logs;
use giornata_replay_logs::TICK_NANOS;

use crate::places::{self, At, DATA, HEAP};
use crate::programs;

/// Ticks of the timer in a second.
pub(crate) const HERTZ: u32 = (1_000_000_000 / TICK_NANOS) as u32;
/// Bytes of a value.
const VALUE: u32 = 4;

/// How urgent code is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CodeUrgency {
    /// A little more than what it releases.
    OfItsTasks,
    /// More than all threads, as in the recorded kernel.
    Reaction,
}

/// What the records are laid out from. Things have the numbers that they have in the log.
pub(crate) fn describe(system: &logs::System, urgency: CodeUrgency) -> Description {
    let processes = system.processes.iter().enumerate();
    let threads = system.threads.iter().enumerate();
    let mut description = Description {
        band: logs::DEADLINE_BAND,
        timer_hertz: HERTZ,
        processes: processes
            .map(|(number, process)| self::process(number, process))
            .collect(),
        threads: threads
            .map(|(number, thread)| self::thread(number, thread))
            .collect(),
        objects: system.objects.iter().map(object).collect(),
        lines: system.lines.iter().map(line).collect(),
        regions: system.regions.iter().enumerate().map(region).collect(),
        trace_records: 1 << 14,
        ..Description::default()
    };
    description.programs = Programs {
        ports: (0..system.ports)
            .map(|number| port(system, number))
            .collect(),
        drivers: (0..system.drivers.len())
            .map(|number| driver(system, number))
            .collect(),
        // (the machine was as urgent as the most urgent slot, and a little more)
        precede: match urgency {
            CodeUrgency::Reaction => None,
            _ => Some(0),
        },
        scratch: places::scratch(),
        spare: places::spare(),
        programs: Vec::new(),
    };
    description.programs.programs = programs::link_all(system, &description.programs.ports);
    description
}

/// Where a thread begins.
pub(crate) fn entry(thread: usize) -> usize {
    0x1000 + 16 * thread
}

fn process(number: usize, from: &logs::Process) -> Process {
    Process {
        max_priority: from.max_priority,
        data: (
            places::data(number) as u64,
            DATA as u64,
            places::physical(places::place(number)),
        ),
        // all of it is zero when it begins anew
        image: (0, 0, DATA as u64),
        supervisor: from.supervisor,
        by_call: from.starts_by_call,
        on_fault: Some(match from.on_fault {
            logs::OnFault::Stop => FaultPolicy::Stop,
            logs::OnFault::Restart => FaultPolicy::Restart,
            logs::OnFault::Halt => FaultPolicy::Halt,
        }),
        messages: (from.messages.into(), from.message_size),
        rooms: Some(places::rooms(number)),
        heap: (HEAP as u64, from.heap.into()),
        ..Process::default()
    }
}

fn thread(number: usize, from: &logs::Thread) -> Thread {
    let thread = Thread {
        process: from.process,
        entry: entry(number) as u64,
        control: At::control(from.process, number).physical(),
        ..Thread::default()
    };
    match from.role {
        logs::Role::Given(logs::Scheduling::Fifo(priority)) => Thread {
            priority,
            role: role::AUTOSTART,
            ..thread
        },
        logs::Role::Given(logs::Scheduling::RoundRobin(priority, ticks)) => Thread {
            priority,
            role: role::AUTOSTART | role::ROUND_ROBIN,
            allowance: ticks as u32,
            ..thread
        },
        logs::Role::Given(logs::Scheduling::Deadline(ticks)) => Thread {
            priority: logs::DEADLINE_BAND,
            role: role::AUTOSTART | role::DEADLINE,
            deadline: ticks as u32,
            ..thread
        },
        logs::Role::Spare => Thread {
            role: role::SPARE,
            ..thread
        },
        logs::Role::Upcalls => Thread {
            role: role::UPCALL,
            ..thread
        },
        logs::Role::Task { budget, .. } => Thread {
            priority: logs::DEADLINE_BAND,
            role: role::TASK,
            allowance: budget.unwrap_or(0) as u32,
            ..thread
        },
    }
}

fn object(from: &logs::Object) -> Object {
    let mut object = Object {
        kind: ObjectKind::Condition,
        at_boot: from.at_boot,
        initial: 0,
        most: 0,
        ceiling: None,
        private: false,
        server: None,
        rights: from
            .rights
            .iter()
            .map(|rights| self::rights(*rights))
            .collect(),
    };
    match from.kind {
        logs::ObjectKind::Mutex => object.kind = ObjectKind::Mutex,
        logs::ObjectKind::CeilingMutex(ceiling) => {
            (object.kind, object.ceiling) = (ObjectKind::Mutex, Some(ceiling));
        }
        logs::ObjectKind::Semaphore { initial, most } => {
            (object.kind, object.initial, object.most) = (ObjectKind::Semaphore, initial, most);
        }
        logs::ObjectKind::Condition => {}
        logs::ObjectKind::Mailbox { server } => {
            (object.kind, object.server) = (ObjectKind::Mailbox, server);
        }
    }
    object
}

fn rights(from: logs::Rights) -> Rights {
    let all = Rights {
        used: true,
        managed: true,
        received: true,
        direct: true,
        full: true,
    };
    match from {
        logs::Rights::All => all,
        logs::Rights::NoManaging => Rights {
            managed: false,
            ..all
        },
        logs::Rights::UseOnly => Rights {
            used: true,
            ..Rights::default()
        },
        logs::Rights::Nothing => Rights::default(),
    }
}

fn line(from: &logs::Line) -> Line {
    Line {
        number: from.number.into(),
        process: from.owner,
        interval: from.interval as u32,
    }
}

fn region((number, from): (usize, &logs::Region)) -> Region {
    let bit = |holds: bool, bit: u32| if holds { bit } else { 0 };
    let grants = from.rights.iter();
    Region {
        address: 0x80_0000 + 0x1_0000 * number as u64,
        size: from.size.into(),
        place: places::physical(places::region(number)),
        tables: 0,
        grants: grants
            .map(|(reads, writes)| bit(*reads, READ) | bit(*writes, WRITE))
            .collect(),
    }
}

fn port(system: &logs::System, number: usize) -> Port {
    let processes = || system.processes.iter().enumerate();
    Port {
        place: places::physical(places::port(number)),
        size: VALUE,
        order: Some(ValueType::I32),
        traced: true,
        readers: processes()
            .filter(|(_, process)| process.readable.contains(&number))
            .map(|(process, _)| process)
            .collect(),
        writers: processes()
            .filter(|(_, process)| process.writable.contains(&number))
            .map(|(process, _)| process)
            .collect(),
    }
}

/// The value of a task.
pub(crate) fn value_of(system: &logs::System, place: logs::Place) -> Option<At> {
    let (thread, index) = match place {
        logs::Place::Port(_) => return None,
        logs::Place::Input(thread, input) => (thread, input),
        logs::Place::Output(thread, output) => {
            let logs::Role::Task { inputs, .. } = system.threads[thread].role else {
                panic!("thread {thread} is no task");
            };
            (thread, inputs + output)
        }
    };
    Some(At::value(system.threads[thread].process, thread, index))
}

/// Copies that all at once do what these do one after the other, as the first kernel made
/// them: what was written before is read from where it came from.
fn one_after_the_other(copies: &[(logs::Place, logs::Place)]) -> Vec<(logs::Place, logs::Place)> {
    let mut all: Vec<(logs::Place, logs::Place)> = Vec::new();
    for (from, to) in copies {
        let written = all.iter().rev().find(|(_, earlier)| earlier == from);
        all.push((written.map_or(*from, |(from, _)| *from), *to));
    }
    all
}

fn driver(system: &logs::System, number: usize) -> Driver {
    let physical = |place: logs::Place| match (place, value_of(system, place)) {
        (logs::Place::Port(port), _) => places::physical(places::port(port)),
        (_, at) => at.expect("a value of a task").physical(),
    };
    let to = |place: logs::Place| match place {
        logs::Place::Port(port) => To::Port(port),
        place => To::Place(physical(place)),
    };
    let moves = |from: u64, to: To| Move {
        from,
        to,
        size: VALUE,
    };
    match &system.drivers[number] {
        logs::Driver::Copy(values) => {
            let tasks = |place: &logs::Place| match *place {
                logs::Place::Port(_) => None,
                logs::Place::Input(thread, _) | logs::Place::Output(thread, _) => Some(thread),
            };
            let mut touches: Vec<usize> = values
                .iter()
                .flat_map(|(from, to)| [from, to])
                .filter_map(tasks)
                .collect();
            touches.sort_unstable();
            touches.dedup();
            let mut reads: Vec<usize> = values.iter().filter_map(|(from, _)| tasks(from)).collect();
            reads.dedup();
            Driver {
                touches,
                reads,
                moves: one_after_the_other(values)
                    .iter()
                    .map(|(from, place)| moves(physical(*from), to(*place)))
                    .collect(),
                ..Driver::default()
            }
        }
        logs::Driver::Load { register, port } => Driver {
            register: Some(((*register).into(), VALUE)),
            moves: vec![moves(0, To::Port(*port))],
            ..Driver::default()
        },
        logs::Driver::Store { register, port } => Driver {
            register: Some(((*register).into(), VALUE)),
            moves: vec![moves(physical(logs::Place::Port(*port)), To::Place(0))],
            ..Driver::default()
        },
        logs::Driver::Upcall {
            process,
            reads,
            writes,
            budget,
        } => {
            let at = |index| At::block(*process, number, index);
            let mut threads = system.threads_of(*process);
            let thread = threads.find(|one| system.threads[*one].role == logs::Role::Upcalls);
            let thread = thread.expect("a thread for upcalls");
            let inputs = reads.iter().enumerate().map(|(index, port)| {
                let to = To::Place(at(index).physical());
                moves(physical(logs::Place::Port(*port)), to)
            });
            let outputs = writes
                .iter()
                .enumerate()
                .map(|(index, port)| moves(at(reads.len() + index).physical(), To::Port(*port)));
            Driver {
                moves: inputs.collect(),
                upcall: Some(Upcall {
                    thread,
                    entry: entry(thread) as u64,
                    block: at(0).user() as u64,
                    body: number as u64,
                    budget: *budget as u32,
                    results: outputs.collect(),
                }),
                ..Driver::default()
            }
        }
    }
}
