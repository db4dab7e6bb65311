//! Links assembled modules into the tables of one system.

use giornata_abi::id::NONE;
use giornata_abi::instruction::{DurationEntry, Instruction};
use giornata_abi::module::{Module, PortKind};
use giornata_abi::system::{PortEntry, ProgramEntry, Range, System, SystemHeader};
use giornata_abi::{Predicate, Record, ValueType};
use giornata_micro::{Binding, ProgramState, SThread};
use giornata_test_microcode::assemble;

use super::verify_bytes;

/// The owned tables of a system, and the names behind the indices.
pub(crate) struct Tables {
    pub(crate) header: SystemHeader,
    pub(crate) programs: Vec<ProgramEntry>,
    pub(crate) ports: Vec<PortEntry>,
    pub(crate) instructions: Vec<Instruction>,
    pub(crate) predicates: Vec<Predicate>,
    pub(crate) durations: Vec<DurationEntry>,
    pub(crate) links: Vec<u16>,
    pub(crate) task_names: Vec<String>,
    pub(crate) task_programs: Vec<u16>,
    pub(crate) driver_names: Vec<String>,
    /// Tasks whose copies each driver touches.
    pub(crate) conflicts: Vec<Vec<u16>>,
    pub(crate) port_names: Vec<String>,
    pub(crate) mailbox_names: Vec<String>,
    pub(crate) irq_names: Vec<String>,
}

/// The machine's memory.
pub(crate) struct Slots {
    pub(crate) bindings: Vec<Binding>,
    pub(crate) threads: Vec<SThread>,
    pub(crate) programs: Vec<ProgramState>,
}

/// Assembles and links programs. Names of different programs may be equal
/// only for interrupts and mailboxes, which are then the same.
pub(crate) fn link(sources: &[&str]) -> Tables {
    let files: Vec<Vec<u8>> = sources.iter().map(|source| assemble(source)).collect();
    link_files(&files)
}

/// Links module files.
pub(crate) fn link_files(files: &[Vec<u8>]) -> Tables {
    let zeros = [0; SystemHeader::SIZE];
    let mut tables = Tables {
        header: SystemHeader::decode(&zeros).unwrap(),
        programs: Vec::new(),
        ports: Vec::new(),
        instructions: Vec::new(),
        predicates: Vec::new(),
        durations: Vec::new(),
        links: Vec::new(),
        task_names: Vec::new(),
        task_programs: Vec::new(),
        driver_names: Vec::new(),
        conflicts: Vec::new(),
        port_names: Vec::new(),
        mailbox_names: Vec::new(),
        irq_names: Vec::new(),
    };
    for file in files {
        tables.add(file);
    }
    tables
}

impl Tables {
    pub(crate) fn slots(&self) -> Slots {
        Slots {
            bindings: vec![Binding::EMPTY; self.header.triggers as usize],
            threads: vec![SThread::EMPTY; self.header.s_threads as usize],
            programs: vec![ProgramState::EMPTY; self.programs.len()],
        }
    }

