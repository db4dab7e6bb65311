//! Graphs of the tools SDF3, as XML. (Stuijk, Geilen, Basten: *SDF3: SDF For Free*,
//! 2006.)
//!
//! Read are the actors and channels of `sdf3/applicationGraph/sdf` or `csdf`, with
//! their rates and initial tokens, and the execution times of `sdfProperties` or
//! `csdfProperties`, of the default processor or else of the first. A rate or time is
//! one number, or one for each phase of the actor, separated by `,`, with `n*r` for n
//! equal ones. Times have no unit. Everything else is passed over. Unlike there, instances of one actor never
//! overlap here.

use std::collections::BTreeMap;

use roxmltree::{Document, Node, ParsingOptions};

use super::Code;
use super::brackets::shown;
use super::graph::{Channel, End, Filter, Kind, MOST, MOST_TOKENS, Position, Token};
use super::model::Model;
use super::sequence::{SequenceError, sequence};
use crate::diagnostic::{Diagnostic, Findings, Span};
use crate::spelling::nearest;

/// The most elements and texts of a file.
const MOST_NODES: u32 = 1 << 20;
/// The most rates of all ports.
const MOST_RATES: usize = 1 << 19;

/// The graph of a file; none if there is an error, which is reported. O(text).
pub(super) fn read(text: &str, findings: &mut Findings) -> Option<Model> {
    let options = ParsingOptions {
        nodes_limit: MOST_NODES,
        ..ParsingOptions::default()
    };
    let document = match Document::parse_with_options(text, options) {
        Ok(document) => document,
        Err(error) => {
            let span = place_of(text, error.pos());
            let message = format!("this is no XML that can be read: {error}");
            let help = "a graph is an XML file of SDF3, without a document type";
            findings.report(Code::Xml, span, message, help);
            return None;
        }
    };
    let mut reader = Reader {
        findings,
        rates_left: MOST_RATES,
    };
    reader.graph(document.root_element())
}

/// The byte of a row and column in characters, from 1.
fn place_of(text: &str, at: roxmltree::TextPos) -> Span {
    let before = text
        .split_inclusive('\n')
        .take(at.row.saturating_sub(1) as usize);
    let line: usize = before.map(str::len).sum();
    let rest = text.get(line..).unwrap_or("");
    let mut column = rest.char_indices().skip(at.col.saturating_sub(1) as usize);
    let start = line + column.next().map_or(rest.len(), |(at, _)| at);
    Span { start, end: start }
}

/// An actor with the names of its ports.
struct Actor<'x> {
    node: Node<'x, 'x>,
    /// Its ports: the element, whether it is an input, and its rates.
    ports: BTreeMap<&'x str, (Node<'x, 'x>, bool, Vec<u32>)>,
    times: Vec<u64>,
    cycle: usize,
}

struct Reader<'f> {
    findings: &'f mut Findings,
    rates_left: usize,
}

