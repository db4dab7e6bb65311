//! The kernel's trace ring, read while the kernel writes it.
//!
//! ```text
//!            written - capacity          next          written
//!   overwritten    |  still there (sent)  |  to be sent   |  not yet
//! ```
//!
//! The Ring Invariant: record n lies in slot n % capacity from the moment
//! `written` exceeds n until the kernel begins record n + capacity, which it
//! does before `written` exceeds that. So a copy of record n is whole if
//! `written < n + capacity` *after* the copy.

use giornata_abi::Record as _;
use giornata_abi::control::TraceRing;
use giornata_abi::trace::{TraceKind, TraceRecord};

/// A record.
pub type Record = TraceRecord;
/// Bytes of a record on a wire.
pub const BYTES: usize = TraceRecord::SIZE;
/// What a frame on the trace's own wire begins with.
pub const MARK: &[u8] = &[];

/// The bytes of a record to the front of `target`.
pub fn write(record: &Record, target: &mut [u8]) {
    let mut places = target.iter_mut();
    record.encode(&mut |bytes| {
        let pairs = places.by_ref().zip(bytes);
        pairs.for_each(|(place, byte)| *place = *byte);
    });
}

/// How many were lost, if a record says that some were.
pub fn lost(record: &Record) -> Option<u64> {
    (record.kind == TraceKind::Lost as u8).then_some(record.x)
}

/// The ring: head and records.
pub struct Ring {
    head: *const TraceRing,
    capacity: u64,
}

impl Ring {
    /// The ring that the process was granted; `None` without the grant, and on the
    /// host.
    pub fn granted() -> Option<Ring> {
        let head = core::ptr::with_exposed_provenance(crate::machine::trace_ring()?);
        // SAFETY: the builder granted the ring, which lies there for good.
        Some(unsafe { Ring::new(head) })
    }

    /// The ring at `head`.
    ///
    /// # Safety
    /// A ring lies there for good: its head, then `capacity` records.
    pub unsafe fn new(head: *const TraceRing) -> Ring {
        // SAFETY: by contract.
        let capacity = unsafe { head.read_volatile() }.capacity;
        Ring { head, capacity }
    }

    /// Records written so far. Read by halves, the upper one twice, because a
    /// hart of 32 bits may lose the processor to the kernel between them.
    fn written(&self) -> u64 {
        loop {
            let (high, low) = (self.word(1), self.word(0));
            if high == self.word(1) {
                return u64::from(high) << 32 | u64::from(low);
            }
        }
    }

    /// A word of the head: low half of `written`, high half.
    fn word(&self, index: usize) -> u32 {
        let word = self.head.cast::<u32>().wrapping_add(index);
        // SAFETY: by the contract of `new`; `written` comes first.
        unsafe { word.read_volatile() }
    }

    /// What lies in the slot of record `number`.
    fn slot(&self, number: u64) -> TraceRecord {
        let slot = number.checked_rem(self.capacity).unwrap_or(0) as usize;
        let records = self.head.wrapping_add(1).cast::<TraceRecord>();
        // SAFETY: by the contract of `new`; every pattern is a record.
        unsafe { records.wrapping_add(slot).read_volatile() }
    }
}

/// Takes the records of a ring, each once, in order.
pub struct Reader {
    ring: Ring,
    next: u64,
}

impl Reader {
    /// A reader that begins with the first record.
    pub fn new(ring: Ring) -> Reader {
        Reader { ring, next: 0 }
    }

    /// Records that have been taken, or lost, since boot.
    pub fn sent(&self) -> u64 {
        self.next
    }

