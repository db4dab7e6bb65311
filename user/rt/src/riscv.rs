//! RV32 and RV64: the `ecall` and the restartable sequences. All assembly of a process
//! is in this file and in `start.rs`, each function with its call frame information.
//!
//! The kernel returns results in `a0..=a6`, keeps the callee-saved registers and zeroes
//! the rest of what the C calling convention lets a call clobber.

use core::arch::{asm, global_asm};

use giornata_abi::call::Call;
use giornata_abi::panic;

use crate::control::{ControlPage, Grants};

/// The instruction that stores a word.
#[cfg(target_pointer_width = "64")]
macro_rules! save {
    () => {
        "sd"
    };
}
/// The instruction that stores a word.
#[cfg(target_pointer_width = "32")]
macro_rules! save {
    () => {
        "sw"
    };
}

/// The instruction that loads a word.
#[cfg(target_pointer_width = "64")]
macro_rules! load {
    () => {
        "ld"
    };
}
/// The instruction that loads a word.
#[cfg(target_pointer_width = "32")]
macro_rules! load {
    () => {
        "lw"
    };
}
pub(crate) use {load, save};

// Instructions of 32 bits.
#[cfg(target_pointer_width = "64")]
macro_rules! word_wide {
    ($name:literal) => {
        concat!($name, "w ")
    };
}
#[cfg(target_pointer_width = "32")]
macro_rules! word_wide {
    ($name:literal) => {
        concat!($name, " ")
    };
}

// What is restartable lies in sections of this name, which the linker puts together, in
// blocks of 32 bytes: a thread that loses the processor in one, or is interrupted in one by a
// timeout, goes on at its beginning.
//
// The Restart Invariant: whatever of a block has been executed, but for its last
// instruction, may be executed again. So the store is the last instruction of a block, and
// what comes after it is the next one; a block is filled up before its first instruction.
//
// giornata_restartable_swap: a0 = word, a1 = expected, a2 = new; t0 = value found.
// giornata_restartable_take: a0 = word, whose low half counts; t2 > 0 if that was above 0, and
// is one less now.
// giornata_restartable_give: a0 = word; t2 = 1 if its low half was below its high half, and is
// one more now, else 0.
//
// They return to t1, and change t0, and the latter t2 and t3, and nothing else.
//
// giornata_restartable_put: a0 = messages; a2 to a5 are the last one now.
// giornata_restartable_get: a0 = messages; a2 to a5 = what was the first one.
//
// They return to t1, and change t0 and t2, and nothing else.
global_asm!(
    ".option push",
    ".option norvc",
    ".pushsection .text.giornata_restartable.swap, \"ax\", @progbits",
    ".globl giornata_restartable_swap",
    ".type giornata_restartable_swap, @function",
    ".balign 32",
    ".fill 5, 4, 0x13", // nop
    "giornata_restartable_swap:",
    ".cfi_startproc",
    ".cfi_register ra, t1",
    "lw t0, 0(a0)",
    // a branch to a name that others see would be a branch around a jump
    "bne t0, a1, 1f",
    "sw a2, 0(a0)",
    "1:",
    "jr t1",
    ".cfi_endproc",
    ".size giornata_restartable_swap, . - giornata_restartable_swap",
    ".popsection",
    ".pushsection .text.giornata_restartable.take, \"ax\", @progbits",
    ".globl giornata_restartable_take",
    ".type giornata_restartable_take, @function",
    ".balign 32",
    ".fill 3, 4, 0x13",
    "giornata_restartable_take:",
    ".cfi_startproc",
    ".cfi_register ra, t1",
    "lw t0, 0(a0)",
    concat!(word_wide!("slli"), "t2, t0, 16"),
    "blez t2, 1f",
    "addi t0, t0, -1",
    "sw t0, 0(a0)",
    "1:",
    "jr t1",
    ".cfi_endproc",
    ".size giornata_restartable_take, . - giornata_restartable_take",
    ".popsection",
    ".pushsection .text.giornata_restartable.give, \"ax\", @progbits",
    ".globl giornata_restartable_give",
    ".type giornata_restartable_give, @function",
    ".balign 32",
    "giornata_restartable_give:",
    ".cfi_startproc",
    ".cfi_register ra, t1",
    "lw t0, 0(a0)",
    concat!(word_wide!("slli"), "t2, t0, 16"),
    concat!(word_wide!("srli"), "t2, t2, 16"),
    concat!(word_wide!("srli"), "t3, t0, 16"),
    "sltu t2, t2, t3",
    "beqz t2, 1f",
    "addi t0, t0, 1",
    "sw t0, 0(a0)",
    "1:",
    "jr t1",
    ".cfi_endproc",
    ".size giornata_restartable_give, . - giornata_restartable_give",
    ".popsection",
    ".pushsection .text.giornata_restartable.put, \"ax\", @progbits",
    ".globl giornata_restartable_put",
    ".type giornata_restartable_put, @function",
    ".balign 32",
    "giornata_restartable_put:",
    ".cfi_startproc",
    ".cfi_register ra, t1",
    "lw t0, 4(a0)",
    "add t0, t0, a0",
    "sw a2, 4(t0)",
    "sw a3, 8(t0)",
    "sw a4, 12(t0)",
    "sw a5, 16(t0)",
    "lw t2, 0(t0)",
    "sw t2, 4(a0)",
    "jr t1",
    ".cfi_endproc",
    ".size giornata_restartable_put, . - giornata_restartable_put",
    ".popsection",
    ".pushsection .text.giornata_restartable.get, \"ax\", @progbits",
    ".globl giornata_restartable_get",
    ".type giornata_restartable_get, @function",
    ".balign 32",
    "giornata_restartable_get:",
    ".cfi_startproc",
    ".cfi_register ra, t1",
    "lw t0, 0(a0)",
    "add t0, t0, a0",
    "lw a2, 4(t0)",
    "lw a3, 8(t0)",
    "lw a4, 12(t0)",
    "lw a5, 16(t0)",
    "lw t2, 0(t0)",
    "sw t2, 0(a0)",
    "jr t1",
    ".cfi_endproc",
    ".size giornata_restartable_get, . - giornata_restartable_get",
    ".popsection",
    ".option pop",
);

