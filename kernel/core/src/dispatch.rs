//! Scheduling: the one order of urgency, the ready queue, and the decision.
//!
//! A thread that can run is in the ready queue, the current one too; so
//! preemption moves nothing. A queued key is never changed: the thread is taken
//! out and queued anew.

use crate::core_state::Core;
use crate::event::{Beginning, Next, Outcome};
use crate::hardware::Hardware;
use crate::thread::State;
use giornata_abi::call::Answer;
use giornata_abi::id::NONE;
use giornata_abi::system::{BAND_DEADLINE, Policy, ThreadEntry, ThreadKind};
use giornata_abi::trace::TraceKind;
use giornata_abi::{Duration, Instant, Ticks};
use giornata_queue::Urgency;

/// At which end of its band a thread of fixed priority arrives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// Behind its equals: it has waited least.
    Tail,
    /// Before its equals.
    Head,
}

/// Deadlines farther than this are parked behind all nearer ones.
const HORIZON: Duration = Duration(1 << (30 + Urgency::DEADLINE_SHIFT));
/// A parked key is renewed this often. It lies this far beyond the horizon, so
/// that it has not come nearer than a true key may be before it is renewed; the
/// rest of the span that keys may differ by is left for deadlines that passed.
const RENEWAL: Duration = Duration(HORIZON.0 / 2);
/// Byte offset of the ceiling in a control page.
const CEILING: usize = 24;
/// Byte offset of the pending preemption in a control page.
const PENDING: usize = 28;

/// Whether a thread is scheduled by its deadline.
fn is_by_deadline(entry: &ThreadEntry) -> bool {
    entry.policy == Policy::Deadline as u8
}

/// Where a thread or a task begins.
pub(crate) fn beginning(entry: &ThreadEntry) -> Beginning {
    Beginning {
        entry: entry.entry,
        stack_top: entry.stack_top,
        arguments: entry.arguments(),
    }
}

