//! Instructions that a process has no business with. The only assembly of the
//! suite; the encodings of registers and hypervisor instructions are spelt out,
//! so that no extension need be known to the assembler.

use core::arch::{asm, global_asm};

/// Loads a double word.
pub(crate) unsafe fn load(address: usize) {
    // SAFETY: the caller's affair.
    unsafe { asm!("ld {0}, 0({1})", out(reg) _, in(reg) address) }
}

/// Stores a double word.
pub(crate) unsafe fn store(address: usize) {
    // SAFETY: the caller's affair.
    unsafe { asm!("sd zero, 0({0})", in(reg) address) }
}

/// Adds atomically.
pub(crate) unsafe fn add(address: usize) {
    // SAFETY: the caller's affair.
    unsafe { asm!("amoadd.d {0}, {0}, ({1})", inout(reg) 1 => _, in(reg) address) }
}

/// Loads with a reservation.
pub(crate) unsafe fn reserve(address: usize) {
    // SAFETY: the caller's affair.
    unsafe { asm!("lr.d {0}, ({1})", out(reg) _, in(reg) address) }
}

/// Calls what lies there.
pub(crate) unsafe fn jump(address: usize) {
    // SAFETY: the caller's affair.
    unsafe { asm!("jalr {0}", in(reg) address, clobber_abi("C")) }
}

macro_rules! instructions {
    ($($name:literal: $($text:literal)*;)*) => {
        /// Attacks of a few instructions each, with what they try.
        pub(crate) static INSTRUCTIONS: &[(&str, fn())] = &[$(($name, {
            fn run() {
                // SAFETY: none; that this hurts nobody else is what is tested.
                unsafe { asm!($($text,)* clobber_abi("C")) }
            }
            run
        }),)*];
    };
}

instructions! {
    "return to machine mode": "mret";
    "return to supervisor mode": "sret";
    "return from user trap": ".word 0x00200073";
    "wait for an interrupt": "wfi";
    "flush address translation": "sfence.vma";
    "flush guest translation": ".word 0x22000073";
    "load through the hypervisor": ".word 0x60004073";
    "read mstatus": "csrr t0, mstatus";
    "switch interrupts off": "csrci mstatus, 8";
    "mask interrupts": "csrw mie, zero";
    "take the trap vector": "csrw mtvec, zero";
    "take the kernel's scratch": "csrrw t0, mscratch, zero";
    "take over the address space": "csrw satp, zero";
    "open physical memory": "li t0, -1" "csrw pmpaddr0, t0" "csrw pmpcfg0, t0";
    "delegate faults": "li t0, -1" "csrw medeleg, t0";
    "read the hart's number": "csrr t0, mhartid";
    "read the timer": "rdtime t0";
    "write the cycle counter": "csrw mcycle, zero";
    "write a read-only counter": ".word 0xC0001073";
    "switch floating point on": "li t0, 0x6000" "csrs mstatus, t0";
    "switch floating point on by sstatus": "li t0, 0x6000" "csrs sstatus, t0";
    "enter the debugger": "ebreak";
    "enter debug mode": "csrr t0, dcsr";
    "all zeros": ".half 0" ".half 0";
    "all ones": ".word 0xFFFFFFFF";
    "a reserved encoding": ".word 0x0000007F";
    "misaligned atomic": "addi t0, sp, -61" "amoadd.d t1, t1, (t0)";
    "misaligned reservation": "addi t0, sp, -61" "lr.d t1, (t0)";
    "store without a reservation to the kernel": "li t0, 0x80000000" "sc.d t1, t1, (t0)";
    "stack pointer in the kernel, system call, then a push":
        "mv t0, sp" "li sp, 0x80020000" "li a7, 0" "ecall" "sd t0, -8(sp)";
    "stack pointer null, then a push": "li sp, 0" "sd ra, -8(sp)";
    "push for ever": "2:" "addi sp, sp, -16" "sd ra, 0(sp)" "j 2b";
    "step over the guard": "li t0, 0x100000" "sub sp, sp, t0" "sd ra, 0(sp)";
    "gp and tp in the kernel, then a system call":
        "li gp, 0x80000000" "li tp, 0x80000000" "li a7, 0" "ecall" "sd zero, 0(tp)";
    "complete a job that is none": "li a7, 3" "ecall" "li t0, 0" "jr t0";
    "return from an upcall that is none": "li a7, 4" "ecall" "li t0, 0" "jr t0";
    "panic with a message in the kernel": "li a0, 0x80000000" "li a1, 64" "li a2, 1" "li a7, 13" "ecall";
    "panic with a message without end": "mv a0, sp" "li a1, -1" "li a2, -1" "li a7, 13" "ecall";
    "panic with a message around the end": "li a0, -8" "li a1, 64" "li a7, 13" "ecall";
}

/// How many control and status registers there may be.
pub(crate) const REGISTERS: usize = 4096;

// Two instructions a register: csrr a0, n (or csrw n, zero); ret.
global_asm!(
    ".pushsection .text.registers, \"ax\", @progbits",
    ".balign 8",
    ".option push",
    ".option norvc",
    "hostile_read_registers:",
    ".set register, 0",
    ".rept {count}",
    ".word (register << 20) | 0x2573",
    "ret",
    ".set register, register + 1",
    ".endr",
    "hostile_write_registers:",
    ".set register, 0",
    ".rept {count}",
    ".word (register << 20) | 0x1073",
    "ret",
    ".set register, register + 1",
    ".endr",
    ".option pop",
    ".popsection",
    count = const REGISTERS,
);

unsafe extern "C" {
    fn hostile_read_registers();
    fn hostile_write_registers();
}

/// Reads a register; comes back if it may. Floating point is left alone: it is
/// the process's own.
pub(crate) fn read_register(register: usize) {
    call_entry(hostile_read_registers as *const () as usize, register);
}

/// Writes zero to a register; comes back if it may.
pub(crate) fn write_register(register: usize) {
    call_entry(hostile_write_registers as *const () as usize, register);
}

fn call_entry(table: usize, register: usize) {
    // SAFETY: an entry of the table above, which clobbers `a0` at most.
    unsafe { jump(table + 8 * (register % REGISTERS)) }
}
