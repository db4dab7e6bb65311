//! The trace: a ring of records of four words.
//!
//! The exit path of the hart writes those of switches itself, because it has the
//! clock and both threads in hand: time, label of the thread that is left, label of
//! the thread that runs, reason. A label is what the second word of a record of that
//! thread's switch looks like; its upper half is the thread's number.

use core::cell::Cell;

use giornata_abi::ring::{Kind, head};

use crate::{System, record};

record! {
    /// One record.
    pub struct Entry {
        /// Time; kind, hart and subject; and two by kind.
        pub words: [Cell<u32>; 4],
    }

    /// Where the records go.
    pub struct Trace {
        /// Bytes written since boot, modulo 2^32.
        pub written: Cell<u32>,
        /// Bytes of the ring, less one: a power of two.
        pub mask: u32,
        /// The ring.
        pub ring: &'static [Entry],
    }
}

/// The second word of a record: kind, hart 0, subject.
#[inline(always)]
pub const fn label(kind: u32, subject: u32) -> u32 {
    kind | subject << 16
}

/// Reasons in the record of a switch: the last word. Its upper half is a thread or a
/// line, by reason.
pub mod reason {
    /// The thread that was left called, or was preempted.
    pub const NONE: usize = 0;
    /// A job completed.
    pub const COMPLETE: usize = 1;
    /// An interrupt came; upper half: its line.
    pub const INTERRUPT: usize = 2;
    /// The thread runs in the place of another; upper half: the donor's number.
    pub const HELPS: usize = 3;
    /// Of a call that no other thread runs after, so there is no record: see
    /// [`Thread::pair`](crate::Thread).
    pub const PAIR: usize = INTERRUPT;
    /// Each but `NONE` has one of these bits, so none is the address of words.
    pub const BITS: usize = 3;
    /// Beside `COMPLETE`: the job ended after its deadline.
    pub const LATE: usize = 0x100;
}

impl Trace {
    /// Adds a record. O(1): four stores.
    #[inline(never)]
    pub extern "C" fn write(&self, time: u32, label: u32, first: u32, second: u32) {
        self.put(time, label, first, second);
    }

    /// The same without a call.
    #[inline(always)]
    pub(crate) fn put(&self, time: u32, label: u32, first: u32, second: u32) {
        let written = self.written.get();
        if let Some(entry) = self.ring.get(((written & self.mask) >> 4) as usize) {
            let [w0, w1, w2, w3] = &entry.words;
            w0.set(time);
            w1.set(label);
            w2.set(first);
            w3.set(second);
        }
        self.written.set(written.wrapping_add(16));
    }

    /// Adds a record, and one behind it with 12 bytes more.
    #[inline(never)]
    pub(crate) extern "C" fn write_two(
        &self,
        time: u32,
        label: u32,
        first: u32,
        second: u32,
        third: u32,
        fourth: u32,
        fifth: u32,
    ) {
        self.write(time, label, first, second);
        self.write(third, label & !0xFF | Kind::More as u32, fourth, fifth);
    }
}

impl System {
    /// The second word of a record of what this hart does. (What the E machine tells is of hart
    /// 0, whichever runs it.)
    #[inline(always)]
    pub(crate) fn head(&self, kind: Kind, subject: u16) -> u32 {
        head(kind, self.hart_number() as u8, subject)
    }
}
