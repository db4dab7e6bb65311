//! From a module file to a program: names become numbers, durations ticks, and a run of
//! releases at one instant the releases of groups.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use giornata_abi::id::NONE;
use giornata_abi::instruction::{Instruction, Opcode};
use giornata_abi::linked::{Times, bits};
use giornata_abi::load::key;
use giornata_abi::module::Module;
use giornata_abi::predicate::{Comparison, Predicate, PredicateKind};
use giornata_abi::trace::Violation;
use giornata_core::micro::block;
use giornata_core::sched::agenda::FARTHEST;

use crate::program::{Change, Group, Op, Port, Program, Task, Wait};

/// What a module's local numbers mean in a system, and what the system says of it.
#[derive(Clone, Debug, Default)]
pub struct Binding<'a> {
    /// Threads of tasks, by local number, and whether each has a fixed priority.
    pub tasks: Vec<(usize, bool)>,
    /// Drivers by local number.
    pub drivers: Vec<usize>,
    /// Ports by local number; `None`: a task's own.
    pub ports: Vec<Option<usize>>,
    /// Interrupt lines by local number.
    pub lines: Vec<usize>,
    /// Slots of mailboxes by local number.
    pub mailboxes: Vec<usize>,
    /// The ports of the system.
    pub all_ports: &'a [Port],
    /// The process of each thread of the system.
    pub processes: &'a [usize],
    /// Ticks a second of the timer.
    pub hertz: u32,
    /// Instructions in one instant at most; 0: the verifier has counted them.
    pub bound: u32,
    /// What the verifier has counted, if it has.
    pub counted_steps: u32,
    /// The fixed priority of the slot of S code.
    pub priority: Option<u8>,
    /// Triggers, and threads of S code, that can wait at once.
    pub triggers: usize,
    /// See `triggers`.
    pub threads: usize,
    /// Ports that tell a handler which task and driver.
    pub involved: [Option<usize>; 2],
    /// The kernel runs on several harts: jobs of a group end in any order, so it is no ring.
    pub several_harts: bool,
    /// How it is replaced, but for the lists, which are those above.
    pub change: Option<Change>,
}

/// Why a module is no program of a system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LinkError {
    /// An operand of the instruction at this address names nothing.
    Operand(usize),
    /// A predicate names nothing.
    Predicate(usize),
    /// Durations are multiples of no part of a tick that 31 bits can name.
    Fractions,
}

impl fmt::Display for LinkError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LinkError::Operand(address) => write!(formatter, "instruction {address} names nothing"),
            LinkError::Predicate(number) => write!(formatter, "predicate {number} names nothing"),
            LinkError::Fractions => formatter.write_str("durations divide ticks too finely"),
        }
    }
}

impl std::error::Error for LinkError {}

/// Violations whose handlers can wait at once.
const RAISED: usize = 8;

/// Links a module. Of one that can be replaced, code and predicates keep their numbers.
pub fn link(module: &Module<'_>, binding: &Binding<'_>) -> Result<Program, LinkError> {
    let times = times(module, binding.hertz)?;
    let linker = Linker {
        module,
        binding,
        times,
        code: module.instructions().collect(),
        predicates: module.predicates().collect(),
    };
    linker.link()
}

/// The conversion of every duration of a module.
pub fn times(module: &Module<'_>, hertz: u32) -> Result<Times, LinkError> {
    Times::of(module, hertz).ok_or(LinkError::Fractions)
}

struct Linker<'a> {
    module: &'a Module<'a>,
    binding: &'a Binding<'a>,
    times: Times,
    code: Vec<Instruction>,
    predicates: Vec<Predicate>,
}

/// A run of releases: task and deadline.
type Run = Vec<(usize, (u32, u32))>;

