//! The ready queue: everything that can run, most urgent first.
//!
//! ```text
//! words           1               1       1            one bit a word of the map that is not 0
//! map     257 ....1...............1.......1.... 0      one bit a level, the highest first
//!                 |               |       |
//! firsts          a               f       d            who is first on it
//!                 |               |       |
//! nodes       [a]<->[c]<->(a)    [f]    [d][b][e] ...  rings; a tournament on the deadline level
//! ```
//!
//! **The Queue Invariant**: a node is in the ring (or tournament) of exactly the
//! level it records, or in none and records [`NONE`]; a level's bit is set
//! when something is on it; `top_level` is the highest such level, and `first`
//! who is first there. **The Ring Invariant**: along a ring, from the first, no
//! node precedes the one before it. A key never changes while its node is
//! queued, but that of the first by `rotate`: `insert` of a queued thread takes
//! it out first.

use crate::tournament::{self, Entry};
use crate::urgency::{LEVELS, Urgency};
use giornata_abi::id::NONE;

/// Words of the bitmap of levels.
const WORDS: usize = LEVELS.div_ceil(32);

/// What the queue keeps for one thread, and the winners of two nodes of the
/// tournament.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReadyNode {
    key: u32,
    /// NONE: not queued.
    level: u16,
    /// The node before it in its ring.
    before: u16,
    /// The node after it in its ring.
    after: u16,
    winners: [u16; 2],
}

impl ReadyNode {
    /// A thread that is not queued.
    pub const EMPTY: ReadyNode = ReadyNode {
        key: 0,
        level: NONE,
        before: NONE,
        after: NONE,
        winners: [NONE; 2],
    };
}

impl Entry for ReadyNode {
    type Key = u32;

    fn key(&self) -> u32 {
        self.key
    }

    fn precedes(one: u32, other: u32, tie: impl FnOnce() -> bool) -> bool {
        let distance = one.wrapping_sub(other) as i32;
        distance < 0 || distance == 0 && tie()
    }

    fn wins_tie(_nodes: &[ReadyNode], one: usize, other: usize) -> bool {
        one < other
    }

    fn winners(&mut self) -> &mut [u16; 2] {
        &mut self.winners
    }
}

/// Whether thread `one` with its key precedes `other` on a level.
fn precedes(one: (u32, u16), other: (u32, u16)) -> bool {
    ReadyNode::precedes(one.0, other.0, || one.1 < other.1)
}

/// Everything that can run, most urgent first.
///
/// `top` is O(1). On fixed levels `remove` is O(1), and so is `insert` of the
/// latest or earliest key of its level; another key walks from the tail to its
/// place. On the deadline level both are O(log n) in all threads at worst.
#[derive(Debug)]
pub struct ReadyQueue<'a> {
    nodes: &'a mut [ReadyNode],
    deadline_level: u16,
    /// NONE: nothing is queued.
    top_level: u16,
    /// The most urgent thread; NONE: nothing is queued.
    first: u16,
    firsts: [u16; LEVELS],
    map: [u32; WORDS],
    /// A bit for each word of the map that is not 0.
    words: u32,
}

