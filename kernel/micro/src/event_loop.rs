//! The event loop of Algorithm 1, one step at a time: what is enabled next.
//!
//! Completions are looked at first, then triggers in queue order, then
//! timeouts; whenever a block has run it begins anew. The scan of the trigger
//! queue goes on where it was instead, unless something changed that a trigger
//! other than time can see; and where no trigger can be due, it is left out.

use giornata_abi::id::NONE;
use giornata_abi::trace::Violation;
use giornata_abi::{Instant, LogicalTime};

use crate::host::Host;
use crate::machine::{Machine, Phase, Purpose};
use crate::predicates::{Truth, due, lookup, round};

impl Machine<'_> {
    /// One step while no code runs: one entry examined.
    pub(crate) fn look_for_block(&mut self, host: &mut impl Host) {
        // a block of a program that does not exist ends
        self.block.program = NONE;
        if self.start_pending_handler(host) {
        } else if self.set.is_empty() {
            // nothing can complete, expire or share
            match self.scanned == self.queue.last() {
                true => self.rest(host),
                false => self.examine_trigger(host),
            }
        } else {
            match self.phase {
                Phase::Completions => self.examine_completion(host),
                Phase::Triggers => self.examine_trigger(host),
                Phase::Timeouts => self.examine_timeout(host),
                Phase::Share => self.examine_share(host),
            }
        }
    }

    fn examine_completion(&mut self, host: &mut impl Host) {
        let slot = self.set.after(self.threads, self.seen);
        let Some(thread) = self.threads.get(slot as usize) else {
            return self.enter(Phase::Triggers);
        };
        if thread.task != NONE && (thread.latched || !host.is_released(thread.task)) {
            let (pc, armed) = (thread.completed, thread.armed);
            if armed {
                host.disarm(self.timer(slot));
            }
            self.resume(self.seen, pc, LogicalTime::at(self.instant));
        } else {
            self.seen = slot;
        }
    }

    fn examine_trigger(&mut self, host: &mut impl Host) {
        let slot = self.queue.after(self.bindings, self.scanned);
        let Some(binding) = self.bindings.get(slot as usize) else {
            return self.enter(Phase::Timeouts);
        };
        let Some(due) = binding.due() else {
            return self.examine_event(host, slot);
        };
        if due.remainder != 0 {
            return self.examine_fraction(slot, due);
        }
        self.fire_if_due(slot, due, Instant(due.nanos));
    }

    /// The same for a time trigger between two nanoseconds.
    #[inline(never)]
    fn examine_fraction(&mut self, slot: u16, due: LogicalTime) {
        let program = self.bindings.get(slot as usize).map_or(NONE, |b| b.program);
        let denominator = self.entry(program).map_or(1, |p| p.denominator);
        self.fire_if_due(slot, due, round(due, denominator));
    }

    /// The time trigger in this slot, the one after `scanned`, fires at `now` or
    /// is passed.
    #[inline(always)]
    fn fire_if_due(&mut self, slot: u16, due: LogicalTime, now: Instant) {
        if now > self.instant {
            self.horizon = self.horizon.min(Instant(due.nanos));
            self.scanned = slot;
            return;
        }
        let binding = self.bindings.get(slot as usize);
        let is_start = binding.is_some_and(|b| b.predicate == NONE);
        self.fire(self.scanned, if is_start { self.instant } else { now });
    }

    /// The same for a trigger that is not for a time.
    #[inline(never)]
    fn examine_event(&mut self, host: &mut impl Host, slot: u16) {
        let Some(binding) = self.bindings.get(slot as usize) else {
            return;
        };
        let (program, predicate, state) = (binding.program, binding.predicate, binding.state());
        let truth = match binding.spent == self.serial {
            true => Truth::False,
            false => self.truth(host, program, predicate, LogicalTime::default(), state),
        };
        if truth == Truth::True {
            return self.fire(self.scanned, self.instant);
        }
        self.scanned = slot;
        if let Truth::Ask(driver) = truth {
            self.spend_binding(slot);
            self.call_driver(host, driver, program, Purpose::Trigger(slot));
        }
    }

    /// The binding is not looked at again in this instant.
    fn spend_binding(&mut self, slot: u16) {
        if let Some(binding) = self.bindings.get_mut(slot as usize) {
            binding.spent = self.serial;
        }
    }

    /// Starts the block of the binding after `seen`, at the instant `now`.
    #[inline(never)]
    pub(crate) fn fire(&mut self, seen: u16, now: Instant) {
        let slot = self.queue.remove_after(self.bindings, seen);
        let Some(binding) = self.bindings.get(slot as usize) else {
            return;
        };
        self.scanned = seen;
        let block = &mut self.block;
        (block.program, block.pc) = (binding.program, binding.address);
        block.now = now;
        block.clock = LogicalTime::at(now);
        let unused = match binding.due() {
            None => {
                self.watching = self.watching.saturating_sub(1);
                &mut self.fired
            }
            Some(due) => {
                if binding.predicate != NONE {
                    block.clock = due;
                }
                &mut self.free_bindings
            }
        };
        block.reference = block.clock;
        unused.push(self.bindings, slot);
        self.enter(Phase::Completions);
    }

    #[inline(never)]
    fn examine_timeout(&mut self, host: &mut impl Host) {
        let slot = self.set.after(self.threads, self.seen);
        let Some(thread) = self.threads.get(slot as usize) else {
            return self.enter(Phase::Share);
        };
        let program = thread.program;
        let truth = match thread.timeout {
            NONE => Truth::True,
            _ if thread.spent == self.serial => Truth::False,
            timeout => self.truth(host, program, timeout, thread.reference, thread.state),
        };
        if truth == Truth::True {
            return self.expire(self.seen);
        }
        self.seen = slot;
        if let Truth::Ask(driver) = truth {
            if let Some(thread) = self.threads.get_mut(slot as usize) {
                thread.spent = self.serial;
            }
            self.call_driver(host, driver, program, Purpose::Timeout(slot));
        }
    }

    /// Resumes the instance after `seen` where its timeout leads.
    pub(crate) fn expire(&mut self, seen: u16) {
        let slot = self.set.after(self.threads, seen);
        let Some(thread) = self.threads.get(slot as usize) else {
            return;
        };
        let mut clock = LogicalTime::at(self.instant);
        if thread.armed
            && let Some(entry) = self.entry(thread.program)
            && let Some(timeout) = lookup(self.system.predicates, entry, thread.timeout)
        {
            let due = due(timeout, thread.reference, entry.denominator);
            if round(due, entry.denominator) == self.instant {
                clock = due;
            }
        }
        self.resume(seen, thread.expired, clock);
    }

    /// Takes the instance after `seen` out of the thread set and runs it at `pc`.
    fn resume(&mut self, seen: u16, pc: u16, clock: LogicalTime) {
        let slot = self.set.remove_after(self.threads, seen);
        let Some(thread) = self.threads.get(slot as usize) else {
            return;
        };
        let program = thread.program;
        let block = &mut self.block;
        (block.program, block.pc) = (program, pc);
        block.reference = thread.reference;
        (block.clock, block.now) = (clock, self.instant);
        self.free_threads.push(self.threads, slot);
        self.leave_set(program);
        self.enter(Phase::Completions);
    }

    /// The oldest instance that dispatches holds the hart; another one that
    /// dispatches another task violates it, which is reported once.
    fn examine_share(&mut self, host: &mut impl Host) {
        let slot = self.set.after(self.threads, self.seen);
        let holding = self.threads.get(self.holder as usize).map(|t| t.task);
        let Some(thread) = self.threads.get_mut(slot as usize) else {
            return self.settle(host);
        };
        self.seen = slot;
        if thread.task == NONE {
            return;
        }
        match holding {
            None => self.holder = slot,
            Some(task) if task == thread.task || thread.reported => {}
            Some(_) => {
                thread.reported = true;
                let (program, task) = (thread.program, thread.task);
                self.violate(host, program, Violation::TimeShare, task, NONE);
            }
        }
    }

    /// Nothing is enabled, and there is no instance in the thread set: as a rule
    /// there was none before, and the host knows all.
    fn rest(&mut self, host: &mut impl Host) {
        if self.running != NONE || self.restless || self.again {
            return self.settle(host);
        }
        self.open = false;
    }

    /// Nothing is enabled: tells the host who runs, what changed of it.
    #[inline(never)]
    fn settle(&mut self, host: &mut impl Host) {
        if core::mem::take(&mut self.again) {
            return self.enter(Phase::Completions);
        }
        let holder = self.threads.get(self.holder as usize);
        let (task, program) = holder.map_or((NONE, NONE), |t| (t.task, t.program));
        if task != self.running {
            self.forbid_running(host);
        }
        if core::mem::take(&mut self.restless) {
            for (program, state) in self.programs.iter_mut().enumerate() {
                let governed = state.threads > 0;
                if governed != state.governed {
                    state.governed = governed;
                    host.govern(program as u16, governed);
                }
            }
        }
        if task != self.running {
            host.permit(task, true);
            (self.running, self.running_program) = (task, program);
        }
        self.open = false;
    }

    pub(crate) fn forbid_running(&mut self, host: &mut impl Host) {
        if self.running != NONE {
            host.permit(self.running, false);
            (self.running, self.running_program) = (NONE, NONE);
        }
    }

    /// Begins a phase of the event loop.
    pub(crate) fn enter(&mut self, phase: Phase) {
        self.phase = phase;
        self.seen = NONE;
        self.holder = NONE;
    }

    /// Begins the scan of the trigger queue anew, unless nothing in it can be enabled.
    pub(crate) fn rewind(&mut self) {
        let due = self.instant >= self.horizon;
        if due {
            self.horizon = Instant::NEVER; // the scan finds it anew
        }
        self.scanned = if due || self.watching > 0 {
            NONE
        } else {
            self.queue.last()
        };
    }

    /// Ports, jobs or messages may have changed: triggers already examined in
    /// this instant may be enabled now. Time triggers cannot be.
    pub(crate) fn touch(&mut self) {
        if self.watching > 0 {
            self.scanned = NONE;
        }
    }
}
