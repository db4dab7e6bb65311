//! What there is once for each hart: whom it charges, what it has loaded, for whom it runs.

use core::cell::Cell;

use crate::{Process, Ref, Thread, record};

record! {
    /// The record of a hart.
    pub struct Hart {
        /// The thread that runs when no other can.
        pub(crate) idle: Ref<Thread>,
        /// Low word of the clock when the running thread began to be charged.
        pub since: Cell<u32>,
        /// The instant to which the hart's alarm was set last, in kernels that have policies
        /// of POSIX.
        pub alarm: Cell<u32>,
        /// The process whose space the hart has loaded.
        pub loaded: Cell<Ref<Process>>,
        /// The thread on whose budget another runs in its place,
        pub donor: Cell<Option<Ref<Thread>>>,
        /// who that other is,
        helper: Cell<Option<Ref<Thread>>>,
        /// and what that one had run before.
        paid: Cell<u32>,
        /// The architecture's own words, 0 at boot.
        pub own: [Cell<usize>; 4],
    }
}

impl Hart {
    /// Ticks since the running thread began to be charged: not yet in its record.
    #[inline(always)]
    pub fn uncharged(&self, now: u32) -> u32 {
        now.wrapping_sub(self.since.get())
    }

    /// A thread runs in the place of another, on whose budget it does.
    #[inline(always)]
    pub(crate) fn run_on_budget_of(&self, donor: Ref<Thread>, helper: Ref<Thread>) {
        self.donor.set(Some(donor));
        self.helper.set(Some(helper));
        self.paid.set(helper.spent.get());
    }

    /// What the helper has been charged for since it runs on another's budget.
    #[inline(always)]
    pub(crate) fn run_on_budget(&self, helper: Ref<Thread>) -> u32 {
        helper.spent.get().wrapping_sub(self.paid.get())
    }

    /// Takes what was run on its budget from the limit of the donor, if there is one.
    #[cfg(feature = "services")]
    pub(crate) fn settle_donor(&self) {
        if let (Some(donor), Some(helper)) = (self.donor.take(), self.helper.take()) {
            let used = self.run_on_budget(helper);
            donor.limit.set(donor.limit.get().wrapping_sub(used));
        }
    }
}
