//! What triggers and timeouts wait for: activation, causes, what is due.

use core::cell::Cell;

use crate::micro::{Cause, Port, Program, Time, Trigger, Wait, compare, mode};
use crate::sched::agenda::FARTHEST;
use crate::{Line, Machine, Ref, System, before, same};

/// A list through [`Trigger::next`].
pub(super) type List = Cell<Option<Ref<Trigger>>>;

/// What a predicate comes to.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Truth {
    False,
    True,
    /// An upcall has to be asked.
    Ask,
}

#[inline(always)]
pub(super) fn wide([low, high]: &[Cell<u32>; 2]) -> u64 {
    (high.get() as u64) << 32 | low.get() as u64
}

#[inline(always)]
pub(super) fn set_wide([low, high]: &[Cell<u32>; 2], value: u64) {
    low.set(value as u32);
    high.set((value >> 32) as u32);
}

impl Time {
    pub(super) fn set(&self, ticks: u64, rest: u32) {
        self.low.set(ticks as u32);
        self.high.set((ticks >> 32) as u32);
        self.rest.set(rest);
    }

    fn ticks(&self) -> u64 {
        (self.high.get() as u64) << 32 | self.low.get() as u64
    }
}

impl Port {
    /// A key in the order of its values.
    #[inline(never)]
    fn key<M: Machine>(&self) -> u64 {
        let (low, high) = (M::load(self.place), M::load(self.place.wrapping_add(4)));
        let [sign, sign_high] = self.sign;
        let [mask, mask_high] = match low & sign | high & sign_high {
            0 => &self.sign,
            _ => &self.negative,
        };
        ((high ^ mask_high) as u64) << 32 | (low ^ mask) as u64
    }
}

impl Trigger {
    #[inline(always)]
    pub(super) fn is(&self, bits: u32) -> bool {
        self.mode.get() & bits != 0
    }

    #[inline(always)]
    pub(super) fn set(&self, bits: u32) {
        self.mode.set(self.mode.get() | bits);
    }

    #[inline(always)]
    pub(super) fn clear(&self, bits: u32) {
        self.mode.set(self.mode.get() & !bits);
    }

    /// *The* order within the machine: by instant; handlers, completions, triggers,
    /// timeouts; by activation.
    pub(super) fn precedes(&self, other: &Trigger) -> bool {
        let (a, b) = (self.due.get(), other.due.get());
        if a != b {
            return before(a, b);
        }
        let (a, b) = (self.phase(), other.phase());
        a < b || a == b && before(self.serial.get(), other.serial.get())
    }

    fn phase(&self) -> u32 {
        const PHASES: u32 = mode::S_THREAD | mode::COMPLETED | mode::HANDLER;
        match self.mode.get() & PHASES {
            0 => 2,
            mode::S_THREAD => 3,
            mode::HANDLER => 0,
            _ => 1,
        }
    }
}

impl System {
    /// The instant that is handled, in ticks; with it come parts of one, `rest`.
    #[inline(never)]
    pub(super) fn exact_now<M: Machine>(&self) -> u64 {
        let at = self.micro.instant.get();
        (M::high(at) as u64) << 32 | at as u64
    }

    /// The time of a predicate, counted from `ticks` and `rest`; exact: what is left of a
    /// tick lies in `remainder`.
    #[inline(never)]
    fn after(&self, wait: &Wait, program: &Program, ticks: u64, rest: u32) -> u64 {
        let (parts, rest) = (program.parts.get(), rest.wrapping_add(wait.detail.get()));
        let ticks = ticks.wrapping_add(wide(&wait.value));
        let carry = rest >= parts;
        self.micro.remainder.set(if carry {
            rest.wrapping_sub(parts)
        } else {
            rest
        });
        ticks.wrapping_add(carry as u64)
    }

    /// The same, counted from the instant that is handled.
    #[inline(never)]
    pub(super) fn after_now<M: Machine>(&self, wait: &Wait, program: &Program) -> u64 {
        self.after(wait, program, self.exact_now::<M>(), self.micro.rest.get())
    }

    /// When the time comes that a trigger waits for; with a remainder as
    /// [`after`](Self::after).
    #[inline(never)]
    pub(super) fn time_of(&self, trigger: Ref<Trigger>, wait: &Wait) -> u64 {
        if trigger.is(mode::S_THREAD) {
            let reference = &trigger.reference;
            let (ticks, rest) = (reference.ticks(), reference.rest.get());
            return self.after(wait, trigger.program, ticks, rest);
        }
        self.micro.remainder.set(trigger.rest.get());
        wide(&trigger.state)
    }

