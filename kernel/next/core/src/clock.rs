//! Clocks that a process can read.

use core::hint::cold_path;

use crate::thread::state;
use crate::{Kernel, Machine, Outcome, Ref, Thread};

impl Kernel {
    /// Ticks since the system started.
    pub(crate) fn clock<M: Machine>(&self, me: Ref<Thread>) -> Outcome {
        let now = M::now();
        me.returns([now as usize, M::high(now) as usize, 0, 0, 0, 0])
    }

    /// Ticks that the caller has run.
    pub(crate) fn cpu_time<M: Machine>(&self, me: Ref<Thread>) -> Outcome {
        let (low, carry) = me
            .spent
            .get()
            .overflowing_add(M::now().wrapping_sub(self.trace.since.get()));
        let high = me.spent_high.get().wrapping_add(carry as u32);
        me.returns([low as usize, high as usize, 0, 0, 0, 0])
    }

    /// Gives the turn to the next of equal urgency; of a thread that runs in the place
    /// of another, the donor's.
    #[inline(always)]
    pub(crate) fn yield_now(&self, me: Ref<Thread>) -> Outcome {
        let slot = self.slot.get();
        if me.is(state::IN_RING) {
            cold_path();
            self.leave_ring(me);
        }
        let next = slot.next.get();
        me.answer(0);
        if (me.state.get() | slot.state.get()) >> state::LIFT != 0 {
            cold_path();
            return self.yield_ceiling(me, slot);
        }
        let wants = next.wants.get();
        slot.rank.get().head.set(Some(next));
        self.slot.set(next);
        self.run_wanting(next, wants)
    }
}
