//! Short ways: what the most frequent events come to when nothing else waits.
//!
//! A yield among equals, the end of a quantum, a tick of code that wants nothing
//! but the next one, a job that completes, an interrupt that only wakes its
//! handler: each is handled here from end to end, in one piece of code, and comes
//! to what the long way (`Kernel::advance`) would come to. Where there is more to
//! an event than that, the answer is `None`, nothing has been decided, and the
//! long way is taken.
//!
//! The kernel's time on a short way is paid by the thread that it leads to.

use crate::core_state::Core;
use crate::dispatch::End;
use crate::event::Next;
use crate::hardware::Hardware;
use crate::kernel::Kernel;
use giornata_abi::Ticks;
use giornata_abi::id::NONE;
use giornata_abi::system::{Policy, ThreadKind};
use giornata_abi::trace::TraceKind;
use giornata_micro::{Host, Succession};

impl<H: Hardware> Kernel<'_, H> {
    /// The call `yield` of the thread that runs, where an equal takes its turn
    /// at most. O(1).
    #[inline(always)]
    pub fn yield_now(&mut self, at: Ticks) -> Option<u16> {
        let thread = self.lone(at)?;
        let core = &mut self.core;
        let next = core.pass_on(thread)?;
        core.hardware.finish(thread);
        if next != thread {
            core.hart.entered = at;
            let was_limited = core.charge(thread, at);
            if was_limited | core.take_over(next, at) {
                core.set_alarm(next, at);
            }
        }
        Some(next)
    }

    /// The alarm, where it rang for a tick that wants only the next one, for the
    /// quantum of a thread that equals share with, or for nothing. As `tick_now`.
    #[inline(always)]
    pub fn timer_now(&mut self, at: Ticks) -> Option<Next> {
        if !self.core.calm || self.handover.is_rung() {
            return None;
        }
        match self.core.next_tick() <= at {
            true => self.tick_now(at),
            false => self.quantum_now(at),
        }
    }

    /// The end of a quantum, if it is one. O(1).
    #[inline(never)] // the other half needs none of its registers
    fn quantum_now(&mut self, at: Ticks) -> Option<Next> {
        let core = &mut self.core;
        let thread = core.hart.current?;
        let entry = core.thread_entry(thread);
        if entry.policy != Policy::RoundRobin as u8 {
            return None;
        }
        core.hart.entered = at;
        core.charge(thread, at);
        core.hart.resumed = at;
        let mut next = thread;
        if core.threads.at(thread).left == Ticks(0) {
            let Some(first) = core.pass_on(thread) else {
                return None; // the long way finds it used up
            };
            next = first;
            core.threads.at_mut(thread).left = core.quantum(entry);
        }
        core.succeed(true, next, at);
        Some(Next::Run(next))
    }

    /// An instant that has come, at which code does nothing but wait for another.
    /// O(1) as long as nothing else happens; else O(bindings), and O(log n) in the
    /// events of the agenda.
    #[inline(never)] // its caller is often there for something else
    fn tick_now(&mut self, at: Ticks) -> Option<Next> {
        let core = &mut self.core;
        let (instant, event) = core.agenda.first()?;
        let timer = event.checked_sub(core.threads.len())?;
        let due = self.machine.tick(timer, instant)?;
        core.enter_at(at);
        if let Some(current) = core.hart.current {
            core.charge(current, at);
            core.hart.resumed = at;
        }
        core.instant = instant;
        core.agenda.postpone(due);
        let next = core.next_tick();
        if next <= at || core.has_expired() {
            return None; // that was one instant, and there is more
        }
        let Some(current) = core.hart.current else {
            core.hart.alarm = next;
            return Some(Next::Idle);
        };
        core.set_alarm(current, at);
        Some(Next::Run(current))
    }

    /// The call `complete` of the task that runs, where no code reacts to it but
    /// to dispatch the next. O(log n) in the threads of the deadline band.
    #[inline(always)]
    pub fn complete_now(&mut self, at: Ticks) -> Option<Next> {
        let task = self.lone(at)?;
        let core = &mut self.core;
        let succession = match self.machine.heeds_time_only() {
            true => None,
            false => Some(self.machine.succession(core, task)?),
        };
        if core.thread_entry(task).kind != ThreadKind::Task as u8 {
            return None;
        }
        core.enter_at(at);
        let was_limited = core.charge(task, at);
        let now = core.now();
        core.complete(task, now);
        if let Some(succession) = succession {
            self.succeed_under_code(task, &succession);
        }
        let core = &mut self.core;
        let next = core.ready.first();
        if next == NONE {
            return Some(core.choose(at));
        }
        core.succeed(was_limited, next, at);
        Some(Next::Run(next))
    }

    /// S code dispatches the next task, or idles.
    #[inline(never)] // only where there is S code
    fn succeed_under_code(&mut self, task: u16, succession: &Succession) {
        let core = &mut self.core;
        core.instant = core.now();
        self.machine.succeed(succession, core.instant);
        core.threads.at_mut(task).permitted = false;
        if succession.task != NONE {
            core.permit(succession.task, true);
        }
    }

    /// An interrupt whose handler waits for it, where no code reacts to it.
    /// O(lines), and O(log n) for a handler in the deadline band.
    #[inline(always)]
    pub fn interrupt_now(&mut self, at: Ticks, number: u16) -> Option<Next> {
        let core = &mut self.core;
        if !core.is_alone(at) || self.handover.is_rung() || !self.machine.heeds_time_only() {
            return None;
        }
        let line = core.line(number)?;
        let waiter = core.interrupts.get(line)?.waiter;
        if waiter == NONE {
            return None;
        }
        core.enter_at(at);
        let current = core.hart.current;
        let was_limited = current.is_some_and(|current| core.charge(current, at));
        core.instant = core.now();
        core.came(line);
        core.wake_handler(line, waiter);
        core.trace(TraceKind::Interrupt, number, 0, core.instant.0, 0);
        let next = core.ready.first();
        if core.is_held() {
            core.calm = false;
            return Some(self.advance());
        }
        core.succeed(was_limited, next, at);
        Some(Next::Run(next))
    }

    /// The thread that runs, if its call is all that is to be handled.
    #[inline(always)]
    pub(crate) fn lone(&self, at: Ticks) -> Option<u16> {
        if !self.core.is_alone(at) || self.handover.is_rung() {
            return None;
        }
        self.core.hart.current
    }
}

