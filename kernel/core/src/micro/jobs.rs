//! Jobs: releases and completions of tasks.

use core::hint::cold_path;

use giornata_abi::call::Call;
use giornata_abi::control::ControlPage;
use giornata_abi::ring::{Kind, members};
use giornata_abi::trace::Violation;

use crate::micro::{Group, Program, Release, Task, group_flag, job, stage};
use crate::sched::limit;
use crate::sched::thread::state;
use crate::trace::reason;
use crate::{Machine, Outcome, Ref, System, Thread, before, differ, same, some};

/// Byte offsets in a control page.
const JOB: usize = core::mem::offset_of!(ControlPage, job);
const RELEASE: usize = core::mem::offset_of!(ControlPage, release);
const DEADLINE: usize = core::mem::offset_of!(ControlPage, deadline);

/// What a task is told of its job.
pub(super) struct Job {
    number: u32,
    pub(super) deadline: u32,
    ticks: u32,
    high: u32,
}

impl Job {
    #[inline(always)]
    pub(super) fn tell<M: Machine>(&self, page: usize) {
        let store = |offset, value| M::store(page.wrapping_add(offset), value);
        store(JOB, self.number);
        store(RELEASE, self.deadline.wrapping_sub(self.ticks));
        store(RELEASE + 4, self.high);
        store(DEADLINE, self.ticks);
    }
}

impl Group {
    /// Whether its tasks are apart, are ready when S code says so, and none has a job.
    #[inline(never)]
    fn is_waiting(&self) -> bool {
        let unusual = self.flags.get() ^ (group_flag::APART | group_flag::ALWAYS);
        unusual | self.left.get() | (self.program.governed.get() ^ 1) == 0
    }

    /// The job of the last release. (Read whole before anything is stored: loads then do
    /// not wait for each other.)
    #[inline(always)]
    pub(super) fn job(&self, task: &Task) -> Job {
        Job {
            number: self.releases.get().wrapping_sub(task.skipped.get()),
            deadline: self.rank.deadline.get(),
            ticks: self.ticks.get(),
            high: self.high.get(),
        }
    }
}

impl Task {
    /// Whether it is released and has not completed.
    #[inline(never)]
    pub fn is_released(&self) -> bool {
        match self.group.flags.get() & group_flag::APART {
            // (the Ring Invariant)
            0 => {
                let head = self.group.rank.head.get();
                head.is_some_and(|head| head.label <= self.thread.label)
            }
            _ => self.group.epoch.get() ^ self.job.get() > job::STOPPED,
        }
    }

    /// Whether it is apart and released, and knows nothing of that yet.
    #[inline(always)]
    pub(super) fn is_new(&self) -> bool {
        let ahead = self
            .group
            .epoch
            .get()
            .wrapping_sub(self.job.get() & !job::STOPPED);
        ahead == job::EPOCH
    }

    /// It is apart and has no job.
    #[inline(always)]
    pub(super) fn end(&self, stopped: u32) {
        self.job.set(self.group.epoch.get() | stopped);
    }
}

/// Behind which tasks of a group that is apart the hart looks at its timer and its lines: each
/// eighth; and where others may wait for the lock, each.
const LOOKS: usize = match cfg!(feature = "harts") {
    true => 1,
    false => 8,
};

impl System {
    /// Releases a group that is a ring none of which has a job, with nothing unusual about it;
    /// else nothing has changed and false is returned. O(1).
    #[inline(never)]
    pub(super) extern "C" fn release_ring<M: Machine>(&self, release: Ref<Release>) -> bool {
        let group = release.group.get();
        let unusual = group.flags.get() | release.parts.get() | self.micro.rest.get();
        if unusual as usize | some(group.rank.head.get()) != 0 {
            cold_path();
            let parts = release.parts.get() | self.micro.rest.get();
            return parts == 0
                && group.is_waiting()
                && self.release_whole::<M>(group, release.ticks.get());
        }
        let (task, ticks) = (group.first, release.ticks.get());
        let at = self.micro.instant.get();
        self.begin_release(group, ticks, at, M::high(at));
        self.note_logical::<M>(release_label(task), group.members, ticks);
        self.begin_job::<M>(task, group);
        self.open(&group.rank, task.thread);
        true
    }

