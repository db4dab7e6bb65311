//! Why the verifier rejects a module, and what to do about it.

use core::fmt::{Display, Formatter, Result};

use giornata_abi::instruction::Operand;
use giornata_abi::trace::Violation;

/// A part of a module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Location {
    /// The header.
    Header,
    /// The instruction at this address.
    Instruction(u16),
    /// An entry of the predicate pool.
    Predicate(u16),
    /// An entry of the duration pool.
    Duration(u16),
    /// A task.
    Task(u16),
    /// A driver.
    Driver(u16),
    /// A port.
    Port(u16),
    /// An interrupt.
    Interrupt(u16),
    /// A mailbox.
    Mailbox(u16),
    /// A source position.
    Position(u32),
}

/// What is wrong with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The module has no instruction.
    NoCode,
    /// The scratch slice is shorter than [`scratch_needed`](super::scratch_needed).
    Scratch,
    /// The denominator is 0.
    Denominator,
    /// A field that must be 0 is not.
    Reserved,
    /// A name leaves the string pool, or is not UTF-8.
    Name,
    /// The start address is outside the code.
    Start(u16),
    /// The address by which rounds begin is outside the code.
    Round(u16),
    /// A handler's address is outside the code.
    Handler(Violation, u16),
    /// The declared step bound is below what the code can need.
    Steps {
        /// As the header says.
        declared: u32,
        /// As the code can need.
        needed: u32,
    },
    /// Not an opcode.
    Opcode(u8),
    /// An operand names something that does not exist.
    Operand(Operand, u16),
    /// An operand that the instruction does not use is not 0.
    Unused,
    /// Execution can leave the end of the code.
    FallsOff,
    /// A branch tests what needs an activation.
    BranchOnActivation,
    /// The code can run for ever in no time.
    ZeroTimeCycle,
    /// Not a kind of predicate, driver or port.
    Kind(u32),
    /// Not a comparison.
    Comparison(u8),
    /// The predicate's subject does not exist.
    Subject(u16),
    /// The predicate observes a task's local port or its state.
    TaskLocal(u16),
    /// The predicate compares a port without an order.
    Opaque(u16),
    /// The constant does not fit the port's type.
    Constant,
    /// The predicate calls a driver that only copies.
    NotAFunction(u16),
    /// A remainder is not below the denominator.
    Remainder(u32),
    /// A port list leaves its pool or names a port that does not exist.
    List,
    /// A task's list holds a port of another kind.
    TaskPort(u16),
    /// A task's local port is in another task's list too, or twice in one.
    Shared(u16),
    /// The priority is above 255.
    Priority(u32),
    /// A driver reads a port that no driver may read.
    Reads(u16),
    /// A driver writes a port that it may not write.
    Writes(u16),
    /// A copy has not as many sources as destinations.
    CopyCount,
    /// A copy joins ports of different types.
    CopyType(u16, u16),
    /// Not a value type.
    ValueType(u8),
    /// The size is not that of the type.
    Size(u16),
    /// A port for a handler is not a u16.
    HandlerPort,
    /// A second port for the same purpose of handlers.
    SecondHandlerPort,
    /// Positions do not ascend, or one is outside the code.
    Order,
}

/// Why a module is rejected; displayed with what to do about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VerifyError {
    /// The part of the module.
    pub location: Location,
    /// What is wrong with it.
    pub reason: Reason,
}

impl VerifyError {
    /// The address of the instruction concerned, if it is one.
    pub const fn address(&self) -> Option<u16> {
        match self.location {
            Location::Instruction(address) => Some(address),
            _ => None,
        }
    }
}

impl Display for Location {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Location::Header => f.write_str("header"),
            Location::Instruction(at) => write!(f, "instruction {at}"),
            Location::Predicate(at) => write!(f, "predicate {at}"),
            Location::Duration(at) => write!(f, "duration {at}"),
            Location::Task(at) => write!(f, "task {at}"),
            Location::Driver(at) => write!(f, "driver {at}"),
            Location::Port(at) => write!(f, "port {at}"),
            Location::Interrupt(at) => write!(f, "interrupt {at}"),
            Location::Mailbox(at) => write!(f, "mailbox {at}"),
            Location::Position(at) => write!(f, "position {at}"),
        }
    }
}

