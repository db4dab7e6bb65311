//! The agenda: a tournament of alarms.
//!
//! ```text
//!             1          who rings first
//!           /   \
//!         2       3      the earlier of two goes up
//!       /  \     /  \
//!      4    5   6    7   seats: each alarm owns one of the last
//! ```
//! An alarm is set or taken back on the way from its own seat up, so what one process is given
//! many of costs log2 of them, however their instants lie. Alarms of programs that ring at one
//! instant do so in the order in which they were activated; of others, and between these and
//! programs, the left one rings first, and the builder seats programs on the left.
//!
//! Keys are low words of the clock. The alarm of the epoch is set whenever no event is handled,
//! so that of the hart is always set, and no low word is ever ambiguous.

#[cfg(not(feature = "rtm"))]
#[path = "agenda/listed.rs"]
mod records;
#[cfg(feature = "rtm")]
#[path = "agenda/managed.rs"]
mod records;

use core::cell::Cell;
use core::hint::cold_path;

use crate::{Line, Program, Ref, Thread, Trigger, before, differ, record, tagged};

pub(crate) use records::Records;

/// In [`Alarm::seat`] of one that has a record of the task manager, beside the offset of that.
pub const RECORD: u32 = 1 << 20;
/// Bytes from one record of a task manager to the next.
pub const RECORD_BYTES: usize = 8;
/// Ticks after which what is not set rings.
pub const HORIZON: u32 = 0x7000_0000;
/// Ticks ahead that an alarm can be set at most. Who waits longer is looked at again.
pub const FARTHEST: u32 = 1 << 30;

tagged! {
    /// What rings.
    pub enum Event {
        /// Nothing: an alarm that was taken back.
        Nothing = 0,
        /// A thread that waits.
        Thread(Ref<Thread>) = 1,
        /// The word of the clock has gone on by a quarter.
        Epoch = 2,
        /// A block of a program.
        Trigger(Ref<Trigger>) = 3,
        /// A change of a program.
        Change(Ref<Program>) = 4,
        /// A line may come again.
        Line(Ref<Line>) = 5,
    }
}

record! {
    /// What can ring.
    pub struct Alarm {
        pub(crate) key: Cell<u32>,
        /// Its seat in the tournament; of one that has a record of the task manager, [`RECORD`]
        /// and the offset of the record.
        pub(crate) seat: u32,
        /// What rings.
        pub(crate) event: Event,
    }

    /// The earliest of some.
    pub struct Node {
        key: Cell<u32>,
        alarm: Cell<Option<Ref<Alarm>>>,
    }

    /// A seat of the tournament.
    pub struct Seat {
        /// Who is set and owns it, or has won it.
        alarm: Cell<Option<Ref<Alarm>>>,
    }

    /// Time events, by instant.
    pub struct Agenda {
        /// The earliest of all.
        first: Node,
        /// With a task manager: the earliest of those that have no record there.
        seated: Node,
        /// Twice a power of two.
        seats: &'static [Seat],
    }
}

impl Alarm {
    /// The instant for which it is set, or of one that is not, when it rang.
    #[inline(always)]
    pub fn key(&self) -> u32 {
        self.key.get()
    }
}

impl Node {
    #[inline(always)]
    fn set(&self, key: u32, alarm: Option<Ref<Alarm>>) {
        self.key.set(key);
        self.alarm.set(alarm);
    }
}

impl Agenda {
    /// At boot: nothing is set.
    pub fn begin(&self, now: u32) {
        self.first_seated().set(now.wrapping_add(HORIZON), None);
        self.begin_records();
    }

    /// The instant at which the next alarm rings.
    #[inline(always)]
    pub fn next(&self) -> u32 {
        self.first.key.get()
    }

    /// What rings then.
    #[inline(always)]
    pub(crate) fn first(&self) -> Option<Ref<Alarm>> {
        self.first.alarm.get()
    }

    /// An alarm is set (itself) or taken back (none): who rings first is decided anew. Returns
    /// the next instant; with a task manager, that of alarms that have no record there.
    /// O(log2 of the seats).
    #[inline(never)]
    extern "C" fn play(&self, alarm: Ref<Alarm>, set: Option<Ref<Alarm>>) -> u32 {
        let (mut winner, mut at) = (set, alarm.seat as usize);
        while let Some(seat) = self.seats.get(at) {
            seat.alarm.set(winner);
            if at == 1 {
                break;
            }
            if let Some(other) = self.seats.get(at ^ 1).and_then(|seat| seat.alarm.get())
                && winner.is_none_or(|own| goes_first(other, own, at))
            {
                winner = Some(other);
            }
            at >>= 1;
        }
        let key = match winner {
            Some(winner) => winner.key.get(),
            None => alarm.key.get().wrapping_add(HORIZON - FARTHEST),
        };
        self.first_seated().set(key, winner);
        key
    }