    /// Releases all tasks of a group that S code dispatches, none of which has a job. O(1).
    #[inline(never)]
    fn release_whole<M: Machine>(&self, group: Ref<Group>, ticks: u32) -> bool {
        let at = self.micro.instant.get();
        self.begin_release(group, ticks, at, M::high(at));
        self.note_instantly::<M>(release_label(group.first), group.members, ticks);
        group.epoch.set(group.epoch.get().wrapping_add(job::EPOCH));
        group.left.set(group.tasks.len() as u32);
        self.fire(&group.watchers, at);
        true
    }

    #[inline(always)]
    pub(super) fn begin_release(&self, group: Ref<Group>, ticks: u32, at: u32, high: u32) {
        group.rank.deadline.set(at.wrapping_add(ticks));
        group.ticks.set(ticks);
        group.high.set(high);
        group.releases.set(group.releases.get().wrapping_add(1));
    }

    /// Tells a task of its job, in its control page.
    #[inline(always)]
    pub(super) fn begin_job<M: Machine>(&self, task: Ref<Task>, group: Ref<Group>) {
        group.job(task).tell::<M>(task.thread.control);
    }

    /// The same, out of line.
    #[inline(never)]
    fn tell_job<M: Machine>(&self, task: Ref<Task>) {
        self.begin_job::<M>(task, task.group);
    }

    /// A group that is apart is about to be released again: its tasks learn of the jobs that
    /// they have not begun. O(tasks).
    #[inline(never)]
    fn begin_each_new<M: Machine>(&self, group: Ref<Group>) {
        for task in group.tasks {
            self.begin_new::<M>(task);
        }
    }

    /// A task that is apart learns of its job, if it is released and has not yet.
    #[inline(never)]
    pub(super) fn begin_new<M: Machine>(&self, task: Ref<Task>) {
        if task.is_new() {
            let group = task.group;
            task.rank.deadline.set(group.rank.deadline.get());
            task.job.set(group.epoch.get().wrapping_sub(job::BEGUN));
            self.tell_job::<M>(task);
        }
    }

    /// Releases a group, whatever there is to see to. False: something waits, and it is not
    /// done. O(tasks) unless it is a ring none of which has a job.
    #[inline(never)]
    pub(super) fn release_any<M: Machine>(
        &self,
        release: Ref<Release>,
        program: Ref<Program>,
    ) -> bool {
        let micro = &self.micro;
        let group = release.group.get();
        let mut index = micro.progress.take() as usize;
        if index == 0 {
            self.link_ring(group);
            if self.release_ring::<M>(release) {
                return true;
            }
            let is_waiting = group.is_waiting();
            // (jobs that are met keep their deadlines)
            if !is_waiting {
                self.begin_rest::<M>(group);
                self.take_apart(group);
                self.begin_each_new::<M>(group);
            }
            let rest = micro.rest.get().wrapping_add(release.parts.get());
            let carry = (rest >= program.parts.get()) as u32;
            let now = self.exact_now::<M>();
            let ticks = release.ticks.get().wrapping_add(carry);
            if is_waiting {
                return self.release_whole::<M>(group, ticks);
            }
            self.begin_release(group, ticks, now as u32, (now >> 32) as u32);
        }
        while let Some(task) = group.tasks.get(index) {
            self.release_task::<M>(task, program);
            index = index.wrapping_add(1);
            if index.is_multiple_of(LOOKS) && crate::machine::waits::<M>() {
                micro.progress.set(index as u32);
                return false;
            }
        }
        true
    }

