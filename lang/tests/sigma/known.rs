//! Graphs whose answers follow by hand, some of them from the literature.

use giornata_lang::sigma::graph::{Channel, Filter};
use giornata_lang::sigma::{
    Beyond, Capacities, Counters, Graph, Lack, Liveness, NoRate, NoRepetition, Rate, Ratio,
    Repetition, Resource, Sized, Starvation, fastest, least_live, lower_bounds, rates,
    vector_clocks,
};

use crate::build::{bounded, channel, filter, graph, with};

fn cycles(graph: &Graph) -> Vec<u64> {
    Repetition::of(graph).unwrap().cycles().to_vec()
}

fn bounds(graph: &Graph) -> Vec<u64> {
    let bounds = lower_bounds(graph).unwrap().into_iter();
    bounds.map(Option::unwrap).collect()
}

fn least(graph: &Graph) -> Vec<u64> {
    match least_live(graph, &Repetition::of(graph).unwrap()).unwrap() {
        Capacities::Chosen { capacities, .. } => capacities,
        other => panic!("{other:?}"),
    }
}

fn starvation(graph: &Graph) -> Starvation {
    let repetition = Repetition::of(graph).unwrap();
    match Liveness::of(graph, &repetition, &graph.capacities()).unwrap() {
        Liveness::Starved(starvation) => starvation,
        Liveness::Live(order) => panic!("live: {order:?}"),
    }
}

fn rates_in(graph: &Graph) -> Vec<Rate> {
    let repetition = Repetition::of(graph).unwrap();
    let capacities = graph.capacities();
    match Liveness::of(graph, &repetition, &capacities).unwrap() {
        Liveness::Live(order) => rates(graph, &repetition, &capacities, &order).unwrap(),
        Liveness::Starved(starvation) => panic!("{starvation:?}"),
    }
}

/// Of a connected graph in its own capacities.
fn period(graph: &Graph) -> Ratio {
    rates_in(graph)[0].period
}

fn best(graph: &Graph) -> Sized {
    fastest(graph, &Repetition::of(graph).unwrap(), &least(graph)).unwrap()
}

/// Single-rate filters a, b, c and so on.
fn filters(times: &[u64]) -> Vec<Filter> {
    let names = ["a", "b", "c", "d", "e", "f"];
    let pairs = names.iter().zip(times);
    pairs.map(|(name, time)| filter(name, &[*time])).collect()
}

fn chain(times: &[u64], rates: &[(u32, u32)]) -> Graph {
    let link = |(n, (put, take)): (usize, &(u32, u32))| channel(n, &[*put], n + 1, &[*take]);
    let channels: Vec<Channel> = rates.iter().enumerate().map(link).collect();
    graph(&filters(times), &channels)
}

/// Two puts against three takes: 3 * 2 = 2 * 3. In 2 + 3 - 1 = 4 places the consumer
/// gets its 3 tokens and the producer goes on with 1 left over; in 3 the producer stops
/// at 2 tokens. 4 places let the producer start again only when the consumer has ended:
/// a a b a b takes 1 + 1 + 4 + 1 + 4.
#[test]
fn two_rates() {
    let graph = chain(&[1, 4], &[(2, 3)]);
    assert_eq!(cycles(&graph), [3, 2]);
    assert_eq!(bounds(&graph), [4]);
    assert_eq!(least(&graph), [4]);
    assert_eq!(period(&bounded(&graph, &[4])), Ratio::whole(11));
    let tight = starvation(&bounded(&graph, &[3]));
    assert_eq!((tight.levels, tight.ended), (vec![2], vec![1, 0]));
    assert_eq!(best(&graph).rates[0].period, Ratio::whole(8));
}

/// Samples of a compact disc to those of a digital tape, 44.1 to 48 kHz, in four
/// steps: 160 samples become 147 (Vaidyanathan; Murthy, Bhattacharyya). Each channel
/// needs p + c - gcd(p, c), and a chain needs no more, since a demand goes up it.
#[test]
fn compact_disc_to_tape() {
    let rates = [(1, 1), (2, 3), (2, 7), (8, 7), (5, 1)];
    let graph = chain(&[0; 6], &rates);
    assert_eq!(cycles(&graph), [147, 147, 98, 28, 32, 160]);
    assert_eq!(bounds(&graph), [1, 4, 8, 14, 5]);
    assert_eq!(least(&graph), [1, 4, 8, 14, 5]);
}

