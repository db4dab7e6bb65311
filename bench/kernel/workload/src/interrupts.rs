//! A driver process of the chip's interrupt generator.

use bench_marks::{AFTER, HANDLED, mark};
use giornata_rt::device::Device;
use giornata_rt::time::{self, Duration};
use giornata_rt::{interrupt, thread};

use crate::calls::{ROUNDS, end};

/// Its line.
const LINE: u16 = 1;
/// Cycles from arming to the rise: longer than it takes to wait for it.
const DELAY: u32 = 20_000;

/// The generator.
pub(crate) struct Generator {
    registers: *mut u32,
}

impl Generator {
    /// The first device that the system file grants.
    pub(crate) fn granted() -> Option<Generator> {
        let address = Device::granted(0)?.address();
        Some(Generator {
            registers: core::ptr::with_exposed_provenance_mut(address),
        })
    }

    /// The line rises after so many cycles.
    pub(crate) fn arm(&mut self, cycles: u32) {
        // SAFETY: the register is the process's own, by its grant.
        unsafe { self.registers.write_volatile(cycles) }
    }

    /// Takes the line down, and waits until it is.
    pub(crate) fn lower(&mut self) {
        let second = self.registers.wrapping_add(1);
        // SAFETY: as above; the second register lies behind the first.
        unsafe { second.write_volatile(0) }
        // SAFETY: as above.
        let _ = unsafe { self.registers.read_volatile() };
    }
}

/// Awaits an interrupt after the other; the rise meets each moment of the loop
/// that runs meanwhile.
#[thread]
pub(crate) fn handle() {
    let Some(mut generator) = Generator::granted() else {
        return;
    };
    for round in 0..ROUNDS {
        generator.arm(DELAY + round % 16);
        if interrupt::wait(LINE).is_err() {
            return;
        }
        mark::<HANDLED>();
        generator.lower();
    }
    end();
}

/// Awaits interrupts that come at all moments of what the others do.
#[thread]
pub(crate) fn sweep() {
    let Some(mut generator) = Generator::granted() else {
        return;
    };
    let mut random = 0x6107_1077_u32;
    loop {
        // Marsaglia's xorshift.
        random ^= random << 13;
        random ^= random >> 17;
        random ^= random << 5;
        generator.arm(SOON + random % WITHIN);
        if interrupt::wait(LINE).is_err() {
            return;
        }
        mark::<HANDLED>();
        generator.lower();
    }
}

/// Cycles to the earliest: about what it takes to wait for it.
const SOON: u32 = 300;
/// Cycles within which they come: a prime.
const WITHIN: u32 = 3001;

/// Is interrupted on behalf of a less urgent thread, and goes on; then lets it
/// run.
#[thread]
pub(crate) fn go_on() {
    let Some(mut generator) = Generator::granted() else {
        return;
    };
    for _ in 0..ROUNDS {
        generator.arm(SOON);
        for round in 0..SOON {
            core::hint::black_box(round);
        }
        mark::<AFTER>();
        // Never refused to a thread.
        let _ = time::sleep(HANDLING);
    }
    end();
}

/// The less urgent thread.
#[thread]
pub(crate) fn handle_later() {
    let Some(mut generator) = Generator::granted() else {
        return;
    };
    while interrupt::wait(LINE).is_ok() {
        generator.lower();
    }
}

/// Long enough for it to handle its interrupt and wait for the next.
const HANDLING: Duration = Duration::from_micros(200);
