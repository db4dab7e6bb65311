//! What changed of the ready queue since the last placing: nothing, one thread, or anything.

use core::hint::cold_path;

use crate::harts::assign::kick;
use crate::harts::end::is_simple;
use crate::{
    Alarm, Event, Hart, Machine, Object, Outcome, Process, Rank, Ref, System, Thread, before, same,
};

/// One thread was queued.
pub(super) const QUEUED: u32 = 1;
/// One thread left.
pub(super) const LEFT: u32 = 2;
/// Anything.
pub(super) const ANY: u32 = 3;

impl Thread {
    /// Whether a hart runs it.
    #[inline(always)]
    pub(crate) fn still_runs(&self) -> bool {
        self.on.hart.get().is_some()
    }
}

impl System {
    /// The hart that has the lock.
    #[inline(always)]
    pub fn hart(&self) -> Ref<Hart> {
        self.harts.here.get()
    }

    /// The number of the hart that has the lock.
    #[inline(always)]
    pub(crate) fn hart_number(&self) -> u32 {
        self.hart().member.number
    }

    /// The entry of the ready queue in whose place the hart runs.
    #[inline(always)]
    pub(crate) fn entry(&self) -> Ref<Thread> {
        self.hart().member.entry.get()
    }

    /// The urgency at which the hart runs.
    #[inline(always)]
    pub(crate) fn rank_of_turn(&self) -> Ref<Rank> {
        self.entry().rank.get()
    }

    /// Who runs may have changed, whatever the queue is.
    #[inline(always)]
    pub fn note_change(&self) {
        self.harts.changed.set(ANY);
    }

    /// A thread is queued.
    #[inline(always)]
    pub(crate) fn note_queued(&self, thread: Ref<Thread>) {
        self.note_one(thread, QUEUED);
    }

    /// The only thread of a rank leaves the queue.
    #[inline(always)]
    pub(crate) fn note_closed(&self, rank: Ref<Rank>) {
        if let Some(thread) = rank.head.get() {
            self.note_removed(thread);
        }
    }

    /// A thread is about to leave the queue.
    #[inline(never)]
    pub(crate) fn note_removed(&self, thread: Ref<Thread>) {
        self.note_leaving(thread);
    }

    /// The same without a call.
    #[inline(always)]
    pub(crate) fn note_leaving(&self, thread: Ref<Thread>) {
        // (the entry behind the last is looked for from that)
        if let Some(edge) = self.harts.edge.get()
            && same(edge, thread)
        {
            self.harts.edge.set(self.entry_before(edge));
        }
        self.note_one(thread, LEFT);
    }

    #[inline(always)]
    fn note_one(&self, thread: Ref<Thread>, what: u32) {
        let harts = &*self.harts;
        if harts.changed.get() != 0 {
            return harts.changed.set(ANY);
        }
        harts.changed.set(what);
        harts.subject.set(Some(thread));
    }

    /// The entry of the queue in front of the last that was placed: a simple one, as that is,
    /// for whatever makes one of them another is [`ANY`]. None: there is none.
    #[inline(always)]
    pub(super) fn entry_before(&self, entry: Ref<Thread>) -> Option<Ref<Thread>> {
        let rank = entry.rank.get();
        let before = match rank.head.get() {
            Some(head) if same(head, entry) => self.rank_before(rank)?.head.get()?.prev.get(),
            _ => entry.prev.get(),
        };
        Some(before)
    }

    /// The entry behind one, if it is a simple one.
    #[inline(always)]
    pub(super) fn entry_behind(&self, entry: Ref<Thread>) -> Option<Ref<Thread>> {
        let rank = entry.rank.get();
        let next = entry.next.get();
        let behind = match rank.head.get() {
            Some(head) if same(head, next) => self.next_rank(rank)?.head.get()?,
            _ => next,
        };
        is_simple(behind).then_some(behind)
    }

    /// A mutex is about to be free: whoever wants it may have the turn.
    #[inline(always)]
    pub(crate) fn note_free(&self, mutex: Ref<Object>) {
        if mutex.count.get() != 0 {
            self.note_change();
        }
    }

    /// The turn of an entry is that of its equals: it comes behind all of them.
    #[inline(always)]
    pub(crate) fn rotate(&self, entry: Ref<Thread>, next: Ref<Thread>) {
        if !same(entry, next) && entry.waits.get().is_none() {
            self.remove(entry);
            self.insert(entry);
        }
    }

    /// Each hart loads the space of a process before it enters that again.
    pub(crate) fn forget_space(&self, process: Ref<Process>) {
        self.note_change();
        for hart in self.all_harts() {
            if same(hart.loaded.get(), process) {
                hart.loaded.set(hart.idle.process);
            }
        }
    }

    /// The rights of a process have changed: other harts that have loaded them are interrupted,
    /// and load them anew.
    #[cfg(feature = "processes")]
    pub(crate) fn renew_elsewhere<M: Machine>(&self, process: Ref<Process>) {
        for hart in self.all_harts() {
            if !same(hart, self.hart()) && same(hart.loaded.get(), process) {
                hart.member.stale.set(1);
                kick::<M>(hart);
            }
        }
    }

    /// A process detaches a region: whether another hart that runs it has that still. Each is
    /// interrupted, and loads what the process has then.
    #[cfg(feature = "processes")]
    pub(crate) fn has_elsewhere<M: Machine>(
        &self,
        process: Ref<Process>,
        share: Ref<crate::process::region::Share>,
        bit: u32,
    ) -> bool {
        let closing = process.closing.get();
        if closing & bit == 0 {
            M::open_region(process, share.region, share.grant, 0);
            process.closing.set(closing | bit);
            self.renew_elsewhere::<M>(process);
        }
        let here = self.hart();
        let mut others = self.all_harts().filter(|hart| !same(*hart, here));
        others.any(|hart| hart.member.stale.get() != 0)
    }

