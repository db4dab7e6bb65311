//! From reset to the first thread, and from the last to the end.

use core::arch::global_asm;
use core::cell::Cell;
use core::ptr::{with_exposed_provenance, with_exposed_provenance_mut};

use giornata_abi::ring::{BYTES, FRAME, MEMORY};
use giornata_arch_riscv::board::{EXIT, HARTS, MEMORY_END, RECORDS};
use giornata_arch_riscv::device::Device;
use giornata_arch_riscv::{Riscv, STACK_TOP, begin, system};
use giornata_core::boot::{Boot, MAGIC, checksum, flag, layout};
use giornata_core::layout::Target;
use giornata_core::{Machine, System, Trace};

use crate::console::{number, put, say};
use crate::{dump, exit};

/// Bytes of the guard below the hart's stack, and of the stack: of the linker script.
const GUARD: usize = 4096;
const STACK: usize = 4096;
/// The status of a machine that does not boot, as a byte: no process ends it with more.
const REFUSED: usize = 0x102;
/// The same of one whose kernel trapped.
const TRAPPED: usize = 0x101;

global_asm!(
    ".pushsection .text.start, \"ax\"",
    ".globl _start",
    "_start:",
    "csrw mie, zero",
    "la t0, 2f",
    "csrw mtvec, t0", // until the kernel's own
    "csrr t0, mhartid",
    "bnez t0, 2f",
    "li sp, {STACK_TOP}",
    "j {start}",
    ".balign 4",
    "2:",
    // another of those on which the kernel runs waits until the first interrupts it
    ".if {HARTS} > 1",
    "csrr a0, mhartid",
    "li t2, 8",
    "csrw mie, t2",
    "3:",
    "wfi",
    "csrr t0, mip",
    "and t0, t0, t2",
    "beqz t0, 3b",
    "fence r, rw",
    ".if {IN_TURN}",
    "li t1, {KEEPER}",
    "beq a0, t1, giornata_in_turn",
    "srli a0, a0, 1", // those between do nothing
    ".endif",
    "li sp, {STACK_TOP}",
    "slli t0, a0, {STRIDE}",
    "sub sp, sp, t0",
    "j {join}",
    ".endif",
    "4:",
    "wfi",
    "j 4b",
    ".popsection",
    STACK_TOP = const STACK_TOP,
    STRIDE = const (GUARD + STACK).ilog2(),
    HARTS = const HARTS,
    KEEPER = const 2 * HARTS,
    IN_TURN = const cfg!(feature = "in-turn") as usize,
    start = sym start,
    join = sym join_hart,
);

/// Another hart, on its own stack, when the first has interrupted it.
#[unsafe(link_section = ".text.boot.join")]
extern "C" fn join_hart(number: usize) -> ! {
    #[cfg(feature = "harts")]
    // SAFETY: each hart comes here once, after the first has interrupted it.
    unsafe {
        giornata_arch_riscv::join(number, GUARD)
    }
    #[cfg(not(feature = "harts"))]
    loop {
        core::hint::black_box(number);
    }
}

#[unsafe(link_section = ".text.boot.start")]
extern "C" fn start() -> ! {
    if let Err(why) = check() {
        say("giornata: ");
        say(why);
        giornata_stop(REFUSED);
    }
    // SAFETY: the boot hart comes here once, with interrupts off; the records have been
    // checked (Record Invariant) and the board's file describes the machine.
    unsafe { begin(RECORDS - STACK - GUARD, GUARD) }
}

/// Checks the records, and zeroes the memory behind them. Else why they do not count.
#[unsafe(link_section = ".text.boot.check")]
fn check() -> Result<(), &'static str> {
    // SAFETY: RAM lies there, and every bit pattern is such a record.
    let boot = unsafe { &*with_exposed_provenance::<Boot>(RECORDS) };
    if boot.magic != MAGIC {
        return Err("there is no system beside the kernel\n");
    }
    const LAYOUT: u32 = layout(Target::OWN);
    if boot.layout != LAYOUT || boot.address != RECORDS {
        return Err("the system is for another kernel\n");
    }
    let (length, zeroed) = (boot.length as usize, boot.zeroed as usize);
    let room = MEMORY_END - RECORDS;
    if length < size_of::<Boot>() || length > room || zeroed > room.wrapping_sub(length) {
        return Err("the system leaves its memory\n");
    }
    let body = with_exposed_provenance::<u32>(RECORDS + size_of::<Boot>());
    let words = length.wrapping_sub(size_of::<Boot>()) / size_of::<u32>();
    // SAFETY: it lies in RAM, and nobody writes there before the kernel begins.
    let body = unsafe { core::slice::from_raw_parts(body, words) };
    if checksum(body.iter().copied()) != boot.checksum {
        return Err("the system is damaged\n");
    }
    let zeroed_at = with_exposed_provenance_mut::<u8>(RECORDS.wrapping_add(length));
    // SAFETY: it lies in RAM, and nobody has it before the kernel begins.
    unsafe { zeroed_at.write_bytes(0, zeroed) };
    Ok(())
}

