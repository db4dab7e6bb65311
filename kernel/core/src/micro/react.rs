//! The event loop: what is due runs, one step at a time.
//!
//! ```text
//!   react --> nothing is left to do
//!     ^   --> timer and lines, if one waits
//!     |   --> somebody is as urgent as the machine: its thread is queued; later
//!     |   --> step: a piece of a driver
//!     |             an instruction of the block that runs
//!     |             one that has fallen due comes to its place
//!     |             what falls due before or with the first of what is due
//!     +----------   that: its block begins
//!                   nothing: settled; who has the hart
//! ```

use core::hint::cold_path;

use giornata_abi::ring::{Kind, head};

use crate::micro::cause::{List, Truth};
use crate::micro::{Cause, Code, Program, Task, Trigger, block, mode};
use crate::{Machine, Outcome, Ref, System, Thread, before};

impl System {
    /// Whether somebody as urgent as the machine is ready, or it is queued itself.
    #[inline(always)]
    pub(super) fn is_machine_late(&self) -> bool {
        self.top.get().level.get() <= self.micro.level
    }

    /// Runs what is due, until nothing is or somebody is as urgent.
    #[inline(never)]
    pub(crate) fn react<M: Machine>(&self) {
        let micro = &self.micro;
        let mut has_done = false;
        while micro.program.get().is_some() || self.has_work() {
            if M::pending() {
                // (and is looked at again before anything else)
                self.look_at_hart::<M>();
                continue;
            }
            // (whoever waits for the lock has it behind a piece)
            let late = self.is_machine_late() || has_done && M::is_awaited();
            has_done = true;
            match (micro.driver.get(), micro.program.get()) {
                (None, Some(program)) if !late => self.instruction::<M>(program),
                _ if late => {
                    // (after an upcall the machine goes on in its place)
                    let waits = micro.thread.waits.get().is_some();
                    if waits && micro.stage.get() != super::stage::RUNNING {
                        micro.thread.waits.set(None);
                        self.insert(micro.thread);
                    }
                    return;
                }
                _ => self.step::<M>(),
            }
        }
    }

    /// Whether anything is left to do now.
    #[inline(never)]
    pub(super) fn has_work(&self) -> bool {
        let micro = &self.micro;
        micro.due.get().is_some()
            || micro.program.get().is_some()
            || micro.driver.get().is_some()
            || micro.unsettled.get() != 0
    }

    /// The machine's own thread has its turn.
    pub(crate) fn machine_turn<M: Machine>(&self, me: Ref<Thread>) -> Outcome {
        self.remove(me);
        me.waits.set(Some(self.no_list));
        self.react::<M>();
        self.dispatch()
    }

    /// Whether code is due, and waits because who runs is as urgent; for tests.
    pub fn has_late_code(&self) -> bool {
        let is_at_work = self.micro.stage.get() == super::stage::RUNNING;
        self.has_work() && self.is_machine_late() && !is_at_work
    }

    /// Instants that the machine has handled.
    pub fn instants(&self) -> u32 {
        self.micro.count.get()
    }

    /// The task that runs, or would, because S code dispatches it.
    pub fn dispatched(&self) -> Option<Ref<Task>> {
        let micro = &self.micro;
        let quick = micro.quick.get().and_then(|thread| thread.task.get());
        quick.or(micro.running.get())
    }

    /// At boot: the first blocks of all programs are due.
    pub(crate) fn start_programs(&self, now: u32) {
        for program in self.micro.programs {
            self.start_program(program, now);
        }
        if self.has_work() {
            let machine = self.micro.thread;
            machine.waits.set(None);
            self.insert(machine);
        }
    }

    /// The first block of a program is due.
    #[inline(never)]
    pub(super) fn start_program(&self, program: Ref<Program>, at: u32) {
        let code = program.block(block::START);
        if !code.is_empty()
            && let Some(trigger) = self.take_trigger(program)
        {
            trigger.code.set(code);
            self.latch(trigger, at);
        }
    }

    /// Takes some of what has fallen due, and a line that has risen.
    #[inline(never)]
    fn look_at_hart<M: Machine>(&self) {
        self.expire_due::<M>();
        self.take_line::<M>();
    }

    #[inline(never)]
    fn step<M: Machine>(&self) {
        let micro = &self.micro;
        if let Some(driver) = micro.driver.get() {
            self.drive::<M>(driver);
        } else if let Some(first) = micro.due.get() {
            let at = first.due.get();
            if first.is(mode::UNPLACED) {
                self.place_due(first);
            } else if before(at, self.agenda.next()) || self.leaves_to_another::<M>() {
                self.begin_instant(at);
                self.take_due::<M>();
            } else {
                // (the timer looks at more than has come)
                self.expire_next::<M>(at);
                self.set_hart_timer::<M>(self.agenda.next(), M::now());
            }
        } else {
            self.settle::<M>();
        }
    }

    /// Something comes from outside at this instant, unless code has been left.
    #[inline(never)]
    pub(super) fn begin_event(&self, at: u32) {
        if !self.has_work() {
            self.begin_instant(at);
        }
    }

    /// An instant is handled from now on, unless it is already.
    #[inline(never)]
    pub(super) fn begin_instant(&self, at: u32) {
        let micro = &self.micro;
        if micro.instant.get() == at && micro.count.get() != 0 {
            return;
        }
        micro.instant.set(at);
        micro.count.set(micro.count.get().wrapping_add(1));
        micro.line.set(None);
        micro.rest.set(0);
        self.fire(&micro.later, at);
    }

