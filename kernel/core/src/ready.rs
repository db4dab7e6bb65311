//! The ready queue.
//!
//! Ready threads of one urgency are a ring, their [`Rank`]. Ranks in which a thread is
//! ready are *open* and form a list, most urgent first, so that what runs next when
//! a rank closes is one load away. A bitmap of levels finds the place of a rank that
//! opens below the top; a rank is marked there when another opens above it, so one
//! that comes and goes at the top costs no bits.
//!
//! A queued thread's urgency is never changed: it is removed and inserted anew.

use core::cell::Cell;
use core::hint::cold_path;

use crate::{Kernel, Outcome, Ref, Thread, differ, record, same, some};

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
        /// 0 if its level is in the bitmap, else 1.
        pub(crate) unmarked: Cell<u32>,
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

    /// The same among deadlines: of equal ones, that of the thread with the lower number.
    #[inline(never)]
    fn is_earlier(&self, other: &Rank) -> bool {
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

    /// The next less urgent rank in which a thread is ready, if this one is open.
    pub fn below(&self) -> Option<Ref<Rank>> {
        self.below.get()
    }
}

impl Kernel {
    /// The most urgent open rank.
    pub fn top(&self) -> Ref<Rank> {
        self.top.get()
    }

    /// The rank of a fixed priority.
    #[inline(always)]
    pub(crate) fn rank_of_priority(&self, priority: usize) -> Ref<Rank> {
        &self.ranks[!priority & 255]
    }

    /// The usual insertion without a call: nothing is odd, no thread of its urgency is
    /// ready, and it is the most urgent. Else false, and nothing has changed.
    #[inline(always)]
    pub(crate) fn opens_top_unless(
        &self,
        odd: usize,
        rank: Ref<Rank>,
        thread: Ref<Thread>,
    ) -> bool {
        let top = self.top.get();
        let odd = odd | some(rank.head.get()) | (top.unmarked.get() as usize);
        if odd != 0 || rank.level.get() >= top.level.get() {
            cold_path();
            return false;
        }
        self.put_on_top(rank, thread, top);
        true
    }

    /// The same where as a rule a lone thread has been interrupted, so that another rank
    /// has not been opened above the top yet.
    #[inline(always)]
    pub(crate) fn opens_above(&self, rank: Ref<Rank>, thread: Ref<Thread>) -> bool {
        let top = self.top.get();
        // (no rank above the top has a head)
        if rank.level.get() >= top.level.get() {
            cold_path();
            return false;
        }
        if top.unmarked.get() != 0 {
            cold_path();
            self.set_mark(top, true);
        }
        self.put_on_top(rank, thread, top);
        true
    }

    #[inline(always)]
    fn put_on_top(&self, rank: Ref<Rank>, thread: Ref<Thread>, top: Ref<Rank>) {
        rank.head.set(Some(thread));
        rank.below.set(Some(top));
        top.above.set(Some(rank));
        self.top.set(rank);
        self.slot.set(thread);
    }

    /// An insertion below the top without a call: no thread of this fixed priority is
    /// ready, and of those that are the most urgent alone are more urgent. Else false, and
    /// nothing has changed.
    #[inline(always)]
    pub(crate) fn opens_second(&self, rank: Ref<Rank>, thread: Ref<Thread>) -> bool {
        let top = self.top.get();
        let (Some(below), level) = (top.below.get(), rank.level.get()) else {
            cold_path();
            return false;
        };
        if (top.level.get() >= level) | (level >= below.level.get()) {
            cold_path();
            return false;
        }
        rank.head.set(Some(thread));
        rank.below.set(Some(below));
        rank.above.set(Some(top));
        below.above.set(Some(rank));
        top.below.set(Some(rank));
        self.set_mark(rank, true);
        true
    }

    /// 0 if a thread has its rank, which is the top and unmarked, for itself.
    #[inline(always)]
    pub(crate) fn shares_top(&self, me: Ref<Thread>, rank: Ref<Rank>) -> usize {
        differ(me.next.get(), me) | some(rank.above.get()) | (rank.unmarked.get() ^ 1) as usize
    }

    /// Any insertion, and who runs then; `me` goes on with 0 if it still has the turn.
    #[inline(never)]
    pub(crate) extern "C" fn insert_and_go(&self, me: Ref<Thread>, thread: Ref<Thread>) -> Outcome {
        self.insert(thread);
        self.go_from(me)
    }

