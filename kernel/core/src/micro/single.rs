//! The most usual instants: a trigger for a time whose block releases one group, which is a
//! ring, and renews itself, or does nothing but that. Straight lines without a frame:
//! whatever is unusual shows before anything has changed, and then [`timed`](super::timed)
//! sees to it. (1 KB, so not where bytes count more than cycles.)

use core::cell::Cell;
use core::hint::cold_path;

use giornata_abi::ring::{Kind, head};

use crate::micro::{Cause, Op, Step, Trigger, mode};
use crate::{Alarm, Event, Machine, Outcome, Ref, System, Thread, before, some};

impl System {
    /// The first of the agenda, which is due by `now`, is a trigger. O(1), unless it is unusual.
    #[inline(never)]
    pub(crate) extern "C" fn on_release<M: Machine>(
        &self,
        trigger: Ref<Trigger>,
        me: Ref<Thread>,
        now: u32,
    ) -> Outcome {
        let (first, second) = match trigger.code.get() {
            [first, second] => (first, second),
            [only] => return self.on_renewal::<M>(trigger, me, only, now),
            _ => return self.on_trigger::<M>(trigger, me),
        };
        let (Op::Release(release), Op::Future(step)) = (first.get(), second.get()) else {
            return self.on_trigger::<M>(trigger, me);
        };
        let (group, rank) = (release.group.get(), &release.group.get().rank);
        let Some(key) = self.renewed(trigger, step, release.parts.get()) else {
            return self.on_trigger::<M>(trigger, me);
        };
        let unusual = group.flags.get() as usize | some(rank.head.get());
        if self.has_more(unusual) {
            cold_path();
            return self.on_trigger::<M>(trigger, me);
        }
        let (micro, alarm, ticks) = (&self.micro, &trigger.alarm, release.ticks.get());
        let at = alarm.key();
        let count = self.renew_at(trigger, step, at);
        let task = group.first;
        let thread = task.thread;
        if micro.told.replace(count) != count && now != at {
            self.trace.put(at, head(Kind::Entered, 0, 0), now, 0);
        }
        // (a label says that its record is of a switch)
        let label = thread.label ^ (Kind::Switch as u32 ^ Kind::Release as u32);
        self.trace.put(at, label, group.members, ticks);
        self.begin_release(group, ticks, at, M::high(at));
        self.begin_job::<M>(task, group);
        let next = self.agenda.move_front(alarm, key, self.records());
        if !before(now, next) {
            cold_path();
            return self.open_and_look::<M>(me, thread);
        }
        M::alarm(next, now);
        if !self.opens_top_unless(0, rank, thread) {
            cold_path();
            return self.open_and_dispatch(rank, thread);
        }
        self.run_wanting(thread, thread.wants.get())
    }

    /// The same of a block that does nothing but renew its trigger, a tick.
    #[inline(never)]
    extern "C" fn on_renewal<M: Machine>(
        &self,
        trigger: Ref<Trigger>,
        me: Ref<Thread>,
        only: &Cell<Op>,
        now: u32,
    ) -> Outcome {
        let Op::Future(step) = only.get() else {
            return self.on_trigger::<M>(trigger, me);
        };
        let Some(key) = self.renewed(trigger, step, 0) else {
            return self.on_trigger::<M>(trigger, me);
        };
        if self.has_more(0) {
            cold_path();
            return self.on_trigger::<M>(trigger, me);
        }
        let alarm = &trigger.alarm;
        self.renew_at(trigger, step, alarm.key());
        let next = self.agenda.move_front(alarm, key, self.records());
        if !before(now, next) {
            cold_path();
            return self.look_on::<M>(me);
        }
        M::alarm(next, now);
        self.dispatch()
    }

    /// When a trigger rings next whose block renews it by `step`; `None` if something about
    /// them is unusual, or `unusual` is not 0.
    #[inline(always)]
    fn renewed(&self, trigger: Ref<Trigger>, step: Ref<Step>, unusual: u32) -> Option<u32> {
        let wait = step.wait.get();
        let Cause::After = wait.cause.get() else {
            return None;
        };
        let (alarm, [period, high]) = (&trigger.alarm, &wait.value);
        let period = period.get();
        let key = alarm.key().wrapping_add(period);
        let unusual = (trigger.mode.get() ^ (mode::TIMED | mode::ARMED))
            | trigger.rest.get()
            | unusual
            | wait.detail.get()
            | high.get()
            | period >> 30;
        if unusual as usize | self.agenda.loses_front(alarm, key) != 0 || period == 0 {
            cold_path();
            return None;
        }
        Some(key)
    }

    /// Whether `unusual` is not 0, or there is more for the machine to do, or somebody as urgent.
    #[inline(always)]
    fn has_more(&self, unusual: usize) -> bool {
        let micro = &self.micro;
        let unusual = unusual
            | micro.unsettled.get() as usize
            | some(micro.due.get())
            | some(micro.later.get());
        unusual != 0 || self.is_machine_late()
    }

    /// Begins an instant, if it is another one, and renews the trigger. Returns the instant's
    /// number.
    #[inline(always)]
    fn renew_at(&self, trigger: Ref<Trigger>, step: Ref<Step>, at: u32) -> u32 {
        let micro = &self.micro;
        let mut count = micro.count.get();
        if micro.instant.replace(at) != at {
            count = count.wrapping_add(1);
            micro.count.set(count);
            micro.line.set(None);
        }
        micro.rest.set(0);
        trigger.code.set(step.code.get());
        trigger.serial.set(self.next_serial());
        count
    }

    /// A group has been released, and something else is due.
    #[inline(never)]
    extern "C" fn open_and_look<M: Machine>(&self, me: Ref<Thread>, first: Ref<Thread>) -> Outcome {
        self.open(first.rank.get(), first);
        self.look_on::<M>(me)
    }

    /// Something else is due.
    #[inline(never)]
    fn look_on<M: Machine>(&self, me: Ref<Thread>) -> Outcome {
        match self.agenda.first() {
            Some(Alarm {
                event: Event::Trigger(other),
                ..
            }) => self.on_trigger::<M>(other, me),
            _ => self.on_timer_any::<M>(me),
        }
    }
}
