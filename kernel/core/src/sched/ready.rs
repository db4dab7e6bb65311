//! The ready queue.
//!
//! Ready threads of one urgency are a ring, their [`Rank`]. Ranks in which a thread is
//! ready are *open*. Which of them is the most urgent, a list tells, or the task manager
//! where there is one.
//!
//! A queued thread's urgency is never changed: it is removed and inserted anew.

use core::cell::Cell;
use core::hint::cold_path;

#[cfg(not(feature = "rtm"))]
mod listed;
#[cfg(feature = "rtm")]
mod managed;

use crate::layout::{Shape, Shaped};
use crate::{Alarm, Outcome, Ref, System, Thread, record, same};

/// Levels, 0 the most urgent: reactions; fixed priorities 255 to 0; streams; idle.
pub mod level {
    /// Upcalls and the machine that runs microcode.
    pub const REACTION: u32 = 0;
    /// Of fixed priority 0; of priority p, this less p.
    pub const LOWEST: u32 = 256;
    /// Tasks of streams.
    pub const STREAM: u32 = 257;
    /// The idle thread.
    pub const IDLE: u32 = 258;
}

/// Words of the bitmap of levels.
pub const LEVELS: usize = 9;
/// Records that a task manager has at most.
pub const TASK_RECORDS: usize = 256;
/// What the records of a task manager stand for: the builder lays them, if there is one.
#[cfg(feature = "rtm")]
#[derive(Clone, Copy)]
#[repr(transparent)]
pub struct TaskRecords(pub(crate) Ref<[TaskRecord; TASK_RECORDS]>);
/// There are none: a word that is there for the builder, which lays the same records for every
/// kernel, and that this kernel never reads.
#[cfg(not(feature = "rtm"))]
#[derive(Clone, Copy)]
#[repr(transparent)]
pub struct TaskRecords(#[allow(dead_code)] Option<Ref<[TaskRecord; TASK_RECORDS]>>);

impl Shaped for TaskRecords {
    // (the same for the builder, which does not know what the kernel is made of)
    const SHAPE: Shape = Shape::Link;
}

record! {
    /// The ready threads of one urgency.
    pub struct Rank {
        /// Whose turn is next.
        pub(crate) head: Cell<Option<Ref<Thread>>>,
        /// 0 is the most urgent, see [`level`].
        pub(crate) level: Cell<u32>,
        /// Open neighbours.
        pub(crate) above: Cell<Option<Ref<Rank>>>,
        pub(crate) below: Cell<Option<Ref<Rank>>>,
        /// Inside the deadline band: low word of the absolute deadline.
        pub(crate) deadline: Cell<u32>,
        /// 0 if its level is in the bitmap, else 1. With a task manager: the offset of its
        /// record.
        pub(crate) unmarked: Cell<u32>,
    }
}

record! {
    /// What a record of the task manager stands for: an open rank, or an alarm.
    pub struct TaskRecord {
        /// (the idle rank, if the record is for an alarm, or there is none of this number)
        pub(crate) rank: Cell<Option<Ref<Rank>>>,
        /// (some alarm, if the record is for ranks)
        pub(crate) alarm: Ref<Alarm>,
    }
}

impl Rank {
    /// *The* order. There is one rank to each fixed level; live deadlines span less
    /// than 2^31 ticks.
    #[inline(always)]
    pub fn is_above(&self, other: &Rank) -> bool {
        let (own, level) = (self.level.get(), other.level.get());
        if own == level {
            cold_path();
            return self.is_earlier(other);
        }
        own < level
    }

    /// The same, out of line.
    #[inline(never)]
    pub(crate) fn precedes(&self, other: &Rank) -> bool {
        self.is_above(other)
    }

    /// The same among deadlines, out of line.
    #[inline(never)]
    fn is_earlier(&self, other: &Rank) -> bool {
        self.is_earlier_at_once(other)
    }

    /// The same as [`is_above`](Self::is_above) without a call.
    #[cfg(feature = "harts")]
    #[inline(always)]
    pub(crate) fn is_above_at_once(&self, other: &Rank) -> bool {
        let (own, level) = (self.level.get(), other.level.get());
        match own == level {
            true => self.is_earlier_at_once(other),
            false => own < level,
        }
    }

    /// Of two deadlines: of equal ones, that of the thread with the lower number.
    #[inline(always)]
    fn is_earlier_at_once(&self, other: &Rank) -> bool {
        let (own, deadline) = (self.deadline.get(), other.deadline.get());
        if own != deadline {
            return crate::before(own, deadline);
        }
        match (self.head.get(), other.head.get()) {
            (Some(head), Some(other)) => head.label < other.label,
            _ => false,
        }
    }

    /// 0 is the most urgent, see [`level`].
    pub fn level(&self) -> u32 {
        self.level.get()
    }

    /// Inside the deadline band: low word of the absolute deadline.
    pub fn deadline(&self) -> u32 {
        self.deadline.get()
    }

    /// Whose turn is next.
    pub fn head(&self) -> Option<Ref<Thread>> {
        self.head.get()
    }
}

impl System {
    /// The most urgent open rank.
    pub fn top(&self) -> Ref<Rank> {
        self.top.get()
    }

    /// The rank of a fixed priority.
    #[inline(always)]
    pub(crate) fn rank_of_priority(&self, priority: usize) -> Ref<Rank> {
        &self.ranks[!priority & 255]
    }

    /// Any insertion, and who runs then; `me` goes on with 0 if it still has the turn.
    #[inline(never)]
    pub(crate) extern "C" fn insert_and_dispatch(
        &self,
        me: Ref<Thread>,
        thread: Ref<Thread>,
    ) -> Outcome {
        self.insert(thread);
        self.dispatch_from(me)
    }

    /// Queues a thread behind its equals.
    #[inline(never)]
    pub(crate) extern "C" fn insert(&self, thread: Ref<Thread>) {
        let rank = thread.rank.get();
        match rank.head.get() {
            None => self.open(rank, thread),
            Some(head) => {
                self.note_queued(thread);
                link_before(thread, head);
            }
        }
    }

    /// Queues a thread in front of its equals; behind the idle thread, though, which is
    /// always the first of its rank.
    #[inline(never)]
    pub(crate) extern "C" fn insert_first(&self, thread: Ref<Thread>) {
        let rank = thread.rank.get();
        self.insert(thread);
        if rank.level.get() == level::IDLE {
            return;
        }
        self.note_change();
        rank.head.set(Some(thread));
        if same(self.top.get(), rank) {
            self.first.set(thread);
        }
    }

    /// The same, wherever it stands then, and who runs.
    #[cfg(all(feature = "programs", feature = "fast"))]
    #[inline(never)]
    pub(crate) extern "C" fn open_and_dispatch(
        &self,
        rank: Ref<Rank>,
        head: Ref<Thread>,
    ) -> Outcome {
        self.open_any(rank, head);
        self.dispatch()
    }

    /// Takes a thread out of the ready queue.
    #[inline(never)]
    pub(crate) extern "C" fn remove(&self, thread: Ref<Thread>) {
        let (rank, next) = (thread.rank.get(), thread.next.get());
        if !same(next, thread) {
            return self.remove_from_ring(thread, rank, next);
        }
        self.close_any(rank);
    }

    /// The same of one that has equals, so that the usual case saves no registers.
    #[cold]
    #[inline(never)]
    extern "C" fn remove_from_ring(&self, thread: Ref<Thread>, rank: Ref<Rank>, next: Ref<Thread>) {
        self.note_removed(thread);
        unlink(thread);
        if rank.head.get().is_some_and(|head| same(head, thread)) {
            rank.head.set(Some(next));
            if same(self.first.get(), thread) {
                self.first.set(next);
            }
        }
    }
}

/// Into a ring, in front of `at`.
#[inline(never)]
pub(crate) extern "C" fn link_before(thread: Ref<Thread>, at: Ref<Thread>) {
    link(thread, at);
}

/// The same without a call.
#[inline(always)]
pub(crate) fn link(thread: Ref<Thread>, at: Ref<Thread>) {
    let prev = at.prev.get();
    thread.next.set(at);
    thread.prev.set(prev);
    prev.next.set(thread);
    at.prev.set(thread);
}

/// Out of a ring.
#[inline(never)]
pub(crate) extern "C" fn unlink(thread: Ref<Thread>) {
    let (next, prev) = (thread.next.get(), thread.prev.get());
    prev.next.set(next);
    next.prev.set(prev);
    thread.next.set(thread);
    thread.prev.set(thread);
}
