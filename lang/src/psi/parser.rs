//! From text to syntax tree: a total function.
//!
//! One function per rule of the grammar, each answering `Option`: `None` means
//! that the rule was left in the middle and the reason has been reported. The
//! caller then skips to the next `;`, `}` or declaration and goes on. Only blocks
//! are recursive, up to [`DEEPEST`]; every loop takes a token a turn.

use giornata_abi::Comparison;

use super::Code;
use super::lexer::Token;
use super::tree::*;
use crate::cursor::Cursor;
use crate::diagnostic::{Findings, Span};
use crate::quantity::{self, QuantityError};
use crate::token::TokenKind;

/// Blocks may be nested so deeply.
const DEEPEST: usize = 32;

type Parser<'a> = Cursor<'a, Token>;

/// Parses a program. O(bytes).
pub(super) fn parse(text: &str, findings: &mut Findings) -> Program {
    Parser::new(text, findings).program()
}

const DECLARATIONS: &str =
    "a program is made of `clock`, `sensor` and `actuator` declarations, and of tasks";

impl Parser<'_> {
    /// Skips to what may begin anew: behind a `;`, or at a declaration.
    fn recover(&mut self) {
        while self.peek() != Token::End && !self.peek().begins_declaration() {
            if self.eat(Token::Semicolon) {
                return;
            }
            self.advance();
        }
    }

    // program = { clock | sensor | actuator | task }

    fn program(&mut self) -> Program {
        let mut program = Program::default();
        loop {
            let read = match self.peek() {
                Token::End => break,
                Token::Clock => self.clock().map(|clock| program.clocks.push(clock)),
                Token::Sensor => self.device().map(|device| program.sensors.push(device)),
                Token::Actuator => self.device().map(|device| program.actuators.push(device)),
                Token::Task => self.task().map(|task| program.tasks.push(task)),
                _ => {
                    self.unexpected("a declaration", DECLARATIONS);
                    self.advance();
                    None
                }
            };
            if read.is_none() {
                self.recover();
            }
        }
        if program.tasks.is_empty() && !self.findings.has_errors() {
            let help = "write what it does: `task NAME { work(); advance(10 ms); }`";
            self.unexpected("a task", help);
        }
        program
    }

    fn clock(&mut self) -> Option<Clock> {
        let help = "a clock is `clock NAME = 1ms;`";
        self.advance();
        let name = self.name(help)?;
        self.expect(Token::Is, help)?;
        let tick = self.time()?;
        self.expect(Token::Semicolon, help)?;
        Some(Clock { name, tick })
    }

    /// `20ms` or `20 ms`.
    fn time(&mut self) -> Option<Quantity> {
        let mut span = self.expect(Token::Number, QuantityError::Malformed.help())?;
        if self.peek() == Token::Name {
            span = span.to(self.advance());
        }
        match quantity::nanos(self.slice(span)) {
            Ok(value) => self.positive(value, span, "a tick"),
            Err(error) => self.no_number(span, "a time", error.help()),
        }
    }

    fn positive(&mut self, value: u64, span: Span, what: &str) -> Option<Quantity> {
        if value > 0 {
            return Some(Quantity { value, span });
        }
        let message = format!("{what} of 0 means nothing");
        let help = "write a number from 1";
        self.findings.report(Code::Number, span, message, help);
        self.silence();
        None
    }

    fn no_number<T>(&mut self, span: Span, what: &str, help: &str) -> Option<T> {
        let message = format!("`{}` is not {what}", self.slice(span));
        self.findings.report(Code::Number, span, message, help);
        self.silence();
        None
    }

    /// A whole number from 1.
    fn count(&mut self, what: &str, help: &str) -> Option<Quantity> {
        let span = self.expect(Token::Number, help)?;
        match quantity::count(self.slice(span)) {
            Ok(value) => self.positive(value, span, what),
            Err(_) => self.no_number(span, what, help),
        }
    }

    fn device(&mut self) -> Option<Device> {
        let help = "declare it as `TYPE NAME uses DEVICE_DRIVER;`";
        self.advance();
        let type_name = self.name(help)?;
        let name = self.name(help)?;
        self.expect(Token::Uses, help)?;
        let function = self.name(help)?;
        let annotations = self.annotations();
        self.expect(Token::Semicolon, help)?;
        Some(Device {
            type_name,
            name,
            function,
            annotations,
        })
    }

    fn task(&mut self) -> Option<Task> {
        let help = "a task is `task NAME { variables jobs }`";
        self.advance();
        let name = self.name(help)?;
        let annotations = self.annotations();
        self.expect(Token::Begin, help)?;
        let mut variables = Vec::new();
        while matches!(self.peek(), Token::Export | Token::State) {
            match self.variable() {
                Some(variable) => variables.push(variable),
                None => self.leave_statement(),
            }
        }
        let body = self.statements(0);
        self.expect(Token::Finish, "close the task with `}`")?;
        Some(Task {
            name,
            annotations,
            variables,
            body,
        })
    }

    fn variable(&mut self) -> Option<Variable> {
        let help = "a variable is `export TYPE NAME;` or `state TYPE NAME := INITIALISER;`";
        let is_exported = self.peek() == Token::Export;
        self.advance();
        let type_name = self.name(help)?;
        let name = self.name(help)?;
        let initialiser = match self.eat(Token::Becomes) {
            true => Some(self.name("`:=` names the function that gives it its first value")?),
            false => None,
        };
        let annotations = self.annotations();
        self.expect(Token::Semicolon, help)?;
        Some(Variable {
            is_exported,
            type_name,
            name,
            initialiser,
            annotations,
        })
    }

    /// Skips behind the `;` that ends a broken statement, or to the end of its block.
    fn leave_statement(&mut self) {
        loop {
            match self.peek() {
                Token::End | Token::Finish | Token::Task => return,
                Token::Semicolon => {
                    self.advance();
                    return;
                }
                Token::Begin => {
                    self.skip_block();
                    return;
                }
                _ => {
                    self.advance();
                }
            }
        }
    }

    /// Skips behind the `}` that closes the `{` that stands here.
    fn skip_block(&mut self) {
        let mut depth = 0usize;
        loop {
            match self.peek() {
                Token::End | Token::Task => return,
                Token::Begin => depth += 1,
                Token::Finish if depth <= 1 => {
                    self.advance();
                    return;
                }
                Token::Finish => depth -= 1,
                _ => {}
            }
            self.advance();
        }
    }

    /// The statements up to the `}` of their block.
    fn statements(&mut self, depth: usize) -> Vec<Statement> {
        let mut statements = Vec::new();
        while !matches!(self.peek(), Token::Finish | Token::End | Token::Task) {
            match self.statement(depth) {
                Some(statement) => statements.push(statement),
                None => self.leave_statement(),
            }
        }
        statements
    }

    fn statement(&mut self, depth: usize) -> Option<Statement> {
        match self.peek() {
            Token::Advance => self.width().map(Statement::Advance),
            Token::If => self.branch(depth),
            Token::Loop => self.repeat(depth),
            Token::Export | Token::State => {
                let help = "move it to the top of the task, before its first job";
                self.unexpected("a job", help);
                None
            }
            token if token.is_name() => self.job().map(Statement::Job),
            _ => {
                let help = "a task is made of `FUNCTION(arguments) -> results;`, `advance`, `if` and `loop`";
                self.unexpected("a job, `advance`, `if`, `loop` or `}`", help);
                None
            }
        }
    }

    fn job(&mut self) -> Option<Job> {
        let help = "a job is `FUNCTION(arguments) -> results;`";
        let function = self.name(help)?;
        let arguments = self.arguments()?;
        let mut results = Vec::new();
        if self.eat(Token::Gives) {
            let help = "name the variables that it writes, separated by `,`";
            results.push(self.name(help)?);
            while self.eat(Token::Comma) {
                results.push(self.name(help)?);
            }
        }
        let annotations = self.annotations();
        self.expect(Token::Semicolon, help)?;
        Some(Job {
            function,
            arguments,
            results,
            annotations,
        })
    }

    /// `( name, ... )`, also empty.
    fn arguments(&mut self) -> Option<Vec<Name>> {
        let help = "arguments stand in parentheses, separated by `,`; they may be none: `()`";
        self.expect(Token::Open, help)?;
        let mut list = Vec::new();
        if self.eat(Token::Close) {
            return Some(list);
        }
        loop {
            list.push(self.name("give the name of a variable or sensor")?);
            if self.eat(Token::Close) {
                return Some(list);
            }
            if !self.eat(Token::Comma) {
                self.unexpected("`,` or `)`", help);
                return None;
            }
        }
    }

    fn width(&mut self) -> Option<Width> {
        let help = "the end of a window is `advance(3 ms);`";
        let begin = self.advance();
        self.expect(Token::Open, help)?;
        let span = self.expect(Token::Number, help)?;
        let text = self.slice(span);
        let digits = text
            .find(|c: char| !c.is_ascii_digit())
            .unwrap_or(text.len());
        let unit = match (digits < text.len(), self.peek().is_name()) {
            (true, _) => Some(Name {
                text: text[digits..].to_owned(),
                span: Span {
                    start: span.start + digits,
                    end: span.end,
                },
            }),
            (false, true) => self.name(help),
            (false, false) => None,
        };
        let number = Span {
            end: span.start + digits,
            ..span
        };
        let count = match quantity::count(&text[..digits]) {
            Ok(value) => Quantity {
                value,
                span: number,
            },
            Err(error) => return self.no_number(span, "a width", error.help()),
        };
        if text[digits..].starts_with('.') {
            let help = "write a whole number, of a shorter unit perhaps: `1500us`";
            return self.no_number(span, "a width", help);
        }
        self.expect(Token::Close, help)?;
        let end = self.expect(Token::Semicolon, help)?;
        Some(Width {
            count,
            unit,
            span: begin.to(end),
        })
    }

    /// A block one level deeper.
    fn block(&mut self, depth: usize, help: &str) -> Option<Vec<Statement>> {
        if depth >= DEEPEST && self.peek() == Token::Begin {
            let message = format!("blocks are nested more than {DEEPEST} deep");
            let help = "give the inner part a task of its own, or compute the choice in a job";
            self.findings
                .report(Code::Nesting, self.span(), message, help);
            self.silence();
            return None;
        }
        self.expect(Token::Begin, help)?;
        let statements = self.statements(depth + 1);
        self.expect(Token::Finish, "close the block with `}`")?;
        Some(statements)
    }

    fn branch(&mut self, depth: usize) -> Option<Statement> {
        let help = "a branch is `if (n > 3) { ... } else { ... }`";
        let mut arms = Vec::new();
        loop {
            self.advance();
            self.expect(Token::Open, help)?;
            let condition = self.condition()?;
            self.expect(Token::Close, help)?;
            arms.push((condition, self.block(depth, help)?));
            if !self.eat(Token::Else) {
                return Some(Statement::If(arms, Vec::new()));
            }
            if self.peek() != Token::If {
                return Some(Statement::If(arms, self.block(depth, help)?));
            }
        }
    }

    fn condition(&mut self) -> Option<Condition> {
        let mut alternatives = vec![vec![self.test()?]];
        loop {
            if self.eat(Token::Or) {
                alternatives.push(vec![self.test()?]);
            } else if self.eat(Token::And) {
                let test = self.test()?;
                alternatives.last_mut()?.push(test);
            } else {
                return Some(Condition { alternatives });
            }
        }
    }

    fn test(&mut self) -> Option<Test> {
        let help = "a test is `n`, `!n` or a comparison with a constant: `n >= 3`";
        if self.eat(Token::Not) {
            return Some(Test {
                variable: self.name(help)?,
                comparison: Comparison::NotEqual,
                constant: None,
            });
        }
        let variable = self.name(help)?;
        let Some(comparison) = comparison(self.peek()) else {
            return Some(Test {
                variable,
                comparison: Comparison::Equal,
                constant: None,
            });
        };
        self.advance();
        Some(Test {
            variable,
            comparison,
            constant: Some(self.constant()?),
        })
    }

    fn constant(&mut self) -> Option<Constant> {
        let begin = self.span();
        let is_negative = self.eat(Token::Minus);
        let span = match self.peek() {
            Token::Number => self.advance(),
            Token::True | Token::False if !is_negative => self.advance(),
            _ => {
                let help = "a variable is compared with a constant; compare two variables in a job";
                self.unexpected("a number, `true` or `false`", help);
                return None;
            }
        };
        let sign = if is_negative { "-" } else { "" };
        Some(Constant {
            text: format!("{sign}{}", self.slice(span)),
            span: begin.to(span),
        })
    }

    fn repeat(&mut self, depth: usize) -> Option<Statement> {
        let help = "a loop is `loop (3) { ... }` or, of a variable, `loop (n max 8) { ... }`";
        let begin = self.advance();
        self.expect(Token::Open, help)?;
        let count = match self.peek() {
            Token::Number => Count::Constant(self.count("a count", help)?),
            _ => {
                let variable = self.name(help)?;
                self.expect(Token::Max, help)?;
                Count::Variable(variable, self.count("a count", help)?)
            }
        };
        let end = self.expect(Token::Close, help)?;
        let body = self.block(depth, help)?;
        Some(Statement::Loop(count, body, begin.to(end)))
    }
}

fn comparison(token: Token) -> Option<Comparison> {
    Some(match token {
        Token::Equal => Comparison::Equal,
        Token::NotEqual => Comparison::NotEqual,
        Token::Less => Comparison::Less,
        Token::LessOrEqual => Comparison::LessOrEqual,
        Token::Greater => Comparison::Greater,
        Token::GreaterOrEqual => Comparison::GreaterOrEqual,
        _ => return None,
    })
}
