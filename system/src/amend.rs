//! Handlers that the system file adds to a program: a block that calls one
//! driver, appended to the module before it is verified.

use crate::file::{ProgramSection, Reaction, Spanned, SystemFile};
use crate::problem::{Problem, Refusal, suggest};
use crate::project;
use giornata_abi::id::NONE;
use giornata_abi::module::{
    DriverKind, DriverSymbol, Module, ModuleWriter, Name, NameSymbol, PortKind, PortList,
};
use giornata_abi::module::{PortSymbol, TaskSymbol};
use giornata_abi::{Instruction, Opcode, ValueType};

/// The module with the reactions of its program's `on-violation`.
///
/// A handler is a driver of the program, or a driver function of a process
/// that takes the local indices of task and driver as two `u16`.
pub(crate) fn with_handlers(
    file: &SystemFile,
    program: &ProgramSection,
    bytes: &[u8],
) -> Result<Vec<u8>, Refusal> {
    if program.on_violation.iter().all(Option::is_none) {
        return Ok(bytes.to_vec());
    }
    let module = project::parse(file, &program.source, bytes)?;
    let mut writer = rewrite(&module);
    // handlers take steps too: the bound is found anew
    writer.max_steps = 0;
    for (kind, reaction) in program.on_violation.iter().enumerate() {
        let Some(reaction) = reaction else { continue };
        let block = match reaction.get_ref() {
            Reaction::Skip => NONE,
            Reaction::Handler(name) => {
                let driver = handler(file, &module, &mut writer, name, reaction)?;
                block_of(&mut writer, driver)
            }
        };
        if let Some(handler) = writer.handlers.get_mut(kind) {
            *handler = block;
        }
    }
    Ok(writer.finish())
}

/// The local index of the driver that a handler calls.
fn handler(
    file: &SystemFile,
    module: &Module<'_>,
    writer: &mut ModuleWriter,
    name: &str,
    reaction: &Spanned<Reaction>,
) -> Result<u16, Refusal> {
    let title = writer.text(name);
    if let Some(known) = writer.drivers.iter().position(|d| d.name == title) {
        return Ok(known as u16);
    }
    let provided = file
        .processes
        .iter()
        .flat_map(|p| &p.drivers)
        .map(|d| d.name.get_ref().as_str());
    if !provided.clone().any(|p| p == name) {
        let known: Vec<&str> = module
            .drivers()
            .map(|d| module.text(d.name))
            .chain(provided)
            .collect();
        let reason =
            format!("no driver is called `{name}`, neither in the program nor in a process");
        return Err(Problem::new(reason, suggest(name, known))
            .at(&file.source, reaction.span())
            .into());
    }
    let involved = [PortKind::ViolationTask, PortKind::ViolationDriver]
        .map(|kind| violation_port(writer, kind));
    let reads = writer.list(&involved);
    let nothing = writer.list(&[]);
    let kind = DriverKind::Function as u32;
    writer.drivers.push(DriverSymbol {
        name: title,
        function: title,
        reads,
        writes: nothing,
        wcet: 0,
        kind,
        reserved: 0,
    });
    Ok(writer.drivers.len() as u16 - 1)
}

/// The port that the kernel writes before a handler runs, added if missing.
fn violation_port(writer: &mut ModuleWriter, kind: PortKind) -> u16 {
    if let Some(known) = writer.ports.iter().position(|p| p.kind == kind as u8) {
        return known as u16;
    }
    let name = if kind == PortKind::ViolationTask {
        "violation task"
    } else {
        "violation driver"
    };
    let (name, type_name) = (writer.text(name), writer.text("u16"));
    let value_type = ValueType::U16 as u8;
    writer.ports.push(PortSymbol {
        name,
        type_name,
        kind: kind as u8,
        value_type,
        size: 2,
        reserved: 0,
    });
    writer.ports.len() as u16 - 1
}

fn block_of(writer: &mut ModuleWriter, driver: u16) -> u16 {
    let address = writer.instructions.len() as u16;
    writer
        .instructions
        .push(Instruction::new(Opcode::Call, driver, 0, 0));
    writer
        .instructions
        .push(Instruction::new(Opcode::Return, 0, 0, 0));
    address
}

/// A writer that would write the same module again. O(the module).
pub fn rewrite(module: &Module<'_>) -> ModuleWriter {
    let header = module.header();
    let mut writer = ModuleWriter::new(module.name(), module.text(header.source));
    writer.start = header.start;
    (writer.round, writer.resume) = (header.round, header.resume);
    writer.denominator = header.denominator;
    writer.max_steps = header.max_steps;
    writer.handlers = header.handlers;
    writer.instructions = module.instructions().collect();
    writer.predicates = module.predicates().collect();
    writer.durations = module.durations().collect();
    writer.positions = module.positions().collect();
    for task in module.tasks() {
        let (name, function) = names(&mut writer, module, task.name, task.function);
        let [inputs, outputs, states] =
            [task.inputs, task.outputs, task.states].map(|l| list(&mut writer, module, l));
        writer.tasks.push(TaskSymbol {
            name,
            function,
            inputs,
            outputs,
            states,
            ..task
        });
    }
    for driver in module.drivers() {
        let (name, function) = names(&mut writer, module, driver.name, driver.function);
        let [reads, writes] = [driver.reads, driver.writes].map(|l| list(&mut writer, module, l));
        writer.drivers.push(DriverSymbol {
            name,
            function,
            reads,
            writes,
            ..driver
        });
    }
    for port in module.ports() {
        let (name, type_name) = names(&mut writer, module, port.name, port.type_name);
        writer.ports.push(PortSymbol {
            name,
            type_name,
            ..port
        });
    }
    for symbol in module.interrupts() {
        let name = writer.text(module.text(symbol.name));
        writer.interrupts.push(NameSymbol { name });
    }
    for symbol in module.mailboxes() {
        let name = writer.text(module.text(symbol.name));
        writer.mailboxes.push(NameSymbol { name });
    }
    writer
}

fn names(
    writer: &mut ModuleWriter,
    module: &Module<'_>,
    first: Name,
    second: Name,
) -> (Name, Name) {
    (
        writer.text(module.text(first)),
        writer.text(module.text(second)),
    )
}

fn list(writer: &mut ModuleWriter, module: &Module<'_>, list: PortList) -> PortList {
    let ports: Vec<u16> = module.list(list).collect();
    writer.shared_list(&ports)
}
