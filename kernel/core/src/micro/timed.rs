//! The usual instant: a trigger for a time whose block copies, releases groups, and
//! renews itself. It runs in the timer's interrupt, without the list of what is due; its
//! alarm stays in the agenda until it is known when it rings next, unless there is more
//! to do than can be done without a look at timer and lines.

use core::hint::cold_path;

use crate::micro::drive::PIECE;
use crate::micro::{Cause, Op, Step, Trigger, mode};
use crate::{Kernel, Machine, Outcome, Ref, Thread, before, some};

/// Instructions of a block that run without a look at timer and lines.
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
        if odd != 0 || self.is_machine_late() {
            cold_path();
            return self.on_timer_any::<M>(me);
        }
        let at = trigger.alarm.key();
        micro.instant.set(at);
        micro.count.set(micro.count.get().wrapping_add(1));
        micro.line.set(None);
        micro.rest.set(trigger.rest.get());
        micro.unused.set(Some(trigger));
        let (mut code, mut left) = (trigger.code.get(), SHORT);
        while let [op, rest @ ..] = code {
            if left == 0 {
                cold_path();
                if self.is_interrupted::<M>(trigger) {
                    break;
                }
                left = 1;
            }
            left -= 1;
            // (an instruction that is not done can be begun again)
            let then = match op.get() {
                Op::Release(release) => self.release_ring::<M>(release).then_some(rest),
                Op::Future(step) => self.renew_trigger(step, trigger).then_some(rest),
                Op::Call(driver) => self.call_short::<M>(driver).then_some(rest),
                Op::Copies(run) => {
                    if run.copies.len() > PIECE && self.is_interrupted::<M>(trigger) {
                        break;
                    }
                    self.copy_run::<M>(run, rest)
                }
                _ => None,
            };
            let Some(then) = then else {
                break;
            };
            code = then;
        }
        let now = M::now();
        let is_done = code.is_empty() && micro.unused.get().is_none();
        if is_done
            && trigger.is(mode::ARMED)
            && let Some(next) = self.agenda.again(&trigger.alarm, micro.again.get())
            && before(now, next)
        {
            M::alarm(next, now);
            return self.go_from(me);
        }
        cold_path();
        // a block that is long, or of which more is left than usual, or that did not renew
        // its trigger
        self.disarm_trigger(trigger);
        if micro.unused.get().is_none() {
            trigger.set(mode::ARMED);
            self.agenda.insert(&trigger.alarm, micro.again.get());
        }
        if !is_done {
            self.begin_code(trigger.program, code);
        }
        self.on_timer_any::<M>(me)
    }

    /// A block turns out to be long: its alarm leaves the agenda, so that the hart rings
    /// for the next. Whether it has since, or a line has come.
    #[inline(never)]
    fn is_interrupted<M: Machine>(&self, trigger: Ref<Trigger>) -> bool {
        if trigger.is(mode::ARMED) {
            self.disarm_trigger(trigger);
            self.ring_at::<M>(self.agenda.next(), M::now());
            // (the timer needs a few cycles to fall silent)
            return false;
        }
        M::pending()
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
