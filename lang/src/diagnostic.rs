//! What a compiler has to say: a code, a place, a reason and a mend.
//!
//! Compilers here are total functions; they never fail, they answer a list of
//! [`Diagnostic`]s. Each is also a [`miette::Diagnostic`], so that a terminal
//! shows it with its source line.

use std::fmt;
use std::sync::Arc;

use miette::{LabeledSpan, SourceCode};

pub use crate::code::{Code, Severity};
use crate::source::SourceText;

/// A range of bytes of a source text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Span {
    /// The first byte.
    pub start: usize,
    /// The byte after the last.
    pub end: usize,
}

impl Span {
    /// The range from the beginning of `self` to the end of `last`.
    pub fn to(self, last: Span) -> Span {
        Span {
            start: self.start,
            end: last.end.max(self.start),
        }
    }
}

impl From<std::ops::Range<usize>> for Span {
    fn from(range: std::ops::Range<usize>) -> Span {
        Span {
            start: range.start,
            end: range.end,
        }
    }
}

/// A place of the source text and what is to see there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// Where.
    pub span: Span,
    /// What.
    pub text: String,
}

/// One finding of a compiler.
#[derive(Clone, Debug)]
pub struct Diagnostic {
    /// What it is about.
    pub code: Code,
    /// The reason, in one sentence.
    pub message: String,
    /// Places; the first is where it lies.
    pub labels: Vec<Label>,
    /// What to do about it.
    pub help: String,
    source: Option<Arc<SourceText>>,
}

impl Diagnostic {
    /// A finding at `span`, with a reason and a mend.
    pub fn new(
        code: impl Into<Code>,
        span: Span,
        message: impl Into<String>,
        help: impl Into<String>,
    ) -> Diagnostic {
        let here = Label {
            span,
            text: "here".into(),
        };
        Diagnostic {
            code: code.into(),
            message: message.into(),
            labels: vec![here],
            help: help.into(),
            source: None,
        }
    }

    /// Adds a second place.
    pub fn also(mut self, span: Span, text: impl Into<String>) -> Diagnostic {
        self.labels.push(Label {
            span,
            text: text.into(),
        });
        self
    }

    /// Says what is to see at the first place.
    pub fn labelled(mut self, text: impl Into<String>) -> Diagnostic {
        if let Some(label) = self.labels.first_mut() {
            label.text = text.into();
        }
        self
    }

    /// Whether it forbids code generation.
    pub fn is_error(&self) -> bool {
        self.code.severity() == Severity::Error
    }

    /// Line and column of the first place, in characters from 1.
    pub fn position(&self) -> (usize, usize) {
        let start = self.labels.first().map_or(0, |label| label.span.start);
        let source = self.source.as_ref();
        source.map_or((1, 1), |source| source.position(start))
    }

    /// The whole source line of the first place. O(text).
    pub fn source_line(&self) -> &str {
        let text = self.source.as_ref().map_or("", |source| source.text());
        text.lines().nth(self.position().0 - 1).unwrap_or("")
    }

    /// The name of the source.
    pub fn source_name(&self) -> &str {
        self.source.as_ref().map_or("", |source| source.name())
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Diagnostic {}

impl miette::Diagnostic for Diagnostic {
    fn code<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        Some(Box::new(self.code.name()))
    }

    fn severity(&self) -> Option<miette::Severity> {
        Some(match self.code.severity() {
            Severity::Error => miette::Severity::Error,
            Severity::Warning => miette::Severity::Warning,
            Severity::Note => miette::Severity::Advice,
        })
    }

    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        Some(Box::new(&self.help))
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        let source = self.source.as_deref();
        source.map(|source| source as &dyn SourceCode)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        Some(Box::new(self.labels.iter().map(|label| {
            let place = label.span.start..label.span.end.max(label.span.start);
            let shown = match &self.source {
                Some(source) => source.shown(place),
                None => place,
            };
            LabeledSpan::new(Some(label.text.clone()), shown.start, shown.len())
        })))
    }
}

/// A list of findings under construction.
#[derive(Debug, Default)]
pub(crate) struct Findings(pub(crate) Vec<Diagnostic>);

/// After so many errors the rest of a text is left unread.
const MOST_ERRORS: usize = 50;

impl Findings {
    pub(crate) fn add(&mut self, diagnostic: Diagnostic) {
        self.0.push(diagnostic);
    }

    pub(crate) fn report(
        &mut self,
        code: impl Into<Code>,
        span: Span,
        message: impl Into<String>,
        help: impl Into<String>,
    ) {
        self.add(Diagnostic::new(code, span, message, help));
    }

    /// Whether the rest of the text is left unread.
    pub(crate) fn is_enough(&self) -> bool {
        self.0.len() >= MOST_ERRORS
    }

    pub(crate) fn has_errors(&self) -> bool {
        self.0.iter().any(Diagnostic::is_error)
    }

    /// The findings in the order of the text, each with its source.
    pub(crate) fn finish(mut self, name: &str, text: &str) -> Vec<Diagnostic> {
        let source = Arc::new(SourceText::new(name, text));
        self.0
            .sort_by_key(|d| (d.labels.first().map_or(0, |label| label.span.start), d.code));
        for diagnostic in &mut self.0 {
            diagnostic.source = Some(source.clone());
        }
        self.0
    }
}
