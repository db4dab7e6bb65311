//! Checks of a chip with many harts. The argument register says which, as `tests/harts.rs`
//! numbers them; a check ends with 0, or with the number of the step that went wrong. What
//! it has measured it stores in the probe register.

#![no_std]
#![no_main]

#[path = "harts_locks.rs"]
mod locks;
#[path = "harts_memory.rs"]
mod memory;
#[path = "harts_order.rs"]
mod order;
#[path = "harts_protection.rs"]
mod protection;
#[path = "harts_signals.rs"]
mod signals;

use core::arch::{asm, global_asm};

use memory::{Word, fence, load, store};

global_asm!(include_str!("harts.s"));

const EXIT: usize = 0xF000_0004;
const PROBE: usize = 0xF000_0020;
const ARGUMENT: usize = 0xF000_0030;
const HART: usize = 0xF000_0018;
const HARTS: usize = 0xF000_0034;

/// Increments that each hart makes.
const COUNT: u32 = 10_000;

#[unsafe(no_mangle)]
extern "C" fn main(hart: usize) -> ! {
    let harts = load(HARTS) as usize;
    expect(load(HART) as usize == hart, 1);
    match load(ARGUMENT) {
        0 => count(hart, harts),
        1 => order::check(hart, harts),
        2 => protection::check(hart, harts),
        3 => signals::lines_of_each_hart(hart, harts),
        4 => locks::fairness(hart, harts),
        5 => signals::kick(hart, harts),
        6 => locks::costs(hart, harts),
        _ => exit(254),
    }
    barrier(harts);
    match hart {
        0 => exit(0),
        _ => wait(),
    }
}

/// Every hart counts, with an AMO and with LR and SC; nothing is lost.
fn count(hart: usize, harts: usize) {
    static BY_AMO: Word = Word::new();
    static BY_RESERVATION: Word = Word::new();
    for _ in 0..COUNT {
        BY_AMO.add(1);
    }
    barrier(harts);
    for _ in 0..COUNT {
        BY_RESERVATION.add_by_reservation(1);
    }
    barrier(harts);
    let sum = COUNT * harts as u32;
    expect(BY_AMO.get() == sum, 2);
    expect(BY_RESERVATION.get() == sum, 3);
    if hart == 0 {
        probe(BY_AMO.get());
        probe(BY_RESERVATION.get());
    }
}

/// Waits until all harts are here; what they stored before is seen after.
fn barrier(harts: usize) {
    static ARRIVED: Word = Word::new();
    static PHASE: Word = Word::new();
    fence();
    let phase = PHASE.get();
    if ARRIVED.add(1) + 1 == harts as u32 {
        ARRIVED.set(0);
        fence();
        PHASE.set(phase + 1);
    } else {
        while PHASE.get() == phase {}
    }
    fence();
}

/// Ends the run with this step, unless it holds.
fn expect(holds: bool, step: u32) {
    if !holds {
        exit(step);
    }
}

fn exit(code: u32) -> ! {
    store(EXIT, code);
    wait()
}

fn wait() -> ! {
    loop {
        // SAFETY: the instruction touches nothing.
        unsafe { asm!("wfi") };
    }
}

fn probe(value: u32) {
    store(PROBE, value);
}

/// Cycles since reset, the same for all harts.
#[inline(always)]
fn cycle() -> u32 {
    let cycle;
    // SAFETY: it reads a counter.
    unsafe { asm!("csrr {}, mcycle", out(reg) cycle) };
    cycle
}

#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    exit(253)
}