impl<H: Hardware> Core<'_, H> {
    /// Whether nothing waits and nothing is due at this tick.
    #[inline(always)]
    fn is_alone(&self, at: Ticks) -> bool {
        self.calm && at < self.hart.alarm
    }

    /// Another thread may take over, or the same goes on.
    #[inline(always)]
    pub(crate) fn succeed(&mut self, was_limited: bool, next: u16, at: Ticks) {
        let is_limited = if next == self.hart.shown {
            (self.hart.current, self.hart.resumed) = (Some(next), at);
            was_limited
        } else {
            self.take_over(next, at)
        };
        if was_limited | is_limited {
            self.set_alarm(next, at);
        }
    }

    /// Whether a thread that is to be preempted has something to say to it: a
    /// ceiling, or nothing of its own left.
    #[inline(always)]
    pub(crate) fn is_held(&mut self) -> bool {
        match self.hart.current {
            Some(current) if current != self.ready.first() => {
                self.has_ceiling(current) || self.threads.at(current).left == Ticks(0)
            }
            _ => false,
        }
    }

    /// The thread that waited for a line goes on.
    #[inline(always)]
    pub(crate) fn wake_handler(&mut self, line: u16, waiter: u16) {
        self.interrupts.at_mut(line).waiter = NONE;
        self.hardware.finish(waiter);
        let quantum = self.quantum(self.thread_entry(waiter));
        let record = self.threads.at_mut(waiter);
        record.left = quantum;
        self.make_ready(waiter, End::Tail);
    }
}
