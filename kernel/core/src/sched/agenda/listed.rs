//! Without a task manager all alarms are in lists.

use core::convert::Infallible;

use super::{Agenda, Alarm, Node};
use crate::Ref;

/// What the records of a task manager stand for: there are none.
#[derive(Clone, Copy)]
pub(crate) struct Records;

/// Whether there is a task manager.
pub(super) const ARE_THERE: bool = false;

/// The record of an alarm: it has none.
#[inline(always)]
pub(super) fn record_of(_: Ref<Alarm>) -> Option<Infallible> {
    None
}

impl Agenda {
    /// Where the earliest alarm of all lists stands.
    #[inline(always)]
    pub(super) fn first_of_lists(&self) -> &Node {
        &self.first
    }

    #[inline(always)]
    pub(super) fn begin_records(&self) {}

    #[inline(always)]
    pub(super) fn arm(&self, record: Infallible, _: Ref<Alarm>, _: u32) -> bool {
        match record {}
    }

    #[inline(always)]
    pub(super) fn disarm(&self, record: Infallible, _: Ref<Alarm>, _: Records) {
        match record {}
    }

    #[inline(always)]
    pub(super) fn disarm_first(&self, record: Infallible, _: Records) -> u32 {
        match record {}
    }

    /// The next instant, if the lists had an alarm inserted and this is that of theirs.
    #[inline(always)]
    pub(super) fn next_with(&self, listed: u32) -> u32 {
        listed
    }

    /// The next instant, whatever has happened to the lists, if this is that of theirs.
    #[inline(always)]
    pub(super) fn next_after(&self, listed: u32, _: Records) -> u32 {
        listed
    }

    #[inline(always)]
    pub(super) fn renew(&self, _: Records) {}
}
