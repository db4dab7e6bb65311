//! Every way that a program can go, with its jobs scheduled by a preemptive
//! strategy: is any late?
//!
//! A state is what the program is at an instant, after its reactions: the
//! trigger queue, and each uncompleted job with the time it still needs, all as
//! seen from now. From a state on, the jobs run to the next instant in the
//! order of the strategy; there the reactions branch into states again. States
//! that were seen are not entered twice, so a program without modes is walked
//! for one hyperperiod, and the walk ends when there is no new state or a job
//! is late.
//!
//! Worst-case times suffice. Earliest deadline first and fixed priorities on
//! one processor are *sustainable*: what is released when does not depend on
//! execution times, and if one job needs less, no job completes later (Baruah
//! and Burns, "Sustainable Scheduling Analysis", RTSS 2006).
//!
//! On several harts ([`walk_on`]) the first jobs of that order run, as many as there
//! are harts. A job that is late in this walk is late where all jobs take their
//! worst-case times. That none is proves less than on one hart: nothing was asked of
//! releases that come at other times. What does is in [`global`](crate::global).

use std::collections::{BTreeSet, HashMap, VecDeque};

use giornata_abi::{Duration, Instant, LogicalTime};

use crate::agenda::{Agenda, Due, MOST_TRIGGERS};
use crate::ecode::{ECode, Reaction};
use crate::job::{Breach, Job, Segment};
use crate::program::Program;
use crate::timeline::Witness;
use crate::times::Times;

/// A program of more states than this is not decided.
pub const MOST_STATES: usize = 100_000;

/// In which order released jobs run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strategy {
    /// Earliest deadline first; of equal ones the lower index, as the kernel does.
    EarliestDeadline,
    /// Earliest deadline first; of equal ones the task with the shorter relative
    /// deadline, then the lower index: what S code is made from.
    EarliestDeadlineThenRate,
    /// Fixed priorities, the shorter a task's shortest relative deadline the
    /// higher; of equal ones who was released first, and of one block the lower index.
    RateMonotonic,
}

/// What an analysis comes to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// No job can be late.
    Schedulable,
    /// A job is late in this run.
    NotSchedulable(Witness),
    /// The program has more states, or triggers at a time, than are followed.
    Unknown {
        /// How many it follows.
        limit: usize,
    },
}

/// What was found out about a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Figures {
    /// Jobs that were followed to their end.
    pub jobs: u64,
    /// Longest time from release to completion.
    pub response: Duration,
    /// Shortest time from completion to deadline.
    pub slack: Duration,
}

impl Figures {
    /// Notes the completion of a job.
    pub(crate) fn note(task: &mut Option<Figures>, job: &Job, completion: Instant) {
        let response = completion.since(job.release);
        let slack = job.deadline.since(completion);
        let so_far = task.unwrap_or(Figures {
            jobs: 0,
            response,
            slack,
        });
        *task = Some(Figures {
            jobs: so_far.jobs + 1,
            response: so_far.response.max(response),
            slack: so_far.slack.min(slack),
        });
    }
}

/// An instant of the walk and what happens until the next.
#[derive(Clone, Debug)]
pub struct Step {
    /// When.
    pub at: Instant,
    /// The jobs that are released.
    pub released: Vec<Job>,
    /// Who runs until the next instant.
    pub segments: Vec<Segment>,
    /// The step before; the first has none.
    before: Option<usize>,
}

/// A walk and its verdict.
#[derive(Clone, Debug)]
pub struct Walked {
    /// The verdict.
    pub verdict: Verdict,
    /// How many states there were.
    pub states: usize,
    /// For each task what it came to; `None` if no job of it completed.
    pub tasks: Vec<Option<Figures>>,
    /// The instants in the order of the walk. In a program that always does
    /// the same they follow one another.
    pub steps: Vec<Step>,
    /// After the last step: the step whose state comes again, and when.
    pub repeats: Option<(usize, Instant)>,
}

/// Walks the program with jobs of worst-case length. O(states * jobs).
pub fn walk(program: &Program, code: &ECode, times: &Times, strategy: Strategy) -> Walked {
    walk_on(program, code, times, strategy, 1)
}

