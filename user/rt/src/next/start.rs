//! RV32 and RV64: where tasks begin, and how a job ends before its body.

use core::arch::{asm, global_asm};

use giornata_abi::call::Call;

use crate::call;

#[cfg(target_pointer_width = "32")]
macro_rules! word {
    ($load_or_store:literal, $register:literal, $offset:literal) => {
        concat!($load_or_store, "w ", $register, ", ", $offset, "(sp)")
    };
}
#[cfg(target_pointer_width = "64")]
macro_rules! word {
    ($load_or_store:literal, $register:literal, $offset:literal) => {
        concat!($load_or_store, "d ", $register, ", ", $offset, "(sp)")
    };
}

// The kernel starts a task with a0 = block and a1 = body, on an empty stack, and again
// when it has stopped a job. A call that completes a job returns when the next one
// begins, so the arguments lie where the stack begins: there a body that completes
// its job itself leads back to.
global_asm!(
    ".pushsection .text.giornata_start, \"ax\", @progbits",
    ".globl giornata_start_task",
    ".type giornata_start_task, @function",
    "giornata_start_task:",
    "addi sp, sp, -16",
    word!("s", "a0", "0"),
    word!("s", "a1", "8"),
    "1:",
    word!("l", "a0", "0"),
    word!("l", "a1", "8"),
    "jalr a1",
    "giornata_complete:",
    "li a7, {complete}",
    "ecall",
    "j 1b",
    ".popsection",
    complete = const Call::Complete as usize,
);

/// Ends the job of the calling task, which has its arguments below the end of its stack.
pub(crate) fn complete() -> ! {
    let end = call::own().map_or(0, |(_, stack, size)| stack.wrapping_add(size));
    // SAFETY: what is on the stack is left for good, and the start code needs nothing
    // else than its own words.
    unsafe {
        asm!(
            "addi sp, {end}, -16",
            "tail giornata_complete",
            end = in(reg) end,
            options(noreturn),
        );
    }
}
