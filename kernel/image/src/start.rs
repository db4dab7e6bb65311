//! From reset to the first thread, and from the last to the end.

use core::arch::global_asm;

use giornata_abi::Record;
use giornata_abi::control::TraceCursor;
use giornata_abi::id::NONE;
use giornata_abi::system::{FLAG_TRACE_CONSOLE, SystemHeader};
use giornata_arch_riscv::{Context, Device, Machine, STACK_TOP, Setup, boot};
use giornata_core::Hardware;

use giornata_image::blob::{self, Found, Refusal};
use giornata_image::carve::{SIZES, carve};
use giornata_image::dump;

use crate::board::{BOARD, CONSOLE, EXIT, SYSTEM, TIME};
use crate::console::Console;
use crate::exit;

/// For the builder, which reads it out of this file.
#[unsafe(no_mangle)]
static GIORNATA_SIZES: [u32; 17] = SIZES;

global_asm!(
    // for harts that do not count their cycles
    ".globl giornata_clint_time",
    ".set giornata_clint_time, {TIME}",
    ".pushsection .text.start, \"ax\"",
    ".globl _start",
    "_start:",
    "csrw mie, zero",
    "la t0, 2f",
    "csrw mtvec, t0", // until the kernel's own
    "csrr t0, mhartid",
    "bnez t0, 2f",
    "la t0, __bss_start",
    "la t1, __bss_end",
    "1:",
    "sw zero, (t0)",
    "addi t0, t0, 4",
    "bltu t0, t1, 1b",
    "la sp, giornata_hart + {STACK_TOP}",
    "call {begin}",
    "j giornata_depart",
    ".balign 4",
    "2:",
    "wfi",
    "j 2b",
    ".popsection",
    TIME = const TIME,
    STACK_TOP = const STACK_TOP,
    begin = sym begin,
);

unsafe extern "C" {
    /// Where the kernel's own memory ends: of the linker script.
    static __bss_end: u8;
}

extern "C" fn begin() -> &'static Context {
    // SAFETY: the builder wrote RAM behind the kernel; nobody writes the blob.
    let found = unsafe { blob::read(SYSTEM, BOARD.memory) };
    let Found {
        system,
        spaces,
        spare,
    } = found.unwrap_or_else(|why| refuse(why));
    let behind = (&raw const __bss_end).addr()..BOARD.memory.end;
    // SAFETY: the builder left the memory that the header names to the kernel; once.
    let carved = unsafe { carve(&system, spaces, &behind) };
    let (memory, contexts) = carved.unwrap_or_else(|why| refuse(why));
    let setup = Setup {
        board: BOARD,
        system,
        spaces,
        memory,
        contexts,
        spare,
        halt,
    };
    // SAFETY: the boot hart comes here once; the board's file describes the machine.
    unsafe { boot(setup) }
}

/// Says why the system does not boot, and stops with status 2.
fn refuse(why: Refusal) -> ! {
    let console = console();
    console.say("giornata: ");
    console.say(why.reason());
    if let Refusal::Memory(bytes) = why {
        console.say(": ");
        console.number(bytes);
    }
    console.say("\n");
    finish(2)
}

/// The machine stops: what is left of the trace goes to the console, if the
/// system wants that.
fn halt(machine: &mut Machine, status: u8) -> ! {
    let header = core::ptr::with_exposed_provenance::<SystemHeader>(SYSTEM);
    // SAFETY: the kernel booted, so the header has been checked.
    let header = unsafe { &*header };
    if header.flags & FLAG_TRACE_CONSOLE != 0 {
        send_rest(machine, header);
    }
    finish(status)
}

fn send_rest(machine: &mut Machine, header: &SystemHeader) {
    let said = reader_position(machine, header);
    let console = console();
    console.put(0);
    let (oldest, written) = (machine.ring().oldest(), machine.ring().written());
    for number in dump::first(said, oldest, written)..written {
        if let Some(record) = machine.ring().words(number) {
            dump::send(number, record, |byte| console.put(byte));
        }
    }
}

/// Where the reader of the trace says it got to; a process says it, so it is
/// no more than a hint.
fn reader_position(machine: &mut Machine, header: &SystemHeader) -> Option<u64> {
    let mut sent = [0];
    if header.trace_process == NONE {
        return None;
    }
    machine
        .read(
            header.trace_process,
            header.trace_cursor as usize,
            &mut sent,
            TraceCursor::SIZE,
        )
        .ok()?;
    let [sent] = sent;
    Some(sent)
}

fn console() -> Console {
    // SAFETY: the board says so.
    unsafe { Console::at(CONSOLE) }
}

/// Ends the machine. A board that has no way to end waits for ever.
fn finish(status: u8) -> ! {
    // SAFETY: the board says so.
    let device = unsafe { Device::at(EXIT) };
    exit::end(device, status);
    loop {
        core::hint::spin_loop();
    }
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
    let console = console();
    console.say("giornata: panic");
    if let Some(place) = info.location() {
        console.say(" at ");
        console.say(place.file());
        console.say(":");
        console.number(place.line() as usize);
    }
    console.say("\n");
    finish(1)
}
