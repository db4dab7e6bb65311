//! The code at which threads start. A task goes on behind the call that completes its
//! job when it has the next one, with what functions preserve as it was, and the thread
//! of upcalls with the block and the body of the next.

use core::arch::global_asm;

// The kernel starts a thread with a0 = block (or control page) and a1 = body.
// `unimp` turns a call that is refused, or returns where it must not, into a fault.
global_asm!(
    ".pushsection .text.giornata_start, \"ax\", @progbits",
    ".globl giornata_start_task",
    ".type giornata_start_task, @function",
    "giornata_start_task:",
    "mv s0, a0",
    "mv s1, a1",
    "1:",
    "mv a0, s0",
    "jalr s1",
    "li a7, {complete}",
    "ecall",
    "beqz a0, 1b",
    "unimp",
    ".globl giornata_start_driver",
    ".type giornata_start_driver, @function",
    "giornata_start_driver:",
    "jalr a1",
    "li a7, {answer}",
    "ecall",
    "bnez a1, giornata_start_driver",
    "unimp",
    ".globl giornata_start_thread",
    ".type giornata_start_thread, @function",
    "giornata_start_thread:",
    "jalr a1",
    "li a7, {exit}",
    "ecall",
    "unimp",
    ".popsection",
    complete = const giornata_abi::call::Call::Complete as usize,
    answer = const giornata_abi::call::Call::Return as usize,
    exit = const giornata_abi::call::Call::Exit as usize,
);
