//! The outline of a system: names resolved to indices, rights and interrupts
//! checked against board and programs.

use crate::board::{Board, Device, Protection};
use crate::config;
use crate::file::{Grants, Line, OneOf, ProcessSection, ProvidedFunction, Spanned, SystemFile};
use crate::functions::Functions;
use crate::model::{Interrupt, Model, Process, kind_name};
use crate::names::name_map;
use crate::problem::{Findings, Refusal, suggest};
use crate::project::{ProgramModule, Project};
use crate::services::{self, Messages};
use crate::{
    expect, objects, precedence, programs, several_harts, shared, streams, supervisors, threads,
    waiting,
};
use giornata_abi::id::NONE;
use giornata_abi::module::{Module, PortKind};
use giornata_abi::process::FunctionKind;
use giornata_abi::system::{GRANT_SHUTDOWN, GRANT_TRUSTED_DMA};
use std::collections::BTreeMap;

/// Which process provides a task or driver function, with what the system file
/// says about it.
pub(crate) struct Providers<'a> {
    by_name: BTreeMap<(&'a str, u8), (u16, &'a ProvidedFunction)>,
}

impl<'a> Providers<'a> {
    fn of(file: &'a SystemFile, findings: &mut Findings) -> Providers<'a> {
        let mut by_name: BTreeMap<_, (u16, &ProvidedFunction)> = BTreeMap::new();
        for (index, process) in (0u16..).zip(&file.processes) {
            let lists = [
                (FunctionKind::Task, &process.tasks),
                (FunctionKind::Driver, &process.drivers),
            ];
            for (kind, function) in lists
                .into_iter()
                .flat_map(|(kind, list)| list.iter().map(move |f| (kind, f)))
            {
                let name = function.name.get_ref().as_str();
                if let Some((other, _)) = by_name.insert((name, kind as u8), (index, function)) {
                    let other = file
                        .processes
                        .get(other as usize)
                        .map_or("", |p| p.name.get_ref().as_str());
                    let reason = format!(
                        "{} `{name}` is provided by `{other}` already",
                        kind_name(kind)
                    );
                    findings.refuse(
                        function.name.span(),
                        reason,
                        "leave it to one process, or rename one of them",
                    );
                }
            }
        }
        Providers { by_name }
    }

    /// The process that provides a function, and its limits.
    pub(crate) fn get(
        &self,
        kind: FunctionKind,
        name: &str,
    ) -> Option<(u16, &'a ProvidedFunction)> {
        self.by_name.get(&(name, kind as u8)).copied()
    }

    /// `mend`, and the function of the kind that was probably meant.
    pub(crate) fn mend(&self, kind: FunctionKind, name: &str, mend: String) -> String {
        let names = self
            .by_name
            .keys()
            .filter(|(_, k)| *k == kind as u8)
            .map(|(name, _)| *name);
        let close = suggest(name, names);
        if close.starts_with("did") {
            format!("{mend}; {close}")
        } else {
            mend
        }
    }
}

/// Resolves all names that need no function table.
pub(crate) fn outline(project: &Project) -> Result<Model, Refusal> {
    let file = &project.file;
    let mut findings = Findings::about(&file.path, file.source.text());
    let modules: Vec<Module<'_>> = project
        .modules
        .iter()
        .filter_map(|m| Module::parse(&m.bytes).ok())
        .collect();
    let providers = Providers::of(file, &mut findings);
    let mut model = Model {
        name: file.name.get_ref().clone(),
        board: project.board.clone(),
        config: file.kernel.config.get_ref().clone(),
        expect: file.expect.iter().map(|e| e.get_ref().clone()).collect(),
        deadline_band: file.kernel.deadline_band,
        control_apart: file.kernel.control_apart,
        triggers: file
            .kernel
            .triggers
            .unwrap_or(total(project, |m| m.triggers)),
        s_threads: file
            .kernel
            .s_threads
            .unwrap_or(total(project, |m| m.s_threads)),
        trace_capacity: file.kernel.trace,
        trace_console: file.kernel.trace_console,
        hostlink: project.hostlink,
        stop_at: project.stop_at,
        processes: Vec::new(),
        threads: Vec::new(),
        ports: Vec::new(),
        drivers: Vec::new(),
        programs: Vec::new(),
        streams: Vec::new(),
        windows: Vec::new(),
        interrupts: Vec::new(),
        objects: Vec::new(),
        regions: Vec::new(),
        arena_size: 0,
    };
    model.processes = file
        .processes
        .iter()
        .map(|p| process(&mut findings, file, &project.board, p))
        .collect();
    config::check_programs(&mut findings, file);
    check_drivers_of_devices(&mut findings, file, &project.board);
    model.interrupts = interrupts(&mut findings, project, &modules);
    model.objects = objects::resolve(&mut findings, file);
    waiting::add(file, &mut model.objects);
    model.regions = shared::resolve(&mut findings, file);
    services::resolve(&mut findings, file, &mut model);
    supervisors::resolve(&mut findings, file, &mut model);
    model.streams = streams::resolve(&mut findings, project);
    threads::add(&mut findings, project, &modules, &providers, &mut model);
    objects::check_threads(&mut findings, file, model.threads.len());
    for thread in &mut model.threads {
        let owner = model.processes.get(usize::from(thread.process));
        let is_private = owner.is_none_or(|process| process.has_private_stacks);
        thread.stack = project.board.protection.stack(thread.stack, is_private);
    }
    programs::add(&mut findings, project, &modules, &providers, &mut model);
    precedence::check(&mut findings, file, &model);
    check_uses(&mut findings, project, &modules);
    grant_ports(&mut findings, file, &mut model);
    check_counts(&mut findings, &model);
    expect::check(&mut findings, &file.expect, &name_map(&model, &[]));
    findings.conclude(model)
}

/// Slots that all programs need together; at least one.
fn total(project: &Project, need: impl Fn(&ProgramModule) -> u16) -> u16 {
    project
        .modules
        .iter()
        .map(need)
        .fold(0, u16::saturating_add)
        .clamp(1, NONE - 1)
}

fn process(
    findings: &mut Findings,
    file: &SystemFile,
    board: &Board,
    section: &ProcessSection,
) -> Process {
    let grants = &section.grants;
    let mut devices = Vec::new();
    for names in &grants.devices {
        let name = granted(board, names);
        match device(findings, board, names) {
            Some(index) if devices.contains(&index) => {
                let reason = format!("device `{}` is granted twice", name.get_ref());
                findings.refuse(name.span(), reason, "name it once");
            }
            found => devices.extend(found),
        }
    }
    check_extents(findings, board, grants, &devices);
    let bit = |flag: bool, bit: u32| if flag { bit } else { 0 };
    Process {
        name: section.name.get_ref().clone(),
        on_fault: section.on_fault,
        restart: section.restart,
        max_priority: section.max_priority,
        grants: bit(grants.shutdown, GRANT_SHUTDOWN) | bit(grants.trusted_dma, GRANT_TRUSTED_DMA),
        reads_trace: grants.trace,
        inspects: grants.inspect,
        precedes_programs: grants.above_programs.is_some(),
        is_parallel: several_harts::is_parallel(findings, file, section),
        has_private_stacks: section.has_private_stacks,
        guard: 0,
        threads: (0, 0),
        upcall: None,
        devices,
        readable: Vec::new(),
        writable: Vec::new(),
        messages: Messages::default(),
        supervisor: None,
        is_by_call: false,
        heap: 0,
        area: 0,
        functions: Functions::default(),
    }
}

/// The device of a board that is granted.
fn granted<'a>(board: &Board, names: &'a OneOf<String>) -> &'a Spanned<String> {
    names.on(|name| board.device(name).is_some())
}

