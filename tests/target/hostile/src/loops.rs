//! What never ends, and what the kernel is asked without end.

use giornata_rt::{call, log, thread, yield_now};

/// Nothing, for ever.
#[thread]
pub(crate) fn loop_for_ever() {
    loop {
        core::hint::spin_loop();
    }
}

/// Floating point and memory, for ever.
#[thread]
pub(crate) fn count_for_ever() {
    let mut sum = 0.0f64;
    loop {
        sum = core::hint::black_box(sum * 0.5 + 1.0);
    }
}

/// Every cheap call, with and without sense, for ever.
#[thread]
pub(crate) fn flood_kernel() {
    let mut number = 0;
    loop {
        number = (number + 1) % 64;
        // what ends the process, puts it to sleep or fills the trace
        if matches!(number, 2 | 6 | 7 | 11 | 13) {
            continue;
        }
        // SAFETY: port 65535 does not exist, so nothing is written.
        let _ = unsafe { call::raw(number, [0xFFFF; 6]) };
    }
}

/// Hands the processor on, for ever.
#[thread]
pub(crate) fn flood_yields() {
    loop {
        yield_now();
    }
}

/// Runs into the guard below its stack, in each of its first lives.
#[thread]
pub(crate) fn recurse_for_ever() {
    match thread::own() {
        Ok(own) if own.generation() < 50 => _ = deeper(0),
        _ => log!("survived 50 overflows"),
    }
}

#[inline(never)]
fn deeper(depth: usize) -> usize {
    let frame = core::hint::black_box([depth; 16]);
    match core::hint::black_box(depth) {
        usize::MAX => depth,
        _ => deeper(depth + 1).wrapping_add(frame[depth % 16]),
    }
}
