//! Buffer bounds: which capacities a live graph needs.
//!
//! The smallest capacities under which a graph is live are hard to find (NP-complete
//! already for graphs of single rates: Murthy, *Scheduling Techniques for
//! Synchronous and Multidimensional Synchronous Dataflow*, 1996), and there may be
//! several that no smaller ones replace. What is computed here is a lower bound of
//! each channel by itself, and one choice that cannot be made smaller anywhere.

use super::effort::{Beyond, Effort};
use super::execution::Resource;
use super::graph::{Channel, Graph, MOST_TOKENS, sum};
use super::liveness::{Liveness, Starvation};
use super::ratio::gcd;
use super::repetition::Repetition;

/// Of each channel the least capacity under which its producer and consumer can run
/// for ever if nothing else holds them up; below it no graph with the channel is live.
/// `None` if the two are one filter whose own tokens do not suffice, or if the
/// bound exceeds [`MOST_TOKENS`].
///
/// The consumer runs whenever it can, which only makes room, and the producer only
/// when it cannot: no order keeps fewer tokens. For one rate each, p and c, this is
/// p + c - g + (d mod g) for d initial tokens and g = gcd(p, c), or d if that is
/// more. O(instances of the two in their own iteration).
///
/// # Errors
/// If that iteration is too long to be followed.
pub fn lower_bounds(graph: &Graph) -> Result<Vec<Option<u64>>, Beyond> {
    let effort = &mut Effort::whole();
    let channels = graph.channels().iter();
    channels
        .map(|channel| lower_bound(channel, effort))
        .collect()
}

fn lower_bound(channel: &Channel, effort: &mut Effort) -> Result<Option<u64>, Beyond> {
    let (puts, takes) = (&channel.from.rates, &channel.to.rates);
    let (mut level, mut peak) = (channel.initial, channel.initial);
    if channel.from.filter == channel.to.filter {
        for (put, take) in puts.iter().zip(takes) {
            // what it takes stands there until the instance ends
            effort.spend(1)?;
            peak = peak.max(level + u64::from(*put));
            let Some(left) = level.checked_sub((*take).into()) else {
                return Ok(None);
            };
            level = left + u64::from(*put);
        }
        return Ok(Some(peak).filter(|peak| *peak <= MOST_TOKENS));
    }
    // whole cycles of the consumer first, all at once
    level %= sum(takes);
    let common = gcd(sum(puts).into(), sum(takes).into()) as u64;
    let mut consumer = takes.iter().cycle().map(|take| u64::from(*take)).peekable();
    // From the first wait of the consumer on, the two do the same again after one
    // iteration of their own; before it, levels only fall.
    for put in puts
        .iter()
        .cycle()
        .take(own_instances(takes, common, puts.len())?)
    {
        while let Some(take) = consumer.next_if(|take| *take <= level) {
            effort.spend(1)?;
            level -= take;
        }
        effort.spend(1)?;
        level += u64::from(*put);
        peak = peak.max(level);
    }
    Ok(Some(peak).filter(|peak| *peak <= MOST_TOKENS))
}

/// Instances of the producer in an iteration of a channel's two filters.
fn own_instances(takes: &[u32], common: u64, positions: usize) -> Result<usize, Beyond> {
    let cycles = sum(takes) / common.max(1);
    let instances = cycles.checked_mul(positions as u64);
    let instances = instances.and_then(|instances| instances.try_into().ok());
    instances.ok_or(Beyond::Steps)
}

/// Capacities for all channels, or why the given ones have none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Capacities {
    /// Under these the graph is live.
    Chosen {
        /// By channel.
        capacities: Vec<u64>,
        /// Whether they are minimal: of a large graph the search may end before.
        are_minimal: bool,
    },
    /// Whatever the others are, these given ones let it starve: at each channel
    /// whose room is missing the capacity is too small.
    TooSmall(Starvation),
    /// A capacity beyond [`MOST_TOKENS`] is needed.
    TooLarge {
        /// Of this channel.
        channel: usize,
    },
}

