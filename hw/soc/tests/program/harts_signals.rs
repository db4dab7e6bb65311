//! What interrupts a hart: its timer, its software interrupt, its generator.

use core::arch::asm;

use crate::memory::{Word, fence, load, store};
use crate::{barrier, cycle, expect, probe, protection};

const GENERATORS: usize = 0xF000_2000;
const CLINT: usize = 0xF001_0000;
const MTIME: usize = CLINT + 0xBFF8;

const SOFTWARE: u32 = 1 << 3;
const TIMER: u32 = 1 << 7;
const TIMER_CAUSE: u32 = 0x8000_0007;
/// Kicks of which the latency is told, after some that warm the caches.
const KICKS: u32 = 100;
const WARM: u32 = 4;

pub fn msip(hart: usize) -> usize {
    CLINT + 4 * hart
}

fn mtimecmp(hart: usize) -> usize {
    CLINT + 0x4000 + 8 * hart
}

fn generator(hart: usize) -> usize {
    GENERATORS + 8 * hart
}

/// Each line reaches one hart alone, whichever hart raises it.
pub fn lines_of_each_hart(hart: usize, harts: usize) {
    for target in 0..harts {
        let is_mine = hart == target;
        // The hart before it raises all three.
        let raises = hart == (target + harts - 1) % harts;
        if raises {
            store(msip(target), 1);
            store(mtimecmp(target), 0);
            store(mtimecmp(target) + 4, 0);
            store(generator(target), 0);
            load(MTIME);
        }
        barrier(harts);
        expect(pending() & SOFTWARE == u32::from(is_mine) * SOFTWARE, 2);
        expect(pending() & TIMER == u32::from(is_mine) * TIMER, 3);
        expect(external() == u32::from(is_mine), 4);
        barrier(harts);
        if raises {
            store(msip(target), 0);
            store(mtimecmp(target) + 4, u32::MAX);
            store(generator(target) + 4, 0);
            load(MTIME);
        }
        barrier(harts);
        expect(pending() & (SOFTWARE | TIMER) == 0 && external() == 0, 5);
    }
    timer(hart);
}

/// Each hart's timer ends its user mode at its own instant; tells how many cycles late. The
/// first time what the harts execute then is in no cache.
fn timer(hart: usize) {
    protection::regions(hart);
    timed(hart);
    let late = timed(hart);
    expect(late < 100, 7);
    probe(late);
}

fn timed(hart: usize) -> u32 {
    let instant = load(MTIME) + 1_000 + 37 * hart as u32;
    store(mtimecmp(hart), instant);
    store(mtimecmp(hart) + 4, 0);
    // SAFETY: interrupts of machine mode are enabled in user mode alone, which `spin` enters.
    unsafe { asm!("csrs mie, {}", in(reg) TIMER) };
    let cause = protection::spin();
    let now = cycle();
    // SAFETY: as above.
    unsafe { asm!("csrc mie, {}", in(reg) TIMER) };
    store(mtimecmp(hart) + 4, u32::MAX);
    expect(cause == TIMER_CAUSE, 6);
    now.wrapping_sub(instant)
}

/// The first hart interrupts the second, which waits; tells the cycles from the store to the
/// first instruction of the handler, of each.
pub fn kick(hart: usize, harts: usize) {
    static SEEN: Word = Word::new();
    static STOP: Word = Word::new();
    if hart == 1 {
        // SAFETY: both words are of this function.
        unsafe { receive(msip(1), SEEN.address(), STOP.address()) };
    }
    if hart == 0 {
        for kick in 0..WARM + KICKS {
            // It waits again.
            (0..200).for_each(|_| fence());
            SEEN.set(0);
            STOP.set(u32::from(kick + 1 == WARM + KICKS));
            fence();
            let sent: u32;
            // SAFETY: registers lie outside RAM.
            unsafe {
                asm!("csrr {}, mcycle", "sw {}, 0({})", out(reg) sent, in(reg) 1, in(reg) msip(1));
            }
            while SEEN.get() == 0 {}
            if kick >= WARM {
                probe(SEEN.get().wrapping_sub(sent));
            }
        }
    }
    barrier(harts);
}

unsafe extern "C" {
    fn receive(msip: usize, seen: usize, stop: usize);
}

fn pending() -> u32 {
    let pending;
    // SAFETY: it reads what is pending.
    unsafe { asm!("csrr {}, mip", out(reg) pending) };
    pending
}

/// Lines of the outside, all enabled.
fn external() -> u32 {
    let lines;
    // SAFETY: `mie` keeps them from interrupting.
    unsafe { asm!("csrw 0xBC0, {}", "csrr {}, 0xFC0", in(reg) u32::MAX, out(reg) lines) };
    lines
}