impl Display for Reason {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        use Reason::*;
        match *self {
            NoCode => f.write_str("the module has no instruction; give it at least `return`"),
            Scratch => f.write_str("not enough scratch; give as much as `scratch_needed` says"),
            Denominator => f.write_str("the denominator is 0; use 1 where nothing is divided"),
            Reserved => f.write_str("a reserved field is not 0; write 0"),
            Name => f.write_str("the name lies outside the strings; rebuild the module"),
            Round(at) => write!(
                f,
                "the address {at} of a round is outside the code; name a block, or 65535 for none"
            ),
            Start(at) => write!(f, "start address {at} is outside the code; name a block"),
            Handler(kind, at) => write!(
                f,
                "the handler for {} at {at} is outside the code; name a block, or 65535 for the default",
                kind.name()
            ),
            Steps { declared, needed } => write!(
                f,
                "an instant can take {needed} steps, {declared} are declared; declare {needed}, or 0"
            ),
            Opcode(code) => write!(
                f,
                "{code} is no opcode; rebuild the module for this version"
            ),
            Operand(kind, value) => write!(
                f,
                "{} {value} does not exist; name one that the module declares",
                operand(kind)
            ),
            Unused => f.write_str("an operand that has no meaning here is not 0; write 0"),
            FallsOff => {
                f.write_str("execution can leave the end of the code; end it with return or jump")
            }
            BranchOnActivation => f.write_str(
                "a branch has no activation to compare with; test a constant, or use future",
            ),
            ZeroTimeCycle => f.write_str(
                "this code can repeat for ever in no time; let each round wait for what cannot \
                 have happened yet: after(d) past a fork, or released(t) past the completion of t",
            ),
            Kind(code) => write!(f, "{code} is no kind; rebuild the module for this version"),
            Comparison(code) => write!(
                f,
                "{code} is no comparison that this kind takes; use ==, !=, <, <=, >, >="
            ),
            Subject(at) => write!(f, "its subject {at} does not exist; name a declared one"),
            TaskLocal(port) => write!(
                f,
                "port {port} is a task's own copy; observe the port that it is copied from or to"
            ),
            Opaque(port) => write!(f, "port {port} has no order; use changed, or a scalar port"),
            Constant => {
                f.write_str("the constant does not fit the port's type; use one in its range")
            }
            NotAFunction(driver) => {
                write!(f, "driver {driver} only copies; ask one that is a function")
            }
            Remainder(rest) => {
                write!(
                    f,
                    "remainder {rest} is not below the denominator; carry it into the nanoseconds"
                )
            }
            List => f.write_str("a port list names ports that do not exist; rebuild the module"),
            TaskPort(port) => write!(
                f,
                "port {port} is not the task's own of this direction; give it a copy and a driver"
            ),
            Shared(port) => write!(
                f,
                "port {port} stands in two lists of tasks; give each its own"
            ),
            Priority(priority) => write!(
                f,
                "priority {priority} is above 255; choose 1 to 255, or 0 for none"
            ),
            Reads(port) => write!(
                f,
                "it reads port {port}, which never leaves its process; use an output"
            ),
            Writes(port) => write!(
                f,
                "it writes port {port}, which is written from elsewhere; write an output, actuator or copy"
            ),
            CopyCount => f.write_str("a copy has not as many sources as destinations; pair them"),
            CopyType(from, to) => {
                write!(
                    f,
                    "it copies port {from} to port {to} of another type; use equal types"
                )
            }
            ValueType(code) => write!(
                f,
                "{code} is no value type; rebuild the module for this version"
            ),
            Size(size) => write!(f, "size {size} is not its type's; write the type's size"),
            HandlerPort => f.write_str(
                "a port that tells a handler who was involved holds an index; make it a u16",
            ),
            SecondHandlerPort => f.write_str("handlers have such a port already; keep one"),
            Order => f.write_str("positions must ascend within the code; sort them"),
        }
    }
}

const fn operand(kind: Operand) -> &'static str {
    match kind {
        Operand::None => "operand",
        Operand::Driver => "driver",
        Operand::Task => "task",
        Operand::Predicate | Operand::Test => "predicate",
        Operand::Duration => "duration",
        Operand::Address => "address",
    }
}

impl Display for VerifyError {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        write!(f, "{}: {}", self.location, self.reason)
    }
}

impl core::error::Error for VerifyError {}
