//! A 4-ary heap of 16-bit members that know their own positions, so that any
//! of them can be taken out. Half the depth of a binary heap, and the four
//! children lie side by side.

use crate::urgency::is_earlier;

/// Key of a member: what the heap orders by.
pub(crate) trait Key: Copy {
    /// Whether a member with this key comes before one with `other`.
    fn precedes(self, other: Self) -> bool;
}

/// Serial numbers, equal ones by the member's own number.
impl Key for (u32, u16) {
    fn precedes(self, other: (u32, u16)) -> bool {
        is_earlier(self.0, other.0) || self.0 == other.0 && self.1 < other.1
    }
}

/// Storage of a heap, with the heap's algorithms over it.
///
/// **The Position Invariant**: the member at position `p` has recorded `p`.
/// **The Heap Invariant**: no member precedes its parent, which is at
/// `(p - 1) / 4`.
pub(crate) trait Heap {
    /// What orders the members.
    type Key: Key;

    /// The member at a position; any member if there is no such position.
    fn member(&self, position: usize) -> u16;

    /// The key of a member.
    fn key(&self, member: u16) -> Self::Key;

    /// Puts a member at a position and lets it record that.
    fn put(&mut self, position: usize, member: u16);

    /// Fills a hole with `member`, which may precede what is above. O(log n).
    fn rise(&mut self, mut hole: usize, member: u16) {
        let key = self.key(member);
        while hole > 0 {
            let parent = (hole - 1) / 4;
            let above = self.member(parent);
            if !key.precedes(self.key(above)) {
                break;
            }
            self.put(hole, above);
            hole = parent;
        }
        self.put(hole, member);
    }

    /// Moves a hole down to a leaf of a heap of `length`, the first of the
    /// children up into it at each step. O(log n).
    fn sink(&mut self, mut hole: usize, length: usize) -> usize {
        loop {
            let mut child = 4 * hole + 1;
            if child >= length {
                return hole;
            }
            let mut member = self.member(child);
            let mut key = self.key(member);
            for position in child + 1..length.min(4 * hole + 5) {
                let other = self.member(position);
                let other_key = self.key(other);
                if other_key.precedes(key) {
                    (child, member, key) = (position, other, other_key);
                }
            }
            self.put(hole, member);
            hole = child;
        }
    }

    /// Takes out the member at `hole` of a heap of `length`, which then has one
    /// member less: the hole sinks to a leaf, and the last member rises from
    /// there. That needs fewer comparisons than to sink the last member, which
    /// nearly always belongs to the bottom. O(log n).
    fn take_out(&mut self, hole: usize, length: usize) {
        let end = length.saturating_sub(1);
        if hole < end {
            let last = self.member(end);
            let leaf = self.sink(hole, end);
            self.rise(leaf, last);
        }
    }
}
