//! Random modules.

use giornata_abi::instruction::{Instruction, Opcode, Operand};
use giornata_abi::module::{
    DriverKind, DriverSymbol, ModuleWriter, NameSymbol, PortKind, PortSymbol, TaskSymbol,
};
use giornata_abi::{Comparison, Predicate, PredicateKind, ValueType};
use proptest::prelude::*;

/// Milliseconds in nanoseconds.
const MS: u64 = 1_000_000;

/// Instructions: an opcode and operands, which [`module`] brings into range.
#[derive(Clone, Debug)]
pub struct Code(Vec<(u8, [u16; 3])>);

/// Up to 13 instructions.
pub fn code() -> impl Strategy<Value = Code> {
    // returns are frequent, so that blocks are short and some code is sound
    let opcode = prop_oneof![3 => Just(0u8), 2 => Just(1), 2 => Just(2), 3 => Just(3), 2 => Just(4), 2 => Just(5), 1 => Just(6), 1 => Just(7), 2 => Just(8)];
    let operands = prop::array::uniform3(any::<u16>());
    prop::collection::vec((opcode, operands), 1..14).prop_map(Code)
}

/// A module with two tasks, four drivers and a predicate of each kind.
pub fn module(code: &Code, handlers: [Option<u16>; 4]) -> Vec<u8> {
    let mut writer = ModuleWriter::new("random", "");
    writer.denominator = 3;
    let name = writer.text("x");
    for kind in [
        PortKind::Output,
        PortKind::Output,
        PortKind::TaskInput,
        PortKind::TaskOutput,
    ] {
        writer.ports.push(PortSymbol {
            name,
            type_name: name,
            kind: kind as u8,
            value_type: ValueType::I32 as u8,
            size: 4,
            reserved: 0,
        });
    }
    let none = writer.list(&[]);
    for (inputs, outputs) in [(writer.list(&[2]), writer.list(&[3])), (none, none)] {
        let states = none;
        writer.tasks.push(TaskSymbol {
            name,
            function: name,
            inputs,
            outputs,
            states,
            wcet: 0,
            priority: 0,
            reserved: 0,
        });
    }
    for (reads, writes, kind) in [
        (writer.list(&[0]), writer.list(&[2]), DriverKind::Copy),
        (writer.list(&[3]), writer.list(&[1]), DriverKind::Copy),
        (none, writer.list(&[0]), DriverKind::Function),
        (none, writer.list(&[1]), DriverKind::Function),
    ] {
        writer.drivers.push(DriverSymbol {
            name,
            function: name,
            reads,
            writes,
            wcet: 0,
            kind: kind as u32,
            reserved: 0,
        });
    }
    writer.interrupts.push(NameSymbol { name });
    writer.mailboxes.push(NameSymbol { name });
    writer.predicates = pool();
    writer.duration(5 * MS, 0);
    writer.duration(10 * MS / 3, 1);
    let length = code.0.len() as u16 + 1;
    for (opcode, operands) in &code.0 {
        writer
            .instructions
            .push(instruction(&writer, *opcode, *operands, length));
    }
    writer
        .instructions
        .push(Instruction::new(Opcode::Return, 0, 0, 0));
    writer.handlers = handlers.map(|h| h.map_or(u16::MAX, |address| address % length));
    writer.finish()
}

fn pool() -> Vec<Predicate> {
    use PredicateKind::*;
    vec![
        Predicate::after(5 * MS, 0),
        Predicate::after(10 * MS / 3, 1),
        Predicate::after(10 * MS, 0),
        Predicate::of(True, 0),
        Predicate::of(Never, 0),
        Predicate::of(Released, 0),
        Predicate::of(Released, 1),
        Predicate::of(Completed, 0),
        Predicate::of(Completed, 1),
        Predicate::constant(0, Comparison::Greater, 2),
        Predicate::of(Interrupt, 0),
        Predicate::of(Message, 0),
        Predicate::of(Upcall, 3),
        Predicate::of(Changed, 0),
        Predicate::activation(1, Comparison::Less),
    ]
}

fn instruction(writer: &ModuleWriter, opcode: u8, operands: [u16; 3], length: u16) -> Instruction {
    let opcode = Opcode::from_code(opcode).unwrap();
    let mut values = [0; 3];
    for (index, kind) in opcode.operands().into_iter().enumerate() {
        let count = match kind {
            Operand::None => continue,
            Operand::Driver => 4,
            Operand::Task => 2,
            Operand::Predicate => writer.predicates.len() as u16,
            Operand::Test => 13, // the last two need an activation
            Operand::Duration => 2,
            Operand::Address => length,
        };
        values[index] = operands[index] % count;
    }
    Instruction::new(opcode, values[0], values[1], values[2])
}

/// Addresses for the handlers of a [`module`], mostly none.
pub fn handlers() -> impl Strategy<Value = [Option<u16>; 4]> {
    prop_oneof![
        3 => Just([None; 4]),
        1 => prop::array::uniform4(prop::option::weighted(0.3, any::<u16>())),
    ]
}
