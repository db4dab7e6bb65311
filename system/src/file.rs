//! The system file: what a system is made of, as its author wrote it.
//!
//! Reading checks shapes and ranges, not references: names are resolved by
//! [`Model`](crate::model::Model).

use crate::expect::Expectation;
use crate::hostlink::HostlinkSection;
use crate::keys::SYSTEM;
use crate::manifest;
use crate::objects::{ObjectGrants, ObjectSection};
use crate::problem::{Findings, Problem, Refusal, Source, utf8};
use crate::restart::RestartRule;
use crate::section;
use crate::services::ServicesSection;
use crate::shared::RegionSection;
use crate::streams::StreamSection;
use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};
pub use toml::Spanned;

use giornata_abi::system::{FaultPolicy, Policy};
use giornata_analysis::Kind;

/// A whole system file.
#[derive(Clone, Debug)]
pub struct SystemFile {
    /// Where it was read from; other paths in it are relative to its folder.
    pub path: PathBuf,
    /// Its text, for messages.
    pub source: Source,
    /// `name`
    pub name: Spanned<String>,
    /// `board`
    pub board: Spanned<String>,
    /// `expect`: what a run may suffer and still be good.
    pub expect: Vec<Spanned<Expectation>>,
    /// `[kernel]`
    pub kernel: KernelSection,
    /// `[hostlink]`
    pub hostlink: HostlinkSection,
    /// `[program.*]`, in the order of the file.
    pub programs: Vec<ProgramSection>,
    /// `[stream.*]`, in the order of the file.
    pub streams: Vec<StreamSection>,
    /// `[mutex.*]`, then `[semaphore.*]`, `[condition.*]` and `[mailbox.*]`, each in
    /// the order of the file.
    pub objects: Vec<ObjectSection>,
    /// `[region.*]`, in the order of the file.
    pub regions: Vec<RegionSection>,
    /// `[process.*]`, in the order of the file.
    pub processes: Vec<ProcessSection>,
}

/// `[kernel]`: which kernel, and capacities that it does not derive.
#[derive(Clone, Debug)]
pub struct KernelSection {
    /// Kernel configuration.
    pub config: Spanned<String>,
    /// Fixed priority at which the deadline band lies.
    pub deadline_band: u8,
    /// The first of several harts takes the timer and the lines, and runs no thread.
    pub control_apart: bool,
    /// Slots of the trace ring; a power of two.
    pub trace: u32,
    /// Whether the kernel sends the rest of the trace at a stop.
    pub trace_console: bool,
    /// Slots of the trigger queue; derived from the programs if silent.
    pub triggers: Option<u16>,
    /// Slots of the thread set of S code; derived from the programs if silent.
    pub s_threads: Option<u16>,
}

/// Who decides among the released tasks of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Schedule {
    /// The default scheduler, earliest deadline first.
    Edf,
    /// Fixed priorities, the shorter deadline of release the more urgent.
    RateMonotonic,
    /// One fixed priority, first released first run.
    Fifo,
    /// S code: of this kind, generated from the tasks' budgets, or none: what
    /// the program itself carries.
    SCode(Option<Kind>),
}

/// What happens at a violation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reaction {
    /// The default: skip the driver or release, stop the job or upcall.
    Skip,
    /// A driver runs, in the same instant.
    Handler(String),
}

/// `[program.*]`
#[derive(Clone, Debug)]
pub struct ProgramSection {
    /// Its name.
    pub name: Spanned<String>,
    /// `.giotto`, `.psi`, or a prebuilt module `.gmod`.
    pub source: Spanned<String>,
    /// Its scheduler.
    pub schedule: Spanned<Schedule>,
    /// Fixed priority of its slot; the deadline band if silent.
    pub slot: Option<Spanned<u8>>,
    /// By [`Violation`](giornata_abi::trace::Violation); silent = what the program says.
    pub on_violation: [Option<Spanned<Reaction>>; 4],
    /// Drivers that are accesses to device registers.
    pub registers: Vec<RegisterEntry>,
    /// What the program's interrupts are on the board.
    pub interrupts: Vec<(Spanned<String>, Spanned<Line>)>,
    /// Other modules that may take its place while the system runs: what they
    /// name is bound as well.
    pub modules: Vec<Spanned<String>>,
    /// Whether it runs from the start, or waits for a module to be loaded.
    pub boot: Spanned<bool>,
    /// What there is room for, where the file says so.
    pub room: RoomSection,
}

