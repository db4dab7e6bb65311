//! Who could have run, and did not.
//!
//! The trace has no record of a thread that becomes ready. This counts only what follows
//! from the records that there are:
//!
//! - A thread that begins with its process is ready until it first runs, and a job that
//!   was released is until it begins.
//! - While the hart never idles and all that runs is more urgent than a thread, that
//!   thread does not run, ready or not.
//!
//! Urgency is what the system file says, or the call that changed a priority last. A thread that runs as urgently as somebody who
//! waits for it, or as urgently as a ceiling, counts as what it is otherwise; so some
//! that starve are not found, and none is found that could have run.

use giornata_abi::{Instant, Ticks};
use giornata_system::NameMap;
use giornata_system::expect::Kind;
use giornata_system::names::{ThreadName, ThreadRole};

use crate::event::{Breach, Content, Event};
use giornata_abi::time::Timebase;
use giornata_abi::trace::Violation;

/// A thread that did not get the processor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Waiting {
    /// Its index.
    pub(crate) thread: u16,
    /// [`Kind::NeverRun`] or [`Kind::Starved`].
    pub(crate) kind: Kind,
    /// Since when.
    pub(crate) since: Ticks,
    /// Who had the processor longest of those that are as urgent or more.
    pub(crate) other: Option<u16>,
}

/// One thread.
#[derive(Clone, Copy, Debug, Default)]
struct Turn {
    /// It has begun, and its process and its job have not ended.
    is_there: bool,
    /// Ready since then for certain, and has not run.
    ready: Option<u64>,
    /// The deadline of its job.
    deadline: Option<Instant>,
    /// When it ran last.
    last: Option<u64>,
    /// Ticks on a processor.
    spent: u64,
}

/// Who had the processor, as far as it bears on who had not.
#[derive(Clone, Debug)]
pub(crate) struct Occupancy {
    /// By thread: the kernel's level, 0 the most urgent.
    levels: Vec<u16>,
    turns: Vec<Turn>,
    /// By process: it has not ended.
    alive: Vec<bool>,
    /// By hart: who runs, and since when.
    running: Vec<Option<(u16, u64)>>,
    /// When a hart last had nobody to run, or somebody that the names do not know.
    idle: u64,
    start: u64,
}

impl Occupancy {
    /// Nobody has run yet.
    pub(crate) fn new(names: &NameMap) -> Occupancy {
        let level = |thread| level(thread, names.deadline_band);
        Occupancy {
            levels: names.threads.iter().map(level).collect(),
            turns: vec![Turn::default(); names.threads.len()],
            alive: names.processes.iter().map(|p| !p.by_call).collect(),
            running: Vec::new(),
            idle: 0,
            start: 0,
        }
    }

    /// Adds an event. O(1), but O(threads) where a process begins or ends.
    pub(crate) fn observe(&mut self, event: &Event, names: &NameMap) {
        let tick = event.tick.0;
        match &event.content {
            Content::Boot { .. } => {
                (self.start, self.idle) = (tick, tick);
                for process in 0..self.alive.len() {
                    if self.alive[process] {
                        self.begin(process as u16, tick, names);
                    }
                }
            }
            Content::Switch { thread, .. } => self.switch(event.hart, tick, *thread),
            Content::Priority {
                thread, priority, ..
            } => {
                if let Some(level) = self.levels.get_mut(usize::from(*thread)) {
                    *level = 256u16.saturating_sub(*priority);
                }
            }
            Content::Release {
                thread, deadline, ..
            } => {
                let owner = names.threads.get(usize::from(*thread)).map(|t| t.process);
                let lives = owner.and_then(|p| self.alive.get(usize::from(p)));
                if lives.copied().unwrap_or(false)
                    && let Some(turn) = self.turns.get_mut(usize::from(*thread))
                {
                    turn.is_there = true;
                    turn.ready = Some(tick);
                    turn.deadline = *deadline;
                }
            }
            Content::Complete { thread, .. }
            | Content::Violation(Breach {
                violation: Some(Violation::Overrun | Violation::Fault),
                task: Some(thread),
                ..
            }) => self.end(*thread),
            Content::Fault { process, .. } => self.end_process(*process, names),
            Content::Process {
                process, restarted, ..
            } => {
                self.end_process(*process, names);
                if *restarted {
                    self.begin(*process, tick, names);
                }
            }
            _ => {}
        }
    }

