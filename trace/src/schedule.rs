//! Who ran when, and what became of each job: what a chart is drawn from.

use giornata_abi::time::Timebase;
use giornata_abi::trace::Violation;
use giornata_abi::{Instant, Ticks};
use giornata_system::NameMap;
use giornata_system::names::ThreadRole;

use crate::event::{Breach, Content, Event};

/// A time for which a thread had a processor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slice {
    /// Its beginning.
    pub from: Instant,
    /// Its end, not before its beginning.
    pub to: Instant,
}

/// One job of a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Job {
    /// Its number.
    pub number: u32,
    /// The logical instant of its release.
    pub released: Instant,
    /// Its absolute deadline.
    pub deadline: Option<Instant>,
    /// When it completed or was stopped; `None` while it is under way.
    pub end: Option<Instant>,
    /// It was stopped.
    pub stopped: bool,
    /// It was uncompleted at its deadline.
    pub late: bool,
}

/// A job that was uncompleted at its deadline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Late {
    /// The task's thread.
    pub thread: u16,
    /// The job's number.
    pub job: u32,
    /// Its deadline.
    pub deadline: Instant,
    /// When it completed after all.
    pub completed: Option<Instant>,
}

/// One thread's part of a schedule.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Row {
    /// When it ran, in the part that is kept; those that touch are one.
    pub slices: Vec<Slice>,
    /// The jobs released in the part that is kept.
    pub jobs: Vec<Job>,
    /// Jobs uncompleted at their deadlines, in all.
    pub misses: u64,
    /// How often another task or thread ran between two parts of one job, in
    /// all. Upcalls, which take place in logical zero time, do not count.
    pub preemptions: u64,
    open: Option<Job>,
}

impl Row {
    /// A row of these times and no job.
    pub(crate) fn of(slices: Vec<Slice>) -> Row {
        Row {
            slices,
            ..Row::default()
        }
    }

    /// The times after a deadline until the late job ended, in order.
    pub(crate) fn overdue(&self) -> impl Iterator<Item = Slice> + '_ {
        let late = self.jobs.iter().filter(|job| job.late);
        late.filter_map(|job| {
            Some(Slice {
                from: job.deadline?,
                to: job.end.unwrap_or(Instant::NEVER),
            })
        })
    }

    /// When it ran after the deadline of its job, in order.
    pub(crate) fn ran_late(&self) -> Vec<Slice> {
        let overdue: Vec<Slice> = self.overdue().collect();
        let slices = self.slices.iter();
        let late = slices.flat_map(|slice| overdue.iter().filter_map(|late| slice.common(*late)));
        late.collect()
    }
}

impl Slice {
    /// What lies in both.
    fn common(self, other: Slice) -> Option<Slice> {
        let (from, to) = (self.from.max(other.from), self.to.min(other.to));
        (from < to).then_some(Slice { from, to })
    }
}

/// A schedule as it comes about.
#[derive(Clone, Debug)]
pub struct Schedule {
    /// By thread.
    pub rows: Vec<Row>,
    /// The jobs uncompleted at their deadlines, in the order in which that
    /// was seen.
    pub late: Vec<Late>,
    kept: Instant,
    base: Timebase,
    roles: Vec<ThreadRole>,
    /// By hart: who runs, and since when.
    running: Vec<Option<(u16, Ticks)>>,
    /// By hart: whose job was left unfinished, before anybody else ran.
    left: Vec<Option<u16>>,
}

impl Schedule {
    /// An empty schedule of a system. Slices and jobs are kept that begin
    /// before `kept`; counts go on to the end.
    pub fn new(names: &NameMap, kept: Instant) -> Schedule {
        Schedule {
            rows: vec![Row::default(); names.threads.len()],
            late: Vec::new(),
            kept,
            base: Timebase::new(names.timer_hertz),
            roles: names.threads.iter().map(|thread| thread.role).collect(),
            running: Vec::new(),
            left: Vec::new(),
        }
    }

