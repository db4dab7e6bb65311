//! Binds an outline to what the processes really provide: every function is
//! there, takes what its program gives it, and every value has a size. Then
//! places ports, control pages and blocks.

use crate::file::{ProcessSection, Spanned};
use crate::functions::{Function, Functions, Parameter, types_agree};
use crate::model::{Model, Place, Work, kind_name};
use crate::names::ThreadRole;
use crate::problem::{Findings, Refusal, suggest};
use crate::programs::value_type;
use crate::project::Project;
use crate::{services, streams};
use giornata_abi::Record;
use giornata_abi::ValueType;
use giornata_abi::control::ControlPage;
use giornata_abi::module::{Module, PortKind};
use giornata_abi::process::{Direction, FunctionKind, block_offsets};
use std::collections::{BTreeMap, BTreeSet};

/// Adds sizes and places to an outline.
pub(crate) fn bind(
    project: &Project,
    model: &mut Model,
    functions: &BTreeMap<String, Functions>,
) -> Result<(), Refusal> {
    let mut findings = Findings::about(&project.file.path, project.file.source.text());
    for (process, section) in model.processes.iter_mut().zip(&project.file.processes) {
        match functions.get(&process.name) {
            Some(functions) => process.functions = functions.clone(),
            None => {
                let reason = format!("process `{}` has no function table", process.name);
                findings.refuse(
                    section.name.span(),
                    reason,
                    "list its functions in `giornata_rt::process!`",
                );
            }
        }
    }
    let mut binding = Binding {
        project,
        findings,
        described: functions.keys().collect(),
        sizes: BTreeMap::new(),
    };
    binding.bind_threads(model);
    binding.bind_drivers(model);
    streams::bind(&mut binding.findings, project, model);
    // a mismatch leaves sizes unknown: one problem, told once
    if binding.findings.count() == 0 {
        binding.size_ports(model);
    }
    let outcome = binding.findings.conclude(());
    if outcome.is_ok() {
        place_arena(model);
        place_blocks(model);
    }
    outcome
}

struct Binding<'a> {
    project: &'a Project,
    findings: Findings,
    /// Processes whose functions are known.
    described: BTreeSet<&'a String>,
    /// Bytes of each opaque type, and the function that says so.
    sizes: BTreeMap<String, (usize, String)>,
}

/// The places of the system file where a function is listed.
fn listed<'a>(section: &'a ProcessSection, kind: FunctionKind, name: &str) -> &'a Spanned<String> {
    let mut names: Box<dyn Iterator<Item = &'a Spanned<String>>> = match kind {
        FunctionKind::Task => Box::new(section.tasks.iter().map(|f| &f.name)),
        FunctionKind::Driver => Box::new(section.drivers.iter().map(|f| &f.name)),
        FunctionKind::Thread => Box::new(section.threads.iter().map(|t| &t.name)),
        // (the system file lists none)
        FunctionKind::Filter => Box::new(std::iter::empty()),
    };
    names.find(|n| n.get_ref() == name).unwrap_or(&section.name)
}

/// Type names are compared without spaces.
fn plain(type_name: &str) -> String {
    type_name.split_whitespace().collect()
}

