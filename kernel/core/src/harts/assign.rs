//! Which thread a hart runs, behind each entry into the kernel.
//!
//! ```text
//!   it was interrupted for one, and nothing has changed    that one
//!   one simple thread was queued, or the hart's own left    the last placed entry moves by one
//!   anything else                                           a walk from the top, to the last
//!                                                           hart's entry
//! ```
//!
//! The first two are here, without a call, so that they save no registers: each store goes on the
//! bus that all harts share.

use core::hint::cold_path;

use crate::harts::change::{LEFT, QUEUED};
use crate::sched::thread::{kind, state};
use crate::trace::reason;
use crate::{Hart, Machine, Outcome, Ref, System, Thread, differ, same, some};

/// Who is to run, and the entry in whose place.
pub(super) type Turn = (Ref<Thread>, Ref<Thread>);

/// No reason of a switch: see [`Thread::keep_answer`].
pub(super) const IS_PAIR: usize = usize::MAX;

impl System {
    /// Behind an entry on this hart, which ran `me`: who runs on it, charged and recorded, and
    /// which other harts are to look. The outcome is the caller, which goes on as its context
    /// says, or another thread with the reason of the switch.
    #[inline(never)]
    pub fn assign<M: Machine>(&self, outcome: Outcome, me: Ref<Thread>) -> Outcome {
        let harts = &*self.harts;
        let why = me.keep_answer(outcome);
        // not 0: it is not one of the usual cases
        let unusual = me.process.life.get() as usize | (why == IS_PAIR) as usize;
        match harts.changed.get() {
            0 => self.run_chosen::<M>(me, why, unusual),
            QUEUED => self.place_queued::<M>(me, why, unusual),
            LEFT => self.place_behind::<M>(me, why, unusual),
            _ => self.assign_any::<M>(why, me),
        }
    }

    /// Nothing has changed: it runs whom it was interrupted for, unless another hart has taken
    /// that.
    #[inline(always)]
    fn run_chosen<M: Machine>(&self, me: Ref<Thread>, why: usize, unusual: usize) -> Outcome {
        let (harts, hart) = (&*self.harts, self.hart());
        let (member, mark) = (&*hart.member, harts.mark.get());
        let Some(chosen) = member.chosen.get() else {
            // (it was interrupted for nobody)
            let unusual = unusual | differ_in(me.placing.mark.get(), mark);
            if unusual != 0 || harts.edge.get().is_none() {
                cold_path();
                return self.assign_any::<M>(why, me);
            }
            return self.stay::<M>(me);
        };
        let unusual = unusual | differ_in(member.chosen_mark.get(), mark);
        if unusual != 0 || self.says_something::<M>(me) {
            cold_path();
            return self.assign_any::<M>(why, me);
        }
        member.chosen.set(None);
        self.leave_for::<M>(hart, me, (chosen, member.chosen_entry.get()), why)
    }

    /// A thread was queued: above the last entry that was placed it runs in that one's stead.
    #[inline(always)]
    fn place_queued<M: Machine>(&self, me: Ref<Thread>, why: usize, unusual: usize) -> Outcome {
        let (harts, hart) = (&*self.harts, self.hart());
        let (member, mark) = (&*hart.member, harts.mark.get());
        let (Some(subject), Some(edge)) = (harts.subject.get(), harts.edge.get()) else {
            cold_path();
            return self.assign_any::<M>(why, me);
        };
        let is_out = (me.placing.mark.get() != mark) & (member.apart.get() == 0);
        let unusual = unusual
            | some(subject.wants.get())
            | subject.process.life.get() as usize
            | *subject.process.in_turn as usize
            | some(me.wants.get())
            | is_out as usize;
        if unusual != 0 {
            cold_path();
            return self.assign_any::<M>(why, me);
        }
        if !subject.rank.get().is_above_at_once(edge.rank.get()) {
            harts.changed.set(0);
            return self.stay::<M>(me);
        }
        let (Some(loser), Some(before)) = (edge.on.hart.get(), self.entry_before(edge)) else {
            cold_path();
            return self.assign_any::<M>(why, me);
        };
        let other = &*loser.member;
        let unusual = (other.kicked.get() | other.apart.get()) as usize;
        if unusual | differ(other.entry.get(), edge) != 0 {
            cold_path();
            return self.assign_any::<M>(why, me);
        }
        if !same(loser, hart) {
            choose::<M>(loser, (subject, subject), mark);
            self.place_instead(subject, edge, before, mark);
            return self.stay::<M>(me);
        }
        if self.says_something::<M>(me) {
            cold_path();
            return self.assign_any::<M>(why, me);
        }
        self.place_instead(subject, edge, before, mark);
        self.leave_for::<M>(hart, me, (subject, subject), why)
    }

    /// The last entry that was placed loses its place to another.
    #[inline(always)]
    fn place_instead(&self, of: Ref<Thread>, edge: Ref<Thread>, before: Ref<Thread>, mark: u32) {
        let harts = &*self.harts;
        harts.changed.set(0);
        harts.edge.set(Some(before));
        edge.placing.mark.set(0);
        of.placing.mark.set(mark);
    }

