//! Each entry of a module by itself: kinds, ranges, types, lists.

use giornata_abi::instruction::{Instruction, Opcode, Operand};
use giornata_abi::module::{
    DriverKind, DriverSymbol, Module, Name, PortKind, PortList, PortSymbol, TaskSymbol,
};
use giornata_abi::trace::Violation;
use giornata_abi::{Comparison, Predicate, PredicateKind, ValueType};

use super::components::Scratch;
use super::error::{Location, Reason, VerifyError};
use super::is_handler;

type Checked = Result<(), Reason>;

/// Checks every table.
pub(super) fn check(module: &Module<'_>, scratch: &mut [Scratch]) -> Result<(), VerifyError> {
    check_header(module).map_err(|reason| VerifyError {
        location: Location::Header,
        reason,
    })?;
    each(module.ports(), Location::Port, |port| {
        check_port(module, &port)
    })?;
    check_handler_ports(module)?;
    each(module.tasks(), Location::Task, |task| {
        check_task(module, &task)
    })?;
    check_ownership(module, scratch)?;
    each(module.drivers(), Location::Driver, |driver| {
        check_driver(module, &driver)
    })?;
    each(module.interrupts(), Location::Interrupt, |symbol| {
        check_name(module, symbol.name)
    })?;
    each(module.mailboxes(), Location::Mailbox, |symbol| {
        check_name(module, symbol.name)
    })?;
    each(module.durations(), Location::Duration, |duration| {
        require(duration.reserved == 0, Reason::Reserved)?;
        check_remainder(module, duration.remainder)
    })?;
    each(module.predicates(), Location::Predicate, |p| {
        check_predicate(module, &p)
    })?;
    each(module.instructions(), Location::Instruction, |i| {
        check_instruction(module, &i)
    })?;
    check_end(module)?;
    check_positions(module)
}

fn each<T>(
    entries: impl Iterator<Item = T>,
    location: impl Fn(u16) -> Location,
    check: impl Fn(T) -> Checked,
) -> Result<(), VerifyError> {
    for (index, entry) in entries.enumerate() {
        check(entry).map_err(|reason| VerifyError {
            location: location(index as u16),
            reason,
        })?;
    }
    Ok(())
}

fn require(holds: bool, otherwise: Reason) -> Checked {
    if holds { Ok(()) } else { Err(otherwise) }
}

fn check_header(module: &Module<'_>) -> Checked {
    let header = module.header();
    require(header.denominator > 0, Reason::Denominator)?;
    require(header.instructions > 0, Reason::NoCode)?;
    require(
        header.start < header.instructions,
        Reason::Start(header.start),
    )?;
    for address in [header.round, header.resume] {
        require(
            is_handler(address, header.instructions),
            Reason::Round(address),
        )?;
    }
    for (violation, handler) in Violation::ALL.into_iter().zip(header.handlers) {
        let exists = is_handler(handler, header.instructions);
        require(exists, Reason::Handler(violation, handler))?;
    }
    check_name(module, header.name)?;
    check_name(module, header.source)
}

fn check_name(module: &Module<'_>, name: Name) -> Checked {
    let found = module.text(name).len() == name.length as usize;
    let end = (name.offset as u64).saturating_add(name.length as u64);
    require(found && end <= module.header().strings as u64, Reason::Name)
}

fn check_remainder(module: &Module<'_>, remainder: u32) -> Checked {
    require(
        remainder < module.header().denominator,
        Reason::Remainder(remainder),
    )
}

fn check_port(module: &Module<'_>, port: &PortSymbol) -> Checked {
    check_name(module, port.name)?;
    check_name(module, port.type_name)?;
    require(port.reserved == 0, Reason::Reserved)?;
    let kind = PortKind::from_code(port.kind).ok_or(Reason::Kind(port.kind as u32))?;
    let value = ValueType::from_code(port.value_type).ok_or(Reason::ValueType(port.value_type))?;
    if let Some(size) = value.size() {
        require(port.size == size, Reason::Size(port.size))?;
    }
    let is_for_handlers = matches!(kind, PortKind::ViolationTask | PortKind::ViolationDriver);
    require(
        !is_for_handlers || value == ValueType::U16,
        Reason::HandlerPort,
    )
}

