//! Which thread a hart runs, behind each entry into the kernel.
//!
//! ```text
//!   it was interrupted for one, and nothing has changed    that one
//!   one simple thread was queued, or the hart's own left    the last placed entry moves by one
//!   anything else                                           a walk from the top, to the last
//!                                                           hart's entry
//! ```
//!
//! There is no election of a hart that loses its thread: idle threads are entries as well, so
//! there are always as many harts outside the first ends as ends that run nowhere.

use crate::harts::change::{LEFT, QUEUED};
use crate::harts::end::is_simple;
use crate::sched::parking::PIECE;
use crate::sched::thread::{kind, state};
use crate::trace::reason;
use crate::{Hart, Machine, Outcome, Ref, System, Thread, same};

/// Who is to run, and the entry in whose place.
type Turn = (Ref<Thread>, Ref<Thread>);

/// What a placing comes to.
#[derive(Clone, Copy)]
struct Placed {
    /// Whether whom the hart runs is one of the first.
    stays: bool,
    /// The most urgent of the first that runs nowhere.
    fresh: Option<Turn>,
    /// How many of the first run nowhere.
    others: u32,
}

impl Placed {
    /// It goes on, and nobody else is to come.
    const STAYS: Placed = Placed {
        stays: true,
        fresh: None,
        others: 0,
    };

    /// It runs another.
    fn leaves_for(turn: Turn) -> Placed {
        Placed {
            stays: false,
            fresh: Some(turn),
            others: 1,
        }
    }
}

impl System {
    /// Behind an entry on this hart, which ran `me`: who runs on it, charged and recorded, and
    /// which other harts are to look. The outcome is the caller, which goes on as its context
    /// says, or another thread with the reason of the switch.
    #[inline(never)]
    pub fn assign<M: Machine>(&self, outcome: Outcome, me: Ref<Thread>) -> Outcome {
        let (harts, hart) = (&*self.harts, self.hart());
        let member = &*hart.member;
        let why = me.keep_answer(outcome);
        if !me.process.is_alive() && !same(me, me.process.reaper) {
            // (it runs no more from here on, so what it owns is given up)
            me.on.hart.set(None);
            self.note_change();
        }
        let mut heeds = me.control != 0;
        let chosen = member.chosen.take();
        let mut changed = harts.changed.replace(0);
        let is_last = member.chosen_mark.get() ^ harts.mark.get() | changed;
        let mut changes = PIECE;
        let mut given = chosen.filter(|_| is_last == 0);
        let (next, entry, others) = loop {
            let mut placed = match given.take() {
                Some(chosen) => Placed::leaves_for((chosen, member.chosen_entry.get())),
                None => match self.place_one::<M>(hart, changed) {
                    Some(placed) => placed,
                    None => self.place::<M>(hart, &mut changes),
                },
            };
            placed.stays |= member.apart.get() != 0;
            let Some((next, entry)) = placed.fresh.filter(|_| !placed.stays) else {
                self.kick_others::<M>(hart, placed.others, placed.fresh);
                if me.limited.get() != 0 {
                    self.limit::<M>(me);
                }
                return Outcome::switch(me);
            };
            if heeds && me.lives() && me.process.is_alive() && says_something::<M>(me) {
                heeds = false;
                let _ = self.heed_page::<M>(me, Outcome::switch(next));
                // (what it noted is part of the placing that follows)
                harts.changed.set(0);
                changed = super::change::ANY;
                continue;
            }
            break (next, entry, placed.others.wrapping_sub(1));
        };
        me.on.hart.set(None);
        next.on.hart.set(Some(hart));
        member.current.set(next);
        member.entry.set(entry);
        member.limited.set(0);
        self.kick_others::<M>(hart, others, None);
        self.charge_and_record::<M>(hart, me, next, entry, why)
    }

    /// The hart leaves a thread for another.
    #[inline(always)]
    fn charge_and_record<M: Machine>(
        &self,
        hart: Ref<Hart>,
        me: Ref<Thread>,
        next: Ref<Thread>,
        entry: Ref<Thread>,
        why: usize,
    ) -> Outcome {
        let now = M::now();
        hart.charge(me, now);
        let why = match same(next, entry) {
            true => why,
            false => reason::HELPS | (entry.number() as usize) << 16,
        };
        let label = me.label | hart.member.number << 8;
        self.trace.write(now, label, next.label, why as u32);
        if next.limited.get() != 0 {
            self.limit::<M>(next);
        }
        Outcome::because(next, why)
    }

    /// One thing changed: who runs, without a walk. None: it is another case, and nothing has
    /// changed.
    #[inline(always)]
    fn place_one<M: Machine>(&self, hart: Ref<Hart>, changed: u32) -> Option<Placed> {
        let harts = &*self.harts;
        let (subject, edge) = (harts.subject.get()?, harts.edge.get()?);
        match changed {
            QUEUED => self.place_queued::<M>(hart, subject, edge),
            LEFT => self.place_behind(hart, subject, edge),
            _ => None,
        }
    }

    /// A thread was queued: above the last entry that was placed it runs in that one's stead.
    #[inline(always)]
    fn place_queued<M: Machine>(
        &self,
        hart: Ref<Hart>,
        subject: Ref<Thread>,
        edge: Ref<Thread>,
    ) -> Option<Placed> {
        let (harts, member) = (&*self.harts, &*hart.member);
        let (current, mark) = (member.current.get(), harts.mark.get());
        let is_out = (current.on.mark.get() != mark) & (member.apart.get() == 0);
        if !is_simple(subject) || !is_simple(current) || is_out {
            return None;
        }
        if !subject.rank.get().is_above(edge.rank.get()) {
            return Some(Placed::STAYS);
        }
        let loser = edge.on.hart.get()?;
        let other = &*loser.member;
        if other.kicked.get() | other.apart.get() != 0 || !same(other.entry.get(), edge) {
            return None;
        }
        harts.edge.set(Some(self.entry_before(edge)?));
        edge.on.mark.set(0);
        subject.on.mark.set(mark);
        if same(loser, hart) {
            return Some(Placed::leaves_for((subject, subject)));
        }
        choose::<M>(loser, (subject, subject), mark);
        Some(Placed::STAYS)
    }