impl Reader<'_> {
    fn graph<'x>(&mut self, root: Node<'x, 'x>) -> Option<Model> {
        if root.tag_name().name() != "sdf3" {
            let message = format!("expected `sdf3`, found `{}`", root.tag_name().name());
            self.report(
                start_of(root),
                message,
                "the root of a graph of SDF3 is `<sdf3>`",
            );
            return None;
        }
        let application = self.child(root, &["applicationGraph"])?;
        let graph = self.child(application, &["sdf", "csdf"])?;
        let properties = format!("{}Properties", graph.tag_name().name());
        let elements = |parent: Node<'x, 'x>, name: &'static str| {
            parent
                .children()
                .filter(move |node| node.has_tag_name(name))
        };
        let mut actors: Vec<Actor<'x>> = Vec::new();
        let mut names = BTreeMap::new();
        for node in elements(graph, "actor") {
            let name = self.attribute(node, "name")?;
            if names.insert(name, actors.len()).is_some() {
                let message = format!("actor `{name}` is declared twice");
                let help = "give one of the two another name";
                self.findings
                    .report(Code::Duplicate, place(node, "name"), message, help);
                return None;
            }
            actors.push(self.actor(node)?);
        }
        if actors.is_empty() {
            let message = "the graph has no actor".to_owned();
            self.report(
                start_of(graph),
                message,
                "add `<actor name=\"a\">` with its ports",
            );
            return None;
        }
        let properties = application
            .children()
            .filter(|node| node.has_tag_name(properties.as_str()));
        for node in properties.flat_map(|node| elements(node, "actorProperties")) {
            let actor = self.named(node, "actor", &names)?;
            actors[actor].times = self.times(node)?;
        }
        for actor in &mut actors {
            self.measure(actor)?;
        }
        let mut channels = Vec::new();
        for node in elements(graph, "channel") {
            channels.push((self.channel(node, &actors, &names)?, start_of(node)));
        }
        let filters = actors
            .iter()
            .map(|actor| (filter(actor), place(actor.node, "name")));
        Model::new(filters.collect(), channels, self.findings)
    }

    fn actor<'x>(&mut self, node: Node<'x, 'x>) -> Option<Actor<'x>> {
        let mut ports = BTreeMap::new();
        for port in node.children().filter(|child| child.has_tag_name("port")) {
            let name = self.attribute(port, "name")?;
            let is_input = match self.attribute(port, "type")? {
                "in" => true,
                "out" => false,
                other => {
                    let message = format!("`{other}` is no type of port");
                    let help = "a port is `type=\"in\"` or `type=\"out\"`";
                    self.report(place(port, "type"), message, help);
                    return None;
                }
            };
            let rates = self.numbers(port, "rate", MOST_TOKENS)?;
            let rates = rates.into_iter().map(|rate| rate as u32).collect();
            if ports.insert(name, (port, is_input, rates)).is_some() {
                let message = format!("port `{name}` is declared twice");
                let help = "give one of the two another name";
                self.findings
                    .report(Code::Duplicate, place(port, "name"), message, help);
                return None;
            }
        }
        Some(Actor {
            node,
            ports,
            times: Vec::new(),
            cycle: 1,
        })
    }

    /// The times of an actor's phases, by its default processor or else the first.
    fn times(&mut self, node: Node<'_, '_>) -> Option<Vec<u64>> {
        let processors = || {
            node.children()
                .filter(|child| child.has_tag_name("processor"))
        };
        let is_default = |node: &Node<'_, '_>| node.attribute("default") == Some("true");
        let Some(processor) = processors()
            .find(is_default)
            .or_else(|| processors().next())
        else {
            return Some(Vec::new());
        };
        let mut times = processor.children();
        match times.find(|child| child.has_tag_name("executionTime")) {
            Some(time) => self.numbers(time, "time", u64::MAX >> 1),
            None => Some(Vec::new()),
        }
    }

    /// Finds how many phases an actor has; its rates and times must fit.
    fn measure(&mut self, actor: &mut Actor<'_>) -> Option<()> {
        let lengths = actor.ports.values().map(|(_, _, rates)| rates.len());
        actor.cycle = lengths.chain([actor.times.len(), 1]).max().unwrap_or(1);
        let needed = actor.cycle.checked_mul(actor.ports.len() + 1);
        self.reserve(needed, place(actor.node, "name"))?;
        for (port, _, rates) in actor.ports.values() {
            let fits = rates.len() == 1 || rates.len() == actor.cycle;
            if !fits || rates.iter().all(|rate| *rate == 0) {
                let message = match fits {
                    true => "no token ever passes this port".to_owned(),
                    false => format!(
                        "a port with {} rates at an actor of {} phases",
                        rates.len(),
                        actor.cycle
                    ),
                };
                let help = "give one rate for each phase, or one for all, not all of them 0";
                self.findings
                    .report(Code::Rates, place(*port, "rate"), message, help);
                return None;
            }
        }
        if ![0, 1, actor.cycle].contains(&actor.times.len()) {
            let message = format!(
                "{} times of an actor of {} phases",
                actor.times.len(),
                actor.cycle
            );
            let help = "give one time for each phase, or one for all";
            self.findings
                .report(Code::Rates, place(actor.node, "name"), message, help);
            return None;
        }
        Some(())
    }

    /// Takes so many rates off what a graph may have.
    fn reserve(&mut self, rates: Option<usize>, span: Span) -> Option<()> {
        let left = rates.and_then(|rates| self.rates_left.checked_sub(rates));
        match left {
            Some(left) => {
                self.rates_left = left;
                Some(())
            }
            None => {
                let message = "with this the graph has too many rates";
                let help = "a graph has at most 524288 rates, one for each phase of each port and of each end of a channel";
                self.findings.report(Code::TooBig, span, message, help);
                None
            }
        }
    }

    fn channel<'x>(
        &mut self,
        node: Node<'x, 'x>,
        actors: &[Actor<'x>],
        names: &BTreeMap<&'x str, usize>,
    ) -> Option<Channel> {
        let from = self.end(node, ("srcActor", "srcPort"), false, actors, names)?;
        let to = self.end(node, ("dstActor", "dstPort"), true, actors, names)?;
        let initial = match node.attribute("initialTokens") {
            None => 0,
            Some(_) => match self.numbers(node, "initialTokens", MOST_TOKENS)?.as_slice() {
                [one] => *one,
                _ => {
                    let message = "a channel has one number of initial tokens".to_owned();
                    self.report(
                        place(node, "initialTokens"),
                        message,
                        "give one whole number",
                    );
                    return None;
                }
            },
        };
        Some(Channel {
            from,
            to,
            token: Token {
                element: "token".to_owned(),
                count: 1,
            },
            capacity: None,
            initial,
        })
    }

    fn end<'x>(
        &mut self,
        node: Node<'x, 'x>,
        (actor, port): (&str, &str),
        is_input: bool,
        actors: &[Actor<'x>],
        names: &BTreeMap<&'x str, usize>,
    ) -> Option<End> {
        let filter = self.named(node, actor, names)?;
        let name = self.attribute(node, port)?;
        let ports = &actors[filter].ports;
        let Some((_, is_in, rates)) = ports.get(name) else {
            let message = format!("the actor has no port `{name}`");
            let help = match nearest(name, ports.keys().copied()) {
                Some(meant) => format!("did you mean `{meant}`?"),
                None => "name one of its ports".to_owned(),
            };
            self.findings
                .report(Code::UnknownPort, place(node, port), message, help);
            return None;
        };
        if *is_in != is_input {
            let message = format!("`{name}` is a port of the other direction");
            let help = "`srcPort` is a port of type `out`, `dstPort` one of type `in`";
            self.findings
                .report(Code::PortKind, place(node, port), message, help);
            return None;
        }
        let cycle = actors[filter].cycle;
        self.reserve(Some(cycle), place(node, port))?;
        let rates = match rates.as_slice() {
            [one] => vec![*one; cycle],
            all => all.to_vec(),
        };
        Some(End {
            filter,
            port: name.to_owned(),
            rates,
        })
    }

    /// The actor that an attribute names.
    fn named<'x>(
        &mut self,
        node: Node<'x, 'x>,
        attribute: &str,
        names: &BTreeMap<&'x str, usize>,
    ) -> Option<usize> {
        let name = self.attribute(node, attribute)?;
        if let Some(number) = names.get(name) {
            return Some(*number);
        }
        let message = format!("there is no actor `{name}`");
        let help = match nearest(name, names.keys().copied()) {
            Some(meant) => format!("did you mean `{meant}`?"),
            None => "name one of the actors".to_owned(),
        };
        self.findings
            .report(Code::UnknownFilter, place(node, attribute), message, help);
        None
    }

    /// The first child of one of these names.
    fn child<'x>(&mut self, parent: Node<'x, 'x>, names: &[&str]) -> Option<Node<'x, 'x>> {
        let is_one = |node: &Node<'x, 'x>| names.iter().any(|name| node.has_tag_name(*name));
        let found = parent.children().find(is_one);
        if found.is_none() {
            let wanted = names.join("` or `");
            let message = format!("`{}` has no `{wanted}`", parent.tag_name().name());
            let help = "an SDF3 file is `sdf3`, in it `applicationGraph`, in that `sdf` or `csdf`";
            self.report(start_of(parent), message, help);
        }
        found
    }

    fn attribute<'x>(&mut self, node: Node<'x, 'x>, name: &str) -> Option<&'x str> {
        let found = node.attribute(name);
        if found.is_none() {
            let message = format!("`{}` has no `{name}`", node.tag_name().name());
            let help = format!("give it an attribute `{name}=\"...\"`");
            self.report(start_of(node), message, &help);
        }
        found
    }

    /// The numbers of an attribute.
    fn numbers(&mut self, node: Node<'_, '_>, name: &str, most: u64) -> Option<Vec<u64>> {
        let text = self.attribute(node, name)?;
        let (code, message, help) = match sequence(text, most) {
            Ok(numbers) => return Some(numbers),
            Err(SequenceError::TooLong) => (
                Code::TooBig,
                format!("this list is longer than {MOST} numbers"),
                "split the graph".to_owned(),
            ),
            Err(SequenceError::Piece(piece)) => (
                Code::Number,
                match piece {
                    "" => format!("a number is missing in `{name}`"),
                    _ => format!("`{}` is no number for `{name}`", shown(piece)),
                },
                format!("write whole numbers up to {most}, separated by `,`"),
            ),
        };
        self.findings.report(code, place(node, name), message, help);
        None
    }

    fn report(&mut self, span: Span, message: String, help: &str) {
        self.findings
            .add(Diagnostic::new(Code::Sdf3, span, message, help));
    }
}

fn filter(actor: &Actor<'_>) -> Filter {
    let time = |phase: usize| match actor.times.as_slice() {
        [one] => Some(*one),
        times => times.get(phase).copied(),
    };
    let position = |phase| Position {
        function: None,
        wcet: time(phase),
    };
    Filter {
        name: actor.node.attribute("name").unwrap_or("").to_owned(),
        kind: Kind::Code,
        positions: (0..actor.cycle).map(position).collect(),
    }
}

/// The beginning of an element's tag.
fn start_of(node: Node<'_, '_>) -> Span {
    let start = node.range().start;
    Span {
        start,
        end: start + 1 + node.tag_name().name().len(),
    }
}

/// The value of an attribute, or the tag of an element that lacks it.
fn place(node: Node<'_, '_>, attribute: &str) -> Span {
    match node.attribute_node(attribute) {
        Some(attribute) => attribute.range_value().into(),
        None => start_of(node),
    }
}
