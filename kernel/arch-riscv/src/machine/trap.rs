//! The way into the kernel and out of it.
//!
//! `mscratch` leads to the current thread's context (Scratch Invariant), whose
//! `hart` word is the hart's block, which is also the top of its stack. So the
//! entry needs no register but `sp` before it has saved one.

use core::arch::global_asm;
use core::mem::offset_of;

use giornata_abi::call::{Call, Request};
use giornata_core::Served;

use super::csr::{self, read, write};
use super::edge::Edge;
use super::hart::{HART, HartBlock, HartMemory};
use super::protection;
use crate::cause::USER_CALL;
use crate::context::{Context, kind};

global_asm!(
    // words of either width
    ".macro SAVE offset, register, base",
    ".if {WORD} == 8",
    "sd \\register, \\offset(\\base)",
    ".else",
    "sw \\register, \\offset(\\base)",
    ".endif",
    ".endm",
    ".macro LOAD offset, register, base",
    ".if {WORD} == 8",
    "ld \\register, \\offset(\\base)",
    ".else",
    "lw \\register, \\offset(\\base)",
    ".endif",
    ".endm",
    // slot n of a context is register n, slot 0 the pc
    ".macro SAVE_SLOTS base, slots:vararg",
    ".irp n, \\slots",
    "SAVE \\n*{WORD}, x\\n, \\base",
    ".endr",
    ".endm",
    ".macro LOAD_SLOTS base, slots:vararg",
    ".irp n, \\slots",
    "LOAD \\n*{WORD}, x\\n, \\base",
    ".endr",
    ".endm",
    // the arguments of a request
    ".macro SAVE_ARGUMENTS slots:vararg",
    ".irp n, \\slots",
    "SAVE {ARGUMENTS}+(\\n-10)*{WORD}, x\\n, sp",
    ".endr",
    ".endm",
    ".macro ZERO registers:vararg",
    ".irp n, \\registers",
    "li x\\n, 0",
    ".endr",
    ".endm",
    // what the hart, or the timer in its stead, counts
    ".macro CYCLES register",
    ".if {MCYCLE}",
    "csrr \\register, mcycle",
    ".else",
    "lui \\register, %hi(giornata_clint_time)",
    "lw \\register, %lo(giornata_clint_time)(\\register)",
    ".endif",
    ".endm",
    // what another thread has reserved is not this one's
    ".macro BREAK_RESERVATION_AT block",
    ".if {ATOMICS}",
    "addi \\block, \\block, {RESERVATION}",
    ".option push",
    ".option arch, +a",
    "sc.w zero, zero, (\\block)",
    ".option pop",
    ".endif",
    ".endm",
    ".macro BREAK_RESERVATION",
    ".if {ATOMICS}",
    "mv a3, sp",
    "BREAK_RESERVATION_AT a3",
    ".endif",
    ".endm",
    //
    ".pushsection .text.giornata_trap, \"ax\"",
    ".balign 4",
    "giornata_trap_entry:",
    "csrrw sp, mscratch, sp", // sp = context, mscratch = the thread's sp
    "beqz sp, 9f",
    "SAVE_SLOTS sp, 5",
    "csrr t0, mcause",
    "addi t0, t0, -{USER_CALL}",
    "bnez t0, 1f",
    "beqz a7, 6f",
    // a system call: what the ABI lets it clobber is dead, the arguments stay
    "CYCLES t0",
    "SAVE_SLOTS sp, 1",
    "csrr ra, mepc",
    "addi ra, ra, 4",
    "SAVE 0, ra, sp",
    "csrrw ra, mscratch, zero",
    "SAVE 2*{WORD}, ra, sp",
    "LOAD {HART}, sp, sp",
    "SAVE {ENTERED}, t0, sp",
    "li t0, {FIRST_OF_SERVICES}",
    "bltu a7, t0, 10f",
    // of the services: answered at once, the thread goes on
    "mv t0, sp",
    "addi sp, sp, -{REQUEST}",
    "SAVE {NUMBER}, a7, sp",
    "SAVE_ARGUMENTS 10, 11, 12, 13, 14, 15",
    "mv a0, t0",
    "mv a1, sp",
    "call {serve_now}",
    "li t0, {AT_ONCE}",
    "bne a0, t0, 15f",
    "addi sp, sp, {REQUEST}",
    "LOAD {CURRENT}, a0, sp",
    "LOAD {KIND}, a2, a0",
    "j 3f",
    // it may have led elsewhere
    "15:",
    "beqz a0, 16f",
    "addi sp, sp, {REQUEST}",
    "mv a0, sp",
    "call {go_elsewhere}",
    "j giornata_depart",
    // two without arguments that have short ways
    "10:",
    "li t0, {YIELD}",
    "bne a7, t0, 11f",
    "mv a0, sp",
    "call {yield_now}",
    "bnez a0, 17f",
    "li a7, {YIELD}",
    "11:",
    "li t0, {COMPLETE}",
    "bne a7, t0, 14f",
    "mv a0, sp",
    "call {complete_now}",
    "bnez a0, 17f",
    "li a7, {COMPLETE}",
    "14:",
    "addi sp, sp, -{REQUEST}",
    "SAVE {NUMBER}, a7, sp",
    "SAVE_ARGUMENTS 10, 11, 12, 13, 14, 15",
    // any other, and what has no short way now
    "16:",
    "addi a0, sp, {REQUEST}",
    "mv a1, sp",
    "call {call}",
    "addi sp, sp, {REQUEST}",
    "17:",
    "j giornata_depart",
    // an interrupt or an exception: everything but what Rust preserves
    "1:",
    "CYCLES t0",
    "SAVE_SLOTS sp, 1, 6, 7, 10, 11, 12, 13, 14, 15, 16, 17, 28, 29, 30, 31",
    "li a1, {FULL}",
    "SAVE {KIND}, a1, sp",
    "csrr a1, mepc",
    "SAVE 0, a1, sp",
    "csrrw a1, mscratch, zero",
    "SAVE 2*{WORD}, a1, sp",
    "LOAD {HART}, sp, sp",
    "SAVE {ENTERED}, t0, sp",
    "mv a0, sp",
    "csrr a1, mcause",
    "csrr a2, mtval",
    "call {trap}",
    // the way out: a0 = the context to leave for, sp = block
    ".globl giornata_depart",
    "giornata_depart:",
    "LOAD {CURRENT}, a1, sp",
    "LOAD {KIND}, a2, a0",
    "beq a0, a1, 3f",
    "SAVE {CURRENT}, a0, sp",
    "beqz a1, 2f",
    "SAVE_SLOTS a1, 3, 4, 8, 9, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27",
    "2:",
    "LOAD_SLOTS a0, 3, 4, 8, 9, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27",
    "BREAK_RESERVATION",
    "3:",
    // the kernel's time
    "CYCLES a3",
    "LOAD {ENTERED}, a4, sp",
    "LOAD {KERNEL_CYCLES}, a5, sp",
    "sub a3, a3, a4",
    "add a5, a5, a3",
    "SAVE {KERNEL_CYCLES}, a5, sp",
    ".if {WORD} == 4",
    "bltu a5, a3, 12f",
    "13:",
    ".endif",
    // from here sp = context
    "LOAD 0, a3, a0",
    "mv sp, a0",
    "csrw mscratch, a0",
    "csrw mepc, a3",
    "bnez a2, 4f",
    "ZERO 10, 11, 12, 13, 14, 15",
    "7:",
    "LOAD_SLOTS sp, 1, 2",
    "ZERO 5, 6, 7, 16, 17, 28, 29, 30, 31",
    "mret",
    // with an answer
    "4:",
    "li a3, {CALL}",
    "bne a2, a3, 8f",
    "LOAD_SLOTS sp, 10, 11, 12, 13, 14, 15",
    "j 7b",
    "8:",
    "addi a2, a2, -{FULL}",
    "bnez a2, 5f",
    "LOAD_SLOTS sp, 1, 5, 6, 7, 10, 11, 12, 13, 14, 15, 16, 17, 28, 29, 30, 31, 2",
    "mret",
    // the beginning of a thread
    "5:",
    "LOAD {HART}, a3, sp",
    "BREAK_RESERVATION_AT a3",
    "LOAD 12*{WORD}, tp, sp",
    "LOAD_SLOTS sp, 10, 11, 2",
    "ZERO 1, 3, 5, 6, 7, 8, 9, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31",
    "mret",
    // the word of the kernel's time was full
    ".if {WORD} == 4",
    "12:",
    "LOAD {GATHERED}+4, a3, sp",
    "addi a3, a3, 1",
    "SAVE {GATHERED}+4, a3, sp",
    "j 13b",
    ".endif",
    // the call that does nothing, and nothing has been touched
    "6:",
    "csrr t0, mepc",
    "addi t0, t0, 4",
    "csrw mepc, t0",
    "LOAD_SLOTS sp, 5",
    "ZERO 10, 11, 12, 13",
    "csrrw sp, mscratch, sp",
    "mret",
    // a trap out of the kernel: its frames are given up
    "9:",
    "csrw mscratch, zero",
    "la sp, {HART_MEMORY} + {BLOCK}",
    "mv a0, sp",
    "csrr a1, mcause",
    "csrr a2, mepc",
    "csrr a3, mtval",
    "call {bug}",
    ".popsection",
    WORD = const size_of::<usize>(),
    MCYCLE = const cfg!(feature = "mcycle") as usize,
    ATOMICS = const cfg!(feature = "atomics") as usize,
    USER_CALL = const USER_CALL,
    HART = const Context::HART,
    CURRENT = const HartBlock::CURRENT,
    ENTERED = const HartBlock::ENTERED,
    KERNEL_CYCLES = const HartBlock::KERNEL_CYCLES,
    GATHERED = const HartBlock::GATHERED,
    RESERVATION = const HartBlock::RESERVATION,
    BLOCK = const HartMemory::BLOCK,
    KIND = const Context::KIND,
    CALL = const kind::CALL,
    FULL = const kind::FULL,
    HART_MEMORY = sym HART,
    YIELD = const Call::Yield as usize,
    COMPLETE = const Call::Complete as usize,
    FIRST_OF_SERVICES = const Call::FIRST_OF_SERVICES,
    call = sym call,
    serve_now = sym serve_now,
    go_elsewhere = sym go_elsewhere,
    AT_ONCE = const Served::AtOnce as usize,
    REQUEST = const size_of::<Request>().next_multiple_of(STACK_ALIGNMENT),
    NUMBER = const offset_of!(Request, number),
    ARGUMENTS = const offset_of!(Request, arguments),
    yield_now = sym yield_now,
    complete_now = sym complete_now,
    trap = sym trap,
    bug = sym bug,
);

