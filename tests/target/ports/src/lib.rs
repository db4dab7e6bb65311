//! Programs that exchange the values of their ports when they switch: by copies, by a
//! function in Rust, and by one in C. What is exchanged is read as a whole before any of it
//! is written, so all three say the same. And a sensor that is read in time, however urgent
//! a thread is that computes.

#![no_std]

extern crate giornata_c as _;

use core::sync::atomic::{AtomicBool, Ordering};

use giornata_rt::time::{self, Instant};
use giornata_rt::{driver, log, process, shutdown, task, thread};

/// A value that the kernel copies in several pieces.
type Wide = [u32; 100];

unsafe extern "C" {
    /// Of `exchange.c`. The pointers are valid while it runs, the first two for reads and
    /// the last two for writes.
    fn exchange_in_c(a: *const u32, b: *const u32, x: *mut u32, y: *mut u32);
}

#[driver]
fn one(port: &mut u32) {
    *port = 1;
}

#[driver]
fn two(port: &mut u32) {
    *port = 2;
}

#[driver]
fn rising(port: &mut Wide) {
    for (value, element) in (0..).zip(port) {
        *element = value;
    }
}

#[driver]
fn zero(port: &mut Wide) {
    *port = [0; 100];
}

#[driver]
fn exchange(a: &u32, b: &u32, x: &mut u32, y: &mut u32) {
    (*x, *y) = (*b, *a);
}

#[driver]
fn exchange_elsewhere(a: &u32, b: &u32, x: &mut u32, y: &mut u32) {
    // SAFETY: references are valid pointers.
    unsafe { exchange_in_c(a, b, x, y) }
}

#[task]
fn keep(i: &u32, j: &u32, a: &mut u32, b: &mut u32) {
    (*a, *b) = (*i, *j);
    log!("copied: {} {}", *i, *j);
}

/// The elements of a value that are as in [`rising`], and those that are 0.
fn counts(value: &Wide) -> (usize, usize) {
    let elements = value.iter().zip(0..);
    let rising = elements.filter(|(element, number)| *element == number);
    let zero = value.iter().filter(|element| **element == 0);
    (rising.count(), zero.count())
}

#[task]
fn keep_wide(i: &Wide, j: &Wide, a: &mut Wide, b: &mut Wide) {
    (*a, *b) = (*i, *j);
    log!("wide: {:?} {:?}", counts(i), counts(j));
}

#[task]
fn keep_computed(i: &u32, j: &u32, a: &mut u32, b: &mut u32) {
    (*a, *b) = (*i, *j);
    log!("by a function: {} {}", *i, *j);
}

#[task]
fn keep_elsewhere(i: &u32, j: &u32, a: &mut u32, b: &mut u32) {
    (*a, *b) = (*i, *j);
    log!("by a function in C: {} {}", *i, *j);
}

/// [`urgent`] computes.
static COMPUTES: AtomicBool = AtomicBool::new(false);

/// Whether it is read while [`urgent`] computes.
#[driver]
fn read_load(load: &mut u32) {
    *load = COMPUTES.load(Ordering::Relaxed).into();
}

#[task]
fn tell(load: &u32) {
    match *load {
        0 => log!("read while nobody computes"),
        _ => log!("read while a thread computes"),
    }
}

/// Computes from 7 to 12 ms, and from 27 to 32 ms.
#[thread]
fn urgent() {
    for begin in [7, 27] {
        let _ = time::sleep_until(Instant(begin * 1_000_000));
        COMPUTES.store(true, Ordering::Relaxed);
        while time::now() < Instant((begin + 5) * 1_000_000) {}
        COMPUTES.store(false, Ordering::Relaxed);
    }
}

#[thread]
fn finish() {
    // Never refused to a thread.
    let _ = time::sleep_until(Instant(45_000_000));
    log!("not stopped: {:?}", shutdown(0));
}

process! {
    tasks: [keep, keep_wide, keep_computed, keep_elsewhere, tell],
    drivers: [one, two, rising, zero, exchange, exchange_elsewhere, read_load],
    threads: [urgent, finish],
}
