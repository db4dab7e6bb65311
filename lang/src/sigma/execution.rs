//! Running a graph token by token, one instance after the other.
//!
//! What an instance needs, others can only add to: whoever may start stays able to
//! until it does. So every order of instances reaches the same end, and it is
//! enough to try one. (Lee, Messerschmitt 1987, section III.)

use super::effort::{Beyond, Effort};
use super::graph::Graph;

/// What a channel lacks for an instance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Resource {
    /// Tokens to take.
    Tokens,
    /// Free room for tokens.
    Room,
}

/// What keeps an instance from starting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lack {
    /// The channel.
    pub channel: usize,
    /// What it lacks.
    pub resource: Resource,
    /// How much more is needed.
    pub missing: u64,
}

/// A graph that runs.
#[derive(Clone, Debug)]
pub(super) struct Execution<'a> {
    graph: &'a Graph,
    capacities: &'a [Option<u64>],
    levels: Vec<u64>,
    /// The position of each filter's next instance.
    positions: Vec<usize>,
    /// Instances of each filter that have ended.
    ended: Vec<u64>,
}

impl<'a> Execution<'a> {
    /// A graph at its beginning, with these capacities by channel.
    pub(super) fn new(graph: &'a Graph, capacities: &'a [Option<u64>]) -> Execution<'a> {
        Execution {
            graph,
            capacities,
            levels: graph.channels().iter().map(|c| c.initial).collect(),
            positions: vec![0; graph.filters().len()],
            ended: vec![0; graph.filters().len()],
        }
    }

    /// Tokens of each channel.
    pub(super) fn levels(&self) -> &[u64] {
        &self.levels
    }

    /// Instances of each filter that have ended.
    pub(super) fn ended(&self) -> &[u64] {
        &self.ended
    }

    /// What the next instance of a filter lacks, in the order of its channels.
    pub(super) fn lacks(&self, filter: usize) -> impl Iterator<Item = Lack> {
        let position = self.positions[filter];
        let channels = self.graph.channels();
        let tokens = self.graph.inputs(filter).iter().filter_map(move |c| {
            let needed = u64::from(channels[*c].to.rates[position]);
            Lack::of(*c, Resource::Tokens, needed, self.levels[*c])
        });
        let room = self.graph.outputs(filter).iter().filter_map(move |c| {
            let needed = u64::from(channels[*c].from.rates[position]);
            let capacity = self.capacities[*c]?;
            // an initial token stands in a place, so capacities below the initial
            // tokens have no room rather than less than none
            let free = capacity.saturating_sub(self.levels[*c]);
            Lack::of(*c, Resource::Room, needed, free)
        });
        tokens.chain(room)
    }

    /// Runs the next instance of a filter if it lacks nothing.
    pub(super) fn fire(&mut self, filter: usize) -> bool {
        if self.lacks(filter).next().is_some() {
            return false;
        }
        let position = self.positions[filter];
        for channel in self.graph.inputs(filter) {
            let taken = self.graph.channels()[*channel].to.rates[position];
            self.levels[*channel] -= u64::from(taken);
        }
        for channel in self.graph.outputs(filter) {
            let put = self.graph.channels()[*channel].from.rates[position];
            self.levels[*channel] += u64::from(put);
        }
        self.positions[filter] = (position + 1) % self.graph.cycle(filter);
        self.ended[filter] += 1;
        true
    }

    /// Runs filters until each has run `instances` or lacks something; the filters in
    /// the order of their instances. O(instances * channels of a filter).
    pub(super) fn run(
        &mut self,
        instances: &[u64],
        effort: &mut Effort,
    ) -> Result<Vec<u32>, Beyond> {
        let mut order = Vec::new();
        let mut waiting: Vec<usize> = (0..instances.len()).rev().collect();
        let mut is_waiting = vec![true; instances.len()];
        while let Some(filter) = waiting.pop() {
            is_waiting[filter] = false;
            let degree = self.graph.inputs(filter).len() + self.graph.outputs(filter).len();
            effort.spend(1 + degree as u64)?;
            let before = order.len();
            while self.ended[filter] < instances[filter] && self.fire(filter) {
                effort.spend(1 + degree as u64)?;
                order.push(filter as u32);
            }
            if order.len() == before {
                continue;
            }
            for next in self.neighbours(filter) {
                if self.ended[next] < instances[next]
                    && !std::mem::replace(&mut is_waiting[next], true)
                {
                    waiting.push(next);
                }
            }
        }
        Ok(order)
    }

    /// The filters at the other ends of a filter's channels.
    fn neighbours(&self, filter: usize) -> impl Iterator<Item = usize> + use<'a> {
        let graph = self.graph;
        let takers = graph.outputs(filter).iter();
        let takers = takers.map(|channel| graph.channels()[*channel].to.filter);
        let givers = graph.inputs(filter).iter();
        takers.chain(givers.map(|channel| graph.channels()[*channel].from.filter))
    }
}

impl Lack {
    fn of(channel: usize, resource: Resource, needed: u64, there: u64) -> Option<Lack> {
        let missing = needed.checked_sub(there).filter(|missing| *missing > 0)?;
        Some(Lack {
            channel,
            resource,
            missing,
        })
    }
}
