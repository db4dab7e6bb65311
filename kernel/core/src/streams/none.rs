//! What the rest of the kernel asks of streams, in a kernel without: nothing.
#![allow(clippy::extra_unused_type_parameters)] // as with streams

use crate::{Machine, Rank, Ref, System, Thread};

impl System {
    #[inline(always)]
    pub(crate) fn start_streams(&self) {}

    #[cfg(feature = "programs")]
    #[inline(always)]
    pub(crate) fn complete_instance<M: Machine>(&self, _: Ref<Thread>) -> crate::Outcome {
        crate::Outcome::error(crate::Error::EPERM)
    }

    #[cfg(feature = "programs")]
    #[inline(always)]
    pub(crate) fn stop_instance<M: Machine>(&self, _: Ref<Thread>) -> bool {
        false
    }

    #[inline(always)]
    pub(crate) fn start_filter<M: Machine>(&self, _: Ref<Thread>) {}

    #[inline(always)]
    pub(crate) fn is_passing_on(&self, _: Ref<Thread>) -> bool {
        false
    }

    #[inline(always)]
    pub(crate) fn or_rank_of_streams(&self, _: u32, fixed: Option<Ref<Rank>>) -> Option<Ref<Rank>> {
        fixed
    }

    pub(crate) fn check_streams(&self) -> Result<(), &'static str> {
        Ok(())
    }
}