/// Ends the machine: what is left of the trace goes to the console, and how threads,
/// processes and objects stand, if the system wants that. A board that has no way to end
/// waits for ever.
#[unsafe(no_mangle)]
#[unsafe(link_section = ".text.boot.stop")]
extern "C" fn giornata_stop(status: usize) -> ! {
    if status != REFUSED && system().settings.flags & flag::TRACE_TO_CONSOLE != 0 {
        send_rest(&system().trace, system().settings.cursor);
        if status != TRAPPED {
            send_standing(system());
        }
    }
    // SAFETY: the board says so.
    exit::end(unsafe { Device::at(EXIT) }, status as u8);
    loop {
        core::hint::spin_loop();
    }
}

#[unsafe(link_section = ".text.boot.send_rest")]
fn send_rest(trace: &Trace, cursor: usize) {
    let written = trace.written.get();
    let said = match cursor {
        0 => 0,
        // (a process says it, so it is no more than a hint)
        at => giornata_arch_riscv::Riscv::load(at),
    };
    put(0);
    let mut at = dump::first(said, trace.mask.wrapping_add(1), written);
    while at != written {
        if let Some(entry) = trace.ring.get((at & trace.mask) as usize / BYTES) {
            dump::send(FRAME, at / BYTES as u32, &entry.words, put);
        }
        at = at.wrapping_add(BYTES as u32);
    }
}

/// Bytes of each stack that are sent, from its pointer on: callers of a function that waits
/// are in them.
const CALLERS: usize = 256;

/// The records that say how threads, tasks, processes and objects stand, and the newest part
/// of each stack: the host reads them by the debug map.
#[unsafe(link_section = ".text.boot.send_standing")]
fn send_standing(kernel: &System) {
    let first = kernel.processes.as_ptr().addr();
    let behind = kernel.objects.as_ptr_range().end.addr();
    send_memory(size_of::<System>(), RECORDS);
    send_memory(behind.wrapping_sub(first), first);
    for thread in kernel.threads {
        let place = thread.place;
        send_record(place);
        if cfg!(feature = "programs")
            && let Some(task) = place.task
        {
            send_record(task);
        }
        // (the kernel's own have none, nor memory that their process could reach)
        if place.stack_size != 0 {
            let sp = thread.context.sp.get();
            let (length, from) = Riscv::reach(thread.process, sp, CALLERS, false);
            send_memory(length, from);
        }
    }
}

fn send_record<T>(record: &T) {
    send_memory(size_of::<T>(), core::ptr::from_ref::<T>(record).addr());
}

/// Sends memory in whole pieces of 16 bytes.
#[unsafe(link_section = ".text.boot.send_memory")]
#[inline(never)]
fn send_memory(length: usize, from: usize) {
    let mut at = from & !(BYTES - 1);
    let behind = from.wrapping_add(length);
    while at < behind {
        // SAFETY: it lies in RAM, which ends at a multiple of a piece, and the kernel is the
        // only one that runs; every bit pattern is such words.
        let words = unsafe { &*with_exposed_provenance::<[Cell<u32>; 4]>(at) };
        dump::send(MEMORY, at as u32, words, put);
        at = at.wrapping_add(BYTES);
    }
}

/// The kernel itself trapped: last words, and of its records only the trace, because the
/// others may be what is wrong.
#[unsafe(no_mangle)]
#[unsafe(link_section = ".text.boot.trapped")]
extern "C" fn giornata_trapped(cause: usize, pc: usize, address: usize) -> ! {
    say("\ngiornata: the kernel trapped: cause, pc, address");
    number(cause);
    number(pc);
    number(address);
    say(" \n");
    giornata_stop(TRAPPED)
}

/// In a release build no panic is reachable: the linker proves it, because
/// nobody defines what this would call.
#[cfg(not(debug_assertions))]
#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    unsafe extern "C" {
        fn giornata_a_panic_is_reachable() -> !;
    }
    // SAFETY: never called, or the link would have failed.
    unsafe { giornata_a_panic_is_reachable() }
}

/// In a debug build a panic says where it happened.
#[cfg(debug_assertions)]
#[panic_handler]
fn panic(info: &core::panic::PanicInfo<'_>) -> ! {
    say("giornata: panic");
    if let Some(place) = info.location() {
        say(" at ");
        say(place.file());
        say(":");
        number(place.line() as usize);
    }
    say("\n");
    giornata_stop(TRAPPED)
}
