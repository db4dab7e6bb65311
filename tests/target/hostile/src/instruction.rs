//! Instructions that a process has no business with. The only assembly of the
//! suite but for floating point; the encodings of registers and hypervisor
//! instructions are spelt out, so that no extension need be known to the
//! assembler but that of atomics.

use core::arch::{asm, global_asm};

use giornata_rt::abi::call::Call;

/// Loads a word.
pub(crate) unsafe fn load(address: usize) {
    // SAFETY: the caller's affair.
    unsafe { asm!("lw {0}, 0({1})", out(reg) _, in(reg) address) }
}

/// Stores a word.
pub(crate) unsafe fn store(address: usize) {
    // SAFETY: the caller's affair.
    unsafe { asm!("sw zero, 0({0})", in(reg) address) }
}

/// Adds atomically.
pub(crate) unsafe fn add(address: usize) {
    // SAFETY: the caller's affair.
    unsafe {
        asm!(
            ".option push", ".option arch, +a",
            "amoadd.w {0}, {0}, ({1})",
            ".option pop",
            inout(reg) 1 => _, in(reg) address,
        )
    }
}

/// Loads with a reservation.
pub(crate) unsafe fn reserve(address: usize) {
    // SAFETY: the caller's affair.
    unsafe {
        asm!(
            ".option push", ".option arch, +a",
            "lr.w {0}, ({1})",
            ".option pop",
            out(reg) _, in(reg) address,
        )
    }
}

/// Calls what lies there.
pub(crate) unsafe fn jump(address: usize) {
    // SAFETY: the caller's affair.
    unsafe { asm!("jalr {0}", in(reg) address, clobber_abi("C")) }
}

macro_rules! instructions {
    ($($name:literal: $($text:literal)* $(=> $call:ident)?;)*) => {
        /// Attacks of a few instructions each, with what they try. `{call}`: the number of
        /// a call.
        pub(crate) static INSTRUCTIONS: &[(&str, fn())] = &[$(($name, {
            fn run() {
                // SAFETY: none; that this hurts nobody else is what is tested.
                unsafe {
                    asm!(
                        ".option push", ".option arch, +a",
                        $($text,)*
                        ".option pop",
                        $(call = const Call::$call as usize,)?
                        clobber_abi("C"),
                    )
                }
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
    "misaligned atomic": "addi t0, sp, -61" "amoadd.w t1, t1, (t0)";
    "misaligned reservation": "addi t0, sp, -61" "lr.w t1, (t0)";
    "store without a reservation to the kernel": "li t0, 0x80000000" "sc.w t1, t1, (t0)";
    "stack pointer in the kernel, system call, then a push":
        "mv t0, sp" "li sp, 0x80020000" "li a7, {call}" "ecall" "sw t0, -8(sp)" => Null;
    "stack pointer null, then a push": "li sp, 0" "sw ra, -8(sp)";
    "push for ever": "2:" "addi sp, sp, -16" "sw ra, 0(sp)" "j 2b";
    "step over the guard": "li t0, 0x100000" "sub sp, sp, t0" "sw ra, 0(sp)";
    "gp and tp in the kernel, then a system call":
        "li gp, 0x80000000" "li tp, 0x80000000" "li a7, {call}" "ecall" "sw zero, 0(tp)" => Null;
    "complete a job that is none": "li a7, {call}" "ecall" "li t0, 0" "jr t0" => Complete;
    "return from an upcall that is none": "li a7, {call}" "ecall" "li t0, 0" "jr t0" => Return;
    "panic with a message": "la a0, hostile_message" "li a1, 20" "li a2, 1" "li a7, {call}" "ecall" => Panic;
    "panic with a message in the kernel": "li a0, 0x80000000" "li a1, 64" "li a2, 1" "li a7, {call}" "ecall" => Panic;
    "panic with a message without end": "la a0, hostile_message" "li a1, -1" "li a2, -1" "li a7, {call}" "ecall" => Panic;
    "panic with a message around the end": "li a0, -8" "li a1, 64" "li a7, {call}" "ecall" => Panic;
}

global_asm!(
    ".pushsection .rodata.hostile, \"a\", @progbits",
    "hostile_message:",
    ".rept 16",
    ".ascii \"a hostile message. \"",
    ".endr",
    ".popsection",
);

/// A control and status register: its name, what reads it, what writes it.
pub(crate) type Register = (&'static str, fn(), fn());

macro_rules! registers {
    ($($name:literal = $number:literal),* $(,)?) => {
        /// The control and status registers that are tried.
        pub(crate) static REGISTERS: &[Register] = &[$(($name, {
            fn read() {
                // SAFETY: none; that this hurts nobody else is what is tested.
                unsafe { asm!(concat!(".word (", $number, " << 20) | 0x22F3"), out("t0") _) }
            }
            read
        }, {
            fn write() {
                // SAFETY: none; that this hurts nobody else is what is tested.
                unsafe { asm!(concat!(".word (", $number, " << 20) | 0x1073")) }
            }
            write
        }),)*];
    };
}

registers! {
    "fflags" = 0x001, "frm" = 0x002, "fcsr" = 0x003,
    "ustatus" = 0x000, "uie" = 0x004, "utvec" = 0x005, "vstart" = 0x008, "seed" = 0x015,
    "cycle" = 0xC00, "time" = 0xC01, "instret" = 0xC02, "hpmcounter3" = 0xC03, "hpmcounter31" = 0xC1F,
    "sstatus" = 0x100, "sie" = 0x104, "stvec" = 0x105, "scounteren" = 0x106, "senvcfg" = 0x10A,
    "sscratch" = 0x140, "sepc" = 0x141, "scause" = 0x142, "stval" = 0x143, "sip" = 0x144, "satp" = 0x180,
    "vsstatus" = 0x200, "vsatp" = 0x280, "hstatus" = 0x600, "hedeleg" = 0x602, "hgatp" = 0x680,
    "mstatus" = 0x300, "misa" = 0x301, "medeleg" = 0x302, "mideleg" = 0x303, "mie" = 0x304, "mtvec" = 0x305,
    "mcounteren" = 0x306, "menvcfg" = 0x30A, "mcountinhibit" = 0x320, "mhpmevent3" = 0x323,
    "mscratch" = 0x340, "mepc" = 0x341, "mcause" = 0x342, "mtval" = 0x343, "mip" = 0x344,
    "pmpcfg0" = 0x3A0, "pmpcfg2" = 0x3A2, "pmpaddr0" = 0x3B0, "pmpaddr15" = 0x3BF, "pmpaddr63" = 0x3EF,
    "mseccfg" = 0x747, "tselect" = 0x7A0, "tdata1" = 0x7A1, "dcsr" = 0x7B0, "dpc" = 0x7B1, "dscratch0" = 0x7B2,
    "mcycle" = 0xB00, "minstret" = 0xB02, "custom user" = 0x800, "custom supervisor" = 0x5C0,
    "custom machine" = 0xBC0, "mvendorid" = 0xF11, "marchid" = 0xF12, "mimpid" = 0xF13, "mhartid" = 0xF14,
    "the last" = 0xFFF,
}
