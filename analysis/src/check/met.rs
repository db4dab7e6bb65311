//! The phases in which places of the code were met.

use super::affine::{Affine, Range};
use super::phase::Waiting;
use crate::times::Times;

/// After so many times the jobs of a place are taken to have not yet run.
const MOST_WIDENINGS: usize = 8;

/// So many phases more, and those between are taken again.
const NEXT_PATIENCE: usize = 4;

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

    /// Whether they differ in times only.
    fn is_like(&self, other: &Met) -> bool {
        let is_there = |job: &Waiting| other.job(job).is_some();
        self.jobs.len() == other.jobs.len() && self.jobs.iter().all(is_there)
    }
}

impl Place {
    /// Notes phases of the place; what of them is new. After `patience` of a kind
    /// that is more than was asked. O(phases of the place).
    pub(super) fn meet(
        &mut self,
        new: Met,
        looked_at: impl Fn(u16) -> bool + Copy,
        patience: usize,
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
        if !fresh.is_empty() && self.is_crowded(&new, patience) {
            fresh = vec![self.widened(new, times)];
        }
        self.met.extend_from_slice(&fresh);
        fresh
    }

    fn is_crowded(&self, new: &Met, patience: usize) -> bool {
        let like = self.met.iter().filter(|met| met.is_like(new)).count();
        match self.widenings {
            0 => like >= patience,
            _ => like >= NEXT_PATIENCE,
        }
    }

    /// One that takes in the new one, all like it, and what is between them.
    fn widened(&mut self, new: Met, times: &Times) -> Met {
        let (like, rest): (Vec<Met>, _) = self.met.drain(..).partition(|met| met.is_like(&new));
        self.met = rest;
        self.widenings += 1;
        let mut wide = new;
        for job in &mut wide.jobs {
            job.left = Affine::of(wide.range.most(job.left));
        }
        for met in &like {
            wide.range = wide.range.hull(met.range);
            for job in &mut wide.jobs {
                let other = met.job(job).copied().unwrap_or(*job);
                let left = met.range.most(other.left).max(job.left.constant);
                (job.left, job.started) = (Affine::of(left), job.started | other.started);
            }
        }
        if self.widenings > MOST_WIDENINGS {
            for job in &mut wide.jobs {
                job.left = Affine::of(times.of_task(job.task).0.into());
            }
        }
        wide
    }
}
