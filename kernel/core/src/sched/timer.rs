//! Timeouts and the timer.

use core::hint::cold_path;

use giornata_abi::Error;

use crate::sched::agenda::FARTHEST;
use crate::sched::thread::state;
use crate::sync::private;
use crate::{Alarm, Event, Machine, Outcome, Ref, System, Thread, before};

/// The high word of an instant that never comes.
pub(crate) const FOR_EVER: usize = 0xFFFF_FFFF;

/// What rings in one look at the timer.
const RINGS: u32 = 4;

/// Ticks after which the hart looks again at what it has left to another. (That sets the timer
/// when it has come, which is much sooner.)
const FLIGHT: u32 = 1024;

impl System {
    /// Sets the timeout of a thread that is about to wait. An instant that has passed
    /// rings at once.
    ///
    /// One beyond what the agenda orders is armed at its end, and looked at again:
    /// the instant itself lies in the thread's temporary registers.
    #[inline(never)]
    pub(crate) extern "C" fn arm<M: Machine>(&self, thread: Ref<Thread>, low: usize, high: usize) {
        let [first, second, ..] = &thread.context.t;
        first.set(low);
        second.set(high);
        let now = M::now();
        let (distance, borrow) = (low as u32).overflowing_sub(now);
        let (above, under) = (high as u32).overflowing_sub(M::high(now));
        let (above, borrowed) = above.overflowing_sub(borrow as u32);
        let distance = match above {
            _ if under | borrowed => 0,
            0 => distance.min(FARTHEST),
            _ => FARTHEST,
        };
        thread.set(state::ARMED);
        let key = now.wrapping_add(distance);
        self.set_alarm::<M>(&thread.alarm, key);
    }

    /// Sets an alarm, and if it is the first now, that of the hart.
    #[inline(never)]
    pub(crate) fn set_alarm<M: Machine>(&self, alarm: Ref<Alarm>, key: u32) {
        if self.agenda.set(alarm, key) {
            self.set_hart_timer::<M>(key, M::now());
        }
    }

    /// Sets the alarm of the hart, out of line.
    #[inline(never)]
    pub(crate) fn set_hart_timer<M: Machine>(&self, at: u32, now: u32) {
        M::alarm(at, now);
    }

    /// Takes the timeout of a thread back. (An alarm of the hart that then comes too
    /// early finds nothing due.)
    #[inline(never)]
    pub(crate) fn disarm(&self, thread: Ref<Thread>) {
        thread.clear(state::ARMED);
        self.agenda.remove(&thread.alarm, self.records());
    }

    /// The same, if it is set.
    pub(crate) fn disarm_if_set(&self, thread: Ref<Thread>) {
        if thread.is(state::ARMED) {
            self.disarm(thread);
        }
    }

    /// Blocks until an instant; returns at once if it has passed.
    #[inline(always)]
    pub(crate) fn sleep<M: Machine>(&self, me: Ref<Thread>, low: usize, high: usize) -> Outcome {
        if (low & high) as u32 == FOR_EVER as u32 {
            cold_path();
            return Outcome::error(Error::EINVAL);
        }
        me.answer(0);
        me.set(state::SLEEPS);
        self.arm::<M>(me, low, high);
        self.block(me, self.no_list)
    }

    /// The timer has rung: what is due, then the next alarm.
    ///
    /// The usual case without a call: one thread sleeps until now, and precedes all.
    #[inline(always)]
    pub fn on_timer<M: Machine>(&self, me: Ref<Thread>) -> Outcome {
        let now = M::now();
        let (Some(alarm), false) = (self.agenda.first(), before(now, self.agenda.next())) else {
            cold_path();
            return self.on_timer_any::<M>(me);
        };
        let thread = match alarm.event {
            Event::Thread(thread) => thread,
            Event::Trigger(trigger) => return self.on_release::<M>(trigger, me, now),
            _ => {
                cold_path();
                return self.on_timer_any::<M>(me);
            }
        };
        // (an instant farther ahead than the agenda orders has only to be set anew)
        let far = thread.alarm.key() as usize ^ thread.context.t[0].get() as u32 as usize;
        let unusual = (thread.state.get() ^ (state::ARMED | state::SLEEPS)) as usize | far;
        if !self.opens_top_unless(unusual, thread.rank.get(), thread) {
            cold_path();
            return self.on_timer_any::<M>(me);
        }
        let next = self
            .agenda
            .remove_first(alarm, alarm.next.get(), self.records());
        thread.state.set(0);
        thread.waits.set(None);
        if !before(now, next) {
            cold_path();
            return self.on_timer_any::<M>(me);
        }
        M::alarm(next, now);
        self.run_wanting(thread, thread.wants.get())
    }