impl Binding<'_> {
    fn refuse(&mut self, process: u16, kind: FunctionKind, name: &str, reason: String, mend: &str) {
        let section = self.project.file.processes.get(process as usize);
        let span = section.map_or(0..0, |section| listed(section, kind, name).span());
        self.findings.refuse(span, reason, mend);
    }

    /// The function that a process provides under a name, if it is of the kind.
    fn function(
        &mut self,
        model: &Model,
        process: u16,
        kind: FunctionKind,
        name: &str,
    ) -> Option<Function> {
        let owner = model.processes.get(process as usize)?;
        let found = owner
            .functions
            .position(name)
            .and_then(|index| owner.functions.list.get(index));
        match found {
            Some(function) if function.kind == kind => return Some(function.clone()),
            Some(function) => {
                let reason = format!(
                    "`{name}` is a {} in the code, a {} here",
                    kind_name(function.kind),
                    kind_name(kind)
                );
                self.refuse(
                    process,
                    kind,
                    name,
                    reason,
                    "list it where it belongs, here or in `process!`",
                );
            }
            None if !self.described.contains(&owner.name) => {}
            None => {
                let same = owner
                    .functions
                    .list
                    .iter()
                    .filter(|f| f.kind == kind)
                    .map(|f| f.name.as_str());
                let section = self.project.file.processes.get(process as usize);
                let has_c = section.is_some_and(|section| !section.code.c.is_empty());
                let mend = match kind {
                    FunctionKind::Thread if has_c => {
                        format!(
                            "define `void {name}(void)`, not static, in its C sources; in C++ `extern \"C\"`"
                        )
                    }
                    _ => suggest(name, same),
                };
                let reason = format!(
                    "process `{}` provides no {} `{name}`",
                    owner.name,
                    kind_name(kind)
                );
                self.refuse(process, kind, name, reason, &mend);
            }
        }
        None
    }

    fn bind_threads(&mut self, model: &mut Model) {
        for thread in model.threads.clone() {
            match (thread.role, thread.task) {
                (ThreadRole::Thread, _) if !thread.spare => {
                    self.function(
                        model,
                        thread.process,
                        FunctionKind::Thread,
                        &thread.function,
                    );
                }
                (ThreadRole::Task, Some((program, local))) => {
                    let function =
                        self.function(model, thread.process, FunctionKind::Task, &thread.function);
                    let Some(function) = function else { continue };
                    self.bind_task(model, thread.process, program, local, &function);
                }
                _ => {}
            }
        }
    }

    fn bind_task(
        &mut self,
        model: &mut Model,
        process: u16,
        program: u16,
        local: u16,
        function: &Function,
    ) {
        let Some(bytes) = self.project.modules.get(program as usize) else {
            return;
        };
        let Ok(module) = Module::parse(&bytes.bytes) else {
            return;
        };
        let Some(task) = module.task(local) else {
            return;
        };
        let lists = [
            (Direction::Input, task.inputs),
            (Direction::Output, task.outputs),
            (Direction::State, task.states),
        ];
        for (direction, list) in lists {
            let ports: Vec<u16> = module.list(list).collect();
            let types = ports.iter().map(|local| {
                let symbol = module.port(*local);
                let index = model
                    .programs
                    .get(program as usize)
                    .and_then(|p| p.ports.get(*local as usize))
                    .copied();
                symbol.map(|s| Wanted {
                    port: index.filter(|_| direction != Direction::State),
                    name: module.text(s.name).into(),
                    type_name: module.text(s.type_name).into(),
                    value_type: value_type(&module, &s),
                })
            });
            let wanted: Vec<Wanted> = types.flatten().collect();
            // a program need not know the states of a function
            if direction == Direction::State && wanted.is_empty() {
                continue;
            }
            self.bind_list(
                model,
                process,
                FunctionKind::Task,
                function,
                direction,
                &wanted,
            );
        }
    }

    fn bind_drivers(&mut self, model: &mut Model) {
        for driver in model.drivers.clone() {
            let Work::Upcall { process, .. } = driver.work else {
                continue;
            };
            let Some(function) =
                self.function(model, process, FunctionKind::Driver, &driver.function)
            else {
                continue;
            };
            for (direction, ports) in [
                (Direction::Input, &driver.reads),
                (Direction::Output, &driver.writes),
            ] {
                let wanted = ports.iter().filter_map(|index| {
                    let port = model.ports.get(*index as usize)?;
                    Some(Wanted {
                        port: Some(*index),
                        name: port.name.clone(),
                        type_name: port.type_name.clone(),
                        value_type: port.value_type,
                    })
                });
                let wanted: Vec<Wanted> = wanted.collect();
                self.bind_list(
                    model,
                    process,
                    FunctionKind::Driver,
                    &function,
                    direction,
                    &wanted,
                );
            }
        }
    }

    /// Compares the parameters of one direction with what the program gives.
    fn bind_list(
        &mut self,
        model: &mut Model,
        process: u16,
        kind: FunctionKind,
        function: &Function,
        direction: Direction,
        wanted: &[Wanted],
    ) {
        let given: Vec<&Parameter> = function.parameters(direction).collect();
        if given.len() != wanted.len() {
            let noun = match direction {
                Direction::Input => "inputs",
                Direction::Output => "outputs",
                Direction::State => "states",
            };
            let name = &function.name;
            let reason = format!(
                "`{name}` has {} {noun} in the code, {} in the program",
                given.len(),
                wanted.len()
            );
            let list: Vec<String> = wanted
                .iter()
                .map(|w| format!("{}: {}", w.name, w.type_name))
                .collect();
            let mend = if list.is_empty() {
                "the program has none".into()
            } else {
                format!("the program has {}", list.join(", "))
            };
            self.refuse(process, kind, name, reason, &mend);
            return;
        }
        for (parameter, wanted) in given.into_iter().zip(wanted) {
            self.bind_parameter(model, process, kind, function, parameter, wanted);
        }
    }

    fn bind_parameter(
        &mut self,
        model: &mut Model,
        process: u16,
        kind: FunctionKind,
        function: &Function,
        parameter: &Parameter,
        wanted: &Wanted,
    ) {
        let name = &function.name;
        if !types_agree(&wanted.type_name, wanted.value_type, &parameter.type_name) {
            let reason = format!(
                "`{name}` takes `{}` as `{}`, the program gives it as `{}`",
                wanted.name, parameter.type_name, wanted.type_name
            );
            self.refuse(
                process,
                kind,
                name,
                reason,
                "write the same type in the program and in the code",
            );
            return;
        }
        let size = wanted.value_type.size().map_or(parameter.size, usize::from);
        if size != parameter.size || size == 0 || size > usize::from(u16::MAX) {
            let reason = format!(
                "`{}` of `{name}` has {} bytes",
                parameter.type_name, parameter.size
            );
            self.refuse(
                process,
                kind,
                name,
                reason,
                "a port holds 1 to 65,535 bytes, a scalar its own size",
            );
            return;
        }
        if wanted.value_type == ValueType::Opaque {
            self.agree_on_size(process, kind, name, parameter);
        }
        if let Some(port) = wanted
            .port
            .and_then(|index| model.ports.get_mut(index as usize))
        {
            port.size = size as u16;
        }
    }

    /// One type has one size in all processes.
    fn agree_on_size(
        &mut self,
        process: u16,
        kind: FunctionKind,
        name: &str,
        parameter: &Parameter,
    ) {
        let key = plain(&parameter.type_name);
        let entry = self
            .sizes
            .entry(key)
            .or_insert((parameter.size, name.to_string()));
        if entry.0 != parameter.size {
            let (size, other) = entry.clone();
            let reason = format!(
                "type `{}` has {} bytes in `{name}`, {size} in `{other}`",
                parameter.type_name, parameter.size
            );
            self.refuse(
                process,
                kind,
                name,
                reason,
                "share one definition of the type between the processes",
            );
        }
    }

    /// Ports that no function touches get the size of their type.
    fn size_ports(&mut self, model: &mut Model) {
        for port in &mut model.ports {
            if let Some((size, _)) = self
                .sizes
                .get(&plain(&port.type_name))
                .filter(|_| port.size == 0)
            {
                port.size = *size as u16;
            }
            let section = self.project.file.programs.get(port.program as usize);
            if let (0, Some(section)) = (port.size, section) {
                let reason = format!(
                    "nobody says how large type `{}` of port `{}` is",
                    port.type_name, port.name
                );
                self.findings.refuse(
                    section.source.span(),
                    reason,
                    "use the type in a task or driver function",
                );
            }
        }
        self.check_copies(model);
    }

    fn check_copies(&mut self, model: &Model) {
        let size = |port: &u16| model.ports.get(*port as usize).map_or(0, |p| p.size);
        for driver in model.drivers.iter().filter(|d| d.work == Work::Copy) {
            let pairs = driver.reads.iter().zip(&driver.writes);
            let uneven = driver.reads.len() != driver.writes.len()
                || pairs.clone().any(|(a, b)| size(a) != size(b));
            let section = self.project.file.programs.get(driver.program as usize);
            if let (true, Some(section)) = (uneven, section) {
                let reason = format!(
                    "driver `{}` copies between ports of different sizes",
                    driver.name
                );
                self.findings.refuse(
                    section.source.span(),
                    reason,
                    "copy between ports of one type",
                );
            }
        }
    }
}

