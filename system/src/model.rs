//! The model of a system: everything that the tables will say, by name and
//! with indices resolved, before any address is known.
//!
//! Made in two steps. The *outline* ([`Model::outline`]) needs the system file
//! and the modules only; indices and identifiers are final then, so that
//! processes can be compiled against them. Binding ([`Model::resolve`]) adds
//! what the processes' own function tables say: sizes, and that everything fits.

use crate::board::Board;
use crate::expect::Expectation;
use crate::file::Schedule;
use crate::functions::Functions;
use crate::hostlink::Hostlink;
use crate::names::ThreadRole;
use crate::objects::Object;
use crate::problem::Refusal;
use crate::project::Project;
use crate::restart::RestartRule;
use crate::room::Room;
use crate::services::Messages;
use crate::shared::Region;
use crate::streams::{Stream, Window};
use crate::{bind, outline};
use giornata_abi::ValueType;
use giornata_abi::module::PortKind;
use giornata_abi::process::FunctionKind;
use giornata_abi::system::{FaultPolicy, Policy};
use std::collections::BTreeMap;

/// A whole system, resolved.
#[derive(Clone, Debug)]
pub struct Model {
    /// Its name.
    pub name: String,
    /// Its board.
    pub board: Board,
    /// The configuration of its kernel.
    pub config: String,
    /// What a run of it may suffer and still be good.
    pub expect: Vec<Expectation>,
    /// Fixed priority at which the deadline band lies.
    pub deadline_band: u8,
    /// The first of several harts takes the timer and the lines, and runs no thread.
    pub control_apart: bool,
    /// Slots of the trigger queue.
    pub triggers: u16,
    /// Slots of the thread set.
    pub s_threads: u16,
    /// Slots of the trace ring.
    pub trace_capacity: u32,
    /// Whether the kernel sends the rest of the trace at a stop.
    pub trace_console: bool,
    /// Whom the hostlink server obeys.
    pub hostlink: Hostlink,
    /// The instant, in ns, at which the machine stops by itself; 0 = never.
    pub stop_at: u64,
    /// The processes, in the order of the system file.
    pub processes: Vec<Process>,
    /// The threads, those of one process together.
    pub threads: Vec<Thread>,
    /// The ports, those of one program together.
    pub ports: Vec<Port>,
    /// The drivers, those of one program together.
    pub drivers: Vec<Driver>,
    /// The programs, in the order of the system file.
    pub programs: Vec<Program>,
    /// The stream graphs, in the order of the system file.
    pub streams: Vec<Stream>,
    /// Where their tokens lie; empty before binding.
    pub windows: Vec<Window>,
    /// The interrupt lines in use, ascending.
    pub interrupts: Vec<Interrupt>,
    /// What threads synchronise by and send to, in the order of their numbers.
    pub objects: Vec<Object>,
    /// The memory that processes share, in the order of the system file.
    pub regions: Vec<Region>,
    /// Bytes of the kernel's arena of ports and messages; 0 before binding.
    pub arena_size: u32,
}

/// A process.
#[derive(Clone, Debug)]
pub struct Process {
    /// Its name.
    pub name: String,
    /// What happens when it faults.
    pub on_fault: FaultPolicy,
    /// When it is restarted then, and how often.
    pub restart: RestartRule,
    /// Highest fixed priority that it may ask for.
    pub max_priority: u8,
    /// `GRANT_` bits.
    pub grants: u32,
    /// It reads the trace ring.
    pub reads_trace: bool,
    /// It reads the kernel's records.
    pub inspects: bool,
    /// Its most urgent threads may keep reactions of programs waiting.
    pub precedes_programs: bool,
    /// Several of its threads may run at the same time, where there are several harts.
    pub is_parallel: bool,
    /// Each of its threads reaches its own stack only, where regions confine it.
    pub has_private_stacks: bool,
    /// Bytes below each of its stacks that nobody may touch, at least: so far may its functions
    /// lower the stack pointer before they touch anything. 0 before it is linked.
    pub guard: u32,
    /// Its threads: first index and count.
    pub threads: (u16, u16),
    /// The thread of its upcalls.
    pub upcall: Option<u16>,
    /// Devices of the board, by index, mapped in this order.
    pub devices: Vec<usize>,
    /// Ports it may read.
    pub readable: Vec<u16>,
    /// Ports it may write.
    pub writable: Vec<u16>,
    /// The messages that it can have under way.
    pub messages: Messages,
    /// The process that may start and end it.
    pub supervisor: Option<u16>,
    /// Whether it begins by a call of that.
    pub is_by_call: bool,
    /// Bytes of memory that it can allocate; a multiple of 16.
    pub heap: u32,
    /// Bytes of control pages and blocks; 0 before binding.
    pub area: u32,
    /// What it provides; empty before binding.
    pub functions: Functions,
}

