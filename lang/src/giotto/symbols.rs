//! The symbol tables of a module: ports, tasks, drivers, each entered once.

use std::collections::BTreeMap;

use giornata_abi::module::{
    DriverKind, DriverSymbol, ModuleWriter, PortKind, PortSymbol, TaskSymbol,
};
use giornata_abi::{Comparison, Predicate, ValueType};

use super::model::{Action, Model, Task, TaskArgument};

/// What a driver symbol was made for.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Purpose {
    Device(usize),
    Initialise(usize),
    Outputs(usize),
    Guard(usize),
    Action(usize, Vec<u16>),
    Handler(String),
}

/// A task's own ports, by index into its lists.
#[derive(Clone, Debug, Default)]
struct Locals {
    inputs: Vec<u16>,
    outputs: Vec<u16>,
}

/// Symbols of a program; those of declared ports have the ports' indices.
pub(super) struct Symbols<'m> {
    model: &'m Model,
    writer: ModuleWriter,
    /// Module index of each task that is used.
    tasks: BTreeMap<usize, u16>,
    locals: BTreeMap<usize, Locals>,
    drivers: BTreeMap<Purpose, u16>,
    guards: BTreeMap<usize, u16>,
    /// How often each driver has been bound.
    bindings: BTreeMap<usize, usize>,
    predicates: BTreeMap<(u8, u16, u64, u32), u16>,
    durations: BTreeMap<(u64, u32), u16>,
    violation: Option<[u16; 2]>,
}

