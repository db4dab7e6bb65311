//! SCHED_RR, SCHED_SPORADIC, deadlines and CPU-time timers (POSIX.1 2.8.4, 2.8.5), for threads
//! that ask for them while they run. All but deadlines are limits of execution, so whoever has
//! none pays nothing: see [`crate::sched::limit`]. The quantum or budget that the system file gives a
//! thread goes on beside them: whichever limit comes first ends its turn.
//!
//! A sporadic server is looked at when it wakes, when it has used its budget up, and when a
//! replenishment is due while it has its lower priority. What was to be replenished before is
//! found then: nobody could see it.

use core::hint::cold_path;

use giornata_abi::Error;
use giornata_abi::posix::policy;

use crate::sched::account::Account;
use crate::sched::agenda::FARTHEST;
use crate::sched::limit::{FRESH, OWN};
use crate::sched::thread::{role, state};
use crate::{Alarm, Machine, Outcome, Rank, Ref, System, Thread, same, some};

/// Bit of [`Thread::limited`]: it has a mutex that it waited for, so what it has used since
/// its activation is replenished as if it was activated now.
const AGAIN: u8 = 8;
/// Bit of a thread's state, which [`System::wake_server`] is called for: see there.
pub(crate) const SERVER: u32 = state::SPORADIC;
/// What is limited by nothing is looked at again in so many ticks.
const FAR: u32 = FARTHEST;

fn wide(low: u32, high: u32) -> u64 {
    u64::from(high) << 32 | u64::from(low)
}

/// The place of a replenishment in its ring.
fn place(number: u32) -> usize {
    number as usize % policy::REPLENISHMENTS
}

const _: () = assert!(policy::REPLENISHMENTS.is_power_of_two());

fn now<M: Machine>() -> u64 {
    let now = M::now();
    wide(now, M::high(now))
}

/// Whether a thread is charged for itself only, whoever runs in its place.
/// (`runner` is charged now).
pub(crate) fn pays_for_itself(system: &System, thread: Ref<Thread>, runner: Ref<Thread>) -> bool {
    let account = system.account(thread);
    account.is_some_and(|account| account.is_in_use()) && !same(thread, runner)
}

impl Account {
    fn policy(&self) -> usize {
        self.policy.get().into()
    }

    fn is_in_use(&self) -> bool {
        self.policy() != policy::FIFO || self.has_timer.get() != 0
    }

    fn has_deadlines(&self) -> bool {
        self.policy() == policy::DEADLINE
    }

    fn is_server(&self) -> bool {
        self.policy() == policy::SPORADIC
    }

    /// What the policy leaves to a thread that has run so much; `None`: no limit.
    fn left(&self, spent: u32) -> Option<u32> {
        let all = match self.policy() {
            policy::ROUND_ROBIN => self.budget.get(),
            policy::SPORADIC if self.is_high.get() != 0 => self.capacity.get(),
            _ => return None,
        };
        let used = spent.wrapping_sub(self.before.get());
        Some(all.saturating_sub(used))
    }

    /// What its timer leaves to it.
    fn until_timer(&self, spent: u64) -> Option<u32> {
        if self.has_timer.get() == 0 {
            return None;
        }
        let timer = wide(self.timer.get(), self.timer_high.get());
        Some(timer.saturating_sub(spent).min(FAR.into()) as u32)
    }

    /// What the system file leaves to a thread that has run so much; `None`: it says nothing.
    fn left_of_file(&self, thread: Ref<Thread>, spent: u32) -> Option<u32> {
        let used = spent.wrapping_sub(self.turn.get());
        match thread.place.allowance {
            0 => None,
            allowance => Some(allowance.saturating_sub(used)),
        }
    }

    /// Its first limit besides that of the system file is about to be set: what is left of
    /// that goes on here.
    fn take_over(&self, thread: Ref<Thread>) {
        if !self.is_in_use() {
            let end = thread.limit.get();
            self.turn.set(end.wrapping_sub(thread.place.allowance));
        }
    }

