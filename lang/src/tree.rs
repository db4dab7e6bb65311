//! What the syntax trees of all languages are made of.

use crate::diagnostic::Span;

/// A name as it stands in the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name {
    /// Its letters.
    pub text: String,
    /// Where.
    pub span: Span,
}

/// A bracketed annotation, brackets left out, not yet understood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Annotation {
    /// What stands between the brackets.
    pub text: String,
    /// Where that stands.
    pub span: Span,
}

/// A length of time or a count, with its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quantity {
    /// Nanoseconds, or a count.
    pub value: u64,
    /// Where.
    pub span: Span,
}