/// The same with times: the last step runs 160 times 10, and is never late.
#[test]
fn the_slowest_filter_sets_the_pace() {
    let rates = [(1, 1), (2, 3), (2, 7), (8, 7), (5, 1)];
    let graph = chain(&[10, 2, 3, 5, 5, 10], &rates);
    let sized = best(&graph);
    assert_eq!(sized.rates[0].period, Ratio::whole(1600));
    assert!(sized.are_minimal);
}

/// A path of two channels asks for a : c = 1 : 1, the direct one for 1 : 2.
#[test]
fn the_channel_that_breaks_a_triangle() {
    let channels = [
        channel(0, &[1], 1, &[1]),
        channel(1, &[1], 2, &[1]),
        channel(0, &[2], 2, &[1]),
        channel(2, &[5], 0, &[1]),
    ];
    let graph = graph(&filters(&[1, 1, 1]), &channels);
    let expected = NoRepetition::Inconsistent {
        channel: 2,
        asked: (1, 2),
        others: Ratio::ONE,
    };
    assert_eq!(Repetition::of(&graph), Err(expected));
}

/// A filter that takes less from itself than it puts.
#[test]
fn a_channel_to_oneself_must_keep_its_tokens() {
    let graph = graph(&filters(&[1]), &[channel(0, &[2], 0, &[1])]);
    let Err(NoRepetition::Inconsistent { asked, others, .. }) = Repetition::of(&graph) else {
        panic!("consistent");
    };
    assert_eq!((asked, others), ((1, 2), Ratio::ONE));
}

/// Two filters that each wait for the other's first token.
#[test]
fn a_cycle_without_tokens_starves() {
    let channels = [channel(0, &[1], 1, &[1]), channel(1, &[1], 0, &[1])];
    let found = starvation(&graph(&filters(&[1, 1]), &channels));
    let lack = |channel| Lack {
        channel,
        resource: Resource::Tokens,
        missing: 1,
    };
    let cycle: Vec<_> = found.cycle.iter().map(|s| (s.filter, s.lack)).collect();
    assert_eq!(cycle, [(0, lack(1)), (1, lack(0))]);
    assert_eq!(found.filters, found.cycle);
    assert_eq!((found.levels, found.ended), (vec![0, 0], vec![0, 0]));
}

/// A ring that starves beside a pair that runs: only the ring is named, and the pair
/// ends its iteration.
#[test]
fn a_component_that_starves_beside_one_that_runs() {
    let channels = [
        channel(0, &[1], 1, &[1]),
        channel(2, &[1], 3, &[1]),
        channel(3, &[1], 2, &[1]),
    ];
    let found = starvation(&graph(&filters(&[1, 1, 1, 1]), &channels));
    let stuck: Vec<usize> = found.filters.iter().map(|s| s.filter).collect();
    assert_eq!((stuck, found.ended), (vec![2, 3], vec![1, 1, 0, 0]));
}

/// With d tokens in it, a round of a cycle of 3 + 5 serves d iterations; two filters
/// alone cannot be faster than the slower one.
#[test]
fn tokens_in_a_cycle_overlap_its_rounds() {
    let cycle = |tokens| {
        let back = with(channel(1, &[1], 0, &[1]), tokens, None);
        period(&graph(
            &filters(&[3, 5]),
            &[channel(0, &[1], 1, &[1]), back],
        ))
    };
    assert_eq!([cycle(1), cycle(2)], [8, 5].map(Ratio::whole));
}

/// A ring of three times 4 with two tokens: 12 / 2.
#[test]
fn a_ring_is_as_fast_as_time_over_tokens() {
    let channels = [
        channel(0, &[1], 1, &[1]),
        channel(1, &[1], 2, &[1]),
        with(channel(2, &[1], 0, &[1]), 2, None),
    ];
    let ring = graph(&filters(&[4, 4, 4]), &channels);
    assert_eq!(period(&ring), Ratio::whole(6));
    let uneven = graph(&filters(&[4, 4, 5]), &channels);
    assert_eq!(period(&uneven), Ratio::new(13, 2).unwrap());
}

