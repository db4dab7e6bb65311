//! The usual instant: a trigger for a time whose block copies, releases groups, and
//! renews itself. It runs in the timer's interrupt, without the list of what is due; its
//! alarm stays in the agenda until it is known when it rings next, unless there is more
//! to do than can be done without a look at timer and lines.

use core::hint::cold_path;

use crate::micro::drive::PIECE;
use crate::micro::{Cause, Code, Op, Step, Trigger, mode};
use crate::{Alarm, Event, Machine, Outcome, Ref, System, Thread, before, some};

/// Instructions of a block that run without a look at timer and lines.
const SHORT: usize = 8;

impl System {
    /// The first of the agenda, which is due, is a trigger.
    #[cfg(not(feature = "fast"))]
    #[inline(always)]
    pub(crate) fn on_release<M: Machine>(
        &self,
        trigger: Ref<Trigger>,
        me: Ref<Thread>,
        _: u32,
    ) -> Outcome {
        self.on_trigger::<M>(trigger, me)
    }

    /// The first of the agenda, which is due, is a trigger.
    #[inline(never)]
    pub(crate) extern "C" fn on_trigger<M: Machine>(
        &self,
        trigger: Ref<Trigger>,
        me: Ref<Thread>,
    ) -> Outcome {
        let micro = &self.micro;
        let (mut trigger, mut left) = (trigger, SHORT);
        loop {
            let unusual = (trigger.mode.get() ^ (mode::TIMED | mode::ARMED) | micro.unsettled.get())
                as usize
                | some(micro.due.get())
                | some(micro.later.get());
            if unusual != 0 || self.is_machine_late() {
                cold_path();
                break;
            }
            let at = trigger.alarm.key();
            if micro.instant.replace(at) != at {
                micro.count.set(micro.count.get().wrapping_add(1));
                micro.line.set(None);
            }
            micro.rest.set(trigger.rest.get());
            micro.unused.set(Some(trigger));
            let code = self.run_timed::<M>(trigger, &mut left);
            if !code.is_empty() || micro.unused.get().is_some() {
                // more is left than usual, or the trigger was not renewed
                cold_path();
                self.disarm_trigger(trigger);
                if micro.unused.get().is_none() {
                    self.renew_alarm(trigger);
                }
                self.begin_code(trigger.program, code);
                break;
            }
            let now = M::now();
            let again = match trigger.is(mode::ARMED) {
                true => self
                    .agenda
                    .again(&trigger.alarm, micro.again.get(), self.records()),
                false => None,
            };
            let next = again.unwrap_or_else(|| self.renew_alarm(trigger));
            if before(now, next) {
                // (threads of S code may have waited for a release)
                if micro.due.get().is_some() && !self.fast_wake::<M>() {
                    cold_path();
                    break;
                }
                M::alarm(next, now);
                return self.dispatch_from(me);
            }
            // (of one instant they are in the order of their activation)
            cold_path();
            match self.agenda.first() {
                Some(Alarm {
                    event: Event::Trigger(other),
                    ..
                }) => trigger = other,
                _ => break,
            }
        }
        self.on_timer_any::<M>(me)
    }

    /// Runs the block of a trigger. Returns what is left of it, which has to be run in
    /// another way.
    #[inline(always)]
    fn run_timed<M: Machine>(&self, trigger: Ref<Trigger>, left: &mut usize) -> Code {
        let mut code = trigger.code.get();
        while let [op, rest @ ..] = code {
            if *left == 0 {
                cold_path();
                if self.is_interrupted::<M>(trigger) {
                    break;
                }
                *left = SHORT;
            }
            *left = left.wrapping_sub(1);
            // (an instruction that is not done can be begun again)
            let done = match op.get() {
                Op::Release(release) => self.release_ring::<M>(release),
                Op::Future(step) => self.renew_trigger(step, trigger),
                Op::Call(driver) => self.call_short::<M>(driver),
                Op::Copies(run) => {
                    if run.copies.len() > PIECE && self.is_interrupted::<M>(trigger) {
                        break;
                    }
                    let Some(then) = self.copy_run::<M>(run, rest) else {
                        break;
                    };
                    code = then;
                    continue;
                }
                _ => false,
            };
            if !done {
                break;
            }
            code = rest;
        }
        code
    }

    /// Sets the alarm of a trigger that its block has renewed. Returns the next instant.
    #[inline(never)]
    fn renew_alarm(&self, trigger: Ref<Trigger>) -> u32 {
        self.disarm_trigger(trigger);
        trigger.set(mode::ARMED);
        self.agenda.insert(&trigger.alarm, self.micro.again.get());
        self.agenda.next()
    }

    /// A block turns out to be long: its alarm leaves the agenda, so that the hart rings
    /// for the next. Whether it has since, or a line has come.
    #[inline(never)]
    fn is_interrupted<M: Machine>(&self, trigger: Ref<Trigger>) -> bool {
        if trigger.is(mode::ARMED) {
            self.disarm_trigger(trigger);
            self.set_hart_timer::<M>(self.agenda.next(), M::now());
        }
        M::pending() || M::is_awaited()
    }

    /// The block of a trigger whose alarm is still in the agenda renews it: when, is noted.
    #[inline(always)]
    fn renew_trigger(&self, step: Ref<Step>, trigger: Ref<Trigger>) -> bool {
        let micro = &self.micro;
        let wait = step.wait.get();
        let Cause::After = wait.cause.get() else {
            return false;
        };
        let [ticks, high] = &wait.value;
        let unusual = high.get() | wait.detail.get() | trigger.rest.get() | ticks.get() >> 30;
        if unusual != 0 || ticks.get() == 0 || micro.unused.take().is_none() {
            cold_path();
            return false;
        }
        micro
            .again
            .set(micro.instant.get().wrapping_add(ticks.get()));
        trigger.code.set(step.code.get());
        trigger.serial.set(self.next_serial());
        true
    }
}
