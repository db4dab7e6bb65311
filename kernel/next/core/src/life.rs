//! Threads that begin and end of themselves.

use giornata_abi::next::call::Call;
use giornata_abi::next::control;

use crate::{Kernel, Machine, Outcome, Rank, Ref, Thread};

impl Kernel {
    /// A thread is as one that has never run: the next tenant of its place. It has yet
    /// to be queued.
    #[inline(never)]
    pub(crate) fn begin<M: Machine>(
        &self,
        thread: Ref<Thread>,
        argument: usize,
        body: usize,
        rank: Ref<Rank>,
    ) {
        let place = thread.place;
        thread.floating.set(0);
        thread.spent.set(0);
        thread.spent_high.set(0);
        thread.limit.set(place.allowance);
        // (no ceiling that the last tenant published, no request that it had)
        thread.state.set(0);
        thread.rank.set(rank);
        thread.own.set(rank);
        thread.tenancy.set(place.tenancy);
        let serial = thread.serial.get().wrapping_add(1);
        thread.serial.set(serial);
        let page = thread.control;
        if page != 0 {
            M::store(page, thread.number());
            M::store(page.wrapping_add(control::SERIAL), serial);
            // (what its predecessor left)
            M::store(page.wrapping_add(control::CEILING), 0);
            M::store(page.wrapping_add(control::NEXT_LOCK), 0);
        }
        thread.begin_at(place.entry, argument, body);
    }

    /// Ends the caller with a value for who joins it. As a call that begins again it
    /// gives back what the caller owns, one thing a piece.
    #[inline(never)]
    pub(crate) fn exit<M: Machine>(&self, me: Ref<Thread>, value: usize) -> Outcome {
        while self.end_service::<M>(me) || self.give_up_one(me) {
            if M::pending() {
                return self.again(me, Call::Exit, [value, 0, 0, 0, 0, 0]);
            }
        }
        self.remove(me);
        me.waits.set(Some(self.nowhere));
        me.answer(value);
        self.end_tenancy::<M>(me, value);
        self.go()
    }

    /// The caller's id and stack.
    pub(crate) fn own(&self, me: Ref<Thread>) -> Outcome {
        let place = me.place;
        let stack = place.stack_top.wrapping_sub(place.stack_size);
        let (slot, serial) = (me.number() as usize, me.serial.get() as usize);
        me.returns([slot, serial, stack, place.stack_size, 0, 0])
    }
}
