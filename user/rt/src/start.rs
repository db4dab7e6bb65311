//! RV32 and RV64: where tasks begin, and how a job ends before its body.

use core::arch::global_asm;

use giornata_abi::call::Call;

use crate::riscv;

// The kernel starts each job with a0 = block and a1 = body, on an empty stack.
// `unimp` turns a kernel that returns from a call without return into a fault.
global_asm!(
    ".pushsection .text.giornata_start, \"ax\", @progbits",
    ".globl giornata_start_task",
    ".type giornata_start_task, @function",
    "giornata_start_task:",
    "jalr a1",
    "li a7, {complete}",
    "ecall",
    "unimp",
    ".popsection",
    complete = const Call::Complete as usize,
);

/// Ends the job of the calling task.
pub(crate) fn complete() -> ! {
    riscv::leave(Call::Complete as usize, [0; 3])
}
