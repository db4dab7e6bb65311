//! What several harts need beside the records of one.

use core::cell::Cell;

use crate::{Hart, Ref, Thread, record};

/// Harts at most.
#[cfg_attr(not(feature = "harts"), allow(unreachable_pub))]
pub const MOST: usize = 8;

record! {
    /// A hart among several.
    ///
    /// What it reads and writes of itself lies in front, in a line of its cache that it keeps.
    /// Behind lies what others look at and write when they interrupt it: one line.
    pub struct Member {
        /// Whom it runs.
        pub current: Cell<Ref<Thread>>,
        /// 1: whom it runs has a limit, see [`Hart::alarm`].
        pub limited: Cell<u32>,
        /// 1: it takes what is due.
        pub(crate) rings: Cell<u32>,
        /// (so that the line ends here)
        fill: [Cell<u32>; 2],
        /// Its number; 0 takes the timer and the lines.
        pub number: u32,
        /// 1: it runs no thread but its idle one.
        pub apart: Cell<u32>,
        /// The entry in whose place it runs whom it runs.
        pub entry: Cell<Ref<Thread>>,
        /// 1: it has been interrupted, and has not come yet; 2: by itself, to look on.
        pub kicked: Cell<u32>,
        /// 1: it has loaded rights that the process has no more.
        pub stale: Cell<u32>,
        /// Whom it was interrupted for,
        pub(crate) chosen: Cell<Option<Ref<Thread>>>,
        /// in whose place,
        pub(crate) chosen_entry: Cell<Ref<Thread>>,
        /// and in which placing: it counts while that is the last.
        pub(crate) chosen_mark: Cell<u32>,
    }

    /// What the harts share.
    pub struct Harts {
        /// The lock: the next ticket, and the one that has it.
        pub lock: [Cell<u32>; 2],
        /// What changed since the last placing: not 0, if who runs may have.
        pub changed: Cell<u32>,
        /// Who was queued, or taken out, if that is all that changed.
        pub(crate) subject: Cell<Option<Ref<Thread>>>,
        /// The hart that has the lock. (Boot says where the first is, before anybody asks.)
        pub here: Cell<Ref<Hart>>,
        /// The last entry that was placed, if all of them run themselves; none: it is to be
        /// found anew.
        pub(crate) edge: Cell<Option<Ref<Thread>>>,
        /// The number of the last placing: who was placed there has it.
        pub mark: Cell<u32>,
        /// Harts that run threads.
        pub count: u32,
        /// 1: hart 0 is not among them. It takes the timer and the lines, and runs its idle
        /// thread.
        pub apart: u32,
        /// All harts.
        pub all: [Cell<Option<Ref<Hart>>>; MOST],
        /// (so that the lists of the agenda, four firsts to a line, begin one)
        fill: [Cell<u32>; 5],
    }

    /// On which hart a thread runs.
    pub struct Placement {
        /// None: on none.
        pub hart: Cell<Option<Ref<Hart>>>,
    }

    /// The last placing of which a thread was one of the first. Other harts write it, so it lies
    /// in a line that the way in and out of the kernel does not need.
    pub struct Placing {
        /// Its number.
        pub mark: Cell<u32>,
        /// (so that registers and alarm, which lie behind, each begin a line)
        fill: [Cell<u32>; 3],
    }

    /// (So that a thread has whole lines of a cache.)
    pub struct Rest {
        fill: [Cell<u32>; 6],
    }
}

#[cfg(feature = "harts")]
impl Hart {
    /// A hart that runs its idle thread.
    pub fn new(number: u32, idle: Ref<Thread>) -> Hart {
        use crate::layout::OnSeveral;
        let member = Member {
            current: Cell::new(idle),
            limited: Cell::new(0),
            rings: Cell::new(0),
            fill: [const { Cell::new(0) }; 2],
            number,
            apart: Cell::new(0),
            entry: Cell::new(idle),
            kicked: Cell::new(0),
            stale: Cell::new(0),
            chosen: Cell::new(None),
            chosen_entry: Cell::new(idle),
            chosen_mark: Cell::new(0),
        };
        Hart::with_member(idle, OnSeveral(member))
    }
}
