//! Locks, and what accesses cost while nobody else uses the bus.

use core::arch::asm;
use core::hint::black_box;

use crate::memory::{Word, fence};
use crate::{barrier, cycle, expect, probe};

/// Sections that each hart enters.
const TURNS: u32 = 150;
/// Of these the first is not looked at: code and words are in no cache yet.
const WARM: u32 = 1;

static NEXT: Word = Word::new();
static SERVED: Word = Word::new();
static TAKEN: Word = Word::new();

fn lock_ticket() {
    let ticket = NEXT.add(1);
    while SERVED.get() != ticket {}
    fence();
}

fn unlock_ticket() {
    fence();
    SERVED.set(SERVED.get() + 1);
}

fn lock_flag() {
    while TAKEN.swap(1) != 0 {
        while TAKEN.get() != 0 {}
    }
    fence();
}

fn unlock_flag() {
    fence();
    TAKEN.set(0);
}

/// All harts contend for a ticket lock, then for a flag; each tells its longest wait and
/// when it was done, in cycles since the start.
pub fn fairness(_: usize, harts: usize) {
    contend(harts, lock_ticket, unlock_ticket, 2);
    contend(harts, lock_flag, unlock_flag, 3);
}

fn contend(harts: usize, lock: impl Fn(), unlock: impl Fn(), step: u32) {
    static SECTIONS: Word = Word::new();
    let before = SECTIONS.get();
    barrier(harts);
    let start = cycle();
    let mut longest = 0;
    for turn in 0..TURNS {
        let asked = cycle();
        lock();
        let waited = cycle().wrapping_sub(asked);
        if turn >= WARM {
            longest = waited.max(longest);
        }
        SECTIONS.set(SECTIONS.get() + 1);
        work::<20>();
        unlock();
        work::<10>();
    }
    let done = cycle().wrapping_sub(start);
    barrier(harts);
    // (a section that two harts were in would be missing)
    expect(SECTIONS.get() == before + TURNS * harts as u32, step);
    probe(longest);
    probe(done);
    barrier(harts);
}

/// So many instructions.
#[inline(always)]
fn work<const COUNT: usize>() {
    for _ in 0..COUNT {
        // SAFETY: the instruction does nothing.
        unsafe { asm!("nop") };
    }
}

/// The first hart tells what it measures; the others spin in their caches.
pub fn costs(hart: usize, harts: usize) {
    static ARE_DONE: Word = Word::new();
    barrier(harts);
    if hart == 0 {
        let nothing = nothing();
        let figures = [
            load_that_hits(),
            load_that_misses(),
            stores(),
            by_amo(),
            by_reservation(),
            ticket_lock(),
            flag_lock(),
        ];
        figures.iter().for_each(|figure| probe(figure - nothing));
        ARE_DONE.set(1);
    }
    while ARE_DONE.get() == 0 {}
}

static OWN: Word = Word::new();
/// The first and the last share a line of a small cache.
static FAR: [Word; 65] = [const { Word::new() }; 65];

/// Cycles of instructions, `{at}` the address of a word.
macro_rules! cycles {
    ($word:expr, $($instruction:literal),*) => {{
        let (start, end): (u32, u32);
        // SAFETY: what they do to the word is of no importance.
        unsafe {
            asm!(".option push", ".option arch, +a", "csrr {start}, mcycle", $($instruction,)*
                "csrr {end}, mcycle", ".option pop", start = out(reg) start, end = out(reg) end,
                at = in(reg) $word.address(), out("t0") _, out("t1") _);
        }
        end.wrapping_sub(start)
    }};
}

#[inline(never)]
fn nothing() -> u32 {
    best(|| cycles!(OWN, "/* {at} */"))
}

#[inline(never)]
fn load_that_hits() -> u32 {
    best(|| cycles!(OWN, "lw t0, 0({at})", "add zero, t0, zero"))
}

#[inline(never)]
fn load_that_misses() -> u32 {
    best(|| {
        FAR[64].get();
        cycles!(FAR[0], "lw t0, 0({at})", "add zero, t0, zero")
    })
}

#[inline(never)]
fn stores() -> u32 {
    best(|| cycles!(OWN, ".rept 16", "sw zero, 0({at})", ".endr"))
}

#[inline(never)]
fn by_amo() -> u32 {
    best(|| cycles!(OWN, "amoadd.w t0, zero, ({at})", "add zero, t0, zero"))
}

#[inline(never)]
fn by_reservation() -> u32 {
    best(|| {
        cycles!(
            OWN,
            "2: lr.w t0, ({at})",
            "addi t0, t0, 1",
            "sc.w t1, t0, ({at})",
            "bnez t1, 2b"
        )
    })
}

#[inline(never)]
fn ticket_lock() -> u32 {
    best(|| {
        let start = cycle();
        lock_ticket();
        unlock_ticket();
        cycle().wrapping_sub(start)
    })
}

#[inline(never)]
fn flag_lock() -> u32 {
    best(|| {
        let start = cycle();
        lock_flag();
        unlock_flag();
        cycle().wrapping_sub(start)
    })
}

/// The best of a few times: the first ones find nothing in the caches.
#[inline(always)]
fn best(measure: impl Fn() -> u32) -> u32 {
    let mut best = u32::MAX;
    // (a loop that the compiler does not unroll: its lines would be new each time)
    for _ in 0..black_box(8) {
        // What was stored before has arrived.
        work::<100>();
        best = measure().min(best);
    }
    best
}
