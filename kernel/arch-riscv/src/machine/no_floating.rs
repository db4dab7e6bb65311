//! In the place of `floating`, on harts without it.

use giornata_core::{Ref, Thread};

/// There is nothing to take.
pub(super) fn take(_: Ref<Thread>) -> bool {
    false
}

/// There is nothing to leave.
#[cfg(feature = "harts")]
pub(super) fn leave() {}
