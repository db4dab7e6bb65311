//! Threads: ordinary ones, tasks (one job per release) and upcalls.
//!
//! ```text
//!              start / release (1)
//!   Dormant ------------------------> Ready <----------------+
//!      ^  \                           |  ^                   |
//!      |   \ release, S code says     |  | permit (3)        | wake (5)
//!      |    \ not now (2)             |  |                   |
//!      |     +----------------------> Held                   |
//!      |                              |                      |
//!      +---- complete, exit, stop (4) +---> Sleeping, Awaiting, ...
//! ```
//! (1) `boot`, `release`; (2) its program is governed by S code that does not
//! dispatch it; (3) `permit`/`govern`, and back; (4) system calls `complete`
//! and `exit`, an exceeded budget, the death of the process; (5) the agenda, an
//! interrupt, who gives back what it waits for. An upcall's thread stays Dormant: while its upcall runs the hart
//! is in a reaction and looks at no queue.

use giornata_abi::{Instant, Ticks};

/// Where a thread stands; see the drawing above.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum State {
    /// Has nothing to do: not started, ended, or between two jobs.
    Dormant,
    /// In the ready queue; the current thread is there too.
    Ready,
    /// A released task that S code does not dispatch now.
    Held,
    /// In the agenda until an instant.
    Sleeping,
    /// Waits for an interrupt.
    Awaiting,
    /// Waits for an interrupt that cannot come before an instant.
    Throttled,
    /// Waits for an object.
    Waiting,
    /// Waits for the end of a thread, or of a process.
    Joining,
}

impl State {
    /// Whether what it waits for may be an instant.
    pub(crate) fn has_instant(self) -> bool {
        matches!(
            self,
            State::Sleeping | State::Throttled | State::Waiting | State::Joining
        )
    }
}

/// What the kernel knows of one thread beside its registers.
#[derive(Clone, Copy, Debug)]
pub struct Thread {
    pub(crate) state: State,
    /// The last job was stopped: its outputs are not to be copied.
    pub(crate) stopped: bool,
    /// S code of its program decides when it runs.
    pub(crate) governed: bool,
    /// S code permits it the processor.
    pub(crate) permitted: bool,
    /// The deadline lies beyond the span of keys; the agenda will renew the key.
    pub(crate) parked: bool,
    /// It is queued at the level of a ceiling, not at its own.
    pub(crate) lifted: bool,
    pub(crate) priority: u8,
    pub(crate) generation: u16,
    /// Jobs released so far.
    pub(crate) job: u32,
    /// Absolute deadline of the job, or of a deadline thread.
    pub(crate) deadline: Instant,
    /// Execution time since the start.
    pub(crate) spent: Ticks,
    /// `spent` when the job was released.
    pub(crate) spent_before: Ticks,
    /// What is left of the job's budget, or of the quantum.
    pub(crate) left: Ticks,
}

impl Thread {
    /// A thread that has nothing to do.
    pub const EMPTY: Thread = Thread {
        state: State::Dormant,
        stopped: false,
        governed: false,
        permitted: false,
        parked: false,
        lifted: false,
        priority: 0,
        generation: 0,
        job: 0,
        deadline: Instant::START,
        spent: Ticks(0),
        spent_before: Ticks(0),
        left: Ticks(u64::MAX),
    };

    /// Where it stands.
    pub fn state(&self) -> State {
        self.state
    }

    /// Whether it is a task with an uncompleted job.
    pub(crate) fn is_busy(&self) -> bool {
        self.state != State::Dormant
    }
}
