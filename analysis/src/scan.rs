//! What threads of S code do, whatever happens: their tests, the times they
//! count, and the tasks that they look at before they dispatch them.

use std::collections::BTreeSet;

use giornata_abi::{Opcode, Predicate, PredicateKind};

use crate::ecode::ECode;
use crate::program::{NotAnalysable, Program};

/// A test of S code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Test {
    True,
    Never,
    After(u64, u32),
    Released(u16),
    Completed(u16),
}

impl Test {
    fn of(predicate: &Predicate) -> Option<Test> {
        Some(match predicate.kind()? {
            PredicateKind::True => Test::True,
            PredicateKind::Never => Test::Never,
            PredicateKind::After => Test::After(predicate.value, predicate.remainder),
            PredicateKind::Released => Test::Released(predicate.subject),
            PredicateKind::Completed => Test::Completed(predicate.subject),
            _ => return None,
        })
    }

    /// The task that it looks at.
    const fn task(self) -> Option<u16> {
        match self {
            Test::Released(task) | Test::Completed(task) => Some(task),
            _ => None,
        }
    }
}

/// The S code that a program forks.
#[derive(Clone, Debug)]
pub(crate) struct SThreads {
    /// By predicate; `Never` where it is no test of S code.
    tests: Vec<Test>,
    /// The times that dispatch and idle wait for.
    times: Vec<(u64, u32)>,
    /// The tasks that are dispatched.
    dispatched: BTreeSet<u16>,
    /// For each instruction, as bits, the tasks that are looked at before they
    /// are dispatched.
    looks: Vec<Vec<u64>>,
    /// The same of threads that E code may fork.
    forked: Vec<u64>,
}

impl SThreads {
    /// Looks through the S code. O(code * tasks).
    pub(crate) fn of(program: &Program, code: &ECode) -> Result<SThreads, NotAnalysable> {
        let tests = program
            .predicates
            .iter()
            .map(|p| Test::of(p).unwrap_or(Test::Never));
        let mut threads = SThreads {
            tests: tests.collect(),
            times: Vec::new(),
            dispatched: BTreeSet::new(),
            looks: vec![vec![0; program.tasks.len().div_ceil(64)]; program.code.len()],
            forked: vec![0; program.tasks.len().div_ceil(64)],
        };
        let reachable = threads.reach(program, code)?;
        while threads.propagate(program, &reachable) {}
        for address in code.threads() {
            let looks = threads.looks.get(address as usize).cloned();
            join(&mut threads.forked, &looks.unwrap_or_default());
        }
        Ok(threads)
    }

    pub(crate) fn test(&self, predicate: u16) -> Test {
        self.tests
            .get(predicate as usize)
            .copied()
            .unwrap_or(Test::Never)
    }

    pub(crate) fn times(&self) -> &[(u64, u32)] {
        &self.times
    }

    /// Whether reference times matter.
    pub(crate) fn counts_time(&self) -> bool {
        !self.times.is_empty()
    }

    pub(crate) fn dispatched(&self) -> &BTreeSet<u16> {
        &self.dispatched
    }

    /// Whether code from one of these places on, or a thread that E code forks,
    /// may look at a task before it dispatches it.
    pub(crate) fn looks_at(&self, pcs: impl Iterator<Item = u16>, task: u16) -> bool {
        let (word, bit) = (usize::from(task) / 64, 1 << (task % 64));
        let has = |looks: &Vec<u64>| looks.get(word).is_some_and(|bits| bits & bit != 0);
        let mut places = pcs.filter_map(|pc| self.looks.get(pc as usize));
        has(&self.forked) || places.any(has)
    }

    /// The instructions of S code, in ascending order.
    fn reach(&mut self, program: &Program, code: &ECode) -> Result<Vec<u16>, NotAnalysable> {
        let mut seen = BTreeSet::new();
        let mut open: Vec<u16> = code.threads().into_iter().collect();
        while let Some(at) = open.pop() {
            if !seen.insert(at) {
                continue;
            }
            self.admit(program, at)?;
            open.extend(successors(program, at).into_iter().flatten());
        }
        Ok(seen.into_iter().collect())
    }

