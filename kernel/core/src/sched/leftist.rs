//! Heaps: threads that wait, by urgency. Whoever comes or goes costs O(log n), however many
//! wait.
//!
//! ```text
//!            first            left: no shorter way down than right
//!           /     \           `above`: whose child it is; of the first nothing is known
//!        A           B        `way`: steps to the right until there is no child,
//!      /   \       /                 0 of A, B and C, 1 of the first
//!     D     C     E
//! ```
//! A leftist heap (C. A. Crane; Knuth, The Art of Computer Programming, volume 3, 5.2.3). The
//! Heap Invariant: nobody precedes who is above it, and `way` of a left child is at least
//! that of its right sibling. So below whoever has the way w there are at least
//! 2^(w+1) - 1: a way has at most log2(n + 1) of n. All that is done here goes along the
//! right ways of two heaps, or up from one that leaves, as far as ways change: each of
//! these is longer than the one before, so that ends as soon.
//!
//! Whoever is alone is its own heap: nothing has to be done to make it one. (So who has no
//! right child has the way 0, whatever is noted.) The children are `next` and `prev`, and the
//! rest lies in a register that is nobody's while a thread waits.

use core::cell::Cell;

use giornata_abi::id::{EXTRA, SLOT_MASK};

use crate::{Ref, System, Thread, before, same};

impl Thread {
    #[inline(always)]
    fn left(&'static self) -> Option<Ref<Thread>> {
        let child = self.next.get();
        if same(child, self) { None } else { Some(child) }
    }

    #[inline(always)]
    fn right(&'static self) -> Option<Ref<Thread>> {
        let child = self.prev.get();
        if same(child, self) { None } else { Some(child) }
    }

    /// Of one in a heap of several: the number of the one above it, and in the bits above that
    /// how far down to the right there are others, if there is one.
    #[inline(always)]
    fn linked(&self) -> &Cell<usize> {
        let [_, _, linked, ..] = &self.context.t;
        linked
    }

    #[inline(always)]
    fn way(&self) -> usize {
        self.linked().get() >> EXTRA
    }

    #[inline(always)]
    fn set_way(&self, way: usize) {
        let linked = self.linked();
        linked.set(linked.get() & SLOT_MASK | way << EXTRA);
    }

    /// It is the child of another.
    #[inline(always)]
    fn come_below(&self, other: Ref<Thread>) {
        let linked = self.linked();
        linked.set(linked.get() & !SLOT_MASK | other.number() as usize);
    }

    /// Whether it is more urgent, or as urgent and has asked before. (Of deadlines of one
    /// instant no other is the first, as long as they wait.)
    #[inline(never)]
    extern "C" fn precedes(&self, other: Ref<Thread>) -> bool {
        let (own, theirs) = (self.rank.get(), other.rank.get());
        let (level, other_level) = (own.level.get(), theirs.level.get());
        if level != other_level {
            return level < other_level;
        }
        let (deadline, other_deadline) = (own.deadline.get(), theirs.deadline.get());
        if deadline != other_deadline {
            return before(deadline, other_deadline);
        }
        before(self.asked().get() as u32, other.asked().get() as u32)
    }
}

impl System {
    /// Puts a thread, which is alone, into a heap. O(log n).
    #[inline(never)]
    pub(crate) extern "C" fn come(&self, thread: Ref<Thread>, heap: &Cell<Option<Ref<Thread>>>) {
        let all = match heap.get() {
            Some(first) => self.meld(first, thread),
            None => thread,
        };
        heap.set(Some(all));
    }

    /// Takes a thread out of a heap: it is alone then. O(log n).
    #[inline(never)]
    pub(crate) extern "C" fn go_out(&self, thread: Ref<Thread>, heap: &Cell<Option<Ref<Thread>>>) {
        let rest = match (thread.left(), thread.right()) {
            (Some(left), Some(right)) => Some(self.meld(left, right)),
            // (who has a right child has a left one)
            (left, _) => left,
        };
        thread.next.set(thread);
        thread.prev.set(thread);
        let Some(first) = heap.get() else {
            return;
        };
        if same(first, thread) {
            return heap.set(rest);
        }
        let Some(above) = self.above(thread) else {
            return;
        };
        if let Some(rest) = rest {
            rest.come_below(above);
        }
        let place = if same(above.next.get(), thread) {
            &above.next
        } else {
            &above.prev
        };
        place.set(rest.unwrap_or(above));
        self.level(above, first, true);
    }

    /// Whose child a thread is that is not the first of its heap.
    #[inline(always)]
    fn above(&self, thread: Ref<Thread>) -> Option<Ref<Thread>> {
        self.threads.get(thread.linked().get() & SLOT_MASK)
    }

