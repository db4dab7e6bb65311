//! Does this S code keep this E code time-safe, and of which class is it?
//!
//! Time is cut at *bounds*: instants of E code, and the ends of `after` in S
//! code. Between two bounds the processor runs what a thread dispatches, and
//! all that is not known is which dispatched jobs complete before the next
//! bound. All ways are gone that are possible, each with the longest times that
//! lead there:
//!
//! ```text
//!            job completes before the bound --> go on, at most 1 ns before it
//!  dispatch  completes at the bound ----------> go on, then E code, timeouts
//!            still runs at the bound ---------> E code, timeouts, go on
//! ```
//! On one such way everything is monotone: longer times make nothing earlier.
//! So the longest times on a way show whatever can happen on it, and a breach
//! that is found is the kernel's behaviour for the execution times of the
//! witness: the answer is exact. Execution times are anything from 0 to the
//! worst case.
//!
//! What makes it linear for S code as it is generated: a state is not followed
//! if another was that has the same threads, whose jobs need as much or more,
//! and which differs only in waiting jobs that code dispatches before it looks
//! at them. A job that waits can still complete in no time; so that state can
//! do all that this one can. In code whose blocks end at bounds, the worst case
//! is such a state for all others.
//!
//! A thread that counts time from an instant of its own may stand elsewhere
//! against the releases in every round, or where execution times put it. Where
//! that makes too many states, or a timeout whose end is not known, all phases
//! are followed together ([`phases`]); that only says *safe*. If it does not,
//! long runs are tried ([`runs`]), and they only say *unsafe*.

mod affine;
mod known;
mod met;
mod phase;
mod phases;
mod runs;

use std::collections::HashMap;

use giornata_abi::module::Module;
use giornata_abi::{Duration, Instant, LogicalTime, Opcode};

use self::known::Known;
use crate::agenda::{Agenda, MOST_TRIGGERS};
use crate::ecode::ECode;
use crate::job::{Breach, Job, Segment};
use crate::program::{NotAnalysable, Program, Unreadable};
use crate::scan::{SThreads, Test};
use crate::timeline::Witness;
use crate::times::Times;
use crate::walk::{clash, release, touch};

/// A program of more states than this is not decided.
pub const MOST_STATES: usize = 100_000;

/// After so many it is tried whether threads drift, and whether that matters.
const MANY_STATES: usize = 4_000;

/// More threads at a time are not followed.
pub const MOST_THREADS: usize = 128;

/// Execution times decide whether it is over.
const FLOATING: &str = "a timeout whose end depends on execution times";
/// Their deadlines compete with what the threads of the other dispatch.
const MIXED: &str =
    "S code goes on here while another program that has none leaves its tasks to the kernel";

/// The classes of S code, the cheapest first (section 3 of the paper).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Class {
    /// All released jobs complete before the next release.
    Synchronous,
    /// A job is preempted at most by a release, not by other jobs.
    NonPreemptive,
    /// Jobs preempt jobs.
    Preemptive,
}

impl Class {
    /// The class's name.
    pub const fn name(self) -> &'static str {
        match self {
            Class::Synchronous => "synchronous",
            Class::NonPreemptive => "non-preemptive",
            Class::Preemptive => "preemptive",
        }
    }
}

/// What the checker comes to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Safety {
    /// No job is ever late, and the hart is never claimed twice.
    Safe,
    /// It goes wrong in this run.
    Unsafe(Witness),
    /// There are more states, or triggers or threads at a time, than are followed.
    Unknown {
        /// How many are followed.
        limit: usize,
    },
}

/// A verdict on E code and S code together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checked {
    /// Whether they are time-safe.
    pub safety: Safety,
    /// The class, as far as the code was followed.
    pub class: Class,
    /// How many states were followed.
    pub states: usize,
}

/// Checks the S code that a module file carries, and as the verifier does the
/// file. The certificate is the code: nothing else is believed.
///
/// # Errors
/// Bytes that are no module, and code that is beyond the analysis.
pub fn check_module(bytes: &[u8], times: &Times) -> Result<Checked, Unreadable> {
    let module = Module::parse(bytes).map_err(Unreadable::Module)?;
    let program = Program::of(&module)?;
    let code = ECode::of(&program)?;
    Ok(check(&program, &code, times)?)
}