    /// Whether the checker follows an instruction; notes what it waits for.
    fn admit(&mut self, program: &Program, at: u16) -> Result<(), NotAnalysable> {
        let instruction = program.at(at);
        let opcode = instruction.opcode().unwrap_or(Opcode::Return);
        let test = match opcode {
            Opcode::Dispatch => instruction.b,
            Opcode::Idle | Opcode::Branch => instruction.a,
            Opcode::Call | Opcode::Release | Opcode::Future => {
                let what = "a thread that calls, releases or arms triggers";
                return Err(program.beyond(at, what));
            }
            _ => return Ok(()),
        };
        if opcode == Opcode::Dispatch {
            self.dispatched.insert(instruction.a);
        }
        let predicate = program.predicates.get(test as usize);
        match predicate.and_then(Test::of) {
            Some(Test::After(..)) if opcode == Opcode::Branch => {
                Err(program.beyond(at, "a thread that branches on time"))
            }
            Some(Test::After(nanos, remainder)) => {
                if !self.times.contains(&(nanos, remainder)) {
                    self.times.push((nanos, remainder));
                }
                Ok(())
            }
            Some(_) => Ok(()),
            None => Err(program.beyond(at, "a thread that waits for ports or events")),
        }
    }

    /// One pass against the flow of control; whether anything was learnt.
    fn propagate(&mut self, program: &Program, reachable: &[u16]) -> bool {
        let mut changed = false;
        for at in reachable.iter().rev().copied() {
            let instruction = program.at(at);
            let mut looks = vec![0; self.forked.len()];
            for (slot, next) in successors(program, at).into_iter().enumerate() {
                let Some(next) = next.and_then(|next| self.looks.get(next as usize)) else {
                    continue;
                };
                let mut next = next.clone();
                if instruction.opcode() == Some(Opcode::Dispatch) && slot == 0 {
                    clear(&mut next, instruction.a);
                }
                join(&mut looks, &next);
            }
            let test = match instruction.opcode() {
                Some(Opcode::Dispatch) => self.test(instruction.b).task(),
                Some(Opcode::Idle | Opcode::Branch) => self.test(instruction.a).task(),
                _ => None,
            };
            if let Some(task) = test {
                set(&mut looks, task);
            }
            if instruction.opcode() == Some(Opcode::Dispatch) && !skips_alike(program, at) {
                set(&mut looks, instruction.a);
            }
            if let Some(known) = self.looks.get_mut(at as usize) {
                changed |= join(known, &looks);
            }
        }
        changed
    }
}

/// Where a thread can go on: the next instruction, and another one.
fn successors(program: &Program, at: u16) -> [Option<u16>; 2] {
    let instruction = program.at(at);
    let next = Some(at + 1);
    match instruction.opcode().unwrap_or(Opcode::Return) {
        Opcode::Return => [None, None],
        Opcode::Jump => [Some(instruction.a), None],
        Opcode::Fork => [next, Some(instruction.a)],
        Opcode::Branch => [next, Some(instruction.b)],
        Opcode::Dispatch => [next, Some(instruction.c)],
        _ => [next, None],
    }
}

/// Whether a dispatch whose timeout is over leads to the same place, and
/// nothing runs on the way, whether its task waits or has completed. Else it
/// tells the two apart: a task that waits is not run there.
fn skips_alike(program: &Program, at: u16) -> bool {
    let dispatch = program.at(at);
    let timeout = program.predicates.get(dispatch.b as usize);
    if timeout.and_then(|p| p.kind()) == Some(PredicateKind::Never) {
        return true;
    }
    let mut next = at + 1;
    for _ in 0..program.code.len() {
        if next == dispatch.c {
            return true;
        }
        let instruction = program.at(next);
        next = match instruction.opcode() {
            Some(Opcode::Dispatch)
                if (instruction.b, instruction.c) == (dispatch.b, dispatch.c) =>
            {
                next + 1
            }
            Some(Opcode::Idle) if instruction.a == dispatch.b => next + 1,
            Some(Opcode::Jump) => instruction.a,
            _ => return false,
        };
    }
    false
}

fn set(bits: &mut [u64], task: u16) {
    if let Some(word) = bits.get_mut(usize::from(task) / 64) {
        *word |= 1 << (task % 64);
    }
}

fn clear(bits: &mut [u64], task: u16) {
    if let Some(word) = bits.get_mut(usize::from(task) / 64) {
        *word &= !(1 << (task % 64));
    }
}

/// Adds bits; whether there were new ones.
fn join(bits: &mut [u64], more: &[u64]) -> bool {
    let mut changed = false;
    for (word, more) in bits.iter_mut().zip(more) {
        changed |= *more & !*word != 0;
        *word |= *more;
    }
    changed
}
