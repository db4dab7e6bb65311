//! Heaps: what waits, by urgency. Whoever comes or goes costs O(log n), however many wait.
//!
//! ```text
//!            first            left: no shorter way down than right
//!           /     \           `up`: whose child it is; none of the first
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
//! right child has the way 0, whatever is noted.)

use core::cell::Cell;

use crate::{Ref, same};

/// What can be in a heap.
pub(crate) trait Node: 'static + Sized {
    /// Its left child.
    fn left(&'static self) -> Option<Ref<Self>>;
    /// Its right child.
    fn right(&'static self) -> Option<Ref<Self>>;
    /// It has another left child.
    fn set_left(&'static self, child: Option<Ref<Self>>);
    /// It has another right child.
    fn set_right(&'static self, child: Option<Ref<Self>>);
    /// Whose child it is.
    fn up(&self) -> &Cell<Option<Ref<Self>>>;
    /// How far down to the right there are others, if there is one.
    fn way(&self) -> usize;
    /// It is this.
    fn set_way(&self, way: usize);
    /// The order. Of two that are equal who is in the heap stays above who comes.
    fn precedes(&self, other: &Self) -> bool;
}

/// Puts a node, which is alone, into a heap. O(log n).
#[inline(always)]
pub(crate) fn enter<T: Node>(node: Ref<T>, heap: &Cell<Option<Ref<T>>>) {
    heap.set(meld(heap.get(), Some(node)));
}

/// Takes a node out of a heap: it is alone then. O(log n).
#[inline(always)]
pub(crate) fn leave<T: Node>(node: Ref<T>, heap: &Cell<Option<Ref<T>>>) {
    let rest = meld(node.left(), node.right());
    node.set_left(None);
    node.set_right(None);
    let Some(up) = node.up().take() else {
        return heap.set(rest);
    };
    if up.left().is_some_and(|left| same(left, node)) {
        up.set_left(rest);
    } else {
        up.set_right(rest);
    }
    if let Some(rest) = rest {
        rest.up().set(Some(up));
    }
    level(up, true);
}

/// Makes one heap of two. O(log n).
#[inline(never)]
fn meld<T: Node>(one: Option<Ref<T>>, other: Option<Ref<T>>) -> Option<Ref<T>> {
    let (Some(mut first), Some(mut other)) = (one, other) else {
        let all = one.or(other)?;
        all.up().set(None);
        return Some(all);
    };
    if other.precedes(first) {
        (first, other) = (other, first);
    }
    first.up().set(None);
    let mut at = first;
    // (all of `other` is to come below `at`)
    loop {
        let right = at.right();
        if let Some(right) = right
            && !other.precedes(right)
        {
            at = right;
            continue;
        }
        at.set_right(Some(other));
        other.up().set(Some(at));
        let Some(right) = right else {
            break;
        };
        (at, other) = (other, right);
    }
    level(at, false);
    Some(first)
}

/// How far down to the right there are others from where the parent of a child is.
#[inline(always)]
fn length<T: Node>(child: Option<Ref<T>>) -> usize {
    match child {
        None => 0,
        Some(child) if child.right().is_none() => 1,
        Some(child) => child.way().wrapping_add(1),
    }
}

/// From a node up the shorter ways are on the right again: to the first, or as far as ways
/// change.
#[inline(never)]
fn level<T: Node>(mut at: Ref<T>, ends: bool) {
    loop {
        let (left, right) = (at.left(), at.right());
        let (other, mut way) = (length(left), length(right));
        if other < way {
            way = other;
            at.set_left(right);
            at.set_right(left);
        }
        if ends && way == at.way() {
            return;
        }
        at.set_way(way);
        match at.up().get() {
            Some(up) => at = up,
            None => return,
        }
    }
}

/// The next of a heap behind one of it, in the order in which they would leave; without one,
/// the first. O(n); for tests.
pub(crate) fn behind<T: Node>(first: Option<Ref<T>>, last: Option<Ref<T>>) -> Option<Ref<T>> {
    let mut found: Option<Ref<T>> = None;
    let mut at = first;
    while let Some(node) = at {
        if last.is_none_or(|last| last.precedes(node))
            && found.is_none_or(|found| node.precedes(found))
        {
            found = Some(node);
        }
        at = after(node);
    }
    found
}

/// The next of a walk that comes to each before those below it.
pub(crate) fn after<T: Node>(node: Ref<T>) -> Option<Ref<T>> {
    node.left().or(node.right()).or_else(|| beside(node))
}

/// The same without those below a node.
#[inline(never)]
pub(crate) fn beside<T: Node>(mut node: Ref<T>) -> Option<Ref<T>> {
    loop {
        let up = node.up().get()?;
        let is_left = up.left().is_some_and(|left| same(left, node));
        if let Some(right) = up.right()
            && is_left
        {
            return Some(right);
        }
        node = up;
    }
}

#[cfg_attr(not(feature = "services"), allow(dead_code))]
/// What is broken of the Heap Invariant. O(n); for tests.
pub(crate) fn check<T: Node>(first: Option<Ref<T>>) -> Result<(), &'static str> {
    let mut at = first;
    if first.is_some_and(|first| first.up().get().is_some()) {
        return Err("the first of a heap is nobody's child");
    }
    while let Some(node) = at {
        let (left, right) = (node.left(), node.right());
        for child in [left, right].into_iter().flatten() {
            if child.up().get().is_none_or(|up| !same(up, node)) {
                return Err("who is in a heap knows whose child it is");
            }
            if child.precedes(node) {
                return Err("nobody precedes who is above it");
            }
        }
        if length(left) < length(right) || length(Some(node)) != length(right) + 1 {
            return Err("the shorter way down is on the right");
        }
        at = after(node);
    }
    Ok(())
}
