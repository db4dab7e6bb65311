//! Is S code time-safe wherever its thread stands against the E code?
//!
//! A thread that counts time from an instant of its own drifts against the
//! releases: every round it stands elsewhere, or where execution times put it.
//! One by one these phases are too many. Here they are followed together: the
//! time from which the thread counts is an unknown in a range, and all that
//! depends on it is linear in it.
//!
//! ```text
//!   reference x in [low, high]      where two instants change places over the
//!   timeout   x + 4 ms              range, it is cut there, and each piece is
//!   release   20 ms                 followed on its own
//!   left      3 ms - (20 ms - x)
//! ```
//! Ways and longest times are those of the checker. Two steps only take in more
//! than can happen: a thread that is forked at a completion counts from any
//! time at which the job can complete, and where one place in the code is met
//! in many phases, all between them are taken, with the longest time that is
//! left of each job, in each phase or in all. So what is found safe is safe;
//! what is not may be.

use std::cmp::Ordering;
use std::collections::HashMap;

use giornata_abi::{Instant, LogicalTime, Opcode};

use super::Class;
use super::affine::{Affine, Range};
use super::met::{Alike, Place, Widening};
use super::phase::{State, Stop, Waiting, check_deadlines, completion, none_is_late};
use crate::agenda::Agenda;
use crate::ecode::{ECode, Reaction};
use crate::program::Program;
use crate::scan::{SThreads, Test};
use crate::times::Times;
use crate::walk::{clash, release, touch};

/// So many states are followed in one attempt.
const MOST_STATES: usize = 20_000;

/// And so many steps between them.
const MOST_STEPS: usize = 400_000;

/// The attempts, from the one that ends soonest to those that lose least.
const ATTEMPTS: [Widening; 6] = [
    Widening::after(4, Alike::Jobs),
    Widening::after(32, Alike::Jobs),
    Widening::after(4, Alike::Slopes),
    Widening::after(32, Alike::Slopes),
    Widening::after(4, Alike::Times),
    Widening::after(32, Alike::Times),
];

/// What was found out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Phases {
    pub(crate) class: Class,
    pub(crate) states: usize,
}

/// Whether S code of one thread at a time is time-safe in all phases; `None` if
/// that is not shown. O(states * phases) in each of few attempts.
pub(crate) fn safe_in_all(
    program: &Program,
    code: &ECode,
    times: &Times,
    threads: &SThreads,
) -> Option<Phases> {
    let fractions = threads.times().iter().map(|(_, remainder)| remainder);
    let futures = code.all().flat_map(|reaction| &reaction.futures);
    let mut fractions = fractions.chain(futures.map(|future| &future.remainder));
    if program.origins.len() != 1 || fractions.any(|remainder| *remainder > 0) {
        return None;
    }
    let longest = threads.times().iter().map(|(nanos, _)| *nanos).max();
    let attempt = |widening: Widening| {
        let follower = Follower {
            program,
            code,
            times,
            threads,
            longest: i128::from(longest.unwrap_or(0)),
            widening,
            places: HashMap::new(),
            found: Phases {
                class: Class::Synchronous,
                states: 0,
            },
        };
        follower.follow()
    };
    ATTEMPTS.into_iter().find_map(attempt)
}

struct Follower<'a> {
    program: &'a Program,
    code: &'a ECode,
    times: &'a Times,
    threads: &'a SThreads,
    /// The longest time that a thread waits for.
    longest: i128,
    widening: Widening,
    places: HashMap<Vec<u64>, Place>,
    found: Phases,
}

