//! Filters as declared: their cycles and ports.

use std::collections::BTreeMap;

use super::Code;
use super::brackets::{Reader, are_numbers, numbers};
use super::graph::{Filter, Kind, Position};
use super::tree::{self, Annotation, Bracketed, Keyword, Name};
use crate::diagnostic::{Diagnostic, Findings, Span};

/// A filter under construction.
pub(super) struct Declared {
    pub(super) filter: Filter,
    pub(super) span: Span,
    pub(super) ports: Vec<Port>,
    /// A channel names a port that it has not: some other port may be meant.
    pub(super) is_suspect: bool,
    by_name: BTreeMap<String, usize>,
}

/// A port of a filter.
pub(super) struct Port {
    pub(super) name: String,
    pub(super) is_input: bool,
    pub(super) rates: Vec<u32>,
    /// Where it is declared.
    pub(super) span: Span,
    /// Where its channel names it.
    pub(super) channel: Option<Span>,
}

/// The most outputs of a `dup`.
pub(super) const MOST_OUTPUTS: usize = 256;

impl Declared {
    /// The index of a port. The outputs of a `dup` are those that channels name.
    pub(super) fn port(&mut self, name: &Name) -> Option<usize> {
        if let Some(port) = self.by_name.get(name.text.as_str()) {
            return Some(*port);
        }
        if self.filter.kind != Kind::Duplicate {
            return None;
        }
        let number = name.text.strip_prefix("out")?;
        let number: usize = number.parse().ok().filter(|n| *n < MOST_OUTPUTS)?;
        // `out01` is another name for an output that has one
        if name.text != format!("out{number}") {
            return None;
        }
        self.push(Port::new(name.text.clone(), false, vec![1], self.span));
        Some(self.ports.len() - 1)
    }

    /// Whether data passes through unchanged.
    pub(super) fn passes_data(&self) -> bool {
        use Kind::*;
        matches!(self.filter.kind, Duplicate | Split | Join | Permute(_))
    }
}

impl Port {
    fn new(name: String, is_input: bool, rates: Vec<u32>, span: Span) -> Port {
        Port {
            name,
            is_input,
            rates,
            span,
            channel: None,
        }
    }

    /// `an input` or `an output`.
    pub(super) fn kind(&self) -> &'static str {
        if self.is_input {
            "an input"
        } else {
            "an output"
        }
    }
}

/// Reads declarations; the rates of all ports together are limited.
pub(super) struct Declarations<'f> {
    reader: Reader,
    rates_left: usize,
    findings: &'f mut Findings,
}

