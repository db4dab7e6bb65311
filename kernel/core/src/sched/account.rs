//! What the policies of POSIX.1 2.8.4 keep of a thread, and its CPU-time timer: see `posix`.
//! Systems whose kernel has that part have an account for each thread, others none.

use core::cell::Cell;

use giornata_abi::posix::policy::REPLENISHMENTS;

use crate::sched::agenda::Alarm;
use crate::{Rank, Ref, Thread, record};

record! {
    /// The account of a thread.
    pub struct Account {
        /// A sporadic server that has used its budget up: its next replenishment.
        pub(crate) alarm: Alarm,
        /// Its place when it has deadlines, in their band.
        pub(crate) rank: Rank,
        /// One of [`giornata_abi::posix::policy`].
        pub(crate) policy: Cell<u8>,
        /// Its alarm is set.
        pub(crate) is_armed: Cell<u8>,
        /// It has its higher priority.
        pub(crate) is_high: Cell<u8>,
        /// It has a CPU-time timer.
        pub(crate) has_timer: Cell<u8>,
        /// Its priorities.
        pub(crate) high: Cell<Option<Ref<Rank>>>,
        pub(crate) low: Cell<Option<Ref<Rank>>>,
        /// Ticks of its quantum, or of its budget.
        pub(crate) budget: Cell<u32>,
        /// Ticks from an activation to the replenishment of what was used then, or to its
        /// deadline.
        pub(crate) period: Cell<u32>,
        /// Replenishments that can be pending.
        pub(crate) most: Cell<u32>,
        /// What it could use when it was activated.
        pub(crate) capacity: Cell<u32>,
        /// When that was,
        pub(crate) activated: Cell<u32>,
        pub(crate) activated_high: Cell<u32>,
        /// and what it had run before. Of one that takes turns: before its turn.
        pub(crate) before: Cell<u32>,
        /// The quantum or budget of the system file holds beside all this: what it had run
        /// when that began.
        pub(crate) turn: Cell<u32>,
        /// Replenishments that are pending, in the order of their instants: a ring, its first,
        pub(crate) first: Cell<u32>,
        /// and how many there are.
        pub(crate) count: Cell<u32>,
        pub(crate) due: [Cell<u32>; REPLENISHMENTS],
        pub(crate) due_high: [Cell<u32>; REPLENISHMENTS],
        pub(crate) amount: [Cell<u32>; REPLENISHMENTS],
        /// What it may have run until its timer expires,
        pub(crate) timer: Cell<u32>,
        pub(crate) timer_high: Cell<u32>,
        /// and whom that wakes, if it sleeps.
        pub(crate) watcher: Cell<Option<Ref<Thread>>>,
    }
}
