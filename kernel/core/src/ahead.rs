//! A thread may run ahead of what has fallen due.
//!
//! Where many sleepers wake at one instant, each is a piece of work, and in the
//! order of instants all of them come before an interrupt, and before a later
//! call. But a thread that is more urgent than any that still sleeps would run
//! first whatever the order is. So it goes on, or its interrupt wakes it at once,
//! and its calls are carried out, until it waits or `SLICE` is over. Then what
//! had fallen due is handled, with its own instants. Code goes before
//! everything: a thread runs ahead only while none is to run.
//! A call that moves threads among their equals is not carried out ahead, nor is
//! one to an object: who wakes by what is due stands before them.
//!
//! ```text
//!  due: 100 sleepers   . . . . |                        | . . . . . .
//!  line                        ^ rises                  |
//!  handler                       |runs, calls, waits    |
//! ```

use crate::core_state::Core;
use crate::dispatch::is_by_deadline;
use crate::event::Next;
use crate::hardware::Hardware;
use crate::kernel::Kernel;
use giornata_abi::call::{Call, Request};
use giornata_abi::id::NONE;
use giornata_abi::system::{ThreadEntry, ThreadKind};
use giornata_abi::{Instant, Ticks};
use giornata_queue::Urgency;

/// How long a thread runs ahead at most: `2^-SLICE` s, about a millisecond. The
/// trace says no later who woke when.
const SLICE: u32 = 10;
const YIELD: usize = Call::Yield as usize;
const EXIT: usize = Call::Exit as usize;
const SET_PRIORITY: usize = Call::SetPriority as usize;
/// Threads that are kept in mind.
const KEPT: usize = 4;

/// The threads that can be the most urgent of all when they wake, with the
/// highest level that each can have then; the most urgent first.
#[derive(Clone, Copy)]
pub(crate) struct Summit([(u16, u16); KEPT]);

impl Summit {
    /// Of no threads.
    pub(crate) const EMPTY: Summit = Summit([(0, NONE); KEPT]);

    /// Puts a thread in its place; the least urgent one is forgotten.
    fn add(&mut self, level: u16, thread: u16) {
        let mut candidate = (level, thread);
        for kept in &mut self.0 {
            if candidate.0 > kept.0 {
                core::mem::swap(kept, &mut candidate);
            }
        }
    }
}

/// Whether a call moves threads among their equals, or wakes others: those that
/// were due before are there before.
pub(crate) fn is_for_equals(request: &Request) -> bool {
    let number = request.number;
    matches!(number, YIELD | EXIT | SET_PRIORITY) || number >= Call::FIRST_OF_SERVICES
}

impl<H: Hardware> Kernel<'_, H> {
    /// Whether the handler of an interrupt may go ahead of what is due. A call
    /// that waits, of a thread that is less urgent, is carried out before. O(lines).
    pub(crate) fn may_go_ahead(&mut self, number: u16) -> bool {
        let core = &self.core;
        let interrupt = core.line(number).and_then(|line| core.interrupts.get(line));
        let waiter = interrupt.map_or(NONE, |interrupt| interrupt.waiter);
        let call = core.call.as_ref();
        if waiter == NONE
            || call.is_some_and(|call| is_for_equals(&call.request))
            || !self.is_ahead(waiter)
        {
            return false;
        }
        self.take_call();
        // its thread may sleep now
        self.is_ahead(waiter) && self.core.is_settled()
    }

    /// Whether the thread that runs may go on ahead of what is due. O(1).
    pub(crate) fn may_stay_ahead(&self) -> bool {
        let first = self.core.ready.first();
        let runs = self.core.hart.current == Some(first) && !self.core.has_expired();
        runs && self.is_ahead(first) && self.core.is_settled()
    }

    /// Whether nothing that is due concerns a thread, if it is the most urgent.
    #[inline(never)] // in several places
    fn is_ahead(&self, thread: u16) -> bool {
        let core = &self.core;
        // what most often says no comes first
        core.is_beyond_sleepers(thread) && self.undisturbed_until() > core.now()
    }

    /// When code is to run next or to change, or the machine to stop.
    fn undisturbed_until(&self) -> Instant {
        let stop = match self.core.system.header.stop_at {
            0 => Instant::NEVER,
            stop_at => Instant(stop_at),
        };
        let change = self.core.load.expected();
        self.machine.idle_until().min(change).min(stop)
    }

    /// The most urgent thread runs ahead, until a tick that was set before if
    /// there is one.
    #[inline(never)] // in several places
    pub(crate) fn stay_ahead(&mut self, at: Ticks, until: Option<Ticks>) -> Next {
        let disturbed = self.undisturbed_until();
        let core = &mut self.core;
        let next = core.choose(at);
        if let Next::Run(thread) = next {
            let after = |span: Ticks| Ticks(at.0.saturating_add(span.0));
            let slice = Ticks((core.system.header.timer_hertz >> SLICE) as u64);
            let until = until.unwrap_or(after(slice));
            let used_up = after(core.threads.at(thread).left);
            let disturbed = core.tick_of(disturbed);
            core.hart.alarm = until.min(used_up).min(disturbed);
            core.ahead = true;
        }
        next
    }
}

impl<H: Hardware> Core<'_, H> {
    /// Finds the threads that can be the most urgent. O(threads); once.
    pub(crate) fn survey(&mut self) {
        for thread in 0..self.threads.len() {
            let entry = self.thread_entry(thread);
            if entry.kind == ThreadKind::Thread as u8 {
                let highest = self.process_entry(entry.process).max_priority;
                let level = self.level(entry, entry.priority.max(highest));
                self.summit.add(level, thread);
            }
        }
    }

    /// Whether a thread is, or will be when it wakes, more urgent than whatever
    /// sleeps now. O(1).
    fn is_beyond_sleepers(&self, thread: u16) -> bool {
        let level = self.level(self.thread_entry(thread), self.threads.at(thread).priority);
        // a key that is renewed may come before those of its band
        if self.may_lend() || self.has_parked && level <= self.deadline_level() {
            return false;
        }
        for (highest, other) in self.summit.0 {
            if highest < level {
                return true;
            }
            let other = self.threads.get(other);
            if other.is_some_and(|other| other.state.has_instant()) {
                return false;
            }
        }
        false
    }

    /// The level of a thread with this priority.
    fn level(&self, entry: &ThreadEntry, priority: u8) -> u16 {
        match is_by_deadline(entry) {
            true => self.deadline_level(),
            false => Urgency::level_of(priority),
        }
    }
}
