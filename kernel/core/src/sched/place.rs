//! The place of a thread: how urgent it is, and why.
//!
//! The Place Invariant: the `rank` of a thread is the most urgent of its own (of a server:
//! of what its messages say), of that of the machine while it copies the value of a port, of
//! the ceilings of its mutexes, of the ceiling that it has published and was moved to, and of
//! the threads that hang on it. [`System::settle_place`] sees to that when one of them
//! changes; a thread that is queued is moved, never changed in place. Nobody else writes the
//! rank: where a short way knows that one thing alone counts, it says which.
//!
//! A ceiling that a thread publishes in its control page costs no call. It is looked at
//! when the thread is about to be left, whoever's place it ran on, and only then is
//! the thread moved: to the head of that ceiling, so that whoever is not above it does
//! not run.

use core::cell::Cell;

use giornata_abi::control::{CEILING, PENDING};

use crate::layout::{Shape, Shaped};
use crate::sched::ready::level;
use crate::sched::thread::{kind, state};
use crate::{Machine, Outcome, Rank, Ref, System, Thread, same};

/// The rank at which a thread stands: its effective priority, as POSIX calls it.
pub(crate) struct Effective(Cell<Ref<Rank>>);

impl Shaped for Effective {
    const SHAPE: Shape = <Cell<Ref<Rank>>>::SHAPE;
}

impl Effective {
    /// The rank.
    #[inline(always)]
    pub(crate) fn get(&self) -> Ref<Rank> {
        self.0.get()
    }
}

impl Thread {
    /// It begins, with this urgency as its own and nothing else that counts. It is in no queue.
    #[inline(always)]
    pub(crate) fn begin_with(&self, rank: Ref<Rank>) {
        self.rank.0.set(rank);
        self.own.set(rank);
    }

    /// Nothing but its own urgency counts any more. It is in no queue.
    #[inline(always)]
    pub(crate) fn return_to_own(&self) {
        self.rank.0.set(self.own.get());
    }

    /// It runs the job of a task where the scheduler of programs says, which hastens or delays
    /// it only while it is ready. It is in no queue, has no mutex, and serves nobody.
    #[cfg_attr(not(feature = "programs"), allow(dead_code))]
    #[inline(always)]
    pub(crate) fn dispatch_at(&self, rank: Ref<Rank>) {
        self.rank.0.set(rank);
    }

    /// It serves a caller in the caller's place, and has none of its own: it comes into no queue.
    #[cfg_attr(not(feature = "mail"), allow(dead_code))]
    #[inline(always)]
    pub(crate) fn float_at(&self, idle: Ref<Rank>) {
        self.rank.0.set(idle);
    }

    /// It ends a process, at its own urgency or at what was lent to that. It is in no queue.
    #[inline(always)]
    pub(crate) fn work_at(&self, own: Ref<Rank>, lent: Ref<Rank>) {
        self.own.set(own);
        self.rank.0.set(lent);
    }
}

impl System {
    /// A thread stands where it does without those that hang on it. It is in no queue. O(1).
    #[inline(always)]
    pub(crate) fn stand_at_base(&self, thread: Ref<Thread>) {
        thread.rank.0.set(self.base(thread));
    }

    /// A thread has another urgency, wherever it is: before its new equals or behind them
    /// in the queue, in a list by when it asked.
    #[inline(never)]
    pub(crate) extern "C" fn set_rank(&self, thread: Ref<Thread>, rank: Ref<Rank>, to_head: bool) {
        thread.clear(state::AFLOAT);
        if thread.is(state::IN_RING) {
            self.leave_ring(thread);
        }
        if thread.waits.get().is_none() {
            self.remove(thread);
            thread.rank.0.set(rank);
            return match to_head {
                true => self.insert_first(thread),
                false => self.insert(thread),
            };
        }
        let heap = match (self.holder(thread), thread.waits.get()) {
            (Some(holder), _) => {
                self.note_lent(holder, rank);
                &holder.parked
            }
            (None, Some(object)) => &object.waiters,
            (None, None) => return,
        };
        // (in `no_list` there is nobody)
        if heap.get().is_none() {
            return thread.rank.0.set(rank);
        }
        self.go_out(thread, heap);
        thread.rank.0.set(rank);
        self.come(thread, heap);
    }

