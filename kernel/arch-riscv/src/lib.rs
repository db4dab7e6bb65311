//! The RISC-V edge of the kernel: what enters it from a hart, and what leaves.
//!
//! ```text
//!   user mode   | machine mode, interrupts off, one stack a hart
//!               |
//!   ecall ------+-> trap.rs (asm) -> edge.rs -> Kernel::call, ::timer,
//!   interrupt --+     |  ^              |         ::interrupt, ::fault
//!   exception --+     |  |              |           |
//!               |     |  |              v           v
//!   mret <------+-----+  +-- Context to leave for - Next, and the alarm
//! ```
//!
//! The edge calls the operations of [`Kernel::handle`](giornata_core::Kernel::handle)
//! one by one: it knows which event it is, and an `Event` and an `Outcome` are
//! stores and loads on the way.
//!
//! The kernel runs in machine mode and untranslated; processes run in user
//! mode. RV32 and RV64 come from this one source: assembly names registers by
//! number and words by macro.
//!
//! # Spaces
//!
//! What confines a process is one of two modules behind one interface, chosen
//! for a board when the kernel is compiled: page tables in the format of Sv39
//! or Sv32 ([`pages`]), or regions of the PMP ([`regions`], the feature of that
//! name). A [`Space`] is what a context holds of it; entering one, finding
//! bytes of a process and knowing the guard of a stack is all that is done
//! with it.
//!
//! # Registers
//!
//! A context has one of two kinds when it leaves the kernel. A `call` context
//! comes out of a system call: what the ABI preserves is as it was, `a0..=a3`
//! are the answer, every other register is zero, so that no value of the
//! kernel leaks. A `full` context is restored whole. While a thread is current
//! its `s0..=s11`, `gp` and `tp` stay in the registers, which the kernel's code
//! preserves anyway (it is compiled without thread-local storage and without
//! `gp` relaxation); only the exit path spills them, and only if the thread
//! changes. Idling is no change.
//!
//! # Floating point
//!
//! The kernel is compiled for a target without floating point. `mstatus.FS` is
//! off unless the current thread *owns* the floating-point registers. The first
//! floating-point instruction of another thread traps; then, and only then, the
//! owner's registers are saved if they are dirty, and the thread's own are
//! loaded, or all 32 and `fcsr` zeroed if it has none. A thread that starts
//! (each job of a task does) has none.
//!
//! # Atomics
//!
//! Every switch and every start breaks the reservation of `lr` with a dummy
//! `sc.w`: on some cores it survives a trap. A thread that leaves the hart
//! inside its process's restartable sequence resumes at its beginning.
//!
//! # Invariants
//!
//! - **The Hart Invariant**: a hart's block is touched by that hart only, and
//!   the kernel is entered with interrupts off, so at most one trap function
//!   runs at a time; it makes the one reference to the edge there is.
//! - **The Scratch Invariant**: `mscratch` holds the current thread's context
//!   in user mode and 0 in the kernel; a trap that finds 0 is a kernel bug.
//! - **The Device Invariant**: device addresses of the board are registers that
//!   machine mode may access at their width on every hart.
//! - **The Memory Invariant**: memory between the bounds of [`Board::memory`]
//!   is RAM, and no Rust object of the kernel that a process may reach through
//!   its page tables or regions lies in it. The builder writes them so.
//! - **The Owner Invariant**: `mstatus.FS` is on in user mode only if the hart's
//!   floating-point registers hold the current thread's values.

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

#[cfg_attr(not(feature = "load"), path = "no_banks.rs")]
mod banks;
mod board;
pub mod cause;
pub mod clint;
mod context;
mod device;
#[cfg_attr(not(feature = "floating"), path = "no_floating.rs")]
mod floating;
pub mod pages;
pub mod plic;
pub mod regions;
mod right;
mod ring;

pub use banks::{Banks, Places};
pub use board::Board;
pub use context::{Context, kind};
pub use device::Device;
pub use regions::Regions;
pub use right::Right;
pub use ring::Ring;

#[cfg(not(feature = "regions"))]
pub use pages::Space;
#[cfg(feature = "regions")]
pub use regions::Space;

// Assembly and control registers: compiled for the machine itself only, so that
// the rest is tested on any host.
#[cfg(any(target_arch = "riscv32", target_arch = "riscv64"))]
mod machine;

#[cfg(any(target_arch = "riscv32", target_arch = "riscv64"))]
pub use machine::{Machine, STACK_TOP, Setup, boot};
