//! What the rest of the kernel asks of programs, in a kernel without: nothing.
#![allow(clippy::extra_unused_type_parameters)] // as with programs

use crate::{Line, Machine, Outcome, Program, Rank, Ref, System, Thread, Trigger};

impl System {
    #[inline(always)]
    pub(crate) fn place_of_copying(&self, rank: Ref<Rank>) -> Ref<Rank> {
        rank
    }

    pub(crate) fn check_micro(&self) -> Result<(), &'static str> {
        Ok(())
    }

    pub(crate) fn start_programs(&self, _: u32) {}

    #[inline(always)]
    pub(crate) fn on_release<M: Machine>(
        &self,
        _: Ref<Trigger>,
        me: Ref<Thread>,
        _: u32,
    ) -> Outcome {
        self.on_timer_any::<M>(me)
    }

    pub(crate) fn ring(&self, _: Ref<Trigger>) {}

    pub(crate) fn ripen<M: Machine>(&self, _: Ref<Program>) {}

    pub(crate) fn react<M: Machine>(&self) {}

    pub(crate) fn machine_turn<M: Machine>(&self, _: Ref<Thread>) -> Outcome {
        self.dispatch()
    }

    pub(crate) fn fire_line<M: Machine>(&self, _: Ref<Line>) {}

    #[cfg_attr(not(feature = "mail"), allow(dead_code))]
    pub(crate) fn message_came<M: Machine>(&self) {}

    pub(crate) fn begin_behind<M: Machine>(&self, _: Ref<Thread>) {}

    pub(crate) fn leave_ring(&self, _: Ref<Thread>) {}

    pub(crate) fn exhaust<M: Machine>(&self, _: Ref<Thread>) {}

    pub(crate) fn end_program_thread<M: Machine>(&self, _: Ref<Thread>) {}

    pub(crate) fn begin_program_thread(&self, _: Ref<Thread>) {}
}
