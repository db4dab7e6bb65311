//! In their place, where there is one hart: it runs the first of the queue, and there is nothing
//! to note.
#![allow(clippy::extra_unused_type_parameters)] // as with several

use crate::{Hart, Machine, Object, Process, Rank, Ref, System, Thread, before, same};

impl Thread {
    /// Whoever asks runs, and no other.
    #[cfg_attr(not(feature = "services"), allow(dead_code))]
    #[inline(always)]
    pub(crate) fn still_runs(&self) -> bool {
        false
    }
}

impl System {
    /// The hart.
    #[inline(always)]
    pub fn hart(&self) -> &Hart {
        &self.hart
    }

    /// Its number.
    #[inline(always)]
    pub(crate) fn hart_number(&self) -> u32 {
        0
    }

    /// The entry of the ready queue in whose place the hart runs.
    #[inline(always)]
    pub(crate) fn entry(&self) -> Ref<Thread> {
        self.first.get()
    }

    /// The urgency at which the hart runs.
    #[cfg_attr(not(feature = "services"), allow(dead_code))]
    #[inline(always)]
    pub(crate) fn rank_of_turn(&self) -> Ref<Rank> {
        self.top.get()
    }

    /// It runs whom the trap path says.
    pub(crate) fn check_harts(&self) -> Result<(), &'static str> {
        Ok(())
    }

    #[inline(always)]
    pub(crate) fn note_change(&self) {}

    #[inline(always)]
    pub(crate) fn note_queued(&self, _: Ref<Thread>) {}

    #[cfg_attr(feature = "rtm", allow(dead_code))]
    #[inline(always)]
    pub(crate) fn note_closed(&self, _: Ref<Rank>) {}

    #[inline(always)]
    pub(crate) fn note_removed(&self, _: Ref<Thread>) {}

    #[cfg_attr(not(feature = "services"), allow(dead_code))]
    #[inline(always)]
    pub(crate) fn note_free(&self, _: Ref<Object>) {}

    /// The turn of an entry is that of the next of its equals.
    #[inline(always)]
    pub(crate) fn rotate(&self, entry: Ref<Thread>, next: Ref<Thread>) {
        entry.rank.get().head.set(Some(next));
        self.first.set(next);
    }

    /// The hart loads the space of a process before it enters that again.
    #[inline(always)]
    pub(crate) fn forget_space(&self, process: Ref<Process>) {
        if same(self.hart().loaded.get(), process) {
            self.hart().loaded.set(self.idle().process);
        }
    }

    #[cfg(feature = "processes")]
    #[inline(always)]
    pub(crate) fn renew_elsewhere<M: Machine>(&self, _: Ref<Process>) {}

    /// No other hart has what a process detaches.
    #[cfg(feature = "processes")]
    #[inline(always)]
    pub(crate) fn has_elsewhere<M: Machine>(
        &self,
        _: Ref<Process>,
        _: Ref<crate::process::region::Share>,
        _: u32,
    ) -> bool {
        false
    }

    #[cfg(feature = "processes")]
    #[inline(always)]
    pub(crate) fn note_detached(&self, _: Ref<Process>, _: u32) {}

    /// Whoever asks runs.
    #[inline(always)]
    pub(crate) fn runs_anywhere(&self, _: Ref<Process>) -> bool {
        false
    }

    /// There is no other.
    #[inline(always)]
    pub(crate) fn leaves_to_another<M: Machine>(&self) -> bool {
        false
    }

    /// Ticks that a thread has run and was not charged for yet; `me` runs.
    #[cfg(feature = "posix")]
    pub(crate) fn uncharged_of<M: Machine>(&self, me: Ref<Thread>, thread: Ref<Thread>) -> u32 {
        match same(me, thread) {
            true => self.hart().uncharged(M::now()),
            false => 0,
        }
    }

    /// Whoever asks runs, and no other.
    #[cfg(feature = "posix")]
    #[inline(always)]
    pub(crate) fn charge_elsewhere<M: Machine>(&self, _: Ref<Thread>) {}

    #[cfg(feature = "posix")]
    #[inline(always)]
    pub(crate) fn note_limit<M: Machine>(&self, _: Ref<Thread>) {}

    /// The time of whom the hart runs is up at an instant: its timer rings then.
    #[inline(always)]
    pub(crate) fn set_limit_timer<M: Machine>(&self, end: u32, now: u32) {
        let first = self.agenda.next();
        self.set_hart_timer::<M>(if before(end, first) { end } else { first }, now);
    }
}
