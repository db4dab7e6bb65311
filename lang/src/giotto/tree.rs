//! The syntax tree: what a program says, with places, before any name is looked up.

pub use crate::tree::{Annotation, Name, Quantity};

/// `TYPE IDENT`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Formal {
    /// Its type.
    pub type_name: Name,
    /// Its name.
    pub name: Name,
}

/// A port named in a list; a type before it is allowed and checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PortUse {
    /// The type, if one is repeated here.
    pub type_name: Option<Name>,
    /// The port.
    pub name: Name,
}

/// `TYPE IDENT uses|:= IDENT [annot]`: sensors, actuators, outputs, states.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bound {
    /// Type and name.
    pub formal: Formal,
    /// Device driver or initialiser.
    pub function: Name,
    /// Its annotation.
    pub annotation: Option<Annotation>,
}

/// `IDENT ( actuals )`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// The function.
    pub function: Name,
    /// What it is given.
    pub arguments: Vec<Name>,
}

/// A task declaration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Task {
    /// Its name.
    pub name: Name,
    /// Its inputs.
    pub inputs: Vec<Formal>,
    /// The output ports that it writes.
    pub outputs: Vec<PortUse>,
    /// Its states with their initialisers.
    pub states: Vec<Bound>,
    /// Its annotation.
    pub annotation: Option<Annotation>,
    /// The function that runs.
    pub schedule: Call,
}

/// A driver declaration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Driver {
    /// Its name.
    pub name: Name,
    /// The ports that it reads.
    pub sources: Vec<PortUse>,
    /// The parameters that it writes.
    pub formals: Vec<Formal>,
    /// Its annotation.
    pub annotation: Option<Annotation>,
    /// `if guard(...)`
    pub guard: Call,
    /// `then function(...)`
    pub action: Call,
}

/// What a line of a mode does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineKind {
    /// `actfreq`: update an actuator.
    Update,
    /// `exitfreq`: switch to another mode.
    Exit,
    /// `taskfreq`: invoke a task.
    Invoke,
}

/// A line of a mode: `KIND frequency do target(driver)`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// What it does.
    pub kind: LineKind,
    /// How often in a period.
    pub frequency: Quantity,
    /// The actuator, mode or task.
    pub target: Name,
    /// The driver.
    pub driver: Name,
    /// Annotations before and after it.
    pub annotations: Vec<Annotation>,
}

/// A mode declaration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mode {
    /// Its name.
    pub name: Name,
    /// Outputs that an entering switch driver may set.
    pub ports: Vec<PortUse>,
    /// Its period in nanoseconds.
    pub period: Quantity,
    /// Its lines in text order.
    pub lines: Vec<Line>,
}

/// A program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Program {
    /// Annotations before the first section.
    pub annotations: Vec<Annotation>,
    /// Ports that device drivers write.
    pub sensors: Vec<Bound>,
    /// Ports that device drivers read.
    pub actuators: Vec<Bound>,
    /// Ports written from outside.
    pub inputs: Vec<Formal>,
    /// Results of tasks.
    pub outputs: Vec<Bound>,
    /// Results of tasks that are not meant for other modules.
    pub privates: Vec<Bound>,
    /// The tasks.
    pub tasks: Vec<Task>,
    /// The drivers.
    pub drivers: Vec<Driver>,
    /// The mode that runs first.
    pub start: Option<Name>,
    /// The modes.
    pub modes: Vec<Mode>,
}