/// The example of Stuijk, Geilen and Basten (2006): rates 2:3 and 1:2, times 1, 2, 2.
/// Their trade-off begins at 4 + 2 places with an iteration in 7 and ends at 10 places
/// with one in 4, which is two runs of the second filter.
#[test]
fn the_trade_of_room_for_rate() {
    let graph = chain(&[1, 2, 2], &[(2, 3), (1, 2)]);
    assert_eq!(cycles(&graph), [3, 2, 1]);
    assert_eq!(least(&graph), [4, 2]);
    assert_eq!(period(&bounded(&graph, &[4, 2])), Ratio::whole(7));
    assert_eq!(period(&bounded(&graph, &[6, 2])), Ratio::whole(6));
    assert_eq!(period(&bounded(&graph, &[6, 3])), Ratio::whole(5));
    assert_eq!(period(&bounded(&graph, &[7, 3])), Ratio::whole(4));
    let sized = best(&graph);
    assert_eq!(sized.rates[0].period, Ratio::whole(4));
    assert_eq!(sized.capacities.iter().sum::<u64>(), 10);
}

/// A decoder of H.263: 594 blocks a frame, each decoded in 559 time units, which is
/// more than the frame takes elsewhere: 594 * 559.
#[test]
fn a_video_decoder() {
    let graph = chain(&[26_018, 559, 486, 10_958], &[(594, 1), (1, 1), (1, 594)]);
    assert_eq!(cycles(&graph), [1, 594, 594, 1]);
    assert_eq!(bounds(&graph), [594, 1, 594]);
    assert_eq!(best(&graph).rates[0].period, Ratio::whole(332_046));
}

/// A cyclo-static filter hands every second token on. Cycles: a 2, b 1 of two
/// positions, c 1; instances 2, 2, 1.
#[test]
fn a_decimator() {
    let filters = [filter("a", &[1]), filter("b", &[1, 1]), filter("c", &[1])];
    let channels = [channel(0, &[1], 1, &[1, 1]), channel(1, &[1, 0], 2, &[1])];
    let graph = graph(&filters, &channels);
    let repetition = Repetition::of(&graph).unwrap();
    assert_eq!(repetition.cycles(), [2, 1, 1]);
    assert_eq!(repetition.instances(), [2, 2, 1]);
    assert_eq!(least(&graph), [1, 1]);
}

/// What cycles of several positions are for (Bilsen and others): a filter that puts
/// [1, 1] and takes [0, 2] of an answer lives where [2] and [2] at once would starve,
/// because its partner needs the first token alone.
#[test]
fn positions_live_where_their_sum_starves() {
    let both = |a: &[u32], back: &[u32]| {
        let times = vec![1; a.len()];
        let filters = [filter("a", &times), filter("b", &[1])];
        graph(
            &filters,
            &[channel(0, a, 1, &[2]), channel(1, &[2], 0, back)],
        )
    };
    let split = both(&[1, 1, 0], &[0, 0, 2]);
    assert_eq!(cycles(&split), [1, 1]);
    assert_eq!(period(&split), Ratio::whole(4));
    let at_once = starvation(&both(&[2], &[2]));
    assert_eq!(at_once.ended, [0, 0]);
}

/// The room of a cyclo-static channel: [3, 0] against [1, 2]. 3 places hold the
/// burst; the first position of the producer starts again when all 3 are gone.
#[test]
fn room_for_a_burst() {
    let filters = [filter("a", &[1, 1]), filter("b", &[1, 1])];
    let graph = graph(&filters, &[channel(0, &[3, 0], 1, &[1, 2])]);
    assert_eq!(cycles(&graph), [1, 1]);
    assert_eq!(bounds(&graph), [3]);
    assert_eq!(period(&bounded(&graph, &[3])), Ratio::whole(3));
    // with room for a second burst both are busy all the time
    assert_eq!(period(&bounded(&graph, &[6])), Ratio::whole(2));
}