/// `[program.*.room]`: what a module that comes later may need at most.
#[derive(Clone, Copy, Debug, Default)]
pub struct RoomSection {
    /// Instructions.
    pub instructions: Option<u16>,
    /// Predicates.
    pub predicates: Option<u16>,
    /// Durations.
    pub durations: Option<u16>,
    /// Steps in one instant.
    pub steps: Option<u32>,
    /// Slots of the trigger queue.
    pub triggers: Option<u16>,
    /// Slots of the thread set of S code.
    pub threads: Option<u16>,
}

/// `[program.*.registers]`: a driver function bound to a device register.
#[derive(Clone, Debug)]
pub struct RegisterEntry {
    /// The driver function's name in the program.
    pub function: Spanned<String>,
    /// The device.
    pub device: Spanned<String>,
    /// Bytes from the device's base.
    pub offset: Spanned<u64>,
    /// 1, 2, 4 or 8 bytes.
    pub width: Spanned<u8>,
}

/// An interrupt line, by number or by the device that raises it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Line {
    /// Its number at the interrupt controller.
    Number(u16),
    /// The line of this device.
    Device(String),
}

/// What boards have by different names: the first that the board has is meant.
#[derive(Clone, Debug)]
pub struct OneOf<T> {
    /// The first name.
    pub first: Spanned<T>,
    /// The others, in the order of the file.
    pub others: Vec<Spanned<T>>,
}

impl<T> OneOf<T> {
    /// The one that is meant; the first if the board has none.
    pub(crate) fn on(&self, board_has: impl Fn(&T) -> bool) -> &Spanned<T> {
        let mut all = self.all();
        let found = all.find(|name| board_has(name.get_ref()));
        found.unwrap_or(&self.first)
    }

    /// All names, in the order of the file.
    pub(crate) fn all(&self) -> impl Iterator<Item = &Spanned<T>> {
        std::iter::once(&self.first).chain(&self.others)
    }
}

/// Where a process's code comes from: a crate, C sources, or both.
#[derive(Clone, Debug)]
pub struct Code {
    /// A Rust crate of the workspace.
    pub package: Option<Spanned<String>>,
    /// C sources: files, or all of a folder whose names fit a pattern with one `*`.
    pub c: Vec<Spanned<String>>,
    /// The C sources are written after POSIX: there is a C library, and a thread `main`.
    pub is_posix: bool,
    /// What its own sources are compiled with besides.
    pub options: COptions,
}

/// What the compiler of a process's own C and C++ sources is told besides.
#[derive(Clone, Debug, Default)]
pub struct COptions {
    /// Folders of headers, from the system file on: `c-include`.
    pub include: Vec<Spanned<String>>,
    /// Macros, as `NAME` or `NAME=VALUE`: `c-define`.
    pub define: Vec<Spanned<String>>,
    /// Other flags, the last of all: `c-flags`.
    pub flags: Vec<Spanned<String>>,
}

/// `[process.*]`
#[derive(Clone, Debug)]
pub struct ProcessSection {
    /// Its name.
    pub name: Spanned<String>,
    /// Its code.
    pub code: Code,
    /// Bytes of each stack that does not say otherwise.
    pub stack: Spanned<u64>,
    /// Whether each of its threads reaches its own stack only, where regions confine it.
    pub has_private_stacks: bool,
    /// Task functions that it provides.
    pub tasks: Vec<ProvidedFunction>,
    /// Driver functions that it provides.
    pub drivers: Vec<ProvidedFunction>,
    /// Its ordinary threads.
    pub threads: Vec<ThreadSection>,
    /// What it may use.
    pub grants: Grants,
    /// What it takes from while it runs.
    pub services: ServicesSection,
    /// What happens when it faults.
    pub on_fault: FaultPolicy,
    /// When it is restarted then, and how often.
    pub restart: RestartRule,
    /// Highest fixed priority that it may ask for.
    pub max_priority: u8,
    /// Whether several of its threads may run at the same time, and where that stands, if it
    /// does.
    pub parallel: Option<(bool, Range<usize>)>,
}

