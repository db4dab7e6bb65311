//! The same questions, asked by trying everything.

use std::collections::{BTreeMap, BTreeSet};

use giornata_lang::sigma::{Graph, Ratio};

/// A graph token by token, an instance of a filter at a time.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Tokens {
    pub(crate) levels: Vec<u64>,
    pub(crate) positions: Vec<usize>,
}

impl Tokens {
    pub(crate) fn new(graph: &Graph) -> Tokens {
        Tokens {
            levels: graph.channels().iter().map(|c| c.initial).collect(),
            positions: vec![0; graph.filters().len()],
        }
    }

    /// Whether the next instance of a filter finds its tokens and its room.
    pub(crate) fn may_start(&self, graph: &Graph, filter: usize) -> bool {
        let at = self.positions[filter];
        let channels = graph.channels().iter().zip(&self.levels);
        channels.into_iter().all(|(channel, level)| {
            let has_tokens =
                channel.to.filter != filter || *level >= u64::from(channel.to.rates[at]);
            let put = || u64::from(channel.from.rates[at]);
            let is_full = |capacity: u64| put() > 0 && level + put() > capacity;
            let has_room = channel.from.filter != filter || !channel.capacity.is_some_and(is_full);
            has_tokens && has_room
        })
    }

    /// The next instance of a filter ends.
    pub(crate) fn end(&mut self, graph: &Graph, filter: usize) {
        let at = self.positions[filter];
        for (channel, level) in graph.channels().iter().zip(&mut self.levels) {
            if channel.to.filter == filter {
                *level -= u64::from(channel.to.rates[at]);
            }
            if channel.from.filter == filter {
                *level += u64::from(channel.from.rates[at]);
            }
        }
        self.positions[filter] = (at + 1) % graph.filters()[filter].positions.len();
    }
}

/// Whether no state that a connected and bounded graph can come to is the last one.
pub(crate) fn is_live(graph: &Graph) -> bool {
    let filters = 0..graph.filters().len();
    let mut seen = BTreeSet::from([Tokens::new(graph)]);
    let mut open: Vec<Tokens> = seen.iter().cloned().collect();
    while let Some(state) = open.pop() {
        let mut is_last = true;
        for filter in filters.clone().filter(|f| state.may_start(graph, *f)) {
            is_last = false;
            let mut next = state.clone();
            next.end(graph, filter);
            if seen.insert(next.clone()) {
                open.push(next);
            }
        }
        if is_last {
            return false;
        }
    }
    true
}

/// The smallest cycles up to `most` that leave every channel as it was.
pub(crate) fn repetition(graph: &Graph, most: u64) -> Option<Vec<u64>> {
    let mut cycles = vec![1; graph.filters().len()];
    let mut best: Option<Vec<u64>> = None;
    loop {
        let is_even = graph.channels().iter().all(|channel| {
            let moved = |end: &giornata_lang::sigma::graph::End| {
                cycles[end.filter] * end.rates.iter().map(|r| u64::from(*r)).sum::<u64>()
            };
            moved(&channel.from) == moved(&channel.to)
        });
        let size = |cycles: &Vec<u64>| cycles.iter().sum::<u64>();
        if is_even && best.as_ref().is_none_or(|best| size(&cycles) < size(best)) {
            best = Some(cycles.clone());
        }
        let Some(digit) = cycles.iter().position(|count| *count < most) else {
            return best;
        };
        cycles[digit] += 1;
        cycles[..digit].fill(1);
    }
}

/// Time of an iteration in the long run of a connected, bounded and live graph whose
/// instances all start as early as they can: run until a state comes back.
pub(crate) fn period(graph: &Graph, instances: &[u64]) -> Ratio {
    let filters = graph.filters().len();
    let mut tokens = Tokens::new(graph);
    let mut left: Vec<Option<u64>> = vec![None; filters];
    let (mut now, mut rounds) = (0u64, 0u64);
    let mut ended = vec![0u64; filters];
    let mut seen = BTreeMap::new();
    loop {
        // all that happens at this instant
        let before = ended
            .iter()
            .zip(instances)
            .map(|(n, q)| n / q)
            .min()
            .unwrap();
        loop {
            let mut is_still = true;
            for filter in 0..filters {
                if left[filter].is_none() && tokens.may_start(graph, filter) {
                    let position = &graph.filters()[filter].positions[tokens.positions[filter]];
                    left[filter] = position.wcet;
                    is_still = false;
                }
                if left[filter] == Some(0) {
                    tokens.end(graph, filter);
                    left[filter] = None;
                    ended[filter] += 1;
                    is_still = false;
                }
            }
            let whole = ended
                .iter()
                .zip(instances)
                .map(|(n, q)| n / q)
                .min()
                .unwrap();
            if whole > before + 50 {
                return Ratio::whole(0);
            }
            if is_still {
                break;
            }
        }
        let whole = ended
            .iter()
            .zip(instances)
            .map(|(n, q)| n / q)
            .min()
            .unwrap();
        if whole > rounds {
            rounds = whole;
            // how far filters are in the iteration follows from tokens and positions
            let state = (tokens.clone(), left.clone());
            if let Some((then, earlier)) = seen.insert(state, (now, whole)) {
                return Ratio::new((now - then).into(), (whole - earlier).into()).unwrap();
            }
        }
        let step = left.iter().flatten().copied().min();
        let step = step.expect("a live graph has an instance that runs");
        now += step;
        left.iter_mut().flatten().for_each(|left| *left -= step);
    }
}
