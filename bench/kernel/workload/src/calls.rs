//! Threads that call the kernel.

use giornata_rt::{call, shutdown, thread, yield_now};

use crate::mark::{AFTER, BEFORE, NOTHING, NOTHING_END, mark};

/// How often each thing is done: the first are not counted, a hundred are.
pub const ROUNDS: u32 = 120;

/// Ends the run.
pub(crate) fn end() {
    // Never refused: every system grants it to whoever ends it.
    let _ = shutdown(0);
}

/// The null call, and before it nothing at all.
#[thread]
pub(crate) fn null_calls() {
    for _ in 0..ROUNDS {
        mark::<NOTHING>();
        mark::<NOTHING_END>();
    }
    for _ in 0..ROUNDS {
        mark::<BEFORE>();
        // Never refused to a thread.
        let _ = call::null();
        mark::<AFTER>();
    }
    end();
}

fn take_turns() {
    for _ in 0..ROUNDS {
        mark::<BEFORE>();
        yield_now();
        mark::<AFTER>();
    }
    end();
}

/// One of two that yield to each other.
#[thread]
pub(crate) fn turn_a() {
    take_turns();
}

/// The other.
#[thread]
pub(crate) fn turn_b() {
    take_turns();
}

/// Runs whenever nobody else does.
#[thread]
pub(crate) fn background() {
    loop {
        core::hint::spin_loop();
    }
}