    /// The next record and its number. O(1). After a loss a `Lost` record with the
    /// number of the last record lost; `None` when all is read.
    #[expect(
        clippy::should_implement_trait,
        reason = "it may have more after it had none"
    )]
    pub fn next(&mut self) -> Option<(u64, Record)> {
        if self.ring.written() <= self.next {
            return None;
        }
        let record = self.ring.slot(self.next);
        let oldest = (self.ring.written() + 1).saturating_sub(self.ring.capacity);
        match oldest.saturating_sub(self.next) {
            0 => Some((self.advance(1), record)),
            count => Some((self.advance(count), lost_record(count, record.tick))),
        }
    }

    /// Goes past what has been written so far, unread.
    pub fn skip(&mut self) {
        self.next = self.next.max(self.ring.written());
    }

    /// Takes `count` records; answers the number of the last.
    fn advance(&mut self, count: u64) -> u64 {
        self.next += count;
        self.next - 1
    }
}

/// The record that says that `count` records are missing.
fn lost_record(count: u64, tick: u64) -> TraceRecord {
    TraceRecord {
        kind: TraceKind::Lost as u8,
        hart: 0,
        subject: 0,
        detail: 0,
        tick,
        x: count,
        y: 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::boxed::Box;
    use std::vec::Vec;

    const CAPACITY: usize = 8;

    /// A ring in memory, written as the kernel does.
    #[repr(C)]
    struct Memory {
        head: TraceRing,
        records: [TraceRecord; CAPACITY],
    }

    impl Memory {
        fn new() -> Box<Memory> {
            let head = TraceRing {
                written: 0,
                capacity: CAPACITY as u64,
            };
            Box::new(Memory {
                head,
                records: [lost_record(0, 0); CAPACITY],
            })
        }

        fn write(&mut self, count: u64) {
            for _ in 0..count {
                let number = self.head.written;
                self.records[number as usize % CAPACITY] = TraceRecord {
                    kind: 1,
                    x: number,
                    ..lost_record(0, number)
                };
                self.head.written += 1;
            }
        }

        fn reader(&self) -> Reader {
            // SAFETY: the box outlives the reader in every test.
            Reader::new(unsafe { Ring::new(&raw const self.head) })
        }
    }

    #[test]
    fn what_is_skipped_is_not_read() {
        let mut memory = Memory::new();
        let mut reader = memory.reader();
        memory.write(3);
        reader.skip();
        assert_eq!(reader.next().map(|(number, _)| number), None);
        memory.write(1);
        assert_eq!(take_all(&mut reader), [(3, 1, 3)]);
    }

    fn take_all(reader: &mut Reader) -> Vec<(u64, u8, u64)> {
        std::iter::from_fn(|| reader.next())
            .map(|(number, record)| (number, record.kind, record.x))
            .collect()
    }

    #[test]
    fn records_come_once_and_in_order_across_the_seam() {
        let mut memory = Memory::new();
        let mut reader = memory.reader();
        let mut taken = Vec::new();
        for burst in [3, 0, 7, 1, 6, 5] {
            memory.write(burst);
            taken.extend(take_all(&mut reader));
        }
        assert_eq!(taken, (0..22).map(|n| (n, 1, n)).collect::<Vec<_>>());
        assert_eq!(reader.sent(), 22);
    }

    #[test]
    fn what_was_overwritten_is_one_lost_record_with_the_last_number() {
        let mut memory = Memory::new();
        let mut reader = memory.reader();
        memory.write(2);
        assert_eq!(take_all(&mut reader).len(), 2);
        memory.write(20);
        let taken = take_all(&mut reader);
        let first_kept = 22 - CAPACITY as u64 + 1;
        assert_eq!(
            taken[0],
            (first_kept - 1, TraceKind::Lost as u8, first_kept - 2)
        );
        assert_eq!(
            taken[1..],
            (first_kept..22).map(|n| (n, 1, n)).collect::<Vec<_>>()
        );
    }

    #[test]
    fn a_slot_that_may_be_torn_is_not_sent() {
        let mut memory = Memory::new();
        let mut reader = memory.reader();
        memory.write(CAPACITY as u64);
        // The kernel may be writing record 8 into the slot of record 0.
        assert_eq!(
            reader.next().map(|(number, record)| (number, record.kind)),
            Some((0, TraceKind::Lost as u8))
        );
        assert_eq!(
            reader.next().map(|(number, record)| (number, record.kind)),
            Some((1, 1))
        );
    }
}