    /// Whatever is due: a few at a time, then lines that have risen meanwhile. All timeouts
    /// that write words of processes are among that, so whoever was interrupted must not go on
    /// in the middle of a block.
    #[inline(never)]
    pub(crate) extern "C" fn on_timer_any<M: Machine>(&self, me: Ref<Thread>) -> Outcome {
        private::begin_block_anew::<M>(me);
        let idle = self.expire_due::<M>();
        self.react::<M>();
        // (what has come meanwhile goes first)
        if idle && me.limited.get() != 0 && !M::pending() {
            self.look_at_limit::<M>(me, M::now());
        }
        self.dispatch_from(me)
    }

    /// A few of what is due ring, until a line rises. Returns whether nothing was due.
    ///
    /// If something still is, it waits for twice as long as that has taken: so the handler
    /// of the line runs before all of a hundred have rung, whoever they are.
    #[inline(never)]
    pub(crate) fn expire_due<M: Machine>(&self) -> bool {
        let began = M::now();
        let (mut now, mut left, mut waits) = (began, RINGS, false);
        loop {
            let next = self.agenda.next();
            if before(now, next) {
                self.set_hart_timer::<M>(next, now);
                return left == RINGS;
            }
            if self.leaves_to_another::<M>() {
                self.set_hart_timer::<M>(now.wrapping_add(FLIGHT), now);
                return false;
            }
            if left == 0 || waits && (self.take_line::<M>() || M::is_awaited()) {
                now = M::now();
                let pause = now.wrapping_sub(began).wrapping_mul(2);
                self.set_hart_timer::<M>(now.wrapping_add(pause), now);
                return false;
            }
            left = left.wrapping_sub(1);
            self.expire_next::<M>(now);
            waits = M::pending() || M::is_awaited();
            now = M::now();
        }
    }

    /// The first of the agenda, which is due, rings.
    #[inline(never)]
    pub(crate) fn expire_next<M: Machine>(&self, now: u32) {
        let Some(alarm) = self.agenda.first() else {
            return self.agenda.refresh(now, self.records());
        };
        self.agenda.remove(alarm, self.records());
        match alarm.event {
            Event::Thread(thread) if self.expire_account::<M>(thread, alarm) => {}
            Event::Thread(thread) => self.expire::<M>(thread),
            Event::Epoch => self.on_epoch::<M>(),
            Event::Trigger(trigger) => self.ring(trigger),
            Event::Change(program) => self.ripen::<M>(program),
            Event::Line(line) => line.open_again::<M>(),
            Event::Nothing => {}
        }
    }

    /// The timeout of a thread has come.
    #[inline(never)]
    fn expire<M: Machine>(&self, thread: Ref<Thread>) {
        let [low, high, ..] = &thread.context.t;
        let far = thread.alarm.key() as usize ^ low.get() as u32 as usize;
        if (thread.state.get() ^ (state::ARMED | state::SLEEPS)) as usize | far == 0 {
            // it has slept, and there is nothing else to see to
            thread.state.set(0);
            thread.waits.set(None);
            return self.insert(thread);
        }
        thread.clear(state::ARMED);
        if thread.alarm.key() != low.get() as u32 {
            // (it was beyond what the agenda orders, or had passed)
            let now = M::now();
            if (high.get() as u32, low.get() as u32) > (M::high(now), now) {
                return self.arm::<M>(thread, low.get(), high.get());
            }
        }
        let waits = thread.waits.get().is_some();
        if waits && thread.is(state::SLEEPS) {
            if thread.is(state::BY_DEADLINE) {
                let ticks = self.ticks_to_deadline(thread);
                let deadline = thread.alarm.key().wrapping_add(ticks);
                thread.own.get().deadline.set(deadline);
            }
            return self.awaken::<M>(thread);
        }
        self.end_timed_wait::<M>(thread);
    }
}
