//! Interrupt lines.
//!
//! A line is masked from its coming until a thread waits for it again. One with a minimum
//! interarrival time stays masked at least for that: its alarm is set when it comes.

use core::cell::Cell;
use core::hint::cold_path;

use giornata_abi::ring::Kind;

use crate::sched::thread::state;
use crate::trace::reason;
use crate::{Alarm, Machine, Outcome, Process, Ref, System, Thread, Trigger, is_not, record, some};

/// Numbers that an interrupt line can have, and 0 for none.
pub const LINES: usize = 64;

record! {
    /// An interrupt line of the board that the system uses.
    pub struct Line {
        /// Blocks that wait for it. (At the front of whatever has some, so that the list is
        /// found without knowing what that is.)
        pub(crate) watchers: Cell<Option<Ref<Trigger>>>,
        /// Its number at the interrupt controller.
        pub number: u32,
        /// 1: it came while no thread waited.
        pub(crate) latched: Cell<u32>,
        /// Which process's threads may await it.
        pub process: Option<Ref<Process>>,
        /// Who waits for it.
        pub(crate) handler: Cell<Option<Ref<Thread>>>,
        /// Its minimum interarrival time in ticks; 0: it has none.
        pub(crate) interval: u32,
        /// 1: that has not passed since it came.
        pub(crate) closed: Cell<u32>,
        /// Rings when it has.
        pub(crate) alarm: Alarm,
    }
}

impl Line {
    /// Its interval has passed: it may come, if a thread waits for it.
    #[inline(never)]
    pub(crate) fn open_again<M: Machine>(&self) {
        self.closed.set(0);
        if self.handler.get().is_some() {
            M::unmask(self.number);
        }
    }
}

/// Of a thread that waits for a line: its number.
#[inline(always)]
fn awaited(thread: Ref<Thread>) -> &'static Cell<usize> {
    let [_, _, number, ..] = &thread.context.t;
    number
}

impl Line {
    /// Who waits for it.
    pub fn handler(&self) -> Option<Ref<Thread>> {
        self.handler.get()
    }
}

impl System {
    /// Lines have risen: the handler of one runs, if it is the most urgent. The record
    /// of the switch tells.
    #[inline(always)]
    pub fn on_line<M: Machine>(&self, me: Ref<Thread>) -> Outcome {
        let number = M::claim();
        let Some(Some(line)) = self.lines.get(number as usize) else {
            cold_path();
            return Outcome::DONE;
        };
        let Some(handler) = line.handler.get() else {
            cold_path();
            return self.on_line_any::<M>(me, line);
        };
        let unusual =
            some(handler.wants.get()) | some(line.watchers.get()) | handler.state.get() as usize;
        if unusual != 0 {
            cold_path();
            return self.on_line_any::<M>(me, line);
        }
        line.handler.set(None);
        handler.waits.set(None);
        if self.opens_above(handler.rank.get(), handler) {
            return Outcome::because(handler, reason::INTERRUPT | (number as usize) << 16);
        }
        cold_path();
        self.wake_handler::<M>(line, handler)
    }

    /// The handler of a line is ready, and perhaps not the most urgent.
    #[inline(never)]
    extern "C" fn wake_handler<M: Machine>(
        &self,
        line: Ref<Line>,
        handler: Ref<Thread>,
    ) -> Outcome {
        self.note_line::<M>(line);
        self.insert(handler);
        self.dispatch()
    }

    /// Adds a record of a line that has come.
    #[inline(always)]
    fn note_line<M: Machine>(&self, line: &Line) {
        let label = self.head(Kind::Interrupt, line.number as u16);
        self.trace.write(M::now(), label, 0, 0);
    }

    /// The same, whoever waits for it.
    #[inline(never)]
    extern "C" fn on_line_any<M: Machine>(&self, me: Ref<Thread>, line: Ref<Line>) -> Outcome {
        self.line_came::<M>(line);
        self.react::<M>();
        self.dispatch_from(me)
    }

    /// Takes a line that has risen, if one has.
    #[inline(never)]
    pub(crate) fn take_line<M: Machine>(&self) -> bool {
        let number = M::claim();
        if let Some(Some(line)) = self.lines.get(number as usize) {
            self.line_came::<M>(line);
        }
        number != 0
    }

    /// A line has come: its handler is ready, or it is latched for one.
    #[inline(never)]
    fn line_came<M: Machine>(&self, line: Ref<Line>) {
        self.note_line::<M>(line);
        if line.interval != 0 && line.closed.replace(1) == 0 {
            self.set_alarm::<M>(&line.alarm, M::now().wrapping_add(line.interval));
        }
        match line.handler.take() {
            Some(handler) => self.awaken::<M>(handler),
            None => line.latched.set(1),
        }
        if line.process.is_none() {
            // (for microcode, which is done with it at once)
            line.latched.set(0);
            M::unmask(line.number);
        }
        self.fire_line::<M>(line);
    }

    /// A thread does not wait for a line any more, if it did. (The register of one that waits
    /// for something else may have any number, but no line that waits for it.)
    #[inline(always)]
    pub(crate) fn leave_line(&self, thread: Ref<Thread>) {
        if let Some(Some(line)) = self.lines.get(awaited(thread).get())
            && is_not(line.handler.get(), thread) == 0
        {
            line.handler.set(None);
        }
    }

    /// Waits for a line that the caller's process is granted.
    pub(crate) fn await_interrupt<M: Machine>(&self, me: Ref<Thread>, number: usize) -> Outcome {
        let granted = self.lines.get(number).copied().flatten();
        let granted = granted.filter(|line| {
            line.process
                .is_some_and(|process| crate::same(process, me.process))
        });
        let Some(line) = granted else {
            return Outcome::error(crate::Error::EPERM);
        };
        if line.handler.get().is_some() {
            return Outcome::error(crate::Error::EBUSY);
        }
        if line.latched.replace(0) != 0 {
            return Outcome::DONE;
        }
        me.answer(0);
        awaited(me).set(number);
        line.handler.set(Some(me));
        if line.interval != 0 {
            // (its coming has more to do than the usual)
            me.set(state::SPACED);
        }
        if line.closed.get() == 0 {
            M::unmask(line.number);
        }
        self.block(me, self.no_list)
    }
}
