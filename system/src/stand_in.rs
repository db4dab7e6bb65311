//! Functions that stand in for those of processes whose code is not there:
//! they take what the programs give them, and nobody runs them.
//!
//! Sizes of types that only the code knows are made up, which no instant
//! depends on.

use crate::file::ProcessSection;
use crate::functions::{Function, Functions, Parameter};
use crate::programs::value_type;
use crate::project::Project;
use giornata_abi::module::{DriverKind, Module, PortList};
use giornata_abi::process::{Direction, FunctionKind};
use std::collections::BTreeMap;

/// Bytes of a type whose size nobody states.
const OPAQUE: usize = 8;

/// For each process, by its name, the functions that the system file lists,
/// with the parameters that the programs give them. O(functions x symbols).
pub fn stand_ins(project: &Project) -> BTreeMap<String, Functions> {
    let modules: Vec<Module<'_>> = project
        .modules
        .iter()
        .filter_map(|module| Module::parse(&module.bytes).ok())
        .collect();
    let processes = project.file.processes.iter();
    processes
        .map(|section| {
            (
                section.name.get_ref().clone(),
                of_process(section, &modules),
            )
        })
        .collect()
}

fn of_process(section: &ProcessSection, modules: &[Module<'_>]) -> Functions {
    let tasks = section.tasks.iter().map(|listed| {
        let name = listed.name.get_ref();
        let found = modules.iter().find_map(|module| task(module, name));
        function(name, FunctionKind::Task, found)
    });
    let drivers = section.drivers.iter().map(|listed| {
        let name = listed.name.get_ref();
        let found = modules.iter().find_map(|module| driver(module, name));
        function(name, FunctionKind::Driver, found)
    });
    let threads = section
        .threads
        .iter()
        .map(|thread| function(thread.name.get_ref(), FunctionKind::Thread, None));
    tasks
        .chain(drivers)
        .chain(threads)
        .collect::<Vec<_>>()
        .into()
}

fn function(name: &str, kind: FunctionKind, parameters: Option<Vec<Parameter>>) -> Function {
    Function {
        name: name.into(),
        kind,
        parameters: parameters.unwrap_or_default(),
        body: 0,
    }
}

fn task(module: &Module<'_>, function: &str) -> Option<Vec<Parameter>> {
    let found = module.tasks().find(|t| module.text(t.function) == function);
    found.map(|task| {
        [
            parameters(module, task.inputs, Direction::Input),
            parameters(module, task.outputs, Direction::Output),
            parameters(module, task.states, Direction::State),
        ]
        .concat()
    })
}

fn driver(module: &Module<'_>, function: &str) -> Option<Vec<Parameter>> {
    let is_upcall = |kind| DriverKind::from_code(kind) == Some(DriverKind::Function);
    let found = module
        .drivers()
        .find(|d| is_upcall(d.kind) && module.text(d.function) == function);
    found.map(|driver| {
        [
            parameters(module, driver.reads, Direction::Input),
            parameters(module, driver.writes, Direction::Output),
        ]
        .concat()
    })
}

fn parameters(module: &Module<'_>, list: PortList, direction: Direction) -> Vec<Parameter> {
    let ports = module.list(list).filter_map(|index| module.port(index));
    let parameter = |port| {
        let scalar = value_type(module, &port);
        let stated = Some(usize::from(port.size)).filter(|size| *size != 0);
        match scalar.size() {
            Some(size) => Parameter {
                direction,
                size: size.into(),
                type_name: scalar.name().into(),
            },
            None => Parameter {
                direction,
                size: stated.unwrap_or(OPAQUE),
                type_name: module.text(port.type_name).into(),
            },
        }
    };
    ports.map(parameter).collect()
}