/// The same where so many harts run the first jobs of the order. O(states * jobs * harts).
pub fn walk_on(
    program: &Program,
    code: &ECode,
    times: &Times,
    strategy: Strategy,
    harts: u32,
) -> Walked {
    let mut walker = Walker {
        program,
        code,
        times,
        strategy,
        harts: harts as usize,
        ranks: ranks(program, code, strategy),
        seen: HashMap::new(),
        walked: Walked {
            verdict: Verdict::Schedulable,
            states: 0,
            tasks: vec![None; program.tasks.len()],
            steps: Vec::new(),
            repeats: None,
        },
    };
    if let Err(end) = walker.walk() {
        walker.walked.verdict = end;
    }
    walker.walked.states = walker.seen.len();
    walker.walked
}

/// For each task its rank among fixed priorities, 0 the highest; all 0 where
/// deadlines decide.
pub(crate) fn ranks(program: &Program, code: &ECode, strategy: Strategy) -> Vec<u64> {
    let mut ranks = vec![0; program.tasks.len()];
    if strategy != Strategy::RateMonotonic {
        return ranks;
    }
    let deadlines = code.shortest_deadlines();
    let classes: BTreeSet<(u64, u32)> = deadlines.values().copied().collect();
    for (task, deadline) in deadlines {
        if let Some(place) = ranks.get_mut(task as usize) {
            *place = classes.range(..deadline).count() as u64;
        }
    }
    ranks
}

/// The tasks that are ever released, the shortest deadline first.
pub(crate) fn by_rate(code: &ECode) -> Vec<u16> {
    let deadlines = code.shortest_deadlines();
    let mut tasks: Vec<(_, u16)> = deadlines.into_iter().map(|(t, d)| (d, t)).collect();
    tasks.sort_unstable();
    tasks.into_iter().map(|(_, task)| task).collect()
}

/// A state to be entered.
struct Open {
    /// The step that leads to it.
    before: Option<usize>,
    at: Instant,
    agenda: Agenda,
    jobs: Vec<Job>,
    released: Vec<Job>,
    /// Jobs of each task so far.
    numbers: Vec<u32>,
}

struct Walker<'a> {
    program: &'a Program,
    code: &'a ECode,
    times: &'a Times,
    strategy: Strategy,
    harts: usize,
    ranks: Vec<u64>,
    /// The step of each state.
    seen: HashMap<Vec<u64>, usize>,
    walked: Walked,
}

