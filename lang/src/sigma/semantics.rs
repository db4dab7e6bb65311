//! From syntax tree to graph: names, ports, rates, types.

use std::collections::BTreeMap;

use super::Code;
use super::brackets::numbers;
use super::declarations::{Declarations, Declared, MOST_OUTPUTS, Port};
use super::graph::{self, MOST_TOKENS, Token};
use super::model::Model;
use super::tree::{self, End, Program, Quantity};
use crate::diagnostic::{Diagnostic, Findings, Span};
use crate::names::Names;
use crate::spelling::nearest;

/// The graph of a program; none if there is an error, which is reported.
/// O(program + rates).
pub(super) fn check(program: &Program, findings: &mut Findings) -> Option<Model> {
    let mut names = Names::default();
    for (number, filter) in program.filters.iter().enumerate() {
        names.declare(&filter.name, number, "filter", Code::Duplicate, findings);
    }
    let mut declarations = Declarations::new(findings);
    let mut filters = Vec::new();
    for (number, filter) in program.filters.iter().enumerate() {
        let declared = declarations.filter(filter);
        // of two with one name, channels mean the first
        let is_first = names.find(&filter.name.text).map(|(first, _)| first) == Some(number);
        filters.push(declared.filter(|_| is_first));
    }
    let mut connections = Connections {
        names,
        filters,
        channels: Vec::new(),
        findings,
    };
    for channel in &program.channels {
        connections.channel(channel);
    }
    connections.check_ports();
    connections.check_types();
    connections.model()
}

struct Connections<'t, 'f> {
    names: Names<'t>,
    /// None where a declaration has been refused.
    filters: Vec<Option<Declared>>,
    channels: Vec<(graph::Channel, Span)>,
    findings: &'f mut Findings,
}

impl Connections<'_, '_> {
    fn channel(&mut self, tree: &tree::Channel) {
        // both ends are looked at before the first error ends it
        let (from, to) = (self.end(&tree.from, false), self.end(&tree.to, true));
        let token = self.token(tree);
        let capacity = tree.capacity.map(|number| self.count(number, 1));
        let initial = tree.initial.map(|number| self.count(number, 0));
        let (Some(from), Some(to), Some(token)) = (from, to, token) else {
            return;
        };
        let initial = initial.flatten().unwrap_or(0);
        let capacity = capacity.flatten();
        if let (Some(most), Some(given)) = (capacity, tree.capacity)
            && initial > most
        {
            let message = format!("a channel of capacity {most} cannot hold {initial} tokens");
            let help = format!("give it a capacity of {initial} at least, or fewer initial tokens");
            self.findings
                .report(Code::Overfull, given.span, message, help);
            return;
        }
        let channel = graph::Channel {
            from,
            to,
            token,
            capacity,
            initial,
        };
        self.channels.push((channel, tree.span()));
    }

    /// An end of a channel, unless something is wrong with it.
    fn end(&mut self, end: &End, is_input: bool) -> Option<graph::End> {
        let code = Code::UnknownFilter;
        let filter = self
            .names
            .look_up(&end.filter, code, "filter", self.findings)?;
        let declared = self.filters.get_mut(filter)?.as_mut()?;
        let Some(number) = declared.port(&end.port) else {
            self.findings.add(unknown_port(declared, end));
            declared.is_suspect = true;
            return None;
        };
        let port = &mut declared.ports[number];
        if port.is_input != is_input {
            port.channel = Some(end.port.span);
            let place = match is_input {
                true => "ends at an input",
                false => "begins at an output",
            };
            let message = format!(
                "`{}.{}` is {}, and a channel {place}",
                end.filter.text,
                end.port.text,
                port.kind()
            );
            self.findings.report(
                Code::PortKind,
                end.port.span,
                message,
                "write the output before `->`, and the input behind",
            );
            return None;
        }
        if let Some(first) = port.channel {
            let message = format!("`{}.{}` has two channels", end.filter.text, end.port.text);
            let help = "a port has one channel: copy its tokens with a `dup`";
            let found = Diagnostic::new(Code::PortTwice, end.port.span, message, help);
            self.findings.add(found.also(first, "the first one"));
            return None;
        }
        port.channel = Some(end.port.span);
        Some(graph::End {
            filter,
            port: port.name.clone(),
            rates: port.rates.clone(),
        })
    }

    /// The type of a channel's tokens.
    fn token(&mut self, tree: &tree::Channel) -> Option<Token> {
        let element = tree.token.name.text.clone();
        let Some(brackets) = tree.token.brackets.first() else {
            return Some(Token { element, count: 1 });
        };
        let count = numbers(brackets, self.findings)?;
        match (count.as_slice(), tree.token.brackets.len()) {
            ([count], 1) if *count > 0 => Some(Token {
                element,
                count: *count,
            }),
            _ => {
                let message = format!("a token is one array of `{element}`");
                let help = format!("give the number of its elements, at least 1: `{element}[4]`");
                self.findings
                    .report(Code::Number, brackets.span, message, help);
                None
            }
        }
    }