fn device(findings: &mut Findings, board: &Board, names: &OneOf<String>) -> Option<usize> {
    let name = granted(board, names);
    let found = board.devices.iter().position(|d| d.name == *name.get_ref());
    let reason = match found.and_then(|index| board.devices.get(index)) {
        Some(device) if !device.kernel => return found,
        Some(_) => format!("device `{}` is the kernel's own", name.get_ref()),
        None => {
            let names: Vec<&str> = names.all().map(|name| name.get_ref().as_str()).collect();
            format!(
                "board {} has no device `{}`",
                board.name,
                names.join("` or `")
            )
        }
    };
    findings.refuse(
        name.span(),
        reason,
        suggest(name.get_ref(), board.grantable()),
    );
    None
}

/// Protection works in pages or regions: whoever gets one device of them gets all.
fn check_extents(findings: &mut Findings, board: &Board, grants: &Grants, devices: &[usize]) {
    for index in devices {
        let Some(granted) = board.devices.get(*index) else {
            continue;
        };
        let (first, size) = board.extent(granted);
        let others = board
            .devices
            .iter()
            .enumerate()
            .filter(|(other, _)| !devices.contains(other));
        for (_, other) in others {
            let (start, length) = board.extent(other);
            let apart = u64::from(start) + u64::from(length) <= u64::from(first)
                || u64::from(first) + u64::from(size) <= u64::from(start);
            if !apart {
                let span = grants
                    .devices
                    .iter()
                    .flat_map(OneOf::all)
                    .find(|d| *d.get_ref() == granted.name)
                    .map_or(0..0, |d| d.span());
                let unit = match board.protection {
                    Protection::Pmp { .. } => "region",
                    Protection::Sv39 | Protection::Sv32 => "page",
                };
                let reason = format!(
                    "`{}` shares a {unit} with `{}`, which is not granted",
                    granted.name, other.name
                );
                findings.refuse(span, reason, "grant both to one process");
            }
        }
    }
}