fn check_handler_ports(module: &Module<'_>) -> Result<(), VerifyError> {
    for wanted in [PortKind::ViolationTask, PortKind::ViolationDriver] {
        let ports = module.ports().enumerate();
        let mut found = ports.filter(|(_, port)| port.kind == wanted as u8);
        if let (Some(_), Some((second, _))) = (found.next(), found.next()) {
            let location = Location::Port(second as u16);
            return Err(VerifyError {
                location,
                reason: Reason::SecondHandlerPort,
            });
        }
    }
    Ok(())
}

/// The ports of a list, once it is known to be whole.
fn ports_of<'m>(
    module: &Module<'m>,
    list: PortList,
) -> Result<impl Iterator<Item = (u16, PortSymbol)> + use<'m>, Reason> {
    let end = (list.start as u64).saturating_add(list.count as u64);
    let count = module
        .list(list)
        .filter(|port| *port < module.header().ports)
        .count();
    let whole = end <= module.header().links as u64 && count == list.count as usize;
    let module = *module;
    require(whole, Reason::List)?;
    Ok(module
        .list(list)
        .filter_map(move |port| module.port(port).map(|symbol| (port, symbol))))
}

fn check_task(module: &Module<'_>, task: &TaskSymbol) -> Checked {
    check_name(module, task.name)?;
    check_name(module, task.function)?;
    require(task.reserved == 0, Reason::Reserved)?;
    require(task.priority <= 255, Reason::Priority(task.priority))?;
    for (list, kind) in task_lists(task) {
        for (port, symbol) in ports_of(module, list)? {
            require(symbol.kind == kind as u8, Reason::TaskPort(port))?;
        }
    }
    Ok(())
}

fn task_lists(task: &TaskSymbol) -> [(PortList, PortKind); 3] {
    [
        (task.inputs, PortKind::TaskInput),
        (task.outputs, PortKind::TaskOutput),
        (task.states, PortKind::State),
    ]
}

/// A task's local port belongs to one task, and to one parameter of it.
fn check_ownership(module: &Module<'_>, scratch: &mut [Scratch]) -> Result<(), VerifyError> {
    scratch.iter_mut().for_each(|s| s.value = 0);
    for (index, task) in module.tasks().enumerate() {
        for port in task_lists(&task)
            .into_iter()
            .flat_map(|(list, _)| module.list(list))
        {
            let Some(owned) = scratch.get_mut(port as usize) else {
                continue;
            };
            if core::mem::replace(&mut owned.value, 1) != 0 {
                let location = Location::Task(index as u16);
                return Err(VerifyError {
                    location,
                    reason: Reason::Shared(port),
                });
            }
        }
    }
    Ok(())
}

fn check_driver(module: &Module<'_>, driver: &DriverSymbol) -> Checked {
    check_name(module, driver.name)?;
    check_name(module, driver.function)?;
    require(driver.reserved == 0, Reason::Reserved)?;
    let kind = DriverKind::from_code(driver.kind).ok_or(Reason::Kind(driver.kind))?;
    for (port, symbol) in ports_of(module, driver.reads)? {
        require(symbol.kind != PortKind::State as u8, Reason::Reads(port))?;
    }
    for (port, symbol) in ports_of(module, driver.writes)? {
        let may = PortKind::from_code(symbol.kind).is_some_and(|to| may_write(kind, to));
        require(may, Reason::Writes(port))?;
    }
    if kind == DriverKind::Copy {
        check_copy(module, driver)
    } else {
        Ok(())
    }
}

/// Which drivers may write which ports. Inputs are written from outside, sensors
/// by devices only; states never leave their process; ports for handlers are
/// written by the kernel.
fn may_write(driver: DriverKind, port: PortKind) -> bool {
    match port {
        PortKind::Sensor => driver == DriverKind::Function,
        PortKind::Input | PortKind::State => false,
        PortKind::ViolationTask | PortKind::ViolationDriver => false,
        _ => true,
    }
}

fn check_copy(module: &Module<'_>, driver: &DriverSymbol) -> Checked {
    require(driver.reads.count == driver.writes.count, Reason::CopyCount)?;
    for ((from, source), (to, sink)) in
        ports_of(module, driver.reads)?.zip(ports_of(module, driver.writes)?)
    {
        let same_type = source.value_type == sink.value_type
            && source.size == sink.size
            && module.text(source.type_name) == module.text(sink.type_name);
        require(same_type, Reason::CopyType(from, to))?;
    }
    Ok(())
}

