//! All answers about a graph, and what is wrong with it in the words of its source.

use super::bounds::{Capacities, least_live, lower_bounds};
use super::describe;
use super::effort::Beyond;
use super::liveness::{Liveness, Starvation};
use super::model::Model;
use super::repetition::{NoRepetition, Repetition};
use super::sizing::{Sized, fastest};
use super::throughput::{NoRate, Rate, rates};
use crate::diagnostic::Findings;

/// What is known of a graph: the answers up to the first that is missing. Why it is
/// missing, a diagnostic says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Analysis {
    /// Whether its channels agree about cycles; none if the numbers are too large.
    pub is_consistent: Option<bool>,
    /// Of a consistent graph.
    pub repetition: Option<Repetition>,
    /// Whether it can run for ever in the capacities that are given; none if an
    /// iteration is too long to be followed.
    pub is_live: Option<bool>,
    /// Of a graph that is not live, how it stops.
    pub starvation: Option<Starvation>,
    /// Of a live graph.
    pub buffers: Option<Buffers>,
}

/// Room, and what a live graph does in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Buffers {
    /// Of each channel the capacity below which no graph with it is live.
    pub lower: Vec<Option<u64>>,
    /// The given capacities, and the least for which the graph is live.
    pub least: Vec<u64>,
    /// Whether those cannot be lowered: of a large graph the search may end before.
    pub are_minimal: bool,
    /// The rate of each component in the least capacities, or why it is unknown.
    pub rates: Result<Vec<Rate>, NoRate>,
    /// The given capacities, and the least with which the graph is as fast as it can
    /// be in the given ones.
    pub fastest: Result<Sized, NoRate>,
}

impl Buffers {
    /// The capacities to take: the fastest if they are known, else the least.
    pub fn capacities(&self) -> &[u64] {
        match &self.fastest {
            Ok(sized) => &sized.capacities,
            Err(_) => &self.least,
        }
    }
}

impl Analysis {
    /// Asks everything.
    pub(super) fn of(model: &Model, findings: &mut Findings) -> Analysis {
        let mut analysis = Analysis::default();
        let repetition = match Repetition::of(&model.graph) {
            Ok(repetition) => repetition,
            Err(none) => {
                let is_known = matches!(none, NoRepetition::Inconsistent { .. });
                analysis.is_consistent = is_known.then_some(false);
                findings.add(describe::no_repetition(model, &none));
                return analysis;
            }
        };
        analysis.is_consistent = Some(true);
        match liveness(model, &repetition) {
            Ok(Live::Yes(buffers)) => {
                analysis.is_live = Some(true);
                analysis.buffers = Some(*buffers);
            }
            Ok(Live::No(starvation)) => {
                analysis.is_live = Some(false);
                findings.add(describe::starvation(model, &repetition, &starvation));
                analysis.starvation = Some(starvation);
            }
            Ok(Live::TooLarge(channel)) => findings.add(describe::too_large(model, channel)),
            Err(beyond) => findings.add(describe::beyond(model, &beyond)),
        }
        analysis.repetition = Some(repetition);
        analysis
    }
}

enum Live {
    Yes(Box<Buffers>),
    No(Starvation),
    /// Room beyond what counters can count is needed at this channel.
    TooLarge(usize),
}

fn liveness(model: &Model, repetition: &Repetition) -> Result<Live, Beyond> {
    let graph = &model.graph;
    let unbounded = vec![None; graph.channels().len()];
    // without any bound first: a cycle of tokens is the graph's fault, not a capacity's
    if let Liveness::Starved(starvation) = Liveness::of(graph, repetition, &unbounded)? {
        return Ok(Live::No(starvation));
    }
    let (least, are_minimal) = match least_live(graph, repetition)? {
        Capacities::Chosen {
            capacities,
            are_minimal,
        } => (capacities, are_minimal),
        Capacities::TooSmall(starvation) => return Ok(Live::No(starvation)),
        Capacities::TooLarge { channel } => return Ok(Live::TooLarge(channel)),
    };
    let all: Vec<_> = least.iter().copied().map(Some).collect();
    let rates = match Liveness::of(graph, repetition, &all)? {
        Liveness::Live(order) => rates(graph, repetition, &all, &order),
        Liveness::Starved(starvation) => return Ok(Live::No(starvation)),
    };
    Ok(Live::Yes(Box::new(Buffers {
        lower: lower_bounds(graph)?,
        fastest: fastest(graph, repetition, &least),
        rates,
        least,
        are_minimal,
    })))
}
