//! Two processes that pass the processor to and fro: one keeps secrets in its
//! registers, the other looks for them in its own.

use core::arch::asm;

use giornata_rt::{call, log, thread, yield_now};

const ROUNDS: u32 = 100;
const SECRET: u64 = 0x5EC2_E75E_C2E7_5EC2;

macro_rules! each_floating {
    ($do:ident) => {
        $do!(
            "f0" "f1" "f2" "f3" "f4" "f5" "f6" "f7" "f8" "f9" "f10" "f11" "f12" "f13" "f14" "f15" "f16" "f17" "f18"
            "f19" "f20" "f21" "f22" "f23" "f24" "f25" "f26" "f27" "f28" "f29" "f30" "f31"
        )
    };
}

/// Puts `value` into every floating-point register, yields without letting the
/// compiler touch one, and answers the callee-saved ones joined by and, and by or.
fn keep_over_a_yield(value: u64) -> (u64, u64) {
    let (mut all, mut any): (u64, u64) = (u64::MAX, 0);
    macro_rules! fill {
        ($($register:tt)*) => {
            // SAFETY: every register that changes is named.
            unsafe {
                asm!(
                    $(concat!("fmv.d.x ", $register, ", {value}"),)*
                    "li a7, 1",
                    "ecall",
                    // fs0, fs1, fs2..fs11 outlive a call
                    "fmv.x.d t1, fs0", "and {all}, {all}, t1", "or {any}, {any}, t1",
                    "fmv.x.d t1, fs1", "and {all}, {all}, t1", "or {any}, {any}, t1",
                    "fmv.x.d t1, fs2", "and {all}, {all}, t1", "or {any}, {any}, t1",
                    "fmv.x.d t1, fs7", "and {all}, {all}, t1", "or {any}, {any}, t1",
                    "fmv.x.d t1, fs11", "and {all}, {all}, t1", "or {any}, {any}, t1",
                    value = in(reg) value, all = inout(reg) all, any = inout(reg) any,
                    out("a0") _, out("a1") _, out("a2") _, out("a3") _, out("a4") _, out("a5") _, out("a6") _,
                    out("a7") _, out("t0") _, out("t1") _, out("t2") _, out("t3") _, out("t4") _, out("t5") _,
                    out("t6") _,
                    $(out($register) _,)*
                )
            }
        };
    }
    each_floating!(fill);
    (all, any)
}

/// All floating-point registers joined by or, as they are found.
fn found_in_registers() -> u64 {
    let mut any: u64 = 0;
    macro_rules! gather {
        ($($register:tt)*) => {
            // SAFETY: reads the registers only.
            unsafe {
                asm!(
                    $(concat!("fmv.x.d {one}, ", $register), "or {any}, {any}, {one}",)*
                    one = out(reg) _, any = inout(reg) any,
                )
            }
        };
    }
    each_floating!(gather);
    any
}

/// The temporary registers joined by or, as a system call leaves them.
fn found_after_a_call() -> u64 {
    let any: u64;
    // SAFETY: a call that does nothing; what it may clobber is named.
    unsafe {
        asm!(
            "li a7, {null}",
            "ecall",
            "or a0, a0, a1", "or a0, a0, a2", "or a0, a0, a3", "or a0, a0, a4", "or a0, a0, a5", "or a0, a0, a6",
            "or a0, a0, a7", "or a0, a0, t0", "or a0, a0, t1", "or a0, a0, t2", "or a0, a0, t3", "or a0, a0, t4",
            "or a0, a0, t5", "or a0, a0, t6",
            null = const 0,
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
    let first = found_in_registers();
    let _ = call::null();
    let called = found_after_a_call();
    log!("floating {first:x}, after a call {called:x}");
    for round in 0..ROUNDS {
        let (all, any) = keep_over_a_yield(round.into());
        if (all, any) != (round.into(), round.into()) {
            log!("round {round}: found {:x}", any ^ u64::from(round));
        }
    }
    log!("found nothing");
}
