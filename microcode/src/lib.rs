//! Tools for modules of microcode, shared by the builder, the hostlink server
//! and the command line: the [verifier](verify), [linking](interface) of a
//! module against a symbolic interface, and the [disassembler](disassemble).
//!
//! They read the module format of `giornata_abi` and know nothing of the
//! machine that runs it, as the machine knows nothing of them: what a module
//! must satisfy is stated in docs and tested where both are at hand, in the
//! tests of `kernel/host`.
//!
//! A module may come from anywhere. No heap, no panic, no `unsafe`: the caller
//! provides all memory, so the same code runs on the host and in a process of
//! a bare machine.

#![no_std]
#![forbid(unsafe_code)]
#![cfg_attr(
    not(test),
    deny(
        clippy::indexing_slicing,
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic
    )
)]

pub mod disassemble;
pub mod interface;
pub mod verify;