/// Stores `new` where `expected` is found; returns what was found. Atomic
/// among threads of which one runs at a time. O(1) unless it loses the processor.
///
/// # Safety
/// `word` is aligned and shared through this function and volatile loads only.
#[inline(always)]
pub(crate) unsafe fn compare_and_swap(word: *mut u32, expected: u32, new: u32) -> u32 {
    let found: usize;
    // SAFETY: by the contract of this function; what the sequence changes is named.
    unsafe {
        asm!(
            "jal t1, giornata_restartable_swap",
            // as `lw` loads it where words are wider
            in("a0") word, in("a1") expected as i32 as isize, in("a2") new,
            lateout("t0") found, lateout("t1") _,
            options(nostack),
        );
    }
    found as u32
}

/// Takes one from a count in the low half of a word, if it is above 0 as a signed number;
/// returns whether. Atomic among threads of which one runs at a time. O(1) unless it loses the processor.
///
/// # Safety
/// As [`compare_and_swap`].
#[inline(always)]
pub(crate) unsafe fn take(word: *mut u32) -> bool {
    let count: isize;
    // SAFETY: by the contract of this function; what the sequence changes is named.
    unsafe {
        asm!(
            "jal t1, giornata_restartable_take",
            in("a0") word,
            lateout("t0") _, lateout("t1") _, lateout("t2") count,
            options(nostack),
        );
    }
    count > 0
}

/// Gives one to a count in the low half of a word, if it is below the high half; returns
/// whether. Atomic among threads of which one runs at a time. O(1) unless it loses the processor.
///
/// # Safety
/// As [`compare_and_swap`].
#[inline(always)]
pub(crate) unsafe fn give(word: *mut u32) -> bool {
    let is_given: usize;
    // SAFETY: by the contract of this function; what the sequence changes is named.
    unsafe {
        asm!(
            "jal t1, giornata_restartable_give",
            in("a0") word,
            lateout("t0") _, lateout("t1") _, lateout("t2") is_given, lateout("t3") _,
            options(nostack),
        );
    }
    is_given != 0
}

