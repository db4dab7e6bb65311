//! The name map: what the indices of an image's tables are called. Written as
//! JSON beside the image, read by the host tools (trace, run, replay).
//!
//! Every list is in the order of the tables, so that an index of a trace record
//! is an index here.

use crate::file::Schedule;
use crate::image::Usage;
use crate::memory_map::{Machine, Stretch};
use crate::model::{Driver, Model, Place, Port, Process, Program, Thread, Work};
use crate::objects::Object;
use crate::restart::RestartRule;
use giornata_abi::ValueType;
use giornata_abi::id::NONE;
use giornata_abi::module::{Module, PortKind};
use giornata_abi::system::{FaultPolicy, Policy};
use serde::{Deserialize, Serialize};

/// The version of this map's shape.
pub const FORMAT: u32 = 1;

/// The names of one system.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NameMap {
    /// [`FORMAT`].
    pub format: u32,
    /// The system's name.
    pub system: String,
    /// The board it is built for.
    pub board: String,
    /// Ticks a second of the board's timer.
    pub timer_hertz: u32,
    /// What a run may suffer and still be good, as the system file says it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub expect: Vec<String>,
    /// The fixed priority at which the deadline band lies.
    pub deadline_band: u8,
    /// The instant, in ns, at which the machine stops by itself; 0 = never.
    pub stop_at: u64,
    /// Slots of the trace ring.
    pub trace_capacity: u32,
    /// The processes.
    pub processes: Vec<ProcessName>,
    /// The threads.
    pub threads: Vec<ThreadName>,
    /// The ports.
    pub ports: Vec<PortName>,
    /// The drivers.
    pub drivers: Vec<DriverName>,
    /// The programs.
    pub programs: Vec<ProgramName>,
    /// The interrupt lines in use.
    pub interrupts: Vec<InterruptName>,
    /// What threads synchronise by and send to.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub objects: Vec<ObjectName>,
    /// Memory that is no process's; empty on the host.
    #[serde(default)]
    pub machine: Machine,
}

/// One process.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProcessName {
    /// Its name in the system file.
    pub name: String,
    /// What happens when it faults: `stop`, `restart` or `halt`.
    pub on_fault: String,
    /// When it is restarted, and how often, if it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub restart: Option<RestartRule>,
    /// Whether it begins by a call of its supervisor, and not with the system.
    #[serde(default, skip_serializing_if = "is_false")]
    pub by_call: bool,
    /// Whether it reads the trace: it sends that while the machine runs.
    #[serde(default, skip_serializing_if = "is_false")]
    pub reads_trace: bool,
    /// Bytes of code.
    pub text: u32,
    /// Bytes of constants.
    pub rodata: u32,
    /// Bytes of initialised and zeroed data.
    pub data: u32,
    /// Bytes of all its stacks.
    pub stacks: u32,
    /// Bytes of memory that it can allocate.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub heap: u32,
    /// Where its memory lies, by the addresses that it uses; empty on the host.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub memory: Vec<Stretch>,
}

fn is_false(flag: &bool) -> bool {
    !flag
}

fn is_zero(bytes: &u32) -> bool {
    *bytes == 0
}

/// What a thread is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ThreadRole {
    /// Runs from start to exit.
    Thread,
    /// Runs one job per release.
    Task,
    /// Runs the upcalls of a process.
    Upcall,
    /// Runs one instance after the other of a filter of a stream graph.
    Filter,
}

/// One thread.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ThreadName {
    /// The task's or thread's name; `upcall` for a process's upcall thread, `spare0`
    /// and so on for threads that it creates.
    pub name: String,
    /// What it was called in the run that is told of; empty: nothing else.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub called: String,
    /// Index of its process.
    pub process: u16,
    /// What it is.
    pub role: ThreadRole,
    /// `fifo`, `round-robin` or `deadline`.
    pub policy: String,
    /// Fixed priority, where the policy has one.
    pub priority: u8,
    /// Whether it is ready when its process begins.
    #[serde(default, skip_serializing_if = "is_false")]
    pub autostart: bool,
    /// For a task: index of the program that releases it.
    pub program: Option<u16>,
    /// The function it runs; empty for an upcall thread and a spare one.
    pub function: String,
    /// Budget of one job in ns; 0 = unlimited.
    pub budget: u64,
    /// Worst-case execution time that the program states, in ns; 0 = not stated.
    pub wcet: u64,
    /// For a task: the shortest relative deadline with which it is released;
    /// for a deadline thread its relative deadline. In ns; 0 = none.
    pub deadline: u64,
    /// Bytes of its stack.
    pub stack: u32,
    /// Address of the end of its stack; 0 on the host.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub stack_top: u32,
    /// Bytes below its stack that no thread of its process may touch while it runs; 0: there
    /// are none, because what it calls is known to fit, or another stack lies there that is
    /// closed then.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub guard: u32,
    /// Address of the function it runs; 0 if that is not known.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub body: u32,
}

