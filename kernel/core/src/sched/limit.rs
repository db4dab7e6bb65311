//! Limits of execution: quanta of threads that take turns, budgets of jobs and upcalls.
//!
//! A limit is what a thread's `spent` may come to. Only who has one pays for it: the
//! exit path calls [`System::limit`] for a thread whose `limited` is not 0, and the
//! timer looks at it when nothing else was due.
//!
//! Of threads that wait for one another, the nearest from the head of the chain that
//! has a limit pays (the *donor*), else who runs. What it has paid is taken from its
//! limit when the next one is looked at. Who has used a quantum goes behind its
//! equals, and others in its place; a job or upcall is stopped.

use crate::sched::thread::role;
use crate::{Machine, Ref, System, Thread, before, posix, same};

/// Bit of [`Thread::limited`]: it has a limit.
pub const OWN: u8 = 1;
/// Its limit begins anew: a job or an upcall begins. [`Thread::limit`] of an upcall's
/// thread is how much that may take.
pub const FRESH: u8 = 2;
/// It runs in the place of a thread that has one.
pub const LENT: u8 = 4;

impl System {
    /// A thread whose time is limited is about to run, and is charged from now on: the
    /// alarm rings at its limit at the latest.
    #[inline(never)]
    pub fn limit<M: Machine>(&self, next: Ref<Thread>) {
        self.settle_donor();
        next.limited.set(next.limited.get() & !LENT);
        let Some(payer) = self.payer(next) else {
            return;
        };
        if posix::has_waited(payer) {
            self.continue_with_mutex::<M>(payer);
        }
        let now = M::now();
        let used = self.hart().uncharged(now);
        if payer.limited.get() & FRESH != 0 {
            payer.limited.set(OWN);
            let allowance = match payer.role & role::UPCALL {
                0 => payer.place.allowance,
                _ => payer.limit.get(),
            };
            // (what it has run and was not charged for yet was another's, or before)
            let spent = payer.spent.get().wrapping_add(used);
            let allowance = self.allowance_of(payer, spent, allowance);
            payer.limit.set(spent.wrapping_add(allowance));
        }
        if !same(payer, next) {
            next.limited.set(next.limited.get() | LENT);
            self.hart().run_on_budget_of(payer, next);
        }
        let left = payer.limit.get().wrapping_sub(payer.spent.get());
        // (it has run on for a little before the alarm stopped it)
        let left = left.wrapping_sub(used).cast_signed().max(0) as u32;
        self.set_limit_timer::<M>(now.wrapping_add(left), now);
    }

    /// The timer has rung, and nothing else was due: perhaps who was interrupted, or its
    /// donor, has used what it may.
    #[inline(never)]
    pub(crate) fn look_at_limit<M: Machine>(&self, me: Ref<Thread>, now: u32) {
        let Some(payer) = self.payer(me) else {
            return;
        };
        let mut used = self.hart().uncharged(now);
        if !same(payer, me) {
            used = used.wrapping_add(self.hart().run_on_budget(me));
        }
        let spent = payer.spent.get().wrapping_add(used);
        if before(spent, payer.limit.get()) {
            return;
        }
        if payer.role & (role::TASK | role::UPCALL) != 0 {
            return self.exhaust::<M>(payer);
        }
        if self.end_of_account::<M>(payer, spent) {
            return;
        }
        payer.limit.set(spent.wrapping_add(payer.place.allowance));
        // (at the level of a ceiling it keeps its place)
        let rank = payer.rank.get();
        if payer.waits.get().is_none() && same(rank, payer.own.get()) {
            self.remove(payer);
            self.insert(payer);
        }
    }
}
