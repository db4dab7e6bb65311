//! The trap path: into the kernel, and out of it.
//!
//! `mscratch` is the running thread (Scratch Invariant), whose record has room for its
//! registers. `tp` of a thread is a constant, so the entry has a register at
//! once and swaps nothing; in the kernel `tp` is the thread that was entered from.
//! The hart's stack ends where its record begins (Stack Invariant): `sp` is both, and
//! because functions preserve it, no other base register is ever loaded.
//!
//! A system call is a function call: arguments and callee-saved registers are as they
//! were in user mode, the rest is the callee's, and is zero when the caller goes on.
//! Callee-saved registers are spilled only where the thread changes.
//!
//! The cores for which cycles count predict forward branches not taken and hide one
//! instruction behind each store: rare branches lead forward, and loads and what is
//! no store stand between stores.

use core::arch::global_asm;
use core::mem::offset_of;

use giornata_abi::Error;
use giornata_abi::call::Call;
use giornata_abi::{control, posix};
use giornata_core::sched::limit;
use giornata_core::sched::thread::kind;
use giornata_core::trace::reason;
use giornata_core::{Handler, Outcome, Process, Ref, System, Thread, calls};

use super::boot::{own, system};
use super::space::word;
use super::{Riscv, csr, fault, record};
use crate::board::{CLINT, CYCLES_ARE_TICKS, RECORDS};
use crate::clock::TIME;

/// The dispatch of system calls.
#[unsafe(link_section = ".rodata.giornata_calls")]
static CALLS: [Handler; Call::TABLE] = calls::table::<Riscv>();

// one block, so that the macros of the first file are known to the others
global_asm!(
    include_str!("words.s"),
    include_str!("lock.s"),
    include_str!("trap.s"),
    include_str!("memory.s"),
    include_str!("frames.s"),
    WORD = const size_of::<usize>(),
    REGIONS = const cfg!(feature = "regions") as usize,
    PMP_CACHE = const cfg!(feature = "pmp-cache") as usize,
    ATOMICS = const cfg!(feature = "atomics") as usize,
    FLOATING = const cfg!(feature = "floating") as usize,
    MCYCLE = const CYCLES_ARE_TICKS as usize,
    TIME = const cfg!(feature = "time") as usize,
    MTIME = const CLINT + TIME,
    // the hart
    HARTS = const cfg!(feature = "harts") as usize,
    KERNEL = const RECORDS,
    HART = const record::HART,
    LOCK = const record::LOCK,
    HERE = const record::HERE,
    CHANGED = const record::CHANGED,
    KICKED = const record::KICKED,
    KICK = const csr::KICK,
    assign = sym assign,
    on_kick = sym on_kick,
    SINCE = const record::SINCE,
    WRITTEN = const offset_of!(System, trace.written),
    MASK = const offset_of!(System, trace.mask),
    RING = const offset_of!(System, trace.ring),
    LOADED = const record::LOADED,
    FIRST = const offset_of!(System, first),
    DONOR = const record::DONOR,
    ALARM = const record::ALARM,
    RESERVATION = const record::OWN + own::RESERVATION * size_of::<usize>(),
    // a thread
    THREAD_PC = const offset_of!(Thread, context.pc),
    THREAD_SP = const offset_of!(Thread, context.sp),
    THREAD_TP = const offset_of!(Thread, context.tp),
    THREAD_GP = const offset_of!(Thread, context.gp),
    THREAD_A = const offset_of!(Thread, context.a),
    THREAD_S = const offset_of!(Thread, context.s),
    THREAD_RA = const offset_of!(Thread, context.ra),
    THREAD_T = const offset_of!(Thread, context.t),
    KIND = const offset_of!(Thread, kind),
    STACK = const offset_of!(Thread, stack),
    CONTROL = const offset_of!(Thread, control),
    PROCESS = const offset_of!(Thread, process),
    SPENT = const offset_of!(Thread, spent),
    LIMIT = const offset_of!(Thread, limit),
    SPENT_HIGH = const offset_of!(Thread, spent_high),
    LABEL = const offset_of!(Thread, label),
    // its control page
    CEILING = const control::CEILING,
    NEXT_LOCK = const control::NEXT_LOCK,
    // a process
    LIFE = const offset_of!(Process, life),
    REAPER = const offset_of!(Process, reaper),
    SPACE = const offset_of!(Process, space),
    SPACE_WIDE = const word::WIDE,
    SPACE_RIGHTS = const word::RIGHTS,
    SPACE_PLACES = const word::PLACES,
    RESTART_BEGIN = const offset_of!(Process, restart_begin),
    RESTART_BLOCK = const giornata_abi::process::RESTARTABLE_BLOCK,
    RESTART_BYTES = const offset_of!(Process, restart_bytes),
    //
    CALL_LIMITED = const (limit::OWN as usize) << 8 | kind::CALL as usize,
    KIND_FULL = const kind::FULL,
    KIND_WORK = const kind::WORK,
    KIND_IDLE = const kind::IDLE,
    KIND_RESULTS = const kind::RESULTS,
    KIND_FINISHES = const kind::FINISHES,
    REASON = const reason::BITS,
    PAIR = const reason::PAIR,
    TENANCY = const offset_of!(Thread, tenancy),
    COUNT = const Call::COUNT,
    POSIX = const cfg!(feature = "posix") as usize,
    POSIX_CALL = const posix::CALL,
    NOT_ITS_CALL = const Error::EPERM as usize,
    NO_SUCH_CALL = const Error::ENOSYS as usize,
    calls = sym CALLS,
    posix = sym posix_call,
    on_line = sym on_line,
    on_timer = sym on_timer,
    work = sym work,
    fault = sym fault::fault,
    limit = sym limited,
    heed_page = sym heed_page,
    start = sym start,
);

