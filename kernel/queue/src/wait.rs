//! Rings of threads that wait, the most urgent first: one for each thing that
//! is waited for.
//!
//! ```text
//! first of a thing: a        first of another: d
//! nodes   (a)<->[c]<->[b]<->(a)      (d)<->(d)        [e]: in no ring
//! ```
//!
//! A thread waits for one thing at a time, so one node a thread is enough, and
//! what is waited for keeps the first of its ring only. **The Ring Invariant**:
//! along a ring, from its first, no node precedes the one before it. Of equally
//! urgent ones the first is who came first.

use crate::ready::require;
use crate::urgency::Urgency;
use giornata_abi::id::NONE;

/// What is kept for one thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WaitNode {
    key: u32,
    /// NONE: in no ring.
    level: u16,
    before: u16,
    after: u16,
}

impl WaitNode {
    /// A thread that does not wait.
    pub const EMPTY: WaitNode = WaitNode {
        key: 0,
        level: NONE,
        before: NONE,
        after: NONE,
    };

    fn urgency(&self) -> Urgency {
        Urgency {
            level: self.level,
            key: self.key,
        }
    }
}

/// The rings of all things. A ring is named by its first thread; NONE is the
/// empty ring.
#[derive(Debug)]
pub struct WaitRings<'a> {
    nodes: &'a mut [WaitNode],
}

impl<'a> WaitRings<'a> {
    /// No ring, for `nodes.len()` threads (at most 65,535). Initialises them.
    pub fn new(nodes: &'a mut [WaitNode]) -> WaitRings<'a> {
        let count = nodes.len().min(NONE as usize);
        let nodes = nodes.get_mut(..count).unwrap_or_default();
        nodes.fill(WaitNode::EMPTY);
        WaitRings { nodes }
    }

    /// Puts thread `id`, which is in no ring, into the ring of `first`; answers
    /// who is first then. O(1) for what goes first or last, else O(waiters that
    /// it precedes).
    pub fn insert(&mut self, first: u16, id: u16, urgency: Urgency) -> u16 {
        let Some(node) = self.nodes.get_mut(id as usize) else {
            return first;
        };
        (node.level, node.key) = (urgency.level, urgency.key);
        let Some(head) = self.nodes.get(first as usize) else {
            self.join(id, id);
            return id;
        };
        let last = head.before;
        let (mut before, mut after) = (last, first);
        let leads = self.precedes(id, first);
        if !leads {
            while self.precedes(id, before) {
                after = before;
                before = self.nodes.get(before as usize).map_or(NONE, |n| n.before);
            }
        }
        self.join(before, id);
        self.join(id, after);
        if leads { id } else { first }
    }

    /// Takes thread `id` out of the ring of `first`, in which it is; answers who
    /// is first then. O(1).
    pub fn remove(&mut self, first: u16, id: u16) -> u16 {
        let Some(node) = self.nodes.get_mut(id as usize) else {
            return first;
        };
        let WaitNode { before, after, .. } = *node;
        if core::mem::replace(&mut node.level, NONE) == NONE {
            return first;
        }
        if after == id {
            return NONE;
        }
        self.join(before, after);
        if first == id { after } else { first }
    }

    /// The urgency with which thread `id` waits; `None` if it is in no ring. O(1).
    pub fn urgency_of(&self, id: u16) -> Option<Urgency> {
        let node = self.nodes.get(id as usize)?;
        (node.level != NONE).then_some(node.urgency())
    }

    /// The threads of a ring in order.
    pub fn ring(&self, first: u16) -> impl Iterator<Item = u16> {
        let mut at = first;
        core::iter::from_fn(move || {
            let node = self.nodes.get(at as usize)?;
            let here = at;
            at = if node.after == first {
                NONE
            } else {
                node.after
            };
            Some(here)
        })
        .take(self.nodes.len())
    }

    /// Whether one thread goes before another.
    fn precedes(&self, one: u16, other: u16) -> bool {
        let (Some(a), Some(b)) = (self.nodes.get(one as usize), self.nodes.get(other as usize))
        else {
            return false;
        };
        let (ours, theirs) = (a.urgency(), b.urgency());
        ours.is_more_urgent_than(theirs)
    }

    /// Makes `after` follow `before`.
    fn join(&mut self, before: u16, after: u16) {
        if let Some(node) = self.nodes.get_mut(before as usize) {
            node.after = after;
        }
        if let Some(node) = self.nodes.get_mut(after as usize) {
            node.before = before;
        }
    }

    /// Checks a ring; answers its length. O(its length); for tests.
    pub fn check_ring(&self, first: u16) -> Result<usize, &'static str> {
        let (mut at, mut length) = (first, 0);
        while let Some(node) = self.nodes.get(at as usize) {
            require(node.level != NONE, "a thread in a ring does not know it")?;
            let after = self.nodes.get(node.after as usize);
            require(
                after.is_some_and(|after| after.before == at),
                "a ring of waiters does not read the same backwards",
            )?;
            length += 1;
            require(
                length <= self.nodes.len(),
                "a ring of waiters does not close",
            )?;
            if node.after == first {
                return Ok(length);
            }
            require(
                !self.precedes(node.after, at),
                "a ring of waiters is out of order",
            )?;
            at = node.after;
        }
        require(first == NONE, "a ring of waiters leads nowhere")?;
        Ok(length)
    }

    /// How many threads wait. O(threads); for tests.
    pub fn count(&self) -> usize {
        self.nodes.iter().filter(|node| node.level != NONE).count()
    }
}
