//! Capacities for the highest rate.
//!
//! The least capacities under which a graph is live often let one filter run at a
//! time. More room never slows a graph, so the trade is between memory and rate.
//! (Stuijk, Geilen, Basten: *Exploring Trade-Offs in Buffer Requirements and
//! Throughput Constraints for Synchronous Dataflow Graphs*, 2006: one point of that
//! trade, the end at which room no longer helps.)

use super::bounds::lower_each;
use super::effort::{Beyond, Effort};
use super::execution::Resource;
use super::graph::{Graph, MOST_TOKENS};
use super::liveness::Liveness;
use super::ratio::Ratio;
use super::repetition::Repetition;
use super::throughput::{NoRate, Rate, rates_within};

/// Capacities, and what a graph does in them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sized {
    /// By channel.
    pub capacities: Vec<u64>,
    /// Whether no capacity can be lowered: of a large graph the search may end before.
    pub are_minimal: bool,
    /// The rate of each component.
    pub rates: Vec<Rate>,
}

/// Enlarges the capacities that are not given, from those of
/// [`least_live`](super::least_live) on, until every component has the rate that it
/// would have if they were not bounded; then lowers each in turn as far as the rates
/// stay. The result is *minimal*: no other choice between `least` and it has these rates.
///
/// What slows a component is a cycle of instances, and as long as that is slower than
/// without bounds a producer waits for room in it: the capacities there are doubled.
/// A cycle gets faster with each place of room in it, so this ends.
///
/// # Errors
/// If a worst-case execution time is missing, or the search does not end in time.
pub fn fastest(graph: &Graph, repetition: &Repetition, least: &[u64]) -> Result<Sized, NoRate> {
    let given = graph.capacities();
    let effort = &mut Effort::whole();
    let mut capacities = least.to_vec();
    let order = match Liveness::within(graph, repetition, &bounded(least), effort)? {
        Liveness::Live(order) => order,
        // not from `least_live`
        Liveness::Starved(_) => return Err(NoRate::Beyond(Beyond::Numbers)),
    };
    // an order that fits into the least capacities fits into all larger ones
    let rates = |capacities: &[Option<u64>], effort: &mut Effort| {
        rates_within(graph, repetition, capacities, &order, effort)
    };
    let goal = periods(&rates(&given, effort)?);
    let mut reached = rates(&bounded(&capacities), effort)?;
    while let Some(slow) = slower(&reached, &goal) {
        if !enlarge(&mut capacities, &given, slow) {
            return Err(NoRate::Beyond(Beyond::Numbers));
        }
        reached = rates(&bounded(&capacities), effort)?;
    }
    let are_minimal = lower_each(&mut capacities, least, |capacities| {
        match rates(&bounded(capacities), effort) {
            Ok(rates) => Ok(slower(&rates, &goal).is_none()),
            Err(NoRate::Beyond(beyond)) => Err(beyond),
            Err(NoRate::Untimed(_)) => Ok(false),
        }
    });
    let rates = match are_minimal {
        Ok(()) => rates(&bounded(&capacities), &mut Effort::whole())?,
        Err(_) => reached,
    };
    Ok(Sized {
        capacities,
        are_minimal: are_minimal.is_ok(),
        rates,
    })
}

fn bounded(capacities: &[u64]) -> Vec<Option<u64>> {
    capacities.iter().copied().map(Some).collect()
}

fn periods(rates: &[Rate]) -> Vec<Ratio> {
    rates.iter().map(|rate| rate.period).collect()
}

/// The first component that is slower than it should be.
fn slower<'a>(rates: &'a [Rate], goal: &[Ratio]) -> Option<&'a Rate> {
    let mut rates = rates.iter().zip(goal);
    let found = rates.find(|(rate, goal)| rate.period > **goal);
    found.map(|(rate, _)| rate)
}

/// Doubles the capacities that are not given and whose room a cycle waits for; whether
/// there is one that can be doubled.
fn enlarge(capacities: &mut [u64], given: &[Option<u64>], slow: &Rate) -> bool {
    let mut is_larger = false;
    let waits = slow.cycle.iter().filter_map(|step| step.waits);
    let mut missed: Vec<usize> = waits
        .filter(|(channel, resource)| *resource == Resource::Room && given[*channel].is_none())
        .map(|(channel, _)| channel)
        .collect();
    missed.sort_unstable();
    missed.dedup();
    for channel in missed {
        let doubled = (capacities[channel] * 2).clamp(1, MOST_TOKENS);
        is_larger |= doubled > capacities[channel];
        capacities[channel] = doubled;
    }
    is_larger
}