    /// Makes one heap of two, of the first threads of both. Returns its first. O(log n).
    #[inline(never)]
    extern "C" fn meld(&self, one: Ref<Thread>, other: Ref<Thread>) -> Ref<Thread> {
        let (mut at, mut other) = match other.precedes(one) {
            true => (other, one),
            false => (one, other),
        };
        let first = at;
        // (all of `other` is to come below `at`)
        loop {
            let right = at.right();
            if let Some(right) = right
                && !other.precedes(right)
            {
                at = right;
                continue;
            }
            at.prev.set(other);
            other.come_below(at);
            let Some(right) = right else {
                break;
            };
            (at, other) = (other, right);
        }
        self.level(at, first, false);
        first
    }

    /// From a thread up the shorter ways are on the right again: to the first, or of those that
    /// have the children that they had as far as ways change.
    #[inline(never)]
    extern "C" fn level(&self, from: Ref<Thread>, first: Ref<Thread>, may_end: bool) {
        let mut at = from;
        loop {
            let (left, right) = (at.left(), at.right());
            let (other, mut way) = (length(left), length(right));
            if other < way {
                way = other;
                at.next.set(right.unwrap_or(at));
                at.prev.set(left.unwrap_or(at));
            }
            if may_end && way == at.way() {
                return;
            }
            at.set_way(way);
            if same(at, first) {
                return;
            }
            match self.above(at) {
                Some(above) => at = above,
                None => return,
            }
        }
    }

    /// The next of a walk of a heap that comes to each before those below it.
    #[inline(always)]
    pub(crate) fn below_or_beside(
        &self,
        thread: Ref<Thread>,
        first: Ref<Thread>,
    ) -> Option<Ref<Thread>> {
        thread.left().or_else(|| self.beside(thread, first))
    }

    /// The same without those below a thread.
    #[inline(never)]
    pub(crate) fn beside(&self, thread: Ref<Thread>, first: Ref<Thread>) -> Option<Ref<Thread>> {
        let mut at = thread;
        while !same(at, first) {
            let above = self.above(at)?;
            if same(above.next.get(), at)
                && let Some(right) = above.right()
            {
                return Some(right);
            }
            at = above;
        }
        None
    }

    /// Those of a heap, each before those below it. For tests.
    pub(crate) fn all_of(&self, heap: Option<Ref<Thread>>) -> impl Iterator<Item = Ref<Thread>> {
        core::iter::successors(heap, move |&thread| self.below_or_beside(thread, heap?))
    }

    /// The same in the order in which they would leave. O(their number squared); for tests.
    pub fn in_order(&'static self, heap: Option<Ref<Thread>>) -> impl Iterator<Item = Ref<Thread>> {
        core::iter::successors(heap, move |last| {
            let behind = self.all_of(heap).filter(|thread| last.precedes(thread));
            behind.fold(None, |found, thread| Some(more_urgent_of(found, thread)))
        })
    }

    /// Whether a thread is in a heap. O(their number); for tests.
    pub(crate) fn is_in(&self, thread: Ref<Thread>, heap: Option<Ref<Thread>>) -> bool {
        self.all_of(heap).any(|other| same(other, thread))
    }

    /// What is broken of the Heap Invariant. O(n); for tests.
    pub(crate) fn check_heap(&self, heap: Option<Ref<Thread>>) -> Result<(), &'static str> {
        for thread in self.all_of(heap) {
            let (left, right) = (thread.left(), thread.right());
            for child in [left, right].into_iter().flatten() {
                if self.above(child).is_none_or(|above| !same(above, thread)) {
                    return Err("who is in a heap knows whose child it is");
                }
                if child.precedes(thread) {
                    return Err("nobody precedes who is above it");
                }
            }
            if length(left) < length(right) || length(Some(thread)) != length(right) + 1 {
                return Err("the shorter way down is on the right");
            }
        }
        Ok(())
    }
}

/// The more urgent of one that was found before, if there is one, and another.
#[inline(always)]
pub(crate) fn more_urgent_of(found: Option<Ref<Thread>>, other: Ref<Thread>) -> Ref<Thread> {
    match found {
        Some(found) if !other.precedes(found) => found,
        _ => other,
    }
}

/// How far down to the right there are others from where the parent of a child is.
#[inline(always)]
fn length(child: Option<Ref<Thread>>) -> usize {
    match child {
        None => 0,
        Some(child) if child.right().is_none() => 1,
        Some(child) => child.way().wrapping_add(1),
    }
}