/// One port.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PortName {
    /// Its name in its program.
    pub name: String,
    /// Index of the program.
    pub program: u16,
    /// Where it stands: `sensor`, `actuator`, `output`, `private`, `input`,
    /// `task-input`, `task-output`, `guard`, `violation-task`, `violation-driver`.
    pub kind: String,
    /// The type's name in the program.
    pub type_name: String,
    /// A [`ValueType`] by its code: how the value reads.
    pub value_type: u8,
    /// Bytes.
    pub size: u16,
    /// Whether its changes are in the trace.
    pub traced: bool,
    /// For a task's own copy: index of the task's thread.
    pub task: Option<u16>,
    /// What a value that is a struct consists of, where the processes say so.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fields: Vec<FieldName>,
}

/// One part of a port's value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FieldName {
    /// Its name, with those of the structs and arrays it lies in: `rates.x`, `gains[2]`.
    pub name: String,
    /// Bytes before it.
    pub offset: u16,
    /// A [`ValueType`] by its code: how it reads.
    pub value_type: u8,
}

/// One driver.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DriverName {
    /// Its name in listings.
    pub name: String,
    /// Index of the program that calls it.
    pub program: u16,
    /// The function behind it; empty for a copy.
    pub function: String,
    /// `copy`, `load`, `store` or `upcall`.
    pub work: String,
    /// For an upcall: index of the process.
    pub process: Option<u16>,
    /// For an upcall: budget in ns.
    pub budget: u32,
    /// For an upcall: address of the function; 0 on the host.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub body: u32,
}

/// One program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProgramName {
    /// Its name in the system file.
    pub name: String,
    /// Its source file as the system file names it.
    pub source: String,
    /// Its scheduler: `edf`, `rm`, `fifo` or `s`.
    pub schedule: String,
    /// Which violations run a handler, in the order of
    /// [`Violation`](giornata_abi::trace::Violation).
    pub handled: [bool; 4],
    /// Count of its instructions.
    pub instructions: u32,
}

/// One interrupt line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct InterruptName {
    /// Its number at the interrupt controller.
    pub number: u16,
    /// The device on the board, or the name that a program gives it.
    pub name: String,
    /// Index of the process that may await it.
    pub process: Option<u16>,
}

/// One object.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ObjectName {
    /// Its name in the system file.
    pub name: String,
    /// `mutex`, `semaphore`, `condition` or `mailbox`.
    pub kind: String,
    /// The priority of who has a mutex; `None` where priorities are inherited.
    pub ceiling: Option<u8>,
    /// Indices of the processes that may use it: send to it, if it is a mailbox.
    pub users: Vec<u16>,
    /// Indices of the processes that may receive from a mailbox.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub receivers: Vec<u16>,
    /// Indices of the processes that may create and delete it.
    pub managers: Vec<u16>,
    /// Index of the mailbox of the server that a mailbox is attached to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server: Option<u16>,
}

impl NameMap {
    /// The map as JSON text with a final newline; equal maps give equal text.
    pub fn to_json(&self) -> String {
        let mut text = serde_json::to_string_pretty(self).unwrap_or_default();
        text.push('\n');
        text
    }

    /// Reads a map; the error says what is wrong with the text.
    pub fn from_json(text: &str) -> Result<NameMap, String> {
        let map: NameMap = serde_json::from_str(text).map_err(|e| e.to_string())?;
        if map.format != FORMAT {
            return Err(format!(
                "name map of format {}, this version reads format {FORMAT}",
                map.format
            ));
        }
        Ok(map)
    }

    /// The full name of a port: `program.port`, or just the port where the
    /// system has one program.
    pub fn port(&self, index: u16) -> Option<String> {
        let port = self.ports.get(index as usize)?;
        if self.programs.len() == 1 {
            return Some(port.name.clone());
        }
        let program = self.programs.get(port.program as usize)?;
        Some(format!("{}.{}", program.name, port.name))
    }
}

impl FieldName {
    /// How it reads.
    pub fn value_type(&self) -> ValueType {
        ValueType::from_code(self.value_type).unwrap_or(ValueType::Opaque)
    }
}

impl PortName {
    /// How the value reads.
    pub fn value_type(&self) -> ValueType {
        ValueType::from_code(self.value_type).unwrap_or(ValueType::Opaque)
    }
}

impl ThreadName {
    /// Its name, with what it was called in the run.
    pub fn both(&self) -> String {
        match self.called.as_str() {
            "" => self.name.clone(),
            called => format!("{} ({called})", self.name),
        }
    }
}

