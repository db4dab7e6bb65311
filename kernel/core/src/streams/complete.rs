//! The end of an instance.

use giornata_abi::call::Call;

use crate::sched::limit;
use crate::sched::thread::state;
use crate::streams::{Filter, Increment};
use crate::{Error, Machine, Outcome, Ref, System, Thread, same};

/// Balances that are changed before the hart looks at what waits.
const PIECE: u32 = 4;

impl System {
    /// The instance of the caller ends: what it has put and taken counts, and whoever waits for
    /// nothing else any more is ready. The caller goes on behind the call with its next instance,
    /// when all is there for that, behind all that are ready now.
    ///
    /// Between pieces the call begins again. What has been added is the filter's, so a process
    /// that calls something else instead harms no one but those that wait for its tokens.
    #[inline(never)]
    pub(crate) fn complete_instance<M: Machine>(&self, me: Ref<Thread>) -> Outcome {
        let Some(filter) = *me.place.filter else {
            return Outcome::error(Error::EPERM);
        };
        while self.pass_on(filter) {
            if crate::machine::waits::<M>() {
                return self.again(me, Call::Complete, [0; 6]);
            }
        }
        me.answer(0);
        if me.limited.get() != 0 {
            me.limited.set(limit::OWN | limit::FRESH);
        }
        let is_ready = filter.counter.get() == 0;
        // (alone in its rank it may keep its place)
        let is_lifted = me.state.get() >> state::LIFT != 0;
        if !is_ready || is_lifted || !same(me.next.get(), me) {
            self.remove(me);
            me.state.set(me.state.get() & state::OTHERS);
            self.stand_at_base(me);
            match is_ready {
                true => self.insert(me),
                false => me.waits.set(Some(self.no_list)),
            }
        }
        self.dispatch_from(me)
    }

    /// Adds the next increments of an instance that ends; its next one is at hand behind the
    /// last. Returns whether there are more. O(1).
    #[inline(never)]
    pub(super) fn pass_on(&self, filter: Ref<Filter>) -> bool {
        let index = filter.position.get();
        let position = filter.positions.get(index as usize);
        let increments = position.map_or(&[][..], |position| position.increments);
        let mut added = filter.added.get();
        let mut left = PIECE;
        while let Some(increment) = increments.get(added as usize) {
            if left == 0 {
                filter.added.set(added);
                return true;
            }
            self.add(increment);
            added = added.wrapping_add(1);
            left = left.wrapping_sub(1);
        }
        filter.added.set(0);
        filter.advance(index);
        false
    }

    /// Adds an increment.
    #[inline(always)]
    fn add(&self, increment: &Increment) {
        let balance = increment.balance;
        let (taker, before) = (balance.filter, balance.value());
        let after = before.wrapping_add(increment.change.cast_signed());
        balance.value.set(after.cast_unsigned());
        if (before < 0) == (after < 0) {
            return;
        }
        let counter = taker.counter.get();
        if after < 0 {
            taker.counter.set(counter.wrapping_add(1));
            return;
        }
        taker.counter.set(counter.wrapping_sub(1));
        // (one whose instance ends does not wait)
        if counter == 1 {
            self.make_filter_ready(taker);
        }
    }

    /// What a filter has waited for is there: it is the last of those that are ready, if it
    /// lives.
    #[inline(always)]
    pub(super) fn make_filter_ready(&self, filter: Ref<Filter>) {
        let thread = filter.thread;
        if thread.lives() && thread.waits.get().is_some() {
            thread.waits.set(None);
            self.insert(thread);
        }
    }
}

impl Filter {
    /// Its next instance is that of the next position.
    #[inline(always)]
    fn advance(&self, index: u32) {
        let next = index.wrapping_add(1);
        if (next as usize) < self.positions.len() {
            return self.position.set(next);
        }
        self.position.set(0);
        let [low, high] = &self.cycles;
        let (cycles, carry) = low.get().overflowing_add(1);
        low.set(cycles);
        high.set(high.get().wrapping_add(carry as u32));
    }
}
