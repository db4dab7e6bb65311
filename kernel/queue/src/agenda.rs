//! The agenda: what time brings, ordered by distinct instants.
//!
//! Events at one instant hang in a list under it, so a hundred releases at one
//! instant cost one heap operation. Equal instants are found by a hash table
//! whose buckets lie in the caller's slots.
//!
//! ```text
//! heap       near > [i3][i0][i7] ...  ... [i5] < far      two 4-ary heaps grow towards each other
//!                     |
//! instants          [ at, position | first, last | chain | bucket ]
//!                                      |
//! events                             [e2] <-> [e9]          first in, first out
//! ```
//!
//! Instants inside the *horizon*, less than 2^31 ns after the last one taken,
//! are compared by 32-bit serial numbers: the low halves of their times.
//! Farther ones, and ones before the last one taken, wait beside in a heap of
//! whole 64-bit times. What comes first is the earlier of the two heads, so
//! that nothing need be merged when the horizon moves: every operation is
//! O(log n) at worst, whatever the instants are.
//!
//! **The Horizon Invariant**: every near instant lies in
//! `base .. base + 2^31`. `base` moves forward only, to an instant that no
//! pending one precedes. **The Distinct Invariant**: no two slots in use have
//! the same time, and each is in the chain of its bucket.

use crate::heap::{Heap, Key};
use crate::ready::require;
use crate::urgency::is_earlier;
use giornata_abi::Instant;
use giornata_abi::id::NONE;

/// Nanoseconds within which instants are compared by 32 bits.
const HORIZON: u64 = 1 << 31;

/// What the agenda keeps for one event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AgendaEvent {
    /// The slot of its instant; NONE: not in the agenda.
    instant: u16,
    before: u16,
    after: u16,
}

impl AgendaEvent {
    /// An event that is not in the agenda.
    pub const EMPTY: AgendaEvent = AgendaEvent {
        instant: NONE,
        before: NONE,
        after: NONE,
    };
}

/// What the agenda keeps for one distinct instant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AgendaInstant {
    at: u64,
    /// Its events; `first` is NONE while the slot is free.
    first: u16,
    last: u16,
    /// In its heap.
    position: u16,
    /// The next slot with the same hash; for a free slot, the next free one.
    chain: u16,
    /// The first slot whose hash is this slot's number.
    bucket: u16,
    far: bool,
}

impl AgendaInstant {
    /// A slot without an instant.
    pub const EMPTY: AgendaInstant = AgendaInstant {
        at: 0,
        first: NONE,
        last: NONE,
        position: NONE,
        chain: NONE,
        bucket: NONE,
        far: false,
    };
}

/// Time events, earliest instant first, first in first out at one instant.
///
/// `next` is O(1); `insert`, `remove` and `take` are O(1) where the instant
/// keeps (or already has) other events, else O(log n) in distinct instants.
/// Finding an equal instant is O(1) on average.
#[derive(Debug)]
pub struct Agenda<'a> {
    events: &'a mut [AgendaEvent],
    instants: &'a mut [AgendaInstant],
    heap: &'a mut [u16],
    base: u64,
    /// The earliest instant; `u64::MAX` if there is none.
    first: u64,
    near: u16,
    far: u16,
    free: u16,
}

/// A heap of instants: the near ones from the front of the slice, the far ones
/// from its back. One code for both: the kernel's size counts more than the
/// branch in each comparison.
struct Lane<'q> {
    instants: &'q mut [AgendaInstant],
    heap: &'q mut [u16],
    far: bool,
}

impl Lane<'_> {
    fn index(&self, position: usize) -> usize {
        if self.far {
            self.heap.len().wrapping_sub(position + 1)
        } else {
            position
        }
    }
}

/// A time, and how far it is compared.
#[derive(Clone, Copy)]
struct Time {
    at: u64,
    far: bool,
}

impl Key for Time {
    fn precedes(self, other: Time) -> bool {
        if self.far {
            self.at < other.at
        } else {
            is_earlier(self.at as u32, other.at as u32)
        }
    }
}

