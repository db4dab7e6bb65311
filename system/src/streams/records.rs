//! What the kernel is told of streams.

use crate::model::Model;
use giornata_records::streams::{Balance, Filter, Streams};

/// All streams of a model as one; none if it has none.
pub(crate) fn records(model: &Model) -> Option<Streams> {
    if model.streams.is_empty() {
        return None;
    }
    let mut all = Streams::default();
    for stream in &model.streams {
        let (filters, balances) = (all.filters.len(), all.balances.len());
        all.balances
            .extend(stream.balances.iter().map(|(filter, value)| Balance {
                filter: filters + filter,
                value: *value,
            }));
        for filter in &stream.filters {
            let positions = filter.positions.iter().map(|position| {
                let increments = position.increments.iter();
                let increments = increments.map(|(balance, change)| (balances + balance, *change));
                increments.collect()
            });
            all.filters.push(Filter {
                thread: filter.thread.into(),
                positions: positions.collect(),
            });
        }
    }
    Some(all)
}
