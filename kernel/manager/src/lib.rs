//! The registers of the task manager, as the kernel uses them (`hw/rtm` is the peripheral).
//!
//! A record is one of two things: an open rank of the ready queue, by its level and its
//! deadline; or an alarm that is set, which waits for the event [`ALARM`], by its instant.
//! So the first ready record is whose turn it is, and the first that waits for the event is
//! what rings next. Each operation is one or two stores, or a load.
//!
//! On the host a model stands in, for each thread of the tests its own: see [`install`].
#![no_std]

#[cfg(not(target_os = "none"))]
extern crate std;

#[cfg(not(target_os = "none"))]
mod host;
#[cfg(target_os = "none")]
mod registers;

use giornata_rtm_registers::{self as address, answer, record, status};

#[cfg(not(target_os = "none"))]
pub use host::{Device, install};

#[cfg(not(target_os = "none"))]
use host::{read, write};
#[cfg(target_os = "none")]
use registers::{read, write};

/// The event for which alarms wait.
const ALARM: u8 = 255;

/// What the task manager answers: a record, or that there is none.
#[derive(Clone, Copy)]
pub struct Answer(u32);

impl Answer {
    /// The number of the record, if it names one.
    #[inline(always)]
    pub fn record(self) -> Option<usize> {
        self.is_some().then_some(self.0 as usize)
    }

    /// The same, and of one that names none, any number.
    #[inline(always)]
    pub fn number(self) -> usize {
        self.0 as usize
    }

    /// Whether it names one.
    #[inline(always)]
    pub fn is_some(self) -> bool {
        self.0 & answer::NONE == 0
    }
}

/// A record: its offset from the first one.
#[derive(Clone, Copy)]
pub struct Record(u32);

impl Record {
    /// Bytes from one to the next.
    pub const BYTES: usize = address::RECORDS_STRIDE as usize;

    /// That of a number.
    #[inline(always)]
    pub fn of(number: usize) -> Record {
        Record((number * Record::BYTES) as u32)
    }

    /// That at an offset, a multiple of [`Record::BYTES`].
    #[inline(always)]
    pub fn at(offset: u32) -> Record {
        Record(offset)
    }

    /// How far it is from the first one.
    #[inline(always)]
    pub fn offset(self) -> u32 {
        self.0
    }

    /// It is ready with a priority, 0 the most urgent, which no other ready one has.
    #[inline(always)]
    pub fn make_ready(self, priority: u32) {
        self.write(status::VALID, priority as u8, 0);
    }

    /// The same with a key, which orders those of one priority.
    #[inline(always)]
    pub fn make_ready_by_key(self, priority: u32, key: u32) {
        self.write_key(key);
        self.make_ready(priority);
    }

    /// It becomes an alarm that rings at an instant.
    #[inline(always)]
    pub fn arm(self, instant: u32) {
        self.write_key(instant);
        self.write(status::VALID | status::EVENT, 0, ALARM);
    }

    /// It is neither ready nor an alarm any more.
    #[inline(always)]
    pub fn clear(self) {
        self.write(0, 0, 0);
    }

    /// Its word.
    #[inline(always)]
    fn write(self, status: u8, priority: u8, event: u8) {
        let at = address::RECORDS as usize + self.0 as usize;
        write(at, record::word(status, priority, event));
    }

    #[inline(always)]
    fn write_key(self, key: u32) {
        let keys = (address::RECORDS_STRIDE / address::KEYS_STRIDE) as u32;
        write(address::KEYS as usize + (self.0 / keys) as usize, key);
    }
}

/// The most urgent ready record.
#[inline(always)]
pub fn top() -> Answer {
    Answer(read(address::TOP as usize))
}

/// [`next`] begins with the most urgent one.
pub fn begin() {
    write(address::NEXT as usize, 0);
}

/// The number of the next less urgent ready record.
pub fn next() -> Option<usize> {
    Answer(read(address::NEXT as usize)).record()
}

/// The number of the alarm that rings first.
#[inline(always)]
pub fn first_alarm() -> Option<usize> {
    let waiter = address::WAITER as usize + ALARM as usize * address::WAITER_STRIDE as usize;
    Answer(read(waiter)).record()
}
