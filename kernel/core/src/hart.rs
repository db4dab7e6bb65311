//! What there is once for each hart: whom it charges, what it has loaded, for whom it runs.

use core::cell::Cell;

use crate::harts::Member;
use crate::layout::OnSeveral;
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
        /// What it is among several.
        pub member: OnSeveral<Member>,
    }
}

impl Hart {
    /// A hart that runs its idle thread.
    #[cfg(feature = "harts")]
    pub(crate) fn with_member(idle: Ref<Thread>, member: OnSeveral<Member>) -> Hart {
        Hart {
            idle,
            since: Cell::new(0),
            alarm: Cell::new(0),
            loaded: Cell::new(idle.process),
            donor: Cell::new(None),
            helper: Cell::new(None),
            paid: Cell::new(0),
            own: [const { Cell::new(0) }; 4],
            member,
        }
    }

    /// Ticks since the running thread began to be charged: not yet in its record.
    #[inline(always)]
    pub fn uncharged(&self, now: u32) -> u32 {
        now.wrapping_sub(self.since.get())
    }

    /// A thread, which runs, is charged for what it has run up to now.
    #[cfg(feature = "harts")]
    #[inline(always)]
    pub(crate) fn charge(&self, thread: Ref<Thread>, now: u32) {
        let (spent, carry) = thread.spent.get().overflowing_add(self.uncharged(now));
        let high = thread.spent_high.get().wrapping_add(carry as u32);
        thread.spent.set(spent);
        thread.spent_high.set(high);
        self.since.set(now);
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
