//! The same system under another scheduler: a change of the tables, not of the
//! kernel.

use crate::tables::Tables;
use giornata_abi::Opcode;
use giornata_abi::system::{Policy, ThreadKind};

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

    /// Schedules every task of the system this way. Fixed priorities lie just
    /// below the deadline band, so that other threads stand as they did.
    pub fn apply(self, tables: &mut Tables) {
        let deadlines = shortest_deadlines(tables);
        let highest = tables.header.deadline_band.min(255) as usize;
        let mut ranks: Vec<u64> = deadlines.iter().flatten().copied().collect();
        ranks.sort_unstable();
        ranks.dedup();
        for (entry, deadline) in tables.threads.iter_mut().zip(deadlines) {
            let Some(deadline) = deadline else { continue };
            let rank = ranks.partition_point(|other| *other < deadline);
            (entry.policy, entry.priority) = match self {
                Scheduler::EarliestDeadline => (Policy::Deadline as u8, 0),
                Scheduler::RateMonotonic => {
                    (Policy::Fifo as u8, highest.saturating_sub(rank) as u8)
                }
                Scheduler::FirstInFirstOut => (Policy::Fifo as u8, highest as u8),
            };
        }
    }
}

/// For each thread that is a task: the shortest relative deadline of its
/// releases, in ns.
pub fn shortest_deadlines(tables: &Tables) -> Vec<Option<u64>> {
    let mut shortest: Vec<Option<u64>> = tables
        .threads
        .iter()
        .map(|entry| (entry.kind == ThreadKind::Task as u8).then_some(u64::MAX))
        .collect();
    for program in &tables.programs {
        let code = program.code as usize..(program.code + program.code_length) as usize;
        for instruction in tables.instructions.get(code).unwrap_or(&[]) {
            if instruction.opcode() != Some(Opcode::Release) {
                continue;
            }
            let tasks = program.tasks.of(&tables.links);
            let durations = program.durations.of(&tables.durations);
            if let Some(task) = tasks.get(instruction.a as usize)
                && let Some(duration) = durations.get(instruction.b as usize)
                && let Some(Some(least)) = shortest.get_mut(*task as usize)
            {
                *least = duration.nanos.min(*least);
            }
        }
    }
    shortest
}
