//! The ready queue: everything that can run, most urgent first.
//!
//! ```text
//! map     257 ....1...............1.......1.... 0      one bit a level
//!                 |               |       |
//! ends        first,last      first,last  heap         the deadline level has a heap
//!              |      |        |      |    |  \
//! nodes       [a]<->[c]       [f]<->[b]  [d] [e] ...   one per thread
//! ```
//!
//! **The Queue Invariant**: a node is on the list (or heap) of exactly the
//! level it records, or on none and records [`NONE`]; a level's bit is set
//! when something is on it; `top_level` is the highest such level. **The List
//! Invariant**: along a list no node precedes the one before it. A key never
//! changes while its node is queued: `insert` of a queued thread takes it out
//! first.

use crate::heap::{Heap, Key};
use crate::urgency::{LEVELS, Urgency};
use giornata_abi::id::NONE;

/// Words of the bitmap of levels.
const WORDS: usize = LEVELS.div_ceil(32);

/// What the queue keeps for one thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReadyNode {
    key: u32,
    /// NONE: not queued.
    level: u16,
    /// The node before it on its list; in the heap, its position.
    before: u16,
    /// The node after it on its list.
    after: u16,
}

impl ReadyNode {
    /// A thread that is not queued.
    pub const EMPTY: ReadyNode = ReadyNode {
        key: 0,
        level: NONE,
        before: NONE,
        after: NONE,
    };
}

/// The list of one level.
#[derive(Clone, Copy, Debug)]
struct Ends {
    first: u16,
    last: u16,
}

/// Everything that can run, most urgent first.
///
/// `top` is O(1). On fixed levels `remove` is O(1), and so is `insert` of the
/// latest or earliest key of its level; another key walks from the tail to its
/// place. On the deadline level both are O(log n) in the threads queued there.
#[derive(Debug)]
pub struct ReadyQueue<'a> {
    nodes: &'a mut [ReadyNode],
    heap: &'a mut [u16],
    heap_length: u16,
    deadline_level: u16,
    /// NONE: nothing is queued.
    top_level: u16,
    map: [u32; WORDS],
    ends: [Ends; LEVELS],
}

/// The threads on the deadline level.
struct Deadlines<'q> {
    nodes: &'q mut [ReadyNode],
    heap: &'q mut [u16],
}

impl Heap for Deadlines<'_> {
    type Key = (u32, u16);

    fn member(&self, position: usize) -> u16 {
        self.heap.get(position).copied().unwrap_or(NONE)
    }

    fn key(&self, member: u16) -> (u32, u16) {
        (self.nodes.get(member as usize).map_or(0, |n| n.key), member)
    }

    fn put(&mut self, position: usize, member: u16) {
        if let Some(place) = self.heap.get_mut(position) {
            *place = member;
        }
        if let Some(node) = self.nodes.get_mut(member as usize) {
            node.before = position as u16;
        }
    }
}

