//! The system of a scenario: processes, threads, objects, ports, as data that no
//! kernel's tables shape.
//!
//! Things are named by their index in the system's lists. Threads are listed
//! process by process. Durations are ticks of [`TICK_NANOS`](crate::TICK_NANOS).

use crate::program::Program;
use std::fmt;

/// A small system.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct System {
    /// The processes.
    pub processes: Vec<Process>,
    /// The threads; those of one process lie together.
    pub threads: Vec<Thread>,
    /// The slots of mutexes, semaphores, conditions and mailboxes.
    pub objects: Vec<Object>,
    /// The memory that processes share.
    pub regions: Vec<Region>,
    /// The interrupt lines.
    pub lines: Vec<Line>,
    /// The ports of the programs, all of one type: signed 32-bit integers.
    pub ports: usize,
    /// The drivers of the programs.
    pub drivers: Vec<Driver>,
    /// The programs.
    pub programs: Vec<Program>,
}

/// What a process's fault leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnFault {
    /// It stays dead.
    Stop,
    /// It is started anew.
    Restart,
    /// The machine stops with status 1.
    Halt,
}

/// A process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Process {
    /// What comes after a fault.
    pub on_fault: OnFault,
    /// The highest priority that it may give a thread.
    pub max_priority: u8,
    /// The process that starts, ends and awaits it.
    pub supervisor: Option<usize>,
    /// It does not start at boot.
    pub starts_by_call: bool,
    /// Messages in its pool.
    pub messages: u16,
    /// Bytes of the longest message beyond what travels in registers.
    pub message_size: u32,
    /// Bytes that it may allocate.
    pub heap: u32,
    /// Ports that it may read by call.
    pub readable: Vec<usize>,
    /// Ports that it may write by call.
    pub writable: Vec<usize>,
}

/// A thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Thread {
    /// Its process.
    pub process: usize,
    /// What it is for.
    pub role: Role,
}

/// What a thread is for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Role {
    /// Starts with its process.
    Given(Scheduling),
    /// A place for a thread that the process creates; no process has two.
    Spare,
    /// Runs the jobs that programs release.
    Task {
        /// Input ports of its own, of the type of all ports.
        inputs: usize,
        /// Output ports of its own.
        outputs: usize,
        /// Most ticks that a job may run.
        budget: Option<u64>,
    },
    /// Runs the upcalls of its process's drivers.
    Upcalls,
}

/// How an ordinary thread is scheduled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scheduling {
    /// By priority, first in, first out.
    Fifo(u8),
    /// By priority; behind its equals after so many ticks.
    RoundRobin(u8, u64),
    /// By deadline: so many ticks after its start and each end of a sleep.
    Deadline(u64),
}

/// The slot of an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Object {
    /// What lives there.
    pub kind: ObjectKind,
    /// It is there when the system starts.
    pub at_boot: bool,
    /// What each process may do with it.
    pub rights: Vec<Rights>,
}

/// What an object is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ObjectKind {
    /// A mutex with priority inheritance.
    Mutex,
    /// A mutex whose owner runs at this priority at least.
    CeilingMutex(u8),
    /// A counting semaphore.
    Semaphore {
        /// What it counts at first.
        initial: u32,
        /// What it counts at most.
        most: u32,
    },
    /// A condition variable.
    Condition,
    /// A mailbox.
    Mailbox {
        /// The mailbox of the server to which messages for this one go.
        server: Option<usize>,
    },
}

impl ObjectKind {
    /// Whether it is a mutex of either kind.
    pub fn is_mutex(self) -> bool {
        matches!(self, ObjectKind::Mutex | ObjectKind::CeilingMutex(_))
    }
}

/// What a process may do with an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rights {
    /// Everything: use, create and delete, receive, serve, send past the server.
    All,
    /// Everything but to create and to delete.
    NoManaging,
    /// Lock, give, signal, send.
    UseOnly,
    /// Nothing.
    Nothing,
}

/// Memory that processes share.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Region {
    /// Bytes.
    pub size: u32,
    /// By process: may read it, may write it.
    pub rights: Vec<(bool, bool)>,
}

