//! The syntax tree: what a program says, with places, before any name is looked up.

use giornata_abi::Comparison;

use crate::diagnostic::Span;
pub use crate::tree::{Annotation, Name, Quantity};

/// `clock NAME = TIME;`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Clock {
    /// Its name.
    pub name: Name,
    /// Its tick in nanoseconds.
    pub tick: Quantity,
}

/// `TYPE NAME uses FUNCTION [annot];`: a sensor or an actuator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Device {
    /// The type of its value.
    pub type_name: Name,
    /// Its name.
    pub name: Name,
    /// The device driver.
    pub function: Name,
    /// Its annotations.
    pub annotations: Vec<Annotation>,
}

/// `export|state TYPE NAME [:= INITIALISER] [annot];`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    /// Whether other tasks may read it.
    pub is_exported: bool,
    /// Its type.
    pub type_name: Name,
    /// Its name.
    pub name: Name,
    /// The function that gives it its first value; without one that is zero.
    pub initialiser: Option<Name>,
    /// Its annotations.
    pub annotations: Vec<Annotation>,
}

/// `FUNCTION(arguments) -> results [annot];`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Job {
    /// The function.
    pub function: Name,
    /// What it reads.
    pub arguments: Vec<Name>,
    /// What it writes.
    pub results: Vec<Name>,
    /// Its annotations.
    pub annotations: Vec<Annotation>,
}

/// A constant in a test, as it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Constant {
    /// Its text, with its sign.
    pub text: String,
    /// Where.
    pub span: Span,
}

/// `NAME`, `!NAME` or `NAME op CONSTANT`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Test {
    /// What is tested.
    pub variable: Name,
    /// With what it is compared.
    pub comparison: Comparison,
    /// `None`: the variable is a truth value, compared with `true`.
    pub constant: Option<Constant>,
}

/// Alternatives of which each is tests that all must hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Condition {
    /// At least one, each of at least one test.
    pub alternatives: Vec<Vec<Test>>,
}

/// How often a loop runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Count {
    /// So often.
    Constant(Quantity),
    /// As often as the variable says where the loop begins, and no more than that.
    Variable(Name, Quantity),
}

/// What a task does next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Statement {
    /// A job begins.
    Job(Job),
    /// Its window ends.
    Advance(Width),
    /// The first block whose condition holds, or the last.
    If(Vec<(Condition, Vec<Statement>)>, Vec<Statement>),
    /// A block, several times.
    Loop(Count, Vec<Statement>, Span),
}

/// `advance(COUNT [UNIT]);`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Width {
    /// How many.
    pub count: Quantity,
    /// Of which clock or unit; `None`: of the program's only clock.
    pub unit: Option<Name>,
    /// The whole statement.
    pub span: Span,
}

/// A task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Task {
    /// Its name.
    pub name: Name,
    /// Its annotations.
    pub annotations: Vec<Annotation>,
    /// Its variables.
    pub variables: Vec<Variable>,
    /// What it does, again and again.
    pub body: Vec<Statement>,
}

/// A program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Program {
    /// The clocks.
    pub clocks: Vec<Clock>,
    /// Values that device drivers read.
    pub sensors: Vec<Device>,
    /// Values that device drivers write.
    pub actuators: Vec<Device>,
    /// The tasks.
    pub tasks: Vec<Task>,
}
