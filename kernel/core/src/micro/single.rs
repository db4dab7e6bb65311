//! The most usual instant: a trigger for a time whose block releases one group, which is a
//! ring, and renews itself. A straight line without a frame: whatever is odd shows before
//! anything has changed, and then [`timed`](super::timed) sees to it. (700 bytes, so not
//! where bytes count more than cycles.)

use core::hint::cold_path;

use giornata_abi::ring::{Kind, head};

use crate::micro::{Cause, Op, Trigger, mode};
use crate::{Alarm, Event, Kernel, Machine, Outcome, Ref, Thread, before, some};

impl Kernel {
    /// The first of the agenda, which is due, is a trigger. O(1), unless it is odd.
    #[inline(never)]
    pub(crate) extern "C" fn on_release<M: Machine>(
        &self,
        trigger: Ref<Trigger>,
        me: Ref<Thread>,
    ) -> Outcome {
        let [first, second] = trigger.code.get() else {
            return self.on_trigger::<M>(trigger, me);
        };
        let (Op::Release(release), Op::Future(step)) = (first.get(), second.get()) else {
            return self.on_trigger::<M>(trigger, me);
        };
        let (group, wait) = (release.group.get(), step.wait.get());
        let Cause::After = wait.cause.get() else {
            return self.on_trigger::<M>(trigger, me);
        };
        let (micro, alarm, rank) = (&self.micro, &trigger.alarm, &group.rank);
        let [period, high] = &wait.value;
        let (at, period, ticks) = (alarm.key(), period.get(), release.ticks.get());
        let key = at.wrapping_add(period);
        let odd = (trigger.mode.get() ^ (mode::TIMED | mode::ARMED))
            | trigger.rest.get()
            | release.parts.get()
            | wait.detail.get()
            | high.get()
            | period >> 30;
        if odd as usize | self.agenda.loses_front(alarm, key) != 0 || period == 0 {
            cold_path();
            return self.on_trigger::<M>(trigger, me);
        }
        let odd = group.odd.get() | micro.unsettled.get();
        let odd =
            odd as usize | some(rank.head.get()) | some(micro.due.get()) | some(micro.later.get());
        if odd != 0 || self.is_machine_late() {
            cold_path();
            return self.on_trigger::<M>(trigger, me);
        }
        let now = M::now();
        let mut count = micro.count.get();
        if micro.instant.replace(at) != at {
            count = count.wrapping_add(1);
            micro.count.set(count);
            micro.line.set(None);
        }
        micro.rest.set(0);
        trigger.code.set(step.code.get());
        trigger.serial.set(self.next_serial());
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
        let next = self.agenda.move_front(alarm, key);
        if !before(now, next) {
            cold_path();
            return self.open_and_look::<M>(me, thread);
        }
        M::alarm(next, now);
        if !self.opens_top_unless(0, rank, thread) {
            cold_path();
            return self.open_and_go(rank, thread);
        }
        self.run_wanting(thread, thread.wants.get())
    }

    /// A group has been released, and something else is due.
    #[inline(never)]
    extern "C" fn open_and_look<M: Machine>(&self, me: Ref<Thread>, first: Ref<Thread>) -> Outcome {
        self.open(first.rank.get(), first);
        match self.agenda.first() {
            Some(Alarm {
                event: Event::Trigger(other),
                ..
            }) => self.on_trigger::<M>(other, me),
            _ => self.on_timer_any::<M>(me),
        }
    }
}
