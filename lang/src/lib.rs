#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

pub mod diagnostic;
pub mod giotto;

pub use diagnostic::{Code, Diagnostic, Severity};