    /// A trigger has nothing to do any more.
    #[inline(never)]
    pub(super) fn free_trigger(&self, trigger: Ref<Trigger>) {
        let free = &trigger.program.free[trigger.alarm.list as usize & 1];
        trigger.mode.set(trigger.mode.get() & mode::COUNTED);
        trigger.next.set(free.get());
        free.set(Some(trigger));
    }

    /// A record for a trigger: that of the one whose block runs, or a free one.
    #[inline(never)]
    pub(super) fn take_trigger(&self, program: Ref<Program>) -> Option<Ref<Trigger>> {
        let unused = self.micro.unused.take();
        self.take_free(unused, &program.free[0])
    }

    /// A record of its own, or a free one, for a trigger or a thread of S code.
    #[inline(never)]
    pub(super) fn take_free(&self, own: Option<Ref<Trigger>>, list: &List) -> Option<Ref<Trigger>> {
        let trigger = own.or_else(|| {
            let first = list.get()?;
            list.set(first.next.get());
            Some(first)
        })?;
        trigger.mode.set(trigger.mode.get() & mode::COUNTED);
        trigger.wait.set(None);
        trigger.rest.set(0);
        Some(trigger)
    }

    /// The first of what is due has its turn in its instant, unless something that falls due
    /// with it has no place yet.
    #[inline(never)]
    fn take_due<M: Machine>(&self) {
        let micro = &self.micro;
        let first = micro.due.get();
        let Some(trigger) = first.filter(|first| !first.is(mode::UNPLACED)) else {
            return;
        };
        micro.due.set(trigger.next.get());
        trigger.clear(mode::DUE);
        if trigger.is(mode::COMPLETED) {
            trigger.rest.set(0);
            return self.begin_block::<M>(trigger, trigger.then.get());
        }
        if let (Some(wait), false) = (trigger.wait.get(), trigger.is(mode::TIMED)) {
            let count = micro.count.get();
            let truth = match wait.cause.get() {
                _ if trigger.spent.get() == count => Truth::False,
                Cause::Interrupt(line) if trigger.is(mode::CAME) => {
                    trigger.clear(mode::CAME);
                    micro.line.set(Some(line));
                    Truth::True
                }
                _ => self.truth::<M>(trigger, wait),
            };
            if truth == Truth::Ask {
                trigger.spent.set(count);
            }
            if truth != Truth::True {
                self.hang::<M>(trigger, wait);
            }
            match truth {
                Truth::False => return,
                Truth::True => {}
                Truth::Ask => {
                    let asks = self.ask_upcall::<M>(wait, trigger.program);
                    return micro.asker.set(asks.then_some(trigger));
                }
            }
        }
        self.begin_block::<M>(trigger, trigger.code.get());
    }

    /// The block of a trigger that is in no list begins.
    #[inline(never)]
    pub(super) fn begin_block<M: Machine>(&self, trigger: Ref<Trigger>, code: Code) {
        let micro = &self.micro;
        micro.rest.set(trigger.rest.get());
        self.begin_code(trigger.program, code);
        if trigger.is(mode::S_THREAD) {
            self.leave_dispatchers(trigger);
            // (its alarm may be that of its next wait)
            trigger.wait.set(None);
            micro.s_thread.set(Some(trigger));
            return;
        }
        micro.unused.set(Some(trigger));
        if let Some(wait) = trigger.wait.get() {
            wait.fired.set(micro.count.get());
        }
        if trigger.is(mode::HANDLER) {
            self.begin_handler::<M>(trigger);
        }
    }

    /// Code of a program runs next.
    #[inline(always)]
    pub(super) fn begin_code(&self, program: Ref<Program>, code: Code) {
        let micro = &self.micro;
        micro.program.set(Some(program));
        micro.code.set(code);
    }

    /// Adds a record that tells of the instant that is handled.
    #[inline(always)]
    pub(super) fn note_logical<M: Machine>(&self, label: u32, first: u32, second: u32) {
        self.tell_instant::<M>();
        self.trace
            .write(self.micro.instant.get(), label, first, second);
    }

    /// The same, out of line.
    #[inline(never)]
    pub(super) fn note_instantly<M: Machine>(&self, label: u32, first: u32, second: u32) {
        self.note_logical::<M>(label, first, second);
    }

    /// The trace tells of the instant that is handled from now on.
    #[inline(always)]
    pub(super) fn tell_instant<M: Machine>(&self) {
        let micro = &self.micro;
        let count = micro.count.get();
        if micro.told.get() != count {
            micro.told.set(count);
            self.note_instant::<M>();
        }
    }

    /// Adds a record that tells when the instant began to be handled, and parts of a tick.
    #[inline(never)]
    extern "C" fn note_instant<M: Machine>(&self) {
        let micro = &self.micro;
        let (at, now) = (micro.instant.get(), M::now());
        if let (Some(program), rest @ 1..) = (micro.program.get(), micro.rest.get()) {
            cold_path();
            let parts = program.parts.get();
            self.note_entered(at, now);
            let label = head(Kind::Fraction, 0, 0);
            return self.trace.write(at, label, rest, parts);
        }
        self.note_entered(at, now);
    }

    #[inline(always)]
    fn note_entered(&self, at: u32, now: u32) {
        if now != at {
            self.trace.write(at, head(Kind::Entered, 0, 0), now, 0);
        }
    }
}
