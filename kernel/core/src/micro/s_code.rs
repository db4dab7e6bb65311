//! Threads of S code: who of a program's tasks has the hart.
//!
//! A program is *governed* while it has a thread of S code: its tasks are ready only
//! while one dispatches them, and one task of the hart at a time, that of the thread
//! that has dispatched longest. Else the default scheduler serves them, by the
//! deadlines of their releases.

use core::hint::cold_path;

use giornata_abi::trace::Violation;

use crate::micro::jobs::lateness;
use crate::micro::{Cause, Op, Task, Trigger, job, mode, odd};
use crate::trace::reason;
use crate::{Kernel, Machine, Outcome, Rank, Ref, Thread, before, differ, limit, same, some};

impl Kernel {
    /// A thread of S code dispatches a task, behind those that dispatch one.
    #[inline(never)]
    pub(super) fn join_dispatchers(&self, thread: Ref<Trigger>, task: Ref<Task>) {
        let mut place = &self.micro.dispatchers;
        while let Some(other) = place.get() {
            place = &other.peer;
        }
        thread.task.set(Some(task));
        thread.peer.set(None);
        place.set(Some(thread));
        self.micro.unsettled.set(1);
    }

    /// It does no longer, if it did.
    #[inline(never)]
    pub(super) fn leave_dispatchers(&self, thread: Ref<Trigger>) {
        if thread.task.take().is_none() {
            return;
        }
        let mut place = &self.micro.dispatchers;
        while let Some(other) = place.get() {
            if same(other, thread) {
                place.set(thread.peer.get());
                break;
            }
            place = &other.peer;
        }
        self.micro.unsettled.set(1);
    }

    /// The job of a task has ended: threads that dispatch it go on.
    #[inline(never)]
    pub(super) fn end_dispatches(&self, task: Ref<Task>, at: u32) {
        let mut next = self.micro.dispatchers.get();
        while let Some(thread) = next {
            next = thread.peer.get();
            if thread.task.get().is_some_and(|other| same(other, task)) {
                self.unhang_trigger(thread);
                thread.set(mode::COMPLETED);
                self.latch_again(thread, at);
            }
        }
    }

    /// Nothing is enabled: who has the hart, whose tasks are governed.
    #[inline(never)]
    pub(super) fn settle<M: Machine>(&self) {
        let micro = &self.micro;
        micro.unsettled.set(0);
        let mut next = micro.dispatchers.get();
        let task = next.and_then(|holder| holder.task.get());
        while let Some(thread) = next {
            next = thread.peer.get();
            if let (Some(task), Some(other)) = (task, thread.task.get())
                && !same(task, other)
                && !thread.is(mode::REPORTED)
            {
                thread.set(mode::REPORTED);
                self.raise::<M>(Violation::TimeShare, other, micro.instant.get());
            }
        }
        if micro.due.get().is_some() {
            // (handlers, before anybody runs)
            return micro.unsettled.set(1);
        }
        let running = micro.running.replace(task);
        if let Some(running) = running
            && !task.is_some_and(|task| same(task, running))
        {
            self.unready_task(running);
        }
        for program in micro.programs {
            let governed = program.threads.get().min(1);
            if program.governed.replace(governed) == governed {
                continue;
            }
            for group in program.groups {
                for task in group.tasks {
                    if governed != 0 {
                        self.unready_task(task);
                    } else if task.is_released() {
                        self.ready_task(task, task.thread.own.get());
                    }
                }
            }
        }
        if let Some(task) = task {
            self.ready_task(task, self.rank_in_slot(task));
        }
        if micro.ripe.get() != 0 {
            self.consider_changes::<M>();
        }
    }

    /// Where a task is ready that S code dispatches.
    #[inline(always)]
    fn rank_in_slot(&self, task: Ref<Task>) -> Ref<Rank> {
        match task.group.program.level {
            0 => task.thread.own.get(),
            level => &self.ranks[level.wrapping_sub(1) as usize & 255],
        }
    }

