#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod assembler;
mod code;
mod cursor;
pub mod diagnostic;
pub mod giotto;
mod position;
mod quantity;
pub mod source;
pub mod spelling;
mod steps;
mod token;
pub mod tree;

pub use diagnostic::{Code, Diagnostic, Severity};
pub use source::SourceText;
