//! The code at which threads start.

use core::arch::global_asm;

// The kernel starts a thread with a0 = block (or control page) and a1 = body.
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
    ".globl giornata_start_driver",
    ".type giornata_start_driver, @function",
    "giornata_start_driver:",
    "jalr a1",
    "li a7, {answer}",
    "ecall",
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
