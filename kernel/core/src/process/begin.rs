//! Threads that begin and end of themselves.

use giornata_abi::call::Call;
use giornata_abi::control;

use crate::sched::thread::{self, tenancy};
use crate::{Context, Machine, Outcome, Rank, Ref, System, Thread, posix};

/// A thread is as one that has never run: the next tenant of its place, which can be
/// joined. It has yet to be queued. (The end of the call of `creator`, which goes on
/// with the thread's id.)
#[inline(never)]
pub(crate) extern "C" fn begin<M: Machine>(
    creator: Ref<Thread>,
    thread: Ref<Thread>,
    argument: usize,
    body: usize,
    rank: Ref<Rank>,
) -> Outcome {
    let (place, page) = (thread.place, thread.control);
    let (serial, number) = (thread.serial.get().wrapping_add(1), thread.number());
    thread.serial.set(serial);
    posix::keep_time(thread);
    M::system().begin_account::<M>(creator, thread, rank);
    if page != 0 {
        M::store(page, number);
        M::store(page.wrapping_add(control::SERIAL), serial);
        // (what its predecessor left)
        M::store(page.wrapping_add(control::CEILING), 0);
        M::store(page.wrapping_add(control::NEXT_LOCK), 0);
    }
    let Context { pc, sp, a, .. } = &thread.context;
    let [a0, a1, a2, a3, a4, a5, a6, _] = a;
    // (a load stands between two stores, which would wait for each other; and between few
    // enough for the compiler not to call a function that zeroes)
    let entry = place.entry;
    // (no ceiling that the last tenant published, no request that it had)
    thread.state.set(0);
    thread.begin_with(rank);
    a0.set(argument);
    a1.set(body);
    a2.set(0);
    let stack = place.stack_top;
    a3.set(0);
    a4.set(0);
    pc.set(entry);
    let limit = place.allowance;
    a5.set(0);
    a6.set(0);
    sp.set(stack);
    thread.limit.set(limit);
    thread.spent.set(0);
    thread.spent_high.set(0);
    thread.floating.set(0);
    thread.tenancy.set(tenancy::JOINABLE);
    thread.kind.set(thread::kind::RESULTS);
    creator.pair(number as usize, serial as usize)
}

impl System {
    /// Ends the caller with a value for who joins it. As a call that begins again it
    /// gives back what the caller owns, one thing a piece.
    #[inline(never)]
    pub(crate) fn exit<M: Machine>(&self, me: Ref<Thread>, value: usize) -> Outcome {
        while self.end_service(me) || self.give_up_one(me) {
            if crate::machine::waits::<M>() {
                return self.again(me, Call::Exit, [value, 0, 0, 0, 0, 0]);
            }
        }
        self.remove(me);
        me.waits.set(Some(self.no_list));
        me.answer(value);
        self.end_tenancy::<M>(me, value);
        self.dispatch()
    }

    /// The caller's id and stack.
    pub(crate) fn own(&self, me: Ref<Thread>) -> Outcome {
        let place = me.place;
        let stack = place.stack_top.wrapping_sub(place.stack_size);
        let (slot, serial) = (me.number() as usize, me.serial.get() as usize);
        me.returns([slot, serial, stack, place.stack_size, 0, 0])
    }
}