/// Initial tokens take places: 5 of them need 5, and 2 + 3 - 1 + (5 mod 1) = 4 is less.
#[test]
fn initial_tokens_take_places() {
    let tokens = |initial| {
        let channels = [with(channel(0, &[2], 1, &[3]), initial, None)];
        bounds(&graph(&filters(&[1, 1]), &channels))
    };
    assert_eq!(
        [tokens(0), tokens(1), tokens(4), tokens(5)],
        [[4], [4], [4], [5]]
    );
    // 4 + 6 - 2 + (d mod 2)
    let even = |initial| {
        let channels = [with(channel(0, &[4], 1, &[6]), initial, None)];
        bounds(&graph(&filters(&[1, 1]), &channels))
    };
    assert_eq!([even(0), even(1), even(2), even(9)], [[8], [9], [8], [9]]);
}

/// Two ways from a to c, one with a filter more: its tokens pile up on the other,
/// so 1 place is enough for each only because instances go one after the other. With
/// rates of 2 and 1 on the longer way the short one must hold both tokens of a.
#[test]
fn a_reconvergent_path_needs_more_than_its_bound() {
    let channels = [
        channel(0, &[1], 1, &[2]),
        channel(1, &[2], 2, &[2]),
        channel(0, &[1], 2, &[2]),
    ];
    let pair = graph(&filters(&[1, 1, 1]), &channels);
    assert_eq!(cycles(&pair), [2, 1, 1]);
    assert_eq!(bounds(&pair), [2, 2, 2]);
    assert_eq!(least(&pair), [2, 2, 2]);
    let channels = [
        channel(0, &[1], 1, &[3]),
        channel(1, &[3], 2, &[1]),
        channel(0, &[1], 2, &[1]),
    ];
    let burst = graph(&filters(&[1, 1, 1]), &channels);
    assert_eq!(cycles(&burst), [3, 1, 3]);
    assert_eq!(bounds(&burst), [3, 3, 1]);
    // c has its first token from b when a has run three times
    assert_eq!(least(&burst), [3, 3, 3]);
}

/// A capacity that is given and too small is found with the cycle that starves: a
/// lacks room on the short way, c lacks tokens of b, b those of a.
#[test]
fn a_given_capacity_that_is_too_small() {
    let channels = [
        channel(0, &[1], 1, &[3]),
        channel(1, &[3], 2, &[1]),
        with(channel(0, &[1], 2, &[1]), 0, Some(2)),
    ];
    let graph = graph(&filters(&[1, 1, 1]), &channels);
    let found = least_live(&graph, &Repetition::of(&graph).unwrap()).unwrap();
    let Capacities::TooSmall(starvation) = found else {
        panic!("{found:?}");
    };
    let cycle: Vec<_> = starvation
        .cycle
        .iter()
        .map(|s| (s.filter, s.lack.channel, s.lack.resource, s.lack.missing))
        .collect();
    let expected = [
        (0, 2, Resource::Room, 1),
        (2, 1, Resource::Tokens, 1),
        (1, 0, Resource::Tokens, 1),
    ];
    assert_eq!(cycle, expected);
    assert_eq!(starvation.ended, [2, 0, 0]);
    assert_eq!(starvation.levels, [2, 0, 2]);
}

/// Two graphs in one: each has its own numbers and its own pace.
#[test]
fn components_are_independent() {
    let channels = [channel(0, &[1], 1, &[2]), channel(2, &[3], 3, &[1])];
    let graph = graph(&filters(&[1, 5, 7, 2]), &channels);
    let repetition = Repetition::of(&graph).unwrap();
    assert_eq!(repetition.cycles(), [2, 1, 1, 3]);
    assert_eq!(repetition.components(), [0, 0, 1, 1]);
    let periods: Vec<Ratio> = best(&graph).rates.iter().map(|rate| rate.period).collect();
    assert_eq!(periods, [Ratio::whole(5), Ratio::whole(7)]);
}

/// A filter with a state, which is a token that it puts for itself: 1 token is
/// there, and one more place is needed while it runs.
#[test]
fn a_state_is_a_token_to_oneself() {
    let own = with(channel(0, &[1, 1], 0, &[1, 1]), 1, None);
    let graph = graph(&[filter("a", &[2, 3])], &[own]);
    assert_eq!(bounds(&graph), [2]);
    assert_eq!(least(&graph), [2]);
    assert_eq!(period(&bounded(&graph, &[2])), Ratio::whole(5));
    // it is never waited for, so that a kernel need not know
    let capacities = [Some(2)];
    assert!(
        Counters::of(&graph, &capacities)
            .unwrap()
            .dependencies
            .is_empty()
    );
}

