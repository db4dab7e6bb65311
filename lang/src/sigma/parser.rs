//! From text to syntax tree: a total function.
//!
//! One function per rule of the grammar, each answering `Option`: `None` means
//! that the rule was left in the middle and the reason has been reported. The
//! caller then skips behind the next `;` or `}`, or to the next declaration. No rule
//! is recursive, so no text can exhaust the stack; every loop takes a token a turn.

use super::Code;
use super::lexer::Token;
use super::tree::*;
use crate::cursor::Cursor;
use crate::diagnostic::Findings;
use crate::quantity::{self, QuantityError};

const DECLARATIONS: &str =
    "a program consists of filter, source, sink, dup, split, join, permute and channel";
const FILTER: &str = "a filter is `filter NAME { in PORT[rates]; out PORT[rates]; }`";
const CHANNEL: &str = "a channel is `channel FILTER.PORT -> FILTER.PORT : TYPE;`, with `capacity N` and `initial N` before the `;` if wanted";

/// Parses a program. O(bytes).
pub(super) fn parse(text: &str, findings: &mut Findings) -> Program {
    Parser::new(text, findings).program()
}

type Parser<'a> = Cursor<'a, Token>;

impl Parser<'_> {
    fn program(&mut self) -> Program {
        let mut program = Program::default();
        while self.peek() != Token::End {
            let keyword = self.peek();
            if self.declaration(&mut program).is_none() {
                self.recover(keyword == Token::Filter);
            }
        }
        if program.filters.is_empty() && !self.findings.has_errors() {
            self.unexpected("a filter", DECLARATIONS);
        }
        program
    }

    /// Skips to what may begin anew: the next declaration, or behind the end of a broken one.
    fn recover(&mut self, is_block: bool) {
        while self.peek() != Token::End && !self.peek().begins_declaration() {
            if self.eat(Token::Finish) || !is_block && self.eat(Token::Semicolon) {
                return;
            }
            self.advance();
        }
    }

    fn declaration(&mut self, program: &mut Program) -> Option<()> {
        let keyword = match self.peek() {
            Token::Channel | Token::Filter => None,
            Token::Source => Some(Keyword::Source),
            Token::Sink => Some(Keyword::Sink),
            Token::Duplicate => Some(Keyword::Duplicate),
            Token::Split => Some(Keyword::Split),
            Token::Join => Some(Keyword::Join),
            Token::Permute => Some(Keyword::Permute),
            _ => {
                self.unexpected("a declaration", DECLARATIONS);
                self.advance();
                return None;
            }
        };
        let is_channel = self.peek() == Token::Channel;
        self.advance();
        match keyword {
            Some(keyword) => program.filters.push(self.plain(keyword)?),
            None if is_channel => program.channels.push(self.channel()?),
            None => program.filters.push(self.filter()?),
        }
        Some(())
    }

    /// A filter without code.
    fn plain(&mut self, keyword: Keyword) -> Option<Filter> {
        let help = match keyword {
            Keyword::Split | Keyword::Join => {
                "list how many tokens each branch gets in turn: `split NAME[2, 1];`"
            }
            Keyword::Permute => {
                "list which token comes first, second and so on: `permute NAME[1, 0];`"
            }
            _ => "end it with `;`",
        };
        let Bracketed { name, brackets } = self.bracketed(help)?;
        self.expect(Token::Semicolon, help)?;
        Some(Filter {
            keyword,
            name,
            brackets,
            functions: Vec::new(),
            inputs: Vec::new(),
            outputs: Vec::new(),
        })
    }

    fn filter(&mut self) -> Option<Filter> {
        let Bracketed { name, brackets } = self.bracketed(FILTER)?;
        self.expect(Token::Begin, FILTER)?;
        let mut filter = Filter {
            keyword: Keyword::Filter,
            name,
            brackets,
            functions: Vec::new(),
            inputs: Vec::new(),
            outputs: Vec::new(),
        };
        loop {
            let list = match self.peek() {
                Token::Run => &mut filter.functions,
                Token::In => &mut filter.inputs,
                Token::Out => &mut filter.outputs,
                Token::Finish => break,
                token => {
                    self.unexpected("`run`, `in`, `out` or `}`", FILTER);
                    if token == Token::End || token.begins_declaration() {
                        return None;
                    }
                    self.leave_line();
                    continue;
                }
            };
            self.advance();
            if self.list(list).is_none() {
                self.leave_line();
            }
        }
        self.advance();
        Some(filter)
    }

    /// Skips behind the next `;`, or up to what ends the filter.
    fn leave_line(&mut self) {
        while !matches!(self.peek(), Token::Finish | Token::End)
            && !self.peek().begins_declaration()
            && !self.eat(Token::Semicolon)
        {
            self.advance();
        }
    }

    /// `NAME [brackets], ...;`
    fn list(&mut self, into: &mut Vec<Bracketed>) -> Option<()> {
        let help = "names are separated by `,`, and end with `;`";
        loop {
            into.push(self.bracketed(help)?);
            if self.eat(Token::Semicolon) {
                return Some(());
            }
            if !self.eat(Token::Comma) {
                self.unexpected("`,` or `;`", help);
                return None;
            }
        }
    }

    fn bracketed(&mut self, help: &str) -> Option<Bracketed> {
        let name = self.name(help)?;
        Some(Bracketed {
            name,
            brackets: self.annotations(),
        })
    }

    fn channel(&mut self) -> Option<Channel> {
        let from = self.end()?;
        self.expect(Token::Arrow, CHANNEL)?;
        let to = self.end()?;
        self.expect(Token::Colon, CHANNEL)?;
        let mut channel = Channel {
            from,
            to,
            token: self.bracketed(CHANNEL)?,
            capacity: None,
            initial: None,
        };
        loop {
            let number = match self.peek() {
                Token::Capacity => &mut channel.capacity,
                Token::Initial => &mut channel.initial,
                Token::Semicolon => break,
                _ => {
                    self.unexpected("`capacity`, `initial` or `;`", CHANNEL);
                    return None;
                }
            };
            if number.is_some() {
                self.unexpected("`;`", "give each number once");
                return None;
            }
            self.advance();
            *number = Some(self.number()?);
        }
        self.advance();
        Some(channel)
    }

    fn end(&mut self) -> Option<End> {
        let filter = self.name(CHANNEL)?;
        self.expect(Token::Dot, CHANNEL)?;
        let port = self.name(CHANNEL)?;
        Some(End { filter, port })
    }

    /// A count of tokens.
    fn number(&mut self) -> Option<Quantity> {
        if self.peek() != Token::Number {
            self.unexpected("a number", "give a count of tokens, like `8`");
            return None;
        }
        let span = self.advance();
        match quantity::count(self.slice(span)) {
            Ok(value) => Some(Quantity { value, span }),
            Err(error) => {
                let message = format!("`{}` is not a count of tokens", self.slice(span));
                let help = match error {
                    QuantityError::TooLarge => "a channel holds at most 2147483647 tokens",
                    _ => "write a whole number, like `8`",
                };
                self.findings.report(Code::Number, span, message, help);
                self.silence();
                None
            }
        }
    }
}
