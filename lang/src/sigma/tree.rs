//! Syntax trees of Sigma programs.

use crate::diagnostic::Span;
pub use crate::tree::{Annotation, Name, Quantity};

/// A program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Program {
    /// In the order of the text.
    pub filters: Vec<Filter>,
    /// In the order of the text.
    pub channels: Vec<Channel>,
}

/// What a filter is declared as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keyword {
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
pub struct Filter {
    /// What it is.
    pub keyword: Keyword,
    /// Its name.
    pub name: Name,
    /// What stands in brackets behind the name.
    pub brackets: Vec<Annotation>,
    /// The functions of its cycle, each with its brackets.
    pub functions: Vec<Bracketed>,
    /// Its inputs.
    pub inputs: Vec<Bracketed>,
    /// Its outputs.
    pub outputs: Vec<Bracketed>,
}

/// A name and what stands in brackets behind it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bracketed {
    /// The name.
    pub name: Name,
    /// Rates of a port, or the annotation of a function.
    pub brackets: Vec<Annotation>,
}

/// `channel FROM -> TO : TYPE [count] capacity N initial N;`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Channel {
    /// Where it begins.
    pub from: End,
    /// Where it ends.
    pub to: End,
    /// The type of tokens.
    pub token: Bracketed,
    /// The most tokens that it holds.
    pub capacity: Option<Quantity>,
    /// How many are there at the beginning.
    pub initial: Option<Quantity>,
}

impl Channel {
    /// Both ends, with the arrow between them.
    pub fn span(&self) -> Span {
        self.from.filter.span.to(self.to.port.span)
    }
}

/// `FILTER.PORT`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct End {
    /// The filter.
    pub filter: Name,
    /// Its port.
    pub port: Name,
}