    /// Whom the hart ran has left, in its own place: the entry behind the last that was placed
    /// is the next.
    #[inline(always)]
    fn place_behind<M: Machine>(&self, me: Ref<Thread>, why: usize, unusual: usize) -> Outcome {
        let (harts, hart) = (&*self.harts, self.hart());
        let (member, mark) = (&*hart.member, harts.mark.get());
        let (Some(subject), Some(edge)) = (harts.subject.get(), harts.edge.get()) else {
            cold_path();
            return self.assign_any::<M>(why, me);
        };
        // (a ceiling that it published is over with its wait)
        let state = state::IN_HAND | state::PARKED_ON | !state::OTHERS;
        let unusual = unusual
            | (me.state.get() & state) as usize
            | me.waits.get().is_none() as usize
            | differ_in(me.placing.mark.get(), mark)
            | some(me.held.get())
            | differ(subject, me)
            | differ(member.entry.get(), me);
        let next = self.entry_behind(edge);
        let (0, Some(next)) = (unusual, next) else {
            cold_path();
            return self.assign_any::<M>(why, me);
        };
        if next.on.hart.get().is_some() || self.tells_next::<M>(me) {
            cold_path();
            return self.assign_any::<M>(why, me);
        }
        harts.changed.set(0);
        harts.edge.set(Some(next));
        next.placing.mark.set(mark);
        me.placing.mark.set(0);
        self.leave_for::<M>(hart, me, (next, next), why)
    }

    /// Whom the hart runs goes on.
    #[inline(always)]
    pub(super) fn stay<M: Machine>(&self, me: Ref<Thread>) -> Outcome {
        if me.limited.get() != 0 {
            cold_path();
            return self.run_limited::<M>(me, 0);
        }
        Outcome::switch(me)
    }

    /// The hart leaves a thread for another.
    #[inline(always)]
    pub(super) fn leave_for<M: Machine>(
        &self,
        hart: Ref<Hart>,
        me: Ref<Thread>,
        (next, entry): Turn,
        why: usize,
    ) -> Outcome {
        let member = &*hart.member;
        me.on.hart.set(None);
        next.on.hart.set(Some(hart));
        member.current.set(next);
        member.entry.set(entry);
        member.limited.set(0);
        let now = M::now();
        hart.charge(me, now);
        let why = match same(next, entry) {
            true => why,
            false => reason::HELPS | (entry.number() as usize) << 16,
        };
        let label = me.label | member.number << 8;
        self.trace.put(now, label, next.label, why as u32);
        if next.limited.get() != 0 {
            cold_path();
            return self.run_limited::<M>(next, why);
        }
        Outcome::because(next, why)
    }

    /// A thread runs whose time is limited.
    #[inline(never)]
    extern "C" fn run_limited<M: Machine>(&self, next: Ref<Thread>, why: usize) -> Outcome {
        self.limit::<M>(next);
        Outcome::because(next, why)
    }
}

/// Interrupts a hart for a thread.
#[inline(always)]
pub(super) fn choose<M: Machine>(hart: Ref<Hart>, (chosen, entry): Turn, mark: u32) {
    let member = &*hart.member;
    member.chosen.set(Some(chosen));
    member.chosen_entry.set(entry);
    member.chosen_mark.set(mark);
    kick::<M>(hart);
}

/// Interrupts a hart, unless that has been done.
#[inline(always)]
pub(super) fn kick<M: Machine>(hart: Ref<Hart>) {
    if hart.member.kicked.replace(1) == 0 {
        M::kick(hart.member.number);
    }
}

impl System {
    /// Whether the control page of a thread says something, which comes first if that is left.
    #[inline(always)]
    pub(super) fn says_something<M: Machine>(&self, me: Ref<Thread>) -> bool {
        use giornata_abi::control::{CEILING, NEXT_LOCK};
        let word = |offset| M::load(me.control.wrapping_add(offset));
        me.control != 0 && me.lives() && word(CEILING) | word(NEXT_LOCK) != 0
    }
}

impl System {
    /// Whether a thread that waits has told which mutex it will lock next. (One without objects
    /// has no page to look at.)
    #[inline(always)]
    fn tells_next<M: Machine>(&self, me: Ref<Thread>) -> bool {
        use giornata_abi::control::NEXT_LOCK;
        let may = cfg!(feature = "hints") && !me.handles.is_empty() && me.control != 0;
        may && M::load(me.control.wrapping_add(NEXT_LOCK)) != 0
    }
}

/// Not 0, if two numbers differ.
#[inline(always)]
fn differ_in(one: u32, other: u32) -> usize {
    (one ^ other) as usize
}

impl Thread {
    /// What an entry returns to the caller is in its context, however it goes on. Returns the
    /// reason of a switch; [`IS_PAIR`] if the caller goes on with two registers, which are to
    /// become results.
    #[inline(always)]
    fn keep_answer(&'static self, outcome: Outcome) -> usize {
        let (answer, next) = (outcome.answer(), outcome.next_address());
        if next == 0 {
            if self.kind.get() == kind::CALL {
                self.answer(answer);
            }
            return 0;
        }
        if next != core::ptr::from_ref(self).addr() {
            return match answer & reason::BITS {
                reason::HELPS => 0,
                _ => answer,
            };
        }
        if answer == reason::PAIR {
            return IS_PAIR;
        }
        0
    }

    /// Two registers of its context are results.
    pub(super) fn keep_pair(&'static self) {
        let [_, a1, a2, ..] = &self.context.a;
        self.results([a1.get(), a2.get(), 0, 0, 0, 0]);
    }
}
