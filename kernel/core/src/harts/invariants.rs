//! What the records of several harts must be like.

use crate::{System, same};

impl System {
    /// The Placing Invariant, and that each thread runs on one hart at most. O(harts * threads).
    pub fn check_placing(&self) -> Result<(), &'static str> {
        for hart in self.all_harts() {
            let current = hart.member.current.get();
            let placed = current.on.hart.get();
            if !placed.is_some_and(|placed| same(placed, hart)) {
                return Err("whom a hart runs says so");
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