impl Heap for Lane<'_> {
    type Key = Time;

    fn member(&self, position: usize) -> u16 {
        self.heap.get(self.index(position)).copied().unwrap_or(NONE)
    }

    fn key(&self, member: u16) -> Time {
        Time {
            at: self.instants.get(member as usize).map_or(0, |i| i.at),
            far: self.far,
        }
    }

    fn put(&mut self, position: usize, member: u16) {
        let index = self.index(position);
        if let Some(place) = self.heap.get_mut(index) {
            *place = member;
        }
        if let Some(instant) = self.instants.get_mut(member as usize) {
            instant.position = position as u16;
        }
    }
}

impl<'a> Agenda<'a> {
    /// An empty agenda for `events.len()` events (at most 65,535) at up to
    /// `instants.len()` distinct instants, with a heap of as many. Initialises
    /// all three.
    pub fn new(
        events: &'a mut [AgendaEvent],
        instants: &'a mut [AgendaInstant],
        heap: &'a mut [u16],
    ) -> Agenda<'a> {
        let limit = NONE as usize;
        let count = events.len().min(limit);
        let events = events.get_mut(..count).unwrap_or_default();
        let count = instants.len().min(heap.len()).min(limit);
        let instants = instants.get_mut(..count).unwrap_or_default();
        events.fill(AgendaEvent::EMPTY);
        for (index, slot) in instants.iter_mut().enumerate() {
            let next = index as u16 + 1;
            let chain = if next as usize == count { NONE } else { next };
            *slot = AgendaInstant {
                chain,
                ..AgendaInstant::EMPTY
            };
        }
        let free = if count == 0 { NONE } else { 0 };
        Agenda {
            events,
            instants,
            heap,
            base: 0,
            first: u64::MAX,
            near: 0,
            far: 0,
            free,
        }
    }

    /// Puts an event at an instant, after those already there; takes it out
    /// first if it is in the agenda. Answers whether it is in now: `false` for
    /// a number out of range or when no slot for another instant is left.
    pub fn insert(&mut self, event: u16, at: Instant) -> bool {
        self.remove(event);
        if event as usize >= self.events.len() {
            return false;
        }
        let Some(slot) = self.find(at.0).or_else(|| self.open(at.0)) else {
            return false;
        };
        let before = self.slot(slot).last;
        if let Some(entry) = self.events.get_mut(event as usize) {
            *entry = AgendaEvent {
                instant: slot,
                before,
                after: NONE,
            };
        }
        self.join(slot, before, event);
        self.join_back(slot, event, NONE);
        true
    }

    /// Takes an event out; answers whether it was in.
    pub fn remove(&mut self, event: u16) -> bool {
        let entry = self.event(event);
        if entry.instant == NONE {
            return false;
        }
        if let Some(place) = self.events.get_mut(event as usize) {
            *place = AgendaEvent::EMPTY;
        }
        self.join(entry.instant, entry.before, entry.after);
        self.join_back(entry.instant, entry.before, entry.after);
        if entry.before == NONE && entry.after == NONE {
            self.close(entry.instant);
        }
        true
    }

    /// The earliest instant at which there is an event. O(1), a few loads.
    #[inline]
    pub fn next(&self) -> Option<Instant> {
        (self.near | self.far != 0).then_some(Instant(self.first))
    }

    /// Takes one event of the earliest instant out, if that is not after
    /// `now`. Called again and again it empties the agenda up to `now`, with
    /// as much else in between as the caller likes.
    pub fn take(&mut self, now: Instant) -> Option<(Instant, u16)> {
        if self.first > now.0 {
            self.base = self.base.max(now.0);
            return None;
        }
        let (slot, at) = self.head()?;
        self.base = self.base.max(at);
        let event = self.slot(slot).first;
        self.remove(event).then_some((Instant(at), event))
    }

    /// The earlier of the two lanes' heads, with its time.
    fn head(&self) -> Option<(u16, u64)> {
        let front = |slot: Option<&u16>, length| slot.filter(|_| length > 0).map_or(NONE, |s| *s);
        let near = front(self.heap.first(), self.near);
        let far = front(self.heap.last(), self.far);
        let is_near = far == NONE || near != NONE && self.time(near) < self.time(far);
        let slot = if is_near { near } else { far };
        self.instants
            .get(slot as usize)
            .map(|instant| (slot, instant.at))
    }

    fn time(&self, slot: u16) -> u64 {
        self.instants
            .get(slot as usize)
            .map_or(0, |instant| instant.at)
    }

    fn event(&self, event: u16) -> AgendaEvent {
        self.events
            .get(event as usize)
            .copied()
            .unwrap_or(AgendaEvent::EMPTY)
    }

    fn slot(&self, slot: u16) -> AgendaInstant {
        self.instants
            .get(slot as usize)
            .copied()
            .unwrap_or(AgendaInstant::EMPTY)
    }

    /// Makes `after` follow `before` under a slot, or be first if that is NONE.
    fn join(&mut self, slot: u16, before: u16, after: u16) {
        if let Some(entry) = self.events.get_mut(before as usize) {
            entry.after = after;
        } else if let Some(instant) = self.instants.get_mut(slot as usize) {
            instant.first = after;
        }
    }

    /// Makes `before` precede `after` under a slot, or be last if that is NONE.
    fn join_back(&mut self, slot: u16, before: u16, after: u16) {
        if let Some(entry) = self.events.get_mut(after as usize) {
            entry.before = before;
        } else if let Some(instant) = self.instants.get_mut(slot as usize) {
            instant.last = before;
        }
    }

    /// The number of a time's bucket: Fibonacci hashing, scaled to the count
    /// of slots without a division.
    fn bucket(&self, at: u64) -> usize {
        let hash = (at as u32 ^ (at >> 32) as u32).wrapping_mul(0x9E37_79B1);
        ((hash as u64 * self.instants.len() as u64) >> 32) as usize
    }

    /// Whether a time lies inside the horizon.
    fn is_near(&self, at: u64) -> bool {
        at.checked_sub(self.base)
            .is_some_and(|distance| distance < HORIZON)
    }

    /// The slot of a time, if it has one.
    fn find(&self, at: u64) -> Option<u16> {
        let mut slot = self.instants.get(self.bucket(at))?.bucket;
        while let Some(instant) = self.instants.get(slot as usize) {
            if instant.at == at {
                return Some(slot);
            }
            slot = instant.chain;
        }
        None
    }

    /// Gives a time a slot: hash chain and heap.
    fn open(&mut self, at: u64) -> Option<u16> {
        let slot = self.free;
        let far = !self.is_near(at);
        let bucket = self.bucket(at);
        let chain = self.instants.get(bucket)?.bucket;
        let instant = self.instants.get_mut(slot as usize)?;
        self.free = instant.chain;
        (instant.at, instant.far, instant.chain) = (at, far, chain);
        self.instants.get_mut(bucket)?.bucket = slot;
        let length = self.length(far);
        let hole = *length as usize;
        *length += 1;
        self.lane(far).rise(hole, slot);
        self.first = self.first.min(at);
        Some(slot)
    }

    /// Takes a slot without events out of its heap and its chain; it is free then.
    fn close(&mut self, slot: u16) {
        let AgendaInstant {
            position,
            far,
            at,
            chain,
            ..
        } = self.slot(slot);
        let length = self.length(far);
        let held = *length as usize;
        *length = length.saturating_sub(1);
        self.lane(far).take_out(position as usize, held);
        self.unchain(slot, self.bucket(at), chain);
        let free = core::mem::replace(&mut self.free, slot);
        if let Some(instant) = self.instants.get_mut(slot as usize) {
            instant.chain = free;
        }
        if at == self.first {
            self.first = self.head().map_or(u64::MAX, |(_, at)| at);
        }
    }

    /// Takes a slot out of the chain of a bucket; `rest` is what follows it.
    fn unchain(&mut self, slot: u16, bucket: usize, rest: u16) {
        let Some(head) = self.instants.get_mut(bucket) else {
            return;
        };
        if head.bucket == slot {
            head.bucket = rest;
            return;
        }
        let mut at = head.bucket;
        while let Some(instant) = self.instants.get_mut(at as usize) {
            if instant.chain == slot {
                instant.chain = rest;
                return;
            }
            at = instant.chain;
        }
    }

    fn lane(&mut self, far: bool) -> Lane<'_> {
        Lane {
            instants: self.instants,
            heap: self.heap,
            far,
        }
    }

    fn length(&mut self, far: bool) -> &mut u16 {
        if far { &mut self.far } else { &mut self.near }
    }

    /// Checks every invariant of this module; names the one that is broken.
    /// O(events + instants); for tests.
    pub fn check_invariants(&self) -> Result<(), &'static str> {
        let mut listed = 0;
        for slot in 0..self.instants.len() as u16 {
            listed += self.check_list(slot)?;
        }
        let held = self.events.iter().filter(|e| e.instant != NONE).count();
        require(listed == held, "an event is under no instant, or under two")?;
        let (near, far) = (self.near as usize, self.far as usize);
        let used = self.instants.iter().filter(|i| i.first != NONE).count();
        require(used == near + far, "a slot is in no heap, or in two")?;
        let heap = self.heap.iter();
        self.check_lane(false, heap.clone().take(near))?;
        self.check_lane(true, heap.rev().take(far))?;
        let first = self.head().map_or(u64::MAX, |(_, at)| at);
        require(first == self.first, "the first instant is not the head's")?;
        self.check_chains(used)
    }

    /// Checks a heap, given by its members in the order of positions.
    fn check_lane<'m>(
        &self,
        far: bool,
        members: impl Iterator<Item = &'m u16> + Clone,
    ) -> Result<(), &'static str> {
        for (position, &member) in members.clone().enumerate() {
            let slot = self.slot(member);
            require(
                slot.position as usize == position,
                "a slot's heap position is wrong",
            )?;
            require(
                slot.far == far && slot.first != NONE,
                "a slot is in the wrong heap",
            )?;
            let parent = members.clone().nth(position.saturating_sub(1) / 4).copied();
            let above = Time {
                at: self.slot(parent.unwrap_or(member)).at,
                far,
            };
            require(
                !Time { at: slot.at, far }.precedes(above),
                "a slot precedes its parent in the heap",
            )?;
        }
        Ok(())
    }

    /// Checks the events under a slot, and its horizon; answers how many.
    fn check_list(&self, slot: u16) -> Result<usize, &'static str> {
        let instant = self.slot(slot);
        let (mut before, mut at, mut length) = (NONE, instant.first, 0);
        while at != NONE {
            let event = self.event(at);
            require(event.instant == slot, "an event is under another instant")?;
            require(
                event.before == before,
                "a list does not read the same backwards",
            )?;
            length += 1;
            require(length <= self.events.len(), "a list is a ring")?;
            (before, at) = (at, event.after);
        }
        require(instant.last == before, "a list's end is not its last event")?;
        let near = self.is_near(instant.at);
        require(
            length == 0 || instant.far || near,
            "a near instant is beyond the horizon",
        )?;
        Ok(length)
    }

    /// Checks the hash chains and the chain of free slots.
    fn check_chains(&self, used: usize) -> Result<(), &'static str> {
        let mut chained = 0;
        for bucket in 0..self.instants.len() {
            let mut at = self.instants.get(bucket).map_or(NONE, |i| i.bucket);
            while let Some(instant) = self.instants.get(at as usize) {
                require(
                    self.bucket(instant.at) == bucket,
                    "a slot is in another bucket",
                )?;
                require(instant.first != NONE, "a free slot is in a bucket")?;
                require(self.find(instant.at) == Some(at), "two slots have one time")?;
                chained += 1;
                require(chained <= used, "a slot is chained twice")?;
                at = instant.chain;
            }
        }
        require(chained == used, "a slot in use is in no bucket")?;
        let (mut at, mut free) = (self.free, 0);
        while let Some(instant) = self.instants.get(at as usize) {
            require(instant.first == NONE, "a slot in use is free")?;
            free += 1;
            require(
                free + used <= self.instants.len(),
                "the free slots are a ring",
            )?;
            at = instant.chain;
        }
        require(free + used == self.instants.len(), "a slot is lost")
    }
}
