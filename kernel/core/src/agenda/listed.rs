//! Without a task manager all alarms are in lists.

use super::Alarm;
use crate::Ref;

/// What the records of a task manager stand for: there are none.
#[derive(Clone, Copy)]
pub(crate) struct Records;

/// Whether there is a task manager.
pub(super) const ARE_THERE: bool = false;

#[inline(always)]
pub(super) fn record_of(_: Ref<Alarm>) -> Option<usize> {
    None
}

#[inline(always)]
pub(super) fn arm(_: usize, _: u32) {}

#[inline(always)]
pub(super) fn set_key(_: usize, _: u32) {}

#[inline(always)]
pub(super) fn clear(_: usize) {}

#[inline(always)]
pub(super) fn first(_: Records) -> Option<Ref<Alarm>> {
    None
}