    /// What it used since its activation will be replenished.
    fn post(&self, used: u32) {
        let at = wide(self.activated.get(), self.activated_high.get());
        let at = at.wrapping_add(self.period.get().into());
        let count = self.count.get();
        let index = place(self.first.get().wrapping_add(count));
        if let (Some(due), Some(high), Some(amount)) = (
            self.due.get(index),
            self.due_high.get(index),
            self.amount.get(index),
        ) {
            due.set(at as u32);
            high.set((at >> 32) as u32);
            amount.set(used);
            self.count.set(count.wrapping_add(1));
        }
    }

    /// The next replenishment.
    fn next(&self) -> Option<u64> {
        let first = place(self.first.get());
        let (due, high) = (self.due.get(first)?, self.due_high.get(first)?);
        (self.count.get() != 0).then(|| wide(due.get(), high.get()))
    }

    /// Carries out what is due.
    #[inline(always)]
    fn replenish(&self, now: u64) {
        if self.next().is_some_and(|at| at <= now) {
            self.replenish_due(now);
        }
    }

    #[inline(never)]
    fn replenish_due(&self, now: u64) {
        while self.next().is_some_and(|at| at <= now) {
            let first = self.first.get();
            let amount = self.amount.get(place(first)).map_or(0, |it| it.get());
            let capacity = self.capacity.get().saturating_add(amount);
            self.capacity.set(capacity.min(self.budget.get()));
            self.first.set(first.wrapping_add(1));
            self.count.set(self.count.get().wrapping_sub(1));
        }
    }

    /// The priority that it has now.
    fn choose(&self, now: u64) -> Option<Ref<Rank>> {
        let is_high = self.capacity.get() != 0 && self.count.get() < self.most.get();
        self.is_high.set(is_high.into());
        match is_high {
            true => {
                self.activated.set(now as u32);
                self.activated_high.set((now >> 32) as u32);
                self.high.get()
            }
            false => self.low.get(),
        }
    }
}

impl System {
    /// From the end of a sleep on, of a thread that has deadlines.
    pub(crate) fn ticks_to_deadline(&self, thread: Ref<Thread>) -> u32 {
        match self
            .account(thread)
            .filter(|account| account.has_deadlines())
        {
            Some(account) => account.period.get(),
            None => thread.place.level,
        }
    }

