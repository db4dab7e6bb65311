//! What the end of threads and processes has to see to, in a kernel without services:
//! nothing.
#![allow(clippy::extra_unused_type_parameters)] // as with services

use crate::thread::tenancy;
use crate::{Kernel, Machine, Object, Process, Ref, Thread};

impl Kernel {
    pub(crate) fn give_up_one<M: Machine>(&self, _: Ref<Thread>) -> bool {
        false
    }

    pub(crate) fn meet_dead_owner(
        &self,
        waiter: Ref<Thread>,
        _: Ref<Object>,
        _: Ref<Thread>,
    ) -> Ref<Thread> {
        waiter
    }

    pub(crate) fn cancel_wait<M: Machine>(&self, _: Ref<Thread>) {}

    pub(crate) fn give_up_next<M: Machine>(&self, _: Ref<Process>, _: usize) -> u32 {
        0
    }

    pub(crate) fn detach_next<M: Machine>(&self, _: Ref<Process>, _: usize) -> u32 {
        0
    }

    pub(crate) fn end_tenancy<M: Machine>(&self, thread: Ref<Thread>, _: usize) {
        thread.tenancy.set(tenancy::NOBODY);
    }

    pub(crate) fn orphan(&self, _: Ref<Thread>, _: Ref<Object>) {}

    pub(crate) fn end_servers(&self, _: Ref<Thread>) {}

    pub(crate) fn free_place(&self, _: Ref<Thread>) {}

    pub(crate) fn note_end(&self, _: Ref<Process>, _: u32) {}

    pub(crate) fn renew(&self, _: Ref<Process>) {}

    pub(crate) fn tell_supervisor<M: Machine>(&self, _: Ref<Process>, _: bool) {}
}