    /// The next number in the order of activation.
    #[inline(always)]
    pub(super) fn next_serial(&self) -> u32 {
        let serial = self.micro.serial.get().wrapping_add(1);
        self.micro.serial.set(serial);
        serial
    }

    /// Evaluates a predicate at the instant that is handled; `state`: of its port at
    /// activation; `time`: what it waits for, if that is a time.
    #[inline(never)]
    pub(super) fn evaluate<M: Machine>(&self, wait: &Wait, state: u64, time: u64) -> Truth {
        let holds = match wait.cause.get() {
            Cause::True => true,
            Cause::Never => false,
            Cause::After => time <= self.exact_now::<M>(),
            Cause::Released(task) => task.is_released(),
            Cause::Completed(task) => !task.is_released(),
            Cause::Changed(port) => port.version.get() != state as u32,
            Cause::Constant(port) => compares::<M>(port, wait, wide(&wait.value)),
            Cause::Activation(port) => compares::<M>(port, wait, state),
            Cause::Interrupt(line) => self.micro.line.get().is_some_and(|came| same(came, line)),
            Cause::Message(mailbox) => mailbox.first.get().is_some(),
            Cause::Upcall(_) => return Truth::Ask,
        };
        if holds { Truth::True } else { Truth::False }
    }

    /// Evaluates what a trigger waits for.
    #[inline(never)]
    pub(super) fn truth<M: Machine>(&self, trigger: Ref<Trigger>, wait: &Wait) -> Truth {
        self.evaluate::<M>(wait, wide(&trigger.state), self.time_of(trigger, wait))
    }

    /// A trigger is activated: it waits for `wait` from now on, and is looked at in its
    /// turn in this instant.
    #[inline(never)]
    pub(super) fn activate<M: Machine>(&self, trigger: Ref<Trigger>, wait: Ref<Wait>) {
        let micro = &self.micro;
        trigger.wait.set(Some(wait));
        trigger.rest.set(0);
        let state = match wait.cause.get() {
            Cause::After => match trigger.is(mode::S_THREAD) {
                true => 0,
                false => {
                    let ticks = self.after_now::<M>(wait, trigger.program);
                    trigger.rest.set(micro.remainder.get());
                    ticks
                }
            },
            Cause::Changed(port) => port.version.get() as u64,
            Cause::Activation(port) => port.key::<M>(),
            _ => 0,
        };
        set_wide(&trigger.state, state);
        // if it fired in this instant, it waits for a later one
        let count = micro.count.get();
        trigger
            .spent
            .set(if wait.fired.get() == count { count } else { 0 });
        self.latch(trigger, micro.instant.get());
    }

    /// What a trigger hangs on.
    #[inline(never)]
    fn cause_of(&self, wait: &Wait) -> Option<&List> {
        match wait.cause.get() {
            Cause::True | Cause::Upcall(_) => Some(&self.micro.later),
            Cause::Released(task) | Cause::Completed(task) => Some(&task.group.watchers),
            Cause::Changed(port) | Cause::Constant(port) | Cause::Activation(port) => {
                Some(&port.watchers)
            }
            Cause::Interrupt(line) => Some(&line.watchers),
            Cause::Message(_) => Some(&self.micro.mail),
            Cause::Never | Cause::After => None,
        }
    }

    /// Leaves a trigger that is not enabled with its cause; or, if it may not fire in this
    /// instant, to be looked at in the next. (An interrupt holds in its instant only.)
    #[inline(never)]
    pub(super) fn hang<M: Machine>(&self, trigger: Ref<Trigger>, wait: &Wait) {
        let is_spent = trigger.spent.get() == self.micro.count.get();
        let cause = wait.cause.get();
        let list = match cause {
            Cause::After => return self.arm_trigger::<M>(trigger, wait),
            Cause::Interrupt(line) => Some(&line.watchers),
            _ if is_spent => Some(&self.micro.later),
            _ => self.cause_of(wait),
        };
        self.disarm_trigger(trigger);
        if let Some(list) = list {
            self.leave_fast_mode();
            trigger.set(mode::HUNG);
            trigger.next.set(list.get());
            list.set(Some(trigger));
        }
    }

    /// Sets the alarm of a trigger for its time, or as far ahead as can be.
    #[inline(never)]
    fn arm_trigger<M: Machine>(&self, trigger: Ref<Trigger>, wait: &Wait) {
        let time = self.time_of(trigger, wait);
        let ahead = time.wrapping_sub(self.exact_now::<M>());
        let mut key = time as u32;
        if ahead > FARTHEST as u64 {
            key = self.micro.instant.get().wrapping_add(FARTHEST);
        } else if !trigger.is(mode::S_THREAD) {
            trigger.set(mode::TIMED);
        }
        trigger.rest.set(self.micro.remainder.get());
        if trigger.is(mode::ARMED) && trigger.alarm.key() == key {
            return;
        }
        self.disarm_trigger(trigger);
        trigger.set(mode::ARMED);
        self.set_alarm::<M>(&trigger.alarm, key);
    }

