//! What S code that follows a schedule does nearly always, without the event loop: its
//! only thread goes on from one dispatch to the next when a job completes; waits for a
//! release when none is left; and dispatches the first task of that release. Whatever is
//! unusual shows before anything has changed. (1 KiB, so not where bytes count more than
//! cycles.)

use core::hint::cold_path;

use crate::micro::jobs::lateness;
use crate::micro::{Cause, Op, Task, Trigger, Wait, group_flag, job, mode};
use crate::sched::limit;
use crate::trace::reason;
use crate::{Machine, Outcome, Ref, System, Thread, before, differ, some};

impl System {
    /// No thread goes on without the event loop. If one has, its last activation is told:
    /// the order of activation was not (nobody who is compared with it came meanwhile).
    #[inline(never)]
    pub(super) fn leave_fast_mode(&self) {
        let micro = &self.micro;
        if let Some(thread) = micro.quick.take()
            && micro.mark.get() != thread.then.get().len()
        {
            thread.serial.set(self.next_serial());
            micro.running.set(thread.task.get());
        }
    }

    /// The only thread that dispatches, whose task is ready in its place, may go on without
    /// the event loop if nothing is due.
    #[inline(never)]
    pub(super) fn enter_fast_mode(&self, task: Ref<Task>) {
        let micro = &self.micro;
        let Some(thread) = micro.dispatchers.get() else {
            return;
        };
        let unusual = thread.mode.get() & !mode::ARMED ^ mode::S_THREAD;
        let unusual = unusual | micro.unsettled.get() | micro.ripe.get();
        let unusual = unusual as usize
            | some(thread.peer.get())
            | some(micro.due.get())
            | some(micro.later.get())
            | differ(task.thread.rank.get(), micro.slot);
        if unusual == 0 {
            micro.quick.set(Some(thread));
            micro.mark.set(thread.then.get().len());
        }
    }

    /// A completion that is none of a ring. The usual one under S code, without the event
    /// loop: the only thread that dispatches goes on with another dispatch, of a task that
    /// has a new job, until the same instant or without a timeout; or it waits for the next
    /// release.
    #[inline(never)]
    pub(super) extern "C" fn complete_dispatched<M: Machine>(&self, me: Ref<Thread>) -> Outcome {
        match self.dispatch_next::<M>(me) {
            Some((next, late)) => Outcome::because(next, reason::COMPLETE | lateness(late)),
            None => {
                cold_path();
                self.wait_for_release::<M>(me)
            }
        }
    }

    /// Who runs then, and whether the job that completes is late. `None`: it is another
    /// case, and nothing has changed.
    ///
    /// (In steps, each with its own branch: more at once than the registers hold would have
    /// to be saved. And no step waits for what it loads.)
    #[inline(always)]
    fn dispatch_next<M: Machine>(&self, me: Ref<Thread>) -> Option<(Ref<Thread>, bool)> {
        let micro = &self.micro;
        let (thread, slot, now) = (micro.quick.get(), micro.slot, M::now());
        // (who runs, and is no helper, is of the top)
        let unusual = differ(me.next.get(), me)
            | differ(self.top.get(), slot)
            | before(self.agenda.next(), now) as usize;
        let below = slot.below.get();
        if unusual != 0 {
            cold_path();
            return None;
        }
        let (thread, below) = (thread?, below?);
        let (code, task) = (thread.then.get(), thread.task.get());
        if slot.level.get() >= below.level.get() {
            cold_path();
            return None;
        }
        let ([op, rest @ ..], task) = (code, task?) else {
            return None;
        };
        let Op::Dispatch(step) = op.get() else {
            return None;
        };
        let (next, wait, group) = (step.task.get(), step.wait.get(), task.group);
        let unusual = differ(task.thread, me) | some(group.watchers.get());
        let (next, cause) = (next?, wait.cause.get());
        let other = next.group;
        let (own, epoch) = (next.job.get(), other.epoch.get());
        let unusual = unusual
            | ((other.flags.get() & group_flag::FIXED) | own.wrapping_add(job::EPOCH) ^ epoch)
                as usize;
        let mode = thread.mode.get() ^ mode::S_THREAD;
        let waits = mode | !matches!(cause, Cause::Never) as u32;
        if unusual | waits as usize != 0 {
            cold_path();
            if unusual != 0 || !self.is_armed_for(thread, wait) {
                return None;
            }
            thread.code.set(step.code.get());
            thread.wait.set(Some(wait));
        }
        // point of no return: another one in the same place
        let (job, page) = (other.job(next), next.thread.control);
        next.job.set(epoch.wrapping_sub(job::BEGUN));
        let late = before(slot.deadline.get(), now);
        job.tell::<M>(page);
        slot.deadline.set(job.deadline);
        let (ended, left) = (group.epoch.get(), group.left.get());
        next.rank.deadline.set(job.deadline);
        let (successor, limited) = (next.thread, me.limited.get());
        task.job.set(ended);
        slot.head.set(Some(successor));
        let no_list = self.no_list;
        group.left.set(left.wrapping_sub(1));
        self.first.set(successor);
        me.answer(0);
        me.waits.set(Some(no_list));
        successor.waits.set(None);
        successor.dispatch_at(slot);
        thread.then.set(rest);
        thread.task.set(Some(next));
        // (without a branch, which as a rule would be taken)
        let mask = ((limited != 0) as u8).wrapping_neg();
        me.limited.set((limit::OWN | limit::FRESH) & mask);
        Some((successor, late))
    }

