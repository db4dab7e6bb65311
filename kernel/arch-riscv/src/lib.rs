//! The RISC-V edge of the kernel: what enters it from a hart, and what leaves.
//!
//! ```text
//!   user mode   | machine mode, interrupts off, one stack a hart
//!               |
//!   ecall ------+-> trap.s --> table of calls (core) --+
//!   interrupt --+     |------> on_timer, on_line ------+--> Outcome: the result of
//!   exception --+     |------> fault.rs ---------------+    the caller, who runs next
//!               |     |                                        |
//!   mret <------+-----+---- charge, record, registers, space <-+
//! ```
//!
//! The kernel runs in machine mode and untranslated, processes in user mode. RV32 and
//! RV64 come from this one source. What a board has is chosen by features and by the
//! constants of [`board`], which the build script takes from the board's file.
//!
//! # Registers
//!
//! `tp` and `gp` of a thread are constants that the builder sets: they are loaded, and
//! never saved. How a context is resumed is its [`kind`](giornata_core::sched::thread::kind).
//! A register that the result of a call does not name is zero, so that no value of the
//! kernel leaks; but for `Call::Null`, which touches `a0` only.
//!
//! # Floating point
//!
//! The kernel is compiled for a target without floating point. `mstatus.FS` is off
//! unless the running thread *owns* the floating-point registers: see `machine/floating.rs`.
//!
//! # Atomics
//!
//! Every switch breaks the reservation of `lr` with a dummy `sc.w`: on some cores it
//! survives a trap. A thread that is interrupted inside one of its process's restartable
//! sequences, and leaves the hart, resumes where its block of them begins. (If it keeps the
//! hart, core sees to it where the kernel may have written a word: the Word Invariant.)
//!
//! # Invariants
//!
//! - **The Hart Invariant**: one hart runs the kernel, with interrupts off, so at most
//!   one of its functions runs at a time.
//! - **The Scratch Invariant**: `mscratch` is the running thread.
//! - **The Stack Invariant**: the hart's stack ends where its record begins, at
//!   [`board::RECORDS`].
//! - **The Record Invariant**: after boot has checked and copied them, the records of
//!   the system lie from [`board::RECORDS`] on, laid out by the builder by the shapes
//!   that core states.
//! - **The Device Invariant**: the device addresses of [`board`] are registers that
//!   machine mode may access at their width.
//! - **The Memory Invariant**: memory of processes lies between [`board::RECORDS`] and
//!   [`board::MEMORY_END`], and no record of the kernel that holds a reference lies where
//!   a process may write. The builder writes page tables and regions so.
//! - **The Owner Invariant**: `mstatus.FS` is on in user mode only if the hart's
//!   floating-point registers hold the running thread's values.
#![no_std]
#![cfg_attr(
    not(test),
    deny(
        clippy::indexing_slicing,
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic
    )
)]

#[cfg(test)]
extern crate std;

pub mod board;
pub mod cause;
pub mod clock;
pub mod device;
pub mod pages;
pub mod plic;
pub mod regions;

// Assembly and control registers: compiled for the machine itself only, so that the rest
// is tested on any host.
#[cfg(any(target_arch = "riscv32", target_arch = "riscv64"))]
mod machine;

#[cfg(all(
    feature = "harts",
    any(target_arch = "riscv32", target_arch = "riscv64")
))]
pub use machine::join;
#[cfg(any(target_arch = "riscv32", target_arch = "riscv64"))]
pub use machine::{Riscv, STACK_TOP, begin, system};
