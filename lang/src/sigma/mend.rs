//! What would make a graph run that stops: the least change of one channel.
//!
//! More room or more initial tokens never make a graph stop that runs, so the least
//! number is found by halving.

use super::bounds::lower_each;
use super::effort::{Beyond, Effort};
use super::graph::{Graph, MOST_TOKENS, sum};
use super::liveness::Liveness;
use super::repetition::Repetition;

/// The least capacity of a channel with which the graph runs, all others being as
/// given; none if it then stops for want of something else, or the search is too long.
/// O(log capacity) runs of an iteration.
pub(super) fn capacity(graph: &Graph, repetition: &Repetition, channel: usize) -> Option<u64> {
    let capacities = graph.capacities();
    least(graph, repetition, channel, |number, effort| {
        let mut capacities = capacities.clone();
        capacities[channel] = Some(number);
        Ok(Liveness::within(graph, repetition, &capacities, effort)?.is_live())
    })
}

/// The least number of initial tokens in a channel with which the graph runs without
/// any bound; none as above.
pub(super) fn initial(graph: &Graph, repetition: &Repetition, channel: usize) -> Option<u64> {
    let unbounded = vec![None; graph.channels().len()];
    least(graph, repetition, channel, |number, effort| {
        let mut channels = graph.channels().to_vec();
        channels[channel].initial = number;
        channels[channel].capacity = None;
        let Ok(graph) = Graph::new(graph.filters().to_vec(), channels) else {
            return Ok(false);
        };
        Ok(Liveness::within(&graph, repetition, &unbounded, effort)?.is_live())
    })
}

/// The least number, up to all tokens that a channel can hold within an iteration.
fn least(
    graph: &Graph,
    repetition: &Repetition,
    number: usize,
    is_live: impl Fn(u64, &mut Effort) -> Result<bool, Beyond>,
) -> Option<u64> {
    let channel = graph.channels().get(number)?;
    let cycles = repetition.cycles()[channel.from.filter];
    let tokens = cycles.checked_mul(sum(&channel.from.rates))?;
    let most = channel.initial.checked_add(tokens)?;
    let effort = &mut Effort::whole();
    if most > MOST_TOKENS || !is_live(most, effort).ok()? {
        return None;
    }
    let mut found = [most];
    lower_each(&mut found, &[channel.initial], |found| {
        is_live(found[0], effort)
    })
    .ok()?;
    Some(found[0])
}