    /// Adds an event. O(1).
    pub fn observe(&mut self, event: &Event) {
        match &event.content {
            Content::Switch { thread, .. } => self.switch(event.hart, event.tick, *thread),
            Content::Release {
                thread,
                job,
                at,
                deadline,
            } => {
                self.end_job(*thread, *at, true);
                if let Some(row) = self.rows.get_mut(usize::from(*thread)) {
                    row.open = Some(Job {
                        number: *job,
                        released: *at,
                        deadline: *deadline,
                        end: None,
                        stopped: false,
                        late: false,
                    });
                }
            }
            Content::Complete {
                thread, job, at, ..
            } if self.is_open(*thread, *job) => self.complete(*thread, *at),
            Content::Violation(Breach {
                violation: Some(Violation::Overrun | Violation::Fault),
                task: Some(thread),
                ..
            }) => {
                let at = self.base.instant(event.tick);
                self.end_job(*thread, at, true);
            }
            _ => {}
        }
    }

    /// Ends it: who runs has run until `end`, and a job that is under way
    /// though its deadline has come is late.
    pub fn close(&mut self, end: Instant) {
        for hart in 0..self.running.len() {
            self.switch(hart as u8, self.base.ticks(end), None);
        }
        for thread in 0..self.rows.len() as u16 {
            let open = self.rows[usize::from(thread)].open;
            let due = open.filter(|job| job.deadline.is_some_and(|deadline| deadline <= end));
            if due.is_some() {
                self.miss(thread, None);
            }
            let row = &mut self.rows[usize::from(thread)];
            if let Some(job) = row.open.take() {
                keep(&mut row.jobs, job, self.kept);
            }
        }
    }

    fn is_open(&self, thread: u16, number: u32) -> bool {
        let row = self.rows.get(usize::from(thread));
        row.and_then(|row| row.open)
            .is_some_and(|job| job.number == number)
    }

    fn complete(&mut self, thread: u16, at: Instant) {
        let open = self.rows.get(usize::from(thread)).and_then(|row| row.open);
        if open.is_some_and(|job| job.deadline.is_some_and(|deadline| at > deadline)) {
            self.miss(thread, Some(at));
        }
        self.end_job(thread, at, false);
    }

    /// The job that is under way is late.
    fn miss(&mut self, thread: u16, completed: Option<Instant>) {
        if let Some(row) = self.rows.get_mut(usize::from(thread))
            && let Some(job) = &mut row.open
            && let Some(deadline) = job.deadline
        {
            job.late = true;
            row.misses += 1;
            self.late.push(Late {
                thread,
                job: job.number,
                deadline,
                completed,
            });
        }
    }

    fn end_job(&mut self, thread: u16, at: Instant, stopped: bool) {
        if let Some(row) = self.rows.get_mut(usize::from(thread))
            && let Some(job) = row.open.take()
        {
            let end = Some(at);
            let ended = Job {
                end,
                stopped,
                ..job
            };
            keep(&mut row.jobs, ended, self.kept);
        }
    }

    fn switch(&mut self, hart: u8, tick: Ticks, next: Option<u16>) {
        let hart = usize::from(hart);
        if self.running.len() <= hart {
            self.running.resize(hart + 1, None);
            self.left.resize(hart + 1, None);
        }
        if let Some((thread, since)) = self.running[hart] {
            self.ran(thread, since, tick);
            let row = self.rows.get(usize::from(thread));
            if row.is_some_and(|row| row.open.is_some()) {
                self.left[hart] = Some(thread);
            }
        }
        self.running[hart] = next.map(|thread| (thread, tick));
        let is_upcall =
            |thread: u16| self.roles.get(usize::from(thread)) == Some(&ThreadRole::Upcall);
        if let Some(next) = next.filter(|next| !is_upcall(*next))
            && let Some(left) = self.left[hart].take()
            && left != next
            && let Some(row) = self.rows.get_mut(usize::from(left))
            && row.open.is_some()
        {
            row.preemptions += 1;
        }
    }

    fn ran(&mut self, thread: u16, since: Ticks, tick: Ticks) {
        let (from, to) = (self.base.instant(since), self.base.instant(tick));
        let Some(row) = self.rows.get_mut(usize::from(thread)) else {
            return;
        };
        if from >= to || from >= self.kept {
            return;
        }
        match row.slices.last_mut() {
            Some(last) if last.to == from => last.to = to,
            _ => row.slices.push(Slice { from, to }),
        }
    }
}