const _: () = assert!(
    // what the order of comparisons in the exit path assumes
    kind::CALL == 0
        && kind::IDLE < kind::WORK
        && kind::WORK < kind::AGAIN
        && kind::AGAIN < kind::RESULTS
        && kind::RESULTS < kind::FINISHES
        && kind::FINISHES < kind::CONTINUES
        && kind::CONTINUES < kind::COPIES
);

#[cfg(feature = "harts")]
use super::harts::{assign, on_kick};

/// One hart runs what an entry says.
#[cfg(not(feature = "harts"))]
extern "C" fn assign(outcome: Outcome, _: Ref<Thread>) -> Outcome {
    outcome
}

/// One hart is interrupted by no other.
#[cfg(not(feature = "harts"))]
extern "C" fn on_kick(_: Ref<Thread>) -> Outcome {
    Outcome::DONE
}

/// The call behind the table, where there is one.
extern "C-unwind" fn posix_call(
    operation: usize,
    b: usize,
    c: usize,
    d: usize,
    e: usize,
    f: usize,
    me: Ref<Thread>,
) -> Outcome {
    giornata_core::posix::call::<Riscv>(operation, b, c, d, e, f, me)
}

#[unsafe(link_section = ".text.hot.on_line")]
extern "C" fn on_line(me: Ref<Thread>) -> Outcome {
    system().on_line::<Riscv>(me)
}

#[unsafe(link_section = ".text.hot.on_timer")]
extern "C" fn on_timer(me: Ref<Thread>) -> Outcome {
    #[cfg(feature = "harts")]
    super::harts::silence();
    system().on_timer::<Riscv>(me)
}

/// A piece of the work of a thread that lives in the kernel.
#[unsafe(link_section = ".text.hot.work")]
extern "C" fn work(me: Ref<Thread>) -> Outcome {
    system().work::<Riscv>(me)
}

/// A thread whose time is limited is about to run: the alarm may be its limit's.
extern "C" fn limited(next: Ref<Thread>) {
    system().limit::<Riscv>(next);
}

/// A thread is about to be left whose control page says that it has a ceiling, or will
/// lock a mutex next. Returns who runs.
extern "C" fn heed_page(me: Ref<Thread>, outcome: Outcome) -> Outcome {
    system().heed_page::<Riscv>(me, outcome)
}

#[unsafe(link_section = ".text.boot.start")]
extern "C" fn start() -> Outcome {
    let outcome = system().start::<Riscv>();
    #[cfg(feature = "harts")]
    super::harts::call_others();
    outcome
}
