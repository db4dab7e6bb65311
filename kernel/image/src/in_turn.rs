//! Several harts in an emulator that runs one after the other, each until the next timer of any
//! hart rings (QEMU, if it counts instructions): timers of harts that do nothing else end the
//! slices.
//!
//! The machine has ten times as many harts as the kernel runs on. Whose turn begins when a timer
//! rings has none. So behind each hart of the kernel there is one that does nothing, and whose
//! turn that is: else the hart behind one that is busy would have none as long as that is.
//!
//! ```text
//!   0  2  4  6    harts of the kernel
//!   1  3  5  7    do nothing
//!   8             the keeper
//!   9 ..          do nothing, and have timers
//! ```
//!
//! The keeper keeps the timers of the rest set: one instant of a slice behind the other, for so
//! many slices ahead that whoever's turn it is there is an instant at which it ends, though the
//! keeper has its own turn behind all others.
//! (It never sets one before all others, which would end its own turn.)

use core::arch::global_asm;

use giornata_arch_riscv::board::{CLINT, HARTS};

/// Ticks of a slice: 10 us at 10 MHz.
const SLICE: usize = 100;
/// The hart that keeps the timers set.
const KEEPER: usize = 2 * HARTS;
/// Timers of harts that do nothing.
const TIMERS: usize = 10 * HARTS - 1 - KEEPER;

global_asm!(
    ".pushsection .text.boot.giornata_in_turn, \"ax\"",
    ".globl giornata_in_turn",
    "giornata_in_turn:",
    "li s0, {CLINT} + 0xC000", // the clock is at -8
    "li s1, {TIMER}",          // its own timer, and behind that those of the others
    "addi s4, s1, 8",
    "li s5, {CLINT} + 0x4000 + 80 * {HARTS}",
    "li s7, {AHEAD}",
    "lw s2, -8(s0)",
    "li t0, -1",
    "mv t1, s1",
    "1:", // none rings yet
    "sw t0, 0(t1)",
    "sw zero, 4(t1)",
    "addi t1, t1, 8",
    "bne t1, s5, 1b",
    "li t0, {MTIE}",
    "csrw mie, t0",
    "mv s3, s4",
    "li s6, 1",
    "2:",
    "lw t0, -8(s0)",
    "add t0, t0, s7",
    "3:", // (the instants that are to come, each in the timer that has rung longest ago)
    "bgeu s2, t0, 4f",
    "addi s2, s2, {SLICE}",
    "sw s2, 0(s3)",
    "addi s3, s3, 8",
    "bne s3, s5, 3b",
    "mv s3, s4",
    "j 3b",
    "4:",
    "lw t0, -8(s0)",
    "addi t0, t0, {OWN}",
    "sw t0, 0(s1)",
    "beqz s6, 5f",
    // the first hart waits for this
    "li t0, {CLINT}",
    "sw s6, 0(t0)",
    "li s6, 0",
    "5:",
    "wfi",
    "j 2b",
    ".popsection",
    CLINT = const CLINT,
    HARTS = const HARTS,
    TIMER = const CLINT + 0x4000 + 8 * KEEPER,
    MTIE = const 128,
    SLICE = const SLICE,
    OWN = const OWN,
    AHEAD = const (TIMERS - 1) * SLICE,
);

/// Ticks after which that hart has its turn again: when all others have had theirs. (Of two that
/// are busy, one has it for 100 ms if this is less than four slices.)
const OWN: usize = if HARTS < 4 { 4 } else { HARTS } * SLICE;

const _: () = assert!(OWN < 2048);