    /// Whether that is a time, and the alarm of a thread is set for it.
    ///
    /// (A call would have all saved that lives across it, also where it is not made.)
    #[inline(always)]
    fn is_armed_for(&self, thread: Ref<Trigger>, wait: Ref<Wait>) -> bool {
        let Cause::After = wait.cause.get() else {
            return false;
        };
        let [ticks, high] = &wait.value;
        let key = thread.reference.low.get().wrapping_add(ticks.get());
        let unusual = thread.mode.get() ^ (mode::S_THREAD | mode::ARMED)
            | (thread.alarm.key() ^ key)
            | thread.reference.rest.get()
            | high.get()
            | wait.detail.get();
        unusual == 0
    }

    /// The same where the thread waits for a release next, which has not come.
    #[inline(never)]
    extern "C" fn wait_for_release<M: Machine>(&self, me: Ref<Thread>) -> Outcome {
        match self.fast_idle::<M>(me) {
            Some(late) => {
                let outcome = self.dispatch();
                match outcome.answer() {
                    0 => outcome.with(reason::COMPLETE | lateness(late)),
                    _ => self.tell_completion::<M>(me, M::now(), lateness(late)),
                }
            }
            None => {
                cold_path();
                self.complete_any::<M>(me)
            }
        }
    }

    #[inline(always)]
    fn fast_idle<M: Machine>(&self, me: Ref<Thread>) -> Option<bool> {
        let (micro, now) = (&self.micro, M::now());
        let thread = micro.quick.get()?;
        let [op, rest @ ..] = thread.then.get() else {
            return None;
        };
        let Op::Idle(step) = op.get() else {
            return None;
        };
        let (task, wait, slot) = (thread.task.get()?, step.wait.get(), micro.slot);
        let Cause::Released(awaited) = wait.cause.get() else {
            return None;
        };
        let group = task.group;
        let unusual = differ(me.next.get(), me)
            | differ(me.rank.get(), slot)
            | differ(task.thread, me)
            | some(group.watchers.get())
            | (thread.mode.get() ^ mode::S_THREAD | micro.handling.get()) as usize
            | (differ(awaited, task) != 0 && awaited.is_released()) as usize
            | before(self.agenda.next(), now) as usize
            | (now == micro.instant.get()) as usize;
        if unusual != 0 {
            cold_path();
            return None;
        }
        let late = before(slot.deadline.get(), now);
        task.end(0);
        group.left.set(group.left.get().wrapping_sub(1));
        me.answer(0);
        self.close(slot);
        me.waits.set(Some(self.no_list));
        me.return_to_own();
        if me.limited.get() != 0 {
            me.limited.set(limit::OWN | limit::FRESH);
        }
        micro.quick.set(None);
        micro.dispatchers.set(None);
        micro.running.set(None);
        let waiting = &awaited.group.watchers;
        thread.then.set(rest);
        thread.code.set(rest);
        thread.task.set(None);
        thread.wait.set(Some(wait));
        thread.serial.set(self.next_serial());
        thread.spent.set(0);
        thread.mode.set(mode::S_THREAD | mode::HUNG);
        thread.next.set(waiting.get());
        waiting.set(Some(thread));
        Some(late)
    }

    /// All that is due is a thread of S code that waited for a release, which has come: it
    /// dispatches a task of it without a timeout, and nobody else dispatches one. False: it
    /// is another case, and nothing has changed.
    #[inline(never)]
    pub(super) fn fast_wake<M: Machine>(&self) -> bool {
        self.dispatch_first::<M>().is_some()
    }

    #[inline(always)]
    fn dispatch_first<M: Machine>(&self) -> Option<()> {
        let (micro, slot) = (&self.micro, self.micro.slot);
        let (thread, wait) = (micro.due.get()?, micro.due.get()?.wait.get()?);
        let ([op, rest @ ..], Cause::Released(awaited)) = (thread.code.get(), wait.cause.get())
        else {
            return None;
        };
        let Op::Dispatch(step) = op.get() else {
            return None;
        };
        let (task, wait) = (step.task.get()?, step.wait.get());
        let Cause::Never = wait.cause.get() else {
            return None;
        };
        let program = task.group.program;
        let unusual = thread.mode.get() ^ (mode::S_THREAD | mode::DUE)
            | micro.unsettled.get()
            | micro.ripe.get()
            | micro.handling.get()
            | program.level
            | program.governed.get() ^ 1
            | task.group.flags.get() & group_flag::FIXED;
        let unusual = unusual as usize
            | some(thread.next.get())
            | some(micro.later.get())
            | some(micro.dispatchers.get())
            | some(slot.head.get())
            | (thread.spent.get() == micro.count.get()) as usize
            | (!task.is_new() | !awaited.is_released()) as usize;
        if unusual != 0 || task.thread.waits.get().is_none() {
            cold_path();
            return None;
        }
        micro.due.set(None);
        self.begin_new::<M>(task);
        thread.mode.set(mode::S_THREAD);
        thread.rest.set(0);
        thread.serial.set(self.next_serial());
        thread.then.set(rest);
        thread.code.set(step.code.get());
        thread.wait.set(Some(wait));
        thread.task.set(Some(task));
        thread.peer.set(None);
        micro.dispatchers.set(Some(thread));
        micro.running.set(Some(task));
        micro.quick.set(Some(thread));
        micro.mark.set(rest.len());
        slot.deadline.set(task.rank.deadline.get());
        let first = task.thread;
        first.dispatch_at(slot);
        first.waits.set(None);
        self.open(slot, first);
        Some(())
    }
}