    /// The place of a thread without those that hang on it. O(1).
    #[inline(never)]
    pub(crate) fn base(&self, thread: Ref<Thread>) -> Ref<Rank> {
        let state = thread.state.get();
        let mut rank = match state & state::SERVES {
            0 => thread.own.get(),
            _ => self.place_by_messages(thread),
        };
        if thread.kind.get() == kind::COPIES {
            rank = self.place_of_copying(rank);
        }
        if state & state::CEILING | state >> state::LIFT == 0 {
            return rank;
        }
        let first = thread.held.get().filter(|first| first.has_ceiling());
        let ceiling = first.map_or(0, |first| first.most.get());
        // (0, which is none, is the least urgent here)
        let index = ceiling
            .wrapping_sub(1)
            .min((state >> state::LIFT).wrapping_sub(1));
        match index.wrapping_add(1) {
            level if level != 0 && level < rank.level.get() => &self.ranks[index as usize & 255],
            _ => rank,
        }
    }

    /// What makes the place of a thread has changed: it is moved if its place has, and so
    /// is whoever it hangs on. One that rises comes to the head of its new equals
    /// or behind them, one that falls to the head. O(depth).
    #[inline(never)]
    pub(crate) fn settle_place(&self, thread: Ref<Thread>, to_head: bool) {
        let (mut thread, mut links) = (thread, self.depth);
        loop {
            let mut rank = self.base(thread);
            // (who hangs on a job does not hasten it)
            if let Some(first) = thread.parked.get()
                && first.rank.get().precedes(rank)
                && !thread.has_jobs()
            {
                rank = first.rank.get();
            }
            if same(rank, thread.rank.get()) {
                return;
            }
            let falls = thread.rank.get().precedes(rank);
            self.set_rank(thread, rank, to_head | falls);
            match self.holder(thread) {
                Some(holder) if links != 0 => thread = holder,
                _ => return,
            }
            links = links.wrapping_sub(1);
        }
    }

    /// The exit path is about to leave a thread whose control page says that it has a
    /// ceiling or will lock a mutex next (either word is not 0). Returns who runs. That of a
    /// thread whose job or life has ended says nothing.
    #[inline(never)]
    pub extern "C" fn heed_page<M: Machine>(&self, me: Ref<Thread>, outcome: Outcome) -> Outcome {
        if !me.lives() || !me.process.is_alive() {
            return outcome;
        }
        if me.waits.get().is_some() {
            if me.is(state::PARKED | state::ORPHAN) {
                // it waits for an owner or a server, and has told of nothing else
                return outcome;
            }
            self.note_hinted_mutex::<M>(me);
            // whoever waits has no ceiling that it published
            let state = me.state.get();
            if state >> state::LIFT != 0 {
                me.state.set(state & state::OTHERS);
                self.settle_waiting(me);
            }
            return outcome;
        }
        self.heed_ceiling::<M>(me, outcome)
    }

    /// The same of a thread that is ready.
    #[inline(always)]
    fn heed_ceiling<M: Machine>(&self, me: Ref<Thread>, outcome: Outcome) -> Outcome {
        let page = me.control;
        let ceiling = M::load(page.wrapping_add(CEILING)).min(255);
        if ceiling == 0 {
            return outcome;
        }
        M::store(page.wrapping_add(PENDING), 1);
        let mut level = level::LOWEST.wrapping_sub(ceiling).max(me.process.most);
        if level == self.band {
            // a ceiling in the deadline band precedes all deadlines
            level = level.wrapping_sub(1).max(1);
        }
        let before = me.rank.get();
        me.state
            .set(me.state.get() & state::OTHERS | level << state::LIFT);
        self.begin_behind::<M>(me);
        self.settle_place(me, true);
        if same(before, me.rank.get()) {
            return outcome;
        }
        // (an event asks once who runs for whoever wants something: the idle thread's next)
        let slot = self.first.get();
        Outcome::switch(match slot.wants.get() {
            None => slot,
            Some(_) => self.idle(),
        })
    }

    /// Gives the turn away of a thread that was moved to a ceiling that it published, or
    /// that runs in the place of one: it comes behind the equals of its own place.
    #[inline(never)]
    pub(crate) fn yield_ceiling(&self, me: Ref<Thread>, slot: Ref<Thread>) -> Outcome {
        me.state.set(me.state.get() & state::OTHERS);
        slot.state.set(slot.state.get() & state::OTHERS);
        self.remove(slot);
        self.stand_at_base(slot);
        self.insert(slot);
        self.settle_chain(me, slot);
        self.dispatch()
    }
}
