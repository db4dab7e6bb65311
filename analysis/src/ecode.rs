//! Symbolic execution of E code: what each block does to tasks and triggers,
//! whatever its tests answer.
//!
//! Tests fork; ways that come to the same releases, triggers and threads are
//! joined again, and what drivers touch on any of them is taken together. The
//! union is exact: a violation needs one touched port, and each is touched on
//! some way. So a guard in front of a driver does not double the outcomes.

use std::collections::{BTreeMap, BTreeSet};

use giornata_abi::{Opcode, Predicate, PredicateKind};

use crate::program::{NotAnalysable, Program};

/// One block is followed up to so many different outcomes.
pub const MOST_OUTCOMES: usize = 1_000;

/// A task that becomes ready.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Release {
    /// The task.
    pub task: u16,
    /// Its relative deadline: whole nanoseconds.
    pub nanos: u64,
    /// And the rest, in 1/denominator ns.
    pub remainder: u32,
}

/// A block that a later instant starts, or the same one when all that is due has
/// had its turn: then the time is zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Future {
    /// Whole nanoseconds after the instant.
    pub nanos: u64,
    /// And the rest, in 1/denominator ns.
    pub remainder: u32,
    /// The block.
    pub address: u16,
}

/// What a block makes the kernel do, at most.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// Instructions.
    pub steps: u32,
    /// Calls of drivers that copy.
    pub copies: u32,
    /// Calls of drivers that are functions.
    pub functions: u32,
}

/// What one way through a block comes to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reaction {
    /// Tasks whose ports drivers touch: they must have completed by then.
    pub touched: BTreeSet<u16>,
    /// Tasks that are touched or released after their release at the same instant.
    pub clashes: BTreeSet<u16>,
    /// Releases in order.
    pub releases: Vec<Release>,
    /// Triggers in order.
    pub futures: Vec<Future>,
    /// Threads of S code in order.
    pub forks: Vec<u16>,
    /// The most that any of the joined ways does.
    pub work: Work,
}

/// Where a way stands: what tells outcomes apart.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Way {
    pc: u16,
    ended: bool,
    releases: Vec<Release>,
    futures: Vec<Future>,
    forks: Vec<u16>,
}

/// What is taken together where ways meet.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Marks {
    touched: BTreeSet<u16>,
    clashes: BTreeSet<u16>,
    work: Work,
}

impl Marks {
    /// Adds the other's; whether that is more.
    fn join(&mut self, other: &Marks) -> bool {
        let before = (self.touched.len() + self.clashes.len(), self.work);
        self.touched.extend(&other.touched);
        self.clashes.extend(&other.clashes);
        self.work = Work {
            steps: self.work.steps.max(other.work.steps),
            copies: self.work.copies.max(other.work.copies),
            functions: self.work.functions.max(other.work.functions),
        };
        (self.touched.len() + self.clashes.len(), self.work) != before
    }
}

/// The E code of a program: the reactions of every block that time can start.
#[derive(Clone, Debug)]
pub struct ECode {
    blocks: BTreeMap<u16, Vec<Reaction>>,
}

impl ECode {
    /// Executes every reachable block symbolically. O(code * outcomes).
    ///
    /// # Errors
    /// What is beyond the analysis, with its place: triggers other than
    /// `after(d)` and `true`, S code that a block runs into.
    pub fn of(program: &Program) -> Result<ECode, NotAnalysable> {
        let mut blocks = BTreeMap::new();
        let mut open = program.starts.clone();
        while let Some(address) = open.pop() {
            if blocks.contains_key(&address) {
                continue;
            }
            let reactions = reactions(program, address)?;
            let futures = reactions.iter().flat_map(|r| &r.futures);
            open.extend(futures.map(|future| future.address));
            blocks.insert(address, reactions);
        }
        Ok(ECode { blocks })
    }

    /// What the block at an address can come to.
    pub fn reactions(&self, address: u16) -> &[Reaction] {
        self.blocks.get(&address).map_or(&[], Vec::as_slice)
    }

    /// All reactions of all blocks.
    pub fn all(&self) -> impl Iterator<Item = &Reaction> {
        self.blocks.values().flatten()
    }

    /// The reactions of all blocks that a trigger starts.
    pub(crate) fn later<'a>(&'a self, starts: &'a [u16]) -> impl Iterator<Item = &'a Reaction> {
        let triggered = self.all().flat_map(|r| &r.futures).map(|f| f.address);
        let triggered: BTreeSet<u16> = triggered.collect();
        let is_later =
            move |address: &u16| !starts.contains(address) || triggered.contains(address);
        let blocks = self.blocks.iter();
        let blocks = blocks.filter(move |(address, _)| is_later(address));
        blocks.flat_map(|(_, reactions)| reactions)
    }

    /// Whether every block has one outcome: the program does not switch modes.
    pub fn is_single_mode(&self) -> bool {
        self.blocks.values().all(|reactions| reactions.len() <= 1)
    }

    /// Addresses where threads of S code start, ascending.
    pub fn threads(&self) -> BTreeSet<u16> {
        self.all().flat_map(|r| r.forks.iter().copied()).collect()
    }

