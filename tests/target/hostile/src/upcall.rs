//! Drivers that do what no driver may. Each belongs to a process of its own.

use giornata_rt::abi::call::Call;
use giornata_rt::{Error, call, driver};

/// Never returns.
#[driver]
pub(crate) fn spin_upcall(spun: &mut u32) {
    *spun = 1;
    loop {
        core::hint::spin_loop();
    }
}

/// Never returns, and calls the kernel all the time.
#[driver]
pub(crate) fn flood_upcall(flooded: &mut u32) {
    loop {
        *flooded = flooded.wrapping_add(1);
        let call = match *flooded % 3 {
            0 => Call::Null,
            1 => Call::Yield,
            _ => Call::ReadPort,
        };
        // SAFETY: no upcall may read a port.
        let _ = unsafe { call::raw(call as usize, [0; 6]) };
    }
}

/// Faults.
#[driver]
pub(crate) fn fault_upcall(faulted: &mut u32) {
    *faulted = 1;
    // SAFETY: none; that this hurts nobody else is what is tested.
    unsafe { crate::instruction::store(0x8000_0000) }
}

/// Panics.
#[driver]
pub(crate) fn panic_upcall(panicked: &mut u32) {
    *panicked = 1;
    panic!("upcall");
}

/// Runs out of stack.
#[driver]
pub(crate) fn overflow_upcall(depth: &mut u32) {
    *depth = deeper(0) as u32;
}

#[inline(never)]
fn deeper(depth: usize) -> usize {
    let frame = core::hint::black_box([depth; 16]);
    match core::hint::black_box(depth) {
        usize::MAX => depth,
        _ => deeper(depth + 1).wrapping_add(frame[depth % 16]),
    }
}

/// Makes every call but null, return and panic; answers how many were not refused
/// with EPERM, or ENOSYS beyond the last.
#[driver]
pub(crate) fn ask_kernel(let_through: &mut u32) {
    *let_through = 0;
    for number in 1..Call::ALL.len() + 4 {
        let expected = match Call::from_number(number) {
            Some(Call::Null | Call::Return | Call::Panic) => continue,
            Some(_) => Error::EPERM,
            None => Error::ENOSYS,
        };
        // SAFETY: refused, or the test fails.
        let [error, ..] = unsafe { call::raw(number, [0; 6]) };
        *let_through += u32::from(error != expected as usize);
    }
}

/// Returns by the call itself, in the middle, with a value of all ones.
#[driver]
pub(crate) fn leave_upcall(left: &mut u32) {
    *left = 1;
    call::return_value(usize::MAX)
}

/// Does what it should: beside the others, in the same instant.
#[driver]
pub(crate) fn count_calls(reading: &mut u32) {
    *reading = reading.wrapping_add(1);
}
