//! What the records of several harts must be like.

use crate::{Hart, Ref, System, same};

impl System {
    /// Each hart runs one thread, which runs nowhere else. O(harts + threads).
    pub(crate) fn check_harts(&self) -> Result<(), &'static str> {
        for hart in self.all_harts() {
            let current = hart.member.current.get();
            let placed = current.on.hart.get();
            if !placed.is_some_and(|placed| same(placed, hart)) {
                return Err("whom a hart runs says so");
            }
            // (on each of two it is found by the other)
            let process = current.process;
            let is_same = |other: Ref<Hart>| {
                same(other.member.current.get().process, process) && !same(other, hart)
            };
            if !process.is_parallel() && self.all_harts().any(is_same) {
                return Err("two harts run threads of a process of which one runs at a time");
            }
        }
        for thread in self.threads {
            if let Some(hart) = thread.on.hart.get()
                && !same(hart.member.current.get(), thread)
            {
                return Err("a thread runs on the hart that it names");
            }
        }
        Ok(())
    }
}
