//! Scheduling: the one order of urgency, the ready queue, and the decision.
//!
//! A thread that can run is in the ready queue, the current one too; so
//! preemption moves nothing. A queued key is never changed: the thread is taken
//! out and queued anew.

use crate::core_state::{Core, Upcall};
use crate::event::{Beginning, Next};
use crate::hardware::Hardware;
use crate::thread::State;
use giornata_abi::Record;
use giornata_abi::control::ControlPage;
use giornata_abi::id::NONE;
use giornata_abi::system::{BAND_DEADLINE, Policy, ThreadEntry, ThreadKind};
use giornata_abi::trace::TraceKind;
use giornata_abi::{Duration, Id, Instant, Ticks};
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
pub(crate) const RENEWAL: Duration = Duration(HORIZON.0 / 2);
/// Of a thread that is not queued.
const NO_URGENCY: Urgency = Urgency { level: 0, key: 0 };
/// Byte offset of the ceiling in a control page.
const CEILING: usize = 24;
/// Byte offset of the pending preemption in a control page.
const PENDING: usize = 28;

/// Whether a thread is scheduled by its deadline.
pub(crate) fn is_by_deadline(entry: &ThreadEntry) -> bool {
    entry.policy == Policy::Deadline as u8
}

/// Where a thread or a task begins.
#[inline(always)] // else by memory
pub(crate) fn beginning(entry: &ThreadEntry) -> Beginning {
    let [first, second] = entry.arguments();
    Beginning {
        entry: entry.entry,
        stack_top: entry.stack_top,
        thread_pointer: entry.control.wrapping_add(ControlPage::SIZE as u32),
        arguments: [first as usize, second as usize],
    }
}

