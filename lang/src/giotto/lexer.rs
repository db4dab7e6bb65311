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

impl TokenKind for Token {
    const LANGUAGE: &'static str = "Giotto";
    const COMMENT: Token = Token::Comment;
    const ANNOTATION: Token = Token::Annotation;
    const END: Token = Token::End;

    fn describe(self) -> &'static str {
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

    /// `input` and `private` came into the language late, so that older
    /// programs use them as names; `state` is too good a name to be lost.
    fn is_name(self) -> bool {
        matches!(
            self,
            Token::Name | Token::Input | Token::Private | Token::State
        )
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
    /// Whether it begins a section of the program.
    pub(super) fn begins_section(self) -> bool {
        use Token::*;
        matches!(
            self,
            Sensor | Actuator | Input | Output | Private | Task | Driver | Start
        )
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
            let tokens = tokens::<Token>(word, &mut Findings::default());
            assert!(![Token::Name, Token::End].contains(&tokens[0].0), "{word}");
            assert_eq!(tokens[0].0.describe(), format!("`{word}`"));
        }
        assert_eq!(words.len(), 19);
    }
}
