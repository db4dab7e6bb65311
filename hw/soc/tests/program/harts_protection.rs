//! User mode of each hart reaches what its own PMP grants and nothing else, whatever
//! the access: what is refused traps with its address and has no effect.

use core::arch::asm;
use core::cell::UnsafeCell;

use crate::memory::{Word, load};
use crate::signals::msip;
use crate::{barrier, expect, probe};

const UART: usize = 0xF000_1000;
const UART_STATUS: usize = UART + 0x40;
const CYCLE_LOW: usize = 0xF000_0008;
const REGION: usize = 256;
const HARTS: usize = 8;

const FETCH_FAULT: u32 = 1;
const LOAD_FAULT: u32 = 5;
const STORE_FAULT: u32 = 7;
const CALL: u32 = 8;

/// 256 bytes, which a region covers.
#[repr(align(256))]
struct Region(UnsafeCell<[u32; REGION / 4]>);

// SAFETY: every access is volatile, and a region of one hart is changed by that hart alone.
unsafe impl Sync for Region {}

impl Region {
    const fn of(word: u32) -> Region {
        Region(UnsafeCell::new([word; REGION / 4]))
    }

    fn address(&self) -> usize {
        self.0.get().addr()
    }

    fn first(&self) -> u32 {
        // SAFETY: the word is this one's own.
        unsafe { self.0.get().cast::<u32>().read_volatile() }
    }
}

/// One for each of eight harts, and nobody's at both ends.
static REGIONS: [Region; HARTS + 2] = [const { Region::of(100) }; HARTS + 2];
static READ_ONLY: Region = Region::of(1_000);
static KERNEL: Word = Word::new();

#[derive(Default)]
#[repr(C)]
pub struct Outcome {
    pub cause: u32,
    pub value: u32,
    pub address: u32,
    pub a0: u32,
}

unsafe extern "C" {
    fn attempt(entry: usize, a0: usize, a1: usize, outcome: *mut Outcome);
    static user: u8;
    static user_load: u8;
    static user_store: u8;
    static user_amo: u8;
    static user_lr: u8;
    static user_sc: u8;
    static user_jump: u8;
    static user_loop: u8;
}

/// User mode from a label on.
macro_rules! user {
    ($label:ident, $a0:expr, $a1:expr) => {
        // SAFETY: it is a label of `harts.s`, which ends in a trap.
        unsafe {
            let mut outcome = Outcome::default();
            attempt((&raw const $label).addr(), $a0, $a1, &raw mut outcome);
            outcome
        }
    };
}

/// Counts what was refused and granted.
struct Tally {
    granted: u32,
    refused: u32,
}

impl Tally {
    fn granted(&mut self, outcome: &Outcome, step: u32) {
        expect(outcome.cause == CALL, step);
        self.granted += 1;
    }

    fn refused(&mut self, outcome: &Outcome, cause: u32, address: usize, step: u32) {
        expect(outcome.cause == cause, step);
        let told = match cause {
            FETCH_FAULT => outcome.address,
            _ => outcome.value,
        };
        expect(told as usize == address, step);
        self.refused += 1;
    }
}

pub fn check(hart: usize, harts: usize) {
    regions(hart);
    if hart == 0 {
        KERNEL.set(55);
    }
    let mut tally = Tally {
        granted: 0,
        refused: 0,
    };
    barrier(harts);
    own(hart, &mut tally);
    read_only(&mut tally);
    not_granted(own_region((hart + 1) % HARTS).address(), hart, &mut tally);
    not_granted(KERNEL.address(), hart, &mut tally);
    devices(hart, &mut tally);
    for address in [own_region(hart).address(), 0x4000_0000, CYCLE_LOW] {
        tally.refused(&user!(user_jump, address, 0), FETCH_FAULT, address, 30);
    }
    barrier(harts);
    expect(READ_ONLY.first() == 1_000 && KERNEL.get() == 55, 31);
    expect(own_region(hart).first() == 112, 32);
    expect(load(msip(hart)) == 0, 33);
    probe(tally.granted << 16 | tally.refused);
}

/// User mode spins until something interrupts; the cause.
pub fn spin() -> u32 {
    user!(user_loop, 0, 0).cause
}

/// 0: what user mode executes; 1: the hart's own words; 2: words to read; 3: the UART, for
/// the first hart.
pub fn regions(hart: usize) {
    let uart = if hart == 0 { 0x1B } else { 0 };
    // SAFETY: none of them is locked, so they bind user mode alone.
    unsafe {
        asm!("csrw pmpaddr0, {}", in(reg) napot((&raw const user).addr()));
        asm!("csrw pmpaddr1, {}", in(reg) napot(own_region(hart).address()));
        asm!("csrw pmpaddr2, {}", in(reg) napot(READ_ONLY.address()));
        asm!("csrw pmpaddr3, {}", in(reg) napot(UART));
        asm!("csrw pmpcfg0, {}", in(reg) 0x19_1B_1D | uart << 24);
    }
}

/// That of a hart.
fn own_region(hart: usize) -> &'static Region {
    &REGIONS[hart + 1]
}

fn napot(base: usize) -> usize {
    base >> 2 | ((REGION >> 3) - 1)
}

fn own(hart: usize, tally: &mut Tally) {
    let at = own_region(hart).address();
    tally.granted(&user!(user_store, at, 107), 2);
    expect(own_region(hart).first() == 107, 3);
    let loaded = user!(user_load, at, 0);
    tally.granted(&loaded, 4);
    expect(loaded.a0 == 107, 5);
    tally.granted(&user!(user_amo, at, 5), 6);
    expect(own_region(hart).first() == 112, 7);
    tally.granted(&user!(user_lr, at, 0), 8);
    let stored = user!(user_sc, at, at);
    tally.granted(&stored, 9);
    expect(stored.a0 == 0, 10);
    tally.granted(&user!(user_load, at + REGION - 4, 0), 11);
    // (a load before and behind it)
    for beside in [at - 4, at + REGION] {
        // Another hart's, or what lies around all of them: nobody's.
        tally.refused(&user!(user_load, beside, 0), LOAD_FAULT, beside, 12);
    }
}

fn read_only(tally: &mut Tally) {
    let at = READ_ONLY.address();
    let loaded = user!(user_load, at, 0);
    tally.granted(&loaded, 13);
    expect(loaded.a0 == 1_000, 14);
    tally.granted(&user!(user_lr, at, 0), 15);
    tally.refused(&user!(user_store, at, 1), STORE_FAULT, at, 16);
    tally.refused(&user!(user_amo, at, 1), STORE_FAULT, at, 17);
    tally.refused(&user!(user_sc, at, at), STORE_FAULT, at, 18);
}

fn not_granted(at: usize, hart: usize, tally: &mut Tally) {
    let own = own_region(hart).address();
    tally.refused(&user!(user_load, at, 0), LOAD_FAULT, at, 20);
    tally.refused(&user!(user_store, at, 1), STORE_FAULT, at, 21);
    tally.refused(&user!(user_amo, at, 1), STORE_FAULT, at, 22);
    tally.refused(&user!(user_lr, at, 0), LOAD_FAULT, at, 23);
    // (with the reservation of a word that is granted)
    tally.refused(&user!(user_sc, at, own), STORE_FAULT, at, 24);
}

fn devices(hart: usize, tally: &mut Tally) {
    not_granted(CYCLE_LOW, hart, tally);
    not_granted(msip(hart), hart, tally);
    let status = user!(user_load, UART_STATUS, 0);
    match hart {
        0 => tally.granted(&status, 25),
        _ => tally.refused(&status, LOAD_FAULT, UART_STATUS, 26),
    }
}
