//! Systems built and run: in an emulator or on the simulated chip, seen through their
//! trace, with a verdict at the end.

#![forbid(unsafe_code)]

pub mod built;
pub mod chip;
mod console;
pub mod debug;
pub mod flight;
pub mod golden;
pub mod home;
pub mod image;
mod interrupt;
pub mod link;
pub mod machine;
pub mod project;
mod qmp;
pub mod report;
pub mod run;
mod screen;
mod sieve;
pub mod time;
pub mod transcript;

/// How a run, or a command, ends if it does not fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// All is as it should be: exit code 0.
    Good,
    /// It is not: 1.
    Negative,
    /// That is not known: 3.
    Unknown,
}