/// The map of a bound model. `usage` tells the sizes of processes; without it
/// (on the host) they are 0.
pub fn name_map(model: &Model, usage: &[Usage]) -> NameMap {
    let usage = |index: usize| usage.get(index).copied().unwrap_or_default();
    NameMap {
        format: FORMAT,
        system: model.name.clone(),
        board: model.board.name.clone(),
        timer_hertz: model.board.timer_hertz,
        expect: model.expect.iter().map(ToString::to_string).collect(),
        deadline_band: model.deadline_band,
        stop_at: model.stop_at,
        trace_capacity: model.trace_capacity,
        processes: model
            .processes
            .iter()
            .enumerate()
            .map(|(i, p)| process_name(p, usage(i)))
            .collect(),
        threads: model.threads.iter().map(thread_name).collect(),
        ports: model.ports.iter().map(port_name).collect(),
        drivers: model.drivers.iter().map(driver_name).collect(),
        programs: model.programs.iter().map(program_name).collect(),
        interrupts: model
            .interrupts
            .iter()
            .map(|i| InterruptName {
                number: i.number,
                name: i.name.clone(),
                process: i.process,
            })
            .collect(),
        objects: model.objects.iter().map(object_name).collect(),
        machine: Machine::default(),
    }
}

fn process_name(process: &Process, usage: Usage) -> ProcessName {
    let on_fault = match process.on_fault {
        FaultPolicy::Stop => "stop",
        FaultPolicy::Restart => "restart",
        FaultPolicy::Halt => "halt",
    };
    ProcessName {
        name: process.name.clone(),
        on_fault: on_fault.into(),
        restart: (process.on_fault == FaultPolicy::Restart).then_some(process.restart),
        by_call: process.is_by_call,
        reads_trace: process.reads_trace,
        text: usage.text,
        rodata: usage.rodata,
        data: usage.data,
        stacks: usage.stacks,
        heap: usage.heap,
        memory: Vec::new(),
    }
}

fn thread_name(thread: &Thread) -> ThreadName {
    let policy = match thread.policy {
        Policy::Fifo => "fifo",
        Policy::RoundRobin => "round-robin",
        Policy::Deadline => "deadline",
    };
    ThreadName {
        name: thread.name.clone(),
        called: String::new(),
        process: thread.process,
        role: thread.role,
        policy: policy.into(),
        priority: thread.priority,
        autostart: thread.autostart,
        program: thread.task.map(|(program, _)| program),
        function: thread.function.clone(),
        budget: thread.budget,
        wcet: thread.wcet,
        deadline: thread.deadline,
        stack: thread.stack,
        stack_top: 0,
        guard: 0,
        body: 0,
    }
}

fn port_name(port: &Port) -> PortName {
    let kind = match port.kind {
        PortKind::Sensor => "sensor",
        PortKind::Actuator => "actuator",
        PortKind::Output => "output",
        PortKind::Private => "private",
        PortKind::Input => "input",
        PortKind::TaskInput => "task-input",
        PortKind::TaskOutput => "task-output",
        PortKind::State => "state",
        PortKind::Guard => "guard",
        PortKind::ViolationTask => "violation-task",
        PortKind::ViolationDriver => "violation-driver",
    };
    PortName {
        name: port.name.clone(),
        program: port.program,
        kind: kind.into(),
        type_name: port.type_name.clone(),
        value_type: port.value_type as u8,
        size: port.size,
        traced: port.is_traced(),
        task: match port.place {
            Place::Block(thread, _) => Some(thread),
            Place::Arena(_) => None,
        },
        fields: Vec::new(),
    }
}

fn driver_name(driver: &Driver) -> DriverName {
    let (work, process, budget) = match driver.work {
        Work::Copy => ("copy", None, 0),
        Work::Load(..) => ("load", None, 0),
        Work::Store(..) => ("store", None, 0),
        Work::Upcall { process, budget } => ("upcall", Some(process), budget),
    };
    DriverName {
        name: driver.name.clone(),
        program: driver.program,
        function: driver.function.clone(),
        work: work.into(),
        process,
        budget,
        body: 0,
    }
}

fn object_name(object: &Object) -> ObjectName {
    ObjectName {
        name: object.name.clone(),
        kind: object.shape.kind().name().into(),
        ceiling: object.shape.ceiling(),
        users: object.users().collect(),
        receivers: object.receivers().collect(),
        managers: object.managers().collect(),
        server: object.server,
    }
}

fn program_name(program: &Program) -> ProgramName {
    let schedule = match program.schedule {
        Schedule::Edf => "edf",
        Schedule::RateMonotonic => "rm",
        Schedule::Fifo => "fifo",
        Schedule::SCode(_) => "s",
    };
    let header = Module::parse(&program.module).map(|m| *m.header());
    ProgramName {
        name: program.name.clone(),
        source: program.source.clone(),
        schedule: schedule.into(),
        handled: header.map_or([false; 4], |h| h.handlers.map(|address| address != NONE)),
        instructions: header.map_or(0, |h| h.instructions.into()),
    }
}
