//! Which instances wait for which: the partial order that a graph means.

use super::execution::Resource;
use super::graph::{Graph, sum};

/// One direction of a channel: instances of a filter wait for what instances of
/// another give, tokens from the producer or room from the consumer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dependency<'a> {
    /// The channel.
    pub channel: usize,
    /// What is waited for.
    pub resource: Resource,
    /// The filter that gives it.
    pub giver: usize,
    /// The filter that waits.
    pub taker: usize,
    /// How much is there at the beginning.
    pub initial: u64,
    /// How much each position of the giver gives when it ends.
    pub given: &'a [u32],
    /// How much each position of the taker needs to start.
    pub needed: &'a [u32],
}

/// The dependencies of a graph with these capacities by channel, in the order of the
/// channels, tokens before room; a channel without a capacity always has room.
pub fn dependencies<'a>(
    graph: &'a Graph,
    capacities: &'a [Option<u64>],
) -> impl Iterator<Item = Dependency<'a>> {
    let channels = graph.channels().iter().zip(capacities).enumerate();
    channels.flat_map(|(number, (channel, capacity))| {
        let tokens = Dependency {
            channel: number,
            resource: Resource::Tokens,
            giver: channel.from.filter,
            taker: channel.to.filter,
            initial: channel.initial,
            given: &channel.from.rates,
            needed: &channel.to.rates,
        };
        let room = capacity.map(|capacity| Dependency {
            resource: Resource::Room,
            giver: tokens.taker,
            taker: tokens.giver,
            initial: capacity.saturating_sub(channel.initial),
            given: tokens.needed,
            needed: tokens.given,
            ..tokens
        });
        std::iter::once(tokens).chain(room)
    })
}

/// How many instances of the giver must have ended before an instance of the taker,
/// for a run of instances.
#[derive(Clone, Debug)]
pub(super) struct Required<'a> {
    dependency: Dependency<'a>,
    /// Given by the first instances of a cycle: none, one, and so on.
    prefix: Vec<u64>,
    /// Needed by instances up to the last one that was asked for.
    needed: u64,
    next: usize,
}

impl<'a> Required<'a> {
    pub(super) fn new(dependency: Dependency<'a>) -> Required<'a> {
        let mut total = 0;
        let given = dependency.given.iter().map(|given| {
            total += u64::from(*given);
            total
        });
        Required {
            prefix: std::iter::once(0).chain(given).collect(),
            dependency,
            needed: 0,
            next: 0,
        }
    }
}

impl Iterator for Required<'_> {
    type Item = i64;

    /// The number for the taker's next instance, from its first on; 0 or less if the
    /// initial tokens or room suffice. Without end, and never falling.
    fn next(&mut self) -> Option<i64> {
        let cycle = self.dependency.needed.len();
        self.needed += u64::from(self.dependency.needed[self.next % cycle]);
        self.next += 1;
        let each = i128::from(sum(self.dependency.given));
        let wanted = i128::from(self.needed) - i128::from(self.dependency.initial);
        // so many whole cycles, and of the next one as many as give the rest: 1 to `each`
        let (cycles, rest) = (
            (wanted - 1).div_euclid(each),
            (wanted - 1).rem_euclid(each) + 1,
        );
        let within = self
            .prefix
            .partition_point(|given| i128::from(*given) < rest);
        // Each cycle gives a token at least and needed tokens fit 64 bits: so does this.
        let positions = self.dependency.given.len() as i128;
        Some((cycles * positions + within as i128) as i64)
    }
}
