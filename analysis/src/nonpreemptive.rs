//! Orders in which jobs run without preempting each other.
//!
//! Whether there is one is an NP-hard question (Jeffay, Stanat, Martel, RTSS
//! 1991). Orders are tried depth first: the job with the earliest deadline
//! before others, waiting for the next release last. A job is not started if
//! one that waits would be late then. Jobs of one task start in the order of
//! their releases: they need as much as each other, so two that change places
//! change nothing but who of them is late. And what was tried in vain at a time
//! is in vain later: whoever begins later with the same jobs left could have
//! waited until then. So there are no more tries than ways to have started so
//! many jobs of each task. Up to a number of tries the answer is exact.

use std::collections::HashMap;

use giornata_abi::{Duration, Instant};

use crate::generate::NoSCode;
use crate::job::{Breach, Job, Segment};
use crate::round::Round;
use crate::timeline::Witness;
use crate::times::Times;

/// After so many tries the question stays open.
pub const MOST_TRIES: usize = 200_000;

/// Fills the intervals of a release pattern with a schedule in which no job
/// preempts another, and none runs across the end of the round.
///
/// # Errors
/// [`NoSCode::Infeasible`] with the run that earliest deadline first comes to,
/// [`NoSCode::Unknown`] after [`MOST_TRIES`], or where jobs may be late only
/// because the round ends.
pub fn order(round: &mut Round, times: &Times) -> Result<(), NoSCode> {
    let end = round.intervals.last().map_or(Instant::NEVER, |i| i.until);
    let mut crosses = false;
    let mut jobs = Vec::new();
    for (_, job) in round.jobs() {
        crosses |= job.deadline > end;
        jobs.push(Job {
            left: times.of_task(job.task),
            deadline: job.deadline.min(end),
            ..*job
        });
    }
    jobs.sort_by_key(|job| (job.release, job.deadline));
    let mut search = Search {
        begun: vec![
            0;
            jobs.iter()
                .map(|job| job.task + 1)
                .max()
                .unwrap_or(0)
                .into()
        ],
        jobs,
        tries: 0,
        failed: HashMap::new(),
        started: Vec::new(),
        first_end: None,
    };
    match search.go_on(Instant::START, &[], 0) {
        Some(true) => {
            let segments = search.segments();
            fill(round, &segments);
            Ok(())
        }
        Some(false) if !crosses => Err(search.witness()),
        _ => Err(NoSCode::Unknown { limit: MOST_TRIES }),
    }
}

/// A job and when it starts.
type Start = (usize, Instant);

/// The first order that fails: what had been started, and who would be late.
struct DeadEnd {
    started: Vec<Start>,
    late: Start,
}

struct Search {
    /// By release.
    jobs: Vec<Job>,
    tries: usize,
    /// By task: how many jobs have started.
    begun: Vec<u32>,
    /// The earliest instant at which the search was in vain with so many started.
    failed: HashMap<Vec<u32>, Instant>,
    /// Jobs and when they start, in order.
    started: Vec<Start>,
    first_end: Option<DeadEnd>,
}

impl Search {
    /// Whether the jobs that wait and those from `next` on can all run from
    /// `now`; `None` if that was not found out.
    fn go_on(&mut self, now: Instant, waiting: &[usize], next: usize) -> Option<bool> {
        let (waiting, next) = self.arrive(now, waiting, next);
        if waiting.is_empty() && next == self.jobs.len() {
            return Some(true);
        }
        if self.failed.get(&self.begun).is_some_and(|at| *at <= now) {
            return Some(false);
        }
        self.tries += 1;
        if self.tries > MOST_TRIES {
            return None;
        }
        for job in waiting.clone() {
            let task = self.jobs[job].task;
            let is_next = |other: &usize| *other >= job || self.jobs[*other].task != task;
            if !waiting.iter().all(is_next) || self.makes_late(now, job, &waiting) {
                continue;
            }
            self.started.push((job, now));
            self.begun[usize::from(task)] += 1;
            let rest: Vec<usize> = waiting.iter().copied().filter(|j| *j != job).collect();
            let end = now + self.jobs[job].left;
            if let found @ (None | Some(true)) = self.go_on(end, &rest, next) {
                return found;
            }
            self.started.pop();
            self.begun[usize::from(task)] -= 1;
        }
        if let Some(release) = self.jobs.get(next).map(|job| job.release)
            && !waiting.iter().any(|job| self.is_lost(release, *job))
            && let found @ (None | Some(true)) = self.go_on(release, &waiting, next)
        {
            return found;
        }
        self.failed.insert(self.begun.clone(), now);
        Some(false)
    }

    /// Adds the jobs released by `now`, in the order of deadlines.
    fn arrive(&self, now: Instant, waiting: &[usize], mut next: usize) -> (Vec<usize>, usize) {
        let mut waiting = waiting.to_vec();
        while self.jobs.get(next).is_some_and(|job| job.release <= now) {
            waiting.push(next);
            next += 1;
        }
        let jobs = &self.jobs;
        waiting.sort_by_key(|index| {
            let job = &jobs[*index];
            (job.deadline, job.deadline.since(job.release), job.task)
        });
        (waiting, next)
    }

    /// Whether the job is late that starts then.
    fn is_lost(&self, start: Instant, job: usize) -> bool {
        start + self.jobs[job].left > self.jobs[job].deadline
    }

    /// Whether the job, or another one after it, is late if it starts now.
    fn makes_late(&mut self, now: Instant, job: usize, waiting: &[usize]) -> bool {
        let end = now + self.jobs[job].left;
        let others = waiting.iter().copied().filter(|other| *other != job);
        let lost = match self.is_lost(now, job) {
            true => Some((job, now)),
            false => others
                .filter(|other| self.is_lost(end, *other))
                .map(|other| (other, end))
                .next(),
        };
        if let (Some((late, start)), None) = (lost, &self.first_end) {
            let mut started = self.started.clone();
            if late != job {
                started.push((job, now));
            }
            let late = (late, start);
            self.first_end = Some(DeadEnd { started, late });
        }
        lost.is_some()
    }

    fn segments(&self) -> Vec<Segment> {
        self.started.iter().map(|run| self.segment(run)).collect()
    }

    fn segment(&self, (job, start): &Start) -> Segment {
        let job = &self.jobs[*job];
        Segment {
            task: job.task,
            number: job.number,
            from: *start,
            until: *start + job.left,
            completes: true,
        }
    }

    /// What earliest deadline first without preemption comes to.
    fn witness(&self) -> NoSCode {
        let Some(DeadEnd { started, late }) = &self.first_end else {
            return NoSCode::Unknown { limit: MOST_TRIES };
        };
        let job = &self.jobs[late.0];
        let spare = job.deadline.since(late.1);
        let segments = started.iter().map(|run| self.segment(run)).collect();
        let left = Duration(job.left.0.saturating_sub(spare.0));
        NoSCode::Infeasible(Witness {
            segments,
            breach: Breach::Late {
                job: Job { left, ..*job },
            },
        })
    }
}

/// Cuts a schedule at the bounds of the intervals.
fn fill(round: &mut Round, segments: &[Segment]) {
    for interval in &mut round.intervals {
        let (from, until) = (interval.from, interval.until);
        let inside = segments.iter().filter(|s| s.from < until && s.until > from);
        let part = |s: &Segment| Segment {
            from: s.from.max(from),
            until: s.until.min(until),
            completes: s.until <= until,
            ..*s
        };
        interval.segments = inside.map(part).collect();
    }
}