/// Filters without time have no pace; one without a known time has no answer.
#[test]
fn no_time_at_all() {
    let instant = chain(&[0, 0], &[(2, 3)]);
    assert_eq!(period(&bounded(&instant, &[4])), Ratio::whole(0));
    let mut unknown = filters(&[1, 1]);
    unknown[1].positions[0].wcet = None;
    let graph = graph(&unknown, &[channel(0, &[1], 1, &[1])]);
    let repetition = Repetition::of(&graph).unwrap();
    assert_eq!(fastest(&graph, &repetition, &[1]), Err(NoRate::Untimed(1)));
}

/// A chain of 70 doublings: 2^70 runs of the last filter exceed 64 bits. One of 40
/// is consistent, and too long to be followed.
#[test]
fn numbers_that_are_too_large_are_named() {
    let doublings = |count: usize| {
        let filters: Vec<Filter> = (0..=count)
            .map(|n| filter(&format!("f{n}"), &[1]))
            .collect();
        let channels: Vec<Channel> = (0..count).map(|n| channel(n, &[2], n + 1, &[1])).collect();
        graph(&filters, &channels)
    };
    assert!(matches!(
        Repetition::of(&doublings(70)),
        Err(NoRepetition::TooLarge { .. })
    ));
    // past 2^128 no fraction holds it either
    assert!(matches!(
        Repetition::of(&doublings(200)),
        Err(NoRepetition::TooLarge { .. })
    ));
    let long = doublings(40);
    let repetition = Repetition::of(&long).unwrap();
    assert_eq!(repetition.cycles()[40], 1 << 40);
    let total = (1 << 41) - 1;
    let liveness = Liveness::of(&long, &repetition, &long.capacities());
    assert_eq!(liveness, Err(Beyond::Instances(total)));
    let clocks = vector_clocks(&long, &repetition, &long.capacities());
    assert_eq!(clocks, Err(Beyond::Instances(total)));
}

/// The slowest cycle is told: with 1 place between them, a and b alternate.
#[test]
fn the_cycle_that_limits_is_told() {
    let graph = bounded(&chain(&[3, 5], &[(1, 1)]), &[1]);
    let rate = rates_in(&graph).remove(0);
    assert_eq!(rate.period, Ratio::whole(8));
    let waits: Vec<_> = rate.cycle.iter().map(|s| (s.filter, s.waits)).collect();
    assert_eq!(waits.len(), 2);
    assert!(waits.contains(&(0, Some((0, Resource::Room)))));
    assert!(waits.contains(&(1, Some((0, Resource::Tokens)))));
}

/// Counters of two rates, 2 : 3 in 4 places. Tokens: 0 - 3 at the beginning; each end
/// of a adds 2, each of b takes the next 3. Room: 4 - 2; an end of b adds 3, one of a
/// takes 2. So a starts at zero, and b waits for one dependency. By clocks, b waits for 2,
/// 3 instances of a, and an iteration on for 5; a for 0, 0, 1 of b, and then for 2.
#[test]
fn counters_and_clocks_of_two_rates() {
    let graph = bounded(&chain(&[1, 4], &[(2, 3)]), &[4]);
    let capacities = graph.capacities();
    let counters = Counters::of(&graph, &capacities).unwrap();
    assert_eq!(counters.balances, [-3, 2]);
    assert_eq!(counters.counters, [0, 1]);
    let changes = |filter: usize| -> Vec<(usize, i32)> {
        let increments = counters.increments[filter][0].iter();
        increments.map(|i| (i.dependency, i.change)).collect()
    };
    assert_eq!(changes(0), [(0, 2), (1, -2)]);
    assert_eq!(changes(1), [(0, -3), (1, 3)]);
    let repetition = Repetition::of(&graph).unwrap();
    let clocks = vector_clocks(&graph, &repetition, &capacities).unwrap();
    assert_eq!((clocks[1][0].filter, clocks[1][0].start), (0, 2));
    assert_eq!(clocks[1][0].increments, [1, 2]);
    assert_eq!((clocks[0][0].filter, clocks[0][0].start), (1, 0));
    assert_eq!(clocks[0][0].increments, [0, 1, 1]);
}
