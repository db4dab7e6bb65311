//! A counter: a program small enough for the simulated chip, whose module is
//! replaced over its serial line.

#![no_std]

use giornata_rt::{driver, process, task};

/// Sensor: by how much.
#[driver]
fn read_step(step: &mut u32) {
    *step = 1;
}

/// Actuator: the value is in the port trace.
#[driver]
fn show_total(_total: &u32) {}

/// Initial total.
#[driver]
fn nothing(total: &mut u32) {
    *total = 0;
}

/// Input of the counter.
#[driver]
fn once(step: &u32, by: &mut u32) {
    *by = *step;
}

/// Input of the counter that goes twice as fast.
#[driver]
fn twice(step: &u32, by: &mut u32) {
    *by = step.wrapping_mul(2);
}

/// Counts.
#[task]
fn add(by: &u32, total: &mut u32) {
    *total = total.wrapping_add(*by);
}

process! {
    tasks: [add],
    drivers: [read_step, show_total, nothing, once, twice],
    threads: [],
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_counts_on_over_the_end() {
        let mut total = u32::MAX;
        add(&2, &mut total);
        assert_eq!(total, 1);
    }
}
