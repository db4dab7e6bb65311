//! Open ranks as a list, most urgent first, so that what runs next when a rank closes is one
//! load away. A bitmap of levels finds the place of a rank that opens below the top; a rank
//! is marked there when another opens above it, so one that comes and goes at the top costs no
//! bits.

use core::hint::cold_path;

use crate::sched::epoch::keep;
use crate::{Rank, Ref, System, Thread, differ, same, some};

impl System {
    /// The most urgent open rank, from which [`next_rank`](Self::next_rank) goes on.
    #[inline(always)]
    pub fn first_rank(&self) -> Ref<Rank> {
        self.top.get()
    }

    /// The next less urgent open rank.
    #[inline(always)]
    pub fn next_rank(&self, rank: Ref<Rank>) -> Option<Ref<Rank>> {
        rank.below.get()
    }

    /// The next more urgent open rank.
    #[cfg(feature = "harts")]
    #[inline(always)]
    pub(crate) fn rank_before(&self, rank: Ref<Rank>) -> Option<Ref<Rank>> {
        rank.above.get()
    }

    /// The deadline of a rank, open or not, has not passed longer ago than this instant.
    #[inline(always)]
    pub(crate) fn keep_rank(&self, rank: Ref<Rank>, oldest: u32) {
        keep(&rank.deadline, oldest);
    }

    /// The usual insertion without a call: nothing is unusual, no thread of its urgency is
    /// ready, and it is the most urgent. Else false, and nothing has changed.
    #[inline(always)]
    pub(crate) fn opens_top_unless(
        &self,
        unusual: usize,
        rank: Ref<Rank>,
        thread: Ref<Thread>,
    ) -> bool {
        let top = self.top.get();
        let unusual = unusual | some(rank.head.get()) | (top.unmarked.get() as usize);
        if unusual != 0 || rank.level.get() >= top.level.get() {
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
        self.note_queued(thread);
        rank.head.set(Some(thread));
        rank.below.set(Some(top));
        top.above.set(Some(rank));
        self.top.set(rank);
        self.first.set(thread);
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
        self.note_queued(thread);
        rank.head.set(Some(thread));
        rank.below.set(Some(below));
        rank.above.set(Some(top));
        below.above.set(Some(rank));
        top.below.set(Some(rank));
        self.set_mark(rank, true);
        true
    }

    /// The usual removal without a call: the thread has its rank, which is the top and
    /// unmarked, for itself. Whose turn it is then; else `None`, and nothing has
    /// changed.
    #[inline(always)]
    pub(crate) fn leaves_top(&self, me: Ref<Thread>, rank: Ref<Rank>) -> Option<Ref<Thread>> {
        let below = rank.below.get();
        let shares = differ(me.next.get(), me) | some(rank.above.get());
        let (0, Some(below)) = (shares | (rank.unmarked.get() ^ 1) as usize, below) else {
            cold_path();
            return None;
        };
        // (an open rank has a head)
        let head = below.head.get()?;
        self.note_closed(rank);
        rank.head.set(None);
        below.above.set(None);
        self.top.set(below);
        self.first.set(head);
        Some(head)
    }

    /// The removal without a call of a thread that has its rank, which is one of deadlines, for
    /// itself. Else false, and nothing has changed.
    #[cfg(all(feature = "programs", feature = "harts"))]
    #[inline(always)]
    pub(crate) fn closes_deadline(&self, rank: Ref<Rank>, me: Ref<Thread>) -> bool {
        let Some(below) = rank.below.get() else {
            cold_path();
            return false;
        };
        if rank.level.get() != self.band {
            cold_path();
            return false;
        }
        self.note_leaving(me);
        let above = rank.above.get();
        rank.head.set(None);
        // (the bit of the band is looked at by nobody)
        rank.unmarked.set(1);
        below.above.set(above);
        match above {
            Some(above) => {
                above.below.set(Some(below));
                rank.above.set(None);
            }
            None => {
                self.top.set(below);
                if let Some(head) = below.head.get() {
                    self.first.set(head);
                }
            }
        }
        true
    }

    /// Lists a rank that was empty.
    #[inline(never)]
    pub(crate) extern "C" fn open(&self, rank: Ref<Rank>, head: Ref<Thread>) {
        if !self.opens_top_unless(0, rank, head) {
            cold_path();
            self.open_any(rank, head);
        }
    }

    /// The same, wherever it stands then.
    #[inline(never)]
    pub(super) extern "C" fn open_any(&self, rank: Ref<Rank>, head: Ref<Thread>) {
        let top = self.top.get();
        self.note_queued(head);
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
        self.first.set(head);
    }

    /// The same as [`close`](Self::close).
    #[inline(always)]
    pub(super) fn close_any(&self, rank: Ref<Rank>) {
        self.close(rank);
    }

    /// Unlists a rank that has become empty. (The idle rank never does, so there is
    /// one below.)
    #[inline(never)]
    pub(crate) extern "C" fn close(&self, rank: Ref<Rank>) {
        let Some(below) = rank.below.get() else {
            // (a server that was in no queue, in whose place others wait)
            return self.note_change();
        };
        let above = rank.above.get();
        self.note_closed(rank);
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
                    self.first.set(head);
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

impl System {
    /// What has to hold of two open ranks of which one is next to the other.
    pub(crate) fn check_neighbours(
        &self,
        rank: Ref<Rank>,
        below: Ref<Rank>,
    ) -> Result<(), &'static str> {
        let is_first = same(rank, self.top.get());
        match below.above.get().is_some_and(|above| same(above, rank))
            && rank.above.get().is_none() == is_first
        {
            true => Ok(()),
            false => Err("neighbours know each other"),
        }
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