    /// A process has a region no more, whether it was detaching it or ends.
    #[cfg(feature = "processes")]
    #[inline(always)]
    pub(crate) fn note_detached(&self, process: Ref<Process>, bit: u32) {
        process.closing.set(process.closing.get() & !bit);
    }

    /// The hart has been interrupted by another, if it has: it is about to look. Whether it is to
    /// load the rights anew of the process that it has loaded.
    #[inline(always)]
    pub fn take_kick(&self) -> bool {
        let member = &*self.hart().member;
        let stale = member.stale.get() != 0;
        member.kicked.set(0);
        if stale {
            member.stale.set(0);
        }
        stale
    }

    /// Whether a hart runs a thread of a process that ends: it has been told to leave it.
    pub(crate) fn runs_anywhere(&self, process: Ref<Process>) -> bool {
        self.all_harts().any(|hart| {
            let current = hart.member.current.get();
            same(current.process, process) && !same(current, process.reaper)
        })
    }

    /// The other hart that runs a thread of a process, if one does.
    pub(super) fn runs_of(&self, process: Ref<Process>) -> Option<Ref<Hart>> {
        let here = self.hart();
        let is_there = |hart: &Ref<Hart>| same(hart.member.current.get().process, process);
        self.all_harts()
            .find(|hart| is_there(hart) && !same(*hart, here))
    }

    /// What is due belongs to a process of which no two threads run at the same time, and another
    /// hart runs one: that is interrupted, and takes it, as if the timer had interrupted that
    /// thread. So what the kernel does to such a process it does while no thread of it runs.
    /// O(harts).
    #[inline(always)]
    pub(crate) fn leaves_to_another<M: Machine>(&self) -> bool {
        let Some(Alarm {
            event: Event::Thread(thread),
            ..
        }) = self.agenda.first()
        else {
            return false;
        };
        if thread.process.is_parallel() {
            return false;
        }
        cold_path();
        let Some(hart) = self.runs_of(thread.process) else {
            return false;
        };
        hart.member.rings.set(1);
        kick::<M>(hart);
        true
    }

    /// Another hart has interrupted this one, which is about to look at who runs, and perhaps at
    /// what is due.
    #[inline(always)]
    pub fn on_kick<M: Machine>(&self, me: Ref<Thread>) -> Outcome {
        let rings = &self.hart().member.rings;
        if rings.get() != 0 {
            cold_path();
            rings.set(0);
            return self.on_timer_any::<M>(me);
        }
        Outcome::DONE
    }

    /// The idle threads, one to a hart: that of the first last, if it runs no other, so that no
    /// placing ever comes to it.
    pub fn idle_threads(&self) -> impl Iterator<Item = Ref<Thread>> {
        // (the list of ranks ends with theirs)
        let mut rank = self.first_rank();
        while let Some(below) = self.next_rank(rank) {
            rank = below;
        }
        let mut at = rank.head.get();
        if self.harts.apart != 0 {
            at = at.map(|head| head.prev.get());
        }
        core::iter::from_fn(move || {
            let idle = at?;
            at = Some(idle.next.get());
            Some(idle)
        })
    }

    /// All harts.
    pub(crate) fn all_harts(&self) -> impl Iterator<Item = Ref<Hart>> {
        self.harts.all.iter().map_while(|hart| hart.get())
    }

    /// Ticks that a thread has run and was not charged for yet, wherever it runs.
    #[cfg(feature = "posix")]
    pub(crate) fn uncharged_of<M: Machine>(&self, _: Ref<Thread>, thread: Ref<Thread>) -> u32 {
        let hart = thread.on.hart.get();
        hart.map_or(0, |hart| hart.uncharged(M::now()))
    }

    /// A thread is charged for what it has run up to now, if it runs on another hart.
    #[cfg(feature = "posix")]
    pub(crate) fn charge_elsewhere<M: Machine>(&self, thread: Ref<Thread>) {
        if let Some(hart) = thread.on.hart.get()
            && !same(hart, self.hart())
        {
            hart.charge(thread, M::now());
        }
    }

    /// What a thread may run has changed: the hart on which it runs sets its timer anew.
    #[cfg(feature = "posix")]
    pub(crate) fn note_limit<M: Machine>(&self, thread: Ref<Thread>) {
        match thread.on.hart.get() {
            Some(hart) if !same(hart, self.hart()) => kick::<M>(hart),
            Some(_) => self.note_change(),
            None => {}
        }
    }

    /// The hart sets the timer of the agenda, and has seen that its own has rung, if it has: the
    /// limit of whom it runs is looked at again behind the entry. Whether its own is another, and
    /// is to be silent.
    #[inline(always)]
    pub fn forgets_limit(&self, has_rung: impl FnOnce() -> bool) -> bool {
        let member = &*self.hart().member;
        let is_another = member.number != 0;
        if is_another && !has_rung() {
            return false;
        }
        if member.limited.get() != 0 {
            member.limited.set(0);
            self.note_change();
        }
        is_another
    }

    /// The time of whom the hart runs is up at an instant: its timer rings then.
    pub(crate) fn set_limit_timer<M: Machine>(&self, end: u32, now: u32) {
        let hart = self.hart();
        hart.alarm.set(end);
        hart.member.limited.set(1);
        let first = self.agenda.next();
        let at = match hart.member.number == 0 && before(first, end) {
            true => first,
            false => end,
        };
        M::hart_alarm(hart.member.number, at, now);
    }
}
