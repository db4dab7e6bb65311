//! Counts of operations: each load keeps them, and they tell whether it ran as it should.

use core::sync::atomic::{AtomicU32, Ordering::Relaxed};

use crate::ROUNDS;

/// How often a thread has done its part. Only that thread adds to it.
pub(crate) struct Count(AtomicU32);

impl Count {
    /// Of something that has not been done yet.
    pub(crate) const fn new() -> Count {
        Count(AtomicU32::new(0))
    }

    /// Once more; returns how often that is.
    #[inline]
    pub(crate) fn add(&self) -> u32 {
        let count = self.0.load(Relaxed) + 1;
        self.0.store(count, Relaxed);
        count
    }

    /// Whether it has been done in every round, or all but the last.
    pub(crate) fn is_complete(&self) -> bool {
        (ROUNDS - 1..=ROUNDS).contains(&self.0.load(Relaxed))
    }
}