impl Walker<'_> {
    fn walk(&mut self) -> Result<(), Verdict> {
        let start = Open {
            before: None,
            at: Instant::START,
            agenda: Agenda::starting_at(&self.program.starts),
            jobs: Vec::new(),
            released: Vec::new(),
            numbers: vec![0; self.program.tasks.len()],
        };
        // in order of time, so that a breach is shown by a short run
        let mut open = VecDeque::new();
        self.react(start, &mut open)?;
        while let Some(state) = open.pop_front() {
            if self.enter(&state) {
                let state = self.run(state)?;
                self.react(state, &mut open)?;
            }
        }
        Ok(())
    }

    /// Notes a state; whether it is new.
    fn enter(&mut self, state: &Open) -> bool {
        let mut key = Vec::new();
        state.agenda.key(state.at, &mut key);
        let mut jobs: Vec<&Job> = state.jobs.iter().collect();
        match self.strategy {
            // (among equals of one instant the order of their blocks is part of the state)
            Strategy::RateMonotonic => {
                jobs.sort_by_key(|job| urgency(job, self.strategy, &self.ranks));
            }
            _ => jobs.sort_unstable_by_key(|job| job.task),
        }
        jobs.iter().for_each(|job| job.key(state.at, &mut key));
        let step = self.walked.steps.len();
        if let Some(known) = self.seen.get(&key) {
            self.walked.repeats = Some((*known, state.at));
            return false;
        }
        self.seen.insert(key, step);
        self.walked.steps.push(Step {
            at: state.at,
            released: state.released.clone(),
            segments: Vec::new(),
            before: state.before,
        });
        true
    }

    /// Lets jobs run to the next instant, or to their ends if there is none.
    fn run(&mut self, mut state: Open) -> Result<Open, Verdict> {
        if self.seen.len() > MOST_STATES {
            return Err(Verdict::Unknown { limit: MOST_STATES });
        }
        let step = self.walked.steps.len() - 1;
        let next = state.agenda.next(self.program.denominator);
        let until = next.unwrap_or(Instant::NEVER);
        let (strategy, ranks) = (self.strategy, &self.ranks);
        state.jobs.sort_by_key(|job| urgency(job, strategy, ranks));
        let segments = match self.harts {
            1 => run_in_order(&mut state.jobs, state.at, until),
            harts => run_abreast(&mut state.jobs, state.at, until, harts),
        };
        self.account(&state.jobs, &segments);
        if let Some(last) = self.walked.steps.last_mut() {
            last.segments = segments;
        }
        let late = |job: &&Job| is_late(job, &self.walked.steps[step].segments, until);
        let late = state.jobs.iter().filter(late).min_by_key(|j| j.deadline);
        if let Some(job) = late {
            let job = at_deadline(job, &self.walked.steps[step].segments);
            return Err(self.breach(Some(step), Breach::Late { job }));
        }
        state.jobs.retain(|job| job.left > Duration::ZERO);
        (state.before, state.at) = (Some(step), until);
        Ok(state)
    }

    /// Notes what completed jobs came to.
    fn account(&mut self, jobs: &[Job], segments: &[Segment]) {
        for segment in segments.iter().filter(|segment| segment.completes) {
            let is_it = |job: &&Job| (job.task, job.number) == (segment.task, segment.number);
            let Some(job) = jobs.iter().find(is_it) else {
                continue;
            };
            if let Some(task) = self.walked.tasks.get_mut(job.task as usize) {
                Figures::note(task, job, segment.until);
            }
        }
    }

    /// The states that the reactions of the next instant lead to.
    fn react(&mut self, state: Open, open: &mut VecDeque<Open>) -> Result<(), Verdict> {
        let Some(at) = state.agenda.next(self.program.denominator) else {
            return Ok(());
        };
        let choices = state.agenda.fire(self.code, self.program.denominator);
        let limit = MOST_TRIGGERS;
        for (reactions, agenda) in choices.ok_or(Verdict::Unknown { limit })? {
            let mut next = Open {
                before: state.before,
                at,
                agenda,
                jobs: state.jobs.clone(),
                released: Vec::new(),
                numbers: state.numbers.clone(),
            };
            for (clock, reaction) in reactions {
                self.apply(&mut next, (clock, reaction))?;
            }
            open.push_back(next);
        }
        Ok(())
    }

    fn apply(&self, state: &mut Open, (clock, reaction): Due<'_>) -> Result<(), Verdict> {
        let at = state.at;
        touch(&state.jobs, reaction, at).map_err(|b| self.breach(state.before, b))?;
        let numbers = &mut state.numbers;
        let mut released = release(self.program, self.times, numbers, clock, reaction, at);
        if self.strategy == Strategy::RateMonotonic {
            released.sort_by_key(|job| job.task);
        }
        state.jobs.extend(&released);
        state.released.extend(&released);
        clash(&state.jobs, reaction, at).map_err(|b| self.breach(state.before, b))
    }

    /// The run that ends in a breach after a step.
    fn breach(&self, step: Option<usize>, breach: Breach) -> Verdict {
        let (mut at, mut steps) = (step, Vec::new());
        while let Some(step) = at.and_then(|at| self.walked.steps.get(at)) {
            steps.push(step);
            at = step.before;
        }
        let segments = steps.iter().rev().flat_map(|step| step.segments.iter());
        let end = breach.at();
        let segments = segments.copied().filter_map(|s| cut(s, end)).collect();
        Verdict::NotSchedulable(Witness { segments, breach })
    }
}

/// The part of a stretch that lies before `end`.
fn cut(segment: Segment, end: Instant) -> Option<Segment> {
    let cut = segment.until > end;
    let segment = Segment {
        until: segment.until.min(end),
        completes: segment.completes && !cut,
        ..segment
    };
    (segment.from < end).then_some(segment)
}

/// The lower, the sooner; equal ones in the order of their releases.
fn urgency(job: &Job, strategy: Strategy, ranks: &[u64]) -> (u64, Instant, Duration, u16) {
    let rank = ranks.get(job.task as usize).copied().unwrap_or(0);
    if strategy == Strategy::RateMonotonic {
        return (rank, job.release, Duration::ZERO, 0);
    }
    let relative = match strategy {
        Strategy::EarliestDeadlineThenRate => job.deadline.since(job.release),
        _ => Duration::ZERO,
    };
    (rank, job.deadline, relative, job.task)
}

