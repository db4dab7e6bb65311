//! What the other parts have to see to, in a kernel without shared memory and supervisors:
//! nothing.
#![allow(clippy::extra_unused_type_parameters)] // as with them

use crate::{Machine, Process, Ref, System, Thread};

impl System {
    pub(crate) fn detach_next<M: Machine>(&self, _: Ref<Process>, _: usize) -> u32 {
        0
    }

    pub(crate) fn look_for_cause<M: Machine>(&self, _: Ref<Process>, _: usize) -> u32 {
        0
    }

    pub(crate) fn find_cause<M: Machine>(&self, _: Ref<Process>, _: Option<Ref<Thread>>) {}

    pub(crate) fn was_ended(_: Ref<Process>) -> bool {
        false
    }

    pub(crate) fn note_end(&self, _: Ref<Process>, _: u32) {}

    pub(crate) fn tell_supervisor<M: Machine>(&self, _: Ref<Process>, _: bool) {}
}
