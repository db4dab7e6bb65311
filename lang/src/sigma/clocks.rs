//! Vector clocks: what each instance waits for, counted in instances.
//!
//! The partial order of a graph's instances is enough to run it: *it is possible from
//! this partial order to generate, per task, a vector clock and a set of vector
//! increments that can be used at run time to determine if a task activation can start
//! or must wait* (Louise and others: *Psigma*, section 3.1.2).
//!
//! The clock of a task holds, for each task that it waits for, how many instances of
//! that one must have ended before its own next instance starts. When its instance
//! ends, the increment of that instance is added. An instance may start when no entry
//! is ahead of what has ended; the *dependency counter* of the task is how many are.

use std::collections::BTreeMap;

use super::dependency::{Required, dependencies};
use super::effort::{Beyond, Effort, MOST_INSTANCES};
use super::graph::Graph;
use super::repetition::Repetition;

/// One entry of a task's vector clock.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The filter whose instances are waited for.
    pub filter: usize,
    /// How many of them must have ended before the first instance; 0 or less if none.
    pub start: i64,
    /// What is added at the end of each instance, from the first on; after an
    /// iteration's instances it begins anew.
    pub increments: Vec<u32>,
}

/// The vector clock of each filter, its entries by the number of their filter.
///
/// Several channels between two filters are one entry. The graph must be live in
/// `capacities`: a filter has no entry for itself, since the channels from it to itself
/// never hold a live one up. O(instances of an iteration * channels of a filter).
///
/// # Errors
/// If an iteration is too long.
pub fn vector_clocks(
    graph: &Graph,
    repetition: &Repetition,
    capacities: &[Option<u64>],
) -> Result<Vec<Vec<Entry>>, Beyond> {
    if repetition.total() > MOST_INSTANCES {
        return Err(Beyond::Instances(repetition.total()));
    }
    let mut effort = Effort::whole();
    let mut clocks = vec![BTreeMap::<usize, Vec<i64>>::new(); graph.filters().len()];
    for dependency in dependencies(graph, capacities) {
        if dependency.giver == dependency.taker {
            continue;
        }
        // one instance more, for the last increment
        let count = repetition.instances()[dependency.taker] + 1;
        effort.spend(count)?;
        let required = Required::new(dependency).take(count as usize);
        let entry = clocks[dependency.taker].entry(dependency.giver);
        let latest = entry.or_insert_with(|| vec![i64::MIN; count as usize]);
        for (latest, required) in latest.iter_mut().zip(required) {
            *latest = required.max(*latest);
        }
    }
    let entries = |clock: BTreeMap<usize, Vec<i64>>| clock.into_iter().map(entry).collect();
    clocks.into_iter().map(entries).collect()
}

fn entry((filter, required): (usize, Vec<i64>)) -> Result<Entry, Beyond> {
    let steps = required
        .windows(2)
        .map(|pair| u32::try_from(pair[1] - pair[0]));
    Ok(Entry {
        filter,
        start: required.first().copied().unwrap_or(0),
        increments: steps
            .collect::<Result<_, _>>()
            .map_err(|_| Beyond::Numbers)?,
    })
}