impl<'a> ReadyQueue<'a> {
    /// An empty queue for `nodes.len()` threads (at most 65,535), any of which
    /// may be on `deadline_level`. Initialises them.
    pub fn new(nodes: &'a mut [ReadyNode], deadline_level: u16) -> ReadyQueue<'a> {
        let count = nodes.len().min(NONE as usize);
        let nodes = nodes.get_mut(..count).unwrap_or_default();
        nodes.fill(ReadyNode::EMPTY);
        ReadyQueue {
            nodes,
            deadline_level,
            top_level: NONE,
            first: NONE,
            firsts: [NONE; LEVELS],
            map: [0; WORDS],
            words: 0,
        }
    }

    /// Queues thread `id`; takes it out first if it is queued. A level above
    /// REACTION counts as REACTION. Answers whether it is queued now: `false`
    /// for a number out of range.
    #[inline]
    pub fn insert(&mut self, id: u16, urgency: Urgency) -> bool {
        if self.contains(id) {
            self.leave(id);
        }
        self.enter(id, urgency);
        (id as usize) < self.nodes.len()
    }

    /// Takes thread `id` out; answers whether it was queued.
    #[inline]
    pub fn remove(&mut self, id: u16) -> bool {
        let queued = self.contains(id);
        self.leave(id);
        queued
    }

    /// Queues a thread that is not queued.
    #[inline(never)]
    fn enter(&mut self, id: u16, urgency: Urgency) {
        let level = urgency.level.min(Urgency::REACTION);
        let Some(node) = self.nodes.get_mut(id as usize) else {
            return;
        };
        (node.key, node.level) = (urgency.key, level);
        if level == self.deadline_level {
            return self.enter_deadlines(id);
        }
        self.link(id, level, urgency.key)
    }

    /// See [`remove`](Self::remove).
    #[inline(never)]
    fn leave(&mut self, id: u16) {
        let Some(node) = self.nodes.get_mut(id as usize) else {
            return;
        };
        let level = core::mem::replace(&mut node.level, NONE);
        if level == NONE {
            return;
        }
        if level == self.deadline_level {
            return self.leave_deadlines(id);
        }
        let (before, after) = (node.before, node.after);
        if after == id {
            return self.vacate(level);
        }
        self.join(before, after);
        if self.first_of(level) == id {
            self.lead(level, after);
        }
    }

    /// Moves the most urgent thread, `id`, behind its equals, with a later
    /// `key`; answers who is first then. `None`, and nothing is changed, if it
    /// is another that is the most urgent, or it is on the deadline level. O(1).
    #[inline]
    pub fn rotate(&mut self, id: u16, key: u32) -> Option<u16> {
        let level = self.top_level;
        if self.first != id || level == self.deadline_level {
            return None;
        }
        let node = self.nodes.get_mut(id as usize)?;
        node.key = key;
        let next = node.after;
        self.first = next;
        self.set_first(level, next);
        Some(next)
    }

    /// The most urgent thread; NONE if there is none. O(1).
    #[inline]
    pub fn first(&self) -> u16 {
        self.first
    }

    /// The most urgent thread and its urgency. O(1).
    #[inline]
    pub fn top(&self) -> Option<(u16, Urgency)> {
        let ReadyNode { level, key, .. } = *self.nodes.get(self.first as usize)?;
        Some((self.first, Urgency { level, key }))
    }

    /// Whether thread `id` is queued. O(1).
    #[inline]
    pub fn contains(&self, id: u16) -> bool {
        let node = self.nodes.get(id as usize);
        node.is_some_and(|node| node.level != NONE)
    }

    /// The urgency with which thread `id` is queued. O(1).
    pub fn urgency_of(&self, id: u16) -> Option<Urgency> {
        let ReadyNode { level, key, .. } = *self.nodes.get(id as usize)?;
        (level != NONE).then_some(Urgency { level, key })
    }

    /// Puts a thread on the deadline level.
    fn enter_deadlines(&mut self, id: u16) {
        let (level, first) = (self.deadline_level, self.replay(id, true));
        if self.first_of(level) == NONE {
            return self.occupy(level, first);
        }
        self.lead(level, first);
    }

    /// Takes a thread from the deadline level.
    fn leave_deadlines(&mut self, id: u16) {
        let (level, first) = (self.deadline_level, self.replay(id, false));
        if first == NONE {
            return self.vacate(level);
        }
        self.lead(level, first);
    }

    /// Replays the matches of a thread on the deadline level; answers who is
    /// first there then.
    #[inline(never)]
    fn replay(&mut self, id: u16, in_it: bool) -> u16 {
        tournament::replay(self.nodes, id as usize, in_it);
        tournament::first(self.nodes)
    }

    fn first_of(&self, level: u16) -> u16 {
        self.firsts.get(level as usize).copied().unwrap_or(NONE)
    }

    fn set_first(&mut self, level: u16, id: u16) {
        if let Some(first) = self.firsts.get_mut(level as usize) {
            *first = id;
        }
    }

    /// Links a node into the ring of its level.
    fn link(&mut self, id: u16, level: u16, key: u32) {
        let first = self.first_of(level);
        let Some(head) = self.nodes.get(first as usize) else {
            self.join(id, id);
            return self.occupy(level, id);
        };
        let (mut before, mut after) = (head.before, first);
        if self.goes_before(id, key, before) {
            if self.goes_before(id, key, first) {
                self.lead(level, id);
            } else {
                (before, after) = self.neighbours(id, key, before);
            }
        }
        self.join(before, id);
        self.join(id, after);
    }

    /// The neighbours of a node that goes neither first nor last: what is
    /// before it, searched from `before`, and after it.
    #[cold]
    fn neighbours(&self, id: u16, key: u32, mut before: u16) -> (u16, u16) {
        let mut after = before;
        while self.goes_before(id, key, before) {
            after = before;
            before = self.nodes.get(before as usize).map_or(NONE, |n| n.before);
        }
        (before, after)
    }

    /// Whether thread `id` with `key` precedes a queued one.
    fn goes_before(&self, id: u16, key: u32, other: u16) -> bool {
        let node = self.nodes.get(other as usize);
        node.is_some_and(|node| precedes((key, id), (node.key, other)))
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

    /// Notes who is first on a level on which there was something before.
    fn lead(&mut self, level: u16, id: u16) {
        self.set_first(level, id);
        if level == self.top_level {
            self.first = id;
        }
    }

    /// Notes that a thread is alone on a level.
    fn occupy(&mut self, level: u16, id: u16) {
        self.set_first(level, id);
        let (index, bit) = place(level);
        if let Some(word) = self.map.get_mut(index) {
            *word |= bit;
            self.words |= 1 << index;
        }
        if self.top_level == NONE || self.top_level < level {
            (self.top_level, self.first) = (level, id);
        }
    }

    /// Notes that nothing is on a level any more.
    #[inline(never)]
    fn vacate(&mut self, level: u16) {
        self.set_first(level, NONE);
        let (index, bit) = place(level);
        if let Some(word) = self.map.get_mut(index) {
            *word &= !bit;
            if *word == 0 {
                self.words &= !(1 << index);
            }
        }
        if level == self.top_level {
            self.top_level = self.highest();
            self.first = self.first_of(self.top_level);
        }
    }

    /// The highest level whose bit is set. O(1).
    fn highest(&self) -> u16 {
        let index = self.words.trailing_zeros();
        let word = self.map.get(index as usize);
        word.map_or(NONE, |word| {
            Urgency::REACTION - (index * 32 + word.trailing_zeros()) as u16
        })
    }

    /// Checks every invariant of this module; names the one that is broken.
    /// O(threads + levels); for tests.
    pub fn check_invariants(&self) -> Result<(), &'static str> {
        let mut found = self.check_deadlines()?;
        for level in 0..LEVELS as u16 {
            let listed = self.check_ring(level)?;
            let holds = self.first_of(level) != NONE;
            let (word, bit) = place(level);
            let word = self.map.get(word).copied().unwrap_or(0);
            require(holds == (word & bit != 0), "a bit of the map is wrong")?;
            found += listed;
        }
        let queued = self.nodes.iter().filter(|n| n.level != NONE).count();
        require(found == queued, "a node is in no ring, or in two")?;
        for (index, word) in self.map.iter().enumerate() {
            let is_noted = self.words >> index & 1 != 0;
            require(is_noted == (*word != 0), "a word of the map is not noted")?;
        }
        require(
            self.top_level == self.highest(),
            "the top level is not the highest",
        )?;
        require(
            self.first == self.first_of(self.top_level),
            "the first is not the first of the top level",
        )
    }

    /// Checks a ring; answers its length.
    fn check_ring(&self, level: u16) -> Result<usize, &'static str> {
        let first = self.first_of(level);
        let (mut at, mut length) = (first, 0);
        if level == self.deadline_level {
            return Ok(0);
        }
        while let Some(node) = self.nodes.get(at as usize) {
            require(node.level == level, "a node is in another level's ring")?;
            let after = self.nodes.get(node.after as usize);
            require(
                after.is_some_and(|after| after.before == at),
                "a ring does not read the same backwards",
            )?;
            length += 1;
            require(length <= self.nodes.len(), "a ring does not close")?;
            if node.after == first {
                return Ok(length);
            }
            let late = after.is_some_and(|after| precedes((after.key, node.after), (node.key, at)));
            require(!late, "a ring is out of order")?;
            at = node.after;
        }
        require(first == NONE, "a ring leads nowhere")?;
        Ok(length)
    }

    /// Checks the tournament; answers how many are in it.
    fn check_deadlines(&self) -> Result<usize, &'static str> {
        let is_in = |node: &ReadyNode| node.level == self.deadline_level;
        tournament::check(self.nodes, is_in)?;
        let root = self.nodes.first().map_or(NONE, |node| node.winners[1]);
        require(
            self.first_of(self.deadline_level) == root,
            "the first deadline is not the winner",
        )?;
        Ok(self.nodes.iter().filter(|node| is_in(node)).count())
    }
}

/// The word and the bit of a level in the map. The highest level is the lowest
/// bit: what is asked for is the lowest, which costs less to find.
fn place(level: u16) -> (usize, u32) {
    let rank = Urgency::REACTION.wrapping_sub(level);
    (rank as usize / 32, 1 << (rank % 32))
}

/// An invariant and its name.
pub(crate) fn require(holds: bool, name: &'static str) -> Result<(), &'static str> {
    if holds { Ok(()) } else { Err(name) }
}
