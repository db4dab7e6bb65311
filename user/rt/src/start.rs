//! The code at which threads start. A task goes on behind the call that completes its
//! job when it has the next one, with what functions preserve as it was, and the thread
//! of upcalls with the block and the body of the next.
//!
//! In a process with thread-local variables, threads start at code that gives these their
//! initial values first, and their control page what the word of a mutex says of them. The
//! linker leaves it out of the others.

use core::arch::global_asm;
use core::mem::offset_of;

use giornata_abi::control::ControlPage;

use crate::riscv::back;

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

// Variables lie where tp leads; the builder says what they are at first. All registers
// but a0, a1, sp, gp and tp are free.
global_asm!(
    ".pushsection .text.giornata_start_local, \"ax\", @progbits",
    ".globl giornata_start_local_task",
    ".type giornata_start_local_task, @function",
    "giornata_start_local_task:",
    "lla t4, giornata_start_task",
    "j 1f",
    ".globl giornata_start_local_driver",
    ".type giornata_start_local_driver, @function",
    "giornata_start_local_driver:",
    "lla t4, giornata_start_driver",
    "j 1f",
    ".globl giornata_start_local_thread",
    ".type giornata_start_local_thread, @function",
    "giornata_start_local_thread:",
    "lla t4, giornata_start_thread",
    "1:",
    "lla t0, __giornata_locals",
    "lla t1, __giornata_locals_end",
    "lui t2, %hi(__giornata_locals_bytes)",
    "addi t2, t2, %lo(__giornata_locals_bytes)",
    "add t2, t2, tp",
    "mv t3, tp",
    "beq t0, t1, 3f",
    "2:",
    "lw t5, 0(t0)",
    "addi t0, t0, 4",
    "sw t5, 0(t3)",
    "addi t3, t3, 4",
    "bne t0, t1, 2b",
    "3:",
    "beq t3, t2, 5f",
    "4:",
    "sw zero, 0(t3)",
    "addi t3, t3, 4",
    "bne t3, t2, 4b",
    "5:",
    "lw t0, {slot}(tp)",
    "lw t1, {serial}(tp)",
    "lui t2, {locked}",
    "slli t1, t1, 16",
    "or t0, t0, t2",
    "or t0, t0, t1",
    "sw t0, {word}(tp)",
    "jr t4",
    ".popsection",
    slot = const back(offset_of!(ControlPage, slot)),
    serial = const back(offset_of!(ControlPage, serial)),
    word = const back(offset_of!(ControlPage, word)),
    locked = const giornata_abi::word::LOCKED >> 12,
);

const _: () = assert!(giornata_abi::word::LOCKED.is_multiple_of(1 << 12));
