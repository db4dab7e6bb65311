//! From text to syntax tree: a total function.
//!
//! One function per rule of the grammar, each answering `Option`: `None` means
//! that the rule was left in the middle and the reason has been reported. The
//! caller then skips to the next `;`, `}` or section and goes on. No rule is
//! recursive, so no text can exhaust the stack; every loop takes a token a turn.

use super::Code;
use super::lexer::Token;
use super::tree::*;
use crate::cursor::Cursor;
use crate::diagnostic::{Findings, Span};
use crate::quantity::{self, QuantityError};
use crate::token::TokenKind;

/// Parses a program. O(bytes).
pub(super) fn parse(text: &str, findings: &mut Findings) -> Program {
    Parser::new(text, findings).program()
}

type Parser<'a> = Cursor<'a, Token>;

impl Parser<'_> {
    /// Skips to what may begin anew: behind a `;`, or at a section.
    fn recover(&mut self) {
        while self.peek() != Token::End && !self.peek().begins_section() {
            if self.eat(Token::Semicolon) {
                return;
            }
            self.advance();
        }
    }

    // program = [annot] sections task* driver* "start" IDENT "{" mode* "}"

    fn program(&mut self) -> Program {
        let mut program = Program {
            annotations: self.annotations(),
            ..Program::default()
        };
        loop {
            match self.peek() {
                Token::End => break,
                Token::Start => {
                    self.start(&mut program);
                    break;
                }
                token if token.begins_section() => self.section(&mut program),
                _ => {
                    self.unexpected("a section", SECTIONS);
                    self.advance();
                    self.recover();
                }
            }
        }
        self.end(&program);
        program
    }

    fn end(&mut self, program: &Program) {
        if program.start.is_none() && !self.findings.has_errors() {
            self.unexpected("`start`", "end the program with `start MODE { mode ... }`");
        } else if self.peek() != Token::End {
            self.unexpected(
                "the end of the program",
                "the start block is the last: move this before `start`",
            );
        }
    }

    fn section(&mut self, program: &mut Program) {
        match self.peek() {
            Token::Sensor => self.items(&mut program.sensors, Parser::device),
            Token::Actuator => self.items(&mut program.actuators, Parser::device),
            Token::Input => self.items(&mut program.inputs, Parser::input),
            Token::Output => self.items(&mut program.outputs, Parser::output),
            Token::Private => self.items(&mut program.privates, Parser::output),
            Token::Task => self.block(&mut program.tasks, Parser::task),
            _ => self.block(&mut program.drivers, Parser::driver),
        }
    }

    /// A keyword and any number of declarations that end with `;`.
    fn items<T>(&mut self, into: &mut Vec<T>, rule: fn(&mut Self) -> Option<T>) {
        self.advance();
        while self.peek() == Token::Name {
            match rule(self) {
                Some(item) => into.push(item),
                None => self.recover(),
            }
        }
    }

    /// One declaration that ends with `}`.
    fn block<T>(&mut self, into: &mut Vec<T>, rule: fn(&mut Self) -> Option<T>) {
        self.advance();
        match rule(self) {
            Some(item) => into.push(item),
            None => self.leave_block(),
        }
    }

    /// Skips behind the `}` that ends a broken task, driver or mode, or up to
    /// the next declaration if that comes first. `output` stands inside tasks
    /// and drivers, `input` and `private` may be names there: no ends.
    fn leave_block(&mut self) {
        loop {
            match self.peek() {
                Token::End | Token::Task | Token::Driver | Token::Start | Token::Mode => return,
                Token::Finish => {
                    self.advance();
                    return;
                }
                _ => {
                    self.advance();
                }
            }
        }
    }

    fn device(&mut self) -> Option<Bound> {
        self.bound(Token::Uses, "declare it as `TYPE NAME uses DEVICE_DRIVER;`")
    }

    fn output(&mut self) -> Option<Bound> {
        self.bound(Token::Becomes, "declare it as `TYPE NAME := INITIALISER;`")
    }

    fn bound(&mut self, by: Token, help: &str) -> Option<Bound> {
        let formal = self.formal(help)?;
        self.expect(by, help)?;
        let function = self.name(help)?;
        let annotation = self.annotation();
        self.expect(Token::Semicolon, help)?;
        Some(Bound {
            formal,
            function,
            annotation,
        })
    }

    fn input(&mut self) -> Option<Formal> {
        let help = "declare it as `TYPE NAME;`";
        let formal = self.formal(help)?;
        self.expect(Token::Semicolon, help)?;
        Some(formal)
    }

    fn formal(&mut self, help: &str) -> Option<Formal> {
        let type_name = self.name(help)?;
        let name = self.name(help)?;
        Some(Formal { type_name, name })
    }

    fn parameter(&mut self) -> Option<Formal> {
        self.formal("a parameter is `TYPE NAME`")
    }

    fn port_use(&mut self) -> Option<PortUse> {
        let help = "give the port's name";
        let first = self.name(help)?;
        if !self.peek().is_name() {
            return Some(PortUse {
                type_name: None,
                name: first,
            });
        }
        let name = self.name(help)?;
        Some(PortUse {
            type_name: Some(first),
            name,
        })
    }

    fn argument(&mut self) -> Option<Name> {
        self.name("give the name of a port or parameter")
    }

    fn state(&mut self) -> Option<Bound> {
        let help = "a state is `TYPE NAME := INITIALISER`";
        let formal = self.formal(help)?;
        self.expect(Token::Becomes, help)?;
        let function = self.name(help)?;
        Some(Bound {
            formal,
            function,
            annotation: None,
        })
    }

    /// `( item, ... )`, also empty.
    fn list<T>(&mut self, rule: fn(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        let help = "lists stand in parentheses, separated by `,`; they may be empty: `()`";
        self.expect(Token::Open, help)?;
        let mut list = Vec::new();
        if self.eat(Token::Close) {
            return Some(list);
        }
        loop {
            list.push(rule(self)?);
            if self.eat(Token::Close) {
                return Some(list);
            }
            if !self.eat(Token::Comma) {
                self.unexpected("`,` or `)`", help);
                return None;
            }
        }
    }

    fn call(&mut self, help: &str) -> Option<Call> {
        let function = self.name(help)?;
        let arguments = self.list(Parser::argument)?;
        Some(Call {
            function,
            arguments,
        })
    }

    fn task(&mut self) -> Option<Task> {
        let help = "a task is `task NAME(inputs) output (ports) state (states) { schedule FUNCTION(arguments) }`";
        let name = self.name(help)?;
        let inputs = self.list(Parser::parameter)?;
        self.expect(Token::Output, help)?;
        let outputs = self.list(Parser::port_use)?;
        self.expect(Token::State, help)?;
        let states = self.list(Parser::state)?;
        let annotation = self.annotation();
        self.expect(Token::Begin, help)?;
        self.expect(Token::Schedule, help)?;
        let schedule = self.call(help)?;
        self.expect(Token::Finish, help)?;
        Some(Task {
            name,
            inputs,
            outputs,
            states,
            annotation,
            schedule,
        })
    }

    fn driver(&mut self) -> Option<Driver> {
        let help = "a driver is `driver NAME(ports) output (parameters) { if GUARD(arguments) then FUNCTION(arguments) }`";
        let name = self.name(help)?;
        let sources = self.list(Parser::port_use)?;
        self.expect(Token::Output, help)?;
        let formals = self.list(Parser::parameter)?;
        let annotation = self.annotation();
        self.expect(Token::Begin, help)?;
        self.expect(Token::If, help)?;
        let guard = self.call(help)?;
        self.expect(Token::Then, help)?;
        let action = self.call(help)?;
        self.expect(Token::Finish, help)?;
        Some(Driver {
            name,
            sources,
            formals,
            annotation,
            guard,
            action,
        })
    }

    fn start(&mut self, program: &mut Program) {
        let help = "begin it with `start MODE {`";
        self.advance();
        program.start = self.name(help);
        if self.expect(Token::Begin, help).is_none() {
            self.leave_block();
        }
        while self.peek() != Token::Finish && self.peek() != Token::End {
            match self.peek() {
                Token::Mode => {
                    self.advance();
                    match self.mode() {
                        Some(mode) => program.modes.push(mode),
                        None => self.leave_block(),
                    }
                }
                _ => {
                    self.unexpected("`mode` or `}`", "the start block holds modes only");
                    self.leave_block();
                    self.skip_outsiders();
                }
            }
        }
        self.expect(Token::Finish, "close the start block with `}`");
    }

    /// Tasks and drivers inside the start block: already reported, not read.
    fn skip_outsiders(&mut self) {
        if matches!(self.peek(), Token::Task | Token::Driver | Token::Start) {
            self.advance();
            self.leave_block();
        }
    }

    fn mode(&mut self) -> Option<Mode> {
        let help = "a mode is `mode NAME(ports) period 20 { lines }`";
        let name = self.name(help)?;
        let ports = self.list(Parser::port_use)?;
        self.expect(Token::Period, help)?;
        let period = self.period()?;
        self.expect(Token::Begin, help)?;
        let mut lines = Vec::new();
        while !matches!(self.peek(), Token::Finish | Token::End | Token::Mode) {
            match self.line() {
                Some(line) => lines.push(line),
                None => self.leave_line(),
            }
        }
        self.expect(Token::Finish, "close the mode with `}`")?;
        Some(Mode {
            name,
            ports,
            period,
            lines,
        })
    }

    fn leave_line(&mut self) {
        while !matches!(self.peek(), Token::Finish | Token::End | Token::Mode)
            && !self.eat(Token::Semicolon)
        {
            self.advance();
        }
    }

    fn line(&mut self) -> Option<Line> {
        let help = "a line is `actfreq|exitfreq|taskfreq N do TARGET(DRIVER);`";
        let mut annotations = self.annotations();
        let kind = match self.peek() {
            Token::ActFreq => LineKind::Update,
            Token::ExitFreq => LineKind::Exit,
            Token::TaskFreq => LineKind::Invoke,
            _ => {
                self.unexpected("`actfreq`, `exitfreq` or `taskfreq`", help);
                return None;
            }
        };
        self.advance();
        let frequency = self.frequency()?;
        self.expect(Token::Do, help)?;
        let target = self.name(help)?;
        self.expect(Token::Open, help)?;
        let driver = self.name(help)?;
        self.expect(Token::Close, help)?;
        annotations.extend(self.annotations());
        self.expect(Token::Semicolon, help)?;
        Some(Line {
            kind,
            frequency,
            target,
            driver,
            annotations,
        })
    }

    fn period(&mut self) -> Option<Quantity> {
        let span = self.expect(Token::Number, QuantityError::Malformed.help())?;
        let mut text = self.slice(span).to_owned();
        let mut whole = span;
        if self.peek() == Token::Name && self.second() == Token::Begin {
            whole = span.to(self.advance());
            text = self.slice(whole).to_owned();
        }
        self.positive(quantity::nanos(&text), whole, "a period")
    }

    fn frequency(&mut self) -> Option<Quantity> {
        let span = self.expect(
            Token::Number,
            "a frequency is how often in a period, like `2`",
        )?;
        let value = quantity::count(self.slice(span));
        self.positive(value, span, "a frequency")
    }

    fn positive(
        &mut self,
        value: Result<u64, QuantityError>,
        span: Span,
        what: &str,
    ) -> Option<Quantity> {
        let (message, help) = match value {
            Ok(0) => (
                format!("{what} of 0 means nothing"),
                "write a number from 1",
            ),
            Ok(value) => return Some(Quantity { value, span }),
            Err(error) => {
                let help = if what == "a period" {
                    error.help()
                } else {
                    "a frequency is how often in a period, like `2`"
                };
                (format!("`{}` is not {what}", self.slice(span)), help)
            }
        };
        self.findings.report(Code::Number, span, message, help);
        self.silence();
        None
    }
}

const SECTIONS: &str = "the sections are sensor, actuator, input, output, private, task, driver and start, in this order";
