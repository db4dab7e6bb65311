//! What the clock brings: timeouts, quanta, budgets; interrupts.

use super::queue::{End, Entry};
use super::{Model, Reason, Resumption, State};
use crate::request::Reply;
use crate::system::Scheduling;
use giornata_abi::Error;

impl Model {
    /// When the timer must ring next.
    pub fn next_event(&self) -> Option<u64> {
        let alarms = self.threads.iter().filter_map(|thread| thread.alarm);
        let alarms = alarms.map(|(at, _)| at);
        let budgets = self.threads.iter().enumerate();
        let budgets = budgets.filter(|(n, _)| self.system.threads[*n].budget.is_some());
        let budgets = budgets.map(|(_, thread)| thread.replenished);
        let quantum = self.runs.filter(|thread| self.has_quantum(*thread));
        let quantum = quantum.map(|thread| self.now + self.threads[thread].quantum);
        let payer = self
            .payer()
            .map(|thread| self.now + self.threads[thread].budget);
        let limits = [quantum, payer].into_iter().flatten();
        alarms.chain(budgets).chain(limits).min()
    }

    /// Whether the timer rings now.
    fn is_due(&self) -> bool {
        self.next_event().is_some_and(|at| at <= self.now)
    }

    fn has_quantum(&self, thread: usize) -> bool {
        let scheduling = self.threads[thread].scheduling;
        matches!(scheduling, Scheduling::RoundRobin(..))
    }

    /// Whose budget pays for the running thread: the nearest from the head of the chain.
    fn payer(&self) -> Option<usize> {
        let Some(Entry::Thread(first)) = self.queue.first() else {
            return None;
        };
        let mut at = Some(*first);
        while let Some(thread) = at {
            if self.system.threads[thread].budget.is_some() && self.threads[thread].budget > 0 {
                return Some(thread);
            }
            at = self.waits_for(thread);
        }
        None
    }

    /// The running thread has run until now.
    pub(super) fn charge(&mut self, now: u64) {
        let Some(runs) = self.runs else { return };
        let used = now - self.now;
        let payer = self.payer();
        if self.has_quantum(runs) {
            let quantum = &mut self.threads[runs].quantum;
            *quantum = quantum.saturating_sub(used);
        }
        if let Some(payer) = payer {
            self.with_place(payer, End::Tail, |model| {
                let budget = &mut model.threads[payer].budget;
                *budget = budget.saturating_sub(used);
            });
            // who has used its budget comes behind its new equals
            if self.threads[payer].budget == 0 && self.is_queued(payer) {
                self.remove(payer);
                self.insert(payer, End::Tail);
            }
        }
    }

    /// Everything that is due, in order of instants and of arming.
    pub(super) fn ring(&mut self) {
        self.replenish();
        loop {
            let alarms = self.threads.iter().enumerate();
            let alarms = alarms.filter_map(|(index, thread)| Some((thread.alarm?, index)));
            match alarms.min() {
                Some(((at, _), thread)) if at <= self.now => self.expire(thread, at),
                _ => break,
            }
        }
        self.rotate();
    }

    fn replenish(&mut self) {
        for thread in 0..self.threads.len() {
            let Some(spec) = self.system.threads[thread].budget else {
                continue;
            };
            while self.threads[thread].replenished <= self.now {
                self.threads[thread].replenished += spec.period;
                self.with_place(thread, End::Tail, |model| {
                    model.threads[thread].budget = spec.capacity;
                });
            }
        }
    }

    /// The quantum of who runs has passed: it comes behind its equals, but no donor does.
    fn rotate(&mut self) {
        let Some(runs) = self.runs else { return };
        let Scheduling::RoundRobin(_, quantum) = self.threads[runs].scheduling else {
            return;
        };
        if self.threads[runs].quantum == 0 {
            self.threads[runs].quantum = quantum;
            if self.queue.first() == Some(&Entry::Thread(runs)) {
                self.remove(runs);
                self.insert(runs, End::Tail);
            }
        }
    }

    pub(super) fn sleep(&mut self, caller: usize, until: u64) -> super::Outcome {
        if until == crate::request::NEVER {
            return Err(Error::EINVAL);
        }
        // (an instant that has passed rings at once)
        self.block(caller, Reason::Sleep, until);
        Ok(None)
    }

    pub(super) fn await_interrupt(&mut self, caller: usize, line: usize) -> super::Outcome {
        if self.system.lines.get(line) != Some(&self.threads[caller].process) {
            return Err(Error::EPERM);
        }
        let waits = State::Blocked(Reason::Line(line));
        if self.threads.iter().any(|thread| thread.state == waits) {
            return Err(Error::EBUSY);
        }
        if std::mem::take(&mut self.lines[line].latched) {
            return Ok(Some(Reply::DONE));
        }
        self.block(caller, Reason::Line(line), crate::request::NEVER);
        // the handler has returned: the line may come again
        self.lines[line].masked = false;
        Ok(None)
    }

    /// What waits interrupts: a line, else the timer. Whether something did.
    pub(super) fn interrupt(&mut self) -> bool {
        let comes = |line: &super::Line| line.risen && !line.masked;
        if let Some(line) = self.lines.iter().position(comes) {
            self.claim(line);
            return true;
        }
        let is_due = self.is_due();
        if is_due {
            self.ring();
        }
        is_due
    }

    fn claim(&mut self, line: usize) {
        let record = &mut self.lines[line];
        (record.masked, record.risen) = (true, false);
        let waits = State::Blocked(Reason::Line(line));
        match self.threads.iter().position(|thread| thread.state == waits) {
            Some(thread) => self.wake(thread, Reply::DONE),
            None => self.lines[line].latched = true,
        }
    }

    /// The caller, or the donor on whose place it runs, comes behind its equals.
    pub(super) fn yield_now(&mut self, caller: usize) -> super::Outcome {
        self.threads[caller].resumption = Resumption::Continues;
        let Some(Entry::Thread(first)) = self.queue.first().copied() else {
            unreachable!("somebody runs");
        };
        self.remove(first);
        let lifted = [first, caller].map(|thread| self.threads[thread].deferred.take());
        if lifted == [None; 2] {
            self.insert(first, End::Tail);
        } else {
            // (whoever was moved to a ceiling that it published leaves that)
            self.queue_up(first);
            self.settle_place(first, End::Tail);
            self.settle_place(caller, End::Tail);
        }
        Ok(Some(Reply::DONE))
    }
}
