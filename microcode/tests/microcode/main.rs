//! What the verifier accepts and refuses, what a linked module is, and what a
//! listing shows.

mod disassembly;
mod interface;
mod properties;
mod support;
mod verifier;