/// Makes a message the last one. Atomic among threads of which one runs at a time. O(1) unless it
/// loses the processor.
///
/// # Safety
/// `messages` leads to a `restartable::Ring`, shared through this function and [`get`] only,
/// with a place for the message.
#[inline(always)]
pub(crate) unsafe fn put(messages: *mut u32, [w0, w1, w2, w3]: [u32; 4]) {
    // SAFETY: by the contract of this function; what the sequence changes is named.
    unsafe {
        asm!(
            "jal t1, giornata_restartable_put",
            in("a0") messages, in("a2") w0, in("a3") w1, in("a4") w2, in("a5") w3,
            lateout("t0") _, lateout("t1") _, lateout("t2") _,
            options(nostack),
        );
    }
}

/// Takes the first message. Atomic among threads of which one runs at a time. O(1) unless it
/// loses the processor.
///
/// # Safety
/// As [`put`], with a message there.
#[inline(always)]
pub(crate) unsafe fn get(messages: *mut u32) -> [u32; 4] {
    let (w0, w1, w2, w3);
    // SAFETY: by the contract of this function; what the sequence changes is named.
    unsafe {
        asm!(
            "jal t1, giornata_restartable_get",
            in("a0") messages,
            lateout("a2") w0, lateout("a3") w1, lateout("a4") w2, lateout("a5") w3,
            lateout("t0") _, lateout("t1") _, lateout("t2") _,
            options(nostack),
        );
    }
    [w0, w1, w2, w3]
}

unsafe extern "C" {
    #[link_name = "GIORNATA_GRANTS"]
    pub(crate) safe static GRANTS: Grants;
}

/// Address of the trace ring; `None` if it is not granted.
pub(crate) fn trace_ring() -> Option<usize> {
    let address = GRANTS.trace_ring as usize;
    (address != 0).then_some(address)
}

/// Address and bytes of a device by its place in the system file; `None` if there is
/// none.
pub(crate) fn device(index: usize) -> Option<(u32, u32)> {
    let count = GRANTS.devices as usize;
    if index >= count {
        return None;
    }
    let first = (&raw const GRANTS).wrapping_add(1).cast::<u32>();
    // SAFETY: the builder lays so many addresses behind the head.
    let address = unsafe { first.wrapping_add(index).read() };
    // SAFETY: and as many lengths behind them.
    let bytes = unsafe { first.wrapping_add(count + index).read() };
    Some((address, bytes))
}

/// Address and bytes of the kernel's records; `None` if they are not granted.
pub(crate) fn kernel_records() -> Option<(u32, u32)> {
    if GRANTS.kernel_records == 0 {
        return None;
    }
    let behind = 2 * GRANTS.devices as usize;
    let first = (&raw const GRANTS).wrapping_add(1).cast::<u32>();
    // SAFETY: the builder lays their address behind the devices where they are granted.
    let address = unsafe { first.wrapping_add(behind).read() };
    Some((address, GRANTS.kernel_records))
}

/// Where the word at an offset of the control page lies from `tp`, which the kernel
/// lets point to the end of the page when a thread begins.
pub(crate) const fn back(offset: usize) -> isize {
    offset as isize - size_of::<ControlPage>() as isize
}

/// Where the control page of the thread that runs lies. O(1).
#[inline(always)]
pub(crate) fn page() -> *mut u8 {
    let page: *mut u8;
    // SAFETY: nothing but a register is read.
    unsafe {
        asm!(
            "addi {page}, tp, {BACK}",
            page = lateout(reg) page,
            BACK = const back(0),
            options(nostack, nomem, preserves_flags),
        );
    }
    page
}

/// The word at an offset of the control page of the thread that runs. O(1).
#[inline(always)]
pub(crate) fn page_word<const OFFSET: usize>() -> u32 {
    let word: usize;
    // SAFETY: the page is there as long as the thread.
    unsafe {
        asm!(
            "lw {word}, {BACK}(tp)",
            word = lateout(reg) word,
            BACK = const back(OFFSET),
            options(nostack, readonly, preserves_flags),
        );
    }
    word as u32
}

