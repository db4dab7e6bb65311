//! Listings of microcode with the names of the module.
//!
//! ```text
//! ; module flight from flight.giotto, start 0
//! ; handler of overrun at 6
//!     0  call      read_imu              ; line 12
//!     1  release   navigate, 10 ms
//!     2  future    after(10 ms), 0
//!     3  return
//! ```
//! Works on any module whose frame is sound, verified or not; what does not
//! exist is shown as `?` and its number.

use core::fmt::{Result, Write};

use giornata_abi::id::NONE;
use giornata_abi::instruction::Operand;
use giornata_abi::module::{Module, Name, PortList};
use giornata_abi::predicate::Comparison;
use giornata_abi::trace::Violation;
use giornata_abi::{Predicate, PredicateKind, ValueType};

/// Writes a module: header, tasks, drivers, code. O(size + code * positions).
pub fn listing(module: &Module<'_>, out: &mut impl Write) -> Result {
    write_header(module, out)?;
    for task in module.tasks() {
        write!(
            out,
            "; task {} = {}(",
            module.text(task.name),
            module.text(task.function)
        )?;
        ports(module, task.inputs, out)?;
        out.write_str(") -> (")?;
        ports(module, task.outputs, out)?;
        out.write_str(")\n")?;
    }
    for one in module.drivers() {
        write!(
            out,
            "; driver {} = {}(",
            module.text(one.name),
            module.text(one.function)
        )?;
        ports(module, one.reads, out)?;
        out.write_str(") -> (")?;
        ports(module, one.writes, out)?;
        out.write_str(")\n")?;
    }
    let mut line = 0;
    for address in 0..module.header().instructions {
        write!(out, "{address:5}  ")?;
        instruction(module, address, out)?;
        if let Some(position) = module.position(address).filter(|p| p.line != line) {
            line = position.line;
            write!(out, "  ; line {line}")?;
        }
        out.write_char('\n')?;
    }
    Ok(())
}

fn write_header(module: &Module<'_>, out: &mut impl Write) -> Result {
    let header = module.header();
    let (name, source) = (module.name(), module.text(header.source));
    writeln!(out, "; module {name} from {source}, start {}", header.start)?;
    for (violation, handler) in Violation::ALL.into_iter().zip(header.handlers) {
        if handler != NONE {
            writeln!(out, "; handler of {} at {handler}", violation.name())?;
        }
    }
    Ok(())
}

/// Writes the instruction at an address: mnemonic and operands.
pub fn instruction(module: &Module<'_>, address: u16, out: &mut impl Write) -> Result {
    let Some(instruction) = module.instruction(address) else {
        return write!(out, "?{address}");
    };
    let Some(opcode) = instruction.opcode() else {
        return write!(out, "?{}", instruction.opcode);
    };
    let operands = opcode.operands();
    match operands.first() {
        Some(Operand::None) | None => return out.write_str(opcode.mnemonic()),
        Some(_) => write!(out, "{:9} ", opcode.mnemonic())?,
    }
    let values = [instruction.a, instruction.b, instruction.c];
    let mut separator = "";
    for (kind, value) in operands
        .into_iter()
        .zip(values)
        .filter(|(kind, _)| *kind != Operand::None)
    {
        out.write_str(separator)?;
        operand(module, kind, value, out)?;
        separator = ", ";
    }
    Ok(())
}

fn operand(module: &Module<'_>, kind: Operand, value: u16, out: &mut impl Write) -> Result {
    match kind {
        Operand::None => Ok(()),
        Operand::Driver => named(module, module.driver(value).map(|d| d.name), value, out),
        Operand::Task => named(module, module.task(value).map(|t| t.name), value, out),
        Operand::Predicate | Operand::Test => match module.predicate(value) {
            Some(one) => predicate(module, &one, out),
            None => write!(out, "?{value}"),
        },
        Operand::Duration => match module.duration(value) {
            Some(one) => duration(module, one.nanos, one.remainder, out),
            None => write!(out, "?{value}"),
        },
        Operand::Address => write!(out, "{value}"),
    }
}