    /// A completion that is none of a ring. The usual one under S code, without the event
    /// loop: the only thread that dispatches goes on with another dispatch, of a task that
    /// has a job, until the same instant or without a timeout.
    #[inline(never)]
    pub(super) extern "C" fn complete_dispatched<M: Machine>(&self, me: Ref<Thread>) -> Outcome {
        match self.dispatch_next::<M>(me) {
            Some((next, late)) => Outcome::because(next, reason::COMPLETE | lateness(late)),
            None => {
                cold_path();
                self.complete_any::<M>(me)
            }
        }
    }

    /// Who runs then, and whether the job that completes is late. `None`: it is another
    /// case, and nothing has changed.
    ///
    /// (What is loaded is asked for early, so that nothing waits for it.)
    #[inline(always)]
    fn dispatch_next<M: Machine>(&self, me: Ref<Thread>) -> Option<(Ref<Thread>, bool)> {
        let micro = &self.micro;
        let (thread, own) = (micro.dispatchers.get()?, me.rank.get());
        let [op, rest @ ..] = thread.then.get() else {
            return None;
        };
        let Op::Dispatch(step) = op.get() else {
            return None;
        };
        let (task, next, wait) = (thread.task.get()?, step.task.get()?, step.wait.get());
        let mode = thread.mode.get() ^ mode::S_THREAD;
        let waits = match wait.cause.get() {
            Cause::Never => mode,
            Cause::After => {
                let [ticks, high] = &wait.value;
                let key = thread.reference.low.get().wrapping_add(ticks.get());
                mode ^ mode::ARMED
                    | (thread.alarm.key() ^ key)
                    | thread.reference.rest.get()
                    | high.get()
                    | wait.detail.get()
            }
            _ => return None,
        };
        let odd = waits
            | micro.unsettled.get()
            | micro.ripe.get()
            | (next.job.get() & job::RELEASED) ^ job::RELEASED;
        let odd = odd as usize
            | some(thread.peer.get())
            | differ(task.thread, me)
            | some(micro.due.get())
            | some(micro.later.get());
        let below = own.below.get()?;
        // (one at a time: more than the registers hold would have to be saved)
        if odd != 0 {
            cold_path();
            return None;
        }
        let (group, other, successor) = (task.group, next.group, next.thread);
        let odd = group.program.level
            | (group.odd.get() & (odd::APART | odd::FIXED)) ^ odd::APART
            | (other.odd.get() & odd::APART) ^ odd::APART;
        let (rank, now) = (successor.own.get(), M::now());
        let odd = odd as usize
            | some(task.watchers.get())
            | self.shares_top(me, own)
            | some(rank.head.get())
            | (rank.level.get() >= below.level.get()) as usize
            | before(self.agenda.next(), now) as usize;
        if odd != 0 {
            cold_path();
            return None;
        }
        // point of no return
        let (serial, limited) = (micro.serial.get().wrapping_add(1), me.limited.get());
        let (late, code) = (before(task.rank.deadline.get(), now), step.code.get());
        // (the top closes, and an empty rank takes its place)
        own.head.set(None);
        rank.head.set(Some(successor));
        rank.below.set(Some(below));
        below.above.set(Some(rank));
        self.top.set(rank);
        self.slot.set(successor);
        me.answer(0);
        task.job.set(0);
        me.waits.set(Some(self.nowhere));
        successor.waits.set(None);
        successor.rank.set(rank);
        thread.then.set(rest);
        thread.code.set(code);
        thread.task.set(Some(next));
        thread.wait.set(Some(wait));
        thread.serial.set(serial);
        micro.serial.set(serial);
        micro.running.set(Some(next));
        // (without a branch, which as a rule would be taken)
        let mask = ((limited != 0) as u8).wrapping_neg();
        me.limited.set((limit::OWN | limit::FRESH) & mask);
        Some((successor, late))
    }
}
