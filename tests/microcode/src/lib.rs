//! Microcode for tests of the machine that runs it and of the tools that check
//! and show it: a textual [assembler](assemble), and [random modules](random)
//! with operands in range. Both panic on what they are not made for; they are
//! for sources that a test writes down.

#![forbid(unsafe_code)]

mod assembler;
pub mod random;

pub use assembler::assemble;
