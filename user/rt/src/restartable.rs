//! Words shared by the threads of one process, on cores without atomics.
//!
//! The process has *restartable sequences*: a compare-and-swap, and two that count. A
//! thread that loses the processor inside one begins it anew when it comes back, so each
//! is atomic among the threads of one hart, without a system call.
//! On the host an atomic of the machine stands in.

#[cfg(target_os = "none")]
use core::cell::UnsafeCell;
#[cfg(not(target_os = "none"))]
use core::sync::atomic::{AtomicU32, Ordering::SeqCst};

/// A shared word. O(1) an operation, unless the thread is preempted in it.
#[derive(Debug)]
#[repr(transparent)]
pub struct Word {
    #[cfg(target_os = "none")]
    value: UnsafeCell<u32>,
    #[cfg(not(target_os = "none"))]
    value: AtomicU32,
}

#[cfg(target_os = "none")]
// SAFETY: the Word Invariant: the value is reached by single volatile accesses
// and the restartable sequences only.
unsafe impl Sync for Word {}

#[cfg(target_os = "none")]
impl Word {
    /// A word with this value.
    pub const fn new(value: u32) -> Word {
        Word {
            value: UnsafeCell::new(value),
        }
    }

    /// The value.
    pub fn load(&self) -> u32 {
        // SAFETY: the Word Invariant.
        unsafe { self.value.get().read_volatile() }
    }

    /// Sets the value.
    pub fn store(&self, value: u32) {
        // SAFETY: the Word Invariant.
        unsafe { self.value.get().write_volatile(value) }
    }

    /// Stores `new` if the value is `expected`; `Err` with the value if not.
    pub fn compare_exchange(&self, expected: u32, new: u32) -> Result<u32, u32> {
        // SAFETY: the Word Invariant; the cell is aligned.
        let found = unsafe { crate::riscv::compare_and_swap(self.value.get(), expected, new) };
        if found == expected {
            Ok(found)
        } else {
            Err(found)
        }
    }

    /// Takes one from the count in the low half, if it is from 1 to 32,767; returns whether.
    #[inline]
    pub fn take(&self) -> bool {
        // SAFETY: the Word Invariant; the cell is aligned.
        unsafe { crate::riscv::take(self.value.get()) }
    }

    /// Gives one to the count in the low half, if it is below the high half; returns whether.
    #[inline]
    pub fn give(&self) -> bool {
        // SAFETY: the Word Invariant; the cell is aligned.
        unsafe { crate::riscv::give(self.value.get()) }
    }
}

#[cfg(not(target_os = "none"))]
impl Word {
    /// A word with this value.
    pub const fn new(value: u32) -> Word {
        Word {
            value: AtomicU32::new(value),
        }
    }

    /// The value.
    pub fn load(&self) -> u32 {
        self.value.load(SeqCst)
    }

    /// Sets the value.
    pub fn store(&self, value: u32) {
        self.value.store(value, SeqCst);
    }

    /// Stores `new` if the value is `expected`; `Err` with the value if not.
    pub fn compare_exchange(&self, expected: u32, new: u32) -> Result<u32, u32> {
        self.value.compare_exchange(expected, new, SeqCst, SeqCst)
    }

    /// Takes one from the count in the low half, if it is from 1 to 32,767; returns whether.
    pub fn take(&self) -> bool {
        let less = |word: u32| (word as i16 > 0).then(|| word - 1);
        self.value.fetch_update(SeqCst, SeqCst, less).is_ok()
    }

    /// Gives one to the count in the low half, if it is below the high half; returns whether.
    pub fn give(&self) -> bool {
        let more = |word: u32| (word & 0xFFFF < word >> 16).then(|| word + 1);
        self.value.fetch_update(SeqCst, SeqCst, more).is_ok()
    }
}

impl Word {
    /// Replaces the value by `change` of it; returns the value before.
    pub fn update(&self, mut change: impl FnMut(u32) -> u32) -> u32 {
        let mut value = self.load();
        loop {
            match self.compare_exchange(value, change(value)) {
                Ok(before) => return before,
                Err(found) => value = found,
            }
        }
    }

    /// Adds `amount`, wrapping; returns the value before.
    pub fn fetch_add(&self, amount: u32) -> u32 {
        self.update(|value| value.wrapping_add(amount))
    }

    /// Sets the value; returns the value before.
    pub fn swap(&self, value: u32) -> u32 {
        self.update(|_| value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_swap_that_finds_another_value_changes_nothing() {
        let word = Word::new(5);
        assert_eq!(word.compare_exchange(4, 9), Err(5));
        assert_eq!(word.compare_exchange(5, 9), Ok(5));
        assert_eq!(word.swap(1), 9);
        assert_eq!(word.load(), 1);
    }

    #[test]
    fn additions_of_many_threads_all_count() {
        let word = Word::new(u32::MAX);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| (0..1000).for_each(|_| _ = word.fetch_add(1)));
            }
        });
        assert_eq!(word.load(), 3999);
    }
}
