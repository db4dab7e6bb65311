//! The trace ring: a head and slots in RAM that the trace reader's process
//! sees read-only.

use core::sync::atomic::{Ordering, compiler_fence};

use giornata_abi::trace::TraceRecord;

use crate::device::Device;

const CAPACITY: usize = 8;
const SLOTS: usize = 16;

/// The writing end, and for the final dump the reading end.
///
/// Record n lies in slot n % capacity; the count is stored after the record, so
/// that a reader that sees the count sees the record.
#[derive(Debug)]
pub struct Ring {
    memory: Device,
    written: u64,
    mask: u64,
    /// Bytes from the first slot to the next one to be written.
    next: usize,
    /// Bytes of all slots, less one.
    last: usize,
}

impl Ring {
    /// An empty ring of `capacity` (a power of two) slots at `address`.
    ///
    /// # Safety
    /// RAM of the ring's size at `address`, 8-byte aligned, must belong to it.
    pub unsafe fn new(address: usize, capacity: u32) -> Ring {
        // SAFETY: the caller vouches for the memory (Memory Invariant).
        let memory = unsafe { Device::at(address) };
        let capacity = capacity as u64;
        memory.store(0, 0u64);
        memory.store(CAPACITY, capacity);
        Ring {
            memory,
            written: 0,
            mask: capacity.saturating_sub(1),
            next: 0,
            last: (capacity as usize * size_of::<TraceRecord>()).wrapping_sub(1),
        }
    }

    /// Records written so far.
    pub fn written(&self) -> u64 {
        self.written
    }

    /// Appends a record, by its words, over the oldest. O(1).
    #[inline(always)] // it is in every path that is traced
    pub fn append(&mut self, words: [u64; 4]) {
        self.write(words);
        self.publish();
    }

    /// Appends a record for each word of a value: the first one with `head`,
    /// each further one eight bytes on. O(words).
    #[inline(always)]
    pub fn append_value(&mut self, [head, tick, x, _]: [u64; 4], value: &[u64]) {
        const NEXT: u64 = 8 << 32; // in the detail
        let mut head = head;
        for word in value {
            self.write([head, tick, x, *word]);
            head = head.wrapping_add(NEXT);
        }
        self.publish();
    }

    /// Writes a record where no reader looks yet.
    #[inline(always)]
    fn write(&mut self, [head, tick, x, y]: [u64; 4]) {
        let place = SLOTS.wrapping_add(self.next);
        self.next = self.next.wrapping_add(size_of::<TraceRecord>()) & self.last;
        self.memory.store(place, head);
        self.memory.store(place.wrapping_add(8), tick);
        self.memory.store(place.wrapping_add(16), x);
        self.memory.store(place.wrapping_add(24), y);
        self.written = self.written.wrapping_add(1);
    }

    /// Shows readers what has been written. They run on this hart: that the
    /// compiler keeps the order is enough.
    #[inline(always)]
    fn publish(&self) {
        compiler_fence(Ordering::Release);
        self.memory.store(0, self.written);
    }

    /// The words of record `n`, if it has been written and not been
    /// overwritten. O(1).
    pub fn words(&self, n: u64) -> Option<[u64; 4]> {
        let held = n >= self.oldest() && n < self.written;
        held.then(|| self.memory.load(self.place(n)))
    }

    /// The oldest record that is still there.
    pub fn oldest(&self) -> u64 {
        self.written.saturating_sub(self.mask.saturating_add(1))
    }

    #[inline(always)]
    fn place(&self, n: u64) -> usize {
        let slot = (n & self.mask) as usize;
        SLOTS.wrapping_add(slot.wrapping_mul(size_of::<TraceRecord>()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::vec;

    fn record(n: u64) -> TraceRecord {
        TraceRecord {
            kind: 1,
            hart: 0,
            subject: n as u16,
            detail: 0,
            tick: n,
            x: n,
            y: !n,
        }
    }

    #[test]
    fn a_full_ring_keeps_the_youngest_records() {
        let mut memory = vec![0u64; 2 + 4 * 4];
        let address = memory.as_mut_ptr().expose_provenance();
        // SAFETY: the vector outlives the ring and is large enough (Memory Invariant).
        let mut ring = unsafe { Ring::new(address, 4) };
        for n in 0..11 {
            ring.append(record(n).words());
        }
        assert_eq!(ring.oldest(), 7);
        assert!(ring.words(6).is_none() && ring.words(11).is_none());
        assert!((7..11).all(|n| ring.words(n) == Some([1 | n << 16, n, n, !n])));
        let (written, capacity) = (memory[0], memory[1]);
        assert_eq!((written, capacity), (11, 4));
        assert_eq!(memory[2 + 4 * 2 + 1], 10); // tick of record 10 in slot 2
    }
}
