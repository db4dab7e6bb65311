//! Ceilings that threads publish, after POSIX (`PTHREAD_PRIO_PROTECT`): whoever leaves one comes
//! before its equals, as if it had had the ceiling from the beginning.

use giornata_abi::control::PENDING;

use crate::sched::thread::state;
use crate::{Machine, Outcome, Ref, System, Thread};

/// Whether a thread that gives its turn away was moved to a ceiling that it published, and has
/// seen since that a switch was put off: then it leaves the ceiling.
pub(crate) fn has_left_ceiling<M: Machine>(me: Ref<Thread>) -> bool {
    me.state.get() >> state::LIFT != 0 && M::load(me.control.wrapping_add(PENDING)) == 0
}

impl System {
    /// The caller leaves a ceiling, to the head of its equals. O(depth).
    pub(crate) fn leave_ceiling(&self, me: Ref<Thread>) -> Outcome {
        me.state.set(me.state.get() & state::OTHERS);
        self.settle_place(me, true);
        self.dispatch()
    }
}
