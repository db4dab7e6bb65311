//! Graphs, and what of one is there, in tokens.

use giornata_records::streams::{Balance, Filter, Streams};
use giornata_test_model::random::Dice;

/// A queue of tokens.
#[derive(Clone, Debug)]
pub(crate) struct Channel {
    pub(crate) from: usize,
    pub(crate) to: usize,
    /// By position.
    pub(crate) puts: Vec<u32>,
    pub(crate) takes: Vec<u32>,
    pub(crate) capacity: u32,
    pub(crate) initial: u32,
}

/// Filters by the lengths of their cycles, and channels.
#[derive(Clone, Debug, Default)]
pub(crate) struct Graph {
    pub(crate) cycles: Vec<usize>,
    pub(crate) channels: Vec<Channel>,
}

fn lcm(a: u32, b: u32) -> u32 {
    let (mut x, mut y) = (a, b);
    while y != 0 {
        (x, y) = (y, x % y);
    }
    a / x * b
}

impl Graph {
    /// One of 2 to 10 filters, and the process of each, of 3 at most.
    pub(crate) fn with_owners(dice: &mut Dice) -> (Graph, Vec<usize>) {
        let filters = 2 + dice.below(9);
        let graph = Graph::random(dice, filters);
        let processes = 1 + dice.below(3);
        let owners = (0..filters).map(|_| dice.below(processes)).collect();
        (graph, owners)
    }

    /// A graph that can run for ever: tokens go from filters to later ones, back only with
    /// initial tokens for a whole iteration, and there is room for one.
    fn random(dice: &mut Dice, filters: usize) -> Graph {
        let counts: Vec<u32> = (0..filters).map(|_| 1 + dice.below(4) as u32).collect();
        let cycles: Vec<usize> = (0..filters).map(|_| 1 + dice.below(3)).collect();
        let mut graph = Graph {
            cycles,
            channels: Vec::new(),
        };
        for to in 1..filters {
            // (each of the later ones is connected)
            let from = dice.below(to);
            graph.connect(dice, &counts, from, to);
        }
        for _ in 0..dice.below(filters + 2) {
            let (from, to) = (dice.below(filters), dice.below(filters));
            if from != to {
                graph.connect(dice, &counts, from, to);
            }
        }
        graph
    }

    fn connect(&mut self, dice: &mut Dice, counts: &[u32], from: usize, to: usize) {
        let iteration = lcm(counts[from], counts[to]) * (1 + dice.below(3) as u32);
        let initial = if from > to { iteration } else { 0 };
        let spare = dice.below(4) as u32;
        let puts = split(dice, iteration / counts[from], self.cycles[from]);
        let takes = split(dice, iteration / counts[to], self.cycles[to]);
        self.channels.push(Channel {
            from,
            to,
            puts,
            takes,
            capacity: iteration + initial + spare,
            initial,
        });
    }

    /// The tables of the kernel: for each channel the balance of tokens and that of room.
    pub(crate) fn streams(&self, threads: &[usize]) -> Streams {
        let filter = |(cycle, thread): (&usize, &usize)| Filter {
            thread: *thread,
            positions: vec![Vec::new(); *cycle],
        };
        let mut streams = Streams {
            filters: self.cycles.iter().zip(threads).map(filter).collect(),
            balances: Vec::new(),
        };
        for channel in &self.channels {
            let room = channel.capacity - channel.initial;
            let tokens = (channel.to, &channel.takes, channel.from, &channel.puts);
            let free = (channel.from, &channel.puts, channel.to, &channel.takes);
            for ((taker, needed, giver, given), first) in [(tokens, channel.initial), (free, room)]
            {
                let balance = streams.balances.len();
                streams.balances.push(Balance {
                    filter: taker,
                    value: first as i32 - needed[0] as i32,
                });
                let mut note = |filter: usize, position: usize, change: i32| {
                    if change != 0 {
                        streams.filters[filter].positions[position].push((balance, change));
                    }
                };
                for (position, given) in given.iter().enumerate() {
                    note(giver, position, *given as i32);
                }
                for position in 0..needed.len() {
                    let next = needed[(position + 1) % needed.len()];
                    note(taker, position, -(next as i32));
                }
            }
        }
        streams
    }
}

/// A number of tokens in so many parts, one of which is not 0.
fn split(dice: &mut Dice, all: u32, parts: usize) -> Vec<u32> {
    let mut rates = vec![0; parts];
    for _ in 0..all {
        rates[dice.below(parts)] += 1;
    }
    rates
}

/// What is there.
#[derive(Clone, Debug)]
pub(crate) struct Model {
    pub(crate) graph: Graph,
    pub(crate) tokens: Vec<u32>,
    /// By filter: instances that have ended.
    pub(crate) ended: Vec<u64>,
}

impl Model {
    pub(crate) fn new(graph: Graph) -> Model {
        Model {
            tokens: graph
                .channels
                .iter()
                .map(|channel| channel.initial)
                .collect(),
            ended: vec![0; graph.cycles.len()],
            graph,
        }
    }

    /// The position of a filter's next instance, and the cycles before it.
    pub(crate) fn progress(&self, filter: usize) -> (usize, u64) {
        let cycle = self.graph.cycles[filter] as u64;
        let ended = self.ended[filter];
        ((ended % cycle) as usize, ended / cycle)
    }

    /// Whether all is there for a filter's next instance.
    pub(crate) fn can_start(&self, filter: usize) -> bool {
        let (position, _) = self.progress(filter);
        let channels = self.graph.channels.iter().zip(&self.tokens);
        channels.into_iter().all(|(channel, tokens)| {
            let has_tokens = channel.to != filter || *tokens >= channel.takes[position];
            let room = channel.capacity - tokens;
            has_tokens && (channel.from != filter || room >= channel.puts[position])
        })
    }

    /// A filter's instance ends.
    pub(crate) fn end(&mut self, filter: usize) {
        assert!(self.can_start(filter), "filter {filter} has what it needs");
        let (position, _) = self.progress(filter);
        for (channel, tokens) in self.graph.channels.iter().zip(&mut self.tokens) {
            if channel.to == filter {
                *tokens -= channel.takes[position];
            }
            if channel.from == filter {
                *tokens += channel.puts[position];
            }
        }
        self.ended[filter] += 1;
    }
}
