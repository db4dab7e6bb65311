//! Liveness: whether a consistent graph can run for ever.
//!
//! It can if and only if one iteration, every filter as often as the repetition
//! vector says, can run from the initial tokens: the tokens are then the initial
//! ones again. (Lee, Messerschmitt 1987; Bilsen and others 1996, theorem 2.)

use super::effort::{Beyond, Effort, MOST_INSTANCES};
use super::execution::{Execution, Lack, Resource};
use super::graph::Graph;
use super::repetition::Repetition;

/// Whether a graph can run for ever.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Liveness {
    /// It can; one iteration, as the filters in the order of their instances.
    Live(Vec<u32>),
    /// It stops.
    Starved(Starvation),
}

/// A graph that has stopped before the end of its first iteration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Starvation {
    /// Filters that wait for each other: each for the next, the last for the first.
    pub cycle: Vec<Starved>,
    /// All filters that have not ended their iteration, with the first of their lacks.
    pub filters: Vec<Starved>,
    /// Tokens of each channel at the end.
    pub levels: Vec<u64>,
    /// Instances of each filter that have ended.
    pub ended: Vec<u64>,
}

/// A filter that waits for something that never comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Starved {
    /// Its index.
    pub filter: usize,
    /// What it waits for.
    pub lack: Lack,
}

impl Liveness {
    /// Whether a graph with its repetition vector can run for ever in these
    /// capacities; a channel without one is not bounded.
    /// O(instances of an iteration * channels of a filter).
    ///
    /// # Errors
    /// If an iteration is too long to be followed.
    pub fn of(
        graph: &Graph,
        repetition: &Repetition,
        capacities: &[Option<u64>],
    ) -> Result<Liveness, Beyond> {
        Liveness::within(graph, repetition, capacities, &mut Effort::whole())
    }

    /// The same at the cost of a search that goes on.
    pub(super) fn within(
        graph: &Graph,
        repetition: &Repetition,
        capacities: &[Option<u64>],
        effort: &mut Effort,
    ) -> Result<Liveness, Beyond> {
        if repetition.total() > MOST_INSTANCES {
            return Err(Beyond::Instances(repetition.total()));
        }
        let mut execution = Execution::new(graph, capacities);
        let order = execution.run(repetition.instances(), effort)?;
        Ok(match starvation(graph, repetition, &execution) {
            Some(starvation) => Liveness::Starved(starvation),
            None => Liveness::Live(order),
        })
    }

    /// Whether it can.
    pub const fn is_live(&self) -> bool {
        matches!(self, Liveness::Live(_))
    }
}

/// What keeps an execution that has stopped from the end of its iteration.
fn starvation(
    graph: &Graph,
    repetition: &Repetition,
    execution: &Execution<'_>,
) -> Option<Starvation> {
    let lack_of = |filter: usize| {
        let is_done = execution.ended()[filter] == repetition.instances()[filter];
        let lack = execution.lacks(filter).next().filter(|_| !is_done)?;
        Some(Starved { filter, lack })
    };
    let filters: Vec<Starved> = (0..graph.filters().len()).filter_map(lack_of).collect();
    let first = filters.first()?.filter;
    Some(Starvation {
        cycle: cycle(graph, first, lack_of),
        filters,
        levels: execution.levels().to_vec(),
        ended: execution.ended().to_vec(),
    })
}

/// The filters that wait for each other, found from one that waits. Whoever could
/// give what is missing has not ended its iteration either: by then it would have
/// given it. So the walk goes from one waiting filter to the next until it is back
/// at one of them.
fn cycle(graph: &Graph, first: usize, lack_of: impl Fn(usize) -> Option<Starved>) -> Vec<Starved> {
    let mut walk: Vec<Starved> = Vec::new();
    let mut step = vec![None; graph.filters().len()];
    let mut at = first;
    while let Some(starved) = lack_of(at) {
        if let Some(begin) = step[at] {
            return walk.split_off(begin);
        }
        step[at] = Some(walk.len());
        walk.push(starved);
        let channel = &graph.channels()[starved.lack.channel];
        at = match starved.lack.resource {
            Resource::Tokens => channel.from.filter,
            Resource::Room => channel.to.filter,
        };
    }
    walk
}
