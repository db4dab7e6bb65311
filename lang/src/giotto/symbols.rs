//! The symbol tables of a module: ports, tasks, drivers, each entered once.

use std::collections::BTreeMap;

use giornata_abi::module::{DriverSymbol, ModuleWriter, PortKind, TaskSymbol};
use giornata_abi::{Comparison, Predicate, ValueType};

use super::model::{Action, Model, Task, TaskArgument};
use crate::tables::Tables;

/// What a driver symbol was made for.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Purpose {
    Device(usize),
    Initialise(usize),
    Outputs(usize),
    Guard(usize),
    Action(usize, Vec<u16>),
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
    pub(super) tables: Tables,
    /// Module index of each task that is used.
    tasks: BTreeMap<usize, u16>,
    locals: BTreeMap<usize, Locals>,
    drivers: BTreeMap<Purpose, u16>,
    guards: BTreeMap<usize, u16>,
    /// How often each driver has been bound.
    bindings: BTreeMap<usize, usize>,
}

impl<'m> Symbols<'m> {
    /// The tables with all declared ports and all used tasks.
    pub(super) fn new(model: &'m Model, writer: ModuleWriter) -> Symbols<'m> {
        let mut symbols = Symbols {
            model,
            tables: Tables::new(writer),
            tasks: BTreeMap::new(),
            locals: BTreeMap::new(),
            drivers: BTreeMap::new(),
            guards: BTreeMap::new(),
            bindings: BTreeMap::new(),
        };
        for port in &model.ports {
            symbols.tables.port(&port.name, &port.type_name, port.kind);
        }
        for task in model.used_tasks() {
            symbols.add_task(task);
        }
        symbols
    }

    /// Gives the tables back, for the code to be added.
    pub(super) fn into_writer(self) -> ModuleWriter {
        self.tables.writer
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
            name: self.tables.writer.text(&task.name),
            function: self.tables.writer.text(&task.function),
            inputs: self.tables.writer.list(&pick(input, &inputs)),
            outputs: self.tables.writer.list(&pick(output, &outputs)),
            states: self.tables.writer.list(&pick(state, &states)),
            wcet: task.wcet,
            priority: task.priority.into(),
            reserved: 0,
        };
        self.tasks
            .insert(index, self.tables.writer.tasks.len() as u16);
        self.tables.writer.tasks.push(symbol);
        self.locals.insert(index, Locals { inputs, outputs });
    }

    /// The task's own copies, in the order of declaration.
    fn local_ports(&mut self, task: &Task) -> (Vec<u16>, Vec<u16>, Vec<u16>) {
        let model = self.model;
        let mut own = |name: &str, type_name: &str, kind| {
            self.tables
                .port(&format!("{}.{name}", task.name), type_name, kind)
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
        let index = self.tables.driver(symbol);
        self.drivers.insert(purpose, index);
        index
    }

    /// The device driver of a sensor (writes it) or actuator (reads it).
    pub(super) fn device(&mut self, port: usize) -> u16 {
        let declared = &self.model.ports[port];
        let function = declared.function.as_deref().unwrap_or("");
        let own = [port as u16];
        self.driver(Purpose::Device(port), |symbols| match declared.kind {
            PortKind::Sensor => symbols.tables.function(
                &format!("{}.read", declared.name),
                function,
                &[],
                &own,
                declared.wcet,
            ),
            _ => symbols.tables.function(
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
            symbols.tables.function(
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
                symbols
                    .tables
                    .copy(&format!("{}.outputs", declared.name), &reads, &writes)
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
            None => self
                .tables
                .port(&name, ValueType::Bool.name(), PortKind::Guard),
        };
        self.guards.insert(driver, port);
        let reads: Vec<u16> = guard.reads.iter().map(|port| *port as u16).collect();
        let symbol = self.driver(Purpose::Guard(driver), |symbols| {
            symbols
                .tables
                .function(&name, &guard.function, &reads, &[port], declared.wcet)
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
                self.tables
                    .function(&name, function, &reads, &writes, declared.wcet)
            }
            _ => self.tables.copy(&name, &reads, &writes),
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

    /// The test that a guard has (or has not) answered true.
    pub(super) fn answered(&mut self, port: u16, comparison: Comparison) -> u16 {
        self.tables
            .predicate(Predicate::constant(port, comparison, 1))
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
