//! Words and messages shared by the threads of one process, on cores without atomics.
//!
//! The process has *restartable sequences*: a compare-and-swap, two that count, and two for messages. A
//! thread that loses the processor inside one begins it anew when it comes back, so each
//! is atomic among threads of which one runs at a time, without a system call.
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

/// Up to `N` messages of 16 bytes, in the order in which they were put. Who puts and
/// takes counts them elsewhere.
pub(crate) struct Messages<const N: usize> {
    #[cfg(target_os = "none")]
    ring: UnsafeCell<Ring<N>>,
    #[cfg(not(target_os = "none"))]
    ring: std::sync::Mutex<Ring<N>>,
}

/// Places in a ring. Each is named by its bytes from the beginning of this, as the
/// restartable sequences want it.
#[repr(C)]
struct Ring<const N: usize> {
    /// The oldest message.
    first: u32,
    /// The place behind the youngest.
    end: u32,
    places: [Place; N],
}

#[derive(Clone, Copy)]
#[repr(C)]
struct Place {
    next: u32,
    words: [u32; 4],
}

impl<const N: usize> Ring<N> {
    const fn offset(place: usize) -> u32 {
        (core::mem::offset_of!(Ring<N>, places) + place % N * size_of::<Place>()) as u32
    }

    const fn new() -> Ring<N> {
        let words = [0; 4];
        let mut places = [Place { next: 0, words }; N];
        let mut place = 0;
        while place < N {
            places[place].next = Self::offset(place + 1);
            place += 1;
        }
        let first = Self::offset(0);
        let end = first;
        Ring { first, end, places }
    }
}

#[cfg(target_os = "none")]
// SAFETY: the Messages Invariant: the ring is reached by the restartable sequences only.
unsafe impl<const N: usize> Sync for Messages<N> {}

#[cfg(target_os = "none")]
impl<const N: usize> Messages<N> {
    /// No messages.
    pub(crate) const fn new() -> Messages<N> {
        Messages {
            ring: UnsafeCell::new(Ring::new()),
        }
    }

    /// Puts the last one. There are less than `N`, and no other thread counts on that place.
    #[inline]
    pub(crate) fn put(&self, words: [u32; 4]) {
        // SAFETY: the Messages Invariant; a full ring would lose a message, no more.
        unsafe { crate::riscv::put(self.ring.get().cast(), words) }
    }

    /// Takes the first one. There is one, and no other thread counts on it.
    #[inline]
    pub(crate) fn take(&self) -> [u32; 4] {
        // SAFETY: the Messages Invariant; an empty ring would give an old message, no more.
        unsafe { crate::riscv::get(self.ring.get().cast()) }
    }
}

#[cfg(not(target_os = "none"))]
impl<const N: usize> Messages<N> {
    /// No messages.
    pub(crate) const fn new() -> Messages<N> {
        Messages {
            ring: std::sync::Mutex::new(Ring::new()),
        }
    }

    /// Puts the last one. There are less than `N`, and no other thread counts on that place.
    pub(crate) fn put(&self, words: [u32; 4]) {
        self.act(|ring| {
            let place = &mut ring.places[Self::index(ring.end)];
            place.words = words;
            ring.end = place.next;
        });
    }

    /// Takes the first one. There is one, and no other thread counts on it.
    pub(crate) fn take(&self) -> [u32; 4] {
        self.act(|ring| {
            let place = ring.places[Self::index(ring.first)];
            ring.first = place.next;
            place.words
        })
    }

    fn act<T>(&self, action: impl FnOnce(&mut Ring<N>) -> T) -> T {
        let ring = self.ring.lock();
        action(&mut ring.unwrap_or_else(std::sync::PoisonError::into_inner))
    }

    fn index(offset: u32) -> usize {
        (offset as usize - core::mem::offset_of!(Ring<N>, places)) / size_of::<Place>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_go_round_the_ring_in_order() {
        let messages = Messages::<3>::new();
        for n in 0..10 {
            messages.put([n, 1, 2, 3]);
            messages.put([n, 4, 5, 6]);
            assert_eq!(messages.take(), [n, 1, 2, 3]);
            messages.put([n, 7, 8, 9]);
            assert_eq!(messages.take(), [n, 4, 5, 6]);
            assert_eq!(messages.take(), [n, 7, 8, 9]);
        }
    }

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
