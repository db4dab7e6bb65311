//! The agenda: what time brings, in the order of instants.
//!
//! Each event has a fixed place in a [tournament](crate::tournament), whose
//! winner is what comes first. Insertion and removal replay the event's matches;
//! no event moves. At one instant events come in the order in which they were
//! put in, which is told by serial numbers.
//!
//! That is the smallest of what was measured, and the fastest where it counts:
//! a list of events under each distinct instant would take the second and later
//! ones of an instant out in less time, but must find equal instants, keep
//! positions, and move entries for every other operation.

use crate::ready::require;
use crate::tournament::{self, Entry};
use crate::urgency::is_earlier;
use giornata_abi::Instant;
use giornata_abi::id::NONE;

/// What the agenda keeps for one event, and the winners of two nodes of the
/// tournament.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AgendaEvent {
    at: u64,
    /// Odd, counting up by two; 0: not in the agenda.
    serial: u32,
    winners: [u16; 2],
}

impl AgendaEvent {
    /// An event that is not in the agenda.
    pub const EMPTY: AgendaEvent = AgendaEvent {
        at: 0,
        serial: 0,
        winners: [NONE; 2],
    };
}

/// The earlier time; at one time the earlier serial number. Assumption: of the
/// insertions since the oldest event at a time there are less than 2^30. If it
/// is broken, events of that one instant come in another order.
impl Entry for AgendaEvent {
    type Key = (u32, u32);

    fn key(&self) -> (u32, u32) {
        ((self.at >> 32) as u32, self.at as u32)
    }

    fn precedes(one: (u32, u32), other: (u32, u32), tie: impl FnOnce() -> bool) -> bool {
        if one.0 != other.0 {
            return one.0 < other.0;
        }
        one.1 < other.1 || one.1 == other.1 && tie()
    }

    fn wins_tie(events: &[AgendaEvent], one: usize, other: usize) -> bool {
        let serial = |event: usize| events.get(event).map_or(0, |event| event.serial);
        is_earlier(serial(one), serial(other))
    }

    fn winners(&mut self) -> &mut [u16; 2] {
        &mut self.winners
    }
}

/// Time events, earliest instant first, first in first out at one instant.
///
/// `next` is O(1); `insert`, `remove` and `take` are O(log n) at worst in the
/// events that there may be, whatever the instants are; `insert` and `remove`
/// of an event that does not come first need a few steps on average.
#[derive(Debug)]
pub struct Agenda<'a> {
    events: &'a mut [AgendaEvent],
    /// The earliest instant; `u64::MAX` if there is none.
    at: u64,
    /// No event but the first is before this.
    others: u64,
    /// The event that comes first; NONE if there is none.
    first: u16,
    /// Of the last insertion.
    serial: u32,
}