    fn begin(&mut self, process: u16, tick: u64, names: &NameMap) {
        if let Some(alive) = self.alive.get_mut(usize::from(process)) {
            *alive = true;
        }
        for (turn, thread) in self.turns.iter_mut().zip(&names.threads) {
            if thread.process == process && thread.autostart {
                turn.is_there = true;
                turn.ready = Some(tick);
            }
        }
    }

    fn end_process(&mut self, process: u16, names: &NameMap) {
        if let Some(alive) = self.alive.get_mut(usize::from(process)) {
            *alive = false;
        }
        for (index, thread) in (0u16..).zip(&names.threads) {
            if thread.process == process {
                self.end(index);
            }
        }
    }

    fn end(&mut self, thread: u16) {
        if let Some(turn) = self.turns.get_mut(usize::from(thread)) {
            turn.is_there = false;
            turn.ready = None;
            turn.deadline = None;
        }
    }

    fn switch(&mut self, hart: u8, tick: u64, next: Option<u16>) {
        let hart = usize::from(hart);
        if self.running.len() <= hart {
            self.running.resize(hart + 1, None);
        }
        let left = std::mem::replace(&mut self.running[hart], next.map(|next| (next, tick)));
        match left.and_then(|(left, since)| Some((self.turns.get_mut(usize::from(left))?, since))) {
            Some((turn, since)) => {
                turn.last = Some(tick);
                turn.spent = turn.spent.saturating_add(tick.saturating_sub(since));
            }
            None => self.idle = tick,
        }
        if let Some(next) = next
            && let Some(turn) = self.turns.get_mut(usize::from(next))
        {
            turn.ready = None;
            turn.last = Some(tick);
            // (a thread that another one created has no record of its beginning)
            turn.is_there = true;
        }
    }

    /// Who did not get the processor in a run that ended at this tick: who was never
    /// given it, and who could not have it for the last half of the run.
    pub(crate) fn waiting(&self, end: Ticks, names: &NameMap) -> Vec<Waiting> {
        let mut ended = self.clone();
        for hart in 0..self.running.len() {
            ended.switch(hart as u8, end.0, None);
        }
        let all = (0u16..).zip(&names.threads);
        let all = all.filter(|(_, thread)| thread.role != ThreadRole::Upcall);
        all.filter_map(|(index, _)| ended.judge(index, end.0, names))
            .collect()
    }

    /// When a thread ran last, if it has run, and not for at least the last half of a run
    /// that ended at this tick.
    pub(super) fn absent_since(&self, thread: u16, end: Ticks) -> Option<Ticks> {
        if self
            .running
            .iter()
            .flatten()
            .any(|(runs, _)| *runs == thread)
        {
            return None;
        }
        let last = self.turns.get(usize::from(thread))?.last?;
        self.is_long(last, end.0).then_some(Ticks(last))
    }

    /// When a thread was entered, left or released last.
    pub(super) fn since(&self, thread: u16) -> Option<Ticks> {
        let turn = self.turns.get(usize::from(thread))?;
        turn.last.max(turn.ready).map(Ticks)
    }

    /// Whether a thread has a job that was released and has not ended.
    pub(super) fn has_job(&self, thread: u16) -> bool {
        let turn = self.turns.get(usize::from(thread));
        turn.is_some_and(|turn| turn.is_there)
    }

    /// Whether what began then lasted for at least half of a run that ended at `end`.
    fn is_long(&self, since: u64, end: u64) -> bool {
        let half = end.saturating_sub(self.start).div_ceil(2).max(1);
        end.saturating_sub(since) >= half
    }

    fn judge(&self, thread: u16, end: u64, names: &NameMap) -> Option<Waiting> {
        let turn = self.turns.get(usize::from(thread))?;
        let is_long = |since: u64| self.is_long(since, end);
        let base = Timebase::new(names.timer_hertz);
        let is_due = turn.deadline.is_some_and(|at| base.ticks(at).0 <= end);
        let barred = self.barred_since(thread);
        let (kind, since) = match (turn.last, turn.ready) {
            (None, Some(since)) if is_due || is_long(since) => (Kind::NeverRun, since),
            (Some(_), Some(since)) if is_long(since) => (Kind::Starved, since),
            (Some(_), _) if turn.is_there && is_long(barred) => (Kind::Starved, barred),
            _ => return None,
        };
        let own = usize::from(thread);
        let is_first = |other: &usize| *other != own && self.levels[*other] <= self.levels[own];
        let others = (0..self.turns.len()).filter(is_first);
        let other = others.max_by_key(|other| self.turns[*other].spent);
        Some(Waiting {
            thread,
            kind,
            since: Ticks(since),
            other: other.map(|other| other as u16),
        })
    }

