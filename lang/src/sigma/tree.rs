//! Syntax trees of Sigma programs.

use crate::diagnostic::Span;
pub(super) use crate::tree::{Annotation, Name, Quantity};

/// A program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Program {
    /// In the order of the text.
    pub(super) filters: Vec<Filter>,
    /// In the order of the text.
    pub(super) channels: Vec<Channel>,
}

/// What a filter is declared as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Keyword {
    /// `filter`
    Filter,
    /// `source`
    Source,
    /// `sink`
    Sink,
    /// `dup`
    Duplicate,
    /// `split`
    Split,
    /// `join`
    Join,
    /// `permute`
    Permute,
}

/// `filter NAME [annotation] { run FUNCTION, ...; in PORT, ...; out PORT, ...; }`, or
/// `KEYWORD NAME [numbers] [annotation];`
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Filter {
    /// What it is.
    pub(super) keyword: Keyword,
    /// Its name.
    pub(super) name: Name,
    /// What stands in brackets behind the name.
    pub(super) brackets: Vec<Annotation>,
    /// The functions of its cycle, each with its brackets.
    pub(super) functions: Vec<Bracketed>,
    /// Its inputs.
    pub(super) inputs: Vec<Bracketed>,
    /// Its outputs.
    pub(super) outputs: Vec<Bracketed>,
}

/// A name and what stands in brackets behind it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Bracketed {
    /// The name.
    pub(super) name: Name,
    /// Rates of a port, or the annotation of a function.
    pub(super) brackets: Vec<Annotation>,
}

/// `channel FROM -> TO : TYPE [count] capacity N initial N;`
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Channel {
    /// Where it begins.
    pub(super) from: End,
    /// Where it ends.
    pub(super) to: End,
    /// The type of tokens.
    pub(super) token: Bracketed,
    /// The most tokens that it holds.
    pub(super) capacity: Option<Quantity>,
    /// How many are there at the beginning.
    pub(super) initial: Option<Quantity>,
}

impl Channel {
    /// Both ends, with the arrow between them.
    pub(super) fn span(&self) -> Span {
        self.from.filter.span.to(self.to.port.span)
    }
}

/// `FILTER.PORT`
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct End {
    /// The filter.
    pub(super) filter: Name,
    /// Its port.
    pub(super) port: Name,
}