/// Two processes at one device would take each other's bytes and undo each
/// other's settings.
fn check_drivers_of_devices(findings: &mut Findings, file: &SystemFile, board: &Board) {
    let mut drivers: BTreeMap<&str, &str> = BTreeMap::new();
    for process in &file.processes {
        let name = process.name.get_ref().as_str();
        let devices = process.grants.devices.iter();
        for device in devices.map(|names| granted(board, names)) {
            match drivers.insert(device.get_ref(), name) {
                Some(other) if other != name => {
                    let reason = format!(
                        "device `{}` is granted to `{other}` already",
                        device.get_ref()
                    );
                    let mend = "one process uses a device: leave it to one of them";
                    findings.refuse(device.span(), reason, mend);
                }
                _ => {}
            }
        }
    }
}

/// All interrupt lines that a process or a program waits for.
fn interrupts(
    findings: &mut Findings,
    project: &Project,
    modules: &[Module<'_>],
) -> Vec<Interrupt> {
    let mut lines: BTreeMap<u16, Interrupt> = BTreeMap::new();
    for (index, process) in (0u16..).zip(&project.file.processes) {
        for names in &process.grants.interrupts {
            let line = names.on(|line| raises(&project.board, line).is_some());
            let Some(mut interrupt) = self::line(findings, &project.board, line) else {
                continue;
            };
            interrupt.process = Some(index);
            interrupt.interval = process.grants.interval;
            if let Some(other) = lines.insert(interrupt.number, interrupt) {
                let reason = format!("interrupt {} is granted twice", other.number);
                findings.refuse(
                    line.span(),
                    reason,
                    "one thread awaits a line: grant it to one process",
                );
            }
        }
    }
    for (section, module) in project.file.programs.iter().zip(modules) {
        let known: Vec<&str> = module.interrupts().map(|i| module.text(i.name)).collect();
        for (name, line) in &section.interrupts {
            if !known.contains(&name.get_ref().as_str()) {
                let reason = format!(
                    "program `{}` waits for no interrupt `{}`",
                    section.name.get_ref(),
                    name.get_ref()
                );
                findings.refuse(
                    name.span(),
                    reason,
                    suggest(name.get_ref(), known.iter().copied()),
                );
            }
            let found = self::line(findings, &project.board, line);
            if let Some(interrupt) = found {
                lines.entry(interrupt.number).or_insert(interrupt);
            }
        }
    }
    lines.into_values().collect()
}

/// The device of a board whose line this is, and the line's number.
fn raises<'a>(board: &'a Board, line: &Line) -> Option<(&'a Device, u16)> {
    let device = match line {
        Line::Device(name) => board.device(name),
        Line::Number(number) => board.device_at(*number),
    }?;
    Some((device, device.interrupt?))
}