    /// Since when nobody has run but who is more urgent than a thread.
    fn barred_since(&self, thread: u16) -> u64 {
        let own = self.levels[usize::from(thread)];
        let turns = self.levels.iter().zip(&self.turns);
        let others = turns.filter(|(level, _)| **level >= own);
        let last = others.filter_map(|(_, turn)| turn.last).max();
        last.unwrap_or(self.start).max(self.idle)
    }
}

/// The level that the kernel gives a thread: `ARCHITECTURE.md`, "Levels".
fn level(thread: &ThreadName, band: u8) -> u16 {
    match (thread.role, thread.policy.as_str()) {
        (ThreadRole::Upcall, _) => 0,
        (ThreadRole::Filter, _) => 257,
        (ThreadRole::Task, "deadline") if thread.deadline == 0 => 257,
        (_, "deadline") => 256 - u16::from(band),
        _ => 256 - u16::from(thread.priority),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::*;

    const URGENT: u16 = 3;
    const POLL: u16 = 4;

    /// The sample with two threads of fixed priorities, 20 and 10.
    fn system() -> NameMap {
        let mut names = names();
        for (name, priority) in [("spin", 20), ("poll", 10)] {
            names.threads.push(ThreadName {
                name: name.into(),
                role: ThreadRole::Thread,
                policy: "fifo".into(),
                priority,
                autostart: true,
                deadline: 0,
                ..names.threads[1].clone()
            });
        }
        names
    }

    fn waiting(events: &[Event], end_ms: u64) -> Vec<(u16, Kind, u64)> {
        let names = system();
        let mut occupancy = Occupancy::new(&names);
        let boot = Content::Boot {
            hertz: names.timer_hertz,
            capacity: 1024,
            tables: 0,
        };
        occupancy.observe(&event(0, boot), &names);
        events.iter().for_each(|e| occupancy.observe(e, &names));
        let waiting = occupancy.waiting(Ticks(end_ms * 10_000), &names);
        let told = |w: &Waiting| (w.thread, w.kind, w.since.0 / 10_000);
        waiting.iter().map(told).collect()
    }

    #[test]
    fn a_thread_that_never_gets_the_processor_never_ran() {
        let events = [switch(0, Some(URGENT))];
        assert_eq!(waiting(&events, 100), [(POLL, Kind::NeverRun, 0)]);
    }

    #[test]
    fn a_thread_that_could_not_run_for_the_last_half_starved() {
        let events = [
            switch(0, Some(URGENT)),
            switch(1_000, Some(POLL)),
            switch(30_000, Some(URGENT)),
        ];
        assert_eq!(waiting(&events, 100), [(POLL, Kind::Starved, 30)]);
        assert_eq!(waiting(&events, 59), [], "for less than half of the run");
    }

    #[test]
    fn a_thread_beside_which_the_hart_idled_waits_for_something_else() {
        let events = [
            switch(0, Some(URGENT)),
            switch(1_000, Some(POLL)),
            switch(2_000, None),
            switch(60_000, Some(URGENT)),
        ];
        assert_eq!(waiting(&events, 100), []);
    }

    #[test]
    fn who_computes_beside_equals_and_less_urgent_ones_starves_nobody() {
        let events = [
            switch(0, Some(URGENT)),
            switch(1_000, Some(POLL)),
            switch(2_000, Some(URGENT)),
            switch(3_000, Some(POLL)),
        ];
        assert_eq!(waiting(&events, 100), [], "poll runs, spin may wait");
    }

    #[test]
    fn a_job_that_never_begins_never_ran_when_its_deadline_has_come() {
        let begun = [switch(0, Some(URGENT)), switch(1, Some(POLL))];
        let mut events = begun.to_vec();
        events.push(release(95, 0, 1, 4));
        assert_eq!(waiting(&events, 100), [(0, Kind::NeverRun, 95)]);
        let mut events = begun.to_vec();
        events.push(release(95, 0, 1, 10));
        assert_eq!(waiting(&events, 100), [], "it has time until 105 ms");
    }

    #[test]
    fn threads_of_a_process_that_ended_wait_for_nothing() {
        let end = Content::Process {
            process: 1,
            restarted: false,
            generation: 0,
        };
        let events = [switch(0, Some(0)), event(1_000, end)];
        assert_eq!(waiting(&events, 100), []);
    }
}
