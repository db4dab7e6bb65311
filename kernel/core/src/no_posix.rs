//! What the other parts have to see to, in a kernel without what POSIX asks for: nothing.
#![allow(clippy::extra_unused_type_parameters)] // as with it

use giornata_abi::Error;

use crate::{Machine, Outcome, Ref, Thread};

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
