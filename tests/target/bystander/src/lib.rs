//! Well-behaved processes: a small Giotto program whose port trace must be the
//! same whatever its neighbours do, and the thread that ends every run.

#![no_std]

use giornata_rt::time::{self, Instant};
use giornata_rt::{driver, process, shutdown, task, thread};

/// A reading that changes with every look.
#[driver]
fn read_noise(noise: &mut u32, #[state(seed)] last: &mut u32) {
    // Marsaglia's xorshift: any lost or doubled call shows in all that follow.
    *last ^= *last << 13;
    *last ^= *last >> 17;
    *last ^= *last << 5;
    *noise = *last;
}

fn seed() -> u32 {
    0x6107_1077
}

/// Nothing to move: the value is in the port trace.
#[driver]
fn write_level(_level: &f64) {}

#[driver]
fn is_odd(noise: &u32) -> bool {
    noise % 2 == 1
}

#[driver]
fn pass_noise(noise: &u32, input: &mut u32) {
    *input = *noise;
}

#[driver]
fn no_level(level: &mut f64) {
    *level = 0.0;
}

/// A low-pass filter, so that floating point is in use across preemptions.
#[task]
fn smooth(noise: &u32, level: &mut f64, #[state(f64::default)] sum: &mut f64) {
    for _ in 0..200 {
        *sum += (*noise as f64 / 65536.0 - *sum) * 0.015625;
    }
    *level = *sum;
}

/// Counts the instants at which the reading was odd.
#[task]
fn count_odd(noise: &u32, count: &mut u32, #[state(u32::default)] total: &mut u32) {
    *total = total.wrapping_add(noise % 2);
    *count = *total;
}

#[driver]
fn no_count(count: &mut u32) {
    *count = 0;
}

/// Counts its own jobs, by way of its port.
#[task]
fn beat(before: &u32, beats: &mut u32) {
    *beats = before.wrapping_add(1);
}

#[driver]
fn no_beat(beats: &mut u32) {
    *beats = 0;
}

/// Stops the machine at 199 ms, between two instants of the program.
#[thread]
fn finish() {
    // Never refused to a thread.
    let _ = time::sleep_until(Instant(199_000_000));
    giornata_rt::log!("not stopped: {:?}", shutdown(0));
}

process! {
    tasks: [smooth, count_odd, beat],
    drivers: [read_noise, write_level, is_odd, pass_noise, no_level, no_count, no_beat],
    threads: [finish],
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn noise_does_not_repeat_within_a_run() {
        let (mut noise, mut last) = (0, seed());
        let first = seed();
        for _ in 0..1000 {
            read_noise(&mut noise, &mut last);
            assert_ne!(noise, first);
        }
    }
}
