//! What the other parts have to see to, in a kernel without shared memory and supervisors:
//! nothing.
#![allow(clippy::extra_unused_type_parameters)] // as with them

use crate::{Kernel, Machine, Process, Ref};

impl Kernel {
    pub(crate) fn detach_next<M: Machine>(&self, _: Ref<Process>, _: usize) -> u32 {
        0
    }

    pub(crate) fn note_end(&self, _: Ref<Process>, _: u32) {}

    pub(crate) fn tell_supervisor<M: Machine>(&self, _: Ref<Process>, _: bool) {}
}
