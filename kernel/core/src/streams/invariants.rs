//! What must be true of stream graphs between two events. For tests.

use crate::streams::Filter;
use crate::{Ref, System, same};

macro_rules! hold {
    ($condition:expr, $broken:literal) => {
        if !$condition {
            return Err($broken);
        }
    };
}

impl System {
    /// The Counter Invariant. O(filters times balances).
    pub(crate) fn check_streams(&self) -> Result<(), &'static str> {
        for filter in self.streams.filters {
            self.check_filter(filter)?;
        }
        Ok(())
    }

    fn check_filter(&self, filter: Ref<Filter>) -> Result<(), &'static str> {
        let thread = filter.thread;
        hold!(
            thread.place.filter.is_some_and(|own| same(own, filter)),
            "a filter and its thread know each other"
        );
        let index = filter.position.get() as usize;
        let Some(position) = filter.positions.get(index) else {
            return Err("a filter is at a position of its cycle");
        };
        hold!(
            (filter.added.get() as usize) < position.increments.len().max(1),
            "the end of an instance is not done while increments are left"
        );
        let own = self.streams.balances.iter();
        let own = own.filter(|balance| same(balance.filter, filter));
        let missing = own.filter(|balance| balance.value() < 0).count();
        hold!(
            missing == filter.counter.get() as usize,
            "the counter of a filter is the number of its balances below zero"
        );
        let is_ready = thread.waits.get().is_none();
        if thread.lives() && thread.process.is_alive() {
            hold!(
                is_ready == (missing == 0 || filter.is_ending()),
                "a filter is ready exactly while its counter is 0, or its instance ends"
            );
        } else {
            hold!(
                thread.lives() || !is_ready,
                "a filter that does not live is not ready"
            );
        }
        hold!(
            !is_ready || same(thread.own.get(), &self.streams.rank),
            "filters are as urgent as streams"
        );
        Ok(())
    }
}
