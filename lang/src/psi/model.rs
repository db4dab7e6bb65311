//! What a program means, every name looked up: the input of code generation.
//!
//! Indices count within their own table, in the order of declaration.

use giornata_abi::Comparison;
use giornata_abi::module::PortKind;

use crate::diagnostic::Span;

/// A value that jobs read or write: a variable, a sensor, an actuator.
#[derive(Clone, Debug)]
pub(super) struct Port {
    /// As the module calls it: a state with its task in front.
    pub(super) name: String,
    pub(super) type_name: String,
    pub(super) kind: PortKind,
    /// Device driver of a sensor or actuator, initialiser of a variable.
    pub(super) function: Option<String>,
    /// Of that function, in nanoseconds; 0 = not stated.
    pub(super) wcet: u64,
    /// The task whose variable it is; of a sensor or actuator the one that uses it.
    pub(super) task: Option<usize>,
    pub(super) span: Span,
}

/// A function that a task calls, with the ports that it is given.
#[derive(Clone, Debug)]
pub(super) struct Job {
    pub(super) task: usize,
    pub(super) function: String,
    /// Ports, in the order of its parameters.
    pub(super) reads: Vec<usize>,
    /// Ports, in the order of its parameters.
    pub(super) writes: Vec<usize>,
    /// Nanoseconds; 0 = not stated.
    pub(super) wcet: u64,
    /// Nanoseconds; 0 = not stated.
    pub(super) budget: u64,
    /// 1..=255; 0 = not stated.
    pub(super) priority: u8,
    pub(super) span: Span,
}

/// A comparison of a port with a constant, as raw bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Constant(pub(super) u64);

/// What comes next in a task. Nodes lead to nodes by index.
#[derive(Clone, Copy, Debug)]
pub(super) enum Node {
    /// The round begins anew.
    Join { next: usize },
    /// A job begins.
    Job { job: usize, next: usize, span: Span },
    /// A window ends so many nanoseconds after it began.
    Advance { width: u64, next: usize, span: Span },
    /// A port is compared.
    Test {
        port: usize,
        comparison: Comparison,
        constant: Constant,
        holds: usize,
        fails: usize,
        span: Span,
    },
    /// A loop notes how often it will run.
    Note {
        from: usize,
        to: usize,
        next: usize,
        span: Span,
    },
}

/// A task: where it begins, and what comes next after each.
#[derive(Clone, Debug)]
pub(super) struct Task {
    pub(super) name: String,
    pub(super) nodes: Vec<Node>,
    pub(super) start: usize,
    pub(super) span: Span,
}

/// A program whose every name is known.
#[derive(Clone, Debug, Default)]
pub(super) struct Model {
    pub(super) ports: Vec<Port>,
    pub(super) jobs: Vec<Job>,
    pub(super) tasks: Vec<Task>,
}

impl Node {
    /// Where it stands; of the beginning of a round nowhere.
    pub(super) fn span(&self) -> Option<Span> {
        match self {
            Node::Join { .. } => None,
            Node::Job { span, .. }
            | Node::Advance { span, .. }
            | Node::Test { span, .. }
            | Node::Note { span, .. } => Some(*span),
        }
    }
}

impl Model {
    /// Whether a job reads what must not be read before all windows that end at the
    /// instant have ended: a sensor, or another task's variable.
    pub(super) fn reads_others(&self, job: usize) -> bool {
        let job = &self.jobs[job];
        job.reads.iter().any(|port| {
            let port = &self.ports[*port];
            port.kind == PortKind::Sensor || port.task != Some(job.task)
        })
    }
}