/// Writes a predicate of the module.
pub fn predicate(module: &Module<'_>, predicate: &Predicate, out: &mut impl Write) -> Result {
    use PredicateKind::*;
    let subject = predicate.subject;
    let mut function = |word: &str, name: Option<Name>| {
        write!(out, "{word}(")?;
        named(module, name, subject, out)?;
        out.write_char(')')
    };
    match predicate.kind() {
        None => write!(out, "?{}", predicate.kind),
        Some(True) => out.write_str("true"),
        Some(Never) => out.write_str("never"),
        Some(After) => {
            out.write_str("after(")?;
            duration(module, predicate.value, predicate.remainder, out)?;
            out.write_char(')')
        }
        Some(Released) => function("released", module.task(subject).map(|t| t.name)),
        Some(Completed) => function("completed", module.task(subject).map(|t| t.name)),
        Some(Changed) => function("changed", module.port(subject).map(|p| p.name)),
        Some(Interrupt) => function("irq", module.interrupt(subject).map(|i| i.name)),
        Some(Message) => function("message", module.mailbox(subject).map(|m| m.name)),
        Some(Upcall) => function("upcall", module.driver(subject).map(|d| d.name)),
        Some(kind @ (Constant | Activation)) => comparison(module, predicate, kind, out),
    }
}

fn comparison(
    module: &Module<'_>,
    predicate: &Predicate,
    kind: PredicateKind,
    out: &mut impl Write,
) -> Result {
    let port = module.port(predicate.subject);
    named(module, port.map(|p| p.name), predicate.subject, out)?;
    let sign = Comparison::ALL
        .get(predicate.comparison as usize)
        .map_or("?", |(_, sign)| sign);
    write!(out, " {sign} ")?;
    match kind {
        PredicateKind::Activation => out.write_str("activation"),
        _ => constant(
            port.and_then(|p| ValueType::from_code(p.value_type)),
            predicate.value,
            out,
        ),
    }
}

/// Writes a raw value as its type shows it.
fn constant(value_type: Option<ValueType>, raw: u64, out: &mut impl Write) -> Result {
    use ValueType::*;
    match value_type {
        Some(Bool) => write!(out, "{}", raw != 0),
        Some(I8) => write!(out, "{}", raw as i8),
        Some(I16) => write!(out, "{}", raw as i16),
        Some(I32) => write!(out, "{}", raw as i32),
        Some(I64) => write!(out, "{}", raw as i64),
        Some(F32) => write!(out, "{:?}", f32::from_bits(raw as u32)),
        Some(F64) => write!(out, "{:?}", f64::from_bits(raw)),
        Some(Opaque | U8 | U16 | U32 | U64) | None => write!(out, "{raw}"),
    }
}

/// Writes a duration in the largest unit that shows it whole.
pub fn duration(module: &Module<'_>, nanos: u64, remainder: u32, out: &mut impl Write) -> Result {
    let units = [(1_000_000_000, "s"), (1_000_000, "ms"), (1_000, "us")];
    let fits = |size: u64| nanos != 0 && nanos.is_multiple_of(size) && remainder == 0;
    match units.into_iter().find(|(size, _)| fits(*size)) {
        Some((size, unit)) => write!(out, "{} {unit}", nanos / size),
        None if remainder == 0 => write!(out, "{nanos} ns"),
        None => write!(
            out,
            "{nanos} {remainder}/{} ns",
            module.header().denominator
        ),
    }
}

fn named(module: &Module<'_>, name: Option<Name>, index: u16, out: &mut impl Write) -> Result {
    match name
        .map(|name| module.text(name))
        .filter(|text| !text.is_empty())
    {
        Some(text) => out.write_str(text),
        None => write!(out, "?{index}"),
    }
}

fn ports(module: &Module<'_>, list: PortList, out: &mut impl Write) -> Result {
    let mut separator = "";
    for port in module.list(list) {
        out.write_str(separator)?;
        named(module, module.port(port).map(|p| p.name), port, out)?;
        separator = ", ";
    }
    Ok(())
}
