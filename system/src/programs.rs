//! The program, port and driver tables of the outline, and the conflict set of
//! each driver.

use crate::file::{ProgramSection, RegisterEntry, Schedule};
use crate::functions;
use crate::model::{Driver, Model, Place, Port, Program, Work};
use crate::outline::{self, Providers};
use crate::problem::{Findings, suggest};
use crate::project::{ProgramModule, Project};
use crate::s_code;
use crate::threads::top_priority;
use giornata_abi::module::{
    DriverKind, DriverSymbol, Module, PortKind, PortList, PortSymbol, TaskSymbol,
};
use giornata_abi::process::FunctionKind;
use giornata_abi::{ValueType, id::NONE};
use std::collections::BTreeMap;

/// One program on its way into the model.
struct Context<'a> {
    project: &'a Project,
    section: &'a ProgramSection,
    module: &'a Module<'a>,
    providers: &'a Providers<'a>,
    /// Its index.
    program: u16,
    /// Local task index to thread.
    tasks: Vec<u16>,
    /// Local port index to the local task whose copy it is.
    owners: BTreeMap<u16, u16>,
    /// Local port index to port.
    ports: Vec<u16>,
}

/// Fills the program, port and driver tables. Threads are there already.
pub(crate) fn add(
    findings: &mut Findings,
    project: &Project,
    modules: &[Module<'_>],
    providers: &Providers<'_>,
    model: &mut Model,
) {
    for ((program, section), module) in (0u16..).zip(&project.file.programs).zip(modules) {
        let tasks = task_threads(model, program, module);
        let owners = BTreeMap::new();
        let mut context = Context {
            project,
            section,
            module,
            providers,
            program,
            tasks,
            owners,
            ports: Vec::new(),
        };
        context.owners = context.owners();
        context.ports = context.add_ports(findings, model);
        let drivers = context.add_drivers(findings, model);
        context.check_registers(findings);
        let interrupts = context.interrupts(findings);
        let entry = context.program(findings, drivers, interrupts);
        model.programs.push(entry);
    }
}

/// Local task index to thread; NONE where no process provides the task.
fn task_threads(model: &Model, program: u16, module: &Module<'_>) -> Vec<u16> {
    let count = module.tasks().count() as u16;
    let find = |local| {
        model
            .threads
            .iter()
            .position(|t| t.task == Some((program, local)))
    };
    (0..count)
        .map(|local| find(local).map_or(NONE, |thread| thread as u16))
        .collect()
}

/// How a port's value reads: names of C's scalars, which are opaque to the
/// compilers of programs, mean what they mean in C.
pub(crate) fn value_type(module: &Module<'_>, symbol: &PortSymbol) -> ValueType {
    match ValueType::from_code(symbol.value_type) {
        Some(ValueType::Opaque) | None => functions::scalar(module.text(symbol.type_name)),
        Some(scalar) => scalar,
    }
}

impl Context<'_> {
    fn refuse(&self, findings: &mut Findings, reason: String, mend: &str) {
        findings.refuse(self.section.source.span(), reason, mend);
    }

    fn local_ports(&self, list: PortList) -> Vec<u16> {
        self.module.list(list).collect()
    }

    fn port_name(&self, local: u16) -> &str {
        self.module
            .port(local)
            .map_or("?", |p| self.module.text(p.name))
    }

    fn kind(&self, local: u16) -> Option<PortKind> {
        self.module
            .port(local)
            .and_then(|p| PortKind::from_code(p.kind))
    }

    /// Whose copy each task-local port is: the verifier has seen that each is
    /// listed by one task at most.
    fn owners(&self) -> BTreeMap<u16, u16> {
        let tasks = (0u16..).zip(self.module.tasks());
        let ports = |task: TaskSymbol| {
            [task.inputs, task.outputs, task.states].map(|list| self.module.list(list))
        };
        tasks
            .flat_map(|(local, task)| {
                ports(task)
                    .into_iter()
                    .flatten()
                    .map(move |port| (port, local))
            })
            .collect()
    }

    /// Adds the module's ports; answers local index to port.
    fn add_ports(&self, findings: &mut Findings, model: &mut Model) -> Vec<u16> {
        let mut indices = Vec::new();
        for (local, symbol) in (0u16..).zip(self.module.ports()) {
            let owner = self
                .owners
                .get(&local)
                .and_then(|task| self.tasks.get(*task as usize));
            let kind = PortKind::from_code(symbol.kind).unwrap_or(PortKind::Private);
            let place = match (kind.is_task_local(), owner) {
                (false, _) => Place::Arena(0),
                (true, Some(thread)) if kind != PortKind::State => Place::Block(*thread, 0),
                (true, found) => {
                    if found.is_none() {
                        let reason = format!(
                            "port `{}` is a copy of no task",
                            self.module.text(symbol.name)
                        );
                        self.refuse(findings, reason, "list it among the ports of its task");
                    }
                    indices.push(NONE);
                    continue;
                }
            };
            indices.push(model.ports.len() as u16);
            let value_type = value_type(self.module, &symbol);
            model.ports.push(Port {
                name: self.module.text(symbol.name).into(),
                program: self.program,
                kind,
                type_name: self.module.text(symbol.type_name).into(),
                value_type,
                size: value_type.size().unwrap_or(symbol.size),
                place,
            });
        }
        indices
    }

    /// Adds the module's drivers; answers local index to driver.
    fn add_drivers(&self, findings: &mut Findings, model: &mut Model) -> Vec<u16> {
        let mut indices = Vec::new();
        for symbol in self.module.drivers() {
            let work = self.work(findings, &symbol);
            let copies = DriverKind::from_code(symbol.kind) == Some(DriverKind::Copy);
            let function = if copies {
                ""
            } else {
                self.module.text(symbol.function)
            };
            let (reads, writes) = (
                self.local_ports(symbol.reads),
                self.local_ports(symbol.writes),
            );
            let conflicts = self.conflicts(&reads, &writes);
            let [reads, writes] = [reads, writes].map(|list| self.resolve(&list));
            let tasks = conflicts
                .iter()
                .filter_map(|task| self.tasks.get(*task as usize))
                .copied();
            indices.push(model.drivers.len() as u16);
            model.drivers.push(Driver {
                name: self.module.text(symbol.name).into(),
                program: self.program,
                function: function.into(),
                work,
                reads,
                writes,
                conflicts: tasks.filter(|t| *t != NONE).collect(),
                block: 0,
                block_size: 0,
            });
        }
        indices
    }

    /// Local tasks that own a port which a driver touches, ascending.
    fn conflicts(&self, reads: &[u16], writes: &[u16]) -> Vec<u16> {
        let touched = reads
            .iter()
            .chain(writes)
            .filter_map(|port| self.owners.get(port))
            .copied();
        let mut tasks: Vec<u16> = touched.collect();
        tasks.sort_unstable();
        tasks.dedup();
        tasks
    }

    /// States have no place; the verifier lets no driver touch them.
    fn resolve(&self, list: &[u16]) -> Vec<u16> {
        list.iter()
            .filter_map(|local| self.ports.get(*local as usize))
            .copied()
            .filter(|p| *p != NONE)
            .collect()
    }

    fn work(&self, findings: &mut Findings, symbol: &DriverSymbol) -> Work {
        if DriverKind::from_code(symbol.kind) == Some(DriverKind::Copy) {
            return Work::Copy;
        }
        let function = self.module.text(symbol.function);
        let provided = self.providers.get(FunctionKind::Driver, function);
        let register = self
            .section
            .registers
            .iter()
            .find(|r| r.function.get_ref() == function);
        match (register, provided) {
            (Some(register), None) => self.register(findings, register, symbol),
            (Some(register), Some(_)) => {
                let reason =
                    format!("driver `{function}` is both a register and a function of a process");
                findings.refuse(register.function.span(), reason, "leave one of them out");
                Work::Copy
            }
            (None, Some((process, limits))) => {
                let budget = limits.budget.as_ref().map_or(0, |b| *b.get_ref());
                if budget == 0 || budget > u64::from(u32::MAX) {
                    let reason = format!("driver `{function}` needs a budget of 1ns to 4s");
                    let mend = format!(
                        "write `{function} = {{ budget = \"20us\" }}`: nothing else runs meanwhile"
                    );
                    findings.refuse(limits.name.span(), reason, mend);
                }
                Work::Upcall {
                    process,
                    budget: budget as u32,
                }
            }
            (None, None) => {
                self.refuse_missing(findings, function);
                Work::Copy
            }
        }
    }

    fn refuse_missing(&self, findings: &mut Findings, function: &str) {
        let program = self.section.name.get_ref();
        let reason =
            format!("no process provides driver function `{function}` of program `{program}`");
        let mend = format!(
            "list it in its process: `drivers = {{ {function} = {{ budget = \"20us\" }} }}`"
        );
        self.refuse(
            findings,
            reason,
            &self.providers.mend(FunctionKind::Driver, function, mend),
        );
    }

    /// An access to a device register; the entry itself is the grant.
    fn register(
        &self,
        findings: &mut Findings,
        entry: &RegisterEntry,
        symbol: &DriverSymbol,
    ) -> Work {
        let name = entry.function.get_ref();
        let board = &self.project.board;
        let Some(device) = board.device(entry.device.get_ref()) else {
            let reason = format!(
                "board {} has no device `{}`",
                board.name,
                entry.device.get_ref()
            );
            let known = board.devices.iter().map(|d| d.name.as_str());
            findings.refuse(
                entry.device.span(),
                reason,
                suggest(entry.device.get_ref(), known),
            );
            return Work::Copy;
        };
        let (offset, width) = (*entry.offset.get_ref(), *entry.width.get_ref());
        if device.kernel {
            let reason = format!("device `{}` is the kernel's own", device.name);
            findings.refuse(
                entry.device.span(),
                reason,
                suggest(name, board.grantable()),
            );
        }
        if offset + u64::from(width) > u64::from(device.size)
            || !offset.is_multiple_of(u64::from(width))
        {
            let reason = format!(
                "device `{}` has no register of {width} bytes at {offset}",
                device.name
            );
            findings.refuse(
                entry.offset.span(),
                reason,
                format!("it has {} bytes; registers are aligned", device.size),
            );
        }
        let address = device.base.wrapping_add(offset as u32);
        match (
            self.local_ports(symbol.reads).as_slice(),
            self.local_ports(symbol.writes).as_slice(),
        ) {
            ([], [port]) => self.fitting(findings, entry, *port, Work::Load(address, width)),
            ([port], []) => self.fitting(findings, entry, *port, Work::Store(address, width)),
            (reads, writes) => {
                let reason = format!(
                    "driver `{name}` reads {} ports and writes {}",
                    reads.len(),
                    writes.len()
                );
                findings.refuse(
                    entry.function.span(),
                    reason,
                    "a register driver has one port; use a process for more",
                );
                Work::Copy
            }
        }
    }

    fn fitting(
        &self,
        findings: &mut Findings,
        entry: &RegisterEntry,
        local: u16,
        work: Work,
    ) -> Work {
        let (size, width) = (
            self.module.port(local).map_or(0, |p| p.size),
            *entry.width.get_ref(),
        );
        let is_local = self.kind(local).is_none_or(PortKind::is_task_local);
        if size != u16::from(width) || is_local {
            let reason = format!(
                "port `{}` has {size} bytes, the register {width}",
                self.port_name(local)
            );
            findings.refuse(
                entry.width.span(),
                reason,
                "use a port of the program with the register's width",
            );
        }
        work
    }

    /// Registers are bound to drivers that the program has.
    fn check_registers(&self, findings: &mut Findings) {
        let known: Vec<&str> = self
            .module
            .drivers()
            .map(|d| self.module.text(d.function))
            .collect();
        for entry in &self.section.registers {
            let name = entry.function.get_ref().as_str();
            if !known.contains(&name) {
                let reason = format!(
                    "program `{}` has no driver with the function `{name}`",
                    self.section.name.get_ref()
                );
                let named = known.iter().copied().filter(|k| !k.is_empty());
                findings.refuse(entry.function.span(), reason, suggest(name, named));
            }
        }
    }

    /// Local interrupt index to number.
    fn interrupts(&self, findings: &mut Findings) -> Vec<u16> {
        let mut numbers = Vec::new();
        for symbol in self.module.interrupts() {
            let name = self.module.text(symbol.name);
            let bound = self
                .section
                .interrupts
                .iter()
                .find(|(known, _)| known.get_ref() == name);
            if bound.is_none() {
                let reason = format!(
                    "interrupt `{name}` of program `{}` is not bound",
                    self.section.name.get_ref()
                );
                let mend = format!("add `interrupts = {{ {name} = \"DEVICE\" }}` to the program");
                self.refuse(findings, reason, &mend);
            }
            // an unknown line has been refused where the lines were collected
            let mut known = Findings::about(&self.project.file.path, "");
            let line =
                bound.and_then(|(_, line)| outline::line(&mut known, &self.project.board, line));
            numbers.push(line.map_or(NONE, |l| l.number));
        }
        if self.module.mailboxes().next().is_some() {
            let reason = format!(
                "program `{}` waits for messages",
                self.section.name.get_ref()
            );
            self.refuse(
                findings,
                reason,
                "this kernel configuration has no mailboxes: pass the value through an input",
            );
        }
        numbers
    }

    fn program(&self, findings: &mut Findings, drivers: Vec<u16>, interrupts: Vec<u16>) -> Program {
        let schedule = *self.section.schedule.get_ref();
        if schedule == Schedule::SCode(None) && !s_code::is_in(self.module) {
            let reason = format!(
                "program `{}` carries no S code",
                self.section.name.get_ref()
            );
            let mend = "write `schedule = \"s:edf\"` to have it made, or name a module from `giornata schedule` as the source";
            findings.refuse(self.section.schedule.span(), reason, mend);
        }
        let fixed = matches!(schedule, Schedule::RateMonotonic | Schedule::Fifo);
        let slot = self.section.slot.as_ref().map(|s| *s.get_ref());
        let top = top_priority(self.project.file.kernel.deadline_band);
        let found = |kind| {
            let local = self.module.ports().position(|p| p.kind == kind as u8)?;
            self.ports.get(local).copied()
        };
        let prepared = self.project.modules.get(self.program as usize);
        let need = |of: fn(&ProgramModule) -> u16| prepared.map(of);
        let kernel = &self.project.file.kernel;
        Program {
            name: self.section.name.get_ref().clone(),
            source: self.section.source.get_ref().clone(),
            schedule,
            module: prepared.map_or(Vec::new(), |m| m.bytes.clone()),
            max_steps: prepared.map_or(0, |m| m.max_steps),
            is_bounded: prepared.is_some_and(|m| m.is_bounded),
            triggers: kernel.triggers.or(need(|m| m.triggers)).unwrap_or(1),
            s_threads: kernel.s_threads.or(need(|m| m.s_threads)).unwrap_or(1),
            slot: slot.or(fixed.then_some(top)),
            tasks: self.tasks.clone(),
            drivers,
            ports: self.ports.clone(),
            interrupts,
            violation_task: found(PortKind::ViolationTask),
            violation_driver: found(PortKind::ViolationDriver),
            room: prepared.and_then(|module| module.room),
            known: prepared.map_or(Vec::new(), |module| module.known.clone()),
        }
    }
}