    /// Whom the hart ran has left, in its own place: the entry behind the last that was placed
    /// is the next.
    #[inline(always)]
    fn place_behind(
        &self,
        hart: Ref<Hart>,
        subject: Ref<Thread>,
        edge: Ref<Thread>,
    ) -> Option<Placed> {
        let (harts, member) = (&*self.harts, &*hart.member);
        let current = member.current.get();
        let unusual = subject.state.get() & (state::IN_HAND | state::PARKED_ON)
            | (subject.on.mark.get() ^ harts.mark.get());
        if unusual != 0
            || subject.held.get().is_some()
            || !same(subject, current)
            || !same(member.entry.get(), subject)
        {
            return None;
        }
        let next = self.entry_behind(edge)?;
        if next.on.hart.get().is_some() {
            return None;
        }
        harts.edge.set(Some(next));
        next.on.mark.set(harts.mark.get());
        current.on.mark.set(0);
        Some(Placed::leaves_for((next, next)))
    }

    /// Finds the first ends of the queue. O(harts + entries that lend their urgency to an end
    /// that a more urgent one has found).
    #[inline(never)]
    fn place<M: Machine>(&self, hart: Ref<Hart>, changes: &mut u32) -> Placed {
        let harts = &*self.harts;
        harts.edge.set(None);
        'anew: loop {
            let mark = harts.mark.get().wrapping_add(1);
            harts.mark.set(mark);
            let mut placed = Placed {
                stays: false,
                fresh: None,
                others: 0,
            };
            let mut left = harts.count;
            let mut all_simple = true;
            let mut rank = self.first_rank();
            while let Some(head) = rank.head.get() {
                let mut entry = head;
                loop {
                    let next = entry.next.get();
                    all_simple &= is_simple(entry);
                    match self.end_of(entry, *changes != 0) {
                        Some(end) if end.on.mark.get() != mark && may_join(end, mark) => {
                            end.on.mark.set(mark);
                            match end.on.hart.get() {
                                Some(other) => {
                                    other.member.entry.set(entry);
                                    placed.stays |= same(other, hart);
                                }
                                None => {
                                    placed.others = placed.others.wrapping_add(1);
                                    if placed.fresh.is_none() && self.may_begin(end) {
                                        placed.fresh = Some((end, entry));
                                    }
                                }
                            }
                            left = left.wrapping_sub(1);
                            if left == 0 {
                                harts.edge.set(all_simple.then_some(entry));
                                return placed;
                            }
                        }
                        // one more urgent lends its urgency to the same, or is of a process of
                        // which no two run
                        Some(_) => {}
                        // (a ring that was changed is not walked on)
                        None if *changes != 0 => {
                            *changes = changes.wrapping_sub(1);
                            continue 'anew;
                        }
                        // (this hart looks again at once)
                        None => {
                            hart.member.kicked.set(2);
                            M::kick(hart.member.number);
                        }
                    }
                    entry = next;
                    if same(entry, head) {
                        break;
                    }
                }
                match self.next_rank(rank) {
                    Some(below) => rank = below,
                    None => break,
                }
            }
            return placed;
        }
    }

    /// Whether one of the first that runs nowhere can begin on this hart: no other runs one of its
    /// process still, if no two may run at the same time. (That hart has lost it, and comes.)
    #[inline(always)]
    fn may_begin(&self, end: Ref<Thread>) -> bool {
        end.process.is_parallel() || self.runs_of(end.process).is_none()
    }

    /// Interrupts the harts that run none of the first; one of them for `fresh`.
    #[inline(always)]
    fn kick_others<M: Machine>(&self, hart: Ref<Hart>, others: u32, mut fresh: Option<Turn>) {
        if others == 0 {
            return;
        }
        let mark = self.harts.mark.get();
        for other in self.all_harts() {
            let member = &*other.member;
            let is_placed = member.current.get().on.mark.get() == mark;
            if is_placed || same(other, hart) || member.apart.get() != 0 {
                continue;
            }
            match fresh.take() {
                Some(turn) => choose::<M>(other, turn, mark),
                None => kick::<M>(other),
            }
        }
    }
}

/// Whether an end is one of the first in a placing: no more urgent one is of its process, if no two
/// of that may run at the same time.
#[inline(always)]
fn may_join(end: Ref<Thread>, mark: u32) -> bool {
    let process = end.process;
    process.is_parallel() || process.mark.replace(mark) != mark
}

/// Interrupts a hart for a thread.
#[inline(always)]
fn choose<M: Machine>(hart: Ref<Hart>, (chosen, entry): Turn, mark: u32) {
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

/// Whether the control page of a thread says something.
fn says_something<M: Machine>(me: Ref<Thread>) -> bool {
    use giornata_abi::control::{CEILING, NEXT_LOCK};
    let word = |offset| M::load(me.control.wrapping_add(offset));
    word(CEILING) | word(NEXT_LOCK) != 0
}

impl Thread {
    /// What an entry returns to the caller is in its context, however it goes on. Returns the
    /// reason of a switch.
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
            let [_, a1, a2, ..] = &self.context.a;
            self.results([a1.get(), a2.get(), 0, 0, 0, 0]);
        }
        0
    }
}