/// An interrupt line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Line {
    /// Its number at the interrupt controller.
    pub number: u16,
    /// The process whose threads await it; `None`: only programs react to it.
    pub owner: Option<usize>,
    /// Ticks between two of its interrupts at least; 0: no limit.
    pub interval: u64,
}

/// A value that a driver moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// A port of the programs.
    Port(usize),
    /// An input of a task, which is a thread.
    Input(usize, usize),
    /// An output of a task.
    Output(usize, usize),
}

/// A driver.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Driver {
    /// Copies values in this order.
    Copy(Vec<(Place, Place)>),
    /// Loads a port from a 4-byte register of a device.
    Load {
        /// The register's address.
        register: u32,
        /// The port.
        port: usize,
    },
    /// Stores a port to such a register.
    Store {
        /// The register's address.
        register: u32,
        /// The port.
        port: usize,
    },
    /// A function of a process.
    Upcall {
        /// The process.
        process: usize,
        /// Ports that it gets.
        reads: Vec<usize>,
        /// Ports that it writes when it returns.
        writes: Vec<usize>,
        /// Most ticks that it may run.
        budget: u64,
    },
}

impl System {
    /// The threads of a process.
    pub fn threads_of(&self, process: usize) -> impl Iterator<Item = usize> + '_ {
        let all = self.threads.iter().enumerate();
        all.filter(move |(_, thread)| thread.process == process)
            .map(|(index, _)| index)
    }

    /// The slots of objects of some kind.
    pub fn slots(&self, is_wanted: impl Fn(ObjectKind) -> bool) -> Vec<usize> {
        let all = self.objects.iter().enumerate();
        all.filter(|(_, object)| is_wanted(object.kind))
            .map(|(slot, _)| slot)
            .collect()
    }
}

impl fmt::Display for System {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, process) in self.processes.iter().enumerate() {
            writeln!(f, "process {index}: {process}")?;
            for thread in self.threads_of(index) {
                writeln!(f, "  thread {thread}: {}", self.threads[thread].role)?;
            }
        }
        for (slot, object) in self.objects.iter().enumerate() {
            writeln!(f, "object {slot}: {object}")?;
        }
        for (index, region) in self.regions.iter().enumerate() {
            writeln!(
                f,
                "region {index}: {} bytes, {:?}",
                region.size, region.rights
            )?;
        }
        for line in &self.lines {
            let (number, interval) = (line.number, line.interval);
            writeln!(
                f,
                "line {number}: owner {:?}, interval {interval}",
                line.owner
            )?;
        }
        writeln!(f, "{} ports", self.ports)?;
        for (index, driver) in self.drivers.iter().enumerate() {
            writeln!(f, "driver d{index}: {driver:?}")?;
        }
        for (index, program) in self.programs.iter().enumerate() {
            write!(f, "program {index}:\n{program}")?;
        }
        Ok(())
    }
}

impl fmt::Display for Process {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "on fault {:?}, priority up to {}",
            self.on_fault, self.max_priority
        )?;
        if let Some(supervisor) = self.supervisor {
            write!(f, ", supervised by {supervisor}")?;
        }
        if self.starts_by_call {
            write!(f, ", starts by call")?;
        }
        write!(f, ", {} messages of {}", self.messages, self.message_size)?;
        write!(f, ", heap {}", self.heap)?;
        write!(f, ", reads {:?}, writes {:?}", self.readable, self.writable)
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Role::Given(Scheduling::Fifo(priority)) => write!(f, "priority {priority}"),
            Role::Given(Scheduling::RoundRobin(priority, quantum)) => {
                write!(f, "priority {priority}, quantum {quantum}")
            }
            Role::Given(Scheduling::Deadline(ticks)) => write!(f, "deadline {ticks}"),
            Role::Spare => write!(f, "spare"),
            Role::Task {
                inputs,
                outputs,
                budget,
            } => write!(
                f,
                "task, {inputs} inputs, {outputs} outputs, budget {budget:?}"
            ),
            Role::Upcalls => write!(f, "upcalls"),
        }
    }
}

impl fmt::Display for Object {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}, rights {:?}", self.kind, self.rights)?;
        match self.at_boot {
            true => Ok(()),
            false => write!(f, ", not at boot"),
        }
    }
}
