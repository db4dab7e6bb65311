//! From the TOML tables of a system file to a [`SystemFile`]: shapes, ranges
//! and spelling of every key.

use crate::config::{CONFIGS, CONTROL};
use crate::file::{
    Code, Grants, KernelSection, Line, OneOf, ProcessSection, ProgramSection, ProvidedFunction,
    Reaction, RegisterEntry, RoomSection, Schedule, SystemFile, ThreadSection,
};
use crate::hostlink;
use crate::objects::{self, ObjectSection};
use crate::problem::{Findings, suggest};
use crate::section::{Section, Value, as_number, as_text};
use crate::{c_options, expect, restart, services, shared, streams};
use giornata_abi::system::{FaultPolicy, Policy};
use giornata_abi::trace::Violation;
use giornata_analysis::Kind;
use std::path::Path;
use toml::Spanned;
use toml::de::DeValue;

/// What `schedule` may be.
pub(crate) const SCHEDULES: [&str; 8] = [
    "edf",
    "rm",
    "fifo",
    "s",
    "s:edf",
    "s:rm",
    "s:edf-nonpreemptive",
    "s:synchronous",
];
/// What `policy` may be.
pub(crate) const POLICIES: [&str; 3] = ["fifo", "round-robin", "deadline"];
/// What `stacks` may be.
pub(crate) const STACKS: [&str; 2] = ["shared", "private"];
/// What `on-fault` may be.
pub(crate) const ON_FAULT: [&str; 3] = ["stop", "restart", "halt"];
pub(crate) const DEFAULT_BAND: u8 = 200;
const DEFAULT_STACK: u64 = 4096;
const DEFAULT_TRACE: u64 = 16384;
const DEFAULT_MAX_PRIORITY: u8 = 100;
const DEFAULT_PRIORITY: u8 = 50;

/// The format of system files that this builder reads; a file that does not say one is
/// of the first.
const FORMAT: u64 = 1;

/// Whether a file is of a format that is known. What else is wrong with one that is not
/// is not told: its keys mean something else.
fn is_known_format(findings: &mut Findings, top: &Section<'_>) -> bool {
    let Some(format) = top.number(findings, "format") else {
        return findings.count() == 0;
    };
    if *format.get_ref() <= FORMAT {
        return true;
    }
    let reason = format!(
        "this system file is of format {}, and giornata {} reads up to format {FORMAT}",
        format.get_ref(),
        env!("CARGO_PKG_VERSION")
    );
    findings.refuse(
        format.span(),
        reason,
        "take a newer giornata: update its folder, then `./x install` there",
    );
    false
}

/// The top level; `None` where name or board is missing.
pub(crate) fn system(
    findings: &mut Findings,
    top: &Section<'_>,
    path: &Path,
) -> Option<SystemFile> {
    if !is_known_format(findings, top) {
        return None;
    }
    top.refuse_unknown(findings);
    let name = top.needed(findings, "name", "\"my-system\"");
    let board = top.needed(findings, "board", "\"qemu-virt64\"");
    if let Some(name) = &name {
        check_name(findings, name);
    }
    let expect = expect::list(findings, top);
    let kernel = kernel(findings, top);
    let hostlink = hostlink::section(findings, top);
    let programs = named(findings, top, "program", program);
    let streams = named(findings, top, "stream", streams::section);
    let objects = objects(findings, top);
    let regions = named(findings, top, "region", shared::section);
    let processes = named(findings, top, "process", process);
    if processes.is_empty() && findings.count() == 0 {
        findings.refuse(
            0..0,
            "the system has no process",
            "add `[process.NAME]` with `crate = \"...\"`",
        );
    }
    let source = findings.source().clone();
    Some(SystemFile {
        path: path.to_path_buf(),
        source,
        name: name?,
        board: board?,
        expect,
        kernel,
        hostlink,
        programs,
        streams,
        objects,
        regions,
        processes,
    })
}