/// A thread.
#[derive(Clone, Debug)]
pub struct Thread {
    /// Its name.
    pub name: String,
    /// Its process.
    pub process: u16,
    /// What it is.
    pub role: ThreadRole,
    /// How it is scheduled.
    pub policy: Policy,
    /// Fixed priority, where the policy has one.
    pub priority: u8,
    /// Whether it is ready at the start.
    pub autostart: bool,
    /// Whether it is a place for a thread that its process creates.
    pub spare: bool,
    /// For a task: its program and its index in the module.
    pub task: Option<(u16, u16)>,
    /// The function it runs; empty for an upcall thread and a spare one.
    pub function: String,
    /// Budget of a job, ns; 0 = unlimited.
    pub budget: u64,
    /// Worst-case execution time that the program states, ns; 0 = none.
    pub wcet: u64,
    /// Relative deadline, ns; for a task the shortest of its releases; 0 = none.
    pub deadline: u64,
    /// Round robin quantum, ns.
    pub quantum: u32,
    /// Bytes of its stack, whole pages.
    pub stack: u32,
    /// Its stack holds whatever it may call, so it needs no guard; not before it is linked.
    pub fits: bool,
    /// Offset of its control page in the process's area.
    pub control: u32,
    /// For a task: offset of its block in the process's area.
    pub block: u32,
    /// For a task: bytes of its block.
    pub block_size: u32,
}

/// Where a port's bytes lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// In the kernel's arena, at this offset.
    Arena(u32),
    /// In the block of this task's thread, at this offset of the process's area.
    Block(u16, u32),
}

/// A port.
#[derive(Clone, Debug)]
pub struct Port {
    /// Its name in the program.
    pub name: String,
    /// The program.
    pub program: u16,
    /// Where it stands.
    pub kind: PortKind,
    /// The type's name in the program.
    pub type_name: String,
    /// How its value compares.
    pub value_type: ValueType,
    /// Bytes; 0 for an opaque type before binding.
    pub size: u16,
    /// Where it lies; offsets are final after binding.
    pub place: Place,
}

impl Port {
    /// Whether the trace tells what drivers write to it: values of the program; not
    /// copies, and not what only the machine looks at.
    pub fn is_traced(&self) -> bool {
        let inner = matches!(
            self.kind,
            PortKind::Guard | PortKind::ViolationTask | PortKind::ViolationDriver
        );
        !self.kind.is_task_local() && !inner
    }
}

/// How a driver does its work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Work {
    /// Copies values.
    Copy,
    /// Loads a device register: physical address, bytes.
    Load(u32, u8),
    /// Stores to a device register: physical address, bytes.
    Store(u32, u8),
    /// Runs a function of a process.
    Upcall {
        /// The process.
        process: u16,
        /// Most execution time, ns.
        budget: u32,
    },
}

/// A driver.
#[derive(Clone, Debug)]
pub struct Driver {
    /// Its name in listings.
    pub name: String,
    /// The program.
    pub program: u16,
    /// The function behind it; empty for a copy.
    pub function: String,
    /// How it does its work.
    pub work: Work,
    /// Ports that it reads.
    pub reads: Vec<u16>,
    /// Ports that it writes.
    pub writes: Vec<u16>,
    /// Task threads that must not be running a job meanwhile.
    pub conflicts: Vec<u16>,
    /// For an upcall: offset of its block in the process's area.
    pub block: u32,
    /// For an upcall: bytes of its block.
    pub block_size: u32,
}

