//! Alarms in records of the task manager, which tells the first one in constant time.
//!
//! They are one list of the agenda, the last, of which only the first is known. The builder
//! deals the records that no thread has; alarms for which none is left are in the other lists.

use giornata_manager::first_alarm;
pub(super) use giornata_manager::{arm, clear, set_key};

use super::{Alarm, LISTS};
use crate::Ref;
use crate::ready::TaskRecord;

/// What the records stand for.
pub(crate) type Records = &'static [TaskRecord];

/// Whether there is a task manager.
pub(super) const ARE_THERE: bool = true;

/// The record of an alarm, if it has one.
#[inline(always)]
pub(super) fn record_of(alarm: Ref<Alarm>) -> Option<usize> {
    (alarm.list as usize / LISTS).checked_sub(1)
}

/// The one that rings first of those that have a record. O(1).
#[inline(always)]
pub(super) fn first(records: Records) -> Option<Ref<Alarm>> {
    records.get(first_alarm()?)?.alarm
}
