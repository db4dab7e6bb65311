//! The symbol tables of a module: ports, tasks, drivers, each entered once.

use std::collections::BTreeMap;

use giornata_abi::module::{DriverSymbol, ModuleWriter, PortKind, TaskSymbol};
use giornata_abi::{Comparison, Predicate, PredicateKind, ValueType};

use super::model::{Constant, Model};
use crate::tables::{Tables, value_type};

/// What a driver symbol was made for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Purpose {
    Device(usize),
    Initialise(usize),
    Inputs(usize),
    Outputs(usize),
    Note(usize, usize),
}

/// A job's own copies of ports, in the order of its parameters.
#[derive(Clone, Debug, Default)]
struct Locals {
    inputs: Vec<u16>,
    outputs: Vec<u16>,
}

/// Symbols of a program; those of declared ports have the ports' indices, and the
/// task of a job the job's.
pub(super) struct Symbols<'m> {
    model: &'m Model,
    pub(super) tables: Tables,
    locals: Vec<Locals>,
    drivers: BTreeMap<Purpose, u16>,
}

impl<'m> Symbols<'m> {
    /// The tables with all ports and jobs.
    pub(super) fn new(model: &'m Model, writer: ModuleWriter) -> Symbols<'m> {
        let mut symbols = Symbols {
            model,
            tables: Tables::new(writer),
            locals: Vec::new(),
            drivers: BTreeMap::new(),
        };
        for port in &model.ports {
            symbols.tables.port(&port.name, &port.type_name, port.kind);
        }
        for job in 0..model.jobs.len() {
            symbols.add_job(job);
        }
        symbols
    }

    /// What a job is called: the task and the function.
    fn name_of(&self, job: usize) -> String {
        let job = &self.model.jobs[job];
        format!("{}.{}", self.model.tasks[job.task].name, job.function)
    }

    fn add_job(&mut self, index: usize) {
        let model = self.model;
        let (job, name) = (&model.jobs[index], self.name_of(index));
        let mut own = |port: usize, kind, ending: &str| {
            let port = &model.ports[port];
            let variable = port.name.rsplit('.').next().unwrap_or(&port.name);
            let name = format!("{name}.{variable}{ending}");
            self.tables.port(&name, &port.type_name, kind)
        };
        let inputs = job.reads.iter();
        let inputs = inputs.map(|port| own(*port, PortKind::TaskInput, ""));
        let inputs: Vec<u16> = inputs.collect();
        // (a job that reads and writes one variable has two copies of it)
        let ending = |port: &usize| {
            if job.reads.contains(port) {
                ".next"
            } else {
                ""
            }
        };
        let outputs = job.writes.iter();
        let outputs = outputs.map(|port| own(*port, PortKind::TaskOutput, ending(port)));
        let outputs: Vec<u16> = outputs.collect();
        let writer = &mut self.tables.writer;
        let symbol = TaskSymbol {
            name: writer.text(&name),
            function: writer.text(&job.function),
            inputs: writer.list(&inputs),
            outputs: writer.list(&outputs),
            states: writer.list(&[]),
            wcet: job.wcet,
            priority: job.priority.into(),
            reserved: 0,
        };
        writer.tasks.push(symbol);
        self.locals.push(Locals { inputs, outputs });
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
        let (ending, reads, writes): (_, &[u16], &[u16]) = match declared.kind {
            PortKind::Sensor => ("read", &[], &own),
            _ => ("write", &own, &[]),
        };
        let name = format!("{}.{ending}", declared.name);
        self.driver(Purpose::Device(port), |symbols| {
            symbols
                .tables
                .function(&name, function, reads, writes, declared.wcet)
        })
    }

    /// The initialiser of a variable; `None` for what has none.
    pub(super) fn initialiser(&mut self, port: usize) -> Option<u16> {
        let declared = &self.model.ports[port];
        if !matches!(declared.kind, PortKind::Output | PortKind::Private) {
            return None;
        }
        let function = declared.function.as_deref()?;
        let name = format!("{}.init", declared.name);
        Some(self.driver(Purpose::Initialise(port), |symbols| {
            let own = [port as u16];
            symbols
                .tables
                .function(&name, function, &[], &own, declared.wcet)
        }))
    }

    /// Copies a job's arguments to its inputs; `None` if it has none.
    pub(super) fn inputs(&mut self, job: usize) -> Option<u16> {
        let ports = ports(&self.model.jobs[job].reads);
        let (own, name) = (self.locals[job].inputs.clone(), self.name_of(job));
        (!own.is_empty()).then(|| {
            self.driver(Purpose::Inputs(job), |symbols| {
                symbols.tables.copy(&format!("{name}.inputs"), &ports, &own)
            })
        })
    }

    /// Copies a job's outputs to its results; `None` if it has none.
    pub(super) fn outputs(&mut self, job: usize) -> Option<u16> {
        let ports = ports(&self.model.jobs[job].writes);
        let (own, name) = (self.locals[job].outputs.clone(), self.name_of(job));
        (!own.is_empty()).then(|| {
            self.driver(Purpose::Outputs(job), |symbols| {
                symbols
                    .tables
                    .copy(&format!("{name}.outputs"), &own, &ports)
            })
        })
    }

    /// Copies how often a loop will run.
    pub(super) fn note(&mut self, from: usize, to: usize) -> u16 {
        let name = &self.model.ports[to].name;
        self.driver(Purpose::Note(from, to), |symbols| {
            symbols.tables.copy(name, &[from as u16], &[to as u16])
        })
    }

    /// The test that a port compares to a constant.
    pub(super) fn test(
        &mut self,
        port: usize,
        comparison: Comparison,
        Constant(raw): Constant,
    ) -> u16 {
        debug_assert_ne!(
            value_type(&self.model.ports[port].type_name),
            ValueType::Opaque
        );
        let predicate = Predicate::constant(port as u16, comparison, raw);
        self.tables.predicate(predicate)
    }

    /// The test that always holds.
    pub(super) fn always(&mut self) -> u16 {
        self.tables.predicate(Predicate::of(PredicateKind::True, 0))
    }
}

fn ports(list: &[usize]) -> Vec<u16> {
    list.iter().map(|port| *port as u16).collect()
}
