//! Words of the language.

use logos::{Lexer, Logos};

use crate::diagnostic::{Code, Findings, Span};

/// Why a stretch of text is no token.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Fault {
    #[default]
    Character,
    Comment,
    Annotation,
}

/// A token.
#[derive(Logos, Clone, Copy, Debug, PartialEq, Eq)]
#[logos(error = Fault)]
#[logos(skip r"[ \t\r\n\f\u{feff}]+")]
#[logos(skip(r"//[^\n]*", allow_greedy = true))]
pub(super) enum Token {
    #[token("sensor")]
    Sensor,
    #[token("actuator")]
    Actuator,
    #[token("input")]
    Input,
    #[token("output")]
    Output,
    #[token("private")]
    Private,
    #[token("task")]
    Task,
    #[token("driver")]
    Driver,
    #[token("mode")]
    Mode,
    #[token("start")]
    Start,
    #[token("schedule")]
    Schedule,
    #[token("state")]
    State,
    #[token("if")]
    If,
    #[token("then")]
    Then,
    #[token("uses")]
    Uses,
    #[token("period")]
    Period,
    #[token("actfreq")]
    ActFreq,
    #[token("exitfreq")]
    ExitFreq,
    #[token("taskfreq")]
    TaskFreq,
    #[token("do")]
    Do,
    #[token("(")]
    Open,
    #[token(")")]
    Close,
    #[token("{")]
    Begin,
    #[token("}")]
    Finish,
    #[token(",")]
    Comma,
    #[token(";")]
    Semicolon,
    #[token(":=")]
    Becomes,
    /// Digits, and letters right after them.
    #[regex(r"[0-9][0-9A-Za-z_]*")]
    Number,
    #[regex(r"[A-Za-z_][A-Za-z0-9_]*")]
    Name,
    /// The whole of `[...]`.
    #[token("[", annotation)]
    Annotation,
    /// A block comment; never handed on.
    #[token("/*", comment)]
    Comment,
    /// After the last token.
    End,
}

impl Token {
    /// How messages call it.
    pub(super) fn describe(self) -> &'static str {
        use Token::*;
        match self {
            Sensor => "`sensor`",
            Actuator => "`actuator`",
            Input => "`input`",
            Output => "`output`",
            Private => "`private`",
            Task => "`task`",
            Driver => "`driver`",
            Mode => "`mode`",
            Start => "`start`",
            Schedule => "`schedule`",
            State => "`state`",
            If => "`if`",
            Then => "`then`",
            Uses => "`uses`",
            Period => "`period`",
            ActFreq => "`actfreq`",
            ExitFreq => "`exitfreq`",
            TaskFreq => "`taskfreq`",
            Do => "`do`",
            Open => "`(`",
            Close => "`)`",
            Begin => "`{`",
            Finish => "`}`",
            Comma => "`,`",
            Semicolon => "`;`",
            Becomes => "`:=`",
            Number => "a number",
            Name => "a name",
            Annotation => "an annotation",
            Comment => "a comment",
            End => "the end of the program",
        }
    }

    /// Whether it can be read as a name where nothing else can stand.
    ///
    /// `input` and `private` came into the language late, so that older
    /// programs use them as names; `state` is too good a name to be lost.
    pub(super) fn is_name(self) -> bool {
        matches!(
            self,
            Token::Name | Token::Input | Token::Private | Token::State
        )
    }

    /// Whether it begins a section of the program.
    pub(super) fn begins_section(self) -> bool {
        use Token::*;
        matches!(
            self,
            Sensor | Actuator | Input | Output | Private | Task | Driver | Start
        )
    }
}

/// Takes everything up to and with the `]` that no comment holds.
fn annotation(lexer: &mut Lexer<'_, Token>) -> Result<(), Fault> {
    let rest = lexer.remainder();
    let plain = without_comments(rest);
    let end = plain.find(']').ok_or(Fault::Annotation);
    lexer.bump(end.map_or(rest.len(), |at| at + 1));
    end.map(drop)
}

/// The text up to its first `]` outside of comments, or all of it, each byte of a
/// comment replaced by a space. O(bytes that are returned).
pub(super) fn without_comments(text: &str) -> String {
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

fn comment(lexer: &mut Lexer<'_, Token>) -> Result<(), Fault> {
    close(lexer, "*/", Fault::Comment)
}

/// Takes everything up to and with `end`, or the rest of the text.
fn close(lexer: &mut Lexer<'_, Token>, end: &str, fault: Fault) -> Result<(), Fault> {
    let rest = lexer.remainder();
    match rest.find(end) {
        Some(at) => {
            lexer.bump(at + end.len());
            Ok(())
        }
        None => {
            lexer.bump(rest.len());
            Err(fault)
        }
    }
}

/// The tokens of a text, the last one always [`Token::End`]; what is no token
/// is reported and left out; after too much of it, so is the rest. O(bytes).
pub(super) fn tokens(text: &str, findings: &mut Findings) -> Vec<(Token, Span)> {
    let mut tokens = Vec::new();
    let mut strange: Option<Span> = None;
    for (token, range) in Token::lexer(text).spanned() {
        let span = Span::from(range);
        match token {
            Ok(Token::Comment) => {}
            Ok(token) => tokens.push((token, span)),
            Err(Fault::Character) => match &mut strange {
                Some(before) if before.end == span.start => before.end = span.end,
                _ => report_characters(strange.replace(span), text, findings),
            },
            Err(fault) => report_unclosed(fault, span, text, findings),
        }
        if findings.is_enough() {
            break;
        }
    }
    report_characters(strange, text, findings);
    tokens.push((
        Token::End,
        Span {
            start: text.len(),
            end: text.len(),
        },
    ));
    tokens
}

/// Reports a run of characters, once.
fn report_characters(run: Option<Span>, text: &str, findings: &mut Findings) {
    let Some(span) = run else { return };
    let all = text.get(span.start..span.end).unwrap_or("");
    let shown: String = all.chars().take(20).flat_map(char::escape_debug).collect();
    let message = format!("`{shown}` begins no word of Giotto");
    findings.report(
        Code::Character,
        span,
        message,
        "remove it; names are made of letters a-z, digits and `_`",
    );
}

fn report_unclosed(fault: Fault, span: Span, text: &str, findings: &mut Findings) {
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
    findings.report(Code::Unterminated, opening, message, help);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Editors colour by a list of words of their own, which is this one.
    #[test]
    fn the_grammar_for_editors_has_all_keywords_and_no_others() {
        let grammar = include_str!("../../editors/giotto.tmLanguage.json");
        let begin = grammar
            .find("\"keywords\": {")
            .expect("the rule of keywords");
        let end = begin
            + grammar[begin..]
                .find("\"types\": {")
                .expect("the next rule");
        let rules = grammar[begin..end].split("\\\\b(").skip(1);
        let words = rules.flat_map(|rule| rule.split(')').next().unwrap_or("").split('|'));
        let words: Vec<&str> = words.collect();
        for word in &words {
            let tokens = tokens(word, &mut Findings::default());
            assert!(![Token::Name, Token::End].contains(&tokens[0].0), "{word}");
            assert_eq!(tokens[0].0.describe(), format!("`{word}`"));
        }
        assert_eq!(words.len(), 19);
    }
}