    /// The tasks that are ever released, each with its shortest relative deadline.
    pub fn shortest_deadlines(&self) -> BTreeMap<u16, (u64, u32)> {
        let mut shortest = BTreeMap::new();
        for release in self.all().flat_map(|r| &r.releases) {
            let deadline = (release.nanos, release.remainder);
            let least = shortest.entry(release.task).or_insert(deadline);
            *least = deadline.min(*least);
        }
        shortest
    }
}

/// The different outcomes of the block at `address`.
fn reactions(program: &Program, address: u16) -> Result<Vec<Reaction>, NotAnalysable> {
    let first = Way {
        pc: address,
        ..Way::default()
    };
    let mut seen = BTreeMap::from([(first.clone(), Marks::default())]);
    let mut open = vec![first];
    while let Some(way) = open.pop() {
        if way.ended {
            continue;
        }
        let marks = seen.get(&way).cloned().unwrap_or_default();
        for (next, marks) in step(program, &way, marks)? {
            let is_new = !seen.contains_key(&next);
            let known = seen.entry(next.clone()).or_default();
            if known.join(&marks) || is_new {
                open.push(next);
            }
        }
        if seen.len() > MOST_OUTCOMES {
            let limit = MOST_OUTCOMES;
            return Err(NotAnalysable::TooManyOutcomes { address, limit });
        }
    }
    let ended = seen.into_iter().filter(|(way, _)| way.ended);
    Ok(ended.map(|(way, marks)| outcome(way, marks)).collect())
}

fn outcome(way: Way, marks: Marks) -> Reaction {
    Reaction {
        touched: marks.touched,
        clashes: marks.clashes,
        releases: way.releases,
        futures: way.futures,
        forks: way.forks,
        work: marks.work,
    }
}

/// One instruction; a test has two ways on.
fn step(program: &Program, way: &Way, marks: Marks) -> Result<Vec<(Way, Marks)>, NotAnalysable> {
    let instruction = program.at(way.pc);
    let (mut next, mut marks) = (way.clone(), marks);
    next.pc += 1;
    marks.work.steps += 1;
    match instruction.opcode().unwrap_or(Opcode::Return) {
        Opcode::Return => {
            // where a way ended does not tell outcomes apart
            (next.pc, next.ended) = (0, true);
        }
        Opcode::Jump => next.pc = instruction.a,
        Opcode::Fork => next.forks.push(instruction.a),
        Opcode::Call => touch(program, instruction.a, &next, &mut marks),
        Opcode::Release => release(program, instruction.a, instruction.b, &mut next, &mut marks),
        Opcode::Future => next.futures.push(future(program, way.pc)?),
        Opcode::Branch => {
            let mut taken = next.clone();
            taken.pc = instruction.b;
            marks.work.functions += u32::from(asks(program, instruction.a));
            return Ok(match constant_test(program, instruction.a) {
                Some(true) => vec![(taken, marks)],
                Some(false) => vec![(next, marks)],
                None => vec![(next, marks.clone()), (taken, marks)],
            });
        }
        Opcode::Dispatch | Opcode::Idle => {
            let what = "a block runs into S code; start it with `fork`";
            return Err(program.beyond(way.pc, what));
        }
    }
    Ok(vec![(next, marks)])
}

fn touch(program: &Program, driver: u16, way: &Way, marks: &mut Marks) {
    match program.functions.get(driver as usize) {
        Some(true) => marks.work.functions += 1,
        _ => marks.work.copies += 1,
    }
    let tasks = program.conflicts.get(driver as usize);
    for task in tasks.into_iter().flatten().copied() {
        match way.releases.iter().any(|release| release.task == task) {
            true => marks.clashes.insert(task),
            false => marks.touched.insert(task),
        };
    }
}

fn release(program: &Program, task: u16, deadline: u16, way: &mut Way, marks: &mut Marks) {
    if way.releases.iter().any(|release| release.task == task) {
        marks.clashes.insert(task);
        return;
    }
    let duration = program.durations.get(deadline as usize);
    let (nanos, remainder) = duration.map_or((0, 0), |d| (d.nanos, d.remainder));
    way.releases.push(Release {
        task,
        nanos,
        remainder,
    });
}

fn future(program: &Program, at: u16) -> Result<Future, NotAnalysable> {
    let instruction = program.at(at);
    let trigger = program.predicates.get(instruction.a as usize);
    let (nanos, remainder) = match trigger.and_then(|p| Some((p.kind()?, p))) {
        Some((PredicateKind::After, p)) if p.value > 0 => (p.value, p.remainder),
        Some((PredicateKind::True, _)) => (0, 0),
        _ => {
            let what = "a trigger that is neither `true` nor `after` a time of at least 1 ns";
            return Err(program.beyond(at, what));
        }
    };
    Ok(Future {
        nanos,
        remainder,
        address: instruction.b,
    })
}

/// Whether a test calls a function of a process.
fn asks(program: &Program, predicate: u16) -> bool {
    let predicate = program.predicates.get(predicate as usize);
    predicate.and_then(Predicate::kind) == Some(PredicateKind::Upcall)
}

/// What a test always answers, if that is known.
fn constant_test(program: &Program, predicate: u16) -> Option<bool> {
    match program.predicates.get(predicate as usize)?.kind()? {
        PredicateKind::True => Some(true),
        PredicateKind::Never => Some(false),
        _ => None,
    }
}