impl<H: Hardware> Core<'_, H> {
    /// The urgency of a thread that arrives now: recomputed from what it is and
    /// holds, never remembered.
    fn urgency(&mut self, thread: u16, end: End) -> (Urgency, bool) {
        let entry = self.thread_entry(thread);
        let state = *self.threads.at(thread);
        let slot = match self.system.programs.get(entry.program as usize) {
            Some(program) if state.governed && program.slot != BAND_DEADLINE => {
                Some(program.slot as u8)
            }
            _ => None,
        };
        match slot {
            Some(priority) => (Urgency::fixed(priority, self.arrival(end)), false),
            None if is_by_deadline(entry) => self.deadline_urgency(state.deadline),
            None => (Urgency::fixed(state.priority, self.arrival(end)), false),
        }
    }

    /// The urgency of a deadline, and whether its key is not its own because it
    /// is too far.
    fn deadline_urgency(&self, deadline: Instant) -> (Urgency, bool) {
        let farthest = self.now() + HORIZON;
        let parked = deadline > farthest;
        let key = if parked { farthest + RENEWAL } else { deadline };
        (Urgency::deadline(self.deadline_level(), key), parked)
    }

    /// The level of the deadline band.
    pub(crate) fn deadline_level(&self) -> u16 {
        Urgency::level_of(self.system.header.deadline_band as u8)
    }

    fn arrival(&mut self, end: End) -> u32 {
        let (tail, head) = &mut self.arrivals;
        match end {
            End::Tail => {
                *tail = tail.wrapping_add(1);
                *tail
            }
            End::Head => {
                *head = head.wrapping_sub(1);
                *head
            }
        }
    }

    /// Changes a thread's state and the count of what its process holds.
    pub(crate) fn set_state(&mut self, thread: u16, state: State) {
        let before = core::mem::replace(&mut self.threads.at_mut(thread).state, state);
        let process = self.thread_entry(thread).process;
        match (before, state) {
            (State::Dormant, State::Dormant) => {}
            (State::Dormant, _) => self.processes.at_mut(process).hold(),
            (_, State::Dormant) => self.processes.at_mut(process).release(),
            _ => {}
        }
    }

    /// Makes a thread ready, or holds it if S code says so. O(1) in a fixed
    /// band, O(log n) in the deadline band.
    pub(crate) fn make_ready(&mut self, thread: u16, end: End) {
        let state = self.threads.at(thread);
        if state.governed && !state.permitted {
            self.set_state(thread, State::Held);
            return;
        }
        let (urgency, parked) = self.urgency(thread, end);
        let record = self.threads.at_mut(thread);
        record.urgency = urgency;
        record.parked = parked;
        self.set_state(thread, State::Ready);
        self.ready.insert(thread, urgency);
        if parked {
            let again = self.now() + RENEWAL;
            self.agenda.insert(thread, again);
        }
    }

    /// Takes a thread from wherever it waits or runs and leaves it in `state`.
    pub(crate) fn suspend(&mut self, thread: u16, state: State) {
        self.ready.remove(thread);
        if self.threads.at(thread).parked || self.threads.at(thread).state == State::Sleeping {
            self.agenda.remove(thread);
        }
        self.threads.at_mut(thread).parked = false;
        self.set_state(thread, state);
        if self.hart.current == Some(thread) {
            self.hart.current = None;
        }
    }

    /// Queues a ready thread anew, with a key of now.
    pub(crate) fn requeue(&mut self, thread: u16, end: End) {
        self.suspend(thread, State::Held);
        self.make_ready(thread, end);
        let ceiling = self.ceiling(thread);
        self.lift(thread, ceiling);
    }

    /// The ceiling that a thread has published in its control page, clamped to
    /// what its process is granted; 0 = none.
    fn ceiling(&mut self, thread: u16) -> u8 {
        let entry = self.thread_entry(thread);
        let granted = self.process_entry(entry.process).max_priority;
        let address = (entry.control as usize).wrapping_add(CEILING);
        let mut word = [0];
        if granted == 0
            || self
                .hardware
                .read(entry.process, address, &mut word, 4)
                .is_err()
        {
            return 0;
        }
        let [published] = word;
        published.min(granted as u64) as u8
    }

    /// Queues a ready thread at the head of its ceiling's level, unless its own
    /// is above. It stays there until it is queued anew.
    fn lift(&mut self, thread: u16, ceiling: u8) {
        let level = Urgency::level_of(ceiling);
        let below = level < self.threads.at(thread).urgency.level;
        if ceiling == 0 || below || !self.ready.contains(thread) {
            return;
        }
        let urgency = match level == self.deadline_level() {
            true => Urgency::deadline(level, self.now()),
            false => Urgency::fixed(ceiling, self.arrival(End::Head)),
        };
        self.threads.at_mut(thread).urgency = urgency;
        self.ready.insert(thread, urgency);
    }

    /// Starts an ordinary thread at its beginning.
    pub(crate) fn start_thread(&mut self, thread: u16) {
        let entry = self.thread_entry(thread);
        let now = self.now();
        let quantum = self.quantum(entry);
        let record = self.threads.at_mut(thread);
        record.priority = entry.priority;
        record.left = quantum;
        record.release = now;
        record.deadline = now + Duration(entry.deadline);
        self.hardware.start(thread, beginning(entry));
        self.make_ready(thread, End::Tail);
    }

    /// What a thread may run before the kernel looks at it: its quantum under
    /// round robin, else no limit.
    pub(crate) fn quantum(&self, entry: &ThreadEntry) -> Ticks {
        match entry.policy == Policy::RoundRobin as u8 && entry.quantum != 0 {
            true => self.timebase.span(Duration(entry.quantum as u64)),
            false => Ticks(u64::MAX),
        }
    }

    /// A thread's event in the agenda has come.
    pub(crate) fn wake(&mut self, thread: u16, at: Instant) {
        match self.threads.at(thread).state {
            State::Sleeping => {
                let relative = Duration(self.thread_entry(thread).deadline);
                let record = self.threads.at_mut(thread);
                record.release = at;
                record.deadline = at + relative;
                self.answer(thread, Answer::DONE);
                self.make_ready(thread, End::Tail);
            }
            State::Ready if self.threads.at(thread).parked => {
                self.threads.at_mut(thread).parked = false;
                self.requeue(thread, End::Tail);
            }
            _ => {}
        }
    }

    /// The current thread has used what it may. Answers the task whose job was
    /// stopped for it.
    pub(crate) fn expire_current(&mut self) -> Option<u16> {
        let thread = self.hart.current?;
        if self.threads.at(thread).left.0 != 0 {
            return None;
        }
        let entry = self.thread_entry(thread);
        if entry.kind == ThreadKind::Task as u8 {
            self.stop_job(thread);
            return Some(thread);
        }
        self.threads.at_mut(thread).left = self.quantum(entry);
        self.requeue(thread, End::Tail);
        None
    }

    /// Stops a task's job: its outputs keep their old values.
    pub(crate) fn stop_job(&mut self, thread: u16) {
        self.suspend(thread, State::Dormant);
        let record = self.threads.at_mut(thread);
        record.stopped = true;
        self.has_stopped = true;
    }

    /// The most urgent thread of a living process. Threads of processes that
    /// have died are dropped as they are met.
    pub(crate) fn most_urgent(&mut self) -> Option<(u16, Urgency)> {
        loop {
            let (thread, urgency) = self.ready.top()?;
            let process = self.thread_entry(thread).process;
            if self.processes.at(process).is_alive() {
                return Some((thread, urgency));
            }
            // the walk of the teardown settles the rest
            self.suspend(thread, State::Held);
        }
    }

    /// Chooses who runs, and when the alarm must ring.
    pub(crate) fn decide(&mut self) -> Outcome {
        self.report_misses();
        if let Some(status) = self.stop {
            return Outcome {
                next: Next::Stop(status),
                alarm: None,
                poke: 0,
            };
        }
        let next = match self.upcall {
            Some(upcall) => Some(upcall.thread),
            None => {
                let top = self.most_urgent();
                self.hart.current = self.honour_ceiling(top);
                self.hart.current
            }
        };
        self.show(next);
        self.hart.resumed = self.hardware.now();
        Outcome {
            next: next.map_or(Next::Idle, Next::Run),
            alarm: self.alarm(next),
            poke: 0,
        }
    }

    /// The current thread keeps the hart while the ceiling that it published is
    /// not below the contender; else it waits at its ceiling's level. Either
    /// way its control page tells it that somebody waits for it.
    fn honour_ceiling(&mut self, top: Option<(u16, Urgency)>) -> Option<u16> {
        let (contender, urgency) = top?;
        let current = match self.hart.current {
            Some(current) if current != contender && self.ready.contains(current) => current,
            _ => return Some(contender),
        };
        let ceiling = self.ceiling(current);
        if ceiling == 0 {
            return Some(contender);
        }
        let entry = self.thread_entry(current);
        let pending = (entry.control as usize).wrapping_add(PENDING);
        let told = self.hardware.write(entry.process, pending, &[1], 4);
        if told.is_ok() && Urgency::level_of(ceiling) >= urgency.level {
            return Some(current);
        }
        self.lift(current, ceiling);
        Some(contender)
    }

    /// Records a change of the thread that runs.
    fn show(&mut self, next: Option<u16>) {
        let shown = next.unwrap_or(NONE);
        if shown == self.hart.shown {
            return;
        }
        self.hart.shown = shown;
        let Some(thread) = next else {
            self.trace(TraceKind::Switch, NONE, 0, 0, 0);
            return;
        };
        let record = *self.threads.at(thread);
        let band = if self.upcall.is_some() {
            Urgency::REACTION
        } else {
            record.urgency.level
        };
        let y = (band as u64) << 48 | ((record.job & 0xFFFF) as u64) << 32;
        self.trace(
            TraceKind::Switch,
            thread,
            record.urgency.key,
            record.deadline.0,
            y,
        );
    }

    /// The earlier of the agenda's next instant and the end of what the thread
    /// may run; during an upcall its budget alone.
    fn alarm(&mut self, next: Option<u16>) -> Option<Ticks> {
        let left = match self.upcall {
            Some(upcall) => return Some(Ticks(self.hart.resumed.0.saturating_add(upcall.left.0))),
            None => next.map_or(Ticks(u64::MAX), |thread| self.threads.at(thread).left),
        };
        let end = self.hart.resumed.0.saturating_add(left.0);
        let end = end.min(self.next_tick().0);
        (end != u64::MAX).then_some(Ticks(end))
    }

    /// The tick at which the agenda's next instant has come; the last one of
    /// all if there is none. O(1), and a division where that instant is new.
    fn next_tick(&mut self) -> Ticks {
        let Some(instant) = self.agenda.next() else {
            return Ticks(u64::MAX);
        };
        if self.hart.alarm.0 != instant {
            let ticks = self.timebase.ticks(instant).0.saturating_add(self.origin.0);
            self.hart.alarm = (instant, Ticks(ticks));
        }
        self.hart.alarm.1
    }

    /// Whether an instant of the agenda has come by this entry.
    pub(crate) fn is_due(&mut self) -> bool {
        self.next_tick() <= self.hart.entered
    }
}