    /// Releases a task of a group that is apart.
    #[inline(never)]
    fn release_task<M: Machine>(&self, task: Ref<Task>, program: Ref<Program>) {
        let group = task.group;
        if task.is_released() {
            task.skipped.set(task.skipped.get().wrapping_add(1));
            return self.violate::<M>(program, Violation::TimeSafety, Some(task), None);
        }
        self.note_instantly::<M>(release_label(task), members::ONE, group.ticks.get());
        if group.flags.get() & group_flag::DEAD != 0 {
            return task.end(job::STOPPED);
        }
        task.job.set(group.epoch.get().wrapping_sub(job::EPOCH));
        group.left.set(group.left.get().wrapping_add(1));
        if program.governed.get() == 0 {
            self.ready_task::<M>(task, task.thread.own.get());
        }
        self.fire(&group.watchers, self.micro.instant.get());
    }

    /// A task that is apart may run at this urgency, if it may not already.
    #[inline(never)]
    pub(super) fn ready_task<M: Machine>(&self, task: Ref<Task>, rank: Ref<crate::Rank>) {
        self.begin_new::<M>(task);
        self.make_ready(task, rank);
    }

    #[inline(never)]
    fn make_ready(&self, task: Ref<Task>, rank: Ref<crate::Rank>) {
        let thread = task.thread;
        if thread.waits.get().is_some() {
            thread.dispatch_at(rank);
            thread.waits.set(None);
            self.insert(thread);
        }
    }

    /// It may not, for now.
    #[inline(never)]
    pub(super) fn unready_task(&self, task: Ref<Task>) {
        let thread = task.thread;
        if thread.waits.get().is_none() {
            self.remove(thread);
            thread.waits.set(Some(self.no_list));
        }
    }

    /// A ring is about to be taken apart: its tasks learn of their jobs now, of which they
    /// would have learnt one after the other. O(tasks).
    #[inline(never)]
    pub(super) fn begin_rest<M: Machine>(&self, group: Ref<Group>) {
        // (the Ring Invariant; the first has begun)
        if let (0, Some(head)) = (group.flags.get() & group_flag::APART, group.rank.head.get()) {
            let rest = group.tasks.iter();
            for task in rest.filter(|task| task.thread.label > head.label) {
                self.tell_job::<M>(task);
            }
        }
    }

    /// A group is no ring any more: its tasks have flags, and ranks of their own. O(tasks).
    #[inline(never)]
    pub(super) fn take_apart(&self, group: Ref<Group>) {
        let bits = group.flags.get();
        if bits & group_flag::APART != 0 {
            return;
        }
        group.flags.set(bits | group_flag::APART);
        let head = group.rank.head.get();
        if head.is_some() {
            self.close(&group.rank);
        }
        // (the Ring Invariant)
        let first = head.map_or(u32::MAX, |head| head.label);
        let mut left = 0u32;
        for task in group.tasks {
            let thread = task.thread;
            thread.next.set(thread);
            thread.prev.set(thread);
            thread.waits.set(Some(self.no_list));
            thread.clear(state::IN_RING);
            task.end(0);
            if thread.label >= first {
                left = left.wrapping_add(1);
                task.job.set(group.epoch.get().wrapping_sub(job::BEGUN));
                task.rank.deadline.set(group.rank.deadline.get());
                self.make_ready(task, thread.own.get());
            }
        }
        group.left.set(left);
    }

    /// A group that is apart, but not always, is a ring again if none has a job.
    #[inline(never)]
    fn link_ring(&self, group: Ref<Group>) {
        if group.flags.get() != group_flag::APART || group.left.get() != 0 {
            return;
        }
        group.flags.set(0);
        let mut last = None;
        for task in group.tasks.iter().rev() {
            let thread = task.thread;
            let next: Ref<Thread> = last.unwrap_or(thread);
            thread.next.set(next);
            next.prev.set(thread);
            thread.dispatch_at(&group.rank);
            thread.waits.set(None);
            thread.set(state::IN_RING);
            task.end(0);
            last = Some(thread);
        }
    }