impl<'f> Declarations<'f> {
    pub(super) fn new(findings: &'f mut Findings) -> Declarations<'f> {
        Declarations {
            reader: Reader::default(),
            rates_left: 1 << 19,
            findings,
        }
    }

    /// A filter and its ports; what is wrong is reported.
    pub(super) fn filter(&mut self, filter: &tree::Filter) -> Option<Declared> {
        match filter.keyword {
            Keyword::Filter => self.code(filter),
            Keyword::Source | Keyword::Sink => self.outside(filter),
            Keyword::Duplicate => self.duplicate(filter),
            Keyword::Split | Keyword::Join => self.branches(filter),
            Keyword::Permute => self.permute(filter),
        }
    }

    /// A filter of functions: each port has a rate for each of them, or one for all.
    fn code(&mut self, tree: &tree::Filter) -> Option<Declared> {
        let wcet = self.reader.wcet(&tree.brackets, self.findings);
        let inputs = tree.inputs.iter().map(|port| (port, true));
        let ports = inputs.chain(tree.outputs.iter().map(|port| (port, false)));
        let mut drafts = Vec::new();
        for (port, is_input) in ports {
            let rates = self.rates(port)?;
            drafts.push((port, is_input, rates));
        }
        let longest = drafts.iter().map(|(_, _, rates)| rates.len()).max();
        let Some(longest) = longest else {
            let message = format!("filter `{}` has no port", tree.name.text);
            let help = "give it `in PORT[rates];` or `out PORT[rates];`";
            self.findings
                .report(Code::Unconnected, tree.name.span, message, help);
            return None;
        };
        let positions = match tree.functions.len() {
            0 => default_functions(&tree.name.text, longest, wcet),
            _ => self.functions(tree, wcet),
        };
        let cycle = positions.len();
        self.reserve(&tree.name, cycle.checked_mul(drafts.len()))?;
        let mut declared = declared(tree, Kind::Code, positions);
        for (port, is_input, mut rates) in drafts {
            if rates.len() == 1 {
                rates = vec![rates[0]; cycle];
            }
            if rates.len() != cycle {
                let message = format!(
                    "port `{}` has {} rates, and the cycle of `{}` has {cycle} positions",
                    port.name.text,
                    rates.len(),
                    tree.name.text
                );
                let help = "give one rate for each function, or one for all";
                self.findings
                    .report(Code::Rates, port.name.span, message, help);
                return None;
            }
            self.add(&mut declared, &port.name, is_input, rates)?;
        }
        Some(declared)
    }

    fn functions(&mut self, tree: &tree::Filter, wcet: Option<u64>) -> Vec<Position> {
        let mut positions = Vec::new();
        for function in &tree.functions {
            let own = self.reader.wcet(&function.brackets, self.findings);
            positions.push(Position {
                function: Some(function.name.text.clone()),
                wcet: own.or(wcet),
            });
        }
        positions
    }

    fn add(
        &mut self,
        declared: &mut Declared,
        name: &Name,
        is_input: bool,
        rates: Vec<u32>,
    ) -> Option<()> {
        if let Some(first) = declared.by_name.get(name.text.as_str()) {
            let message = format!("port `{}` is declared twice", name.text);
            let help = "give one of the two another name";
            let found = Diagnostic::new(Code::Duplicate, name.span, message, help);
            let first = declared.ports[*first].span;
            self.findings.add(found.also(first, "first declared here"));
            return None;
        }
        if rates.iter().all(|rate| *rate == 0) {
            let message = format!("no token ever passes port `{}`", name.text);
            let help = "give it a rate above 0 at one position at least";
            self.findings.report(Code::Rates, name.span, message, help);
            return None;
        }
        declared.push(Port::new(name.text.clone(), is_input, rates, name.span));
        Some(())
    }

    /// A source or sink: one port, whose rates may be given.
    fn outside(&mut self, tree: &tree::Filter) -> Option<Declared> {
        let (rates, notes): (Vec<_>, Vec<_>) = tree
            .brackets
            .iter()
            .partition(|brackets| are_numbers(brackets));
        // what is outside takes no processor, unless the program says so
        let wcet = self.reader.wcet(notes, self.findings).unwrap_or(0);
        let rates = match rates.as_slice() {
            [] => vec![1],
            [one] => numbers(one, self.findings)?,
            [_, second, ..] => return self.second_list(&tree.name, second),
        };
        self.reserve(&tree.name, Some(rates.len()))?;
        let is_source = tree.keyword == Keyword::Source;
        let (kind, name) = match is_source {
            true => (Kind::Source, "out"),
            false => (Kind::Sink, "in"),
        };
        if rates.iter().all(|rate| *rate == 0) {
            let message = format!("no token ever passes `{}`", tree.name.text);
            let help = "give it a rate above 0 at one position at least";
            self.findings
                .report(Code::Rates, tree.name.span, message, help);
            return None;
        }
        let mut declared = declared(tree, kind, silent(rates.len(), wcet));
        declared.plain_port(name.into(), !is_source, rates);
        Some(declared)
    }

    fn duplicate(&mut self, tree: &tree::Filter) -> Option<Declared> {
        self.reader.wcet(&tree.brackets, self.findings);
        let mut declared = declared(tree, Kind::Duplicate, silent(1, 0));
        declared.plain_port("in".into(), true, vec![1]);
        Some(declared)
    }

    /// A split or join: a position for each branch.
    fn branches(&mut self, tree: &tree::Filter) -> Option<Declared> {
        let rates = self.one_list(tree)?;
        let count = rates.len();
        self.reserve(&tree.name, count.checked_mul(count + 1))?;
        if let Some(branch) = rates.iter().position(|rate| *rate == 0) {
            let message = format!("branch {branch} of `{}` gets no token", tree.name.text);
            self.findings.report(
                Code::Rates,
                tree.name.span,
                message,
                "give every branch one token at least",
            );
            return None;
        }
        let is_split = tree.keyword == Keyword::Split;
        let (kind, whole, branch) = match is_split {
            true => (Kind::Split, "in", "out"),
            false => (Kind::Join, "out", "in"),
        };
        let mut declared = declared(tree, kind, silent(count, 0));
        declared.plain_port(whole.into(), is_split, rates.clone());
        for (number, rate) in rates.into_iter().enumerate() {
            let mut own = vec![0; count];
            own[number] = rate;
            declared.plain_port(format!("{branch}{number}"), !is_split, own);
        }
        Some(declared)
    }

    fn permute(&mut self, tree: &tree::Filter) -> Option<Declared> {
        let places = self.one_list(tree)?;
        self.reserve(&tree.name, Some(places.len()))?;
        let mut sorted = places.clone();
        sorted.sort_unstable();
        if sorted
            .iter()
            .enumerate()
            .any(|(n, place)| n as u32 != *place)
        {
            let message = format!("the list of `{}` is no permutation", tree.name.text);
            let last = places.len() - 1;
            let help = format!("name each place from 0 to {last} once");
            let place = tree.brackets.first().map_or(tree.name.span, |b| b.span);
            self.findings
                .report(Code::Permutation, place, message, help);
            return None;
        }
        let count = places.len() as u32;
        let mut declared = declared(tree, Kind::Permute(places), silent(1, 0));
        declared.plain_port("in".into(), true, vec![count]);
        declared.plain_port("out".into(), false, vec![count]);
        Some(declared)
    }

    /// The list of numbers behind the name of a filter that has no code.
    fn one_list(&mut self, tree: &tree::Filter) -> Option<Vec<u32>> {
        match tree.brackets.as_slice() {
            [one] => numbers(one, self.findings),
            [] => {
                let message = format!("`{}` needs a list of numbers", tree.name.text);
                let help = "give it behind the name: `[2, 1]`";
                self.findings
                    .report(Code::Syntax, tree.name.span, message, help);
                None
            }
            [_, second, ..] => self.second_list(&tree.name, second),
        }
    }

    /// The rates of a port: 1 if there are none.
    fn rates(&mut self, port: &Bracketed) -> Option<Vec<u32>> {
        match port.brackets.as_slice() {
            [] => Some(vec![1]),
            [one] => numbers(one, self.findings),
            [_, second, ..] => self.second_list(&port.name, second),
        }
    }

    fn second_list<T>(&mut self, name: &Name, second: &Annotation) -> Option<T> {
        let message = format!("`{}` has two lists", name.text);
        let help = "put all numbers into one, separated by `,`";
        self.findings
            .report(Code::Syntax, second.span, message, help);
        None
    }

    /// Takes so many rates off what a program may have.
    fn reserve(&mut self, name: &Name, rates: Option<usize>) -> Option<()> {
        let left = rates.and_then(|rates| self.rates_left.checked_sub(rates));
        if let Some(left) = left {
            self.rates_left = left;
            return Some(());
        }
        let message = format!("with `{}` the program has too many rates", name.text);
        let help = "a program has at most 524288 rates, one for each position of each port";
        self.findings.report(Code::TooBig, name.span, message, help);
        None
    }
}

impl Declared {
    fn push(&mut self, port: Port) {
        self.by_name.insert(port.name.clone(), self.ports.len());
        self.ports.push(port);
    }

    /// Adds a port that has its name from the language.
    fn plain_port(&mut self, name: String, is_input: bool, rates: Vec<u32>) {
        self.push(Port::new(name, is_input, rates, self.span));
    }
}

fn declared(tree: &tree::Filter, kind: Kind, positions: Vec<Position>) -> Declared {
    Declared {
        filter: Filter {
            name: tree.name.text.clone(),
            kind,
            positions,
        },
        span: tree.name.span,
        ports: Vec::new(),
        is_suspect: false,
        by_name: BTreeMap::new(),
    }
}

/// The functions of a filter that names none: its own name, and with a number from 0
/// if there are several.
fn default_functions(name: &str, count: usize, wcet: Option<u64>) -> Vec<Position> {
    let function = |number| match count {
        1 => name.to_owned(),
        _ => format!("{name}_{number}"),
    };
    let position = |number| Position {
        function: Some(function(number)),
        wcet,
    };
    (0..count).map(position).collect()
}

/// Positions without code.
fn silent(count: usize, wcet: u64) -> Vec<Position> {
    let position = Position {
        function: None,
        wcet: Some(wcet),
    };
    vec![position; count]
}
