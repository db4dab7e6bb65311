//! What the other parts have to see to, in a kernel without mailboxes: nothing.

#[cfg(feature = "services")]
use crate::{Machine, Object, Outcome};
use crate::{Process, Rank, Ref, System, Thread};

impl System {
    #[inline(always)]
    pub(crate) fn place_by_messages(&self, thread: Ref<Thread>) -> Ref<Rank> {
        thread.own.get()
    }

    pub(crate) fn end_service(&self, _: Ref<Thread>) -> bool {
        false
    }

    pub(crate) fn end_bytes(&self, _: Ref<Thread>) {}

    pub(crate) fn end_mail(&self, _: Ref<Process>, _: usize) -> u32 {
        0
    }

    pub(crate) fn check_mail(&self) -> Result<(), &'static str> {
        Ok(())
    }

    pub(crate) fn keep_mail(&self, _: usize, _: u32) -> bool {
        false
    }

    pub(crate) fn end_servers(&self, _: Ref<Thread>) {}

    #[cfg(feature = "services")]
    #[inline(always)]
    pub(crate) fn leave_one(&self, _: Ref<Thread>) -> bool {
        false
    }

    /// Nobody waits for a reply.
    #[cfg(feature = "services")]
    #[inline(always)]
    pub(crate) fn end_client(&self, _: Ref<Thread>) {}

    #[cfg(feature = "services")]
    #[inline(always)]
    pub(crate) fn orphan(&self, _: Ref<Thread>, _: Ref<Object>) {}

    #[cfg(feature = "slots")]
    #[inline(always)]
    pub(crate) fn drain(&self, _: Ref<Object>) -> bool {
        false
    }
}

/// No call to a mailbox comes as far as here.
#[cfg(feature = "services")]
#[inline(always)]
#[allow(clippy::extra_unused_type_parameters)] // as with mailboxes
pub(crate) fn carry_out<M: Machine>(_: Ref<Thread>, system: Ref<System>) -> Outcome {
    system.dispatch()
}
