//! Jobs that are released and not completed, and who runs first among them.

use giornata_abi::{Duration, Instant};

/// A released job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Job {
    /// Its task.
    pub task: u16,
    /// How many jobs of the task came before it.
    pub number: u32,
    /// When it was released.
    pub release: Instant,
    /// When it must have completed.
    pub deadline: Instant,
    /// Time that it still needs in the worst case.
    pub left: Duration,
}

impl Job {
    /// The job as seen from `now`: what tells states apart.
    pub(crate) fn key(&self, now: Instant, key: &mut Vec<u64>) {
        let deadline = self.deadline.0.wrapping_sub(now.0);
        let release = now.0.wrapping_sub(self.release.0);
        key.extend([self.task.into(), self.left.0, deadline, release]);
    }
}

/// A stretch of time in which one job runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segment {
    /// The task.
    pub task: u16,
    /// Which of its jobs, from 0.
    pub number: u32,
    /// When it begins to run.
    pub from: Instant,
    /// When it stops.
    pub until: Instant,
    /// Whether the job completes then.
    pub completes: bool,
}

/// Why a program is not time-safe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Breach {
    /// A job had not completed at its deadline.
    Late {
        /// The job, with what it still needs.
        job: Job,
    },
    /// A driver touched the ports of an uncompleted job.
    Touched {
        /// The job.
        job: Job,
        /// When.
        at: Instant,
    },
    /// A task was released before its job had completed.
    Released {
        /// The job.
        job: Job,
        /// When.
        at: Instant,
    },
    /// A job had not completed at the next release, as synchronous code must.
    Unfinished {
        /// The job.
        job: Job,
        /// When.
        at: Instant,
    },
    /// Another thread of S code dispatched at the same time.
    Shared {
        /// The job that it dispatched.
        job: Job,
        /// When.
        at: Instant,
    },
}

impl Breach {
    /// The job that should have completed.
    pub const fn job(&self) -> &Job {
        match self {
            Breach::Late { job }
            | Breach::Touched { job, .. }
            | Breach::Released { job, .. }
            | Breach::Unfinished { job, .. }
            | Breach::Shared { job, .. } => job,
        }
    }

    /// When it shows.
    pub const fn at(&self) -> Instant {
        match self {
            Breach::Late { job } => job.deadline,
            Breach::Touched { at, .. }
            | Breach::Released { at, .. }
            | Breach::Unfinished { at, .. }
            | Breach::Shared { at, .. } => *at,
        }
    }
}
