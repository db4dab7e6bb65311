//! The same system under another scheduler: a change of the model, not of the
//! kernel.

use giornata_abi::Opcode;
use giornata_abi::module::Module;
use giornata_abi::system::Policy;
use giornata_system::Model;

/// How the tasks of a system are scheduled where no S code says otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scheduler {
    /// By the deadlines of their releases.
    EarliestDeadline,
    /// By fixed priorities: the shorter a task's relative deadline, the higher.
    RateMonotonic,
    /// In the order of their releases, each to its end.
    FirstInFirstOut,
}

impl Scheduler {
    /// Every scheduler.
    pub const ALL: [Scheduler; 3] = [
        Scheduler::EarliestDeadline,
        Scheduler::RateMonotonic,
        Scheduler::FirstInFirstOut,
    ];

    /// The policy and priority of each of some tasks with these shortest relative
    /// deadlines, where deadlines are scheduled at the level of priority `band`. Fixed
    /// priorities lie just below it, so that other threads stand as they did.
    pub fn policies(self, deadlines: &[u64], band: u8) -> Vec<(Policy, u8)> {
        let mut ranks = deadlines.to_vec();
        ranks.sort_unstable();
        ranks.dedup();
        let highest = band - 1;
        let policy = |deadline: &u64| match self {
            Scheduler::EarliestDeadline => (Policy::Deadline, 0),
            Scheduler::RateMonotonic => {
                let rank = ranks.partition_point(|other| other < deadline);
                let below = u8::try_from(rank).unwrap_or(u8::MAX);
                (Policy::Fifo, highest.saturating_sub(below))
            }
            Scheduler::FirstInFirstOut => (Policy::Fifo, highest),
        };
        deadlines.iter().map(policy).collect()
    }

    /// Schedules every task of the system this way.
    pub fn apply(self, model: &mut Model) {
        let deadlines = shortest_deadlines(model);
        let tasks: Vec<u64> = deadlines.iter().copied().flatten().collect();
        let policies = self.policies(&tasks, model.deadline_band);
        let threads = model.threads.iter_mut().zip(deadlines);
        let tasks = threads.filter(|(_, deadline)| deadline.is_some());
        for ((thread, _), policy) in tasks.zip(policies) {
            (thread.policy, thread.priority) = policy;
        }
    }
}

/// For each thread that is a task: the shortest relative deadline of its
/// releases, in ns.
pub fn shortest_deadlines(model: &Model) -> Vec<Option<u64>> {
    let threads = model.threads.iter();
    let mut shortest: Vec<Option<u64>> = threads
        .map(|thread| thread.task.is_some().then_some(u64::MAX))
        .collect();
    for program in &model.programs {
        let Ok(module) = Module::parse(&program.module) else {
            continue;
        };
        let instructions = module.instructions();
        for release in instructions.filter(|i| i.opcode() == Some(Opcode::Release)) {
            if let Some(task) = program.tasks.get(usize::from(release.a))
                && let Some(duration) = module.duration(release.b)
                && let Some(Some(least)) = shortest.get_mut(usize::from(*task))
            {
                *least = duration.nanos.min(*least);
            }
        }
    }
    shortest
}
