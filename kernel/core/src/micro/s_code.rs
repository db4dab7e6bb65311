//! Threads of S code: who of a program's tasks has the hart.
//!
//! A program is *governed* while it has a thread of S code: its tasks are ready only
//! while one dispatches them, and one task of the hart at a time, that of the thread
//! that has dispatched longest. Else the default scheduler serves them, by the
//! deadlines of their releases.

use giornata_abi::trace::Violation;

use crate::micro::{Task, Trigger, group_flag, mode};
use crate::{Machine, Rank, Ref, System, same};
#[cfg(not(any(feature = "fast", feature = "harts")))]
use crate::{Outcome, Thread};

impl System {
    /// Without `quick` nothing goes on without the event loop.
    #[cfg(not(feature = "fast"))]
    #[inline(always)]
    pub(super) fn leave_fast_mode(&self) {}

    #[cfg(not(feature = "fast"))]
    #[inline(always)]
    fn enter_fast_mode(&self, _: Ref<Task>) {}

    #[cfg(not(feature = "fast"))]
    #[allow(clippy::extra_unused_type_parameters)] // that of the other
    #[inline(always)]
    pub(super) fn fast_wake<M: Machine>(&self) -> bool {
        false
    }

    /// A completion that is none of a ring.
    #[cfg(not(any(feature = "fast", feature = "harts")))]
    #[inline(always)]
    pub(super) fn complete_dispatched<M: Machine>(&self, me: Ref<Thread>) -> Outcome {
        self.complete_any::<M>(me)
    }

    /// Something is due, or who dispatches what may change: the event loop has to look.
    #[inline(never)]
    pub(super) fn unsettle(&self) {
        self.micro.unsettled.set(1);
        self.leave_fast_mode();
    }

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
        self.unsettle();
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
        self.unsettle();
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
        self.leave_fast_mode();
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
            return self.unsettle();
        }
        let running = micro.running.replace(task);
        if let Some(running) = running
            && !task.is_some_and(|task| same(task, running))
        {
            self.unready_task(running);
            // (if it waits for something else, it comes back at its own)
            running.thread.return_to_own();
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
                        self.ready_task::<M>(task, task.thread.own.get());
                    }
                }
            }
            // (the hart looks before it goes on)
            return self.unsettle();
        }
        if let Some(task) = task {
            self.begin_new::<M>(task);
            self.ready_task::<M>(task, self.rank_in_slot(task));
        }
        if micro.ripe.get() != 0 {
            self.consider_changes::<M>();
        }
        if let Some(task) = task {
            self.enter_fast_mode(task);
        }
    }

    /// Where a task is ready that S code dispatches.
    #[inline(always)]
    fn rank_in_slot(&self, task: Ref<Task>) -> Ref<Rank> {
        let (group, slot) = (task.group, self.micro.slot);
        match group.program.level {
            0 if group.flags.get() & group_flag::FIXED != 0 || slot.head.get().is_some() => {
                task.thread.own.get()
            }
            0 => {
                slot.deadline.set(task.rank.deadline.get());
                slot
            }
            level => &self.ranks[level.wrapping_sub(1) as usize & 255],
        }
    }
}
