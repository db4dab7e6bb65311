//! Parking: who waits for an owner that cannot run hangs on it.
//!
//! The Parking Invariant: a parked thread is in the heap `parked` of its *holder*, the
//! immediate owner of what it wants, which waits, or is parked itself, or has more
//! threads hanging on it than one waking brings back. A thread is as urgent as the
//! most urgent that hangs on it, wherever it stands: in the ready queue, in a list, or
//! hanging on another.

use crate::sched::ready::level;
use crate::sched::thread::state;
use crate::sync::object::kind;
use crate::{Process, Rank, Ref, System, Thread, same};

/// Threads that one dispatch parks, and that one waking brings back.
pub(crate) const PIECE: u32 = 4;

impl System {
    /// The thread on which a thread hangs, if it does.
    #[inline(never)]
    pub(crate) fn holder(&self, thread: Ref<Thread>) -> Option<Ref<Thread>> {
        match thread.is(state::PARKED) {
            true => self.threads.get(thread.hangs_on().get()),
            false => None,
        }
    }

    /// No thread can run in the place of `thread`: it waits with `owner`.
    #[inline(never)]
    pub(crate) fn park(&self, thread: Ref<Thread>, owner: Ref<Thread>) {
        self.remove(thread);
        if thread
            .wants
            .get()
            .is_some_and(|wanted| wanted.made & kind::KIND != kind::MUTEX)
        {
            // (a client has not asked before)
            self.ask(thread);
        }
        thread.hangs_on().set(owner.number() as usize);
        thread.waits.set(Some(self.no_list));
        thread.set(state::PARKED);
        self.come(thread, &owner.parked);
        owner.set(state::PARKED_ON);
        let process = owner.process;
        process.hanging.set(process.hanging.get().wrapping_add(1));
        self.note_lent(owner, thread.rank.get());
        self.settle_place(owner, false);
    }

    /// If the process of `holder` ends, its teardown is as urgent as `rank` until it has
    /// let go whoever hangs on its threads.
    #[inline(never)]
    pub(crate) fn note_lent(&self, holder: Ref<Thread>, rank: Ref<Rank>) {
        let process = holder.process;
        let lent = &process.lent;
        if process.is_alive() && rank.precedes(lent) {
            lent.level.set(rank.level.get());
            lent.deadline.set(rank.deadline.get());
        }
    }

    /// The urgency of a reaper: its own, or of whoever hangs on its threads.
    pub(crate) fn rank_lent(&self, process: Ref<Process>, own: Ref<Rank>) -> Ref<Rank> {
        let lent = &process.lent;
        match lent.precedes(own) {
            true => self.fixed(lent.level.get()).unwrap_or(lent),
            false => own,
        }
    }

    /// If nobody hangs on the threads of a process that ends any more, its reaper has its
    /// own urgency.
    pub(crate) fn end_loan(&self, process: Ref<Process>) {
        let reaper = process.reaper;
        if process.hanging.get() == 0 && !same(reaper.rank.get(), reaper.own.get()) {
            self.remove(reaper);
            process.lent.level.set(level::IDLE);
            reaper.return_to_own();
            self.insert_first(reaper);
        }
    }

    fn let_go(&self, thread: Ref<Thread>, holder: Ref<Thread>) {
        self.go_out(thread, &holder.parked);
        thread.clear(state::PARKED);
        let process = holder.process;
        let hanging = process.hanging.get().wrapping_sub(1);
        process.hanging.set(hanging);
        if hanging == 0 && process.is_alive() {
            process.lent.level.set(level::IDLE);
        }
        if holder.parked.get().is_none() {
            holder.clear(state::PARKED_ON);
        }
    }

    /// A thread hangs on nobody any more, if it did. It is in no list and no queue.
    /// O(depth).
    #[inline(never)]
    pub(crate) fn unhang(&self, thread: Ref<Thread>) {
        if let Some(holder) = self.holder(thread) {
            self.let_go(thread, holder);
            self.settle_place(holder, true);
        }
    }

    /// A thread that hung on another, if it did, is ready again, with whoever hangs on it.
    #[inline(never)]
    pub(crate) fn bring_up(&self, thread: Ref<Thread>) {
        if thread.is(state::PARKED) {
            self.unhang(thread);
            self.queue(thread);
            self.unpark(thread);
        }
    }

    /// Queues a thread that waited, at its place without those that hang on it.
    #[inline(never)]
    pub(crate) fn queue(&self, thread: Ref<Thread>) {
        thread.waits.set(None);
        self.stand_at_base(thread);
        thread.clear(state::AFLOAT);
        self.insert(thread);
    }

    /// The first four threads that hang on `owner` are ready again, the most urgent
    /// first, each followed by those that hang on it.
    #[inline(never)]
    pub(crate) fn unpark(&self, owner: Ref<Thread>) {
        let (mut at, mut left) = (owner, PIECE);
        loop {
            if let Some(first) = at.parked.get()
                && left != 0
            {
                left = left.wrapping_sub(1);
                self.let_go(first, at);
                self.queue(first);
                // (it still says on whom it hung)
                at = first;
                continue;
            }
            // (whoever has some left hanging on it stands where they would)
            self.settle_place(at, false);
            if same(at, owner) {
                return;
            }
            match self.threads.get(at.hangs_on().get()) {
                Some(below) => at = below,
                None => return,
            }
        }
    }
}
