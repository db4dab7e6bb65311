//! The phases in which places of the code were met.

use super::affine::{Affine, Range};
use super::phase::Waiting;
use crate::times::Times;

/// After so many times the jobs of a place are taken to have not yet run.
const MOST_WIDENINGS: usize = 8;

/// So many phases more, and those between are taken again.
const NEXT_PATIENCE: usize = 4;

/// Which phases of a place are taken together with all between them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Alike {
    /// Those in which the same jobs wait. What they need is the most of all.
    Jobs,
    /// Those in which it also depends on the phase to the same degree.
    Slopes,
    /// Those in which it is the same time, or the same function of the phase.
    Times,
}

/// How soon phases are taken together, and which.
#[derive(Clone, Copy, Debug)]
pub(super) struct Widening {
    /// After so many phases of one place.
    pub(super) patience: usize,
    pub(super) alike: Alike,
}

impl Widening {
    pub(super) const fn after(patience: usize, alike: Alike) -> Widening {
        Widening { patience, alike }
    }
}

/// Phases in which a place was met: times are counted from the next release.
#[derive(Clone, Debug)]
pub(super) struct Met {
    pub(super) range: Range,
    pub(super) jobs: Vec<Waiting>,
}

/// The same place in E code and S code.
#[derive(Clone, Debug, Default)]
pub(super) struct Place {
    met: Vec<Met>,
    widenings: usize,
}

/// Jobs whose times are counted from `origin`.
pub(super) fn counted_from(jobs: &[Waiting], origin: i128) -> Vec<Waiting> {
    let moved = |job: &Waiting| Waiting {
        deadline: job.deadline - origin,
        left: job.left.seen_from(origin),
        ..*job
    };
    let mut jobs: Vec<Waiting> = jobs.iter().map(moved).collect();
    jobs.sort_unstable_by_key(|job| job.task);
    jobs
}

impl Met {
    fn job(&self, wanted: &Waiting) -> Option<&Waiting> {
        let is_it = |job: &&Waiting| (job.task, job.deadline) == (wanted.task, wanted.deadline);
        self.jobs.iter().find(is_it)
    }

    /// The phases in which this can do all that the other can.
    fn covers(&self, other: &Met, looked_at: impl Fn(u16) -> bool) -> Option<Range> {
        let mut surplus = self.jobs.iter().filter(|job| other.job(job).is_none());
        if surplus.any(|job| looked_at(job.task)) {
            return None;
        }
        let mut range = self.range;
        for job in &other.jobs {
            let more = self.job(job).filter(|more| more.started >= job.started)?;
            range = range.where_no_less(more.left, job.left);
        }
        Some(range)
    }

    /// Whether they are taken together.
    fn is_like(&self, other: &Met, alike: Alike) -> bool {
        let is_alike = |one: Affine, other: Affine| match alike {
            Alike::Jobs => true,
            Alike::Slopes => one.slope == other.slope,
            Alike::Times => one == other,
        };
        let is_there = |job: &Waiting| other.job(job).is_some_and(|o| is_alike(o.left, job.left));
        self.jobs.len() == other.jobs.len() && self.jobs.iter().all(is_there)
    }
}

impl Place {
    /// Notes phases of the place; what of them is new. If there
    /// are many that is more than was asked. O(phases of the place).
    pub(super) fn meet(
        &mut self,
        new: Met,
        looked_at: impl Fn(u16) -> bool + Copy,
        widening: Widening,
        times: &Times,
    ) -> Vec<Met> {
        let covered = |met: &Met| met.covers(&new, looked_at);
        let mut pieces = vec![new.range];
        for covered in self.met.iter().filter_map(covered) {
            let rest = |range: Range| range.without(covered);
            pieces = pieces.into_iter().flat_map(rest).collect();
        }
        let piece = |range| Met {
            range,
            ..new.clone()
        };
        let mut fresh: Vec<Met> = pieces.into_iter().map(piece).collect();
        if !fresh.is_empty() && self.is_crowded(&new, widening) {
            fresh = vec![self.widened(new, widening.alike, times)];
        }
        self.met.extend_from_slice(&fresh);
        fresh
    }

    fn is_crowded(&self, new: &Met, widening: Widening) -> bool {
        let is_like = |met: &&Met| met.is_like(new, widening.alike);
        let like = self.met.iter().filter(is_like).count();
        match self.widenings {
            0 => like >= widening.patience,
            _ => like >= NEXT_PATIENCE,
        }
    }

    /// One that takes in the new one, all like it, and what is between them.
    fn widened(&mut self, new: Met, alike: Alike, times: &Times) -> Met {
        let is_like = |met: &Met| met.is_like(&new, alike);
        let (like, rest): (Vec<Met>, _) = self.met.drain(..).partition(is_like);
        self.met = rest;
        self.widenings += 1;
        let mut wide = new;
        for job in wide.jobs.iter_mut().filter(|_| alike == Alike::Jobs) {
            job.left = Affine::of(wide.range.most(job.left));
        }
        for met in &like {
            wide.range = wide.range.hull(met.range);
            for job in &mut wide.jobs {
                let other = met.job(job).copied().unwrap_or(*job);
                let more = met.range.most(other.left.less(job.left)).max(0);
                (job.left, job.started) = (job.left.plus(more), job.started | other.started);
            }
        }
        // between them it may say of a job that it needs less than nothing
        for job in &wide.jobs {
            wide.range = wide.range.where_no_less(job.left, Affine::of(0));
        }
        if self.widenings > MOST_WIDENINGS && alike == Alike::Jobs {
            for job in &mut wide.jobs {
                job.left = Affine::of(times.of_task(job.task).0.into());
            }
        }
        wide
    }
}