fn check_predicate(module: &Module<'_>, predicate: &Predicate) -> Checked {
    use PredicateKind::*;
    let header = module.header();
    let kind = predicate
        .kind()
        .ok_or(Reason::Kind(predicate.kind as u32))?;
    if !matches!(kind, Constant | Activation) {
        require(
            predicate.comparison == 0,
            Reason::Comparison(predicate.comparison),
        )?;
    }
    let carries_value = matches!(kind, After | Constant);
    require(carries_value || predicate.value == 0, Reason::Reserved)?;
    require(kind == After || predicate.remainder == 0, Reason::Reserved)?;
    let exists = |count: u16| {
        require(
            predicate.subject < count,
            Reason::Subject(predicate.subject),
        )
    };
    match kind {
        True | Never => require(predicate.subject == 0, Reason::Subject(predicate.subject)),
        After => {
            require(predicate.subject == 0, Reason::Subject(predicate.subject))?;
            check_remainder(module, predicate.remainder)
        }
        Released | Completed => exists(header.tasks),
        Changed | Constant | Activation => check_observed(module, kind, predicate),
        Interrupt => exists(header.interrupts),
        Message => exists(header.mailboxes),
        Upcall => {
            let driver = module.driver(predicate.subject);
            let kind = driver
                .map(|d| d.kind)
                .ok_or(Reason::Subject(predicate.subject))?;
            let function = kind == DriverKind::Function as u32;
            require(function, Reason::NotAFunction(predicate.subject))
        }
    }
}

fn check_observed(module: &Module<'_>, kind: PredicateKind, predicate: &Predicate) -> Checked {
    let subject = predicate.subject;
    let port = module.port(subject).ok_or(Reason::Subject(subject))?;
    let local = PortKind::from_code(port.kind).is_some_and(PortKind::is_task_local);
    require(!local, Reason::TaskLocal(subject))?;
    if kind == PredicateKind::Changed {
        return Ok(());
    }
    let comparison = Comparison::from_code(predicate.comparison);
    require(
        comparison.is_some(),
        Reason::Comparison(predicate.comparison),
    )?;
    let value = ValueType::from_code(port.value_type).unwrap_or(ValueType::Opaque);
    let bytes = value.size().ok_or(Reason::Opaque(subject))?;
    let fits = bytes >= 8 || predicate.value >> (8 * bytes) == 0;
    let boolean = value != ValueType::Bool || predicate.value <= 1;
    require(fits && boolean, Reason::Constant)
}

fn check_instruction(module: &Module<'_>, instruction: &Instruction) -> Checked {
    let opcode = instruction
        .opcode()
        .ok_or(Reason::Opcode(instruction.opcode))?;
    require(instruction.reserved == 0, Reason::Reserved)?;
    let values = [instruction.a, instruction.b, instruction.c];
    for (kind, value) in opcode.operands().into_iter().zip(values) {
        check_operand(module, kind, value)?;
    }
    Ok(())
}

fn check_operand(module: &Module<'_>, kind: Operand, value: u16) -> Checked {
    let header = module.header();
    let count = match kind {
        Operand::None => return require(value == 0, Reason::Unused),
        Operand::Driver => header.drivers,
        Operand::Task => header.tasks,
        Operand::Predicate | Operand::Test => header.predicates,
        Operand::Duration => header.durations,
        Operand::Address => header.instructions,
    };
    require(value < count, Reason::Operand(kind, value))?;
    let tested = module.predicate(value).and_then(|p| p.kind());
    let activates = matches!(
        tested,
        Some(PredicateKind::Changed | PredicateKind::Activation)
    );
    require(
        kind != Operand::Test || !activates,
        Reason::BranchOnActivation,
    )
}

/// The last instruction must not go on to the next.
fn check_end(module: &Module<'_>) -> Result<(), VerifyError> {
    let last = module.header().instructions.saturating_sub(1);
    let opcode = module.instruction(last).and_then(|i| i.opcode());
    if matches!(opcode, Some(Opcode::Return | Opcode::Jump)) {
        return Ok(());
    }
    Err(VerifyError {
        location: Location::Instruction(last),
        reason: Reason::FallsOff,
    })
}

fn check_positions(module: &Module<'_>) -> Result<(), VerifyError> {
    let mut before = 0;
    for (index, position) in module.positions().enumerate() {
        let within = position.address < module.header().instructions;
        if position.address < before || !within {
            return Err(VerifyError {
                location: Location::Position(index as u32),
                reason: Reason::Order,
            });
        }
        before = position.address;
    }
    Ok(())
}