    /// A trigger has no alarm.
    #[inline(never)]
    pub(super) fn disarm_trigger(&self, trigger: Ref<Trigger>) {
        if trigger.is(mode::ARMED) {
            trigger.clear(mode::ARMED);
            self.agenda.remove(&trigger.alarm, self.records());
        }
    }

    /// A trigger stands in no list any more.
    #[inline(never)]
    pub(super) fn unhang_trigger(&self, trigger: Ref<Trigger>) {
        if !trigger.is(mode::HUNG | mode::DUE) {
            return;
        }
        trigger.clear(mode::HUNG | mode::DUE | mode::UNPLACED);
        let cause = trigger.wait.get().and_then(|wait| self.cause_of(wait));
        leave_list(&self.micro.due, trigger);
        leave_list(&self.micro.later, trigger);
        if let Some(list) = cause {
            leave_list(list, trigger);
        }
    }

    /// All that hangs on a cause is looked at, in this instant.
    #[inline(never)]
    pub(crate) fn fire(&self, cause: &List, at: u32) {
        let mut list = cause.take();
        while let Some(trigger) = list {
            list = trigger.next.get();
            trigger.clear(mode::HUNG);
            self.latch_again(trigger, at);
        }
    }

    /// A message has come into a mailbox: blocks that wait for one look.
    #[inline(never)]
    #[cfg_attr(not(feature = "mail"), allow(dead_code))]
    pub(crate) fn message_came<M: Machine>(&self) {
        if self.micro.mail.get().is_some() {
            self.fire(&self.micro.mail, M::now());
            self.react::<M>();
        }
    }

    /// A line has come: blocks that wait for it run.
    #[inline(never)]
    pub(crate) fn fire_line<M: Machine>(&self, line: Ref<Line>) {
        let mut list = line.watchers.get();
        while let Some(trigger) = list {
            trigger.set(mode::CAME);
            list = trigger.next.get();
        }
        self.fire(&line.watchers, M::now());
    }

    /// A trigger has rung, and is out of the agenda.
    #[inline(never)]
    pub(crate) fn ring(&self, trigger: Ref<Trigger>) {
        trigger.clear(mode::ARMED);
        // (a thread of S code that runs, or is due, has the alarm of its last wait)
        if trigger.wait.get().is_some() && !trigger.is(mode::DUE) {
            self.latch_again(trigger, trigger.alarm.key());
        }
    }

    /// A trigger is due for the first time since it was activated.
    #[inline(never)]
    pub(super) fn latch(&self, trigger: Ref<Trigger>, at: u32) {
        trigger.serial.set(self.next_serial());
        self.latch_again(trigger, at);
    }

    /// A trigger may be enabled at this instant: it is looked at in its turn. O(1): if others
    /// are due, it comes in front of them, and has its place when they are looked at.
    #[inline(never)]
    pub(super) fn latch_again(&self, trigger: Ref<Trigger>, at: u32) {
        self.leave_fast_mode();
        let first = self.micro.due.get();
        trigger.set(match first {
            None => mode::DUE,
            Some(_) => mode::DUE | mode::UNPLACED,
        });
        trigger.due.set(at);
        trigger.next.set(first);
        self.micro.due.set(Some(trigger));
    }

    /// The first of what is due comes to its place behind others that have none yet. O(what
    /// is due).
    #[inline(never)]
    pub(super) fn place_due(&self, trigger: Ref<Trigger>) {
        self.micro.due.set(trigger.next.get());
        trigger.clear(mode::UNPLACED);
        let mut place = &self.micro.due;
        while let Some(other) = place.get()
            && (other.is(mode::UNPLACED) || !trigger.precedes(other))
        {
            place = &other.next;
        }
        trigger.next.set(place.get());
        place.set(Some(trigger));
    }
}

/// Takes a trigger out of a list, if it stands there.
#[inline(never)]
fn leave_list(list: &List, trigger: Ref<Trigger>) {
    let mut place = list;
    while let Some(other) = place.get() {
        if same(other, trigger) {
            return place.set(trigger.next.get());
        }
        place = &other.next;
    }
}

/// Compares a port with an order key.
#[inline(never)]
fn compares<M: Machine>(port: &Port, wait: &Wait, right: u64) -> bool {
    let left = port.key::<M>();
    let how = match left == right {
        true => compare::EQUAL,
        false if left < right => compare::LESS,
        false => compare::GREATER,
    };
    wait.detail.get() & how != 0
}