    /// Queues a thread behind its equals.
    #[inline(never)]
    pub(crate) extern "C" fn insert(&self, thread: Ref<Thread>) {
        let rank = thread.rank.get();
        match rank.head.get() {
            None => self.open(rank, thread),
            Some(head) => link_before(thread, head),
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
        rank.head.set(Some(thread));
        if same(self.top.get(), rank) {
            self.slot.set(thread);
        }
    }

    /// Takes a thread out of the ready queue.
    #[inline(never)]
    pub(crate) extern "C" fn remove(&self, thread: Ref<Thread>) {
        let rank = thread.rank.get();
        let next = thread.next.get();
        if same(next, thread) {
            return self.close(rank);
        }
        unlink(thread);
        if rank.head.get().is_some_and(|head| same(head, thread)) {
            rank.head.set(Some(next));
            if same(self.slot.get(), thread) {
                self.slot.set(next);
            }
        }
    }

    /// Lists a rank that was empty.
    #[inline(never)]
    pub(crate) extern "C" fn open(&self, rank: Ref<Rank>, head: Ref<Thread>) {
        if !self.opens_top_unless(0, rank, head) {
            cold_path();
            self.open_any(rank, head);
        }
    }

    /// The same, wherever it stands then, and who runs.
    #[cfg(all(feature = "programs", feature = "fast"))]
    #[inline(never)]
    pub(crate) extern "C" fn open_and_go(&self, rank: Ref<Rank>, head: Ref<Thread>) -> Outcome {
        self.open_any(rank, head);
        self.go()
    }

    /// The same, wherever it stands then.
    #[inline(never)]
    extern "C" fn open_any(&self, rank: Ref<Rank>, head: Ref<Thread>) {
        let top = self.top.get();
        rank.head.set(Some(head));
        if !rank.is_above(top) {
            return self.open_below(rank);
        }
        if top.unmarked.get() != 0 {
            self.mark(top, true);
        }
        rank.below.set(Some(top));
        top.above.set(Some(rank));
        self.top.set(rank);
        self.slot.set(head);
    }

    /// Unlists a rank that has become empty. (The idle rank never does, so there is
    /// one below.)
    #[inline(never)]
    pub(crate) extern "C" fn close(&self, rank: Ref<Rank>) {
        let Some(below) = rank.below.get() else {
            return;
        };
        let above = rank.above.get();
        rank.head.set(None);
        if rank.unmarked.get() == 0 {
            cold_path();
            self.mark(rank, false);
        }
        below.above.set(above);
        match above {
            None => {
                self.top.set(below);
                if let Some(head) = below.head.get() {
                    self.slot.set(head);
                }
            }
            Some(above) => {
                above.below.set(Some(below));
                rank.above.set(None);
            }
        }
    }

    /// Puts the level of a rank into the bitmap, or takes it out.
    #[inline(never)]
    fn mark(&self, rank: &Rank, open: bool) {
        self.set_mark(rank, open);
    }

    #[inline(always)]
    fn set_mark(&self, rank: &Rank, open: bool) {
        let level = rank.level.get();
        rank.unmarked.set(!open as u32);
        if let Some(word) = self.open.get((level >> 5) as usize) {
            let bit = 1u32.wrapping_shl(level);
            let others = word.get() & !bit;
            word.set(if open { others | bit } else { others });
        }
    }

    /// Below the top: behind the nearest open level that is more urgent, then behind
    /// earlier deadlines. Those of one instant come in order, each behind the one
    /// before it, which `hint` remembers. O(open deadlines) else.
    #[inline(never)]
    fn open_below(&self, rank: Ref<Rank>) {
        let (level, hint) = (rank.level.get(), self.hint.get());
        let mut at = self.top.get();
        let is_second = at.below.get().is_some_and(|below| rank.is_above(below));
        if level == self.band {
            rank.unmarked.set(0);
            self.hint.set(rank);
            let is_hint = hint.head.get().is_some() && hint.level.get() == level;
            if is_hint && hint.is_above(rank) {
                at = hint;
            } else if !is_second {
                at = self.nearest_above(level);
            }
        } else {
            self.mark(rank, true);
            if !is_second {
                at = self.nearest_above(level);
            }
        }
        // the top precedes it, so `at` does
        while let Some(below) = at.below.get() {
            if rank.is_above(below) {
                rank.below.set(Some(below));
                rank.above.set(Some(at));
                below.above.set(Some(rank));
                at.below.set(Some(rank));
                return;
            }
            at = below;
        }
    }

    /// The open rank of a fixed priority that is more urgent than a level, and nearest;
    /// the top if none is marked. Ranks of the deadline band are walked, never named.
    #[inline(never)]
    fn nearest_above(&self, level: u32) -> Ref<Rank> {
        let mut mask = 1u32.wrapping_shl(level).wrapping_sub(1);
        let (band, others) = (self.band as usize >> 5, !1u32.wrapping_shl(self.band));
        let words = self.open.get(..=(level >> 5) as usize).unwrap_or(&[]);
        for (word, bits) in words.iter().enumerate().rev() {
            let mut bits = bits.get() & mask;
            if word == band {
                cold_path();
                bits &= others;
            }
            if bits != 0 {
                let level = word << 5 | highest(bits);
                return match level {
                    0 => self.top.get(),
                    _ => &self.ranks[(level - 1) & 255],
                };
            }
            mask = u32::MAX;
        }
        self.top.get()
    }
}

/// The number of the highest bit. (In halves: harts without an instruction for it would
/// take three times the bytes to count zeros at once.)
#[inline(always)]
fn highest(mut bits: u32) -> usize {
    let (mut number, mut width) = (0, 16);
    while width != 0 {
        if bits >> width != 0 {
            bits >>= width;
            number |= width;
        }
        width >>= 1;
    }
    number as usize
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
