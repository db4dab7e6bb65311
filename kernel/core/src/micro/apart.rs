//! What completions nearly always are on several harts, without the event loop: nothing waits for
//! the job that ends, nobody has its urgency beside it, and nothing is due. Whatever is unusual
//! shows before anything has changed.

use core::hint::cold_path;

use crate::micro::jobs::lateness;
use crate::micro::{Group, group_flag, job};
use crate::trace::reason;
use crate::{Machine, Outcome, Ref, System, Thread, before, differ, some};

impl System {
    /// A completion. (Who runs then is decided behind each entry.)
    #[inline(always)]
    pub(super) fn complete_dispatched<M: Machine>(&self, me: Ref<Thread>) -> Outcome {
        let (Some(task), now) = (me.place.task, M::now()) else {
            return self.complete_any::<M>(me);
        };
        let (group, rank) = (task.group, me.rank.get());
        let unusual = self.is_something_left(group)
            | before(self.agenda.next(), now) as usize
            | me.limited.get() as usize
            | some(me.waits.get())
            | differ(me.next.get(), me);
        if unusual != 0 || !self.closes_deadline(rank, me) {
            cold_path();
            return self.complete_any::<M>(me);
        }
        me.waits.set(Some(self.no_list));
        me.answer(0);
        let late = before(rank.deadline.get(), now);
        let epoch = group.epoch.get();
        let has_job = epoch ^ task.job.get() > job::STOPPED;
        group
            .left
            .set(group.left.get().wrapping_sub(has_job as u32));
        task.job.set(epoch);
        Outcome::because(self.first.get(), reason::COMPLETE | lateness(late))
    }

    /// Not 0: the event loop has to look at the end of a job of a group.
    #[inline(always)]
    fn is_something_left(&self, group: Ref<Group>) -> usize {
        let micro = &self.micro;
        let words = micro.unsettled.get()
            | micro.ripe.get()
            | (group.flags.get() & group_flag::APART ^ group_flag::APART);
        words as usize
            | some(micro.later.get())
            | some(micro.due.get())
            | some(micro.program.get())
            | some(micro.driver.get())
            | some(micro.dispatchers.get())
            | some(group.watchers.get())
    }
}
