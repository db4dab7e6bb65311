//! Two processes that pass the processor to and fro: one keeps secrets in its
//! registers, the other looks for them in its own.

use core::arch::{asm, global_asm};

use giornata_rt::abi::call::Call;
use giornata_rt::{call, log, thread, yield_now};

const ROUNDS: u32 = 100;
const SECRET: u64 = 0x5EC2_E75E_C2E7_5EC2;

// hostile_keep(value, found): puts the value into every floating-point register,
// yields, and stores those that outlive a call. hostile_find(found) stores all.
//
// Values go through memory, because the integer registers may be narrower; the
// assembler is told of doubles, which a process may use whatever it is compiled
// for. Register n has its place at n * 8; addresses fit in 32 bits.
global_asm!(
    ".option push",
    ".option arch, +d",
    ".pushsection .text.hostile_floating, \"ax\", @progbits",
    ".macro ALL operation, base",
    ".irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31",
    "\\operation f\\n, \\n*8(\\base)",
    ".endr",
    ".endm",
    ".macro PRESERVED operation, base",
    ".irp n, 8,9,18,19,20,21,22,23,24,25,26,27",
    "\\operation f\\n, \\n*8(\\base)",
    ".endr",
    ".endm",
    "hostile_keep:",
    "addi sp, sp, -256",
    "PRESERVED fsd, sp",
    "sw a1, 0(sp)",
    "sw ra, 8(sp)",
    ".irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31",
    "fld f\\n, 0(a0)",
    ".endr",
    "li a7, {YIELD}",
    "ecall",
    "lw a1, 0(sp)",
    "lw ra, 8(sp)",
    "PRESERVED fsd, a1",
    "PRESERVED fld, sp",
    "addi sp, sp, 256",
    "ret",
    "hostile_find:",
    "ALL fsd, a0",
    "ret",
    ".popsection",
    ".option pop",
    YIELD = const Call::Yield as usize,
);

unsafe extern "C" {
    fn hostile_keep(value: &u64, found: &mut [u64; 32]);
    fn hostile_find(found: &mut [u64; 32]);
}

/// The registers that outlive a call.
const PRESERVED: [usize; 12] = [8, 9, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27];

/// Puts `value` into every floating-point register, yields without letting the
/// compiler touch one, and answers the callee-saved ones joined by and, and by or.
fn keep_over_a_yield(value: u64) -> (u64, u64) {
    let mut found = [0; 32];
    // SAFETY: the function keeps to the calling convention.
    unsafe { hostile_keep(&value, &mut found) };
    let kept = PRESERVED.map(|register| found[register]);
    let join = |start, with: fn(u64, u64) -> u64| kept.into_iter().fold(start, with);
    (join(u64::MAX, |a, b| a & b), join(0, |a, b| a | b))
}

/// All floating-point registers joined by or, as they are found.
fn found_in_registers() -> u64 {
    let mut found = [0; 32];
    // SAFETY: reads the registers only.
    unsafe { hostile_find(&mut found) };
    found.into_iter().fold(0, |any, register| any | register)
}

/// The temporary registers joined by or, as a system call leaves them that answers 0.
fn found_after_a_call() -> usize {
    let any: usize;
    // SAFETY: a call without arguments; what it may clobber is named.
    unsafe {
        asm!(
            "li a7, {YIELD}",
            "ecall",
            "or a0, a0, a1", "or a0, a0, a2", "or a0, a0, a3", "or a0, a0, a4", "or a0, a0, a5", "or a0, a0, a6",
            "or a0, a0, a7", "or a0, a0, t0", "or a0, a0, t1", "or a0, a0, t2", "or a0, a0, t3", "or a0, a0, t4",
            "or a0, a0, t5", "or a0, a0, t6",
            YIELD = const Call::Yield as usize,
            out("a0") any,
            clobber_abi("C"),
        )
    }
    any
}

/// Keeps a secret over every yield, and finds its own again.
#[thread]
pub(crate) fn keep_secrets() {
    for round in 0..ROUNDS {
        let (all, any) = keep_over_a_yield(SECRET ^ u64::from(round));
        if (all, any) != (SECRET ^ u64::from(round), SECRET ^ u64::from(round)) {
            log!("round {round}: lost {:x}", all ^ any);
        }
    }
    log!("kept its secrets");
}

/// Looks into its registers: at its start before it has used any, after system
/// calls, and over yields to the one with the secrets.
#[thread]
pub(crate) fn look_for_leaks() {
    // Lets the other one run first.
    yield_now();
    let _ = call::own();
    let called = found_after_a_call();
    log!("after a call {called:x}");
    // (where the kernel is built without floating point this ends the process)
    let first = found_in_registers();
    log!("floating {first:x}");
    for round in 0..ROUNDS {
        let (all, any) = keep_over_a_yield(round.into());
        if (all, any) != (round.into(), round.into()) {
            log!("round {round}: found {:x}", any ^ u64::from(round));
        }
    }
    log!("found nothing");
}