/// Sets the word at an offset of the control page of the thread that runs: one that is
/// the thread's to write. O(1).
#[inline(always)]
pub(crate) fn set_page_word<const OFFSET: usize>(word: u32) {
    // SAFETY: the page is the thread's own.
    unsafe {
        asm!(
            "sw {word}, {BACK}(tp)",
            word = in(reg) word as usize,
            BACK = const back(OFFSET),
            options(nostack, preserves_flags),
        );
    }
}

/// A call without arguments and with four results at most.
#[inline(always)]
pub(crate) fn enter0(number: usize) -> [usize; 5] {
    let (a0, a1, a2, a3, a4);
    // SAFETY: the kernel writes registers only; those it may clobber are named.
    unsafe {
        asm!(
            "ecall",
            in("a7") number,
            lateout("a0") a0, lateout("a1") a1, lateout("a2") a2, lateout("a3") a3,
            lateout("a4") a4,
            clobber_abi("C"),
            options(nostack),
        );
    }
    [a0, a1, a2, a3, a4]
}

/// A call with up to three arguments and results.
#[inline(always)]
pub(crate) fn enter3(number: usize, [x, y, z]: [usize; 3]) -> [usize; 4] {
    let (a0, a1, a2, a3);
    // SAFETY: as `enter0`; memory that the kernel writes is the caller's buffer,
    // whose address was exposed, and the block is not marked `nomem`.
    unsafe {
        asm!(
            "ecall",
            in("a7") number,
            inlateout("a0") x => a0, inlateout("a1") y => a1, inlateout("a2") z => a2,
            lateout("a3") a3,
            clobber_abi("C"),
            options(nostack),
        );
    }
    [a0, a1, a2, a3]
}

/// A call with all six arguments, and all seven results.
#[inline(always)]
pub(crate) fn enter6(number: usize, [x, y, z, u, v, w]: [usize; 6]) -> [usize; 7] {
    let (a0, a1, a2, a3, a4, a5, a6);
    // SAFETY: as `enter3`.
    unsafe {
        asm!(
            "ecall",
            in("a7") number,
            inlateout("a0") x => a0, inlateout("a1") y => a1, inlateout("a2") z => a2,
            inlateout("a3") u => a3,
            inlateout("a4") v => a4, inlateout("a5") w => a5,
            lateout("a6") a6,
            clobber_abi("C"),
            options(nostack),
        );
    }
    [a0, a1, a2, a3, a4, a5, a6]
}

/// `Panic` with a note, of which this fills in the registers; `bytes` from it on are
/// told. See [`giornata_abi::panic`].
#[inline(always)]
pub(crate) fn leave_with_note(note: &mut [usize; panic::WORDS], bytes: usize) -> ! {
    // SAFETY: the words of the note are written, and control does not come back.
    unsafe {
        asm!(
            "auipc t0, 0",
            concat!(save!(), " t0, {PC}*{WORD}(a0)"),
            concat!(save!(), " sp, {SP}*{WORD}(a0)"),
            concat!(save!(), " ra, {RA}*{WORD}(a0)"),
            "ecall",
            "unimp",
            WORD = const size_of::<usize>(),
            PC = const panic::word::PC,
            SP = const panic::word::SP,
            RA = const panic::word::RA,
            in("a7") Call::Panic as usize,
            in("a0") note.as_mut_ptr().expose_provenance(), in("a1") bytes, in("a2") panic::NOTE,
            options(noreturn),
        );
    }
}

/// Goes on with `body` on the stack that ends at `top`.
///
/// # Safety
/// The stack is the calling thread's alone, and `top` is a multiple of 16.
pub(crate) unsafe fn go_on(top: usize, body: extern "C" fn(usize) -> !) -> ! {
    // SAFETY: by contract; control does not come back, so nothing of the old stack is used.
    unsafe {
        asm!(
            "mv sp, a0",
            "li ra, 0",
            "jr a1",
            in("a0") top, in("a1") body as *const () as usize,
            options(noreturn),
        );
    }
}

/// A call that does not return; should the kernel refuse it, the thread faults.
#[inline(always)]
pub(crate) fn leave(number: usize, [x, y, z]: [usize; 3]) -> ! {
    // SAFETY: control does not come back.
    unsafe {
        asm!(
            "ecall",
            "unimp",
            in("a7") number, in("a0") x, in("a1") y, in("a2") z,
            options(noreturn, nostack),
        );
    }
}
