//! Tasks, in groups that are released together.

use core::cell::Cell;

use crate::micro::{Program, Trigger};
use crate::{Rank, Ref, Thread, record};

record! {
    /// Tasks of one process that are always released at one instant and with one deadline,
    /// whose numbers follow one another.
    ///
    /// As a rule they are a *ring*: linked for good, in the order of their numbers, so that
    /// a release only opens their rank and a completion only moves its head. The Ring
    /// Invariant: those from the head to the last have jobs, the others have none. What
    /// does not fit into that [takes the ring apart](crate::System::take_apart): then each
    /// task has a rank of its own and says itself how far its job is, until a release finds
    /// none with a job. If S code dispatches its tasks, which are apart always, such a
    /// release is a step of `epoch`, and a task learns of its job when it is dispatched.
    pub struct Group {
        /// Where the ring is ready; its deadline is that of the last release.
        pub(crate) rank: Rank,
        /// The first task.
        pub first: Ref<Task>,
        /// From release to deadline, in ticks.
        pub(crate) ticks: Cell<u32>,
        /// High word of the release.
        pub(crate) high: Cell<u32>,
        /// How often it was released.
        pub(crate) releases: Cell<u32>,
        /// Apart: the [`job`](Task::job) of those that have none; and how many have one.
        pub(crate) epoch: Cell<u32>,
        /// See `epoch`.
        pub(crate) left: Cell<u32>,
        /// What waits for the release or the completion of one of its tasks.
        pub(crate) watchers: Cell<Option<Ref<Trigger>>>,
        /// Bits of [`group_flag`].
        pub flags: Cell<u32>,
        /// What the trace says of a release, see [`giornata_abi::ring::members`].
        pub members: u32,
        /// In the order of their numbers.
        pub tasks: &'static [Task],
        /// Whose they are.
        pub program: Ref<Program>,
    }

    /// A task: a thread that runs one job for each release.
    pub struct Task {
        /// It.
        pub thread: Ref<Thread>,
        /// Its group.
        pub group: Ref<Group>,
        /// The first argument of a job: the user address of the task's block.
        pub argument: usize,
        /// Apart: where it is ready, if deadlines decide; and its deadline.
        pub(crate) rank: Rank,
        /// Apart: how far its job is, see [`job`].
        pub(crate) job: Cell<u32>,
        /// Releases that met a job which had not completed.
        pub(crate) skipped: Cell<u32>,
        /// Violations of its jobs since boot; for who asks how it stands.
        pub violations: Cell<u32>,
        /// What a violation's handler calls it.
        pub number: u32,
    }
}

/// Bits of [`Group::flags`].
pub mod group_flag {
    /// Its tasks are no ring now.
    pub const APART: u32 = 1;
    /// They never are one: fixed priorities decide, S code dispatches them, triggers wait
    /// for them, or the program can be replaced.
    pub const ALWAYS: u32 = 2;
    /// Their process is not alive.
    pub const DEAD: u32 = 4;
    /// They have fixed priorities.
    pub const FIXED: u32 = 8;
}

/// How far the job of a task that is apart is: [`Task::job`] less the group's epoch.
pub mod job {
    /// Beside the others: its last job was stopped, or did not begin, and what it puts out
    /// is not to be copied.
    pub const STOPPED: u32 = 1;
    /// From one epoch to the next: a task has no job in its group's, a new one in that
    /// before it.
    pub const EPOCH: u32 = 2;
    /// It is released, and the task knows of it.
    pub const BEGUN: u32 = 2 * EPOCH;
}
