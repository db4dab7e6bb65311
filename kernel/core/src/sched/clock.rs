//! Clocks that a process can read.

use core::hint::cold_path;

use crate::sched::thread::state;
use crate::{Machine, Outcome, Ref, System, Thread, posix};

impl System {
    /// Ticks since the system started.
    pub(crate) fn clock<M: Machine>(&self, me: Ref<Thread>) -> Outcome {
        let now = M::now();
        me.pair(now as usize, M::high(now) as usize)
    }

    /// Ticks that the caller has run.
    pub(crate) fn cpu_time<M: Machine>(&self, me: Ref<Thread>) -> Outcome {
        let (low, carry) = me
            .spent
            .get()
            .overflowing_add(self.hart().uncharged(M::now()));
        let high = me.spent_high.get().wrapping_add(carry as u32);
        me.pair(low as usize, high as usize)
    }

    /// Gives the turn to the next of equal urgency; of a thread that runs in the place
    /// of another, the donor's.
    #[inline(always)]
    pub(crate) fn yield_now<M: Machine>(&self, me: Ref<Thread>) -> Outcome {
        let slot = self.entry();
        let (own, other) = (me.state.get(), slot.state.get());
        me.answer(0);
        if own & state::IN_RING | (own | other) >> state::LIFT != 0 {
            cold_path();
            return self.yield_any::<M>(me, slot);
        }
        let next = slot.next.get();
        let wants = next.wants.get();
        self.rotate(slot, next);
        self.run_wanting(next, wants)
    }

    /// The same of a job, and of a thread at a ceiling that it published.
    #[inline(never)]
    extern "C" fn yield_any<M: Machine>(&self, me: Ref<Thread>, slot: Ref<Thread>) -> Outcome {
        if me.is(state::IN_RING) {
            self.begin_behind::<M>(me);
            self.leave_ring(me);
        }
        if (me.state.get() | slot.state.get()) >> state::LIFT != 0 {
            if posix::has_left_ceiling::<M>(me) {
                return self.leave_ceiling(me);
            }
            return self.yield_ceiling(me, slot);
        }
        let next = slot.next.get();
        self.rotate(slot, next);
        self.dispatch()
    }
}
