//! A program by itself: the least system around one module, for tools that
//! have no system file.

use crate::board::{Board, Device, Protection};
use crate::config::CONFIGS;
use crate::file::{
    Code, Grants, KernelSection, Line, ProcessSection, ProgramSection, ProvidedFunction,
    RoomSection, Schedule, SystemFile,
};
use crate::hostlink::HostlinkSection;
use crate::manifest::DEFAULT_BAND;
use crate::problem::Refusal;
use crate::project::{Project, give_budgets};
use crate::restart::RestartRule;
use crate::s_code;
use crate::services::ServicesSection;
use giornata_abi::linked::LONGEST;
use giornata_abi::module::{DriverKind, Module};
use giornata_abi::rate::Rate;
use giornata_abi::system::FaultPolicy;
use giornata_lang::SourceText;
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use toml::Spanned;

/// What the process that provides everything is called.
const PROCESS: &str = "all";
/// Ticks a second of the board's timer: one a nanosecond, so that nothing is rounded.
const HERTZ: u32 = 1_000_000_000;
/// Nanoseconds in a second.
const SECOND: u128 = 1_000_000_000;

impl Project {
    /// The system of one module alone. A process provides all its tasks, with
    /// `budgets` in nanoseconds where they are stated, and its drivers, without; the board is a timer of 1 GHz, or slower where deadlines
    /// are so long that the kernel cannot count them at that rate, and a device for
    /// each interrupt of the module. S code schedules where there is some,
    /// earliest deadline first elsewhere.
    ///
    /// # Errors
    /// `bytes` is no module that a kernel loads.
    pub fn alone(path: &Path, bytes: &[u8], budgets: &[(String, u64)]) -> Result<Project, Refusal> {
        let module = Module::parse(bytes).ok();
        let name = module.as_ref().map_or("", Module::name);
        let lines: Vec<String> = module.as_ref().map_or(Vec::new(), interrupts);
        let mut file = SystemFile {
            path: path.to_path_buf(),
            source: Arc::new(SourceText::new(path.display().to_string(), "")),
            expect: Vec::new(),
            name: spanned(name.into()),
            board: spanned("none".into()),
            kernel: kernel(),
            hostlink: HostlinkSection::default(),
            streams: Vec::new(),
            programs: vec![program(path, name, module.as_ref(), &lines)],
            objects: Vec::new(),
            regions: Vec::new(),
            processes: vec![process(module.as_ref())],
        };
        let hertz = module.as_ref().map_or(HERTZ, hertz);
        give_budgets(&mut file, budgets);
        Project::assemble(file, board(lines, hertz), &[bytes.to_vec()], &[])
    }
}

fn spanned<T>(value: T) -> Spanned<T> {
    Spanned::new(0..0, value)
}

fn interrupts(module: &Module<'_>) -> Vec<String> {
    let names = module.interrupts().map(|line| module.text(line.name));
    names.map(str::to_owned).collect()
}

fn kernel() -> KernelSection {
    KernelSection {
        config: spanned(CONFIGS[0].into()),
        deadline_band: DEFAULT_BAND,
        control_apart: false,
        trace: 16,
        trace_console: false,
        triggers: None,
        s_threads: None,
    }
}

fn program(
    path: &Path,
    name: &str,
    module: Option<&Module<'_>>,
    lines: &[String],
) -> ProgramSection {
    let has_s_code = module.is_some_and(s_code::is_in);
    let numbered = (1u16..).zip(lines);
    ProgramSection {
        name: spanned(name.into()),
        source: spanned(path.display().to_string()),
        schedule: spanned(if has_s_code {
            Schedule::SCode(None)
        } else {
            Schedule::Edf
        }),
        slot: None,
        on_violation: Default::default(),
        registers: Vec::new(),
        interrupts: numbered
            .map(|(number, name)| (spanned(name.clone()), spanned(Line::Number(number))))
            .collect(),
        modules: Vec::new(),
        boot: spanned(true),
        room: RoomSection::default(),
    }
}

fn process(module: Option<&Module<'_>>) -> ProcessSection {
    let tasks: BTreeSet<&str> = module.map_or(BTreeSet::new(), |module| {
        module.tasks().map(|t| module.text(t.function)).collect()
    });
    let drivers: BTreeSet<&str> = module.map_or(BTreeSet::new(), |module| {
        let upcalls = module
            .drivers()
            .filter(|d| DriverKind::from_code(d.kind) == Some(DriverKind::Function));
        upcalls.map(|d| module.text(d.function)).collect()
    });
    ProcessSection {
        name: spanned(PROCESS.into()),
        code: Code {
            package: Some(spanned(PROCESS.into())),
            c: Vec::new(),
            is_posix: false,
            options: Default::default(),
        },
        stack: spanned(4096),
        parallel: None,
        has_private_stacks: false,
        tasks: provided(tasks, None),
        // an upcall has a budget: the longest that there is
        drivers: provided(drivers, Some(u32::MAX.into())),
        threads: Vec::new(),
        grants: Grants::default(),
        services: ServicesSection::default(),
        on_fault: FaultPolicy::Stop,
        restart: RestartRule::default(),
        max_priority: 0,
    }
}

fn provided(names: BTreeSet<&str>, budget: Option<u64>) -> Vec<ProvidedFunction> {
    let function = |name: &str| ProvidedFunction {
        name: spanned(name.into()),
        budget: budget.map(spanned),
        stack: None,
    };
    names.into_iter().map(function).collect()
}

/// The fastest timer, by tens, by which the kernel can count the longest duration: that of
/// a release is a deadline.
fn hertz(module: &Module<'_>) -> u32 {
    let longest = module.durations().map(|duration| duration.nanos).max();
    let longest = u128::from(longest.unwrap_or(0));
    let is_countable = |hertz: u32| longest * u128::from(hertz) < u128::from(LONGEST) * SECOND;
    let mut hertz = HERTZ;
    while hertz > 1 && !is_countable(hertz) {
        hertz /= 10;
    }
    hertz
}

fn board(lines: Vec<String>, timer_hertz: u32) -> Board {
    let device = |(number, name)| Device {
        name,
        base: 0,
        size: 4,
        interrupt: Some(number),
        kernel: false,
        kind: None,
    };
    Board {
        name: "none".into(),
        selector: "none".into(),
        protection: Protection::Sv39,
        target: String::new(),
        kernel_target: String::new(),
        kernel_features: Vec::new(),
        task_records: 0,
        harts: 1,
        kernel: (0, 0),
        system: 0,
        timer_hertz,
        rate: Rate::new(timer_hertz).expect("between 1 Hz and 1 GHz"),
        memory_base: 0,
        memory_size: 0,
        devices: (1u16..).zip(lines).map(device).collect(),
        emulator: None,
    }
}
