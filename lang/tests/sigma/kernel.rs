//! What the tables for a kernel say, against tokens.

use giornata_lang::sigma::clocks::Entry;
use giornata_lang::sigma::{Capacities, Counters, Graph, Repetition, least_live, vector_clocks};
use proptest::prelude::*;
use proptest::sample::Index;

use crate::brute::Tokens;
use crate::build::bounded;
use crate::random::consistent;

/// A kernel that has dependency counters only.
struct CounterKernel<'a> {
    tables: &'a Counters<'a>,
    balances: Vec<i32>,
    counters: Vec<u32>,
    positions: Vec<usize>,
}

impl<'a> CounterKernel<'a> {
    fn new(tables: &'a Counters<'a>) -> CounterKernel<'a> {
        CounterKernel {
            balances: tables.balances.clone(),
            counters: tables.counters.clone(),
            positions: vec![0; tables.counters.len()],
            tables,
        }
    }

    fn may_start(&self, filter: usize) -> bool {
        self.counters[filter] == 0
    }

    fn end(&mut self, filter: usize) {
        let positions = &self.tables.increments[filter];
        let position = self.positions[filter];
        for increment in &positions[position] {
            let balance = &mut self.balances[increment.dependency];
            let was_short = *balance < 0;
            *balance += increment.change;
            let taker = self.tables.dependencies[increment.dependency].taker;
            match (was_short, *balance < 0) {
                (false, true) => self.counters[taker] += 1,
                (true, false) => self.counters[taker] -= 1,
                _ => {}
            }
        }
        self.positions[filter] = (position + 1) % positions.len();
    }
}

/// A kernel that has vector clocks only.
struct ClockKernel<'a> {
    tables: &'a [Vec<Entry>],
    clocks: Vec<Vec<i64>>,
    ended: Vec<i64>,
}

impl<'a> ClockKernel<'a> {
    fn new(tables: &'a [Vec<Entry>]) -> ClockKernel<'a> {
        let start = |entries: &Vec<Entry>| entries.iter().map(|entry| entry.start).collect();
        ClockKernel {
            clocks: tables.iter().map(start).collect(),
            ended: vec![0; tables.len()],
            tables,
        }
    }

    fn may_start(&self, filter: usize) -> bool {
        let mut entries = self.tables[filter].iter().zip(&self.clocks[filter]);
        entries.all(|(entry, clock)| *clock <= self.ended[entry.filter])
    }

    fn end(&mut self, filter: usize) {
        for (entry, clock) in self.tables[filter].iter().zip(&mut self.clocks[filter]) {
            let instance = self.ended[filter] as usize % entry.increments.len();
            *clock += i64::from(entry.increments[instance]);
        }
        self.ended[filter] += 1;
    }
}

/// Instances start and end in any order that tokens allow, several at a time; at each
/// step the kernels must allow the same ones as the tokens.
fn compare(graph: &Graph, repetition: &Repetition, choices: &[Index]) {
    let capacities = graph.capacities();
    let counters = Counters::of(graph, &capacities).unwrap();
    let clocks = vector_clocks(graph, repetition, &capacities).unwrap();
    let (mut by_counters, mut by_clocks) =
        (CounterKernel::new(&counters), ClockKernel::new(&clocks));
    let mut tokens = Tokens::new(graph);
    let mut runs = vec![false; graph.filters().len()];
    for choice in choices {
        let may_move = |filter: &usize| runs[*filter] || tokens.may_start(graph, *filter);
        let movable: Vec<usize> = (0..runs.len()).filter(may_move).collect();
        let filter = movable[choice.index(movable.len())];
        if runs[filter] {
            tokens.end(graph, filter);
            by_counters.end(filter);
            by_clocks.end(filter);
        }
        runs[filter] = !runs[filter];
        for filter in 0..runs.len() {
            let expected = tokens.may_start(graph, filter);
            let told = (by_counters.may_start(filter), by_clocks.may_start(filter));
            assert_eq!(told, (expected, expected), "{filter} in {graph:?}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn counters_and_clocks_let_start_what_tokens_let_start(
        (graph, rooms, choices) in (
            consistent(1..6),
            prop::collection::vec(0..4u64, 8),
            prop::collection::vec(any::<Index>(), 120),
        )
    ) {
        let repetition = Repetition::of(&graph).unwrap();
        if let Capacities::Chosen { capacities, .. } = least_live(&graph, &repetition).unwrap() {
            let roomy: Vec<u64> = capacities.iter().zip(&rooms).map(|(a, b)| a + b).collect();
            compare(&bounded(&graph, &roomy), &repetition, &choices);
        }
    }
}
