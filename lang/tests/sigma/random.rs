//! Random consistent graphs: analyses against trying everything.

use std::ops::Range;

use giornata_lang::sigma::graph::{Channel, Filter};
use giornata_lang::sigma::{
    Capacities, Graph, Liveness, NoRepetition, Ratio, Repetition, Resource, fastest, least_live,
    lower_bounds, rates,
};
use proptest::prelude::*;
use proptest::sample::Index;

use crate::brute;
use crate::build::{bounded, channel, filter, graph, with};

/// What a channel of a random graph is made of.
type Draft = (Index, Index, u32, u64, Vec<Index>);

/// Divides a sum among positions.
fn divide(total: u32, positions: usize, cuts: &[Index]) -> Vec<u32> {
    let mut rates = vec![0; positions];
    for unit in 0..total {
        let cut = cuts.get(unit as usize % cuts.len().max(1));
        rates[cut.map_or(0, |cut| cut.index(positions))] += 1;
    }
    rates
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// A channel between two filters that run `cycles`.
fn draft((from, to, factor, initial, cuts): &Draft, filters: &[Filter], cycles: &[u64]) -> Channel {
    let (from, to) = (from.index(filters.len()), to.index(filters.len()));
    link(from, to, *factor, *initial, cuts, filters, cycles)
}

fn link(
    from: usize,
    to: usize,
    factor: u32,
    initial: u64,
    cuts: &[Index],
    filters: &[Filter],
    cycles: &[u64],
) -> Channel {
    let common = gcd(cycles[from], cycles[to]);
    let put = (cycles[to] / common) as u32 * factor;
    let take = (cycles[from] / common) as u32 * factor;
    let puts = divide(put, filters[from].positions.len(), cuts);
    let half = &cuts[cuts.len() / 2..];
    let takes = divide(take, filters[to].positions.len(), half);
    with(channel(from, &puts, to, &takes), initial, None)
}

/// Connected and consistent graphs without capacities.
pub(crate) fn consistent(sizes: Range<usize>) -> impl Strategy<Value = Graph> {
    let one = (prop::collection::vec(0..4u64, 1..4), 1..4u64);
    let cuts = || prop::collection::vec(any::<Index>(), 6);
    let parts = (any::<Index>(), any::<bool>(), 1..3u32, 0..4u64, cuts());
    let extra = (any::<Index>(), any::<Index>(), 1..3u32, 0..6u64, cuts());
    let filters = prop::collection::vec((one, parts), sizes);
    (filters, prop::collection::vec(extra, 0..3)).prop_map(|(drafts, extras)| {
        let name = |n: usize| format!("f{n}");
        let filters: Vec<Filter> = drafts
            .iter()
            .enumerate()
            .map(|(n, ((times, _), _))| filter(&name(n), times))
            .collect();
        let cycles: Vec<u64> = drafts.iter().map(|((_, cycles), _)| *cycles).collect();
        let mut channels = Vec::new();
        for (n, (_, (other, is_back, factor, initial, cuts))) in drafts.iter().enumerate().skip(1) {
            let other = other.index(n);
            let (from, to) = if *is_back { (n, other) } else { (other, n) };
            channels.push(link(from, to, *factor, *initial, cuts, &filters, &cycles));
        }
        channels.extend(extras.iter().map(|extra| draft(extra, &filters, &cycles)));
        graph(&filters, &channels)
    })
}

/// A graph, its repetition vector, and capacities under which it is live.
fn live(graph: &Graph) -> Option<(Repetition, Vec<u64>)> {
    let repetition = Repetition::of(graph).unwrap();
    match least_live(graph, &repetition).unwrap() {
        Capacities::Chosen {
            capacities,
            are_minimal: true,
        } => Some((repetition, capacities)),
        Capacities::TooSmall(_) => None,
        other => panic!("{other:?}"),
    }
}

fn order(graph: &Graph, repetition: &Repetition, capacities: &[u64]) -> Vec<u32> {
    let capacities: Vec<_> = capacities.iter().copied().map(Some).collect();
    match Liveness::of(graph, repetition, &capacities).unwrap() {
        Liveness::Live(order) => order,
        Liveness::Starved(starvation) => panic!("{starvation:?}"),
    }
}

fn one_period(graph: &Graph, repetition: &Repetition, capacities: &[u64]) -> Ratio {
    let order = order(graph, repetition, capacities);
    let all: Vec<_> = capacities.iter().copied().map(Some).collect();
    let rates = rates(graph, repetition, &all, &order).unwrap();
    assert_eq!(rates.len(), 1);
    rates[0].period
}

fn config(cases: u32) -> ProptestConfig {
    ProptestConfig {
        cases,
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

proptest! {
    #![proptest_config(config(1000))]

    #[test]
    fn the_repetition_vector_is_the_smallest_that_is_found(graph in consistent(1..5)) {
        let found = Repetition::of(&graph).unwrap();
        let most = *found.cycles().iter().max().unwrap();
        prop_assert_eq!(brute::repetition(&graph, most.max(3)).unwrap(), found.cycles());
        prop_assert_eq!(found.component_count(), 1);
    }

    #[test]
    fn a_graph_is_inconsistent_if_no_vector_is_found(
        rates in prop::collection::vec((0..3usize, 0..3usize, 1..3u32, 1..3u32), 2..5)
    ) {
        let filters = [filter("a", &[1]), filter("b", &[1]), filter("c", &[1])];
        let channels: Vec<Channel> = rates.iter()
            .map(|(from, to, put, take)| channel(*from, &[*put], *to, &[*take])).collect();
        // ratios of two channels at most multiply: 4 is the largest number
        let searched = |count: usize| brute::repetition(&graph(&filters, &channels[..count]), 4);
        match Repetition::of(&graph(&filters, &channels)) {
            Ok(found) => {
                let searched = searched(channels.len()).unwrap();
                prop_assert_eq!(&searched[..], found.cycles());
            }
            Err(NoRepetition::Inconsistent { channel, asked, others }) => {
                prop_assert!(searched(channel + 1).is_none());
                prop_assert!(searched(channel).is_some(), "the first that contradicts");
                prop_assert_ne!(Ratio::new(asked.0.into(), asked.1.into()).unwrap(), others);
            }
            Err(other) => prop_assert!(false, "{:?}", other),
        }
    }

    #[test]
    fn a_graph_is_live_if_no_state_is_its_last(
        (graph, rooms) in (consistent(1..4), prop::collection::vec(0..5u64, 8))
    ) {
        let capacities: Vec<u64> = graph.channels().iter().zip(&rooms)
            .map(|(channel, room)| channel.initial + room).collect();
        let graph = bounded(&graph, &capacities);
        let repetition = Repetition::of(&graph).unwrap();
        let liveness = Liveness::of(&graph, &repetition, &graph.capacities()).unwrap();
        prop_assert_eq!(liveness.is_live(), brute::is_live(&graph));
        if let Liveness::Starved(starvation) = liveness {
            check_cycle(&graph, &starvation.cycle);
        }
    }

    #[test]
    fn a_lower_bound_is_the_least_capacity_of_its_two_filters(graph in consistent(2..3)) {
        for (number, bound) in lower_bounds(&graph).unwrap().into_iter().enumerate() {
            let channel = &graph.channels()[number];
            let alone = Graph::new(graph.filters().to_vec(), vec![channel.clone()]).unwrap();
            let is_live_with = |capacity| {
                capacity >= channel.initial && brute::is_live(&bounded(&alone, &[capacity]))
            };
            // a filter that no channel holds up makes any graph live: leave the other out
            if channel.from.filter == channel.to.filter {
                continue;
            }
            let bound = bound.unwrap();
            prop_assert!(is_live_with(bound));
            prop_assert!(bound == 0 || !is_live_with(bound - 1), "{bound} {channel:?}");
        }
    }
}

proptest! {
    #![proptest_config(config(300))]

    #[test]
    fn below_a_lower_bound_no_room_elsewhere_helps(graph in consistent(2..4)) {
        let roomy: Vec<u64> = graph.channels().iter().map(|c| c.initial + 10).collect();
        for (number, bound) in lower_bounds(&graph).unwrap().into_iter().enumerate() {
            let bound = bound.unwrap_or(0);
            let below = bound.saturating_sub(1);
            if bound > 0 && below >= graph.channels()[number].initial {
                let mut capacities = roomy.clone();
                capacities[number] = below;
                prop_assert!(!brute::is_live(&bounded(&graph, &capacities)));
            }
        }
    }
}

/// Each waits for the next, the last for the first.
fn check_cycle(graph: &Graph, cycle: &[giornata_lang::sigma::Starved]) {
    assert!(!cycle.is_empty());
    let next = cycle.iter().cycle().skip(1);
    for (starved, next) in cycle.iter().zip(next) {
        let channel = &graph.channels()[starved.lack.channel];
        let (own, other) = match starved.lack.resource {
            Resource::Tokens => (channel.to.filter, channel.from.filter),
            Resource::Room => (channel.from.filter, channel.to.filter),
        };
        assert_eq!((own, other), (starved.filter, next.filter));
        assert!(starved.lack.missing > 0);
    }
}

/// Every vector of numbers up to these.
fn up_to(most: &[u64], least: &[u64]) -> Vec<Vec<u64>> {
    let mut all = vec![Vec::new()];
    for (most, least) in most.iter().zip(least) {
        let longer =
            |head: Vec<u64>| (*least..=*most).map(move |last| [head.clone(), vec![last]].concat());
        all = all.into_iter().flat_map(longer).collect();
    }
    all
}

proptest! {
    #![proptest_config(config(600))]

    #[test]
    fn no_smaller_capacities_than_those_chosen_are_live(graph in consistent(2..4)) {
        if let Some((_, chosen)) = live(&graph) {
            prop_assert!(brute::is_live(&bounded(&graph, &chosen)));
            let least: Vec<u64> = graph.channels().iter().map(|c| c.initial).collect();
            let below = up_to(&chosen, &least);
            prop_assume!(below.len() < 400);
            for other in below.iter().filter(|other| **other != chosen) {
                prop_assert!(!brute::is_live(&bounded(&graph, other)), "{chosen:?} {other:?}");
            }
        } else {
            let roomy: Vec<u64> = graph.channels().iter().map(|c| c.initial + 12).collect();
            prop_assert!(!brute::is_live(&bounded(&graph, &roomy)));
        }
    }

    #[test]
    fn the_rate_is_that_of_a_run_as_early_as_possible(
        (graph, rooms) in (consistent(1..5), prop::collection::vec(0..4u64, 8))
    ) {
        if let Some((repetition, least)) = live(&graph) {
            let capacities: Vec<u64> = least.iter().zip(&rooms).map(|(a, b)| a + b).collect();
            let graph = bounded(&graph, &capacities);
            let found = one_period(&graph, &repetition, &capacities);
            prop_assert_eq!(found, brute::period(&graph, repetition.instances()));
        }
    }

    #[test]
    fn the_fastest_capacities_lose_nothing_and_have_no_place_too_many(graph in consistent(1..4)) {
        if let Some((repetition, least)) = live(&graph) {
            let sized = fastest(&graph, &repetition, &least).unwrap();
            prop_assert!(sized.are_minimal);
            let period = |capacities: &[u64]| {
                brute::period(&bounded(&graph, capacities), repetition.instances())
            };
            let best = sized.rates[0].period;
            prop_assert_eq!(period(&sized.capacities), best);
            let roomy: Vec<u64> = sized.capacities.iter().map(|c| c + 30).collect();
            prop_assert_eq!(period(&roomy), best, "more room does not help");
            for at in 0..least.len() {
                let mut fewer = sized.capacities.clone();
                if fewer[at] > least[at] {
                    fewer[at] -= 1;
                    prop_assert!(period(&fewer) > best, "{fewer:?} would do");
                }
            }
        }
    }
}