    /// The job of the caller completes. It goes on behind the call with its next job.
    ///
    /// The usual case without a call: the next of its ring has a job.
    #[inline(always)]
    pub(crate) fn complete<M: Machine>(&self, me: Ref<Thread>) -> Outcome {
        if me.state.get() != state::IN_RING {
            cold_path();
            return self.complete_dispatched::<M>(me);
        }
        match self.complete_in_ring::<M>(me) {
            Some((next, reason)) => Outcome::because(next, reason),
            None => {
                cold_path();
                self.complete_any::<M>(me)
            }
        }
    }

    /// Who runs then, and what the record of the switch tells. `None`: it is another case,
    /// and nothing has changed.
    #[inline(always)]
    fn complete_in_ring<M: Machine>(&self, me: Ref<Thread>) -> Option<(Ref<Thread>, usize)> {
        let (next, rank) = (me.next.get(), me.rank.get());
        let (now, task) = (M::now(), next.place.task);
        // (no step waits for what it loads)
        let unusual = some(self.micro.later.get())
            | before(self.agenda.next(), now) as usize
            | (next.label <= me.label) as usize;
        let following = task?;
        // (who has the rank of the group, and stands in a ring, is of the group; it has the
        // turn, because nobody runs in the place of a task, nor a task in another's)
        let group = following.group;
        if unusual | differ(rank, &group.rank) != 0 {
            cold_path();
            return None;
        }
        let (page, job) = (next.control, group.job(following));
        let (limited, late) = (me.limited.get(), before(job.deadline, now));
        me.answer(0);
        rank.head.set(Some(next));
        self.first.set(next);
        job.tell::<M>(page);
        // (without a branch, which as a rule would be taken)
        let mask = ((limited != 0) as u8).wrapping_neg();
        me.limited.set((limit::OWN | limit::FRESH) & mask);
        Some((next, reason::COMPLETE | lateness(late)))
    }

    /// The same, whatever there is to see to.
    #[inline(never)]
    pub(super) extern "C" fn complete_any<M: Machine>(&self, me: Ref<Thread>) -> Outcome {
        let Some(task) = me.place.task else {
            return self.complete_instance::<M>(me);
        };
        let now = M::now();
        if before(self.agenda.next(), now) {
            // what has fallen due before goes first, and at once
            self.set_hart_timer::<M>(now, now);
            return self.again(me, Call::Complete, [0; 6]);
        }
        let deadline = match task.group.flags.get() & group_flag::APART {
            0 => task.group.rank.deadline.get(),
            _ => task.rank.deadline.get(),
        };
        let late = lateness(before(deadline, now));
        me.answer(0);
        self.end_job::<M>(task, now);
        if !self.has_work() {
            let outcome = self.dispatch();
            if outcome.answer() == 0 {
                return outcome.with(reason::COMPLETE | late);
            }
        }
        self.tell_completion::<M>(me, now, late)
    }

    /// The record of a completion that no record of a switch tells; then what is left to do.
    #[inline(never)]
    pub(super) fn tell_completion<M: Machine>(
        &self,
        me: Ref<Thread>,
        now: u32,
        late: usize,
    ) -> Outcome {
        let label = self.head(Kind::Complete, me.number() as u16);
        self.trace.write(now, label, late as u32, 0);
        self.react::<M>();
        self.dispatch()
    }

    /// The job of a task has ended.
    #[inline(never)]
    pub(super) fn end_job<M: Machine>(&self, task: Ref<Task>, at: u32) {
        let (thread, group, micro) = (task.thread, task.group, &self.micro);
        if thread.limited.get() != 0 {
            thread.limited.set(limit::OWN | limit::FRESH);
        }
        if group.flags.get() & group_flag::APART == 0 {
            // the next of the ring, if there is one
            let next = thread.next.get();
            match next.place.task {
                Some(following) if next.label > thread.label => {
                    group.rank.head.set(Some(next));
                    if same(self.first.get(), thread) {
                        self.first.set(next);
                    }
                    self.tell_job::<M>(following);
                }
                _ => self.close(&group.rank),
            }
        } else {
            self.unready_task(task);
            let left = group.left.get();
            group.left.set(left.wrapping_sub(task.is_released() as u32));
            task.end(0);
            self.end_dispatches(task, at);
            self.fire(&group.watchers, at);
        }
        if micro.later.get().is_some() || micro.ripe.get() != 0 {
            self.begin_event(at);
            self.unsettle();
        }
    }