/// Keeps the given capacities and chooses the missing ones so that the graph is live,
/// *minimal*: no other live choice is at most as large at every channel. Others may
/// be smaller at one channel and larger at another, also in sum.
///
/// They begin at the lower bounds; as long as the graph starves, those whose room is
/// missed are doubled; then each in turn is lowered as far as the graph stays live.
/// More room never makes a live graph starve, so what cannot be lowered alone cannot
/// be lowered together with others. O(missing ones * log capacity) runs of an iteration.
///
/// # Errors
/// If an iteration is too long to be followed.
pub fn least_live(graph: &Graph, repetition: &Repetition) -> Result<Capacities, Beyond> {
    let effort = &mut Effort::whole();
    let given = graph.capacities();
    let free = Liveness::within(graph, repetition, &given, effort)?;
    if let Liveness::Starved(starvation) = free {
        return Ok(Capacities::TooSmall(starvation));
    }
    let mut lower = Vec::new();
    for (number, channel) in graph.channels().iter().enumerate() {
        let bound = match channel.capacity {
            Some(capacity) => Some(capacity),
            None => lower_bound(channel, effort)?,
        };
        match bound {
            Some(bound) => lower.push(bound),
            None => return Ok(Capacities::TooLarge { channel: number }),
        }
    }
    let mut capacities = lower.clone();
    while let Liveness::Starved(starvation) = run(graph, repetition, &capacities, effort)? {
        if let Some(channel) = enlarge(&mut capacities, &given, &starvation) {
            return Ok(Capacities::TooLarge { channel });
        }
    }
    let are_minimal = lower_each(&mut capacities, &lower, |capacities| {
        Ok(run(graph, repetition, capacities, effort)?.is_live())
    });
    Ok(Capacities::Chosen {
        are_minimal: are_minimal.is_ok(),
        capacities,
    })
}

fn run(
    graph: &Graph,
    repetition: &Repetition,
    capacities: &[u64],
    effort: &mut Effort,
) -> Result<Liveness, Beyond> {
    let bounded: Vec<_> = capacities.iter().copied().map(Some).collect();
    Liveness::within(graph, repetition, &bounded, effort)
}

/// Doubles the capacities that are not given and whose room is missed in a cycle of
/// waiting filters; the channel of one that is the largest possible already.
///
/// There is such a channel: with the given capacities alone the graph is live, and a
/// cycle of filters that wait for tokens and for given room would starve there too.
fn enlarge(
    capacities: &mut [u64],
    given: &[Option<u64>],
    starvation: &Starvation,
) -> Option<usize> {
    let lacks = starvation.cycle.iter().map(|starved| starved.lack);
    let missed = lacks.filter(|lack| lack.resource == Resource::Room);
    for channel in missed.map(|lack| lack.channel) {
        if given[channel].is_some() {
            continue;
        }
        if capacities[channel] >= MOST_TOKENS {
            return Some(channel);
        }
        capacities[channel] = (capacities[channel] * 2).clamp(1, MOST_TOKENS);
    }
    None
}

/// Lowers each number in turn to the smallest, not below `lower`, with which `holds`
/// still holds; it must hold at the beginning, and of larger numbers where it holds
/// of smaller ones. It holds of what is left after an error, too.
pub(super) fn lower_each(
    numbers: &mut [u64],
    lower: &[u64],
    mut holds: impl FnMut(&[u64]) -> Result<bool, Beyond>,
) -> Result<(), Beyond> {
    for at in 0..numbers.len() {
        let (mut low, mut high) = (lower[at], numbers[at]);
        while low < high {
            numbers[at] = low + (high - low) / 2;
            match holds(numbers) {
                Ok(true) => high = numbers[at],
                Ok(false) => low = numbers[at] + 1,
                Err(beyond) => {
                    numbers[at] = high;
                    return Err(beyond);
                }
            }
        }
        numbers[at] = high;
    }
    Ok(())
}