/// The line of the board that a system file means.
pub(crate) fn line(
    findings: &mut Findings,
    board: &Board,
    line: &Spanned<Line>,
) -> Option<Interrupt> {
    let raised = || {
        board
            .devices
            .iter()
            .filter(|d| d.interrupt.is_some() && !d.kernel)
            .map(|d| d.name.as_str())
    };
    match raises(board, line.get_ref()) {
        Some((device, number)) => Some(Interrupt {
            number,
            name: device.name.clone(),
            process: None,
            interval: 0,
        }),
        None => {
            let names: Vec<&str> = raised().collect();
            let what = match line.get_ref() {
                Line::Device(name) => format!(
                    "device `{name}` of board {} raises no interrupt",
                    board.name
                ),
                Line::Number(number) => {
                    format!("nothing on board {} raises interrupt {number}", board.name)
                }
            };
            findings.refuse(line.span(), what, format!("these do: {}", names.join(", ")));
            None
        }
    }
}

/// Everything that a process lists is used by some program.
fn check_uses(findings: &mut Findings, project: &Project, modules: &[Module<'_>]) {
    let tasks = modules
        .iter()
        .flat_map(|m| m.tasks().map(|t| m.text(t.function)));
    let tasks: Vec<&str> = tasks.collect();
    let drivers = modules
        .iter()
        .flat_map(|m| m.drivers().map(|d| m.text(d.function)));
    let drivers: Vec<&str> = drivers.filter(|d| !d.is_empty()).collect();
    for process in &project.file.processes {
        let lists = [
            (FunctionKind::Task, &process.tasks, &tasks),
            (FunctionKind::Driver, &process.drivers, &drivers),
        ];
        for (kind, listed, used) in lists {
            for function in listed {
                let name = function.name.get_ref().as_str();
                if !used.contains(&name) {
                    let reason = format!(
                        "no program has a {} with the function `{name}`",
                        kind_name(kind)
                    );
                    findings.refuse(
                        function.name.span(),
                        reason,
                        suggest(name, used.iter().copied()),
                    );
                }
            }
        }
    }
}

fn grant_ports(findings: &mut Findings, file: &SystemFile, model: &mut Model) {
    for (index, process) in file.processes.iter().enumerate() {
        let (mut readable, mut writable) = (Vec::new(), Vec::new());
        for (name, writes) in &process.grants.ports {
            let Some(port) = granted_port(findings, model, name, *writes) else {
                continue;
            };
            readable.push(port);
            if *writes {
                writable.push(port);
            }
        }
        if let Some(process) = model.processes.get_mut(index) {
            (process.readable, process.writable) = (readable, writable);
        }
    }
}

fn granted_port(
    findings: &mut Findings,
    model: &Model,
    name: &Spanned<String>,
    writes: bool,
) -> Option<u16> {
    let full = |port: &crate::model::Port| {
        let program = model
            .programs
            .get(port.program as usize)
            .map_or("", |p| p.name.as_str());
        format!("{program}.{}", port.name)
    };
    let open =
        |port: &&crate::model::Port| !port.kind.is_task_local() && port.kind != PortKind::Guard;
    let found = model
        .ports
        .iter()
        .position(|p| open(&p) && full(p) == *name.get_ref());
    let Some(port) = found.and_then(|index| model.ports.get(index)) else {
        let known: Vec<String> = model.ports.iter().filter(open).map(full).collect();
        let reason = format!("there is no port `{}`", name.get_ref());
        findings.refuse(
            name.span(),
            reason,
            suggest(name.get_ref(), known.iter().map(String::as_str)),
        );
        return None;
    };
    if writes && port.kind != PortKind::Input {
        let reason = format!("port `{}` is not an input of its program", name.get_ref());
        findings.refuse(
            name.span(),
            reason,
            "declare it under `input` in the program, or grant \"read\"",
        );
        return None;
    }
    found.map(|index| index as u16)
}

/// Tables have 16-bit indices.
fn check_counts(findings: &mut Findings, model: &Model) {
    let tables = [
        ("threads", model.threads.len()),
        ("ports", model.ports.len()),
        ("drivers", model.drivers.len()),
        ("processes", model.processes.len()),
        ("objects", model.objects.len()),
    ];
    for (name, count) in tables {
        if count >= usize::from(NONE) {
            findings.refuse(
                0..0,
                format!("the system has {count} {name}"),
                "65,534 are the most: split the system",
            );
        }
    }
}
