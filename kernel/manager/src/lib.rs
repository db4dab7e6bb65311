//! The registers of the task manager, as the kernel uses them (`hw/rtm` is the peripheral).
//!
//! A record is one of two things: an open rank of the ready queue, by its level and its
//! deadline; or an alarm that is set, which waits for the event [`ALARM`], by its instant.
//! So the first ready record is whose turn it is, and the first that waits for the event is
//! what rings next. Each operation is one to three stores, or a load.
//!
//! On the host a model stands in, for each thread of the tests its own: see [`install`].
#![no_std]

#[cfg(not(target_os = "none"))]
extern crate std;

#[cfg(not(target_os = "none"))]
mod host;
#[cfg(target_os = "none")]
mod registers;

#[cfg(not(target_os = "none"))]
pub use host::{Device, install};

#[cfg(not(target_os = "none"))]
use host::{read, write};
#[cfg(target_os = "none")]
use registers::{read, write};

/// Bytes of a record, and where its fields lie: the word of status, priority and event.
const RECORD_BYTES: usize = 8;
/// The first ready record.
const TOP: usize = 0x800;
/// The ready records one after the other; a store begins with the first.
const NEXT: usize = 0x80C;
/// By event: the first record that waits for it.
const WAITER: usize = 0xC00;
/// By record: its key.
const KEYS: usize = 0x1400;

/// The record counts.
const VALID: u32 = 1 << 0;
/// It waits for its event.
const EVENT: u32 = 1 << 2;
/// The event for which alarms wait.
const ALARM: u32 = 255;

/// The lowest bit of a priority.
const PRIORITY: u32 = 8;
/// The lowest bit of an event.
const EVENTS: u32 = 16;

/// The number of a record, if an answer names one.
#[inline(always)]
fn named(answer: u32) -> Option<usize> {
    (answer as i32 >= 0).then_some(answer as usize)
}

/// The record is ready with a priority, 0 the most urgent, which no other ready one has.
#[inline(always)]
pub fn make_ready(record: usize, priority: u32) {
    write(record * RECORD_BYTES, VALID | priority << PRIORITY);
}

/// The same with a key, which orders those of one priority.
#[inline(always)]
pub fn make_ready_by_key(record: usize, priority: u32, key: u32) {
    write(KEYS + record * 4, key);
    make_ready(record, priority);
}

/// The record becomes an alarm that rings at an instant.
#[inline(always)]
pub fn arm(record: usize, instant: u32) {
    write(KEYS + record * 4, instant);
    write(record * RECORD_BYTES, VALID | EVENT | ALARM << EVENTS);
}

/// A record has another key: that of a ready one, or the instant of an alarm that is set.
#[inline(always)]
pub fn set_key(record: usize, key: u32) {
    write(KEYS + record * 4, key);
}

/// The record is neither ready nor an alarm any more.
#[inline(always)]
pub fn clear(record: usize) {
    write(record * RECORD_BYTES, 0);
}

/// The most urgent ready record.
#[inline(always)]
pub fn top() -> Option<usize> {
    named(read(TOP))
}

/// [`next`] begins with the most urgent one.
pub fn begin() {
    write(NEXT, 0);
}

/// The next less urgent ready record.
pub fn next() -> Option<usize> {
    named(read(NEXT))
}

/// The alarm that rings first.
#[inline(always)]
pub fn first_alarm() -> Option<usize> {
    named(read(WAITER + ALARM as usize * 4))
}
