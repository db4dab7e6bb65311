//! Graphs in few words.

use giornata_lang::sigma::Graph;
use giornata_lang::sigma::graph::{Channel, End, Filter, Kind, Position, Token};

/// A filter and the times of its positions.
pub(crate) fn filter(name: &str, times: &[u64]) -> Filter {
    let position = |time: &u64| Position {
        function: Some(name.to_owned()),
        wcet: Some(*time),
    };
    Filter {
        name: name.to_owned(),
        kind: Kind::Code,
        positions: times.iter().map(position).collect(),
    }
}

/// A channel between filters, by index, with the rates of their positions.
pub(crate) fn channel(from: usize, puts: &[u32], to: usize, takes: &[u32]) -> Channel {
    let end = |filter, port: &str, rates: &[u32]| End {
        filter,
        port: port.to_owned(),
        rates: rates.to_vec(),
    };
    Channel {
        from: end(from, "out", puts),
        to: end(to, "in", takes),
        token: Token {
            element: "u8".to_owned(),
            count: 1,
        },
        capacity: None,
        initial: 0,
    }
}

pub(crate) fn with(channel: Channel, initial: u64, capacity: Option<u64>) -> Channel {
    Channel {
        initial,
        capacity,
        ..channel
    }
}

pub(crate) fn graph(filters: &[Filter], channels: &[Channel]) -> Graph {
    Graph::new(filters.to_vec(), channels.to_vec()).unwrap()
}

/// The same graph with these capacities.
pub(crate) fn bounded(graph: &Graph, capacities: &[u64]) -> Graph {
    let channels = graph.channels().iter().zip(capacities);
    let channels = channels.map(|(c, capacity)| with(c.clone(), c.initial, Some(*capacity)));
    Graph::new(graph.filters().to_vec(), channels.collect()).unwrap()
}