    pub(crate) fn system(&self) -> System<'_> {
        System {
            header: &self.header,
            processes: &[],
            threads: &[],
            ports: &self.ports,
            drivers: &[],
            programs: &self.programs,
            interrupts: &[],
            instructions: &self.instructions,
            predicates: &self.predicates,
            durations: &self.durations,
            links: &self.links,
            moves: &[],
            objects: &[],
            regions: &[],
        }
    }

    /// Overwrites bytes of the code and the predicates as no builder would.
    pub(crate) fn break_code(&mut self, breaks: &[(usize, u8)]) {
        for (at, byte) in breaks {
            let code = self.instructions.len();
            let index = at % (code + self.predicates.len());
            if let Some(instruction) = self.instructions.get_mut(index) {
                match at % 5 {
                    0 => instruction.opcode = byte % 12,
                    1 => instruction.a = *byte as u16,
                    2 => instruction.b = *byte as u16,
                    3 => instruction.c = *byte as u16,
                    _ => instruction.a = u16::MAX,
                }
            } else {
                let predicate = &mut self.predicates[index - code];
                match at % 3 {
                    0 => predicate.kind = byte % 13,
                    1 => predicate.subject = *byte as u16,
                    _ => predicate.comparison = *byte,
                }
            }
        }
    }

    fn add(&mut self, file: &[u8]) {
        let module = Module::parse(file).expect("a whole module");
        // Under an interpreter only the verifier's own tests are worth its time.
        let verified = (!cfg!(miri)).then(|| verify_bytes(file).ok()).flatten();
        let header = module.header();
        let [violation_task, violation_driver] =
            [PortKind::ViolationTask, PortKind::ViolationDriver]
                .map(|kind| self.handler_port(&module, kind));
        let entry = ProgramEntry {
            code: self.instructions.len() as u32,
            code_length: header.instructions as u32,
            predicates: range(self.predicates.len(), header.predicates),
            durations: range(self.durations.len(), header.durations),
            tasks: self.link_tasks(&module),
            drivers: self.link_drivers(&module),
            ports: self.link_ports(&module),
            interrupts: self.link_names(&module, true),
            mailboxes: self.link_names(&module, false),
            denominator: header.denominator,
            max_steps: match header.max_steps {
                0 => verified.and_then(|v| v.steps).unwrap_or(1000),
                declared => declared,
            },
            start: header.start,
            handlers: header.handlers,
            slot: 0,
            violation_task,
            violation_driver,
            ..ProgramEntry::EMPTY
        };
        self.programs.push(entry);
        self.instructions.extend(module.instructions());
        self.predicates.extend(module.predicates());
        self.durations.extend(module.durations());
        let slots = verified.map_or((16, 16), |v| (v.triggers, v.threads));
        self.header.triggers += slots.0;
        self.header.s_threads += slots.1;
    }

    fn handler_port(&self, module: &Module<'_>, kind: PortKind) -> u16 {
        let local = module.ports().position(|p| p.kind == kind as u8);
        local.map_or(NONE, |p| (self.ports.len() + p) as u16)
    }

    fn link_tasks(&mut self, module: &Module<'_>) -> Range {
        let range = range(self.links.len(), module.header().tasks);
        for task in module.tasks() {
            self.links.push(self.task_names.len() as u16);
            self.task_names.push(module.text(task.name).to_string());
            self.task_programs.push(self.programs.len() as u16);
        }
        range
    }

    fn link_drivers(&mut self, module: &Module<'_>) -> Range {
        let range = range(self.links.len(), module.header().drivers);
        let first_task = self.task_names.len() - module.header().tasks as usize;
        for driver in module.drivers() {
            let touched: Vec<u16> = module
                .list(driver.reads)
                .chain(module.list(driver.writes))
                .collect();
            let conflicts = module.tasks().enumerate().filter(|(_, task)| {
                let own = module.list(task.inputs).chain(module.list(task.outputs));
                own.into_iter().any(|port| touched.contains(&port))
            });
            self.conflicts
                .push(conflicts.map(|(i, _)| (first_task + i) as u16).collect());
            self.links.push(self.driver_names.len() as u16);
            self.driver_names.push(module.text(driver.name).to_string());
        }
        range
    }

    fn link_ports(&mut self, module: &Module<'_>) -> Range {
        let range = range(self.links.len(), module.header().ports);
        for port in module.ports() {
            self.links.push(self.ports.len() as u16);
            self.port_names.push(module.text(port.name).to_string());
            self.ports.push(PortEntry {
                process: NONE,
                size: port.size,
                place: 0,
                value_type: ValueType::from_code(port.value_type).unwrap() as u8,
                traced: 0,
                task: NONE,
            });
        }
        range
    }

    fn link_names(&mut self, module: &Module<'_>, irqs: bool) -> Range {
        let names: Vec<String> = match irqs {
            true => module
                .interrupts()
                .map(|n| module.text(n.name).to_string())
                .collect(),
            false => module
                .mailboxes()
                .map(|n| module.text(n.name).to_string())
                .collect(),
        };
        let known = if irqs {
            &mut self.irq_names
        } else {
            &mut self.mailbox_names
        };
        let start = self.links.len();
        for name in &names {
            let index = known.iter().position(|k| k == name).unwrap_or_else(|| {
                known.push(name.clone());
                known.len() - 1
            });
            // as boards number them: not the same as any index
            self.links.push(index as u16 + if irqs { 40 } else { 0 });
        }
        range(start, names.len() as u16)
    }
}

fn range(start: usize, count: u16) -> Range {
    Range {
        start: start as u16,
        count,
    }
}
