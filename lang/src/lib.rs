#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

pub mod diagnostic;
pub mod giotto;
pub mod source;
pub mod spelling;

pub use diagnostic::{Code, Diagnostic, Severity};
pub use source::SourceText;