/// A task or driver function with its limits.
#[derive(Clone, Debug)]
pub struct ProvidedFunction {
    /// The function's name.
    pub name: Spanned<String>,
    /// Most execution time of a job or upcall, in ns.
    pub budget: Option<Spanned<u64>>,
    /// Bytes of its stack; tasks only.
    pub stack: Option<Spanned<u64>>,
}

/// An ordinary thread.
#[derive(Clone, Debug)]
pub struct ThreadSection {
    /// Its name, which is its function's.
    pub name: Spanned<String>,
    /// How it is scheduled.
    pub policy: Policy,
    /// Fixed priority.
    pub priority: u8,
    /// Round robin quantum, ns.
    pub quantum: u32,
    /// Relative deadline of a deadline thread, ns.
    pub deadline: u64,
    /// Most execution time of a job, ns; 0 = unlimited.
    pub budget: u64,
    /// Bytes of its stack, if not the process's.
    pub stack: Option<Spanned<u64>>,
    /// Whether it is ready at the start.
    pub autostart: bool,
}

/// What a process may use.
#[derive(Clone, Debug, Default)]
pub struct Grants {
    /// Devices mapped into it, in this order from the first device address on.
    pub devices: Vec<OneOf<String>>,
    /// Interrupts that its threads may await.
    pub interrupts: Vec<OneOf<Line>>,
    /// Nanoseconds between two comings of one of them at least.
    pub interval: u32,
    /// Ports `program.port` and whether it may write them.
    pub ports: Vec<(Spanned<String>, bool)>,
    /// Programs that it may replace while the system runs.
    pub programs: Vec<Spanned<String>>,
    /// Objects that it may use, and manage.
    pub objects: ObjectGrants,
    /// Regions that it may attach, and whether it may write them.
    pub regions: Vec<(Spanned<String>, bool)>,
    /// Processes that it may start and end, and is told of when they end.
    pub supervises: Vec<Spanned<String>>,
    /// It may stop the machine.
    pub shutdown: bool,
    /// It reads the trace ring.
    pub trace: bool,
    /// It reads the kernel's records.
    pub inspect: bool,
    /// Its threads may keep reactions of programs waiting: where it says so.
    pub above_programs: Option<Range<usize>>,
    /// It programs a device that reads and writes memory by itself.
    pub trusted_dma: bool,
}

impl SystemFile {
    /// Reads a system file from disk.
    pub fn read(path: &Path) -> Result<SystemFile, Refusal> {
        let bytes = std::fs::read(path).map_err(|error| {
            let reason = format!("cannot read {}: {error}", path.display());
            Problem::new(reason, "give the path of a system.toml")
        })?;
        SystemFile::parse(path, &utf8(path, bytes)?)
    }

    /// Reads a system file's text; `path` is for messages and relative paths.
    pub fn parse(path: &Path, text: &str) -> Result<SystemFile, Refusal> {
        let mut findings = Findings::about(path, text);
        let file = section::read_text(&mut findings, text, &SYSTEM, |findings, top| {
            manifest::system(findings, &top, path)
        });
        match file {
            Some(file) => findings.conclude(file),
            None => Err(findings.conclude(()).err().unwrap_or_else(|| {
                Problem::new("the system file is empty", "name the system and its board").into()
            })),
        }
    }

    /// A path of the file, from its folder.
    pub fn relative(&self, path: &str) -> PathBuf {
        self.path.parent().unwrap_or(Path::new(".")).join(path)
    }

    /// The process sections by name.
    pub fn process_names(&self) -> BTreeMap<&str, &ProcessSection> {
        self.processes
            .iter()
            .map(|p| (p.name.get_ref().as_str(), p))
            .collect()
    }
}
