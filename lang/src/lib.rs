#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod annotation;
mod assembler;
mod code;
mod cursor;
pub mod diagnostic;
pub mod giotto;
mod handlers;
pub mod index;
pub mod language;
mod names;
mod options;
mod position;
pub mod psi;
mod quantity;
pub mod sigma;
pub mod source;
pub mod spelling;
mod steps;
mod tables;
mod token;
pub mod tree;

pub use diagnostic::{Code, Diagnostic, Severity};
pub use language::Language;
pub use options::Options;
pub use source::SourceText;
