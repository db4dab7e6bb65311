//! What a program means, every name looked up: the input of code generation.
//!
//! Indices count within their own table, in the order of declaration.

use giornata_abi::module::PortKind;

use super::tree::Quantity;
use crate::diagnostic::Span;

/// A declared port.
#[derive(Clone, Debug)]
pub(super) struct Port {
    pub(super) name: String,
    pub(super) type_name: String,
    pub(super) kind: PortKind,
    /// Device driver of a sensor or actuator, initialiser of an output.
    pub(super) function: Option<String>,
    /// Of that function; 0 = not stated.
    pub(super) wcet: u64,
    pub(super) span: Span,
}

/// A task's own input or state.
#[derive(Clone, Debug)]
pub(super) struct Local {
    pub(super) name: String,
    pub(super) type_name: String,
}

/// A parameter of the function that a task schedules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TaskArgument {
    /// Index into the task's inputs.
    Input(usize),
    /// Index into the task's outputs.
    Output(usize),
    /// Index into the task's states.
    State(usize),
}

/// A task.
#[derive(Clone, Debug)]
pub(super) struct Task {
    pub(super) name: String,
    pub(super) function: String,
    pub(super) inputs: Vec<Local>,
    /// The ports that it writes.
    pub(super) outputs: Vec<usize>,
    pub(super) states: Vec<Local>,
    /// As the function takes them.
    pub(super) arguments: Vec<TaskArgument>,
    /// Nanoseconds; 0 = not stated.
    pub(super) wcet: u64,
    /// 1..=255; 0 = not stated.
    pub(super) priority: u8,
    pub(super) span: Span,
}

/// A parameter of the function that a driver runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DriverArgument {
    /// A port that it reads.
    Source(usize),
    /// Index into the driver's formals: bound by each use of the driver.
    Formal(usize),
}

/// A test: a function of ports.
#[derive(Clone, Debug)]
pub(super) struct Guard {
    pub(super) function: String,
    pub(super) reads: Vec<usize>,
}

/// What a driver does when its guard lets it.
#[derive(Clone, Debug)]
pub(super) enum Action {
    /// Nothing: a switch that sets no port.
    Nothing,
    /// The kernel copies (port, formal) pairs.
    Copy(Vec<(usize, usize)>),
    /// A function.
    Function(String, Vec<DriverArgument>),
}

impl Action {
    /// Whether no code is needed.
    pub(super) fn is_nothing(&self) -> bool {
        matches!(self, Action::Nothing)
    }

    /// The ports read.
    pub(super) fn sources(&self) -> Vec<usize> {
        match self {
            Action::Nothing => Vec::new(),
            Action::Copy(pairs) => pairs.iter().map(|(source, _)| *source).collect(),
            Action::Function(_, arguments) => arguments.iter().filter_map(|a| a.source()).collect(),
        }
    }

    /// The formals written.
    pub(super) fn formals(&self) -> Vec<usize> {
        match self {
            Action::Nothing => Vec::new(),
            Action::Copy(pairs) => pairs.iter().map(|(_, formal)| *formal).collect(),
            Action::Function(_, arguments) => arguments.iter().filter_map(|a| a.formal()).collect(),
        }
    }
}

impl DriverArgument {
    fn source(self) -> Option<usize> {
        match self {
            DriverArgument::Source(port) => Some(port),
            DriverArgument::Formal(_) => None,
        }
    }

    fn formal(self) -> Option<usize> {
        match self {
            DriverArgument::Source(_) => None,
            DriverArgument::Formal(index) => Some(index),
        }
    }
}

/// A driver.
#[derive(Clone, Debug)]
pub(super) struct Driver {
    pub(super) name: String,
    /// `None`: always true.
    pub(super) guard: Option<Guard>,
    pub(super) action: Action,
    /// Of each of its functions, in nanoseconds; 0 = not stated.
    pub(super) wcet: u64,
    pub(super) span: Span,
}

/// `actfreq`
#[derive(Clone, Debug)]
pub(super) struct Update {
    pub(super) frequency: Quantity,
    /// A port.
    pub(super) actuator: usize,
    pub(super) driver: usize,
    pub(super) span: Span,
}

/// `exitfreq`
#[derive(Clone, Debug)]
pub(super) struct Exit {
    pub(super) frequency: Quantity,
    /// A mode.
    pub(super) target: usize,
    pub(super) driver: usize,
    /// The port that each formal of the driver sets.
    pub(super) sets: Vec<usize>,
    pub(super) span: Span,
}

/// `taskfreq`
#[derive(Clone, Debug)]
pub(super) struct Invoke {
    pub(super) frequency: Quantity,
    pub(super) task: usize,
    pub(super) driver: usize,
    pub(super) span: Span,
}

/// A mode.
#[derive(Clone, Debug)]
pub(super) struct Mode {
    pub(super) name: String,
    pub(super) period: Quantity,
    pub(super) updates: Vec<Update>,
    pub(super) exits: Vec<Exit>,
    pub(super) invokes: Vec<Invoke>,
    pub(super) span: Span,
}

impl Mode {
    /// The frequencies of all lines.
    pub(super) fn frequencies(&self) -> impl Iterator<Item = Quantity> + '_ {
        let updates = self.updates.iter().map(|u| u.frequency);
        let exits = self.exits.iter().map(|e| e.frequency);
        updates
            .chain(exits)
            .chain(self.invokes.iter().map(|i| i.frequency))
    }
}

/// A program without errors of names, numbers and types.
#[derive(Clone, Debug)]
pub(super) struct Model {
    pub(super) ports: Vec<Port>,
    pub(super) tasks: Vec<Task>,
    pub(super) drivers: Vec<Driver>,
    pub(super) modes: Vec<Mode>,
    /// A mode.
    pub(super) start: usize,
    /// Where `start` names it.
    pub(super) start_span: Span,
}

impl Model {
    /// The modes that can be reached from the start, in the order of declaration.
    pub(super) fn reachable(&self) -> Vec<usize> {
        let mut seen = vec![false; self.modes.len()];
        let mut open = vec![self.start];
        while let Some(mode) = open.pop() {
            if let Some(seen) = seen.get_mut(mode).filter(|seen| !**seen) {
                *seen = true;
                open.extend(self.modes[mode].exits.iter().map(|exit| exit.target));
            }
        }
        (0..self.modes.len()).filter(|mode| seen[*mode]).collect()
    }

    /// The tasks that reachable modes invoke, in the order of declaration.
    pub(super) fn used_tasks(&self) -> Vec<usize> {
        let mut used = vec![false; self.tasks.len()];
        for mode in self.reachable() {
            self.modes[mode]
                .invokes
                .iter()
                .for_each(|invoke| used[invoke.task] = true);
        }
        (0..self.tasks.len()).filter(|task| used[*task]).collect()
    }
}