/// What a program gives to one parameter.
struct Wanted {
    /// The port, if it has a place.
    port: Option<u16>,
    name: String,
    type_name: String,
    value_type: ValueType,
}

/// Gives every port of a program its offset in the kernel's arena, and the
/// messages theirs behind them.
fn place_arena(model: &mut Model) {
    let mut at: u32 = 0;
    for port in &mut model.ports {
        if let Place::Arena(offset) = &mut port.place {
            *offset = at;
            at = (at + u32::from(port.size)).next_multiple_of(8);
        }
    }
    model.arena_size = services::place_messages(&mut model.processes, at);
}

/// Gives control pages and blocks their offsets in their processes' areas, and
/// the tasks' copies theirs. The thread-local variables of a thread lie behind its page,
/// where its thread pointer leads.
fn place_blocks(model: &mut Model) {
    let control_page = ControlPage::SIZE as u32;
    let mut ends: Vec<u32> = vec![0; model.processes.len()];
    let mut take = |process: u16, bytes: u32| {
        let Some(end) = ends.get_mut(process as usize) else {
            return 0;
        };
        let at = *end;
        *end = (at + bytes).next_multiple_of(8);
        at
    };
    for index in 0..model.threads.len() {
        let Some(thread) = model.threads.get(index) else {
            continue;
        };
        let (process, task) = (thread.process, thread.task);
        let owner = model.processes.get(usize::from(process));
        let variables = owner.map_or(0, |owner| owner.functions.locals);
        let control = take(process, control_page + variables);
        let locals = task.map_or(Vec::new(), |(program, local)| {
            task_ports(model, program, local)
        });
        let (offsets, size) = offsets(model, &locals);
        let block = take(process, size);
        for (port, offset) in locals.iter().zip(offsets) {
            if let Some(port) = model.ports.get_mut(*port as usize) {
                port.place = Place::Block(index as u16, block + offset);
            }
        }
        if let Some(thread) = model.threads.get_mut(index) {
            (thread.control, thread.block, thread.block_size) = (control, block, size);
        }
    }
    for index in 0..model.drivers.len() {
        let Some(driver) = model.drivers.get(index) else {
            continue;
        };
        let Work::Upcall { process, .. } = driver.work else {
            continue;
        };
        let ports: Vec<u16> = driver.reads.iter().chain(&driver.writes).copied().collect();
        let (_, size) = offsets(model, &ports);
        let block = take(process, size);
        if let Some(driver) = model.drivers.get_mut(index) {
            (driver.block, driver.block_size) = (block, size);
        }
    }
    for (process, end) in model.processes.iter_mut().zip(ends) {
        process.area = end;
    }
}

/// The ports in a task's block, in order.
fn task_ports(model: &Model, program: u16, local: u16) -> Vec<u16> {
    let Some(entry) = model.programs.get(program as usize) else {
        return Vec::new();
    };
    let Ok(module) = Module::parse(&entry.module) else {
        return Vec::new();
    };
    let Some(task) = module.task(local) else {
        return Vec::new();
    };
    let locals = module.list(task.inputs).chain(module.list(task.outputs));
    let placed = locals.filter(|l| {
        module
            .port(*l)
            .is_some_and(|p| p.kind != PortKind::State as u8)
    });
    placed
        .filter_map(|l| entry.ports.get(l as usize).copied())
        .collect()
}

/// Offsets of values in a block, and its size.
fn offsets(model: &Model, ports: &[u16]) -> (Vec<u32>, u32) {
    let sizes = ports.iter().map(|p| {
        model
            .ports
            .get(*p as usize)
            .map_or(0, |p| usize::from(p.size))
    });
    let mut offsets = Vec::new();
    let size = block_offsets(sizes, |at| offsets.push(at as u32));
    (offsets, size as u32)
}