impl<H: Hardware> Core<'_, H> {
    /// The urgency of a thread that arrives now, and whether its key is not its
    /// own because its deadline is too far: recomputed from what it is and holds,
    /// never remembered.
    #[inline(always)]
    pub(crate) fn urgency(&mut self, thread: u16, end: End) -> (Urgency, bool) {
        let (record, entry) = (self.threads.at(thread), self.thread_entry(thread));
        let slot = match record.governed {
            true => self.slot(entry),
            false => BAND_DEADLINE,
        };
        let priority = match slot {
            BAND_DEADLINE if is_by_deadline(entry) => {
                return self.deadline_urgency(record.deadline);
            }
            BAND_DEADLINE => record.priority,
            slot => slot as u8,
        };
        (Urgency::fixed(priority, self.arrival(end)), false)
    }

    /// The fixed priority that S code gives the tasks of a thread's program.
    fn slot(&self, entry: &ThreadEntry) -> u16 {
        let program = self.system.programs.get(entry.program as usize);
        program.map_or(BAND_DEADLINE, |program| program.slot)
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

    /// The urgency with which a thread runs; that of an upcall for the deadline
    /// band now.
    pub(crate) fn present_urgency(&self, thread: u16) -> Urgency {
        let queued = self.ready.urgency_of(thread);
        queued.unwrap_or(Urgency::deadline(self.deadline_level(), self.now()))
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

    /// Makes a thread ready, or holds it if S code says so. O(1) in a fixed
    /// band, O(log n) in the deadline band.
    pub(crate) fn make_ready(&mut self, thread: u16, end: End) {
        let record = self.threads.at_mut(thread);
        if record.governed && !record.permitted {
            record.state = State::Held;
            return;
        }
        (record.state, record.lifted) = (State::Ready, false);
        let was_parked = record.parked;
        let (own, parked) = self.urgency(thread, end);
        let urgency = self.inherit(thread, own);
        if urgency != own {
            self.threads.at_mut(thread).lifted = true;
        }
        self.ready.insert(thread, urgency);
        if parked != was_parked {
            self.threads.at_mut(thread).parked = parked;
        }
        if parked {
            let again = self.now() + RENEWAL;
            self.agenda.insert(thread, again);
            self.has_parked = true;
        }
    }

    /// Takes a thread from wherever it waits or runs and leaves it in `state`.
    pub(crate) fn suspend(&mut self, thread: u16, state: State) {
        self.ready.remove(thread);
        let record = self.threads.at_mut(thread);
        let before = core::mem::replace(&mut record.state, state);
        self.note_lender(thread);
        let record = self.threads.at_mut(thread);
        let was_timed = matches!(before, State::Sleeping | State::Throttled);
        if core::mem::replace(&mut record.parked, false) | was_timed {
            self.agenda.remove(thread);
        }
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

    /// Whether a thread has published a ceiling in its control page.
    #[inline(always)]
    pub(crate) fn has_ceiling(&mut self, thread: u16) -> bool {
        self.hardware.load_control(thread, CEILING) != 0
    }

    /// The ceiling that a thread has published in its control page, clamped to
    /// what its process is granted; 0 = none.
    fn ceiling(&mut self, thread: u16) -> u8 {
        let published = self.hardware.load_control(thread, CEILING);
        if published == 0 {
            return 0;
        }
        let process = self.thread_entry(thread).process;
        let granted = self.process_entry(process).max_priority;
        published.min(granted as u32) as u8
    }

    /// Queues a ready thread at the head of its ceiling's level, unless its own
    /// is above. It stays there until it is queued anew.
    fn lift(&mut self, thread: u16, ceiling: u8) {
        let level = Urgency::level_of(ceiling);
        let own = self.ready.urgency_of(thread).map(|urgency| urgency.level);
        if ceiling == 0 || own.is_none_or(|own| level < own) {
            return;
        }
        let urgency = self.ceiling_urgency(ceiling, End::Head);
        self.threads.at_mut(thread).lifted = true;
        self.forget_loans(thread);
        self.ready.insert(thread, urgency);
    }

    /// The urgency of a thread that arrives at a ceiling's level.
    pub(crate) fn ceiling_urgency(&mut self, ceiling: u8, end: End) -> Urgency {
        let level = Urgency::level_of(ceiling);
        match level == self.deadline_level() {
            true => Urgency::deadline(level, self.now()),
            false => Urgency::fixed(ceiling, self.arrival(end)),
        }
    }

    /// Starts an ordinary thread at its beginning.
    pub(crate) fn start_thread(&mut self, thread: u16) {
        let entry = self.thread_entry(thread);
        let now = self.now();
        let quantum = self.quantum(entry);
        let record = self.threads.at_mut(thread);
        record.priority = entry.priority;
        record.left = quantum;
        record.deadline = now + Duration(entry.deadline);
        self.hardware.start(thread, beginning(entry));
        self.note_id(thread);
        self.make_ready(thread, End::Tail);
    }

    /// Tells a thread its id in its control page.
    pub(crate) fn note_id(&mut self, thread: u16) {
        let id = Id::new(thread, self.threads.at(thread).generation);
        self.hardware.store_control(thread, 0, id.0);
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
                record.deadline = at + relative;
                self.hardware.finish(thread);
                self.unblock(thread);
            }
            State::Ready if self.threads.at(thread).parked => {
                self.threads.at_mut(thread).parked = false;
                self.requeue(thread, End::Tail);
            }
            State::Waiting | State::Joining => self.time_out(thread),
            State::Throttled => self.open_for(thread),
            _ => {}
        }
    }

    /// The current thread goes behind its equals; answers who is first then, if
    /// that is all that there is to it.
    #[inline(always)]
    pub(crate) fn pass_on(&mut self, thread: u16) -> Option<u16> {
        let has_place = self.threads.at(thread).lifted | self.has_something(thread);
        if has_place || self.has_ceiling(thread) {
            return None;
        }
        let (tail, _) = self.arrivals;
        let key = tail.wrapping_add(1);
        let next = self.ready.rotate(thread, key)?;
        self.arrivals.0 = key;
        Some(next)
    }

    /// Whether the current thread has used what it may.
    #[inline(always)]
    pub(crate) fn has_expired(&self) -> bool {
        let current = self.hart.current;
        current.is_some_and(|thread| self.threads.at(thread).left.0 == 0)
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
            if self.dying == 0 {
                return Some((thread, urgency));
            }
            let process = self.thread_entry(thread).process;
            if self.processes.at(process).is_alive() {
                return Some((thread, urgency));
            }
            // the walk of the teardown settles the rest
            self.suspend(thread, State::Held);
        }
    }

    /// Chooses who runs, and when the alarm must ring.
    pub(crate) fn decide(&mut self) -> Next {
        self.report_misses();
        if let Some(status) = self.stop {
            return Next::Stop(status);
        }
        self.calm = self.is_settled();
        let at = self.hardware.now();
        match self.upcall {
            Some(Upcall { thread, left, .. }) => {
                self.hart.resumed = at;
                self.show_upcall(thread);
                self.hart.alarm = Ticks(at.0.saturating_add(left.0));
                Next::Run(thread)
            }
            None => self.choose(at),
        }
    }

    /// Records that the thread of an upcall has the hart.
    fn show_upcall(&mut self, thread: u16) {
        if self.hart.shown == thread {
            return;
        }
        self.hart.shown = thread;
        self.trace(
            TraceKind::Switch,
            thread,
            0,
            0,
            (Urgency::REACTION as u64) << 48,
        );
    }

    /// Lets the most urgent thread run from this tick on.
    #[inline]
    pub(crate) fn choose(&mut self, at: Ticks) -> Next {
        let top = match self.dying {
            0 => self.ready.first(),
            _ => self.most_urgent().map_or(NONE, |(thread, _)| thread),
        };
        let next = match self.hart.current {
            Some(current) if current != top => self.honour_ceiling(current, top),
            _ => top,
        };
        self.run(next, at)
    }

    /// Lets a thread run, or none, from this tick on.
    #[inline]
    fn run(&mut self, thread: u16, at: Ticks) -> Next {
        if thread == NONE {
            self.hart.current = None;
            if core::mem::replace(&mut self.hart.shown, NONE) != NONE {
                self.trace(TraceKind::Switch, NONE, 0, 0, 0);
            }
            self.hart.alarm = self.next_tick();
            return Next::Idle;
        }
        if self.hart.shown == thread {
            (self.hart.current, self.hart.resumed) = (Some(thread), at);
        } else {
            self.take_over(thread, at);
        }
        self.set_alarm(thread, at);
        Next::Run(thread)
    }

    /// Another thread than the last runs from this tick on; answers whether what
    /// it may run has a limit.
    #[inline(always)]
    pub(crate) fn take_over(&mut self, thread: u16, at: Ticks) -> bool {
        self.hart.current = Some(thread);
        self.hart.resumed = at;
        self.hart.shown = thread;
        let record = self.threads.at(thread);
        let is_limited = record.left.0 != u64::MAX;
        let Urgency { level, key } = self.ready.urgency_of(thread).unwrap_or(NO_URGENCY);
        let y = ((level as u32) << 16 | (record.job & 0xFFFF)) as u64;
        let deadline = record.deadline.0;
        self.trace_here(TraceKind::Switch, thread, key, deadline, y << 32);
        is_limited
    }

    /// After a call that changed nothing of who may run until when: whether the
    /// thread goes on.
    #[inline(always)]
    pub(crate) fn stays(&self, thread: u16) -> bool {
        self.ready.first() == thread
            && self.hart.current == Some(thread)
            && self.threads.at(thread).left.0 == u64::MAX
            && self.agenda.next().unwrap_or(Instant::NEVER) == self.hart.next.0
    }

    /// The alarm is the earlier of the agenda's next instant and the end of what
    /// the thread that runs from this tick on has left.
    pub(crate) fn set_alarm(&mut self, thread: u16, at: Ticks) {
        let left = self.threads.at(thread).left;
        let alarm = self.next_tick();
        self.hart.alarm = match left.0 {
            u64::MAX => alarm,
            left => alarm.min(Ticks(at.0.saturating_add(left))),
        };
    }

    /// When the alarm must ring; `None`: not at all.
    pub(crate) fn alarm(&self) -> Option<Ticks> {
        let alarm = self.hart.alarm;
        (alarm.0 != u64::MAX).then_some(alarm)
    }

    /// The current thread keeps the hart while the ceiling that it published is
    /// not below the contender; else it waits at its ceiling's level. Either
    /// way its control page tells it that somebody waits for it.
    fn honour_ceiling(&mut self, current: u16, contender: u16) -> u16 {
        let ceiling = self.ceiling(current);
        if ceiling == 0 || !self.ready.contains(current) {
            return contender;
        }
        self.hardware.store_control(current, PENDING, 1);
        let level = self.ready.urgency_of(contender).map_or(0, |u| u.level);
        if Urgency::level_of(ceiling) >= level {
            return current;
        }
        self.lift(current, ceiling);
        contender
    }

    /// The tick at which the agenda's next instant has come; the last one of
    /// all if there is none. O(1), and a division where that instant is new.
    #[inline]
    pub(crate) fn next_tick(&mut self) -> Ticks {
        let instant = self.agenda.next().unwrap_or(Instant::NEVER);
        if self.hart.next.0 != instant {
            self.renew_next_tick(instant);
        }
        self.hart.next.1
    }

    #[inline(never)]
    fn renew_next_tick(&mut self, instant: Instant) {
        self.hart.next = (instant, self.tick_of(instant));
    }

    /// The tick at which an instant has come; the last of all for `NEVER`.
    pub(crate) fn tick_of(&self, instant: Instant) -> Ticks {
        match instant {
            Instant::NEVER => Ticks(u64::MAX),
            _ => Ticks(self.timebase.ticks(instant).0.saturating_add(self.origin.0)),
        }
    }

    /// Whether an instant of the agenda has come by this entry.
    pub(crate) fn is_due(&mut self) -> bool {
        self.next_tick() <= self.hart.entered
    }

    /// Whether the alarm that was set last should have rung by this entry.
    #[inline(always)]
    pub(crate) fn has_rung(&self) -> bool {
        self.hart.alarm <= self.hart.entered
    }
}