/// Runs jobs one after the other, up to an instant.
pub(crate) fn run_in_order(jobs: &mut [Job], from: Instant, until: Instant) -> Vec<Segment> {
    let (mut now, mut segments) = (from, Vec::new());
    for job in jobs.iter_mut().filter(|job| job.left > Duration::ZERO) {
        let room = until.since(now);
        if room == Duration::ZERO {
            break;
        }
        let time = job.left.min(room);
        let end = now + time;
        job.left = Duration(job.left.0 - time.0);
        segments.push(Segment {
            task: job.task,
            number: job.number,
            from: now,
            until: end,
            completes: job.left == Duration::ZERO,
        });
        now = end;
    }
    segments
}

/// Runs the first jobs, so many at a time, up to an instant. Stretches are in the order in
/// which they begin.
fn run_abreast(jobs: &mut [Job], from: Instant, until: Instant, harts: usize) -> Vec<Segment> {
    let (mut now, mut segments) = (from, Vec::<Segment>::new());
    while now < until {
        let running = || (0..).zip(jobs.iter()).filter(|(_, job)| job.left.0 > 0);
        let running: Vec<(usize, Duration)> = running()
            .map(|(index, job)| (index, job.left))
            .take(harts)
            .collect();
        let Some(shortest) = running.iter().map(|(_, left)| *left).min() else {
            break;
        };
        let time = shortest.min(until.since(now));
        let end = now + time;
        for (index, _) in running {
            let Some(job) = jobs.get_mut(index) else {
                continue;
            };
            job.left = Duration(job.left.0 - time.0);
            let completes = job.left == Duration::ZERO;
            let goes_on = |segment: &&mut Segment| {
                (segment.task, segment.number, segment.until) == (job.task, job.number, now)
            };
            match segments.iter_mut().rev().find(goes_on) {
                Some(segment) => (segment.until, segment.completes) = (end, completes),
                None => segments.push(Segment {
                    task: job.task,
                    number: job.number,
                    from: now,
                    until: end,
                    completes,
                }),
            }
        }
        now = end;
    }
    segments
}

/// Whether a job missed its deadline by `until`.
fn is_late(job: &Job, segments: &[Segment], until: Instant) -> bool {
    if job.left > Duration::ZERO {
        return job.deadline <= until;
    }
    let is_its = |s: &&Segment| (s.task, s.number, s.completes) == (job.task, job.number, true);
    segments
        .iter()
        .find(is_its)
        .is_some_and(|s| s.until > job.deadline)
}

/// A late job with what it needed at its deadline.
fn at_deadline(job: &Job, segments: &[Segment]) -> Job {
    let its = segments
        .iter()
        .filter(|s| (s.task, s.number) == (job.task, job.number));
    let after = its.map(|s| s.until.since(s.from.max(job.deadline)));
    let after = after.fold(Duration::ZERO, |sum, time| sum + time);
    Job {
        left: job.left + after,
        ..*job
    }
}

/// Whether a reaction meets an uncompleted job of an earlier instant.
pub(crate) fn touch(jobs: &[Job], reaction: &Reaction, at: Instant) -> Result<(), Breach> {
    for job in jobs.iter().copied() {
        if reaction.touched.contains(&job.task) {
            return Err(Breach::Touched { job, at });
        }
        if reaction.releases.iter().any(|r| r.task == job.task) {
            return Err(Breach::Released { job, at });
        }
    }
    Ok(())
}

/// Whether a reaction meets a job that it releases itself.
pub(crate) fn clash(jobs: &[Job], reaction: &Reaction, at: Instant) -> Result<(), Breach> {
    let clashes = |job: &&Job| reaction.clashes.contains(&job.task);
    match jobs.iter().copied().find(|job| clashes(&job)) {
        Some(job) => Err(Breach::Touched { job, at }),
        None => Ok(()),
    }
}

/// The jobs that a reaction releases.
pub(crate) fn release(
    program: &Program,
    times: &Times,
    numbers: &mut [u32],
    clock: LogicalTime,
    reaction: &Reaction,
    at: Instant,
) -> Vec<Job> {
    let one = |release: &crate::ecode::Release| {
        let number = numbers.get_mut(release.task as usize);
        let number = number.map_or(0, |number| {
            *number += 1;
            *number - 1
        });
        let deadline = clock.plus(release.nanos, release.remainder, program.denominator);
        Job {
            task: release.task,
            number,
            release: at,
            deadline: deadline.rounded(program.denominator),
            left: times.of_task(release.task),
        }
    };
    reaction.releases.iter().map(one).collect()
}
