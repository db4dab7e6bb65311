//! Where a parser stands in the tokens of a text, and what it can do there.
//!
//! The rules of a language are functions of its parser, which is a cursor over
//! its tokens. Each answers `Option`: `None` means that the rule was left in the
//! middle and the reason has been reported.

use crate::diagnostic::{Findings, Span};
use crate::token::{TokenKind, tokens};
use crate::tree::{Annotation, Name};

/// A position in the tokens of a text.
pub(crate) struct Cursor<'a, T> {
    text: &'a str,
    /// Ends with [`TokenKind::END`].
    tokens: Vec<(T, Span)>,
    at: usize,
    /// Where the last error was reported: a second one there would say nothing new.
    last_error: Option<usize>,
    pub(crate) findings: &'a mut Findings,
}

impl<'a, T: TokenKind> Cursor<'a, T> {
    /// At the first token of a text. O(bytes).
    pub(crate) fn new(text: &'a str, findings: &'a mut Findings) -> Cursor<'a, T> {
        Cursor {
            text,
            tokens: tokens(text, findings),
            at: 0,
            last_error: None,
            findings,
        }
    }

    pub(crate) fn peek(&self) -> T {
        self.tokens.get(self.at).map_or(T::END, |(token, _)| *token)
    }

    /// The token behind the next.
    pub(crate) fn second(&self) -> T {
        self.tokens
            .get(self.at + 1)
            .map_or(T::END, |(token, _)| *token)
    }

    /// Where the next token stands.
    pub(crate) fn span(&self) -> Span {
        let end = Span {
            start: self.text.len(),
            end: self.text.len(),
        };
        self.tokens.get(self.at).map_or(end, |(_, span)| *span)
    }

    pub(crate) fn slice(&self, span: Span) -> &'a str {
        self.text.get(span.start..span.end).unwrap_or("")
    }

    /// Takes the next token; never goes past the end.
    pub(crate) fn advance(&mut self) -> Span {
        let span = self.span();
        if self.peek() != T::END {
            self.at += 1;
        }
        span
    }

    /// Takes the next token if it is this one.
    pub(crate) fn eat(&mut self, token: T) -> bool {
        let found = self.peek() == token;
        if found {
            self.advance();
        }
        found
    }

    /// Takes the next token, which must be this one.
    pub(crate) fn expect(&mut self, token: T, help: &str) -> Option<Span> {
        if self.peek() == token {
            return Some(self.advance());
        }
        self.unexpected(token.describe(), help);
        None
    }

    /// Whether the end of the text came by an opening without its closing.
    fn was_swallowed(&self) -> bool {
        self.peek() == T::END && self.findings.0.iter().any(|d| d.code == T::unterminated())
    }

    /// Reports what stands here instead of `wanted`, unless that would only
    /// repeat what has been said.
    pub(crate) fn unexpected(&mut self, wanted: &str, help: &str) {
        if self.last_error == Some(self.at) || self.was_swallowed() {
            return;
        }
        self.silence();
        let found = match self.peek() {
            token if token == T::END => T::END.describe().to_owned(),
            _ => format!(
                "`{}`",
                self.slice(self.span()).chars().take(40).collect::<String>()
            ),
        };
        let message = format!("expected {wanted}, found {found}");
        self.findings
            .report(T::syntax(), self.span(), message, help);
        if self.findings.is_enough() {
            self.at = self.tokens.len() - 1;
        }
    }

    /// Nothing more is reported here: it would only repeat what has been said.
    pub(crate) fn silence(&mut self) {
        self.last_error = Some(self.at);
    }

    pub(crate) fn name(&mut self, help: &str) -> Option<Name> {
        if !self.peek().is_name() {
            self.unexpected("a name", help);
            return None;
        }
        let span = self.advance();
        Some(Name {
            text: self.slice(span).to_owned(),
            span,
        })
    }

    pub(crate) fn annotation(&mut self) -> Option<Annotation> {
        if self.peek() != T::ANNOTATION {
            return None;
        }
        let outer = self.advance();
        let span = Span {
            start: outer.start + 1,
            end: outer.end - 1,
        };
        Some(Annotation {
            text: self.slice(span).to_owned(),
            span,
        })
    }

    pub(crate) fn annotations(&mut self) -> Vec<Annotation> {
        std::iter::from_fn(|| self.annotation()).collect()
    }
}
