//! The general placing: a walk from the top of the ready queue.
//!
//! There is no election of a hart that loses its thread: idle threads are entries as well, so
//! there are always as many harts outside the first ends as ends that run nowhere.

use crate::harts::assign::{IS_PAIR, Turn, choose, kick};
use crate::harts::end::is_simple;
use crate::sched::parking::PIECE;
use crate::{Hart, Machine, Outcome, Ref, System, Thread, same};

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

impl System {
    /// The same as [`assign`](Self::assign), whatever has changed, and whoever `me` is.
    #[inline(never)]
    pub(super) extern "C" fn assign_any<M: Machine>(&self, why: usize, me: Ref<Thread>) -> Outcome {
        if why == IS_PAIR {
            me.keep_pair();
            return self.assign::<M>(Outcome::switch(me), me);
        }
        let (harts, hart) = (&*self.harts, self.hart());
        let member = &*hart.member;
        if !me.process.is_alive() && !same(me, me.process.reaper) {
            // (it runs no more from here on, so what it owns is given up)
            me.on.hart.set(None);
        }
        member.chosen.set(None);
        harts.changed.set(0);
        let mut heeds = true;
        let mut changes = PIECE;
        let (next, entry, others) = loop {
            let mut placed = self.place::<M>(hart, &mut changes);
            placed.stays |= member.apart.get() != 0;
            let Some((next, entry)) = placed.fresh.filter(|_| !placed.stays) else {
                self.kick_others::<M>(hart, placed.others, placed.fresh);
                return self.stay::<M>(me);
            };
            if heeds && me.process.is_alive() && self.says_something::<M>(me) {
                heeds = false;
                let _ = self.heed_page::<M>(me, Outcome::switch(next));
                // (what it noted is part of the placing that follows)
                harts.changed.set(0);
                continue;
            }
            break (next, entry, placed.others.wrapping_sub(1));
        };
        self.kick_others::<M>(hart, others, None);
        self.leave_for::<M>(hart, me, (next, entry), why)
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
                        Some(end) if end.placing.mark.get() != mark && may_join(end, mark) => {
                            end.placing.mark.set(mark);
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
            let is_placed = member.current.get().placing.mark.get() == mark;
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
