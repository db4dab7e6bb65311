//! The usual instant: a trigger for a time whose block releases groups, copies a
//! little, and renews itself. It runs in the timer's interrupt, without the list of
//! what is due; its alarm stays in the agenda until it is known when it rings next.

use core::hint::cold_path;

use crate::micro::{Cause, Op, Step, Trigger, mode};
use crate::{Kernel, Machine, Outcome, Ref, Thread, before, some};

/// Instructions of a block that runs without a look at timer and lines.
const SHORT: usize = 8;

impl Kernel {
    /// The first of the agenda, which is due, is a trigger.
    #[inline(never)]
    pub(crate) extern "C" fn on_trigger<M: Machine>(
        &self,
        trigger: Ref<Trigger>,
        me: Ref<Thread>,
    ) -> Outcome {
        let micro = &self.micro;
        let odd = (trigger.mode.get() ^ (mode::TIMED | mode::ARMED) | micro.unsettled.get())
            as usize
            | some(micro.due.get())
            | some(micro.later.get());
        let mut code = trigger.code.get();
        if odd != 0 || code.len() > SHORT || self.is_machine_late() {
            cold_path();
            return self.on_timer_any::<M>(me);
        }
        let at = trigger.alarm.key();
        micro.instant.set(at);
        micro.count.set(micro.count.get().wrapping_add(1));
        micro.line.set(None);
        micro.rest.set(trigger.rest.get());
        micro.unused.set(Some(trigger));
        while let [op, rest @ ..] = code {
            let done = match op.get() {
                Op::Release(release) => self.release_ring::<M>(release),
                Op::Future(step) => self.renew_trigger(step, trigger),
                Op::Call(driver) => self.call_short::<M>(driver),
                _ => false,
            };
            // (an instruction that is not done has changed nothing)
            if !done {
                break;
            }
            code = rest;
        }
        let now = M::now();
        if code.is_empty()
            && micro.unused.get().is_none()
            && let Some(next) = self.agenda.again(&trigger.alarm, micro.again.get())
            && before(now, next)
        {
            M::alarm(next, now);
            return self.go_from(me);
        }
        cold_path();
        // a block of which more is left than usual, or that did not renew its trigger
        self.agenda.remove(&trigger.alarm);
        match micro.unused.get() {
            Some(_) => trigger.clear(mode::ARMED),
            None => {
                self.agenda.insert(&trigger.alarm, micro.again.get());
            }
        }
        self.begin_code(trigger.program, code);
        self.on_timer_any::<M>(me)
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
        let odd = high.get() | wait.detail.get() | trigger.rest.get() | ticks.get() >> 30;
        if odd != 0 || ticks.get() == 0 || micro.unused.take().is_none() {
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