impl Follower<'_> {
    fn follow(mut self) -> Option<Phases> {
        let mut open = vec![State {
            range: Range::only(0),
            at: Affine::of(0),
            since: Affine::of(0),
            is_bound: true,
            is_entered: false,
            agenda: Agenda::starting_at(&self.program.starts),
            thread: None,
            jobs: Vec::new(),
        }];
        let mut steps = 0;
        while let Some(state) = open.pop() {
            steps += 1;
            if steps > MOST_STEPS || self.found.states > MOST_STATES {
                return None;
            }
            match self.step(&state, &mut open) {
                Ok(()) => {}
                Err(Stop::Cut(last)) => {
                    let pieces = state.range.cut_after(last);
                    let piece = |range| State {
                        range,
                        ..state.clone()
                    };
                    open.extend(pieces.into_iter().map(piece));
                }
                Err(Stop::Open) => return None,
            }
        }
        Some(self.found)
    }

    /// One thing that is enabled, in the order of the machine; if there is
    /// none, on to the next instant.
    fn step(&mut self, state: &State, open: &mut Vec<State>) -> Result<(), Stop> {
        if let Some(pc) = self.completed(state) {
            open.push(self.run(state, pc + 1)?);
        } else if self.is_due(state)? {
            self.react(state, open)?;
        } else if let Some(pc) = self.expired(state)? {
            open.push(self.run(state, pc)?);
        } else if state.is_bound && !state.is_entered {
            open.extend(self.enter(state));
        } else {
            self.advance(state, open)?;
        }
        Ok(())
    }

    /// The next instant of E code.
    fn next(&self, state: &State) -> Option<i128> {
        let next = state.agenda.next(self.program.denominator);
        next.map(|at| i128::from(at.0))
    }

    fn is_due(&self, state: &State) -> Result<bool, Stop> {
        let Some(next) = self.next(state).filter(|_| state.is_bound) else {
            return Ok(false);
        };
        Ok(state.range.order(state.at, Affine::of(next))? == Ordering::Equal)
    }

    /// The task that the thread dispatches.
    fn dispatched(&self, state: &State) -> Option<u16> {
        let (pc, is_new) = state.thread?;
        let instruction = self.program.at(pc);
        let rests = !is_new && instruction.opcode() == Some(Opcode::Dispatch);
        rests.then_some(instruction.a)
    }

    /// Where the thread rests whose task has completed.
    fn completed(&self, state: &State) -> Option<u16> {
        let task = self.dispatched(state)?;
        let (pc, _) = state.thread?;
        (!state.is_released(task)).then_some(pc)
    }

    /// Where a thread goes on whose timeout is over.
    fn expired(&self, state: &State) -> Result<Option<u16>, Stop> {
        let Some((pc, is_new)) = state.thread else {
            return Ok(None);
        };
        if is_new {
            return Ok(Some(pc));
        }
        let instruction = self.program.at(pc);
        let (test, target) = match instruction.opcode() {
            Some(Opcode::Dispatch) => (instruction.b, instruction.c),
            _ => (instruction.a, pc + 1),
        };
        let is_over = match self.threads.test(test) {
            Test::After(nanos, _) => {
                let end = Affine::UNKNOWN.plus(nanos.into());
                state.range.order(end, state.at)? != Ordering::Greater
            }
            test => state.holds(test),
        };
        Ok(is_over.then_some(target))
    }

    /// Runs the thread until it rests or ends.
    fn run(&self, state: &State, mut pc: u16) -> Result<State, Stop> {
        let mut next = State {
            thread: None,
            is_entered: false,
            ..state.clone()
        };
        loop {
            let instruction = self.program.at(pc);
            match instruction.opcode().unwrap_or(Opcode::Return) {
                Opcode::Dispatch if !next.is_released(instruction.a) => pc += 1,
                Opcode::Dispatch | Opcode::Idle => {
                    next.start(pc, false)?;
                    return Ok(next);
                }
                Opcode::Jump => pc = instruction.a,
                Opcode::Branch => {
                    pc = match next.holds(self.threads.test(instruction.a)) {
                        true => instruction.b,
                        false => pc + 1,
                    };
                }
                Opcode::Fork => {
                    next.start(instruction.a, true)?;
                    next.count_from_now();
                    pc += 1;
                }
                _ => return Ok(next),
            }
        }
    }

    /// The reactions of E code at this instant.
    fn react(&mut self, state: &State, open: &mut Vec<State>) -> Result<(), Stop> {
        let at = Instant(state.range.most(state.at) as u64);
        let denominator = self.program.denominator;
        let choices = state.agenda.fire(self.code, denominator);
        for (reactions, agenda) in choices.ok_or(Stop::Open)? {
            let mut next = State {
                agenda,
                at: Affine::of(at.0.into()),
                since: Affine::of(at.0.into()),
                is_entered: false,
                ..state.clone()
            };
            for (clock, reaction) in reactions {
                if !reaction.releases.is_empty() && !state.jobs.is_empty() && !next.jobs.is_empty()
                {
                    self.note(Class::NonPreemptive);
                }
                self.apply(&mut next, clock, reaction)?;
            }
            open.push(next);
        }
        Ok(())
    }

    fn apply(&self, state: &mut State, at: LogicalTime, reaction: &Reaction) -> Result<(), Stop> {
        let instant = at.rounded(self.program.denominator);
        touch(&state.jobs(), reaction, instant).map_err(|_| Stop::Open)?;
        let mut numbers = vec![0; self.program.tasks.len()];
        let jobs = release(
            self.program,
            self.times,
            &mut numbers,
            at,
            reaction,
            instant,
        );
        state.jobs.extend(jobs.into_iter().map(|job| Waiting {
            task: job.task,
            deadline: job.deadline.0.into(),
            left: Affine::of(job.left.0.into()),
            started: false,
        }));
        clash(&state.jobs(), reaction, instant).map_err(|_| Stop::Open)?;
        for pc in &reaction.forks {
            state.start(*pc, true)?;
            state.count_from_now();
        }
        Ok(())
    }

    fn note(&mut self, class: Class) {
        self.found.class = self.found.class.max(class);
    }

    /// From one bound to the next.
    fn advance(&mut self, state: &State, open: &mut Vec<State>) -> Result<(), Stop> {
        let range = state.range;
        let bound = self.bound(state)?;
        let Some(running) = self.running(state) else {
            let Some(bound) = bound else {
                return none_is_late(state.jobs.is_empty());
            };
            check_deadlines(state, bound)?;
            open.push(state.moved_to(bound, true));
            return Ok(());
        };
        let job = state.jobs[running];
        let others = state.jobs.iter().enumerate();
        let preempts = others
            .filter(|(at, _)| *at != running)
            .any(|(_, j)| j.started);
        let end = state.at.add(job.left);
        let Some(bound) = bound else {
            open.push(completion(state, running, end, false)?);
            return Ok(());
        };
        let order = range.order(end, bound)?;
        let mut nexts = Vec::new();
        if order == Ordering::Less {
            nexts.push(completion(state, running, end, false)?);
        } else {
            nexts.push(completion(state, running, bound.plus(-1), false)?);
            nexts.push(completion(state, running, bound, true)?);
        }
        if order == Ordering::Greater {
            let mut next = state.moved_to(bound, true);
            next.jobs[running].left = end.less(bound);
            next.jobs[running].started = true;
            check_deadlines(&next, bound)?;
            nexts.push(next);
        }
        if preempts {
            self.note(Class::Preemptive);
        }
        open.append(&mut nexts);
        Ok(())
    }

    /// The next instant at which something happens whoever completes.
    fn bound(&self, state: &State) -> Result<Option<Affine>, Stop> {
        let mut bound = self.next(state).map(Affine::of);
        if state.thread.is_none() {
            return Ok(bound);
        }
        for (nanos, _) in self.threads.times() {
            let end = Affine::UNKNOWN.plus((*nanos).into());
            if state.range.order(end, state.at)? != Ordering::Greater {
                continue;
            }
            let is_sooner = match bound {
                Some(bound) => state.range.order(end, bound)? == Ordering::Less,
                None => true,
            };
            bound = if is_sooner { Some(end) } else { bound };
        }
        Ok(bound)
    }

    /// The job that runs, if any.
    fn running(&self, state: &State) -> Option<usize> {
        if state.thread.is_some() {
            let task = self.dispatched(state)?;
            return state.jobs.iter().position(|job| job.task == task);
        }
        let jobs = state.jobs.iter().enumerate();
        let first = jobs.min_by_key(|(_, job)| (job.deadline, job.task));
        first.map(|(index, _)| index)
    }

    /// Notes a state; what is to be followed of it: the phases in which it was not
    /// met, or more.
    fn enter(&mut self, state: &State) -> Vec<State> {
        let mut state = state.clone();
        state.is_entered = true;
        state.forget_what_is_over(self.longest);
        let origin = self.next(&state).unwrap_or(0);
        let looked_at = |task: u16| {
            let pcs = state.thread.map(|(pc, _)| pc).into_iter();
            self.threads.looks_at(pcs, task)
        };
        let key = self.key(&state, origin);
        let place = self.places.entry(key).or_default();
        let met = state.met_from(origin);
        let fresh = place.meet(met, looked_at, self.widening, self.times);
        self.found.states += fresh.len();
        let back = |met| state.with(met, origin);
        fresh.into_iter().map(back).collect()
    }

    /// What tells states apart besides phases and jobs.
    fn key(&self, state: &State, origin: i128) -> Vec<u64> {
        let mut key = Vec::new();
        state.agenda.key(Instant(origin as u64), &mut key);
        let place = state.thread.map_or(u64::MAX, |(pc, is_new)| {
            u64::from(pc) | u64::from(is_new) << 16
        });
        let Affine { constant, slope } = state.at.seen_from(origin).plus(-origin);
        key.extend([place, constant as u64, slope as u64]);
        key
    }
}
