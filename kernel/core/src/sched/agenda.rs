//! The agenda: eight short sorted lists, and a tournament of their firsts.
//!
//! An alarm belongs to a list for good; the builder deals them, so a list is as short
//! as it can be: 100 alarms are thirteen to a list. Keys are low words of the clock.
//! A list in which nothing is armed has a key at the horizon: it rings then, and gets
//! a new one. So there is no "absent", the alarm of the hart is always set, and no
//! low word is ever ambiguous.

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

/// Lists of the agenda.
pub const LISTS: usize = 8;
/// Bytes from one record of a task manager to the next.
pub const RECORD_BYTES: usize = 8;
/// Ticks after which a list in which nothing is armed rings.
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
        /// Its list, below [`LISTS`]; of one that has a record of the task manager [`LISTS`],
        /// plus the offset of the record.
        pub(crate) list: u32,
        pub(crate) next: Cell<Option<Ref<Alarm>>>,
        pub(crate) prev: Cell<Option<Ref<Alarm>>>,
        /// What rings.
        pub(crate) event: Event,
    }

    /// The earliest of some.
    pub struct Node {
        key: Cell<u32>,
        alarm: Cell<Option<Ref<Alarm>>>,
    }

    /// Time events, by instant.
    pub struct Agenda {
        /// The earliest of all.
        first: Node,
        /// The earliest of the four lists of either half.
        two: [Node; 2],
        /// The first of each list. With a task manager, the last: the first of all lists.
        lists: [Node; LISTS],
        /// The last of each list.
        lasts: [Cell<Option<Ref<Alarm>>>; LISTS],
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
    /// At boot: nothing is armed. Empty lists do not ring all at once.
    pub fn begin(&self, now: u32) {
        let mut key = now.wrapping_add(HORIZON);
        for node in &self.lists {
            node.set(key, None);
            key = key.wrapping_sub(4096);
        }
        self.replay(0);
        self.replay(4);
        self.begin_records();
    }

    #[inline(always)]
    fn node(&self, list: u32) -> &Node {
        &self.lists[list as usize % LISTS]
    }

    #[inline(always)]
    fn last(&self, list: u32) -> &Cell<Option<Ref<Alarm>>> {
        &self.lasts[list as usize % LISTS]
    }

    /// The instant at which the next alarm rings.
    #[inline(always)]
    pub fn next(&self) -> u32 {
        self.first.key.get()
    }

    /// What rings then; none: a list has come to the horizon.
    #[inline(always)]
    pub(crate) fn first(&self) -> Option<Ref<Alarm>> {
        self.first.alarm.get()
    }

    /// The first of a list is later than the one before: its half and the whole are
    /// decided anew. Returns the next instant; with a task manager, that of the lists.
    #[inline(never)]
    fn replay(&self, list: u32) -> u32 {
        self.replay_now(list)
    }

    /// The same without a call.
    #[inline(always)]
    fn replay_now(&self, list: u32) -> u32 {
        let half = list as usize / 4 % 2;
        let [a, b, c, d] = match &self.lists {
            [a, b, c, d, ..] if half == 0 => [a, b, c, d],
            // (with a task manager the last is none)
            [_, _, _, _, a, b, c, _] if records::ARE_THERE => [a, b, c, c],
            [_, _, _, _, a, b, c, d] => [a, b, c, d],
        };
        let (ka, kb, kc, kd) = (a.key.get(), b.key.get(), c.key.get(), d.key.get());
        let (x, kx) = if before(kb, ka) { (b, kb) } else { (a, ka) };
        let (y, ky) = if before(kd, kc) { (d, kd) } else { (c, kc) };
        let (z, mut key) = if before(ky, kx) { (y, ky) } else { (x, kx) };
        let other = &self.two[half ^ 1];
        let mut alarm = z.alarm.get();
        let other_key = other.key.get();
        self.two[half].set(key, alarm);
        if before(other_key, key) {
            key = other_key;
            alarm = other.alarm.get();
        }
        self.first_of_lists().set(key, alarm);
        key
    }

    /// 0 if the first of its list, set anew for `key`, is still the first of it.
    #[cfg_attr(not(feature = "programs"), allow(dead_code))]
    #[inline(always)]
    pub(crate) fn loses_front(&self, alarm: Ref<Alarm>, key: u32) -> usize {
        let stays = alarm
            .next
            .get()
            .is_none_or(|next| before(key, next.key.get()));
        !stays as usize
    }

    /// Sets the first of its list anew, which is still the first of it: the next instant.
    #[cfg_attr(not(all(feature = "fast", feature = "programs")), allow(dead_code))]
    #[inline(always)]
    pub(crate) fn move_front(&self, alarm: Ref<Alarm>, key: u32, all: Records) -> u32 {
        alarm.key.set(key);
        self.node(alarm.list).key.set(key);
        let next = self.replay_now(alarm.list);
        self.next_after(next, all)
    }

    /// The first of its list is set anew, and is still the first of it: the next instant.
    /// `None`: it is another case, and nothing has changed.
    #[cfg_attr(not(feature = "programs"), allow(dead_code))]
    #[inline(always)]
    pub(crate) fn again(&self, alarm: Ref<Alarm>, key: u32, all: Records) -> Option<u32> {
        let node = self.node(alarm.list);
        if differ(node.alarm.get()?, alarm) | self.loses_front(alarm, key) != 0 {
            cold_path();
            return None;
        }
        alarm.key.set(key);
        node.key.set(key);
        let next = self.replay(alarm.list);
        Some(self.next_after(next, all))
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

    /// Sets an alarm of a list, as [`set`](Self::set). O(1) behind all others of its list, else
    /// O(alarms of its list).
    #[inline(never)]
    pub(crate) extern "C" fn insert(&self, alarm: Ref<Alarm>, key: u32) -> bool {
        let (node, last) = (self.node(alarm.list), self.last(alarm.list));
        alarm.key.set(key);
        let (mut prev, mut next) = (last.get(), None);
        if prev.is_some_and(|last| before(key, last.key.get())) {
            (prev, next) = (None, node.alarm.get());
            while let Some(at) = next {
                if before(key, at.key.get()) {
                    break;
                }
                prev = next;
                next = at.next.get();
            }
        } else {
            last.set(Some(alarm));
        }
        alarm.prev.set(prev);
        alarm.next.set(next);
        if let Some(next) = next {
            next.prev.set(Some(alarm));
        }
        if let Some(prev) = prev {
            prev.next.set(Some(alarm));
            return false;
        }
        let old = self.next();
        node.set(key, Some(alarm));
        let next = self.replay(alarm.list);
        self.next_with(next) != old
    }

    /// Takes an alarm back. O(1).
    #[inline(never)]
    #[allow(improper_ctypes_definitions)]
    pub(crate) extern "C" fn remove(&self, alarm: Ref<Alarm>, all: Records) {
        if let Some(record) = records::record_of(alarm) {
            return self.disarm(record, alarm, all);
        }
        self.unlist(alarm, all);
    }

    /// Takes an alarm out of its list. O(1).
    #[cfg_attr(feature = "rtm", inline(never))]
    #[cfg_attr(not(feature = "rtm"), inline(always))]
    #[allow(improper_ctypes_definitions)]
    extern "C" fn unlist(&self, alarm: Ref<Alarm>, all: Records) {
        let (next, prev) = (alarm.next.get(), alarm.prev.get());
        if let Some(prev) = prev {
            prev.next.set(next);
            match next {
                Some(next) => next.prev.set(Some(prev)),
                None => self.last(alarm.list).set(Some(prev)),
            }
            return;
        }
        self.shorten(alarm, next);
        let next = self.replay(alarm.list);
        self.next_after(next, all);
    }

    /// Takes the first of its list out: the next instant.
    #[inline(always)]
    pub(crate) fn remove_first(
        &self,
        alarm: Ref<Alarm>,
        next: Option<Ref<Alarm>>,
        all: Records,
    ) -> u32 {
        if let Some(record) = records::record_of(alarm) {
            return self.disarm_first(record, all);
        }
        self.shorten(alarm, next);
        let next = self.replay_now(alarm.list);
        self.next_after(next, all)
    }

    /// What is left of a list without its first.
    #[inline(always)]
    fn shorten(&self, alarm: Ref<Alarm>, next: Option<Ref<Alarm>>) {
        // (beyond the alarm's own instant, which is not far from now)
        let mut key = alarm.key.get().wrapping_add(HORIZON - FARTHEST);
        match next {
            Some(next) => {
                next.prev.set(None);
                key = next.key.get();
            }
            None => self.last(alarm.list).set(None),
        }
        self.node(alarm.list).set(key, next);
    }

    /// Whether an alarm is set, for tests; none if a record of the task manager tells.
    /// O(alarms of its list).
    pub(crate) fn holds(&self, alarm: Ref<Alarm>) -> Option<bool> {
        if records::record_of(alarm).is_some() {
            return None;
        }
        let mut at = self.node(alarm.list).alarm.get();
        while let Some(other) = at {
            if differ(other, alarm) == 0 {
                return Some(true);
            }
            at = other.next.get();
        }
        Some(false)
    }

    /// Whether the lists are sorted, and linked both ways. For tests.
    pub(crate) fn is_in_order(&self) -> bool {
        // (with a task manager the last is the first of all lists)
        let lists = self.lists.iter().zip(&self.lasts);
        let mut lists = lists.take(LISTS - usize::from(records::ARE_THERE));
        lists.all(|(node, last)| {
            let (mut at, mut prev): (_, Option<Ref<Alarm>>) = (node.alarm.get(), None);
            while let Some(alarm) = at {
                let is_next = match (alarm.prev.get(), prev) {
                    (None, None) => node.key.get() == alarm.key.get(),
                    (Some(found), Some(prev)) => {
                        differ(found, prev) == 0 && !before(alarm.key.get(), prev.key.get())
                    }
                    _ => false,
                };
                if !is_next {
                    return false;
                }
                (prev, at) = (at, alarm.next.get());
            }
            match (prev, last.get()) {
                (None, _) => true,
                (Some(prev), Some(last)) => differ(prev, last) == 0,
                (Some(_), None) => false,
            }
        })
    }

    /// Lists in which nothing is armed and whose horizon has come get a new one.
    #[inline(never)]
    pub(crate) fn refresh(&self, now: u32, all: Records) {
        for (list, node) in self.lists.iter().enumerate() {
            if node.alarm.get().is_none() && !before(now, node.key.get()) {
                node.key.set(now.wrapping_add(HORIZON));
                self.replay(list as u32);
            }
        }
        self.renew(all);
    }
}