    /// Sets the first alarm, of a program, anew: the next instant. O(log2 of the seats).
    #[cfg_attr(not(feature = "programs"), allow(dead_code))]
    #[inline(always)]
    pub(crate) fn again(&self, alarm: Ref<Alarm>, key: u32, all: Records) -> u32 {
        alarm.key.set(key);
        let next = self.play(alarm, Some(alarm));
        self.next_after(next, all)
    }

    /// Sets an alarm. Returns whether the next instant is another one now. O(1) if it has a
    /// record, else as [`insert`](Self::insert).
    #[inline(always)]
    pub(crate) fn set(&self, alarm: Ref<Alarm>, key: u32) -> bool {
        match records::record_of(alarm) {
            Some(record) => self.arm(record, alarm, key),
            None => self.insert(alarm, key),
        }
    }

    /// Sets an alarm that has no record, as [`set`](Self::set). O(log2 of the seats).
    #[inline(never)]
    pub(crate) extern "C" fn insert(&self, alarm: Ref<Alarm>, key: u32) -> bool {
        let old = self.next();
        alarm.key.set(key);
        let next = self.play(alarm, Some(alarm));
        self.next_with(next) != old
    }

    /// Takes an alarm back. O(1) if it has a record, else O(log2 of the seats).
    #[inline(never)]
    #[allow(improper_ctypes_definitions)]
    pub(crate) extern "C" fn remove(&self, alarm: Ref<Alarm>, all: Records) {
        if let Some(record) = records::record_of(alarm) {
            return self.disarm(record, alarm, all);
        }
        let next = self.play(alarm, None);
        self.next_after(next, all);
    }

    /// Takes the first of all out: the next instant.
    #[inline(always)]
    pub(crate) fn remove_first(&self, alarm: Ref<Alarm>, all: Records) -> u32 {
        if let Some(record) = records::record_of(alarm) {
            return self.disarm_first(record, all);
        }
        let next = self.play(alarm, None);
        self.next_after(next, all)
    }
}

/// Whether the neighbour of a seat rings before the one in the seat.
#[inline(always)]
fn goes_first(other: Ref<Alarm>, own: Ref<Alarm>, seat: usize) -> bool {
    let later = other.key.get().wrapping_sub(own.key.get()).cast_signed();
    if later == 0 {
        cold_path();
        return match (&other.event, &own.event) {
            #[cfg(feature = "programs")]
            (Event::Trigger(other), Event::Trigger(own)) => {
                before(other.serial.get(), own.serial.get())
            }
            // (even seats are left)
            _ => seat & 1 != 0,
        };
    }
    later < 0
}

impl Agenda {
    /// Whether an alarm of the tournament is set; of one that has a record of the task manager,
    /// nothing is known.
    pub(crate) fn holds(&self, alarm: Ref<Alarm>) -> Option<bool> {
        let seat = self.seats.get(alarm.seat as usize)?;
        Some(!differs(seat.alarm.get(), Some(alarm)))
    }

    /// What is broken: each inner seat has the earlier of the two below it, and the first of
    /// all is who has won. O(seats); for tests.
    pub(crate) fn check(&self) -> Result<(), &'static str> {
        let seat = |at: usize| self.seats.get(at).and_then(|seat| seat.alarm.get());
        for at in 1..self.seats.len() / 2 {
            let (winner, below) = (seat(at), [seat(2 * at), seat(2 * at + 1)]);
            let is_earliest = |winner: Ref<Alarm>| {
                let mut others = below.iter().flatten();
                others.all(|other| !before(other.key.get(), winner.key.get()))
            };
            let is_one = below.iter().any(|one| !differs(*one, winner));
            if !is_one || !winner.is_none_or(is_earliest) {
                return Err("the earlier of two alarms goes up");
            }
            if winner.is_none() && below.iter().any(Option::is_some) {
                return Err("a seat is won if there is somebody below");
            }
        }
        let listed = self.first_seated();
        if differs(listed.alarm.get(), seat(1))
            || seat(1).is_some_and(|winner| winner.key.get() != listed.key.get())
        {
            return Err("the first of all alarms is who has won");
        }
        Ok(())
    }
}

fn differs(one: Option<Ref<Alarm>>, other: Option<Ref<Alarm>>) -> bool {
    match (one, other) {
        (Some(one), Some(other)) => differ(one, other) != 0,
        (one, other) => one.is_some() != other.is_some(),
    }
}
