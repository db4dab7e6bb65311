//! Kernel tables whose every access answers.
//!
//! Indices inside the kernel come from the system's tables, which the builder
//! has checked. Should one be wrong all the same, the access answers a spare
//! entry and counts; the kernel reports it as [`Impossible`](crate::Place) at
//! its next exit. So there is no panic path, and nothing is silent.

use core::cell::Cell;

/// A table of `T` with a spare entry for indices that name none.
pub(crate) struct Table<'a, T> {
    entries: &'a mut [T],
    spare: T,
    misses: Cell<u32>,
}

impl<'a, T: Copy> Table<'a, T> {
    /// A table over `entries`, each set to `empty`.
    pub(crate) fn new(entries: &'a mut [T], empty: T) -> Self {
        entries.fill(empty);
        Table {
            entries,
            spare: empty,
            misses: Cell::new(0),
        }
    }

    /// Entries.
    pub(crate) fn len(&self) -> u16 {
        self.entries.len() as u16
    }

    /// The entry, or the spare. O(1).
    pub(crate) fn at(&self, index: u16) -> &T {
        match self.entries.get(index as usize) {
            Some(entry) => entry,
            None => {
                miss(&self.misses);
                &self.spare
            }
        }
    }

    /// The entry, or the spare. O(1).
    pub(crate) fn at_mut(&mut self, index: u16) -> &mut T {
        match self.entries.get_mut(index as usize) {
            Some(entry) => entry,
            None => {
                miss(&self.misses);
                &mut self.spare
            }
        }
    }

    /// The entry, where the index may well name none.
    pub(crate) fn get(&self, index: u16) -> Option<&T> {
        self.entries.get(index as usize)
    }

    /// Whether an access named nothing since the last look.
    pub(crate) fn has_missed(&self) -> bool {
        self.misses.get() != 0
    }

    /// Accesses that named nothing, since the last look.
    pub(crate) fn take_misses(&self) -> u32 {
        self.misses.replace(0)
    }

    pub(crate) fn iter(&self) -> core::slice::Iter<'_, T> {
        self.entries.iter()
    }
}

/// Counts what cannot happen, away from the code of what does.
#[cold]
#[inline(never)]
fn miss(misses: &Cell<u32>) {
    misses.set(misses.get().saturating_add(1));
}
