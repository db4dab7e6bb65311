//! A verified module as the analyses read it: code, conflict sets, names.

use giornata_abi::instruction::{DurationEntry, Instruction};
use giornata_abi::module::{DriverKind, DriverSymbol, Module, ModuleError, TaskSymbol};
use giornata_abi::{Duration, Predicate};
use giornata_microcode::verify::{Scratch, VerifyError, scratch_needed, verify};

/// Why a module cannot be analysed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotAnalysable {
    /// No kernel loads it.
    #[error("the verifier refuses the module: {0}")]
    Refused(VerifyError),
    /// The E code does something whose instants are not known beforehand.
    #[error("instruction {address}{}: {what}", place(*.line))]
    Beyond {
        /// The instruction.
        address: u16,
        /// Its line in the source, 0 if unknown.
        line: u32,
        /// What is beyond the analysis.
        what: &'static str,
    },
    /// One block has more outcomes than the analysis follows.
    #[error("the block at {address} has more than {limit} different outcomes")]
    TooManyOutcomes {
        /// The block.
        address: u16,
        /// How many are followed.
        limit: usize,
    },
}

/// Why the bytes of a module file cannot be analysed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unreadable {
    /// They are no module.
    #[error("{0}")]
    Module(ModuleError),
    /// The module is beyond the analysis.
    #[error(transparent)]
    Analysis(#[from] NotAnalysable),
}

fn place(line: u32) -> String {
    match line {
        0 => String::new(),
        line => format!(" (line {line})"),
    }
}

/// A task of the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaskFacts {
    /// Its name.
    pub name: String,
    /// What the source says of its worst case; zero if nothing.
    pub wcet: Duration,
}

/// A verified module, owned. Every operand and address in it exists.
#[derive(Clone, Debug)]
pub struct Program {
    /// The code.
    pub code: Vec<Instruction>,
    /// The predicates.
    pub predicates: Vec<Predicate>,
    /// The durations.
    pub durations: Vec<DurationEntry>,
    /// Remainders count in 1/denominator ns.
    pub denominator: u32,
    /// The blocks that begin at the first instant, in order: one for each
    /// program that it is composed of.
    pub starts: Vec<u16>,
    /// The tasks.
    pub tasks: Vec<TaskFacts>,
    /// For each driver the tasks whose own ports it touches, ascending.
    pub conflicts: Vec<Vec<u16>>,
    /// For each driver whether it is a function, and not a copy.
    pub functions: Vec<bool>,
    /// Most microcode steps of one instant, where the verifier can tell.
    pub steps: Option<u32>,
    /// For each instruction its line in the source; 0 = unknown.
    pub(crate) lines: Vec<u32>,
    /// Where each program that it is composed of begins.
    pub(crate) origins: Vec<Origin>,
}

/// The first of the instructions and of the tasks of one program of several.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Origin {
    pub(crate) code: u16,
    pub(crate) task: u16,
}

impl Program {
    /// Reads a module that the verifier accepts. O(size).
    ///
    /// # Errors
    /// The verifier rejects it.
    pub fn of(module: &Module<'_>) -> Result<Program, NotAnalysable> {
        let mut scratch = vec![Scratch::EMPTY; scratch_needed(module)];
        let verified = verify(module, &mut scratch).map_err(NotAnalysable::Refused)?;
        let fact = |task: TaskSymbol| TaskFacts {
            name: module.text(task.name).to_owned(),
            wcet: Duration(task.wcet),
        };
        let owners = owners(module);
        let code: Vec<Instruction> = module.instructions().collect();
        let places = (0..code.len()).map(|at| module.position(at as u16));
        Ok(Program {
            lines: places.map(|place| place.map_or(0, |p| p.line)).collect(),
            code,
            predicates: module.predicates().collect(),
            durations: module.durations().collect(),
            denominator: module.header().denominator,
            functions: module
                .drivers()
                .map(|driver| DriverKind::from_code(driver.kind) != Some(DriverKind::Copy))
                .collect(),
            steps: verified.steps,
            starts: vec![module.header().start],
            origins: vec![Origin::default()],
            tasks: module.tasks().map(fact).collect(),
            conflicts: module
                .drivers()
                .map(|driver| conflicts(module, &driver, &owners))
                .collect(),
        })
    }

    /// That the instruction at `address` is beyond the analysis.
    pub(crate) fn beyond(&self, address: u16, what: &'static str) -> NotAnalysable {
        let line = self.lines.get(address as usize).copied().unwrap_or(0);
        NotAnalysable::Beyond {
            address,
            line,
            what,
        }
    }

    /// The instruction at an address; a return where there is none.
    pub(crate) fn at(&self, address: u16) -> Instruction {
        let end = Instruction::new(giornata_abi::Opcode::Return, 0, 0, 0);
        self.code.get(address as usize).copied().unwrap_or(end)
    }

    /// The program, of those that it is composed of, whose code lies at an address.
    pub(crate) fn part_of(&self, address: u16) -> usize {
        let before = |origin: &Origin| origin.code <= address;
        self.origins.partition_point(before).saturating_sub(1)
    }

    /// The program, of those that it is composed of, whose task it is.
    pub(crate) fn part_of_task(&self, task: u16) -> usize {
        let before = |origin: &Origin| origin.task <= task;
        self.origins.partition_point(before).saturating_sub(1)
    }

    /// The name of a task.
    pub fn task_name(&self, task: u16) -> &str {
        self.tasks.get(task as usize).map_or("?", |t| &t.name)
    }
}

/// For each port the task whose own copy it is.
fn owners(module: &Module<'_>) -> Vec<Option<u16>> {
    let mut owners = vec![None; module.header().ports as usize];
    for (index, task) in module.tasks().enumerate() {
        for list in [task.inputs, task.outputs, task.states] {
            for port in module.list(list) {
                if let Some(owner) = owners.get_mut(port as usize) {
                    *owner = Some(index as u16);
                }
            }
        }
    }
    owners
}

fn conflicts(module: &Module<'_>, driver: &DriverSymbol, owners: &[Option<u16>]) -> Vec<u16> {
    let ports = module.list(driver.reads).chain(module.list(driver.writes));
    let mut tasks: Vec<u16> = ports
        .filter_map(|port| owners.get(port as usize).copied().flatten())
        .collect();
    tasks.sort_unstable();
    tasks.dedup();
    tasks
}
