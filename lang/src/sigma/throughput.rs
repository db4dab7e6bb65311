//! Maximum throughput: the shortest time of an iteration in the long run.
//!
//! With a processor for every filter, and every instance taking its worst-case time,
//! a graph that starts each instance as early as possible reaches the highest rate
//! that any schedule reaches. The rate is that of the slowest *cycle* of instances
//! that wait for each other: the sum of its times over the iterations that one round
//! of it spans. (Reiter: *Scheduling Parallel Computations*, 1968; Sriram,
//! Bhattacharyya: *Embedded Multiprocessors*, chapter 7, on the expansion of a graph to
//! single instances.) Instances of a filter wait for each other, producers for room.

use super::cycle::{Arc, Weighted, slowest_cycle};
use super::dependency::{Required, dependencies};
use super::effort::{Beyond, Effort};
use super::execution::Resource;
use super::graph::Graph;
use super::ratio::Ratio;
use super::repetition::Repetition;

/// The rate of a component of a graph, and what limits it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rate {
    /// Time of an iteration in the long run; 0 if all its cycles take no time.
    pub period: Ratio,
    /// Instances that wait for each other for so long, each for the one before, the
    /// first for the last.
    pub cycle: Vec<Step>,
}

/// An instance in the slowest cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// The filter.
    pub filter: usize,
    /// Which of its instances in an iteration, from 0.
    pub instance: u64,
    /// The channel on which it waits for the one before, and for what; none if that
    /// is its own filter's previous instance.
    pub waits: Option<(usize, Resource)>,
}

/// Why there is no rate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoRate {
    /// No worst-case execution time is known of this filter.
    Untimed(usize),
    /// The search was too long.
    Beyond(Beyond),
}

impl From<Beyond> for NoRate {
    fn from(beyond: Beyond) -> NoRate {
        NoRate::Beyond(beyond)
    }
}

/// The rate of each component of a graph that is live in these capacities; `order` is
/// one iteration of it, as [`Liveness`](super::Liveness) has it. A channel without a
/// capacity always has room: what is then slower puts tokens in it without end.
/// O(dependencies * rounds of the search), few as a rule.
///
/// # Errors
/// If a worst-case execution time is missing, or the search does not end in time.
pub fn rates(
    graph: &Graph,
    repetition: &Repetition,
    capacities: &[Option<u64>],
    order: &[u32],
) -> Result<Vec<Rate>, NoRate> {
    rates_within(graph, repetition, capacities, order, &mut Effort::whole())
}

pub(super) fn rates_within(
    graph: &Graph,
    repetition: &Repetition,
    capacities: &[Option<u64>],
    order: &[u32],
    effort: &mut Effort,
) -> Result<Vec<Rate>, NoRate> {
    let expansion = Expansion::of(graph, repetition, capacities, order, effort)?;
    let components = 0..repetition.component_count();
    components
        .map(|component| expansion.rate(component, effort))
        .collect()
}

/// The instances of an iteration, in an order in which none waits for a later one of
/// the same iteration.
struct Expansion {
    /// Instances of each component.
    parts: Vec<Part>,
}

#[derive(Default)]
struct Part {
    /// Filter and number in the iteration.
    instances: Vec<(usize, u64)>,
    weighted: Weighted,
}

impl Expansion {
    fn of(
        graph: &Graph,
        repetition: &Repetition,
        capacities: &[Option<u64>],
        order: &[u32],
        effort: &mut Effort,
    ) -> Result<Expansion, NoRate> {
        let filters = graph.filters().len();
        let mut parts: Vec<Part> = Vec::new();
        parts.resize_with(repetition.component_count(), Part::default);
        // the place of each filter's instances in its component
        let mut places: Vec<Vec<usize>> = vec![Vec::new(); filters];
        for filter in order.iter().map(|filter| *filter as usize) {
            let part = &mut parts[repetition.components()[filter]];
            let instance = places[filter].len();
            let position = instance % graph.cycle(filter);
            let wcet = graph.filters()[filter].positions[position].wcet;
            places[filter].push(part.instances.len());
            part.instances.push((filter, instance as u64));
            part.weighted.push(wcet.ok_or(NoRate::Untimed(filter))?);
        }
        for (filter, places) in places.iter().enumerate() {
            let part = &mut parts[repetition.components()[filter]];
            let before = places.iter().cycle().skip(places.len().saturating_sub(1));
            for (number, (place, before)) in places.iter().zip(before).enumerate() {
                part.weighted
                    .wait(*place, *before, u64::from(number == 0), None);
            }
        }
        for dependency in dependencies(graph, capacities) {
            let part = &mut parts[repetition.components()[dependency.taker]];
            let (takers, givers) = (&places[dependency.taker], &places[dependency.giver]);
            effort.spend(takers.len() as u64 + 1)?;
            let round = givers.len() as i64;
            let mut required = Required::new(dependency);
            let first: Vec<i64> = required.by_ref().take(takers.len()).collect();
            // what the last instance of the iteration before waited for
            let mut latest = first.last().map_or(0, |last| last - round);
            for (place, required) in takers.iter().zip(first) {
                // whoever waits for no more than the instance before it waits for that only
                if required > latest {
                    let (before, giver) = ((required - 1).div_euclid(round), required - 1);
                    let giver = givers[giver.rem_euclid(round) as usize];
                    let on = (dependency.channel, dependency.resource);
                    // of a live graph, none waits for a later iteration
                    part.weighted
                        .wait(*place, giver, (-before).max(0) as u64, Some(on));
                }
                latest = required;
            }
        }
        Ok(Expansion { parts })
    }

    fn rate(&self, component: usize, effort: &mut Effort) -> Result<Rate, NoRate> {
        let part = &self.parts[component];
        let (period, cycle) = slowest_cycle(&part.weighted, effort)?;
        let step = |arc: &Arc| {
            let (filter, instance) = part.instances[arc.to];
            Step {
                filter,
                instance,
                waits: arc.on,
            }
        };
        Ok(Rate {
            period,
            cycle: cycle.iter().map(step).collect(),
        })
    }
}
