//! The trace ring, read while the kernel writes it.
//!
//! ```text
//!            written - capacity          next          written
//!   overwritten    |  still there (sent)  |  to be sent   |  not yet
//! ```
//!
//! The Ring Invariant: record n lies in slot n % capacity from the moment the kernel
//! says that more than n are written until it begins record n + capacity. So a copy of
//! record n is whole if less than n + capacity are written *after* the copy.
//!
//! How many are written is a call, so records are copied by the handful.

use giornata_abi::ring::{self, Kind, Words, head, split_head};

use crate::call;

/// A record.
pub type Record = Words;
/// Bytes of a record on a wire.
pub const BYTES: usize = ring::BYTES;
/// What a frame on the trace's own wire begins with: see [`FRAME`](ring::FRAME).
pub const MARK: &[u8] = &[ring::FRAME];

/// The bytes of a record to the front of `target`.
pub fn write(record: &Record, target: &mut [u8]) {
    let (places, _) = target.as_chunks_mut();
    for (place, word) in places.iter_mut().zip(record) {
        *place = word.to_le_bytes();
    }
}

/// How many were lost, if a record says that some were.
pub fn lost([_, head, count, _]: &Record) -> Option<u64> {
    let (kind, ..) = split_head(*head);
    (kind == Some(Kind::Lost)).then_some((*count).into())
}

/// Records copied between two looks at how many are written.
const HANDFUL: usize = 8;

/// The ring.
pub struct Ring {
    first: *const Words,
    /// A power of two.
    capacity: u64,
}

impl Ring {
    /// The ring that the process was granted; `None` without the grant, and on the
    /// host.
    pub fn granted() -> Option<Ring> {
        #[cfg(target_os = "none")]
        {
            let (address, records) = (GRANTS.trace_ring as usize, GRANTS.trace_records);
            let first = core::ptr::with_exposed_provenance(address);
            // SAFETY: the builder granted the ring, which lies there for good.
            (address != 0).then(|| unsafe { Ring::new(first, records) })
        }
        #[cfg(not(target_os = "none"))]
        None
    }

    /// The ring of so many records, a power of two, at `first`.
    ///
    /// # Safety
    /// It lies there for good.
    pub unsafe fn new(first: *const Words, records: u32) -> Ring {
        let capacity = u64::from(records.max(1));
        Ring { first, capacity }
    }

    /// What lies in the slot of record `number`.
    fn slot(&self, number: u64) -> Words {
        let slot = (number & (self.capacity - 1)) as usize;
        // SAFETY: by the contract of `new`; every pattern is a record.
        unsafe { self.first.wrapping_add(slot).read_volatile() }
    }
}

#[cfg(target_os = "none")]
use crate::riscv::GRANTS;

/// Takes the records of a ring, each once, in order.
pub struct Reader {
    ring: Ring,
    /// The record that is handed out next.
    next: u64,
    /// How many are written, as of the last look.
    written: u64,
    /// Copies of the records from `next` on that were whole.
    copies: [Words; HANDFUL],
    /// Which of them have been handed out, and how many there are.
    taken: usize,
    copied: usize,
    /// The time of the next record is written before it: the ones before were skipped.
    is_after_skip: bool,
}

impl Reader {
    /// A reader that begins with the first record.
    pub fn new(ring: Ring) -> Reader {
        Reader {
            ring,
            next: 0,
            written: 0,
            copies: [[0; 4]; HANDFUL],
            taken: 0,
            copied: 0,
            is_after_skip: false,
        }
    }

    /// Records that have been taken, or lost, since boot.
    pub fn sent(&self) -> u64 {
        self.next
    }