impl<'m> Symbols<'m> {
    /// The tables with all declared ports and all used tasks.
    pub(super) fn new(model: &'m Model, writer: ModuleWriter) -> Symbols<'m> {
        let mut symbols = Symbols {
            model,
            writer,
            tasks: BTreeMap::new(),
            locals: BTreeMap::new(),
            drivers: BTreeMap::new(),
            guards: BTreeMap::new(),
            bindings: BTreeMap::new(),
            predicates: BTreeMap::new(),
            durations: BTreeMap::new(),
            violation: None,
        };
        for port in &model.ports {
            symbols.port(&port.name, &port.type_name, port.kind);
        }
        for task in model.used_tasks() {
            symbols.add_task(task);
        }
        symbols
    }

    /// Gives the tables back, for the code to be added.
    pub(super) fn into_writer(self) -> ModuleWriter {
        self.writer
    }

    /// Whether a table has outgrown the format.
    pub(super) fn is_full(&self) -> bool {
        const MOST: usize = 65_000;
        let w = &self.writer;
        [
            w.ports.len(),
            w.drivers.len(),
            w.tasks.len(),
            w.predicates.len(),
            w.durations.len(),
        ]
        .iter()
        .any(|n| *n > MOST)
    }

    fn port(&mut self, name: &str, type_name: &str, kind: PortKind) -> u16 {
        let value_type = ValueType::ALL
            .into_iter()
            .find(|t| t.size().is_some() && t.name() == type_name);
        let value_type = value_type.unwrap_or(ValueType::Opaque);
        let (name, type_name) = (self.writer.text(name), self.writer.text(type_name));
        let size = value_type.size().unwrap_or(0);
        let (kind, value_type) = (kind as u8, value_type as u8);
        self.writer.ports.push(PortSymbol {
            name,
            type_name,
            kind,
            value_type,
            size,
            reserved: 0,
        });
        (self.writer.ports.len() - 1) as u16
    }

    fn add_task(&mut self, index: usize) {
        let model = self.model;
        let task = &model.tasks[index];
        let (inputs, outputs, states) = self.local_ports(task);
        let pick = |wanted: fn(TaskArgument) -> Option<usize>, ports: &[u16]| -> Vec<u16> {
            task.arguments
                .iter()
                .filter_map(|a| wanted(*a))
                .map(|i| ports[i])
                .collect()
        };
        let symbol = TaskSymbol {
            name: self.writer.text(&task.name),
            function: self.writer.text(&task.function),
            inputs: self.writer.list(&pick(input, &inputs)),
            outputs: self.writer.list(&pick(output, &outputs)),
            states: self.writer.list(&pick(state, &states)),
            wcet: task.wcet,
            priority: task.priority.into(),
            reserved: 0,
        };
        self.tasks.insert(index, self.writer.tasks.len() as u16);
        self.writer.tasks.push(symbol);
        self.locals.insert(index, Locals { inputs, outputs });
    }

    /// The task's own copies, in the order of declaration.
    fn local_ports(&mut self, task: &Task) -> (Vec<u16>, Vec<u16>, Vec<u16>) {
        let model = self.model;
        let mut own = |name: &str, type_name: &str, kind| {
            self.port(&format!("{}.{name}", task.name), type_name, kind)
        };
        let inputs = task
            .inputs
            .iter()
            .map(|i| own(&i.name, &i.type_name, PortKind::TaskInput))
            .collect();
        let ports = task.outputs.iter().map(|port| &model.ports[*port]);
        let outputs = ports
            .map(|p| own(&p.name, &p.type_name, PortKind::TaskOutput))
            .collect();
        let states = task
            .states
            .iter()
            .map(|s| own(&s.name, &s.type_name, PortKind::State))
            .collect();
        (inputs, outputs, states)
    }

    /// The module's index of a task that is used.
    pub(super) fn task(&self, task: usize) -> u16 {
        self.tasks[&task]
    }

    fn driver(&mut self, purpose: Purpose, make: impl FnOnce(&mut Self) -> DriverSymbol) -> u16 {
        if let Some(found) = self.drivers.get(&purpose) {
            return *found;
        }
        let symbol = make(self);
        let index = self.writer.drivers.len() as u16;
        self.writer.drivers.push(symbol);
        self.drivers.insert(purpose, index);
        index
    }

    fn function(
        &mut self,
        name: &str,
        function: &str,
        reads: &[u16],
        writes: &[u16],
        wcet: u64,
    ) -> DriverSymbol {
        DriverSymbol {
            name: self.writer.text(name),
            function: self.writer.text(function),
            reads: self.writer.list(reads),
            writes: self.writer.list(writes),
            wcet,
            kind: DriverKind::Function as u32,
            reserved: 0,
        }
    }

    fn copy(&mut self, name: &str, reads: &[u16], writes: &[u16]) -> DriverSymbol {
        let symbol = self.function(name, "", reads, writes, 0);
        DriverSymbol {
            kind: DriverKind::Copy as u32,
            ..symbol
        }
    }

    /// The device driver of a sensor (writes it) or actuator (reads it).
    pub(super) fn device(&mut self, port: usize) -> u16 {
        let declared = &self.model.ports[port];
        let function = declared.function.as_deref().unwrap_or("");
        let own = [port as u16];
        self.driver(Purpose::Device(port), |symbols| match declared.kind {
            PortKind::Sensor => symbols.function(
                &format!("{}.read", declared.name),
                function,
                &[],
                &own,
                declared.wcet,
            ),
            _ => symbols.function(
                &format!("{}.write", declared.name),
                function,
                &own,
                &[],
                declared.wcet,
            ),
        })
    }

    /// The initialiser of an output; `None` for a port without one.
    pub(super) fn initialiser(&mut self, port: usize) -> Option<u16> {
        let declared = &self.model.ports[port];
        if !matches!(declared.kind, PortKind::Output | PortKind::Private) {
            return None;
        }
        let function = declared.function.as_deref()?;
        Some(self.driver(Purpose::Initialise(port), |symbols| {
            symbols.function(
                &format!("{}.init", declared.name),
                function,
                &[],
                &[port as u16],
                declared.wcet,
            )
        }))
    }

    /// Copies a task's results to its output ports; `None` if it has none.
    pub(super) fn outputs(&mut self, task: usize) -> Option<u16> {
        let declared = &self.model.tasks[task];
        let writes: Vec<u16> = declared.outputs.iter().map(|port| *port as u16).collect();
        let reads = self.locals[&task].outputs.clone();
        (!writes.is_empty()).then(|| {
            self.driver(Purpose::Outputs(task), |symbols| {
                symbols.copy(&format!("{}.outputs", declared.name), &reads, &writes)
            })
        })
    }

    /// A driver's test and the port it answers in; `None`: always true.
    pub(super) fn guard(&mut self, driver: usize) -> Option<(u16, u16)> {
        let declared = &self.model.drivers[driver];
        let guard = declared.guard.as_ref()?;
        let name = format!("{}.guard", declared.name);
        let port = match self.guards.get(&driver) {
            Some(port) => *port,
            None => self.port(&name, ValueType::Bool.name(), PortKind::Guard),
        };
        self.guards.insert(driver, port);
        let reads: Vec<u16> = guard.reads.iter().map(|port| *port as u16).collect();
        let symbol = self.driver(Purpose::Guard(driver), |symbols| {
            symbols.function(&name, &guard.function, &reads, &[port], declared.wcet)
        });
        Some((symbol, port))
    }

    /// A driver's work with its formals bound to ports; `None` if it has none.
    pub(super) fn action(&mut self, driver: usize, bound: &[u16]) -> Option<u16> {
        let declared = &self.model.drivers[driver];
        if declared.action.is_nothing() {
            return None;
        }
        Some(
            self.driver(Purpose::Action(driver, bound.to_vec()), |symbols| {
                symbols.action_symbol(driver, bound)
            }),
        )
    }

    fn action_symbol(&mut self, driver: usize, bound: &[u16]) -> DriverSymbol {
        let declared = &self.model.drivers[driver];
        let reads: Vec<u16> = declared
            .action
            .sources()
            .iter()
            .map(|port| *port as u16)
            .collect();
        let writes: Vec<u16> = declared
            .action
            .formals()
            .iter()
            .map(|formal| bound[*formal])
            .collect();
        let name = self.action_name(driver);
        match &declared.action {
            Action::Function(function, _) => {
                self.function(&name, function, &reads, &writes, declared.wcet)
            }
            _ => self.copy(&name, &reads, &writes),
        }
    }

    /// The driver's name; for its second binding `name#2`, and so on.
    fn action_name(&mut self, driver: usize) -> String {
        let count = self.bindings.entry(driver).or_insert(0);
        *count += 1;
        let name = &self.model.drivers[driver].name;
        if *count == 1 {
            name.clone()
        } else {
            format!("{name}#{count}")
        }
    }

    /// The task's own input ports, in the order of declaration.
    pub(super) fn task_inputs(&self, task: usize) -> Vec<u16> {
        self.locals[&task].inputs.clone()
    }

    /// The driver that a violation runs: gets the task and the driver involved.
    pub(super) fn handler(&mut self, function: &str) -> u16 {
        let ports = match self.violation {
            Some(ports) => ports,
            None => [
                self.port(
                    "violation.task",
                    ValueType::U16.name(),
                    PortKind::ViolationTask,
                ),
                self.port(
                    "violation.driver",
                    ValueType::U16.name(),
                    PortKind::ViolationDriver,
                ),
            ],
        };
        self.violation = Some(ports);
        let purpose = Purpose::Handler(function.to_owned());
        self.driver(purpose, |symbols| {
            symbols.function(&format!("{function}.handler"), function, &ports, &[], 0)
        })
    }

    fn predicate(&mut self, predicate: Predicate) -> u16 {
        let next = self.writer.predicates.len() as u16;
        let key = (
            predicate.comparison,
            predicate.subject,
            predicate.value,
            predicate.remainder,
        );
        let index = *self
            .predicates
            .entry((key.0 + 16 * predicate.kind, key.1, key.2, key.3))
            .or_insert(next);
        if index == next {
            self.writer.predicates.push(predicate);
        }
        index
    }

    /// The test that a guard has (or has not) answered true.
    pub(super) fn answered(&mut self, port: u16, comparison: Comparison) -> u16 {
        self.predicate(Predicate::constant(port, comparison, 1))
    }

    /// `after(nanos + remainder)`.
    pub(super) fn after(&mut self, (nanos, remainder): (u64, u32)) -> u16 {
        self.predicate(Predicate::after(nanos, remainder))
    }

    /// A deadline.
    pub(super) fn duration(&mut self, (nanos, remainder): (u64, u32)) -> u16 {
        let next = self.writer.durations.len() as u16;
        let index = *self.durations.entry((nanos, remainder)).or_insert(next);
        if index == next {
            self.writer.duration(nanos, remainder);
        }
        index
    }
}

fn input(argument: TaskArgument) -> Option<usize> {
    match argument {
        TaskArgument::Input(index) => Some(index),
        _ => None,
    }
}

fn output(argument: TaskArgument) -> Option<usize> {
    match argument {
        TaskArgument::Output(index) => Some(index),
        _ => None,
    }
}

fn state(argument: TaskArgument) -> Option<usize> {
    match argument {
        TaskArgument::State(index) => Some(index),
        _ => None,
    }
}
