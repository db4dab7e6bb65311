//! The ceiling of the calling thread, where what runs under it cannot be a closure:
//! see [`Control::with_ceiling`](crate::thread::Control::with_ceiling).

use giornata_abi::control::{CEILING, PENDING};

use crate::call;
#[cfg(not(target_os = "none"))]
use crate::host as machine;
#[cfg(target_os = "none")]
use crate::riscv as machine;

/// What the ceiling was before.
#[derive(Clone, Copy, Debug, Default)]
pub struct Outer(u32);

impl Outer {
    /// There was none.
    pub const NONE: Outer = Outer(0);
}

/// From now on no thread of priority `ceiling` or below preempts the caller; the kernel
/// clamps the ceiling to what the system file grants. A caller whose own priority is the
/// ceiling gives way to its equals when its quantum or budget ends. No entry.
#[inline]
pub fn raise(ceiling: u8) -> Outer {
    let outer = machine::page_word::<CEILING>();
    machine::set_page_word::<CEILING>(outer.max(ceiling.into()));
    Outer(outer)
}

/// Puts the ceiling back that [`raise`] returned: the last raised first. No entry unless a
/// preemption was put off meanwhile.
#[inline]
pub fn restore(outer: Outer) {
    machine::set_page_word::<CEILING>(outer.0);
    if outer.0 == 0 && machine::page_word::<PENDING>() != 0 {
        machine::set_page_word::<PENDING>(0);
        // (who may not yield, the kernel preempts)
        let _ = call::yield_now();
    }
}
