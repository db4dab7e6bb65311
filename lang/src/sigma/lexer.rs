//! Words of the language.

use logos::Logos;

use super::Code;
use crate::code;
use crate::token::{Fault, TokenKind, annotation, comment};

/// A token.
#[derive(Logos, Clone, Copy, Debug, PartialEq, Eq)]
#[logos(error = Fault)]
#[logos(skip r"[ \t\r\n\f\u{feff}]+")]
#[logos(skip(r"//[^\n]*", allow_greedy = true))]
pub(super) enum Token {
    #[token("filter")]
    Filter,
    #[token("channel")]
    Channel,
    #[token("source")]
    Source,
    #[token("sink")]
    Sink,
    #[token("dup")]
    Duplicate,
    #[token("split")]
    Split,
    #[token("join")]
    Join,
    #[token("permute")]
    Permute,
    #[token("run")]
    Run,
    #[token("in")]
    In,
    #[token("out")]
    Out,
    #[token("capacity")]
    Capacity,
    #[token("initial")]
    Initial,
    #[token("{")]
    Begin,
    #[token("}")]
    Finish,
    #[token(",")]
    Comma,
    #[token(";")]
    Semicolon,
    #[token(".")]
    Dot,
    #[token(":")]
    Colon,
    #[token("->")]
    Arrow,
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

impl TokenKind for Token {
    const LANGUAGE: &'static str = "Sigma";
    const COMMENT: Token = Token::Comment;
    const ANNOTATION: Token = Token::Annotation;
    const END: Token = Token::End;

    fn describe(self) -> &'static str {
        use Token::*;
        match self {
            Filter => "`filter`",
            Channel => "`channel`",
            Source => "`source`",
            Sink => "`sink`",
            Duplicate => "`dup`",
            Split => "`split`",
            Join => "`join`",
            Permute => "`permute`",
            Run => "`run`",
            In => "`in`",
            Out => "`out`",
            Capacity => "`capacity`",
            Initial => "`initial`",
            Begin => "`{`",
            Finish => "`}`",
            Comma => "`,`",
            Semicolon => "`;`",
            Dot => "`.`",
            Colon => "`:`",
            Arrow => "`->`",
            Number => "a number",
            Name => "a name",
            Annotation => "brackets",
            Comment => "a comment",
            End => "the end of the program",
        }
    }

    /// Words that begin no declaration are names of ports, as `in` and `out` are of
    /// those filters that have no code.
    fn is_name(self) -> bool {
        use Token::*;
        matches!(self, Name | Run | In | Out | Capacity | Initial)
    }

    fn character() -> code::Code {
        Code::Character.into()
    }

    fn unterminated() -> code::Code {
        Code::Unterminated.into()
    }

    fn syntax() -> code::Code {
        Code::Syntax.into()
    }
}

impl Token {
    /// Whether it begins a declaration.
    pub(super) fn begins_declaration(self) -> bool {
        use Token::*;
        matches!(
            self,
            Filter | Channel | Source | Sink | Duplicate | Split | Join | Permute
        )
    }
}
