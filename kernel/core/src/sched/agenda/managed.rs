//! Alarms in records of the task manager, which tells the first one in constant time.
//!
//! The builder deals the records that no thread has; alarms for which none is left are in the
//! lists. The agenda keeps the earliest of all: it changes when an earlier one is set, and is
//! asked for when it is taken out. So an alarm is set, taken back, and rings in constant time,
//! however many there are.

use core::hint::cold_path;

use giornata_manager::{Record, first_alarm};

use super::{Agenda, Alarm, LISTS, Node, RECORD_BYTES};
use crate::sched::ready::TASK_RECORDS;
pub(crate) use crate::sched::ready::TaskRecords as Records;
use crate::{Ref, before, is_not};

const _: () = assert!(RECORD_BYTES == Record::BYTES);

/// Whether there is a task manager.
pub(super) const ARE_THERE: bool = true;

/// The record of an alarm, if it has one.
#[inline(always)]
pub(super) fn record_of(alarm: Ref<Alarm>) -> Option<Record> {
    alarm.list.checked_sub(LISTS as u32).map(Record::at)
}

/// The alarm in a record, if it rings before those of the lists, and its instant.
#[inline(always)]
fn earlier(number: Option<usize>, listed: u32, all: Records) -> Option<(u32, Ref<Alarm>)> {
    let alarm = all.0[number? % TASK_RECORDS].alarm;
    let key = alarm.key();
    before(key, listed).then_some((key, alarm))
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
        match earlier(first_alarm(), self.first_of_lists().key.get(), all) {
            Some((key, alarm)) => self.first.set(key, Some(alarm)),
            None => self.fall_back(),
        }
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
        let listed = self.take_first_of_lists();
        let Some((key, alarm)) = earlier(number, listed, all) else {
            return listed;
        };
        self.first.set(key, Some(alarm));
        key
    }

    /// The first alarm is one of the lists: the next instant.
    #[inline(always)]
    fn take_first_of_lists(&self) -> u32 {
        let listed = self.first_of_lists();
        let key = listed.key.get();
        self.first.set(key, listed.alarm.get());
        key
    }

    /// The same out of line.
    #[cold]
    #[inline(never)]
    fn fall_back(&self) {
        self.take_first_of_lists();
    }
}