impl<'a> ReadyQueue<'a> {
    /// An empty queue for `nodes.len()` threads (at most 65,535), of which
    /// `heap.len()` may be on `deadline_level` at once. Initialises both.
    pub fn new(
        nodes: &'a mut [ReadyNode],
        heap: &'a mut [u16],
        deadline_level: u16,
    ) -> ReadyQueue<'a> {
        let count = nodes.len().min(NONE as usize);
        let nodes = nodes.get_mut(..count).unwrap_or_default();
        nodes.fill(ReadyNode::EMPTY);
        ReadyQueue {
            nodes,
            heap,
            heap_length: 0,
            deadline_level,
            top_level: NONE,
            map: [0; WORDS],
            ends: [Ends {
                first: NONE,
                last: NONE,
            }; LEVELS],
        }
    }

    /// Queues thread `id`; takes it out first if it is queued. A level above
    /// REACTION counts as REACTION. Answers whether it is queued now: `false`
    /// for a number out of range or a full deadline level.
    pub fn insert(&mut self, id: u16, urgency: Urgency) -> bool {
        self.remove(id);
        let level = urgency.level.min(Urgency::REACTION);
        let on_heap = level == self.deadline_level;
        if on_heap && self.heap_length as usize >= self.heap.len() {
            return false;
        }
        let Some(node) = self.nodes.get_mut(id as usize) else {
            return false;
        };
        *node = ReadyNode {
            key: urgency.key,
            level,
            ..ReadyNode::EMPTY
        };
        if on_heap {
            let hole = self.heap_length as usize;
            self.heap_length += 1;
            self.deadlines().rise(hole, id);
        } else {
            self.link(id, level, urgency.key);
        }
        self.mark(level);
        true
    }

    /// Takes thread `id` out; answers whether it was queued.
    pub fn remove(&mut self, id: u16) -> bool {
        let node = self.node(id);
        if node.level == NONE {
            return false;
        }
        let emptied = if node.level == self.deadline_level {
            let length = self.heap_length as usize;
            self.deadlines().take_out(node.before as usize, length);
            self.heap_length = self.heap_length.saturating_sub(1);
            self.heap_length == 0
        } else {
            self.unlink(node)
        };
        if let Some(place) = self.nodes.get_mut(id as usize) {
            *place = ReadyNode::EMPTY;
        }
        if emptied {
            self.clear(node.level);
        }
        true
    }

    /// Moves the most urgent thread, `id`, behind its equals, with a later
    /// `key`; answers who is first then. `None`, and nothing is changed, if it
    /// is another that is the most urgent, or it is on the deadline level. O(1).
    #[inline]
    pub fn rotate(&mut self, id: u16, key: u32) -> Option<u16> {
        let ends = self.ends.get_mut(self.top_level as usize)?;
        let Ends { first, last } = *ends;
        let node = self.nodes.get_mut(id as usize)?;
        if first != id {
            return None;
        }
        node.key = key;
        let next = node.after;
        if next == NONE {
            return Some(id);
        }
        (node.before, node.after) = (last, NONE);
        *ends = Ends { first: next, last: id };
        self.nodes.get_mut(next as usize)?.before = NONE;
        self.nodes.get_mut(last as usize)?.after = id;
        Some(next)
    }

    /// The most urgent thread; NONE if there is none. O(1).
    #[inline]
    pub fn first(&self) -> u16 {
        match self.ends.get(self.top_level as usize) {
            Some(ends) if ends.first != NONE => ends.first,
            Some(_) => self.heap.first().copied().unwrap_or(NONE),
            None => NONE,
        }
    }

    /// The most urgent thread and its urgency.
    #[inline]
    pub fn top(&self) -> Option<(u16, Urgency)> {
        let id = match self.ends.get(self.top_level as usize)?.first {
            NONE => *self.heap.first()?,
            id => id,
        };
        let ReadyNode { level, key, .. } = *self.nodes.get(id as usize)?;
        Some((id, Urgency { level, key }))
    }

    /// Whether thread `id` is queued. O(1).
    pub fn contains(&self, id: u16) -> bool {
        self.node(id).level != NONE
    }

    /// The urgency with which thread `id` is queued. O(1).
    pub fn urgency_of(&self, id: u16) -> Option<Urgency> {
        let ReadyNode { level, key, .. } = self.node(id);
        (level != NONE).then_some(Urgency { level, key })
    }

    fn node(&self, id: u16) -> ReadyNode {
        self.nodes
            .get(id as usize)
            .copied()
            .unwrap_or(ReadyNode::EMPTY)
    }

    fn deadlines(&mut self) -> Deadlines<'_> {
        Deadlines {
            nodes: self.nodes,
            heap: self.heap,
        }
    }

    /// Links a node into the list of its level.
    fn link(&mut self, id: u16, level: u16, key: u32) {
        let Some(&ends) = self.ends.get(level as usize) else {
            return;
        };
        let before = self.predecessor(id, key, ends);
        let after = if before == NONE {
            ends.first
        } else {
            self.node(before).after
        };
        if let Some(node) = self.nodes.get_mut(id as usize) {
            (node.before, node.after) = (before, after);
        }
        self.join(level, before, id);
        self.join_back(level, id, after);
    }

    /// The last node of the list that does not come after (`key`, `id`).
    fn predecessor(&self, id: u16, key: u32, ends: Ends) -> u16 {
        let goes_before =
            |other: u16| other != NONE && (key, id).precedes((self.node(other).key, other));
        if goes_before(ends.first) {
            return NONE;
        }
        let mut before = ends.last;
        while goes_before(before) {
            before = self.node(before).before;
        }
        before
    }

    /// Takes a node out of its list; answers whether the list is empty then.
    fn unlink(&mut self, node: ReadyNode) -> bool {
        self.join(node.level, node.before, node.after);
        self.join_back(node.level, node.before, node.after);
        node.before == NONE && node.after == NONE
    }

    /// Makes `after` follow `before`, or head the list if that is NONE.
    fn join(&mut self, level: u16, before: u16, after: u16) {
        if let Some(node) = self.nodes.get_mut(before as usize) {
            node.after = after;
        } else if let Some(ends) = self.ends.get_mut(level as usize) {
            ends.first = after;
        }
    }

    /// Makes `before` precede `after`, or end the list if that is NONE.
    fn join_back(&mut self, level: u16, before: u16, after: u16) {
        if let Some(node) = self.nodes.get_mut(after as usize) {
            node.before = before;
        } else if let Some(ends) = self.ends.get_mut(level as usize) {
            ends.last = before;
        }
    }

    /// Notes that something is on a level.
    fn mark(&mut self, level: u16) {
        if let Some(word) = self.map.get_mut(level as usize / 32) {
            *word |= 1 << (level % 32);
        }
        if self.top_level == NONE || level > self.top_level {
            self.top_level = level;
        }
    }

    /// Notes that nothing is on a level any more.
    fn clear(&mut self, level: u16) {
        if let Some(word) = self.map.get_mut(level as usize / 32) {
            *word &= !(1 << (level % 32));
        }
        if level == self.top_level {
            self.top_level = self.highest();
        }
    }

    /// The highest level whose bit is set. O(words of the bitmap).
    fn highest(&self) -> u16 {
        let words = self.map.iter().enumerate().rev();
        words
            .filter(|(_, word)| **word != 0)
            .map(|(index, word)| (index as u32 * 32 + word.ilog2()) as u16)
            .next()
            .unwrap_or(NONE)
    }

    /// Checks every invariant of this module; names the one that is broken.
    /// O(threads + levels); for tests.
    pub fn check_invariants(&self) -> Result<(), &'static str> {
        let mut found = self.check_heap()?;
        for level in 0..LEVELS as u16 {
            let listed = self.check_list(level)?;
            let holds = listed > 0 || level == self.deadline_level && self.heap_length > 0;
            let word = self.map.get(level as usize / 32).copied().unwrap_or(0);
            require(
                holds == (word >> (level % 32) & 1 != 0),
                "a bit of the map is wrong",
            )?;
            found += listed;
        }
        let queued = self.nodes.iter().filter(|n| n.level != NONE).count();
        require(found == queued, "a node is on no list, or on two")?;
        require(
            self.top_level == self.highest(),
            "the top level is not the highest",
        )
    }

    /// Checks a list; answers its length.
    fn check_list(&self, level: u16) -> Result<usize, &'static str> {
        let Some(ends) = self.ends.get(level as usize) else {
            return Ok(0);
        };
        let (mut before, mut at, mut length) = (NONE, ends.first, 0);
        while at != NONE {
            let node = self.node(at);
            require(node.level == level, "a node is on another level's list")?;
            require(
                node.before == before,
                "a list does not read the same backwards",
            )?;
            let late = before != NONE && (node.key, at).precedes((self.node(before).key, before));
            require(!late, "a list is out of order")?;
            length += 1;
            require(length <= self.nodes.len(), "a list is a ring")?;
            (before, at) = (at, node.after);
        }
        require(ends.last == before, "a list's end is not its last node")?;
        require(
            length == 0 || level != self.deadline_level,
            "the deadline level has a list",
        )?;
        Ok(length)
    }

    /// Checks the heap; answers its length.
    fn check_heap(&self) -> Result<usize, &'static str> {
        let members = self
            .heap
            .get(..self.heap_length as usize)
            .unwrap_or_default();
        require(
            members.len() == self.heap_length as usize,
            "the heap is longer than its slice",
        )?;
        for (position, &id) in members.iter().enumerate() {
            let node = self.node(id);
            require(
                node.level == self.deadline_level,
                "a node of another level is in the heap",
            )?;
            require(
                node.before as usize == position,
                "a node's heap position is wrong",
            )?;
            let parent = members
                .get(position.saturating_sub(1) / 4)
                .copied()
                .unwrap_or(id);
            let early = (node.key, id).precedes((self.node(parent).key, parent));
            require(!early, "a node precedes its parent in the heap")?;
        }
        Ok(members.len())
    }
}

/// An invariant and its name.
pub(crate) fn require(holds: bool, name: &'static str) -> Result<(), &'static str> {
    if holds { Ok(()) } else { Err(name) }
}
