//! Words that harts share, and registers.

use core::arch::asm;
use core::cell::UnsafeCell;

/// A word alone in a line of the caches.
#[repr(align(64))]
pub struct Word(UnsafeCell<u32>);

// SAFETY: every access is one volatile access or one atomic instruction.
unsafe impl Sync for Word {}

impl Word {
    pub const fn new() -> Word {
        Word(UnsafeCell::new(0))
    }

    pub fn address(&self) -> usize {
        self.0.get().addr()
    }

    #[inline(always)]
    pub fn get(&self) -> u32 {
        // SAFETY: the word is this one's own.
        unsafe { self.0.get().read_volatile() }
    }

    #[inline(always)]
    pub fn set(&self, value: u32) {
        // SAFETY: the word is this one's own.
        unsafe { self.0.get().write_volatile(value) }
    }

    /// Adds with an AMO; returns what was there.
    #[inline(always)]
    pub fn add(&self, value: u32) -> u32 {
        let before;
        // SAFETY: the word is this one's own.
        unsafe {
            asm!(".option push", ".option arch, +a", "amoadd.w.aqrl {}, {}, ({})", ".option pop",
                out(reg) before, in(reg) value, in(reg) self.0.get());
        }
        before
    }

    /// Stores with an AMO; returns what was there.
    #[inline(always)]
    pub fn swap(&self, value: u32) -> u32 {
        let before;
        // SAFETY: the word is this one's own.
        unsafe {
            asm!(".option push", ".option arch, +a", "amoswap.w.aq {}, {}, ({})", ".option pop",
                out(reg) before, in(reg) value, in(reg) self.0.get());
        }
        before
    }

    /// Adds with LR and SC, as often as it takes.
    #[inline(always)]
    pub fn add_by_reservation(&self, value: u32) {
        // SAFETY: the word is this one's own.
        unsafe {
            asm!(".option push", ".option arch, +a",
                "2: lr.w {old}, ({word})", "add {old}, {old}, {value}",
                "sc.w {failed}, {old}, ({word})", "bnez {failed}, 2b", ".option pop",
                old = out(reg) _, failed = out(reg) _, value = in(reg) value,
                word = in(reg) self.0.get());
        }
    }

    /// Reserves the word; returns what is there.
    #[inline(always)]
    pub fn reserve(&self) -> u32 {
        let value;
        // SAFETY: the word is this one's own.
        unsafe {
            asm!(".option push", ".option arch, +a", "lr.w {}, ({})", ".option pop",
                out(reg) value, in(reg) self.0.get());
        }
        value
    }

    /// Stores if the word is still reserved; returns whether.
    #[inline(always)]
    pub fn store_reserved(&self, value: u32) -> bool {
        let failed: u32;
        // SAFETY: the word is this one's own.
        unsafe {
            asm!(".option push", ".option arch, +a", "sc.w {}, {}, ({})", ".option pop",
                out(reg) failed, in(reg) value, in(reg) self.0.get());
        }
        failed == 0
    }
}

#[inline(always)]
pub fn fence() {
    // SAFETY: it orders accesses.
    unsafe { asm!("fence rw, rw") };
}

#[inline(always)]
pub fn load(register: usize) -> u32 {
    let value;
    // SAFETY: registers lie outside RAM.
    unsafe { asm!("lw {}, 0({})", out(reg) value, in(reg) register) };
    value
}

#[inline(always)]
pub fn store(register: usize, value: u32) {
    // SAFETY: registers lie outside RAM.
    unsafe { asm!("sw {}, 0({})", in(reg) value, in(reg) register) };
}