    fn count(&mut self, number: Quantity, least: u64) -> Option<u64> {
        if (least..=MOST_TOKENS).contains(&number.value) {
            return Some(number.value);
        }
        let message = format!("{} is no number of tokens here", number.value);
        let help = format!("a channel holds {least} to {MOST_TOKENS} tokens");
        self.findings
            .report(Code::Number, number.span, message, help);
        None
    }

    /// Ports without a channel.
    fn check_ports(&mut self) {
        let filters = self.filters.iter().flatten();
        for declared in filters.filter(|declared| !declared.is_suspect) {
            let name = &declared.filter.name;
            let is_open = |port: &&Port| port.channel.is_none();
            for port in declared.ports.iter().filter(is_open) {
                let message = format!("port `{name}.{}` has no channel", port.name);
                let help = match port.is_input {
                    true => format!("add `channel FILTER.PORT -> {name}.{} : TYPE;`", port.name),
                    false => format!("add `channel {name}.{} -> FILTER.PORT : TYPE;`", port.name),
                };
                self.findings
                    .report(Code::Unconnected, port.span, message, help);
            }
            if declared.filter.kind == graph::Kind::Duplicate {
                let missing = missing_output(&declared.ports);
                if let Some(missing) = missing {
                    let message = format!("port `{name}.out{missing}` has no channel");
                    let help = "the outputs of a `dup` are out0, out1 and so on, without a gap";
                    self.findings
                        .report(Code::Unconnected, declared.span, message, help);
                }
            }
        }
    }

    /// Data that passes a filter unchanged has the same type on all its channels.
    fn check_types(&mut self) {
        let mut types: BTreeMap<usize, (Token, Span)> = BTreeMap::new();
        for (channel, span) in &self.channels {
            for end in [&channel.from, &channel.to] {
                let declared = self.filters.get(end.filter).and_then(Option::as_ref);
                let Some(declared) = declared.filter(|declared| declared.passes_data()) else {
                    continue;
                };
                let first = types
                    .entry(end.filter)
                    .or_insert((channel.token.clone(), *span));
                if first.0 != channel.token {
                    let message = format!(
                        "`{}` passes {} on, and this channel carries {}",
                        declared.filter.name, first.0, channel.token
                    );
                    let help = "give all its channels the same type";
                    let found = Diagnostic::new(Code::Type, *span, message, help);
                    self.findings
                        .add(found.also(first.1, "the first of its channels"));
                }
            }
        }
    }

    fn model(self) -> Option<Model> {
        if self.findings.has_errors() {
            return None;
        }
        let filters: Option<Vec<Declared>> = self.filters.into_iter().collect();
        let filters = filters?;
        let ports = filters.iter().map(|declared| {
            [true, false].map(|is_input| {
                let own = declared
                    .ports
                    .iter()
                    .filter(|port| port.is_input == is_input);
                own.map(|port| port.name.clone()).collect()
            })
        });
        let ports = ports.collect();
        let filters = filters.into_iter();
        let filters = filters.map(|declared| (declared.filter, declared.span));
        let model = Model::new(filters.collect(), self.channels, self.findings)?;
        Some(Model { ports, ..model })
    }
}

/// The first output that a `dup` lacks: it has one at least, and no gap between them.
fn missing_output(ports: &[Port]) -> Option<usize> {
    let outputs = ports.iter().filter(|port| !port.is_input);
    let numbers = outputs.filter_map(|port| port.name.strip_prefix("out")?.parse().ok());
    let numbers: Vec<usize> = numbers.collect();
    (0..numbers.len().max(1)).find(|number| !numbers.contains(number))
}

fn unknown_port(declared: &Declared, end: &End) -> Diagnostic {
    let name = &declared.filter.name;
    let message = format!("`{name}` has no port `{}`", end.port.text);
    let ports = || declared.ports.iter().map(|port| port.name.as_str());
    let help = match nearest(&end.port.text, ports()) {
        Some(meant) => format!("did you mean `{meant}`?"),
        None if declared.filter.kind == graph::Kind::Duplicate => {
            format!("its ports are in, out0 to out{}", MOST_OUTPUTS - 1)
        }
        None => {
            let known: Vec<&str> = ports().take(20).collect();
            format!("its ports are {}", known.join(", "))
        }
    };
    Diagnostic::new(Code::UnknownPort, end.port.span, message, help)
}
