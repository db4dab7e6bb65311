//! What the other parts have to see to, in a kernel without services: nothing.
#![allow(clippy::extra_unused_type_parameters)] // as with services

use core::cell::Cell;

use crate::sched::limit::OWN;
use crate::sched::thread::tenancy;
use crate::{Machine, Object, Outcome, Process, Rank, Ref, System, Thread, same};

/// The kernel writes no words that threads take by themselves.
#[inline(always)]
pub(crate) fn begin_block_anew<M: Machine>(_: Ref<Thread>) {}

impl System {
    #[inline(always)]
    pub(crate) fn dispatch(&self) -> Outcome {
        Outcome::switch(self.first.get())
    }

    #[inline(always)]
    pub(crate) fn dispatch_from(&self, _: Ref<Thread>) -> Outcome {
        self.dispatch()
    }

    #[inline(always)]
    pub(crate) fn run_wanting(&self, slot: Ref<Thread>, _: Option<Ref<Object>>) -> Outcome {
        Outcome::switch(slot)
    }

    #[inline(always)]
    pub(crate) fn ask(&self, _: Ref<Thread>) {}

    /// Nobody waits in a list.
    pub(crate) fn come(&self, _: Ref<Thread>, _: &Cell<Option<Ref<Thread>>>) {}

    pub(crate) fn go_out(&self, _: Ref<Thread>, _: &Cell<Option<Ref<Thread>>>) {}

    pub(crate) fn is_in(&self, _: Ref<Thread>, _: Option<Ref<Thread>>) -> bool {
        false
    }

    pub(crate) fn unpark(&self, _: Ref<Thread>) {}

    pub(crate) fn note_hinted_mutex<M: Machine>(&self, _: Ref<Thread>) {}

    pub(crate) fn reacquire_mutex<M: Machine>(&self, _: Ref<Thread>) {}

    /// Who does not sleep waits for no instant.
    pub(crate) fn end_timed_wait<M: Machine>(&self, _: Ref<Thread>) {}

    pub(crate) fn give_up_one(&self, _: Ref<Thread>) -> bool {
        false
    }

    pub(crate) fn cancel_wait(&self, _: Ref<Thread>) {}

    pub(crate) fn holder(&self, _: Ref<Thread>) -> Option<Ref<Thread>> {
        None
    }

    #[inline(always)]
    pub(crate) fn queue(&self, thread: Ref<Thread>) {
        thread.waits.set(None);
        self.stand_at_base(thread);
        self.insert(thread);
    }

    pub(crate) fn end_tenancy<M: Machine>(&self, thread: Ref<Thread>, _: usize) {
        thread.tenancy.set(tenancy::NOBODY);
    }

    /// Who has a limit pays for itself.
    #[inline(always)]
    pub(crate) fn payer(&self, runner: Ref<Thread>) -> Option<Ref<Thread>> {
        let pays = runner.limited.get() & OWN != 0 && same(self.entry(), runner);
        pays.then_some(runner)
    }

    pub(crate) fn settle_donor(&self) {}

    /// Nobody hangs on a thread, or runs in the place of another.
    #[inline(always)]
    pub(crate) fn settle_waiting(&self, thread: Ref<Thread>) {
        self.stand_at_base(thread);
    }

    pub(crate) fn settle_chain(&self, _: Ref<Thread>, _: Ref<Thread>) {}

    pub(crate) fn rank_lent(&self, _: Ref<Process>, own: Ref<Rank>) -> Ref<Rank> {
        own
    }

    pub(crate) fn end_loan(&self, _: Ref<Process>) {}

    pub(crate) fn check_locks(&self) -> Result<(), &'static str> {
        Ok(())
    }

    pub(crate) fn note_lent(&self, _: Ref<Thread>, _: Ref<crate::Rank>) {}

    pub(crate) fn free_place(&self, _: Ref<Thread>) {}

    pub(crate) fn renew(&self, _: Ref<Process>) {}
}
