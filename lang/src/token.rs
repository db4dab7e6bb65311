//! From text to tokens: what the languages have in common.
//!
//! Each language has an enumeration of its kinds of tokens, from which `logos`
//! makes a lexer. Comments are `//` to the end of the line and `/* */`; an
//! annotation is one token, `[` to `]`.

use logos::{Lexer, Logos};

use crate::code::Code;
use crate::diagnostic::{Findings, Span};

/// Why a stretch of text is no token.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Fault {
    #[default]
    Character,
    Comment,
    Annotation,
}

/// A kind of token of a language.
pub(crate) trait TokenKind:
    for<'s> Logos<'s, Source = str, Extras: Default, Error = Fault> + Copy + PartialEq
{
    /// What the language is called.
    const LANGUAGE: &'static str;
    /// A block comment; never handed on.
    const COMMENT: Self;
    /// The whole of `[...]`.
    const ANNOTATION: Self;
    /// After the last token.
    const END: Self;

    /// How messages call it.
    fn describe(self) -> &'static str;

    /// Whether it can be read as a name where nothing else can stand.
    fn is_name(self) -> bool;

    /// The code of a character that begins no token.
    fn character() -> Code;

    /// The code of a comment or annotation that is not closed.
    fn unterminated() -> Code;

    /// The code of a text that does not follow the grammar.
    fn syntax() -> Code;
}

/// Takes everything up to and with the `]` that no comment holds, behind a `[`.
pub(crate) fn annotation<'s, T>(lexer: &mut Lexer<'s, T>) -> Result<(), Fault>
where
    T: Logos<'s, Source = str>,
{
    let rest = lexer.remainder();
    let plain = without_comments(rest);
    let end = plain.find(']').ok_or(Fault::Annotation);
    lexer.bump(end.map_or(rest.len(), |at| at + 1));
    end.map(drop)
}

/// Takes everything up to and with `*/`, or the rest of the text, behind a `/*`.
pub(crate) fn comment<'s, T>(lexer: &mut Lexer<'s, T>) -> Result<(), Fault>
where
    T: Logos<'s, Source = str>,
{
    let rest = lexer.remainder();
    let end = rest.find("*/").ok_or(Fault::Comment);
    lexer.bump(end.map_or(rest.len(), |at| at + 2));
    end.map(drop)
}

/// The text up to its first `]` outside of comments, or all of it, each byte of a
/// comment replaced by a space. O(bytes that are returned).
pub(crate) fn without_comments(text: &str) -> String {
    let mut plain = String::new();
    let mut rest = text;
    while let Some(at) = rest.find([']', '/']) {
        let (before, here) = rest.split_at(at);
        plain += before;
        let length = match here.as_bytes() {
            [b'/', b'/', ..] => here.find('\n').unwrap_or(here.len()),
            [b'/', b'*', ..] => here[2..].find("*/").map_or(here.len(), |end| end + 4),
            [b'/', ..] => {
                plain.push('/');
                rest = &here[1..];
                continue;
            }
            _ => {
                plain.push(']');
                return plain;
            }
        };
        plain.extend(std::iter::repeat_n(' ', length));
        rest = &here[length..];
    }
    plain + rest
}

/// The tokens of a text, the last one always [`TokenKind::END`]; what is no token
/// is reported and left out; after too much of it, so is the rest. O(bytes).
pub(crate) fn tokens<T: TokenKind>(text: &str, findings: &mut Findings) -> Vec<(T, Span)> {
    let mut tokens = Vec::new();
    let mut strange: Option<Span> = None;
    for (token, range) in T::lexer(text).spanned() {
        let span = Span::from(range);
        match token {
            Ok(token) if token == T::COMMENT => {}
            Ok(token) => tokens.push((token, span)),
            Err(Fault::Character) => match &mut strange {
                Some(before) if before.end == span.start => before.end = span.end,
                _ => report_characters::<T>(strange.replace(span), text, findings),
            },
            Err(fault) => report_unclosed::<T>(fault, span, text, findings),
        }
        if findings.is_enough() {
            break;
        }
    }
    report_characters::<T>(strange, text, findings);
    tokens.push((
        T::END,
        Span {
            start: text.len(),
            end: text.len(),
        },
    ));
    tokens
}

/// Reports a run of characters, once.
fn report_characters<T: TokenKind>(run: Option<Span>, text: &str, findings: &mut Findings) {
    let Some(span) = run else { return };
    let all = text.get(span.start..span.end).unwrap_or("");
    let shown: String = all.chars().take(20).flat_map(char::escape_debug).collect();
    let message = format!("`{shown}` begins no word of {}", T::LANGUAGE);
    findings.report(
        T::character(),
        span,
        message,
        "remove it; names are made of letters a-z, digits and `_`",
    );
}

fn report_unclosed<T: TokenKind>(fault: Fault, span: Span, text: &str, findings: &mut Findings) {
    let opening = Span {
        start: span.start,
        end: span.start + 1,
    };
    let inside = text.get(span.start..span.end).unwrap_or("");
    let (what, help) = match fault {
        Fault::Annotation if inside.contains(']') => (
            "annotation",
            "close it with `]`; one in a comment does not count",
        ),
        Fault::Annotation => ("annotation", "close it with `]`"),
        _ => ("comment", "close it with `*/`"),
    };
    let message = format!("this {what} is never closed");
    findings.report(T::unterminated(), opening, message, help);
}