impl Linker<'_> {
    fn link(&self) -> Result<Program, LinkError> {
        let waits = (0..self.predicates.len())
            .map(|number| self.wait(number))
            .collect::<Result<Vec<_>, _>>()?;
        let runs = self.runs()?;
        let groups = self.groups(&runs);
        let (code, places) = self.code(&runs, &groups)?;
        let header = self.module.header();
        let handlers = Violation::ALL.map(|violation| header.handlers[violation as usize]);
        let start = [header.start, header.resume, header.round];
        let mut blocks = [None; block::COUNT];
        for (place, address) in blocks.iter_mut().zip(start.into_iter().chain(handlers)) {
            *place = places
                .get(usize::from(address))
                .copied()
                .filter(|_| address != NONE);
        }
        let handles = handlers.iter().any(|handler| *handler != NONE);
        let own = self.binding;
        let change = own.change.clone().map(|change| Change {
            tasks: own.tasks.iter().map(|(thread, _)| *thread).collect(),
            drivers: own.drivers.clone(),
            // (a task's own are not looked at)
            ports: own.ports.iter().map(|port| port.unwrap_or(0)).collect(),
            lines: own.lines.clone(),
            mailboxes: own.mailboxes.clone(),
            ..change
        });
        Ok(Program {
            groups,
            code,
            waits,
            blocks,
            parts: self.times.parts,
            bound: own.bound,
            counted_steps: own.counted_steps,
            priority: own.priority,
            triggers: own.triggers + if handles { RAISED } else { 0 },
            // (the verifier does not count the one that runs)
            threads: own.threads + usize::from(own.threads != 0),
            involved: own.involved,
            change,
        })
    }

    fn operand<T: Copy>(&self, address: usize, list: &[T], local: u16) -> Result<T, LinkError> {
        list.get(usize::from(local))
            .copied()
            .ok_or(LinkError::Operand(address))
    }

    fn wait(&self, number: usize) -> Result<Wait, LinkError> {
        use PredicateKind::*;
        let predicate = &self.predicates[number];
        let (broken, own) = (LinkError::Predicate(number), self.binding);
        let subject = usize::from(predicate.subject);
        let task = || own.tasks.get(subject).map(|(thread, _)| *thread);
        let port = || own.ports.get(subject).copied().flatten();
        let how = || Comparison::from_code(predicate.comparison).map(|how| bits(how).into());
        let wait = predicate.kind().and_then(|kind| match kind {
            True => Some(Wait::True),
            Never => Some(Wait::Never),
            After => {
                let (ticks, parts) = self.times.ticks(predicate.value, predicate.remainder);
                Some(Wait::After(ticks, parts))
            }
            Released => task().map(Wait::Released),
            Completed => task().map(Wait::Completed),
            Changed => port().map(Wait::Changed),
            Constant => {
                let port = port()?;
                let order = own.all_ports.get(port)?.order;
                let constant = order.map_or(predicate.value, |order| key(order, predicate.value));
                Some(Wait::Constant(port, how()?, constant))
            }
            Activation => Some(Wait::Activation(port()?, how()?)),
            Interrupt => own.lines.get(subject).copied().map(Wait::Interrupt),
            Message => own.mailboxes.get(subject).copied().map(Wait::Message),
            Upcall => own.drivers.get(subject).copied().map(Wait::Upcall),
        });
        wait.ok_or(broken)
    }

    /// Whether each release stands for itself: S code, handlers and counters see them one by
    /// one, and code that comes later may release other tasks together.
    fn is_single(&self) -> bool {
        let handler = self.module.header().handlers[Violation::TimeSafety as usize];
        self.binding.bound != 0 || self.binding.change.is_some() || handler != NONE
    }

    /// Whether it has S code, which dispatches its tasks.
    fn has_s_code(&self) -> bool {
        let s_code = [Opcode::Dispatch, Opcode::Idle, Opcode::Fork].map(|opcode| opcode as u8);
        let mut code = self.code.iter();
        code.any(|instruction| s_code.contains(&instruction.opcode))
    }

    /// Where code begins or goes on other than from the instruction before.
    fn targets(&self) -> BTreeSet<usize> {
        let header = self.module.header();
        let blocks = [header.start, header.resume, header.round]
            .into_iter()
            .chain(header.handlers);
        let mut targets: BTreeSet<usize> = blocks
            .filter(|address| *address != NONE)
            .map(usize::from)
            .collect();
        for Instruction {
            opcode, a, b, c, ..
        } in &self.code
        {
            let target = match Opcode::from_code(*opcode) {
                Some(Opcode::Future | Opcode::Branch) => *b,
                Some(Opcode::Dispatch) => *c,
                Some(Opcode::Fork | Opcode::Jump) => *a,
                _ => continue,
            };
            targets.insert(usize::from(target));
        }
        targets
    }

    /// Runs of releases at one instant, by the address of their first.
    fn runs(&self) -> Result<BTreeMap<usize, Run>, LinkError> {
        let (targets, single) = (self.targets(), self.is_single());
        let mut runs: BTreeMap<usize, Run> = BTreeMap::new();
        let mut first = None;
        for (address, instruction) in self.code.iter().enumerate() {
            if instruction.opcode != Opcode::Release as u8 {
                first = None;
                continue;
            }
            let (thread, _) = self.operand(address, &self.binding.tasks, instruction.a)?;
            let deadline = self
                .module
                .duration(instruction.b)
                .ok_or(LinkError::Operand(address))?;
            let (ticks, parts) = self.times.ticks(deadline.nanos, deadline.remainder);
            let ticks = ticks.min(FARTHEST.into()) as u32;
            let begins = single || targets.contains(&address);
            let is_twice = |run: &Run| run.iter().any(|(other, _)| *other == thread);
            let begin = match first {
                Some(begin) if !begins && !is_twice(&runs[&begin]) => begin,
                _ => address,
            };
            first = Some(begin);
            runs.entry(begin)
                .or_default()
                .push((thread, (ticks, parts)));
        }
        Ok(runs)
    }

    /// Tasks that every run has together or not at all, with one deadline, whose threads
    /// follow one another within a process.
    fn groups(&self, runs: &BTreeMap<usize, Run>) -> Vec<Group> {
        let watched: BTreeSet<usize> = self
            .predicates
            .iter()
            .filter(|p| {
                matches!(
                    p.kind(),
                    Some(PredicateKind::Released | PredicateKind::Completed)
                )
            })
            .filter_map(|predicate| self.binding.tasks.get(usize::from(predicate.subject)))
            .map(|(thread, _)| *thread)
            .collect();
        let (single, has_s_code) = (self.is_single(), self.has_s_code());
        let class = |thread: usize| -> Vec<(usize, (u32, u32))> {
            let of = |(address, run): (&usize, &Run)| {
                let own = run.iter().find(|(other, _)| *other == thread);
                own.map(|(_, deadline)| (*address, *deadline))
            };
            runs.iter().filter_map(of).collect()
        };
        let mut tasks: Vec<(usize, Task, bool)> = self
            .binding
            .tasks
            .iter()
            .enumerate()
            .map(|(number, (thread, fixed))| {
                let task = Task {
                    thread: *thread,
                    number: number as u32,
                };
                (*thread, task, *fixed)
            })
            .collect();
        tasks.sort_by_key(|(thread, ..)| *thread);
        let mut groups: Vec<Group> = Vec::new();
        // (that of the last group: it stays alone)
        let mut was_alone = true;
        for (thread, task, fixed) in tasks {
            let several = self.binding.several_harts;
            let apart = several || has_s_code || single || fixed || watched.contains(&thread);
            let alone = single || fixed || apart && !has_s_code;
            let follows = |last: usize| {
                let is_next = last + 1 == thread
                    && self.binding.processes.get(last) == self.binding.processes.get(thread);
                is_next && class(last) == class(thread)
            };
            match groups.last_mut() {
                Some(group)
                    if !alone
                        && !was_alone
                        && group.tasks.last().is_some_and(|last| follows(last.thread)) =>
                {
                    group.tasks.push(task);
                }
                _ => groups.push(Group {
                    tasks: vec![task],
                    apart,
                    fixed,
                }),
            }
            was_alone = alone;
        }
        groups
    }

    /// The code, and the new address of each instruction.
    fn code(
        &self,
        runs: &BTreeMap<usize, Run>,
        groups: &[Group],
    ) -> Result<(Vec<Op>, Vec<usize>), LinkError> {
        let mut code: Vec<Op> = Vec::new();
        let mut places = Vec::new();
        let mut left = 0;
        for (address, instruction) in self.code.iter().enumerate() {
            places.push(code.len());
            if let Some(run) = runs.get(&address) {
                code.extend(releases(run, groups));
                left = run.len();
            }
            if instruction.opcode == Opcode::Release as u8 {
                // (of a run, the first stands for all)
                left -= 1;
                continue;
            }
            assert_eq!(left, 0, "a run is of releases only");
            code.push(self.op(address, instruction)?);
        }
        places.push(code.len());
        for target in code.iter_mut().filter_map(Op::target_mut) {
            *target = *places.get(*target).ok_or(LinkError::Operand(*target))?;
        }
        Ok((code, places))
    }

    fn op(&self, address: usize, instruction: &Instruction) -> Result<Op, LinkError> {
        let own = self.binding;
        let Instruction { a, b, c, .. } = *instruction;
        let wait = |local: u16| {
            let exists = usize::from(local) < self.predicates.len();
            exists
                .then_some(usize::from(local))
                .ok_or(LinkError::Operand(address))
        };
        Ok(
            match instruction.opcode().ok_or(LinkError::Operand(address))? {
                Opcode::Return => Op::Return,
                Opcode::Call => Op::Call(self.operand(address, &own.drivers, a)?),
                Opcode::Release => unreachable!("releases stand in runs"),
                Opcode::Future => Op::Future(wait(a)?, usize::from(b)),
                Opcode::Dispatch => {
                    let (thread, _) = self.operand(address, &own.tasks, a)?;
                    Op::Dispatch(thread, wait(b)?, usize::from(c))
                }
                Opcode::Idle => Op::Idle(wait(a)?),
                Opcode::Fork => Op::Fork(usize::from(a)),
                Opcode::Jump => Op::Jump(usize::from(a)),
                Opcode::Branch => Op::Branch(wait(a)?, usize::from(b)),
            },
        )
    }
}

/// A run as releases of groups, the least urgent first: so each opens above the others.
/// Those of fixed priorities are in the order of the code, which is that of equals.
fn releases(run: &Run, groups: &[Group]) -> Vec<Op> {
    let mut seen = BTreeSet::new();
    let mut ops = Vec::new();
    for (thread, (ticks, parts)) in run {
        let is_of = |group: &Group| group.tasks.iter().any(|task| task.thread == *thread);
        let group = groups.iter().position(is_of);
        if seen.insert(group) {
            // (what a ring opens last it opens at the top)
            let is_apart = group.is_some_and(|group| groups[group].apart);
            let key = if is_apart { (0, 0) } else { (*ticks, *parts) };
            ops.push((key, Op::Release(*thread, *ticks, *parts)));
        }
    }
    ops.sort_by_key(|(key, _)| std::cmp::Reverse(*key));
    ops.into_iter().map(|(_, op)| op).collect()
}
