//! The Rust half of processes whose other half `cli/tests/stacks.rs` writes: tasks and drivers,
//! one of each of which goes as deep as that says.

#![cfg(target_os = "none")]
#![no_std]

extern crate giornata_c as _;

use giornata_rt::{driver, process, task};

unsafe extern "C" {
    /// Takes more of a stack than there is.
    safe fn go_deep();
}

#[driver]
fn read_deep(reading: &mut u32) {
    go_deep();
    *reading = 1;
}

#[driver]
fn read_shallow(reading: &mut u32) {
    *reading = 1;
}

#[driver]
fn no_deep(result: &mut u32) {
    *result = 0;
}

#[driver]
fn no_shallow(result: &mut u32) {
    *result = 0;
}

#[task]
fn run_deep(reading: &u32, result: &mut u32) {
    go_deep();
    *result = *reading;
}

#[task]
fn run_shallow(reading: &u32, result: &mut u32) {
    *result = *reading;
}

process! {
    tasks: [run_deep, run_shallow],
    drivers: [read_deep, read_shallow, no_deep, no_shallow],
}
