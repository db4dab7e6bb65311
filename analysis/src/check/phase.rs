//! A state of one thread whose place in time is an unknown in a range.

use giornata_abi::{Duration, Instant};

use super::affine::{Affine, Range};
use super::met::{Met, counted_from};
use crate::agenda::Agenda;
use crate::job::Job;
use crate::scan::Test;

/// A released job that has not completed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Waiting {
    pub(super) task: u16,
    pub(super) deadline: i128,
    /// The longest that it still needs.
    pub(super) left: Affine,
    pub(super) started: bool,
}

/// What tells one way from another.
#[derive(Clone, Debug)]
pub(super) struct State {
    /// From when the thread counts.
    pub(super) range: Range,
    /// A bound; else the latest of the times that completions may lead to.
    pub(super) at: Affine,
    /// The last bound.
    pub(super) since: Affine,
    pub(super) is_bound: bool,
    /// Noted as a state to be followed.
    pub(super) is_entered: bool,
    pub(super) agenda: Agenda,
    /// Where the thread rests, or starts if it is new.
    pub(super) thread: Option<(u16, bool)>,
    pub(super) jobs: Vec<Waiting>,
}

/// Why a state is not followed as it is.
pub(super) enum Stop {
    /// What happens depends on the phase: up to this one it is the same.
    Cut(i128),
    /// A job is late, or it is more than is followed.
    Open,
}

impl From<i128> for Stop {
    fn from(last: i128) -> Stop {
        Stop::Cut(last)
    }
}

/// A way ends where a job is late.
pub(super) fn none_is_late(is_so: bool) -> Result<(), Stop> {
    is_so.then_some(()).ok_or(Stop::Open)
}

/// Whether no job misses its deadline by `until`.
pub(super) fn check_deadlines(state: &State, until: Affine) -> Result<(), Stop> {
    let last = state.range.most(until);
    none_is_late(state.jobs.iter().all(|job| job.deadline > last))
}

/// The way on which the running job completes, at the latest at `end`.
pub(super) fn completion(
    state: &State,
    running: usize,
    end: Affine,
    is_bound: bool,
) -> Result<State, Stop> {
    let mut next = state.moved_to(end, is_bound);
    let job = next.jobs.remove(running);
    none_is_late(next.range.most(end) <= job.deadline)?;
    Ok(next)
}

impl State {
    pub(super) fn is_released(&self, task: u16) -> bool {
        self.jobs.iter().any(|job| job.task == task)
    }

    /// Whether a test holds that does not count time.
    pub(super) fn holds(&self, test: Test) -> bool {
        match test {
            Test::True => true,
            Test::Never | Test::After(..) => false,
            Test::Released(task) => self.is_released(task),
            Test::Completed(task) => !self.is_released(task),
        }
    }

    /// The jobs as E code meets them.
    pub(super) fn jobs(&self) -> Vec<Job> {
        let job = |job: &Waiting| Job {
            task: job.task,
            number: 0,
            release: Instant::START,
            deadline: Instant(job.deadline as u64),
            left: Duration::ZERO,
        };
        self.jobs.iter().map(job).collect()
    }

    /// At another time.
    pub(super) fn moved_to(&self, at: Affine, is_bound: bool) -> State {
        State {
            at,
            is_bound,
            since: if is_bound { at } else { self.since },
            is_entered: false,
            ..self.clone()
        }
    }

    /// Puts the thread somewhere. One thread at a time is followed.
    pub(super) fn start(&mut self, pc: u16, is_new: bool) -> Result<(), Stop> {
        match self.thread.replace((pc, is_new)) {
            Some(_) => Err(Stop::Open),
            None => Ok(()),
        }
    }

    /// The thread counts from now on: any time since the last bound, if a
    /// completion led here.
    pub(super) fn count_from_now(&mut self) {
        let (since, at, range) = (self.since, self.at, self.range);
        let is_shift = (since.slope, at.slope) == (1, 1);
        for job in &mut self.jobs {
            job.left = match is_shift {
                true => {
                    let [one, other] = [since, at].map(|by| -job.left.slope * by.constant);
                    job.left.plus(one.max(other))
                }
                false => Affine::of(range.most(job.left)),
            };
        }
        self.range = Range {
            low: range.least(since),
            high: range.most(at),
        };
        (self.at, self.since, self.is_bound) = (Affine::UNKNOWN, Affine::UNKNOWN, true);
    }

    /// A thread all of whose times are over may as well count from just before.
    pub(super) fn forget_what_is_over(&mut self, longest: i128) {
        let over = self.at.slope == 0 && self.range.high + longest < self.at.constant;
        if over || self.thread.is_none() && self.at.slope == 0 {
            for job in &mut self.jobs {
                job.left = Affine::of(self.range.most(job.left));
            }
            self.range = Range::only(self.at.constant - longest - 1);
        }
    }

    /// The phases and jobs, with times counted from `origin`.
    pub(super) fn met_from(&self, origin: i128) -> Met {
        Met {
            range: self.range.moved(-origin),
            jobs: counted_from(&self.jobs, origin),
        }
    }

    /// The same in phases, and with jobs, whose times are counted from `origin`.
    pub(super) fn with(&self, met: Met, origin: i128) -> State {
        State {
            range: met.range.moved(origin),
            jobs: counted_from(&met.jobs, -origin),
            ..self.clone()
        }
    }
}
