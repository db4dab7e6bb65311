//! The records of stream graphs.

use giornata_core::sched::ready::level;
use giornata_core::sched::thread::Place;
use giornata_core::{Rank, streams};

use crate::arena::{Arena, At};
use crate::build::Parts;
use crate::description::Description;

/// All stream graphs of a system, by numbers.
#[derive(Clone, Debug, Default)]
pub struct Streams {
    /// The filters.
    pub filters: Vec<Filter>,
    /// What they wait for.
    pub balances: Vec<Balance>,
}

/// A filter.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    /// Its thread, which has the role of a task and no other.
    pub thread: usize,
    /// By position of its cycle: the balances that the end of an instance changes, and by how
    /// much.
    pub positions: Vec<Vec<(usize, i32)>>,
}

/// What a filter waits for.
#[derive(Clone, Copy, Debug)]
pub struct Balance {
    /// Who waits while it is below zero.
    pub filter: usize,
    /// What is there at boot less what the first instance needs.
    pub value: i32,
}

/// Lays them; the threads are there.
pub(crate) fn lay_streams(
    arena: &mut Arena,
    parts: &Parts,
    description: &Description,
    streams: &Streams,
) {
    let record = arena.one::<streams::Streams>();
    arena.set(record, "rank.level", level::STREAM);
    arena.set(record, "rank.unmarked", 1u32);
    let rank: At<Rank> = At::<streams::Streams>::field(record, "rank", arena);
    let filters = arena.many::<streams::Filter>(streams.filters.len());
    let balances = arena.many::<streams::Balance>(streams.balances.len());
    for (index, balance) in streams.balances.iter().enumerate() {
        let (own, filter) = (balances.at(index, arena), filters.at(balance.filter, arena));
        arena.set(own, "value", balance.value.cast_unsigned());
        arena.set(own, "filter", filter);
    }
    for (index, filter) in streams.filters.iter().enumerate() {
        let own = filters.at(index, arena);
        let thread = parts.threads.at(filter.thread, arena);
        arena.set(own, "thread", thread);
        let [argument, _] = description.threads[filter.thread].arguments;
        arena.set(own, "argument", argument);
        let waits = |balance: &&Balance| balance.filter == index && balance.value < 0;
        let counter = streams.balances.iter().filter(waits).count();
        arena.set(own, "counter", counter as u32);
        let positions = arena.many::<streams::Position>(filter.positions.len());
        for (number, increments) in filter.positions.iter().enumerate() {
            let run = arena.many::<streams::Increment>(increments.len());
            for (at, (balance, change)) in increments.iter().enumerate() {
                let increment = run.at(at, arena);
                let balance = balances.at(*balance, arena);
                arena.set(increment, "balance", balance);
                arena.set(increment, "change", change.cast_unsigned());
            }
            let position = positions.at(number, arena);
            arena.set(position, "increments", run);
        }
        arena.set(own, "positions", positions);
        let place: At<Place> = parts.places[filter.thread];
        arena.set(place, "level", level::STREAM);
        arena.set(place, "filter", own);
        for urgency in ["rank", "own"] {
            arena.set(thread, urgency, rank);
        }
    }
    arena.set(record, "filters", filters);
    arena.set(record, "balances", balances);
    arena.set(parts.kernel, "streams", record);
}
