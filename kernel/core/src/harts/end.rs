//! The end of an entry: who runs for it, on many harts.

use crate::{Process, Ref, System, Thread};

/// Whether an entry runs itself, if anybody, whoever else of its process runs.
#[inline(always)]
pub(super) fn is_simple(entry: Ref<Thread>) -> bool {
    entry.wants.get().is_none() && entry.process.is_alive() && entry.process.is_parallel()
}

impl Process {
    /// Whether its threads may run at the same time.
    #[inline(always)]
    pub(super) fn is_parallel(&self) -> bool {
        *self.in_turn == 0
    }
}

impl System {
    /// Who runs for an entry of the queue; none: something has changed, if it may (else it would
    /// have to), and who runs is to be asked anew.
    #[inline(always)]
    pub(super) fn end_of(&self, entry: Ref<Thread>, may_change: bool) -> Option<Ref<Thread>> {
        if !entry.process.is_alive() {
            return Some(entry.process.reaper);
        }
        if entry.wants.get().is_some() {
            return self.end_of_entry(entry, may_change);
        }
        Some(entry)
    }

    /// The same of one that wants something.
    #[inline(never)]
    fn end_of_entry(&self, entry: Ref<Thread>, may_change: bool) -> Option<Ref<Thread>> {
        self.end_of_chain(entry, may_change)
    }
}