/// The objects, by kind.
fn objects(findings: &mut Findings, top: &Section<'_>) -> Vec<ObjectSection> {
    let mut all = Vec::new();
    for kind in objects::Kind::ALL {
        all.extend(named(
            findings,
            top,
            kind.name(),
            |findings, name, section| Some(objects::section(findings, kind, name, section)),
        ));
    }
    all
}

/// The tables under `key`, each read by `read`, names checked.
fn named<T>(
    findings: &mut Findings,
    top: &Section<'_>,
    key: &str,
    read: impl Fn(&mut Findings, Spanned<String>, &Section<'_>) -> Option<T>,
) -> Vec<T> {
    let sections = top.sections(findings, key);
    let mut all = Vec::new();
    for (name, section) in sections {
        check_name(findings, &name);
        all.extend(read(findings, name, &section));
    }
    all
}

/// Names become file names and identifiers.
fn check_name(findings: &mut Findings, name: &Spanned<String>) {
    let text = name.get_ref();
    let fits = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if !text.starts_with(|c: char| c.is_ascii_alphabetic())
        || !text.chars().all(fits)
        || text.len() > 64
    {
        let reason = format!("`{text}` cannot be a name");
        findings.refuse(
            name.span(),
            reason,
            "use up to 64 letters, digits, - and _, beginning with a letter",
        );
    }
}

fn kernel(findings: &mut Findings, top: &Section<'_>) -> KernelSection {
    let mut read = KernelSection {
        config: Spanned::new(top.span(), CONFIGS[0].into()),
        deadline_band: DEFAULT_BAND,
        control_apart: false,
        trace: DEFAULT_TRACE as u32,
        trace_console: true,
        triggers: None,
        s_threads: None,
    };
    let Some(section) = top.section(findings, "kernel") else {
        return read;
    };
    if let Some(config) = section.text(findings, "config") {
        if !CONFIGS.contains(&config.get_ref().as_str()) {
            let reason = format!("there is no kernel configuration \"{}\"", config.get_ref());
            findings.refuse(config.span(), reason, suggest(config.get_ref(), CONFIGS));
        }
        read.config = config;
    }
    let band = section.number(findings, "deadline-band");
    read.deadline_band = band.map_or(read.deadline_band, |b| *b.get_ref() as u8);
    if let Some(word) = section.text(findings, "control-hart") {
        if !CONTROL.contains(&word.get_ref().as_str()) {
            let reason = format!("`control-hart` is not \"{}\"", word.get_ref());
            findings.refuse(word.span(), reason, suggest(word.get_ref(), CONTROL));
        }
        read.control_apart = word.get_ref() == CONTROL[1];
    }
    read.trace = trace_slots(findings, &section).unwrap_or(read.trace);
    read.trace_console = section.flag(findings, "trace-console").unwrap_or(true);
    read.triggers = section
        .number(findings, "triggers")
        .map(|n| n.into_inner() as u16);
    read.s_threads = section
        .number(findings, "s-threads")
        .map(|n| n.into_inner() as u16);
    read
}

fn trace_slots(findings: &mut Findings, section: &Section<'_>) -> Option<u32> {
    let slots = section.number(findings, "trace")?;
    if !slots.get_ref().is_power_of_two() {
        let near = slots.get_ref().next_power_of_two();
        let reason = format!("a trace ring of {} records", slots.get_ref());
        findings.refuse(
            slots.span(),
            reason,
            format!("its size is a power of two: write {near}"),
        );
    }
    Some(*slots.get_ref() as u32)
}

fn program(
    findings: &mut Findings,
    name: Spanned<String>,
    section: &Section<'_>,
) -> Option<ProgramSection> {
    let source = section.needed(findings, "source", "\"program.giotto\"");
    let slot = section.number(findings, "slot");
    Some(ProgramSection {
        name,
        schedule: schedule(findings, section),
        slot: slot.map(|s| Spanned::new(s.span(), *s.get_ref() as u8)),
        on_violation: reactions(findings, section),
        registers: registers(findings, section),
        interrupts: interrupts(findings, section),
        modules: texts(findings, section, "modules", "a module"),
        boot: Spanned::new(
            section.key_span("boot"),
            section.flag(findings, "boot").unwrap_or(true),
        ),
        room: room(findings, section),
        source: source?,
    })
}

fn texts(
    findings: &mut Findings,
    section: &Section<'_>,
    key: &str,
    what: &str,
) -> Vec<Spanned<String>> {
    let values = section.list(findings, key);
    let texts = values.iter().filter_map(|v| as_text(findings, v, what));
    texts.collect()
}

fn room(findings: &mut Findings, section: &Section<'_>) -> RoomSection {
    let Some(table) = section.section(findings, "room") else {
        return RoomSection::default();
    };
    let mut number = |key| table.number(findings, key).map(|n| *n.get_ref());
    let [instructions, predicates, durations] =
        ["instructions", "predicates", "durations"].map(&mut number);
    let [triggers, threads] = ["triggers", "threads"].map(&mut number);
    let steps = number("steps");
    let narrow = |value: Option<u64>| value.map(|value| value as u16);
    RoomSection {
        instructions: narrow(instructions),
        predicates: narrow(predicates),
        durations: narrow(durations),
        steps: steps.map(|steps| steps as u32),
        triggers: narrow(triggers),
        threads: narrow(threads),
    }
}

fn schedule(findings: &mut Findings, section: &Section<'_>) -> Spanned<Schedule> {
    let Some(text) = section.text(findings, "schedule") else {
        return Spanned::new(section.span(), Schedule::Edf);
    };
    let schedule = match text.get_ref().as_str() {
        "edf" => Schedule::Edf,
        "rm" => Schedule::RateMonotonic,
        "fifo" => Schedule::Fifo,
        "s" => Schedule::SCode(None),
        other => match other.strip_prefix("s:").and_then(Kind::of_name) {
            Some(kind) => Schedule::SCode(Some(kind)),
            None => {
                let reason = format!("there is no schedule \"{other}\"");
                findings.refuse(text.span(), reason, suggest(other, SCHEDULES));
                Schedule::Edf
            }
        },
    };
    Spanned::new(text.span(), schedule)
}

fn reactions(findings: &mut Findings, section: &Section<'_>) -> [Option<Spanned<Reaction>>; 4] {
    let Some(table) = section.section(findings, "on-violation") else {
        return Default::default();
    };
    Violation::ALL.map(|violation| {
        let text = table.text(findings, violation.name())?;
        let word = text.get_ref().as_str();
        let reaction = match word.strip_prefix("handler:") {
            Some(driver) => Some(Reaction::Handler(driver.trim().into())),
            None => (word == "skip").then_some(Reaction::Skip),
        };
        if reaction.is_none() {
            let reason = format!("nothing is called \"{word}\" that could be done at a violation");
            findings.refuse(text.span(), reason, "write \"skip\" or \"handler:DRIVER\"");
        }
        Some(Spanned::new(text.span(), reaction?))
    })
}

fn registers(findings: &mut Findings, section: &Section<'_>) -> Vec<RegisterEntry> {
    let mut all = Vec::new();
    for (function, entry) in section.sections(findings, "registers") {
        let device = entry.needed(findings, "device", "\"uart0\"");
        let offset = entry.number(findings, "offset");
        let width = entry.number(findings, "width");
        let width = width.unwrap_or(Spanned::new(entry.span(), 1));
        if !width.get_ref().is_power_of_two() {
            findings.refuse(
                width.span(),
                "no register has this width",
                "write 1, 2, 4 or 8 bytes",
            );
        }
        let offset = offset.unwrap_or(Spanned::new(entry.span(), 0));
        let width = Spanned::new(width.span(), *width.get_ref() as u8);
        all.extend(device.map(|device| RegisterEntry {
            function,
            device,
            offset,
            width,
        }));
    }
    all
}

fn interrupts(
    findings: &mut Findings,
    section: &Section<'_>,
) -> Vec<(Spanned<String>, Spanned<Line>)> {
    let mut all = Vec::new();
    for (name, value) in section.named(findings, "interrupts") {
        all.extend(line(findings, value).map(|line| (name, line)));
    }
    all
}

/// An interrupt by number or device.
fn line(findings: &mut Findings, value: &Value<'_>) -> Option<Spanned<Line>> {
    if let DeValue::String(device) = value.get_ref() {
        return Some(Spanned::new(value.span(), Line::Device(device.to_string())));
    }
    let number = as_number(findings, value, "an interrupt", 1..=1023)?;
    Some(Spanned::new(
        number.span(),
        Line::Number(*number.get_ref() as u16),
    ))
}

fn process(
    findings: &mut Findings,
    name: Spanned<String>,
    section: &Section<'_>,
) -> Option<ProcessSection> {
    let stack = section
        .size(findings, "stack")
        .unwrap_or(Spanned::new(section.span(), DEFAULT_STACK));
    let max_priority = section.number(findings, "max-priority");
    let max_priority = max_priority.map_or(DEFAULT_MAX_PRIORITY, |p| *p.get_ref() as u8);
    let on_fault = on_fault(findings, section);
    let process = ProcessSection {
        tasks: functions(findings, section, "tasks"),
        drivers: functions(findings, section, "drivers"),
        threads: threads(findings, section, max_priority),
        grants: grants(findings, section),
        services: services::section(findings, section),
        on_fault,
        restart: restart::section(findings, section, on_fault == FaultPolicy::Restart),
        max_priority,
        parallel: section
            .flag(findings, "parallel")
            .map(|is_parallel| (is_parallel, section.key_span("parallel"))),
        has_private_stacks: has_private_stacks(findings, section),
        stack,
        code: code(findings, &name, section)?,
        name,
    };
    check_kinds(findings, &process);
    check_library(findings, &process);
    Some(process)
}

/// Threads of a process reach each other's stacks, unless it says otherwise.
fn has_private_stacks(findings: &mut Findings, section: &Section<'_>) -> bool {
    let Some(text) = section.text(findings, "stacks") else {
        return false;
    };
    let word = text.get_ref().as_str();
    if !STACKS.contains(&word) {
        let reason = format!("stacks cannot be \"{word}\"");
        findings.refuse(text.span(), reason, suggest(word, STACKS));
    }
    word == "private"
}

fn code(findings: &mut Findings, name: &Spanned<String>, section: &Section<'_>) -> Option<Code> {
    let package = section.text(findings, "crate");
    let values = section.list(findings, "c");
    let c: Vec<_> = values
        .iter()
        .filter_map(|v| as_text(findings, v, "a source of `c`"))
        .collect();
    if package.is_none() && c.is_empty() {
        let reason = format!("process `{}` has no code", name.get_ref());
        let mend = "add `crate = \"NAME\"`, a crate of the workspace, or `c = [\"src/*.c\"]`";
        findings.refuse(name.span(), reason, mend);
        return None;
    }
    let is_posix = section.flag(findings, "posix").unwrap_or(false);
    if let Some(package) = package.as_ref().filter(|_| is_posix) {
        let reason = format!(
            "process `{}` is written after POSIX, and has a crate",
            name.get_ref()
        );
        let mend = "give the crate a process of its own";
        findings.refuse(package.span(), reason, mend);
    }
    let options = c_options::read(findings, section);
    if let Some(first) = options.first().filter(|_| c.is_empty()) {
        let reason = format!("process `{}` has no C sources", name.get_ref());
        let mend =
            "list them: `c = [\"src/*.c\"]`; or leave out `c-include`, `c-define` and `c-flags`";
        findings.refuse(first.span(), reason, mend);
    }
    Some(Code {
        package,
        c,
        is_posix,
        options,
    })
}

/// Threads share the C library by a ceiling, which is a priority: deadlines may precede it,
/// and who has used up a quantum or a budget comes behind its equals.
fn check_library(findings: &mut Findings, process: &ProcessSection) {
    let threads = process.threads.iter().filter(|_| process.code.is_posix);
    for thread in threads.filter(|thread| thread.policy != Policy::Fifo || thread.budget > 0) {
        let reason = format!(
            "thread `{}` of a process after POSIX has more than a priority",
            thread.name.get_ref()
        );
        let mend =
            "leave out `policy` and `budget`, or put it into a process without `posix = true`";
        findings.refuse(thread.name.span(), reason, mend);
    }
}

/// Only a crate says what the parameters of its tasks and drivers are.
fn check_kinds(findings: &mut Findings, process: &ProcessSection) {
    if process.code.package.is_some() {
        return;
    }
    for function in process.tasks.iter().chain(&process.drivers) {
        let reason = format!(
            "`{}` of process `{}` has parameters, and no crate says which",
            function.name.get_ref(),
            process.name.get_ref()
        );
        let mend = "write it in Rust, with `#[task]` or `#[driver]`: `crate = \"NAME\"` beside `c`";
        findings.refuse(function.name.span(), reason, mend);
    }
}

fn functions(findings: &mut Findings, section: &Section<'_>, key: &str) -> Vec<ProvidedFunction> {
    let mut all = Vec::new();
    for (name, entry) in section.sections(findings, key) {
        let budget = entry.duration(findings, "budget");
        let stack = match entry.defines("stack") {
            true => entry.size(findings, "stack"),
            false => None,
        };
        all.push(ProvidedFunction {
            name,
            budget,
            stack,
        });
    }
    all
}

fn threads(findings: &mut Findings, section: &Section<'_>, max_priority: u8) -> Vec<ThreadSection> {
    let mut all = Vec::new();
    for (name, entry) in section.sections(findings, "threads") {
        all.push(thread(findings, name, &entry, max_priority));
    }
    all
}

fn thread(
    findings: &mut Findings,
    name: Spanned<String>,
    entry: &Section<'_>,
    max_priority: u8,
) -> ThreadSection {
    let policy = policy(findings, entry);
    let priority = entry.number_in(findings, "priority", 0..=u64::from(max_priority));
    let quantum = entry.duration(findings, "quantum");
    let deadline = entry.duration(findings, "deadline");
    let quantum_fits = quantum
        .as_ref()
        .is_none_or(|q| (1..=u64::from(u32::MAX)).contains(q.get_ref()));
    if !quantum_fits || (policy == Policy::RoundRobin && quantum.is_none()) {
        let reason = format!("thread `{}` needs a quantum of 1ns to 4s", name.get_ref());
        findings.refuse(
            entry.key_span("quantum"),
            reason,
            "add `quantum = \"10ms\"`",
        );
    }
    if policy == Policy::Deadline && deadline.is_none() {
        let reason = format!("deadline thread `{}` has no deadline", name.get_ref());
        findings.refuse(
            name.span(),
            reason,
            "add `deadline = \"10ms\"`, relative to its activation",
        );
    }
    ThreadSection {
        policy,
        priority: priority.map_or(DEFAULT_PRIORITY.min(max_priority), |p| *p.get_ref() as u8),
        quantum: quantum.map_or(0, |q| *q.get_ref() as u32),
        deadline: deadline.map_or(0, Spanned::into_inner),
        budget: entry
            .duration(findings, "budget")
            .map_or(0, Spanned::into_inner),
        stack: entry.size(findings, "stack"),
        autostart: entry.flag(findings, "autostart").unwrap_or(true),
        name,
    }
}

fn policy(findings: &mut Findings, entry: &Section<'_>) -> Policy {
    let Some(text) = entry.text(findings, "policy") else {
        return Policy::Fifo;
    };
    match text.get_ref().as_str() {
        "fifo" => Policy::Fifo,
        "round-robin" => Policy::RoundRobin,
        "deadline" => Policy::Deadline,
        other => {
            let reason = format!("there is no policy \"{other}\"");
            findings.refuse(text.span(), reason, suggest(other, POLICIES));
            Policy::Fifo
        }
    }
}

fn on_fault(findings: &mut Findings, section: &Section<'_>) -> FaultPolicy {
    let Some(text) = section.text(findings, "on-fault") else {
        return FaultPolicy::Stop;
    };
    match text.get_ref().as_str() {
        "stop" => FaultPolicy::Stop,
        "restart" => FaultPolicy::Restart,
        "halt" => FaultPolicy::Halt,
        other => {
            let reason = format!("nothing is called \"{other}\" that could be done at a fault");
            findings.refuse(text.span(), reason, suggest(other, ON_FAULT));
            FaultPolicy::Stop
        }
    }
}

fn grants(findings: &mut Findings, section: &Section<'_>) -> Grants {
    let Some(table) = section.section(findings, "grants") else {
        return Grants::default();
    };
    let devices = table.list(findings, "device");
    let interrupts = table.list(findings, "irq");
    Grants {
        devices: devices
            .iter()
            .filter_map(|v| one_of(findings, v, |findings, v| as_text(findings, v, "a device")))
            .collect(),
        interrupts: interrupts
            .iter()
            .filter_map(|v| one_of(findings, v, line))
            .collect(),
        interval: interval(findings, &table, !interrupts.is_empty()),
        ports: rights(findings, &table, "port"),
        programs: texts(findings, &table, "program", "a program"),
        objects: objects::grants(findings, &table),
        regions: rights(findings, &table, "region"),
        supervises: texts(findings, &table, "supervise", "a process"),
        shutdown: table.flag(findings, "shutdown").unwrap_or(false),
        trace: table.flag(findings, "trace").unwrap_or(false),
        inspect: table.flag(findings, "inspect").unwrap_or(false),
        above_programs: match table.flag(findings, "above-programs") {
            Some(true) => Some(table.key_span("above-programs")),
            _ => None,
        },
        trusted_dma: table.flag(findings, "trusted-dma").unwrap_or(false),
    }
}

/// A value, or a list of those that are meant on different boards.
fn one_of<T>(
    findings: &mut Findings,
    value: &Value<'_>,
    read: impl Fn(&mut Findings, &Value<'_>) -> Option<Spanned<T>>,
) -> Option<OneOf<T>> {
    let values = match value.get_ref() {
        DeValue::Array(values) => values.iter().collect(),
        _ => vec![value],
    };
    if values.is_empty() {
        let reason = "a list of what boards have by different names is empty";
        findings.refuse(value.span(), reason, "name at least one");
    }
    let mut all = values.into_iter().filter_map(|value| read(findings, value));
    Some(OneOf {
        first: all.next()?,
        others: all.collect(),
    })
}

/// The key `irq-interval`.
fn interval(findings: &mut Findings, grants: &Section<'_>, has_lines: bool) -> u32 {
    let Some(interval) = grants.duration(findings, "irq-interval") else {
        return 0;
    };
    if !has_lines {
        let reason = "`irq-interval` is given, and no interrupt is granted";
        findings.refuse(interval.span(), reason, "remove it, or grant `irq = [...]`");
    }
    u32::try_from(*interval.get_ref()).unwrap_or_else(|_| {
        let reason = "`irq-interval` is too long";
        findings.refuse(interval.span(), reason, "write at most 4 s");
        0
    })
}

/// What may be read, or written as well if the second is true.
fn rights(
    findings: &mut Findings,
    grants: &Section<'_>,
    key: &str,
) -> Vec<(Spanned<String>, bool)> {
    let mut all = Vec::new();
    for (name, value) in grants.named(findings, key) {
        let Some(right) = as_text(findings, value, &format!("the right to a {key}")) else {
            continue;
        };
        match right.get_ref().as_str() {
            "read" => all.push((name, false)),
            "write" => all.push((name, true)),
            other => {
                let reason = format!("there is no right \"{other}\" to a {key}");
                findings.refuse(right.span(), reason, "write \"read\" or \"write\"");
            }
        }
    }
    all
}