    fn account(&self, thread: Ref<Thread>) -> Option<&'static Account> {
        let accounts: &'static [Account] = self.settings.accounts;
        accounts.get(thread.number() as usize)
    }

    /// What a thread may run whose limit begins anew when it has run so much: `allowance`, if
    /// no policy of its own says anything.
    pub(crate) fn allowance_of(&self, payer: Ref<Thread>, spent: u32, allowance: u32) -> u32 {
        let Some(account) = self.account(payer).filter(|account| account.is_in_use()) else {
            return allowance;
        };
        account.before.set(spent);
        let high = payer.spent_high.get();
        let high = high.wrapping_add((spent < payer.spent.get()) as u32);
        let left = account.left(spent).unwrap_or(FAR);
        let left = left.min(account.left_of_file(payer, spent).unwrap_or(FAR));
        left.min(account.until_timer(wide(spent, high)).unwrap_or(FAR))
    }

    /// A server goes on with a mutex that it waited for.
    pub(crate) fn continue_with_mutex<M: Machine>(&self, payer: Ref<Thread>) {
        payer.limited.set(payer.limited.get() & !AGAIN);
        if let Some(account) = self.account(payer) {
            let now = now::<M>();
            account.activated.set(now as u32);
            account.activated_high.set((now >> 32) as u32);
        }
    }

    /// A thread has come to its limit: it has run `spent`. Returns whether one of these
    /// policies has seen to it.
    pub(crate) fn end_of_account<M: Machine>(&self, payer: Ref<Thread>, spent: u32) -> bool {
        let Some(account) = self.account(payer).filter(|account| account.is_in_use()) else {
            return false;
        };
        let high = payer.spent_high.get();
        let high = high.wrapping_add((spent < payer.spent.get()) as u32);
        let spent_wide = wide(spent, high);
        if account.until_timer(spent_wide) == Some(0) {
            account.has_timer.set(0);
            self.tell_watcher::<M>(account);
        }
        if account.left(spent) == Some(0) {
            match account.is_server() {
                true => self.exhaust_server::<M>(payer, account, spent),
                false => {
                    account.before.set(spent);
                    self.to_tail(payer);
                }
            }
        }
        if account.left_of_file(payer, spent) == Some(0) {
            account.turn.set(spent);
            self.to_tail(payer);
        }
        self.limit_account(payer, account, spent_wide);
        true
    }

    /// It goes behind its equals, if it has the place that is its own.
    fn to_tail(&self, thread: Ref<Thread>) {
        let rank = thread.rank.get();
        if thread.waits.get().is_none() && same(rank, thread.own.get()) {
            self.remove(thread);
            self.insert(thread);
        }
    }

    /// Its limit is what policy, timer and system file leave.
    fn limit_account(&self, thread: Ref<Thread>, account: &Account, spent: u64) {
        let low = spent as u32;
        let policy = account.left(low);
        let timer = account.until_timer(spent);
        let file = account.left_of_file(thread, low);
        if policy.is_none() && timer.is_none() && file.is_none() {
            thread.limited.set(thread.limited.get() & !(OWN | FRESH));
            return;
        }
        let left = policy.unwrap_or(FAR).min(timer.unwrap_or(FAR));
        let left = left.min(file.unwrap_or(FAR));
        thread.limited.set((thread.limited.get() | OWN) & !FRESH);
        thread.limit.set(low.wrapping_add(left));
    }

    fn tell_watcher<M: Machine>(&self, account: &Account) {
        let watcher = account.watcher.get();
        if let Some(watcher) = watcher.filter(|w| w.waits.get().is_some() && w.is(state::SLEEPS)) {
            watcher.answer(Error::EINTR as usize);
            self.awaken::<M>(watcher);
        }
    }

    /// A server has used its budget up (rule 5): it goes to the tail of its lower priority,
    /// unless something is replenished at once.
    fn exhaust_server<M: Machine>(
        &self,
        thread: Ref<Thread>,
        account: &'static Account,
        spent: u32,
    ) {
        let now = now::<M>();
        let used = spent.wrapping_sub(account.before.get());
        // what was replenished meanwhile it has used, too
        account.replenish(now);
        if account.capacity.get() > used {
            return;
        }
        account.capacity.set(0);
        account.post(used);
        account.before.set(spent);
        account.replenish(now);
        if !self.place_server::<M>(thread, account, now) {
            self.to_tail(thread);
        }
    }

    /// A server that is ready has the priority that its account says, and its alarm is set if
    /// that is the lower one. Returns whether it is the last of its equals by that.
    fn place_server<M: Machine>(
        &self,
        thread: Ref<Thread>,
        account: &'static Account,
        now: u64,
    ) -> bool {
        let before = thread.own.get();
        self.choose_priority::<M>(thread, account, now);
        // nobody hangs on it, it has no ceiling, and it is where its priority says
        let special = thread.state.get() ^ state::SPORADIC;
        let is_plain =
            special as usize | some(thread.waits.get()) == 0 && same(before, thread.rank.get());
        if is_plain {
            self.remove(thread);
            thread.return_to_own();
            self.insert(thread);
        } else {
            cold_path();
            self.settle_place(thread, false);
        }
        self.watch_server::<M>(account, now);
        is_plain
    }

    /// A server has the priority that its account says.
    fn choose_priority<M: Machine>(&self, thread: Ref<Thread>, account: &Account, now: u64) {
        if let Some(rank) = account.choose(now) {
            let before = thread.own.replace(rank);
            if !same(before, rank) {
                self.record_priority::<M>(thread, rank, thread, 0);
            }
        }
    }

    fn watch_server<M: Machine>(&self, account: &'static Account, now: u64) {
        if account.is_armed.replace(0) != 0 {
            self.agenda.remove(&account.alarm, self.records());
        }
        if account.is_high.get() == 0
            && let Some(at) = account.next()
        {
            let distance = at.saturating_sub(now).min(FARTHEST.into()) as u32;
            account.is_armed.set(1);
            self.set_alarm::<M>(&account.alarm, (now as u32).wrapping_add(distance));
        }
    }

    /// A server that has waited is about to be queued (rules 2 and 4), or a thread with a quantum,
    /// which begins anew: it is what a thread may run without a pause.
    pub(crate) fn wake_server<M: Machine>(&self, thread: Ref<Thread>) {
        let Some(account) = self.account(thread) else {
            return;
        };
        let spent = wide(thread.spent.get(), thread.spent_high.get());
        if !account.is_server() {
            account.before.set(spent as u32);
            return self.limit_account(thread, account, spent);
        }
        let now = now::<M>();
        if account.is_high.get() != 0 {
            let used = thread.spent.get().wrapping_sub(account.before.get());
            account
                .capacity
                .set(account.capacity.get().saturating_sub(used));
            account.post(used);
        }
        account.replenish(now);
        self.choose_priority::<M>(thread, account, now);
        account.before.set(thread.spent.get());
        self.limit_account(thread, account, spent);
        self.watch_server::<M>(account, now);
    }

    /// The alarm of an account rings, if it is one.
    pub(crate) fn expire_account<M: Machine>(
        &self,
        thread: Ref<Thread>,
        alarm: Ref<Alarm>,
    ) -> bool {
        if same(alarm, &thread.alarm) {
            return false;
        }
        let Some(account) = self.account(thread) else {
            return true;
        };
        account.is_armed.set(0);
        let is_blocked = thread.waits.get().is_some() && !thread.is(state::PARKED);
        if account.is_server() && thread.lives() && !is_blocked {
            let now = now::<M>();
            account.replenish(now);
            let _ = self.place_server::<M>(thread, account, now);
            if account.is_high.get() != 0 {
                // (what it has run up to now is found when it next goes on)
                thread.limited.set(thread.limited.get() | OWN | FRESH);
                self.note_limit::<M>(thread);
            }
        }
        true
    }

    /// A thread of the caller's process gets a policy, with all of its budget.
    #[inline(never)]
    pub(crate) fn set_policy<M: Machine>(
        &self,
        me: Ref<Thread>,
        slot: usize,
        serial: usize,
        how: usize,
        budget: usize,
        period: usize,
    ) -> Outcome {
        let Some(thread) = self.ordinary(me, slot, serial) else {
            return Outcome::error(Error::ESRCH);
        };
        let Some(account) = self.account(thread) else {
            return Outcome::error(Error::ENOSYS);
        };
        let (kind, most) = (how & 0xFF, how >> policy::MOST & 0xFF);
        let (high, low) = (how >> policy::HIGH & 0xFF, how >> policy::LOW & 0xFF);
        let (high, low) = (self.rank_of_priority(high), self.rank_of_priority(low));
        let limit = FARTHEST as usize;
        let is_good = match kind {
            policy::FIFO => true,
            policy::ROUND_ROBIN => budget.wrapping_sub(1) < limit,
            policy::SPORADIC => {
                budget.wrapping_sub(1) < period
                    && period <= limit
                    && most.wrapping_sub(1) < policy::REPLENISHMENTS
                    && high.precedes(low)
            }
            policy::DEADLINE => period.wrapping_sub(1) < limit,
            _ => false,
        };
        // (deadlines from the system file are for good)
        let has_others = !account.has_deadlines() && thread.own.get().level() == self.band;
        if !is_good || thread.has_jobs() || has_others {
            return Outcome::error(Error::EINVAL);
        }
        let may = match kind {
            policy::DEADLINE => self.band >= me.process.most,
            _ => [high, low]
                .iter()
                .all(|rank| rank.level() >= me.process.most && rank.level() != self.band),
        };
        if !may {
            return Outcome::error(Error::EPERM);
        }
        let now = now::<M>();
        self.charge_elsewhere::<M>(thread);
        let mut own = high;
        if kind == policy::DEADLINE {
            own = &account.rank;
            if same(thread.own.get(), own) {
                // (nobody may have a place whose deadline changes)
                thread.own.set(high);
                self.settle_place(thread, false);
            }
            own.deadline.set((now as u32).wrapping_add(period as u32));
        }
        account.take_over(thread);
        account.policy.set(kind as u8);
        account.high.set(Some(high));
        account.low.set(Some(low));
        account.budget.set(budget as u32);
        account.period.set(period as u32);
        account.most.set(most as u32);
        account.capacity.set(budget as u32);
        account.count.set(0);
        account.is_high.set(1);
        account.activated.set(now as u32);
        account.activated_high.set((now >> 32) as u32);
        match account.is_in_use() {
            true => thread.limited.set(OWN | FRESH),
            false => {
                let spent = wide(thread.spent.get(), thread.spent_high.get());
                self.limit_account(thread, account, spent);
            }
        }
        self.note_limit::<M>(thread);
        thread.clear(state::SPORADIC | state::BY_DEADLINE);
        match kind {
            policy::SPORADIC | policy::ROUND_ROBIN => thread.set(state::SPORADIC),
            policy::DEADLINE => thread.set(state::BY_DEADLINE),
            _ => {}
        }
        self.watch_server::<M>(account, now);
        // (as `set_priority`)
        let before = thread.rank.get();
        thread.own.set(own);
        self.record_priority::<M>(thread, own, me, 1 | (kind as u32) << 8);
        let owns = thread.held.get().is_some();
        self.settle_place(thread, owns);
        let is_moved = !same(before, thread.rank.get());
        if !is_moved && !owns && thread.waits.get().is_none() {
            self.set_rank(thread, before, false);
        }
        me.answer(0);
        self.dispatch()
    }

    /// The caller is woken, if it sleeps, when another thread of its process has run so much;
    /// 0: not any more.
    #[inline(never)]
    pub(crate) fn set_timer<M: Machine>(
        &self,
        me: Ref<Thread>,
        slot: usize,
        serial: usize,
        low: usize,
        high: usize,
    ) -> Outcome {
        let found = self.ordinary(me, slot, serial);
        let Some(thread) = found.filter(|thread| !same(*thread, me)) else {
            return Outcome::error(Error::ESRCH);
        };
        let Some(account) = self.account(thread) else {
            return Outcome::error(Error::ENOSYS);
        };
        account.take_over(thread);
        account.timer.set(low as u32);
        account.timer_high.set(high as u32);
        account.watcher.set(Some(me));
        account.has_timer.set((low | high != 0) as u8);
        if thread.limited.get() & FRESH == 0 {
            self.charge_elsewhere::<M>(thread);
            let spent = wide(thread.spent.get(), thread.spent_high.get());
            self.limit_account(thread, account, spent);
            self.note_limit::<M>(thread);
        }
        Outcome::DONE
    }

    /// The next tenant of a thread's place begins, by a call of `creator` if it is created:
    /// with nothing of these.
    pub(crate) fn begin_account<M: Machine>(
        &self,
        creator: Ref<Thread>,
        thread: Ref<Thread>,
        rank: Ref<Rank>,
    ) {
        if thread.role & role::SPARE != 0 {
            self.record_priority::<M>(thread, rank, creator, 0);
        }
        if let Some(account) = self.account(thread).filter(|account| account.is_in_use()) {
            account.policy.set(policy::FIFO as u8);
            account.has_timer.set(0);
            if account.is_armed.replace(0) != 0 {
                self.agenda.remove(&account.alarm, self.records());
            }
            // (as at boot: it begins with its limit of the system file)
            thread.limited.set(match thread.place.allowance {
                0 => 0,
                _ => OWN,
            });
        }
    }
}

/// Whether a server that waited for a mutex goes on for the first time.
pub(crate) fn has_waited(thread: Ref<Thread>) -> bool {
    thread.limited.get() & AGAIN != 0
}

/// A thread that waited for a mutex has it.
pub(crate) fn note_taken(thread: Ref<Thread>) {
    if thread.is(state::SPORADIC) {
        thread.limited.set(thread.limited.get() | AGAIN);
    }
}
