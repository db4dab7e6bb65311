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

use giornata_rtm_registers::{self as address, answer, record, status};

#[cfg(not(target_os = "none"))]
pub use host::{Device, install};

#[cfg(not(target_os = "none"))]
use host::{read, write};
#[cfg(target_os = "none")]
use registers::{read, write};

/// The event for which alarms wait.
const ALARM: u8 = 255;

/// The number of a record, if an answer names one.
#[inline(always)]
fn named(answer: u32) -> Option<usize> {
    (answer & answer::NONE == 0).then_some(answer as usize)
}

/// The word of a record.
#[inline(always)]
fn say(record: usize, status: u8, priority: u8, event: u8) {
    let at = address::RECORDS as usize + record * address::RECORDS_STRIDE as usize;
    write(at, record::word(status, priority, event));
}

/// The record is ready with a priority, 0 the most urgent, which no other ready one has.
#[inline(always)]
pub fn make_ready(record: usize, priority: u32) {
    say(record, status::VALID, priority as u8, 0);
}

/// The same with a key, which orders those of one priority.
#[inline(always)]
pub fn make_ready_by_key(record: usize, priority: u32, key: u32) {
    set_key(record, key);
    make_ready(record, priority);
}

/// The record becomes an alarm that rings at an instant.
#[inline(always)]
pub fn arm(record: usize, instant: u32) {
    set_key(record, instant);
    say(record, status::VALID | status::EVENT, 0, ALARM);
}

/// A record has another key: that of a ready one, or the instant of an alarm that is set.
#[inline(always)]
pub fn set_key(record: usize, key: u32) {
    write(
        address::KEYS as usize + record * address::KEYS_STRIDE as usize,
        key,
    );
}

/// The record is neither ready nor an alarm any more.
#[inline(always)]
pub fn clear(record: usize) {
    say(record, 0, 0, 0);
}

/// The most urgent ready record.
#[inline(always)]
pub fn top() -> Option<usize> {
    named(read(address::TOP as usize))
}

/// [`next`] begins with the most urgent one.
pub fn begin() {
    write(address::NEXT as usize, 0);
}

/// The next less urgent ready record.
pub fn next() -> Option<usize> {
    named(read(address::NEXT as usize))
}

/// The alarm that rings first.
#[inline(always)]
pub fn first_alarm() -> Option<usize> {
    let waiter = address::WAITER as usize + ALARM as usize * address::WAITER_STRIDE as usize;
    named(read(waiter))
}