fn keep(jobs: &mut Vec<Job>, job: Job, kept: Instant) {
    if job.released < kept {
        jobs.push(job);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::*;

    fn observe(events: &[Event], end_ms: u64) -> Schedule {
        let mut schedule = Schedule::new(&names(), Instant(100_000_000));
        events.iter().for_each(|event| schedule.observe(event));
        schedule.close(Instant(end_ms * 1_000_000));
        schedule
    }

    fn ms(from: u64, to: u64) -> Slice {
        let at = |ms: u64| Instant(ms * 1_000_000);
        Slice {
            from: at(from),
            to: at(to),
        }
    }

    /// `slow` runs from 0, `fast` from 10 to 12 ms, `slow` again to 15 ms.
    fn preempted() -> Vec<Event> {
        vec![
            release(0, 1, 1, 20),
            switch(0, Some(1)),
            release(10, 0, 1, 10),
            switch(10_000, Some(0)),
            complete(12_000, 0, 1),
            switch(12_000, Some(1)),
            complete(15_000, 1, 1),
            switch(15_000, None),
        ]
    }

    #[test]
    fn a_job_that_another_task_interrupts_is_preempted_once() {
        let schedule = observe(&preempted(), 20);
        assert_eq!(schedule.rows[1].slices, [ms(0, 10), ms(12, 15)]);
        assert_eq!(schedule.rows[0].slices, [ms(10, 12)]);
        let counts = [0, 1].map(|row: usize| schedule.rows[row].preemptions);
        assert_eq!((counts, schedule.late.len()), ([0, 1], 0));
    }

    #[test]
    fn an_upcall_is_no_preemption_and_slices_that_touch_are_one() {
        let schedule = observe(
            &[
                release(0, 1, 1, 20),
                switch(0, Some(1)),
                switch(5_000, Some(2)),
                switch(5_000, Some(1)),
                switch(8_000, Some(2)),
                switch(9_000, Some(1)),
                complete(15_000, 1, 1),
                switch(15_000, None),
            ],
            20,
        );
        assert_eq!(schedule.rows[1].preemptions, 0);
        assert_eq!(schedule.rows[1].slices, [ms(0, 8), ms(9, 15)]);
        assert_eq!(schedule.rows[2].slices, [ms(8, 9)]);
    }

    #[test]
    fn a_job_is_late_by_its_completion_or_by_the_end() {
        let events = [
            release(0, 0, 1, 10),
            complete(11_000, 0, 1),
            release(20, 0, 2, 10),
            release(20, 1, 1, 20),
        ];
        let schedule = observe(&events, 30);
        let late: Vec<(u16, u32, bool)> = schedule
            .late
            .iter()
            .map(|late| (late.thread, late.job, late.completed.is_some()))
            .collect();
        assert_eq!(
            late,
            [(0, 1, true), (0, 2, false)],
            "slow has time until 40 ms"
        );
        assert_eq!(schedule.rows[0].misses, 2);
    }

    #[test]
    fn what_begins_after_the_part_that_is_kept_is_counted_only() {
        let mut schedule = Schedule::new(&names(), Instant(5_000_000));
        preempted().iter().for_each(|event| schedule.observe(event));
        schedule.close(Instant(20_000_000));
        assert!(schedule.rows[0].jobs.is_empty() && schedule.rows[0].slices.is_empty());
        assert_eq!(schedule.rows[1].slices, [ms(0, 10)]);
        assert_eq!(schedule.rows[1].preemptions, 1);
    }

    #[test]
    fn an_overrun_stops_the_job() {
        let breach = Breach {
            program: 0,
            violation: Some(Violation::Overrun),
            handled: false,
            at: Instant(4_000_000),
            task: Some(0),
            driver: None,
        };
        let events = [
            release(0, 0, 1, 10),
            event(4_000, Content::Violation(breach)),
        ];
        let schedule = observe(&events, 20);
        let job = schedule.rows[0].jobs[0];
        assert!(job.stopped && job.end == Some(Instant(4_000_000)));
        assert!(schedule.late.is_empty());
    }
}