/// Checks S code that blocks of the E code fork. Tasks that no thread governs,
/// because none is left, are scheduled earliest deadline first.
///
/// # Errors
/// S code that is beyond the analysis, with its place.
pub fn check(program: &Program, code: &ECode, times: &Times) -> Result<Checked, NotAnalysable> {
    let mut checker = Checker {
        program,
        code,
        times,
        threads: SThreads::of(program, code)?,
        seen: HashMap::new(),
        nodes: Vec::new(),
        beyond: None,
        tried_phases: false,
        checked: Checked {
            safety: Safety::Safe,
            class: Class::Synchronous,
            states: 0,
        },
    };
    if let Err(safety) = checker.explore() {
        checker.checked.safety = safety;
    }
    if checker.is_open() && (checker.is_safe_in_all_phases() || checker.runs_into_breach()) {
        return Ok(checker.checked);
    }
    match (checker.beyond, &checker.checked.safety) {
        (Some((pc, what)), Safety::Safe) => Err(program.beyond(pc, what)),
        _ => Ok(checker.checked),
    }
}

/// Whether S code of one thread at a time is time-safe wherever that thread
/// stands against the E code: a part of [`check`], for S code that drifts. "No"
/// says nothing.
///
/// # Errors
/// As of [`check`].
pub fn is_safe_in_all_phases(
    program: &Program,
    code: &ECode,
    times: &Times,
) -> Result<bool, NotAnalysable> {
    let threads = SThreads::of(program, code)?;
    Ok(phases::safe_in_all(program, code, times, &threads).is_some())
}

/// An instance of the thread set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Thread {
    /// The dispatch or idle that it rests at; where it starts if it is new.
    pc: u16,
    /// Just forked.
    is_new: bool,
    reference: Reference,
}

/// From when a thread counts time. A fork at a completion happens at a time
/// that execution times decide: no later than `time`, at most `slack` sooner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Reference {
    time: LogicalTime,
    slack: Duration,
}

impl Reference {
    const fn exactly(time: LogicalTime) -> Reference {
        let slack = Duration::ZERO;
        Reference { time, slack }
    }

    /// The earliest and the latest end of a time that is counted from here.
    fn ends(self, (nanos, remainder): (u64, u32), denominator: u32) -> (Instant, LogicalTime) {
        let last = self.time.plus(nanos, remainder, denominator);
        (last.rounded(denominator) - self.slack, last)
    }
}

#[derive(Clone, Debug)]
struct State {
    at: Instant,
    /// A bound; else the latest of the times that completions may lead to.
    is_bound: bool,
    /// The last bound.
    since: Instant,
    agenda: Agenda,
    threads: Vec<Thread>,
    /// Released and uncompleted, by release; `left` is the longest.
    jobs: Vec<Job>,
    /// For each of them whether it has run.
    started: Vec<bool>,
    numbers: Vec<u32>,
    /// The last node of its history.
    node: Option<usize>,
}

struct Checker<'a> {
    program: &'a Program,
    code: &'a ECode,
    times: &'a Times,
    threads: SThreads,
    /// For threads and triggers the jobs of the states that were followed.
    seen: HashMap<Vec<u64>, Vec<Known>>,
    /// Histories: a stretch and what came before.
    nodes: Vec<(Option<usize>, Segment)>,
    /// What was not followed on some way, and the instruction where it begins:
    /// a breach that is found elsewhere is real, its absence is not shown.
    beyond: Option<(u16, &'static str)>,
    /// All phases were followed together, and it was not found safe.
    tried_phases: bool,
    checked: Checked,
}

