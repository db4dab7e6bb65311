//! The floating-point registers of a thread, in memory.

use core::cell::Cell;
use core::mem::offset_of;

/// `f0..=f31` and `fcsr`.
#[derive(Debug)]
#[repr(C)]
pub struct Floating {
    registers: [Cell<u64>; 32],
    control: Cell<usize>,
    /// Whether the registers above are the thread's; else it has none yet.
    pub saved: Cell<bool>,
}

impl Floating {
    /// Offset of `fcsr`, for assembly.
    pub const CONTROL: usize = offset_of!(Floating, control);

    /// Those of a thread that has none yet.
    pub const fn new() -> Floating {
        Floating {
            registers: [const { Cell::new(0) }; 32],
            control: Cell::new(0),
            saved: Cell::new(false),
        }
    }

    /// It has none any more.
    pub fn clear(&self) {
        self.saved.set(false);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_cleared_is_not_the_threads() {
        let floating = Floating::new();
        assert!(!floating.saved.get());
        floating.saved.set(true);
        floating.clear();
        assert!(!floating.saved.get());
    }
}
