//! Cyclo-static dataflow graphs: filters, and the channels between them.
//!
//! A filter runs the functions of its cycle in turn, each run an *instance*: it
//! starts when every input holds the tokens that this position takes and every
//! bounded output has room for those that it puts, and it takes and puts them
//! when it ends. No two instances of one filter overlap. (Bilsen, Engels,
//! Lauwereins, Peperstraete: *Cyclo-Static Dataflow*, 1996.)

use std::fmt;

/// A graph has at most so many filters, as many channels, and a filter as many
/// positions.
pub const MOST: usize = 65_535;

/// Positions of all filters together, and rates of all ends of channels.
const MOST_NUMBERS: usize = 1 << 20;

/// What a filter is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// It calls a function at each position.
    Code,
    /// Tokens come from outside the graph.
    Source,
    /// Tokens leave the graph.
    Sink,
    /// Each token goes to every output.
    Duplicate,
    /// Tokens go to the outputs in turn.
    Split,
    /// Tokens come from the inputs in turn.
    Join,
    /// Each output token is the one of the inputs whose number, from 0, stands here.
    Permute(Vec<u32>),
}

impl Kind {
    /// The word in the language and in reports.
    pub const fn name(&self) -> &'static str {
        match self {
            Kind::Code => "filter",
            Kind::Source => "source",
            Kind::Sink => "sink",
            Kind::Duplicate => "dup",
            Kind::Split => "split",
            Kind::Join => "join",
            Kind::Permute(_) => "permute",
        }
    }
}

/// One position of a filter's cycle.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Position {
    /// The function that it calls; none if no code runs.
    pub function: Option<String>,
    /// The worst-case execution time, in the graph's unit of time.
    pub wcet: Option<u64>,
}

/// A task of a stream program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Filter {
    /// Its name, unique in the graph.
    pub name: String,
    /// What it is.
    pub kind: Kind,
    /// Its cycle, at least one position.
    pub positions: Vec<Position>,
}

/// Where a channel begins or ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct End {
    /// Index into [`Graph::filters`].
    pub filter: usize,
    /// The filter's name for it.
    pub port: String,
    /// Tokens of each position of the filter's cycle; not all 0.
    pub rates: Vec<u32>,
}

/// The type of tokens: an array, of one element at least.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    /// The type of the elements.
    pub element: String,
    /// How many there are in a token.
    pub count: u32,
}

impl Token {
    /// Bytes of a token, if its elements are of a type that the kernel knows.
    pub fn bytes(&self) -> Option<u64> {
        let element = match self.element.as_str() {
            "bool" | "u8" | "i8" => 1,
            "u16" | "i16" => 2,
            "u32" | "i32" | "f32" => 4,
            "u64" | "i64" | "f64" => 8,
            _ => return None,
        };
        Some(element * u64::from(self.count))
    }
}

impl fmt::Display for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.count {
            1 => f.write_str(&self.element),
            count => write!(f, "{}[{count}]", self.element),
        }
    }
}

/// A queue of tokens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Channel {
    /// Who puts tokens in.
    pub from: End,
    /// Who takes them out.
    pub to: End,
    /// What a token is.
    pub token: Token,
    /// The most tokens that it holds; without one it is for the analysis to choose.
    pub capacity: Option<u64>,
    /// Tokens that are there at the beginning, at most `capacity`.
    pub initial: u64,
}

/// Why filters and channels are no graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GraphError {
    /// Beyond [`MOST`], or a million numbers in all.
    #[error("the graph is larger than {MOST} filters, channels or positions of a filter")]
    TooBig,
    /// This filter's cycle is empty.
    #[error("filter {0} has no position")]
    NoPosition(usize),
    /// This channel leads to no filter, has not one rate for each position there,
    /// or only rates of 0.
    #[error("channel {0} does not fit its filters")]
    Misfit(usize),
    /// This channel's initial tokens exceed its capacity, or either 2^31 - 1.
    #[error("channel {0} cannot hold its initial tokens")]
    Overfull(usize),
}

/// The most tokens of a channel: what counters of 32 bits can hold.
pub const MOST_TOKENS: u64 = i32::MAX as u64;

/// A checked graph: what its types promise holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Graph {
    filters: Vec<Filter>,
    channels: Vec<Channel>,
    /// Of each filter, the channels that it takes from and puts to.
    inputs: Vec<Vec<usize>>,
    outputs: Vec<Vec<usize>>,
}

impl Graph {
    /// A graph of filters and channels. O(their rates and positions).
    pub fn new(filters: Vec<Filter>, channels: Vec<Channel>) -> Result<Graph, GraphError> {
        let positions = filters.iter().map(|filter| filter.positions.len());
        let rates = channels
            .iter()
            .map(|c| c.from.rates.len() + c.to.rates.len());
        let numbers: usize = positions.clone().chain(rates).sum();
        if filters.len().max(channels.len()) > MOST
            || positions.max().unwrap_or(0) > MOST
            || numbers > MOST_NUMBERS
        {
            return Err(GraphError::TooBig);
        }
        if let Some(empty) = filters.iter().position(|f| f.positions.is_empty()) {
            return Err(GraphError::NoPosition(empty));
        }
        let mut inputs = vec![Vec::new(); filters.len()];
        let mut outputs = vec![Vec::new(); filters.len()];
        for (number, channel) in channels.iter().enumerate() {
            if !fits(&channel.from, &filters) || !fits(&channel.to, &filters) {
                return Err(GraphError::Misfit(number));
            }
            let most = channel.capacity.unwrap_or(MOST_TOKENS);
            if channel.initial > most || most > MOST_TOKENS {
                return Err(GraphError::Overfull(number));
            }
            outputs[channel.from.filter].push(number);
            inputs[channel.to.filter].push(number);
        }
        Ok(Graph {
            filters,
            channels,
            inputs,
            outputs,
        })
    }

    /// All filters.
    pub fn filters(&self) -> &[Filter] {
        &self.filters
    }

    /// All channels.
    pub fn channels(&self) -> &[Channel] {
        &self.channels
    }

    /// The channels that a filter takes tokens from.
    pub fn inputs(&self, filter: usize) -> &[usize] {
        self.inputs.get(filter).map_or(&[], Vec::as_slice)
    }

    /// The channels that a filter puts tokens in.
    pub fn outputs(&self, filter: usize) -> &[usize] {
        self.outputs.get(filter).map_or(&[], Vec::as_slice)
    }

    /// The capacities that are given, by channel.
    pub fn capacities(&self) -> Vec<Option<u64>> {
        let capacities = self.channels.iter().map(|channel| channel.capacity);
        capacities.collect()
    }

    /// What a channel is called: `camera.out -> laplace.px`.
    pub fn channel_name(&self, channel: usize) -> String {
        let Some(Channel { from, to, .. }) = self.channels.get(channel) else {
            return String::new();
        };
        let end = |end: &End| format!("{}.{}", self.filters[end.filter].name, end.port);
        format!("{} -> {}", end(from), end(to))
    }

    /// Positions of a filter's cycle.
    pub(super) fn cycle(&self, filter: usize) -> usize {
        self.filters[filter].positions.len()
    }
}

/// Whether an end of a channel belongs to a filter and its cycle.
fn fits(end: &End, filters: &[Filter]) -> bool {
    let cycle = filters.get(end.filter).map(|f| f.positions.len());
    cycle == Some(end.rates.len()) && end.rates.iter().any(|rate| *rate > 0)
}

/// Tokens of one whole cycle of a filter.
pub(super) fn sum(rates: &[u32]) -> u64 {
    rates.iter().map(|rate| u64::from(*rate)).sum()
}
