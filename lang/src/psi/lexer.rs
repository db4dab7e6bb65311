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
    #[token("clock")]
    Clock,
    #[token("sensor")]
    Sensor,
    #[token("actuator")]
    Actuator,
    #[token("task")]
    Task,
    #[token("export")]
    Export,
    #[token("state")]
    State,
    #[token("uses")]
    Uses,
    #[token("advance")]
    Advance,
    #[token("if")]
    If,
    #[token("else")]
    Else,
    #[token("loop")]
    Loop,
    #[token("max")]
    Max,
    #[token("true")]
    True,
    #[token("false")]
    False,
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
    #[token("->")]
    Gives,
    #[token("=")]
    Is,
    #[token("==")]
    Equal,
    #[token("!=")]
    NotEqual,
    #[token("<")]
    Less,
    #[token("<=")]
    LessOrEqual,
    #[token(">")]
    Greater,
    #[token(">=")]
    GreaterOrEqual,
    #[token("&&")]
    And,
    #[token("||")]
    Or,
    #[token("!")]
    Not,
    #[token("-")]
    Minus,
    /// Digits, and letters right after them; or digits on both sides of a point.
    #[regex(r"[0-9][0-9A-Za-z_]*(\.[0-9][0-9A-Za-z_]*)?")]
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
    const LANGUAGE: &'static str = "Psi";
    const COMMENT: Token = Token::Comment;
    const ANNOTATION: Token = Token::Annotation;
    const END: Token = Token::End;

    fn describe(self) -> &'static str {
        use Token::*;
        match self {
            Clock => "`clock`",
            Sensor => "`sensor`",
            Actuator => "`actuator`",
            Task => "`task`",
            Export => "`export`",
            State => "`state`",
            Uses => "`uses`",
            Advance => "`advance`",
            If => "`if`",
            Else => "`else`",
            Loop => "`loop`",
            Max => "`max`",
            True => "`true`",
            False => "`false`",
            Open => "`(`",
            Close => "`)`",
            Begin => "`{`",
            Finish => "`}`",
            Comma => "`,`",
            Semicolon => "`;`",
            Becomes => "`:=`",
            Gives => "`->`",
            Is => "`=`",
            Equal => "`==`",
            NotEqual => "`!=`",
            Less => "`<`",
            LessOrEqual => "`<=`",
            Greater => "`>`",
            GreaterOrEqual => "`>=`",
            And => "`&&`",
            Or => "`||`",
            Not => "`!`",
            Minus => "`-`",
            Number => "a number",
            Name => "a name",
            Annotation => "an annotation",
            Comment => "a comment",
            End => "the end of the program",
        }
    }

    /// `max` is too good a name to be lost.
    fn is_name(self) -> bool {
        matches!(self, Token::Name | Token::Max)
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
    /// Whether it begins a declaration of the program.
    pub(super) fn begins_declaration(self) -> bool {
        use Token::*;
        matches!(self, Clock | Sensor | Actuator | Task)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostic::Findings;
    use crate::token::tokens;

    /// Editors colour by a list of words of their own, which is this one.
    #[test]
    fn the_grammar_for_editors_has_all_keywords_and_no_others() {
        let grammar = include_str!("../../editors/psi.tmLanguage.json");
        let (_, rules) = grammar.split_once("\"keywords\": {").expect("its rule");
        let (rules, _) = rules.split_once("\"types\": {").expect("the next rule");
        let rules = rules.split("\\\\b(").skip(1);
        let words = rules.flat_map(|rule| rule.split(')').next().unwrap_or("").split('|'));
        let words: Vec<&str> = words.collect();
        for word in &words {
            let tokens = tokens::<Token>(word, &mut Findings::default());
            assert!(![Token::Name, Token::End].contains(&tokens[0].0), "{word}");
            assert_eq!(tokens[0].0.describe(), format!("`{word}`"));
        }
        assert_eq!(words.len(), 14);
    }
}