/// A program.
#[derive(Clone, Debug)]
pub struct Program {
    /// Its name.
    pub name: String,
    /// Its source as the system file names it.
    pub source: String,
    /// Its scheduler.
    pub schedule: Schedule,
    /// Its module, verified.
    pub module: Vec<u8>,
    /// Most microcode steps in one instant.
    pub max_steps: u32,
    /// Whether the verifier has counted them; else they are so bounded at run time.
    pub is_bounded: bool,
    /// Slots of the trigger queue that it needs.
    pub triggers: u16,
    /// Slots of the thread set that it needs.
    pub s_threads: u16,
    /// Fixed priority of its slot; `None` = the deadline band.
    pub slot: Option<u8>,
    /// Local task index to thread.
    pub tasks: Vec<u16>,
    /// Local driver index to driver.
    pub drivers: Vec<u16>,
    /// Local port index to port; NONE for states, which have no place.
    pub ports: Vec<u16>,
    /// Local interrupt index to number.
    pub interrupts: Vec<u16>,
    /// Port that tells a handler the task.
    pub violation_task: Option<u16>,
    /// Port that tells a handler the driver.
    pub violation_driver: Option<u16>,
    /// What may take its place, if anything may.
    pub room: Option<Room>,
    /// The modules that are known of those that may, by their sources.
    pub known: Vec<(String, Vec<u8>)>,
}

/// An interrupt line in use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Interrupt {
    /// Its number.
    pub number: u16,
    /// The device that raises it.
    pub name: String,
    /// The process that may await it.
    pub process: Option<u16>,
    /// Nanoseconds between two of its comings at least; 0: any.
    pub interval: u32,
}

impl Model {
    /// Names and indices, without what only the processes' code can tell.
    pub fn outline(project: &Project) -> Result<Model, Refusal> {
        outline::outline(project)
    }

    /// The whole model: the outline bound to the functions of each process, by
    /// the process's name.
    pub fn resolve(
        project: &Project,
        functions: &BTreeMap<String, Functions>,
    ) -> Result<Model, Refusal> {
        let mut model = outline::outline(project)?;
        bind::bind(project, &mut model, functions)?;
        Ok(model)
    }

    /// The threads of a process with their indices.
    pub fn threads_of(&self, process: u16) -> impl Iterator<Item = (u16, &Thread)> {
        let all = (0u16..).zip(&self.threads);
        all.filter(move |(_, thread)| thread.process == process)
    }

    /// Whether a thread has an id when the system boots: others get theirs when they, or
    /// their process, are created.
    pub(crate) fn is_there_at_boot(&self, thread: &Thread) -> bool {
        let owner = self.processes.get(usize::from(thread.process));
        let begins = thread.autostart || thread.role != ThreadRole::Thread;
        begins && !thread.spare && owner.is_some_and(|process| !process.is_by_call)
    }

    /// The upcall drivers of a process with their indices.
    pub fn upcalls_of(&self, process: u16) -> impl Iterator<Item = (u16, &Driver)> {
        let all = (0u16..).zip(&self.drivers);
        all.filter(move |(_, driver)| matches!(driver.work, Work::Upcall { process: p, .. } if p == process))
    }

    /// The index in its process's functions of what a thread runs.
    pub fn function_of(&self, thread: u16) -> Option<usize> {
        let thread = self.threads.get(thread as usize)?;
        self.processes
            .get(thread.process as usize)?
            .functions
            .position(&thread.function)
    }
}

/// What the system file calls a kind of function.
pub(crate) fn kind_name(kind: FunctionKind) -> &'static str {
    match kind {
        FunctionKind::Task => "task",
        FunctionKind::Driver => "driver",
        FunctionKind::Thread => "thread",
        FunctionKind::Filter => "filter",
    }
}
