//! Alarms in records of the task manager, which tells the first one in constant time.
//!
//! The builder deals the records that no thread has; alarms for which none is left are in the
//! lists. The agenda keeps the earliest of all: it changes when an earlier one is set, and is
//! asked for when it is taken out. So an alarm is set, taken back, and rings in constant time,
//! however many there are.

use core::hint::cold_path;

use giornata_manager::{Record, first_alarm};

use super::{Agenda, Alarm, LISTS, Node, RECORD_BYTES};
use crate::ready::TaskRecord;
use crate::{Ref, before, is_not};

/// What the records stand for.
pub(crate) type Records = &'static [TaskRecord];

const _: () = assert!(RECORD_BYTES == Record::BYTES);

/// Whether there is a task manager.
pub(super) const ARE_THERE: bool = true;

/// The record of an alarm, if it has one.
#[inline(always)]
pub(super) fn record_of(alarm: Ref<Alarm>) -> Option<Record> {
    alarm.list.checked_sub(LISTS as u32).map(Record::at)
}

impl Agenda {
    /// The earliest alarm of the lists.
    #[inline(always)]
    pub(super) fn first_of_lists(&self) -> &Node {
        let [.., first] = &self.lists;
        first
    }

    /// No alarm is in a record.
    pub(super) fn begin_records(&self) {
        self.take_first_of_lists();
    }

    /// Sets an alarm. Returns whether it is the first one now. O(1).
    #[inline(always)]
    pub(super) fn arm(&self, record: Record, alarm: Ref<Alarm>, key: u32) -> bool {
        alarm.key.set(key);
        record.arm(key);
        let is_first = before(key, self.next());
        if is_first {
            self.first.set(key, Some(alarm));
        }
        is_first
    }

    /// Takes an alarm back. O(1).
    #[inline(always)]
    pub(super) fn disarm(&self, record: Record, alarm: Ref<Alarm>, all: Records) {
        let first = self.first();
        record.clear();
        if is_not(first, alarm) != 0 {
            cold_path();
            return;
        }
        self.renew(all);
    }

    /// Takes the first alarm out: the next instant. O(1).
    #[inline(always)]
    pub(super) fn disarm_first(&self, record: Record, all: Records) -> u32 {
        record.clear();
        self.renew(all)
    }

    /// The lists had an alarm inserted, and this is their next instant: that of all.
    #[inline(always)]
    pub(super) fn next_with(&self, listed: u32) -> u32 {
        let next = self.next();
        if before(next, listed) {
            return next;
        }
        self.take_first_of_lists()
    }

    /// Whatever has happened to the lists: the next instant of all.
    #[inline(always)]
    pub(super) fn next_after(&self, _: u32, all: Records) -> u32 {
        self.renew(all)
    }

    /// Asks for the first alarm: the next instant. (Of equal ones, one of the lists.)
    #[inline(always)]
    pub(super) fn renew(&self, all: Records) -> u32 {
        let number = first_alarm();
        let listed = self.first_of_lists().key.get();
        // (also if there is none)
        let Some(record) = all.get(number) else {
            return self.take_first_of_lists();
        };
        let key = record.alarm.key();
        if !before(key, listed) {
            return self.take_first_of_lists();
        }
        self.first.set(key, Some(record.alarm));
        key
    }

    /// The first alarm is one of the lists.
    #[cold]
    #[inline(never)]
    fn take_first_of_lists(&self) -> u32 {
        let listed = self.first_of_lists();
        let key = listed.key.get();
        self.first.set(key, listed.alarm.get());
        key
    }
}
