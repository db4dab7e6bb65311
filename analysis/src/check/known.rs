//! The states that were followed, and what they can do for others.

use giornata_abi::Duration;

use super::{Checker, Reference, State};
use crate::job::Job;

/// A job as it tells states apart. Its deadline does: E code can release a task
/// with one or another, and go on alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct KnownJob {
    task: u16,
    /// Counted from the state.
    deadline: Duration,
    left: Duration,
    started: bool,
}

/// The jobs of a state that was followed, by task.
pub(super) type Known = Vec<KnownJob>;

impl Checker<'_> {
    /// Notes a state; whether no state that was followed can do all it can.
    pub(super) fn enter(&mut self, state: &State) -> bool {
        let mut key = Vec::new();
        state.agenda.key(state.at, &mut key);
        for thread in &state.threads {
            let Reference { time, slack } = thread.reference;
            let since = state.at.0.wrapping_sub(time.nanos);
            let fraction = u64::from(time.remainder) << 17;
            key.push(u64::from(thread.pc) | u64::from(thread.is_new) << 16 | fraction);
            let counts = u64::from(self.threads.counts_time());
            key.extend([since * counts, slack.0 * counts]);
        }
        let jobs = state.jobs.iter().zip(&state.started);
        let job = |(job, started): (&Job, &bool)| KnownJob {
            task: job.task,
            deadline: job.deadline.since(state.at),
            left: job.left,
            started: *started,
        };
        let mut known: Known = jobs.map(job).collect();
        known.sort_unstable_by_key(|job| job.task);
        let looked_at = |task: u16| {
            let pcs = state.threads.iter().map(|thread| thread.pc);
            self.threads.looks_at(pcs, task)
        };
        let covers = |other: &Known| covers(other, &known, looked_at);
        let others = self.seen.get(&key);
        if others.is_some_and(|others| others.iter().any(covers)) {
            return false;
        }
        self.seen.entry(key).or_default().push(known);
        self.checked.states += 1;
        true
    }
}

/// Whether a state with these jobs can do all that one with those can.
fn covers(these: &Known, those: &Known, looked_at: impl Fn(u16) -> bool) -> bool {
    let find = |jobs: &Known, wanted: &KnownJob| {
        let is_it = |job: &&KnownJob| (job.task, job.deadline) == (wanted.task, wanted.deadline);
        jobs.iter().find(is_it).copied()
    };
    let all_within = those.iter().all(|job| {
        find(these, job).is_some_and(|more| more.left >= job.left && more.started >= job.started)
    });
    let mut surplus = these.iter().filter(|job| find(those, job).is_none());
    all_within && !surplus.any(|job| looked_at(job.task))
}