    /// The job of a task is stopped: what it would put out is not to be copied.
    #[inline(never)]
    fn stop_job<M: Machine>(&self, task: Ref<Task>, violation: Violation) {
        let (now, thread) = (M::now(), task.thread);
        self.begin_rest::<M>(task.group);
        self.take_apart(task.group);
        if !task.is_released() {
            return;
        }
        self.begin_event(now);
        self.end_job::<M>(task, now);
        task.end(job::STOPPED);
        thread.begin_at(thread.place.entry, task.argument, thread.place.body);
        self.raise::<M>(violation, task, now);
    }

    /// A job or an upcall has used its budget: it is stopped.
    #[inline(never)]
    pub(crate) fn exhaust<M: Machine>(&self, me: Ref<Thread>) {
        match me.place.task {
            Some(task) => self.stop_job::<M>(task, Violation::Overrun),
            None if self.stop_instance::<M>(me) => {}
            None => {
                self.stop_upcall::<M>(me, stage::OVERRUN, 0);
            }
        }
        self.react::<M>();
    }

    /// A job is about to leave its ring.
    #[inline(never)]
    pub(crate) fn begin_behind<M: Machine>(&self, thread: Ref<Thread>) {
        if let Some(task) = thread.place.task {
            self.begin_rest::<M>(task.group);
        }
    }

    /// A task is about to be queued elsewhere, by somebody who knows nothing of rings.
    #[inline(never)]
    pub(crate) fn leave_ring(&self, thread: Ref<Thread>) {
        if let Some(task) = thread.place.task {
            self.take_apart(task.group);
        }
    }

    /// The process of a thread ends: its job or upcall does.
    #[inline(never)]
    pub(crate) fn end_program_thread<M: Machine>(&self, thread: Ref<Thread>) {
        match thread.place.task {
            Some(task) => {
                self.stop_job::<M>(task, Violation::Fault);
                // (nor is what jobs before put out: its memory becomes what it was)
                task.end(job::STOPPED);
                let unusual = &task.group.flags;
                unusual.set(unusual.get() | group_flag::DEAD);
                let program = task.group.program;
                program
                    .bound
                    .set(program.bound.get().max(program.counted_steps));
            }
            None => {
                self.stop_upcall::<M>(thread, stage::FAULT, 0);
            }
        }
        self.react::<M>();
    }

    /// The process of a thread begins anew, and it as at boot.
    pub(crate) fn begin_program_thread(&self, thread: Ref<Thread>) {
        let rank = match thread.place.task {
            Some(task) => {
                let place = thread.place;
                thread.begin_at(place.entry, task.argument, place.body);
                let bits = task.group.flags.get();
                task.group.flags.set(bits & !group_flag::DEAD);
                match bits & group_flag::FIXED {
                    0 => &task.rank,
                    _ => return,
                }
            }
            None if thread.role & crate::sched::thread::role::UPCALL != 0 => self.micro.reaction,
            None => return,
        };
        thread.begin_with(rank);
    }
}

/// The label of a record that tells of a release. (That of a thread is the label of a
/// switch.)
#[inline(always)]
fn release_label(task: Ref<Task>) -> u32 {
    task.thread.label ^ (Kind::Switch as u32 ^ Kind::Release as u32)
}

/// What the record of a switch says of a job.
#[inline(always)]
pub(super) fn lateness(late: bool) -> usize {
    match late {
        true => reason::LATE,
        false => 0,
    }
}
