//! What the other parts have to see to, in a kernel without what POSIX asks for: nothing.
#![allow(clippy::extra_unused_type_parameters)] // as with it
#![cfg_attr(not(feature = "services"), allow(dead_code))] // what only services ask

use giornata_abi::Error;

use crate::{Alarm, Machine, Object, Outcome, Rank, Ref, System, Thread};

/// The call behind the table: there is none.
pub extern "C-unwind" fn call<M: Machine>(
    _: usize,
    _: usize,
    _: usize,
    _: usize,
    _: usize,
    _: usize,
    _: Ref<Thread>,
) -> Outcome {
    Outcome::error(Error::ENOSYS)
}

/// The time that the last tenant of a thread's place has run is forgotten.
#[inline(always)]
pub(crate) fn keep_time(_: Ref<Thread>) {}

#[cfg(feature = "services")]
#[inline(always)]
pub(crate) fn note_word(_: Ref<Thread>, _: usize) {}

/// The word of a mutex that a thread wants again: no other has the object meanwhile.
#[cfg(feature = "services")]
#[inline(always)]
pub(crate) fn noted_word(_: Ref<Thread>, mutex: Ref<Object>) -> usize {
    mutex.word.get()
}

/// No thread is a sporadic server.
pub(crate) const SERVER: u32 = 0;

/// Nobody can ask for it.
#[inline(always)]
pub(crate) fn note_real_time<M: Machine>(_: &System, _: u32, _: u32) {}

#[inline(always)]
pub(crate) fn has_waited(_: Ref<Thread>) -> bool {
    false
}

#[inline(always)]
pub(crate) fn has_left_ceiling<M: Machine>(_: Ref<Thread>) -> bool {
    false
}

#[inline(always)]
pub(crate) fn note_taken(_: Ref<Thread>) {}

#[inline(always)]
pub(crate) fn pays_for_itself(_: &System, _: Ref<Thread>, _: Ref<Thread>) -> bool {
    false
}

impl System {
    /// From the end of a sleep on, of a thread that has deadlines.
    #[inline(always)]
    pub(crate) fn ticks_to_deadline(&self, thread: Ref<Thread>) -> u32 {
        thread.place.level
    }

    #[inline(always)]
    pub(crate) fn note_left<M: Machine>(&self, _: Ref<Thread>, _: Option<Ref<Object>>) {}

    #[inline(always)]
    pub(crate) fn leave_ceiling(&self, _: Ref<Thread>) -> Outcome {
        self.dispatch()
    }

    #[inline(always)]
    pub(crate) fn allowance_of(&self, _: Ref<Thread>, _: u32, allowance: u32) -> u32 {
        allowance
    }

    #[inline(always)]
    pub(crate) fn continue_with_mutex<M: Machine>(&self, _: Ref<Thread>) {}

    #[inline(always)]
    pub(crate) fn end_of_account<M: Machine>(&self, _: Ref<Thread>, _: u32) -> bool {
        false
    }

    #[inline(always)]
    pub(crate) fn expire_account<M: Machine>(&self, _: Ref<Thread>, _: Ref<Alarm>) -> bool {
        false
    }

    #[inline(always)]
    pub(crate) fn wake_server<M: Machine>(&self, _: Ref<Thread>) {}

    #[inline(always)]
    pub(crate) fn begin_account<M: Machine>(&self, _: Ref<Thread>, _: Ref<Thread>, _: Ref<Rank>) {}
}