unsafe extern "C" {
    fn giornata_trap_entry();
}

/// What the calling convention keeps the stack pointer at.
const STACK_ALIGNMENT: usize = 16;

extern "C" fn call(hart: &'static HartBlock, request: &Request) -> &'static Context {
    // SAFETY: only one trap function runs at a time (Hart Invariant).
    let edge = unsafe { &mut *edge(hart) };
    edge.call(request)
}

/// A call of the services, by a short way.
extern "C" fn serve_now(hart: &'static HartBlock, request: &Request) -> Served {
    // SAFETY: only one trap function runs at a time (Hart Invariant).
    let edge = unsafe { &mut *edge(hart) };
    edge.serve_now(request)
}

/// What comes after one that changed something.
extern "C" fn go_elsewhere(hart: &'static HartBlock) -> &'static Context {
    // SAFETY: only one trap function runs at a time (Hart Invariant).
    let edge = unsafe { &mut *edge(hart) };
    edge.go_elsewhere()
}

/// The call `yield`, by a short way: the context of the thread that runs next,
/// or `None`, and nothing has happened, if there is none.
extern "C" fn yield_now(hart: &'static HartBlock) -> Option<&'static Context> {
    // SAFETY: only one trap function runs at a time (Hart Invariant).
    let edge = unsafe { &mut *edge(hart) };
    edge.yield_now()
}

/// The call `complete`, in the same way.
extern "C" fn complete_now(hart: &'static HartBlock) -> Option<&'static Context> {
    // SAFETY: only one trap function runs at a time (Hart Invariant).
    let edge = unsafe { &mut *edge(hart) };
    edge.complete_now()
}

extern "C" fn trap(hart: &'static HartBlock, mcause: usize, mtval: usize) -> &'static Context {
    // SAFETY: only one trap function runs at a time (Hart Invariant).
    let edge = unsafe { &mut *edge(hart) };
    edge.trap(mcause, mtval)
}

extern "C" fn bug(hart: &'static HartBlock, mcause: usize, pc: usize, mtval: usize) -> ! {
    // SAFETY: whoever used the edge before is never returned to (Hart Invariant).
    let edge = unsafe { &mut *edge(hart) };
    edge.trapped(mcause, pc, mtval)
}

/// Where the edge lies. Before boot it lies nowhere, and a trap is a bug that
/// nobody can be told of.
fn edge(hart: &'static HartBlock) -> *mut Edge {
    hart.edge.get().unwrap_or_else(|| csr::halt())
}

/// Prepares the hart for user mode: traps lead here, interrupts of timer and
/// controller wake it.
pub(super) fn prepare() {
    let status = read!("mstatus") & !(csr::FS | csr::MPP | csr::MPRV | csr::MIE) | csr::TW;
    // SAFETY: user mode next, without floating point (Owner Invariant).
    unsafe { write!("mstatus", status) };
    // SAFETY: 0 is right in the kernel (Scratch Invariant).
    unsafe { write!("mscratch", 0) };
    // SAFETY: the entry above is made for it, 4-byte aligned for direct mode.
    unsafe { write!("mtvec", giornata_trap_entry as *const () as usize) };
    // SAFETY: these two only; `mstatus` keeps them off in machine mode.
    unsafe { write!("mie", csr::TIMER | csr::EXTERNAL) };
    protection::prepare();
}