impl Checker<'_> {
    fn explore(&mut self) -> Result<(), Safety> {
        let mut open = Vec::new();
        self.settle(State::at_start(self.program), &mut open)?;
        while let Some(state) = open.pop() {
            if state.is_bound && !self.enter(&state) {
                continue;
            }
            if self.checked.states > MANY_STATES && self.is_safe_in_all_phases() {
                return Ok(());
            }
            if self.checked.states > MOST_STATES {
                let limit = MOST_STATES;
                return Err(Safety::Unknown { limit });
            }
            self.advance(state, &mut open)?;
        }
        Ok(())
    }

    /// Whether ways are left that were not followed.
    fn is_open(&self) -> bool {
        match &self.checked.safety {
            Safety::Safe => self.beyond.is_some(),
            Safety::Unknown { .. } => true,
            Safety::Unsafe(_) => false,
        }
    }

    /// Follows all phases of a thread together, once; whether it is safe in all.
    fn is_safe_in_all_phases(&mut self) -> bool {
        if std::mem::replace(&mut self.tried_phases, true) {
            return false;
        }
        let found = phases::safe_in_all(self.program, self.code, self.times, &self.threads);
        if let Some(phases) = found {
            self.note(phases.class);
            self.beyond = None;
            self.checked.safety = Safety::Safe;
            self.checked.states += phases.states;
        }
        found.is_some()
    }

    /// Lets what is enabled happen, in the order of the machine: completions,
    /// triggers, timeouts.
    fn settle(&mut self, mut state: State, open: &mut Vec<State>) -> Result<(), Safety> {
        loop {
            self.note_floating(&state);
            if let Some(at) = self.completed(&state) {
                let thread = state.threads.remove(at);
                self.run(&mut state, thread.pc + 1, thread.reference, None)?;
            } else if self.is_due(&state) {
                return self.react(state, open);
            } else if let Some((at, pc, clock)) = self.expired(&state) {
                let thread = state.threads.remove(at);
                self.run(&mut state, pc, thread.reference, Some(clock))?;
            } else {
                open.push(state);
                return Ok(());
            }
        }
    }

    fn is_due(&self, state: &State) -> bool {
        state.agenda.next(self.program.denominator) == Some(state.at)
    }

    /// The first thread whose task has completed.
    fn completed(&self, state: &State) -> Option<usize> {
        let is_over = |thread: &Thread| {
            let task = self.dispatched(thread);
            task.is_some_and(|task| !state.is_released(task))
        };
        state.threads.iter().position(is_over)
    }

    /// The task that a thread rests at.
    fn dispatched(&self, thread: &Thread) -> Option<u16> {
        let instruction = self.program.at(thread.pc);
        let rests = !thread.is_new && instruction.opcode() == Some(Opcode::Dispatch);
        rests.then_some(instruction.a)
    }

    /// The first thread whose timeout is over, where it goes on, and when that was.
    fn expired(&self, state: &State) -> Option<(usize, u16, LogicalTime)> {
        let threads = state.threads.iter().enumerate();
        let over = |(index, thread): (usize, &Thread)| {
            let now = LogicalTime::at(state.at);
            if thread.is_new {
                return Some((index, thread.pc, now));
            }
            let instruction = self.program.at(thread.pc);
            let (test, target) = match instruction.opcode() {
                Some(Opcode::Dispatch) => (instruction.b, instruction.c),
                _ => (instruction.a, thread.pc + 1),
            };
            let clock = self.holds(state, self.threads.test(test), thread.reference)?;
            Some((index, target, clock))
        };
        threads.filter_map(over).next()
    }

    /// Notes a timeout of which it cannot be said whether it is over. What is
    /// followed is one case.
    fn note_floating(&mut self, state: &State) {
        let denominator = self.program.denominator;
        for thread in state.threads.iter().filter(|thread| !thread.is_new) {
            let instruction = self.program.at(thread.pc);
            let test = match instruction.opcode() {
                Some(Opcode::Dispatch) => instruction.b,
                _ => instruction.a,
            };
            if let Test::After(nanos, remainder) = self.threads.test(test) {
                let (first, last) = thread.reference.ends((nanos, remainder), denominator);
                if first <= state.at && last.rounded(denominator) > state.since {
                    self.beyond = Some((thread.pc, FLOATING));
                }
            }
        }
    }

    /// Whether a test holds; the exact time since when, for a time that is over now.
    fn holds(&self, state: &State, test: Test, reference: Reference) -> Option<LogicalTime> {
        let now = LogicalTime::at(state.at);
        match test {
            Test::True => Some(now),
            Test::Never => None,
            Test::Released(task) => state.is_released(task).then_some(now),
            Test::Completed(task) => (!state.is_released(task)).then_some(now),
            Test::After(nanos, remainder) => {
                let denominator = self.program.denominator;
                let (_, due) = reference.ends((nanos, remainder), denominator);
                match due.rounded(denominator) {
                    at if at == state.at => Some(due),
                    at => (at < state.at).then_some(now),
                }
            }
        }
    }

    /// Runs a thread until it rests or ends. `clock`: the exact time; `None` if
    /// it is that of a completion, which depends on execution times.
    fn run(
        &mut self,
        state: &mut State,
        mut pc: u16,
        reference: Reference,
        clock: Option<LogicalTime>,
    ) -> Result<(), Safety> {
        loop {
            let instruction = self.program.at(pc);
            match instruction.opcode().unwrap_or(Opcode::Return) {
                Opcode::Dispatch if !state.is_released(instruction.a) => pc += 1,
                Opcode::Dispatch | Opcode::Idle => {
                    state.threads.push(Thread {
                        pc,
                        is_new: false,
                        reference,
                    });
                    return Ok(());
                }
                Opcode::Jump => pc = instruction.a,
                Opcode::Branch => {
                    let test = self.threads.test(instruction.a);
                    match self.holds(state, test, reference) {
                        Some(_) => pc = instruction.b,
                        None => pc += 1,
                    }
                }
                Opcode::Fork => {
                    if state.threads.len() >= MOST_THREADS {
                        let limit = MOST_THREADS;
                        return Err(Safety::Unknown { limit });
                    }
                    state.threads.push(Thread {
                        pc: instruction.a,
                        is_new: true,
                        reference: Reference {
                            time: clock.unwrap_or(LogicalTime::at(state.at)),
                            slack: state.at.since(state.since),
                        },
                    });
                    pc += 1;
                }
                _ => return Ok(()),
            }
        }
    }

    /// The reactions of E code at this instant.
    fn react(&mut self, state: State, open: &mut Vec<State>) -> Result<(), Safety> {
        let at = state.at;
        let choices = state.agenda.fire(self.code, self.program.denominator);
        let limit = MOST_TRIGGERS;
        for (reactions, agenda) in choices.ok_or(Safety::Unknown { limit })? {
            let mut next = State {
                agenda,
                ..state.clone()
            };
            for (clock, reaction) in reactions {
                if !reaction.releases.is_empty() && !next.jobs.is_empty() && !state.jobs.is_empty()
                {
                    self.note(Class::NonPreemptive);
                }
                touch(&next.jobs, reaction, at).map_err(|b| self.breach(&next, b))?;
                let numbers = &mut next.numbers;
                for job in release(self.program, self.times, numbers, clock, reaction, at) {
                    next.jobs.push(job);
                    next.started.push(false);
                }
                clash(&next.jobs, reaction, at).map_err(|b| self.breach(&next, b))?;
                next.threads.extend(reaction.forks.iter().map(|pc| Thread {
                    pc: *pc,
                    is_new: true,
                    reference: Reference::exactly(clock),
                }));
            }
            self.settle(next, open)?;
        }
        Ok(())
    }

    fn note(&mut self, class: Class) {
        self.checked.class = self.checked.class.max(class);
    }

    /// From one bound to the next.
    fn advance(&mut self, state: State, open: &mut Vec<State>) -> Result<(), Safety> {
        if let Some(pc) = self.mixed(&state) {
            self.beyond = Some((pc, MIXED));
            return Ok(());
        }
        let bound = self.bound(&state);
        let Some(running) = self.running(&state)? else {
            return self.rest(&state, bound, open);
        };
        let job = state.jobs[running];
        let others = state.started.iter().enumerate();
        let mut others = others.filter(|(index, started)| *index != running && **started);
        if bound > state.at && others.next().is_some() {
            self.note(Class::Preemptive);
        }
        let end = state.at + job.left;
        if end < bound {
            return self.complete(&state, running, end, false, open);
        }
        self.complete(&state, running, Instant(bound.0 - 1), false, open)?;
        self.complete(&state, running, bound, true, open)?;
        match end > bound {
            true => self.preempt(&state, running, bound, open),
            false => Ok(()),
        }
    }

    /// The way on which nothing runs until the next bound.
    fn rest(&mut self, state: &State, bound: Instant, open: &mut Vec<State>) -> Result<(), Safety> {
        self.check_deadlines(state, bound)?;
        match bound {
            Instant::NEVER => Ok(()),
            bound => self.settle(state.moved_to(bound, true), open),
        }
    }

    /// The way on which a job runs until the next bound and still runs then.
    fn preempt(
        &mut self,
        state: &State,
        running: usize,
        bound: Instant,
        open: &mut Vec<State>,
    ) -> Result<(), Safety> {
        let job = state.jobs[running];
        let mut next = state.moved_to(bound, true);
        let ran = bound.since(state.at);
        next.jobs[running].left = Duration(job.left.0 - ran.0);
        next.started[running] |= ran > Duration::ZERO;
        self.record(&mut next, state, &job, false);
        self.check_deadlines(&next, bound)?;
        self.settle(next, open)
    }

    /// The way on which the running job completes, at the latest at `end`, which
    /// is a bound or lies before the next.
    fn complete(
        &mut self,
        state: &State,
        running: usize,
        end: Instant,
        is_bound: bool,
        open: &mut Vec<State>,
    ) -> Result<(), Safety> {
        let mut next = state.moved_to(end, is_bound);
        let job = next.jobs.remove(running);
        next.started.remove(running);
        self.record(&mut next, state, &job, true);
        if end > job.deadline {
            let left = end.since(job.deadline);
            let job = Job { left, ..job };
            return Err(self.breach(&next, Breach::Late { job }));
        }
        self.settle(next, open)
    }

    /// Adds what ran since `before` to the history.
    fn record(&mut self, next: &mut State, before: &State, job: &Job, completes: bool) {
        if next.at == before.at && !completes {
            return;
        }
        let segment = Segment {
            task: job.task,
            number: job.number,
            from: before.at,
            until: next.at,
            completes,
        };
        self.nodes.push((before.node, segment));
        next.node = Some(self.nodes.len() - 1);
    }

    fn check_deadlines(&self, state: &State, until: Instant) -> Result<(), Safety> {
        let late = state.jobs.iter().filter(|job| job.deadline <= until);
        match late.min_by_key(|job| job.deadline).copied() {
            Some(job) if job.deadline < Instant::NEVER => {
                Err(self.breach(state, Breach::Late { job }))
            }
            _ => Ok(()),
        }
    }

    /// The next instant at which something happens whoever completes.
    fn bound(&self, state: &State) -> Instant {
        let denominator = self.program.denominator;
        let ends = state.threads.iter().flat_map(|thread| {
            let ends = move |time: &(u64, u32)| {
                let (first, last) = thread.reference.ends(*time, denominator);
                [first, last.rounded(denominator)]
            };
            self.threads.times().iter().flat_map(ends)
        });
        let bounds = ends.chain(state.agenda.next(denominator));
        bounds
            .filter(|at| *at > state.at)
            .min()
            .unwrap_or(Instant::NEVER)
    }

    /// A thread of one program, where another has jobs that no thread governs.
    fn mixed(&self, state: &State) -> Option<u16> {
        let thread = state.threads.first()?;
        if self.program.origins.len() == 1 {
            return None;
        }
        let is_left = |job: &Job| {
            let part = self.program.part_of_task(job.task);
            let mut threads = state.threads.iter();
            !threads.any(|thread| self.program.part_of(thread.pc) == part)
        };
        state.jobs.iter().any(is_left).then_some(thread.pc)
    }

    /// The job that runs, if any.
    fn running(&self, state: &State) -> Result<Option<usize>, Safety> {
        if state.threads.is_empty() {
            let jobs = state.jobs.iter().enumerate();
            let first = jobs.min_by_key(|(_, job)| (job.deadline, job.task));
            return Ok(first.map(|(index, _)| index));
        }
        let mut dispatched = state.threads.iter().filter_map(|t| self.dispatched(t));
        let Some(task) = dispatched.next() else {
            return Ok(None);
        };
        if let Some(other) = dispatched.find(|other| *other != task)
            && let Some(job) = state.jobs.iter().find(|job| job.task == other)
        {
            let (job, at) = (*job, state.at);
            return Err(self.breach(state, Breach::Shared { job, at }));
        }
        Ok(state.jobs.iter().position(|job| job.task == task))
    }

    fn breach(&self, state: &State, breach: Breach) -> Safety {
        let (mut node, mut segments) = (state.node, Vec::new());
        while let Some((before, segment)) = node.and_then(|node| self.nodes.get(node)) {
            segments.push(*segment);
            node = *before;
        }
        segments.reverse();
        Safety::Unsafe(Witness { segments, breach })
    }
}

impl State {
    /// Before programs start.
    fn at_start(program: &Program) -> State {
        State {
            at: Instant::START,
            is_bound: true,
            since: Instant::START,
            agenda: Agenda::starting_at(&program.starts),
            threads: Vec::new(),
            jobs: Vec::new(),
            started: Vec::new(),
            numbers: vec![0; program.tasks.len()],
            node: None,
        }
    }

    fn is_released(&self, task: u16) -> bool {
        self.jobs.iter().any(|job| job.task == task)
    }

    fn moved_to(&self, at: Instant, is_bound: bool) -> State {
        State {
            at,
            is_bound,
            since: if is_bound { at } else { self.since },
            ..self.clone()
        }
    }
}
