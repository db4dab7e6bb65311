//! Decides whether the lamp is on next. It touches no device: the program writes what
//! the task has decided into the register, at the end of the task's period.

#![no_std]

use giornata_rt::{driver, log, process, task};

/// OUT1 in the modem control register of a 16550.
const OUT1: u8 = 1 << 2;

/// On, off, on, ...
#[task]
pub fn toggle(next: &mut u8, #[state(u32::default)] count: &mut u32) {
    *next = if count.is_multiple_of(2) { OUT1 } else { 0 };
    log!("{}", if *next == OUT1 { "on" } else { "off" });
    *count = count.wrapping_add(1);
}

/// The lamp before the first decision.
#[driver]
pub fn dark(next: &mut u8) {
    *next = 0;
}

process! { tasks: [toggle], drivers: [dark] }