impl<'a> Agenda<'a> {
    /// An empty agenda for `events.len()` events, at most 65,535. Initialises
    /// them.
    pub fn new(events: &'a mut [AgendaEvent]) -> Agenda<'a> {
        let count = events.len().min(NONE as usize);
        let events = events.get_mut(..count).unwrap_or_default();
        events.fill(AgendaEvent::EMPTY);
        Agenda {
            events,
            at: u64::MAX,
            others: u64::MAX,
            first: NONE,
            serial: 1,
        }
    }

    /// Puts an event at an instant, after those already there; if it is in the
    /// agenda it leaves its earlier instant. Answers whether it is in now:
    /// `false` for a number out of range.
    #[inline]
    pub fn insert(&mut self, event: u16, at: Instant) -> bool {
        if self.holds(event) {
            self.leave(event);
        }
        self.enter(event, at.0);
        (event as usize) < self.events.len()
    }

    /// Takes an event out; answers whether it was in.
    #[inline]
    pub fn remove(&mut self, event: u16) -> bool {
        let held = self.holds(event);
        self.leave(event);
        held
    }

    /// Whether an event is in the agenda.
    #[inline]
    fn holds(&self, event: u16) -> bool {
        let entry = self.events.get(event as usize);
        entry.is_some_and(|entry| entry.serial != 0)
    }

    /// The instant of an event that is in the agenda. O(1).
    pub fn instant_of(&self, event: u16) -> Option<Instant> {
        let entry = self.events.get(event as usize)?;
        (entry.serial != 0).then_some(Instant(entry.at))
    }

    /// The earliest instant at which there is an event. O(1), a few loads.
    #[inline]
    pub fn next(&self) -> Option<Instant> {
        (self.first != NONE).then_some(Instant(self.at))
    }

    /// The event that comes first, and its instant. O(1).
    #[inline]
    pub fn first(&self) -> Option<(Instant, u16)> {
        (self.first != NONE).then_some((Instant(self.at), self.first))
    }

    /// Moves the event that comes first to a later instant, after those already
    /// there. O(1) as long as it is known to come first there too, else O(log n).
    #[inline(always)] // one place in the kernel
    pub fn postpone(&mut self, at: Instant) {
        let Some(entry) = self.events.get_mut(self.first as usize) else {
            return;
        };
        self.serial = self.serial.wrapping_add(2);
        (entry.at, entry.serial) = (at.0, self.serial);
        self.at = at.0;
        if at.0 >= self.others {
            self.fall_back();
        }
    }

    /// The first event has a later instant; finds out when the others are due.
    #[inline(never)]
    fn fall_back(&mut self) {
        let (first, mut others) = (self.first, (u32::MAX, u32::MAX));
        tournament::fall_back(self.events, first as usize, |key| others = others.min(key));
        self.set_first();
        self.others = match self.first == first {
            true => (others.0 as u64) << 32 | others.1 as u64,
            false => self.at,
        };
    }

    fn set_first(&mut self) {
        self.first = tournament::first(self.events);
        let first = self.events.get(self.first as usize);
        self.at = first.map_or(u64::MAX, |first| first.at);
    }

    /// Takes one event of the earliest instant out, if that is not after
    /// `now`. Called again and again it empties the agenda up to `now`, with
    /// as much else in between as the caller likes.
    #[inline]
    pub fn take(&mut self, now: Instant) -> Option<(Instant, u16)> {
        let (at, event) = (self.at, self.first);
        if event == NONE || at > now.0 {
            return None;
        }
        self.leave(event);
        Some((Instant(at), event))
    }

    /// Puts an event that is not in the agenda at an instant.
    #[inline(never)]
    fn enter(&mut self, event: u16, at: u64) {
        let Some(entry) = self.events.get_mut(event as usize) else {
            return;
        };
        self.serial = self.serial.wrapping_add(2);
        (entry.at, entry.serial) = (at, self.serial);
        // either it or the first is one of the others from now on
        self.others = self.others.min(self.at.max(at));
        self.replay(event, true);
    }

    /// See [`remove`](Self::remove).
    #[inline(never)]
    fn leave(&mut self, event: u16) {
        let Some(entry) = self.events.get_mut(event as usize) else {
            return;
        };
        if core::mem::replace(&mut entry.serial, 0) != 0 {
            self.replay(event, false);
        }
    }

    /// Replays the matches of an event.
    #[inline(never)]
    fn replay(&mut self, event: u16, in_it: bool) {
        if tournament::replay(self.events, event as usize, in_it) {
            self.set_first();
        }
    }

    /// Checks every invariant of this module; names the one that is broken.
    /// O(events); for tests.
    pub fn check_invariants(&self) -> Result<(), &'static str> {
        tournament::check(self.events, |event| event.serial != 0)?;
        let root = self.events.first().map_or(NONE, |e| e.winners[1]);
        require(self.first == root, "the first event is not the winner")?;
        let first = self.events.get(root as usize);
        require(
            self.at == first.map_or(u64::MAX, |first| first.at),
            "the earliest instant is not that of the first event",
        )?;
        let early = |e: &&AgendaEvent| e.serial != 0 && e.at < self.others;
        let early = self.events.iter().filter(early).count();
        require(
            early <= (self.at < self.others) as usize,
            "another event is before those that are not first",
        )?;
        let earlier = self
            .events
            .iter()
            .filter(|e| e.serial != 0 && e.at < self.at);
        require(earlier.count() == 0, "an event is before the first")
    }
}
