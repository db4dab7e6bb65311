//! The kernel's binary for one board: boot and last words.
//!
//! It boots on hart 0, checks the records that the builder laid beside it, and enters the
//! first thread. When the machine stops it hands out what is left of the trace and how
//! threads stand, and ends the machine with a status.
//!
//! The release build links only if no panic is reachable: the panic handler then
//! calls a symbol that nobody defines.

#![cfg_attr(target_os = "none", no_std, no_main)]
#![cfg_attr(
    not(test),
    deny(
        clippy::indexing_slicing,
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic
    )
)]

#[cfg(target_os = "none")]
mod console;
#[cfg(target_os = "none")]
#[cfg_attr(feature = "sifive-test", path = "exit_sifive.rs")]
#[cfg_attr(not(feature = "sifive-test"), path = "exit_status.rs")]
mod exit;
#[cfg(all(target_os = "none", feature = "in-turn"))]
mod in_turn;
#[cfg(target_os = "none")]
mod start;

#[cfg(any(target_os = "none", test))]
mod dump;

#[cfg(not(target_os = "none"))]
fn main() {
    eprintln!("this is a kernel: build it with --target riscv64imac-unknown-none-elf");
    std::process::exit(2);
}