    /// The next record and its number. O(1), two kernel entries a handful; O(records of
    /// the ring) after a loss, when it is a `Lost` record with the number of the last
    /// record lost. `None` when all is read.
    #[expect(
        clippy::should_implement_trait,
        reason = "it may have more after it had none"
    )]
    pub fn next(&mut self) -> Option<(u64, Record)> {
        if self.taken == self.copied
            && let Some(lost) = self.copy()
        {
            return Some(lost);
        }
        let record = *self
            .copies
            .get(self.taken)
            .filter(|_| self.taken < self.copied)?;
        self.taken += 1;
        self.next += 1;
        Some((self.next - 1, record))
    }

    /// Goes past what has been written so far, unread. An `Epoch` record with the
    /// number of the last one skipped comes before the next, so that its time is known.
    pub fn skip(&mut self) {
        self.look();
        self.next = self.next.max(self.written);
        (self.taken, self.copied) = (0, 0);
        self.is_after_skip = self.next > 0;
    }

    /// Sees how many records are written. The kernel says it modulo 2^28.
    fn look(&mut self) {
        // refused to processes that may not read the ring: nothing is written for them
        let Ok(bytes) = call::trace_position() else {
            return;
        };
        let ahead = (bytes / BYTES as u32).wrapping_sub(self.written as u32) << 4 >> 4;
        self.written += u64::from(ahead);
    }

    /// Copies the next handful. If some of it was lost, the record that says so, with
    /// the number of the last one lost.
    fn copy(&mut self) -> Option<(u64, Record)> {
        (self.taken, self.copied) = (0, 0);
        self.look();
        let there = (self.written - self.next).min(HANDFUL as u64);
        for (number, copy) in (self.next..self.next + there).zip(&mut self.copies) {
            *copy = self.ring.slot(number);
        }
        self.look();
        let is_lost = self.oldest() > self.next;
        if there > 0 && (is_lost || self.is_after_skip) {
            return Some(self.tell_time());
        }
        self.copied = there as usize;
        None
    }

    /// The oldest record that is there whole for certain: the kernel may be writing the
    /// next one.
    fn oldest(&self) -> u64 {
        (self.written + 1).saturating_sub(self.ring.capacity)
    }

    /// Goes past what was lost, and says so, or that nothing was; and the time of what
    /// comes then.
    fn tell_time(&mut self) -> (u64, Record) {
        loop {
            let first = self.oldest().max(self.next);
            let time = self.time_of(first);
            self.look();
            if self.oldest() > first {
                continue;
            }
            let count = u32::try_from(first - self.next).unwrap_or(u32::MAX);
            (self.next, self.is_after_skip) = (first, false);
            let (low, high) = (time as u32, (time >> 32) as u32);
            let record = match count {
                0 => [low, head(Kind::Epoch, 0, 0), high, 0],
                count => [low, head(Kind::Lost, 0, 0), count, high],
            };
            return (first - 1, record);
        }
    }

    /// The 64-bit time of the first record from `number` on that has one. The next
    /// record of the epoch says it, or the clock: by the Window Invariant of the ring
    /// less than 2^32 ticks lie between. O(records of the ring).
    fn time_of(&self, number: u64) -> u64 {
        let records = || (number..self.written).map(|number| self.ring.slot(number));
        let kind = |record: &Words| split_head(record[1]).0;
        let Some([low, ..]) = records().find(|record| kind(record) != Some(Kind::More)) else {
            return call::clock_ticks();
        };
        let epoch = records().find(|record| kind(record) == Some(Kind::Epoch));
        let later = match epoch {
            Some([low, _, high, _]) => u64::from(high) << 32 | u64::from(low),
            None => call::clock_ticks(),
        };
        later.saturating_sub(u64::from((later as u32).wrapping_sub(low)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::cell::{Cell, RefCell};
    use giornata_abi::call::{Answer, Call};
    use std::rc::Rc;
    use std::vec::Vec;

    const CAPACITY: usize = 16;

    /// A ring in memory, written as the kernel does, with a clock that goes on by a
    /// tick a record.
    struct Kernel {
        records: [Words; CAPACITY],
        written: u64,
        clock: u64,
    }

    impl Kernel {
        fn write(&mut self, count: u64) {
            for _ in 0..count {
                self.clock += 1;
                let number = self.written as u32;
                self.put([self.clock as u32, head(Kind::Interrupt, 0, 5), number, 0]);
            }
        }

        fn put(&mut self, record: Words) {
            self.records[self.written as usize % CAPACITY] = record;
            self.written += 1;
        }
    }

    /// A kernel that has written this many bytes before, and a reader from there on.
    fn machine(written: u64) -> (Rc<RefCell<Kernel>>, Reader) {
        let kernel = Rc::new(RefCell::new(Kernel {
            records: [[0; 4]; CAPACITY],
            written,
            clock: 1000,
        }));
        let asked = kernel.clone();
        crate::host::set_hook(move |request| match Call::from_number(request.number) {
            Some(Call::TracePosition) => {
                Answer::word((asked.borrow().written * BYTES as u64) as u32 as usize)
            }
            Some(Call::Clock) => Answer::wide(asked.borrow().clock),
            _ => unreachable!("a reader asks for nothing else"),
        });
        let first = kernel.borrow().records.as_ptr();
        // SAFETY: the kernel outlives the reader in every test.
        let mut reader = Reader::new(unsafe { Ring::new(first, CAPACITY as u32) });
        (reader.next, reader.written) = (written, written);
        (kernel, reader)
    }

    /// Numbers, kinds and second words of all that is there.
    fn take_all(reader: &mut Reader) -> Vec<(u64, u8, u32)> {
        std::iter::from_fn(|| reader.next())
            .map(|(number, record)| (number, record[1] as u8, record[2]))
            .collect()
    }

    fn whole(numbers: core::ops::Range<u64>) -> Vec<(u64, u8, u32)> {
        numbers
            .map(|number| (number, Kind::Interrupt as u8, number as u32))
            .collect()
    }

    #[test]
    fn records_come_once_and_in_order_across_the_seam() {
        let (kernel, mut reader) = machine(0);
        let mut taken = Vec::new();
        for burst in [3, 0, 15, 1, 6, 5] {
            kernel.borrow_mut().write(burst);
            taken.extend(take_all(&mut reader));
        }
        assert_eq!((taken, reader.sent()), (whole(0..30), 30));
    }

    #[test]
    fn records_are_numbered_on_where_their_bytes_leave_a_word() {
        let before = (1 << 28) - 5;
        let (kernel, mut reader) = machine(before);
        kernel.borrow_mut().write(12);
        assert_eq!(take_all(&mut reader), whole(before..before + 12));
    }

    #[test]
    fn what_was_overwritten_is_one_lost_record_that_says_how_many() {
        let (kernel, mut reader) = machine(0);
        kernel.borrow_mut().write(2);
        assert_eq!(take_all(&mut reader), whole(0..2));
        kernel.borrow_mut().write(40);
        // the kernel may be writing record 42 in the slot of record 26
        let kept = 42 - CAPACITY as u64 + 1;
        let taken = take_all(&mut reader);
        assert_eq!(taken[0], (kept - 1, Kind::Lost as u8, kept as u32 - 2));
        assert_eq!(taken[1..], whole(kept..42));
    }

    #[test]
    fn what_is_overwritten_while_it_is_copied_is_lost() {
        let (kernel, mut reader) = machine(0);
        kernel.borrow_mut().write(10);
        let (looks, late) = (Rc::new(Cell::new(0)), kernel.clone());
        crate::host::set_hook(move |request| {
            looks.set(looks.get() + 1);
            // between the look before the copy and the one after it
            if looks.get() == 2 {
                late.borrow_mut().write(CAPACITY as u64);
            }
            match Call::from_number(request.number) {
                Some(Call::Clock) => Answer::wide(late.borrow().clock),
                _ => Answer::word(late.borrow().written as usize * BYTES),
            }
        });
        let (number, [_, head, count, _]) = reader.next().unwrap();
        assert_eq!((number, head as u8, count), (10, Kind::Lost as u8, 11));
        assert_eq!(take_all(&mut reader), whole(11..26));
    }

    /// The time in a lost record after `write`.
    fn time_after_a_loss(clock: u64, write: impl FnOnce(&mut Kernel)) -> u64 {
        let (kernel, mut reader) = machine(0);
        kernel.borrow_mut().clock = clock;
        write(&mut kernel.borrow_mut());
        let (_, [low, head, _, high]) = reader.next().unwrap();
        assert_eq!(head as u8, Kind::Lost as u8);
        u64::from(high) << 32 | u64::from(low)
    }

    #[test]
    fn a_loss_tells_the_time_of_the_first_record_that_is_kept() {
        let clock = 0x7_FFFF_FFF0;
        // record 25 is the first that is kept, stamped by the 26th tick
        let by_the_clock = time_after_a_loss(clock, |kernel| {
            kernel.write(40);
            kernel.clock += 1 << 31;
        });
        assert_eq!(by_the_clock, clock + 26);
        let by_an_epoch = time_after_a_loss(clock, |kernel| {
            kernel.write(30);
            let epoch = kernel.clock + 7;
            kernel.put([
                epoch as u32,
                head(Kind::Epoch, 0, 0),
                (epoch >> 32) as u32,
                0,
            ]);
            kernel.write(9);
            kernel.clock += 1 << 45;
        });
        assert_eq!(by_an_epoch, clock + 26);
        let behind_a_text = time_after_a_loss(clock, |kernel| {
            kernel.write(25);
            kernel.put([0x6162_6364, head(Kind::More, 0, 0), 0, 0]);
            kernel.write(14);
        });
        assert_eq!(behind_a_text, clock + 26, "text has no time");
    }

    #[test]
    fn what_is_skipped_is_not_read() {
        let (kernel, mut reader) = machine(0);
        kernel.borrow_mut().write(9);
        assert!(reader.next().is_some());
        reader.skip();
        assert_eq!(reader.next(), None);
        kernel.borrow_mut().clock = 0x3_0000_0000;
        kernel.borrow_mut().write(1);
        let epoch = [1, head(Kind::Epoch, 0, 0), 3, 0];
        assert_eq!(reader.next(), Some((8, epoch)), "when the next one is");
        assert_eq!(take_all(&mut reader), whole(9..10));
        kernel.borrow_mut().write(1);
        assert_eq!(take_all(&mut reader), whole(10..11), "once");
    }
}
